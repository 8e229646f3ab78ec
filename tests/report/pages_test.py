#!/usr/bin/env python3
"""The pages of `duet compare`, `duet explain`, `duet sweep` and `duet reproduce` in a browser: do they open without complaint and without asking
anybody, do their numbers equal the files beside them, is what the papers state marked, and does a figure that was not measured say so?
pages_test.py BUILD SOURCE [NAME]
By day of some papers, and most pages in one scheme of colours; at night (tests/whole.py) all."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib
import unittest

import browser

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from whole import WHOLE, some  # noqa: E402
from compile_once import compile_well  # noqa: E402

BUILD, SOURCE = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DUET = BUILD / "bin/duet"
SCORES = SOURCE / "tests/report/scores"

SWEEP = """
machine = "gtx580"
[[program]]
name = "smooth"
command = ["./smooth", "--size", "512"]
[[program]]
name = "</script><!-- broken"
command = ["./smooth", "--size", "not a number"]
[grid]
gpu.sm.count = [2, 4, 8]
gpu.l2.mshrs = [2, 32]
[results]
columns = ["time_ps", "kernels.cycles.sum", "counters.dram.reads"]
pareto = ["kernels.cycles.sum:min", "gpu.sm.count:min"]
"""


def value_at(tree, path):
    for key in path.split("/"):
        tree = tree[int(key) if isinstance(tree, list) else key]
    return tree


class PagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.browser = browser.Browser()
        compile_well(DUET, [SOURCE / "workloads/demo/smooth.cu"], cls.folder / "smooth", timeout=300)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.scratch.cleanup()

    def tearDown(self):
        self.browser.close_pages()

    def smooth_run(self):
        """The folder of the program's run, made by the first test that asks for it."""
        if not (self.folder / "a").exists():
            self.duet("run", "-q", "--no-html", "--out", "a", "./smooth")
        return "a"

    def duet(self, *arguments, status=0):
        done = subprocess.run([DUET, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def opened(self, path, dark=False):
        """The page, all of it drawn, after what holds for every page."""
        page = self.browser.open(self.folder / path, dark)
        asked = [request for request in page.requests if request != page.address and not request.startswith("data:")]
        page.evaluate("new Promise((done) => { for (const d of document.querySelectorAll('details')) d.open = true; setTimeout(() => done(1), 100); })")
        for event in ("beforeprint", "afterprint"):  # charts are drawn when they come near the window, and all for a printer
            page.evaluate(f"window.dispatchEvent(new Event('{event}'))")
        self.assertEqual((page.problems, asked), ([], []))
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.chart')].filter((c) => !c.querySelector('svg, canvas')).length"), 0)
        text = page.evaluate("document.body.innerText")
        self.assertEqual([word for word in ("NaN", "undefined", "Infinity", "Cannot be drawn") if word in text], [])
        return page

    def check_fields(self, page, tree, least):
        """Every number of a table that names its place is the one at that place."""
        fields = page.evaluate("[...document.querySelectorAll('[data-field]')].map((e) => [e.dataset.field, Number(e.dataset.value)])")
        self.assertGreaterEqual(len(fields), least)
        for field, shown in fields:
            self.assertEqual(shown, float(value_at(tree, field)), field)
        return {field for field, _ in fields}

    def texts(self, page, section):
        return page.evaluate(f"[...document.querySelectorAll('#{section} svg text')].map((e) => e.textContent)")

    def section_of(self, page, word):
        """The identity of the section whose title begins with a word."""
        return page.evaluate(f"[...document.querySelectorAll('section')].find((s) => s.querySelector('h2').textContent.startsWith({json.dumps(word)})).id")

    def test_compare(self):
        self.smooth_run()
        self.duet("run", "-q", "--no-html", "--out", "b", "--set", "gpu.sm.count=8", "--set", "gpu.l2.mshrs=8", "./smooth")
        self.duet("compare", "a", "b", "--json", "c.json", "--html", "c.html")
        comparison = json.loads((self.folder / "c.json").read_text())
        for dark in (False, True):
            page = self.opened("c.html", dark)
            shown = self.check_fields(page, {"comparison": comparison}, 40)
        for kind in ("kernels", "api", "counters"):
            self.assertGreater(len(comparison[kind]), 0)
            for i in range(len(comparison[kind])):
                place = f"comparison/{kind}/{i}" + ("" if kind == "counters" else "/time_ps")
                self.assertTrue({f"{place}/a", f"{place}/b"} <= shown, place)
        text = page.evaluate("document.body.innerText")
        for key in comparison["machine"]:
            self.assertIn(key["key"], text)
        self.assertIn("smooth", self.texts(page, "kernels"))

    def test_compare_the_same(self):
        self.duet("compare", self.smooth_run(), "a", "--html", "same.html")
        page = self.opened("same.html")
        self.assertIn("Every key has the same value", page.evaluate("document.body.innerText"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#kernels, #counters').length"), 0)

    def test_compare_into_nowhere(self):
        done = self.duet("compare", self.smooth_run(), "a", "--html", "nowhere/c.html", status=125)
        self.assertEqual(done.stderr.strip(), "duet: cannot write nowhere/c.html")

    def test_explain(self):
        self.duet("explain", "--out", "explained", "./smooth")
        explanation = json.loads((self.folder / "explained/explain.json").read_text())
        self.assertLess((self.folder / "explained/explain.html").stat().st_size, 300_000)
        for dark in some((False, True), 2):
            page = self.opened("explained/explain.html", dark)
            shown = self.check_fields(page, explanation, 4 * len(explanation["commands"]))
        main = explanation["main_launch"]
        self.assertIn(f"launches/{main}/points/0/0", shown)
        self.assertEqual(page.evaluate("[...document.querySelectorAll('section')].map((s) => s.id).join(' ')"), "hardware organization execution schedule movement")
        self.assertEqual(page.evaluate("document.querySelectorAll('section svg.picture').length"), 6)
        self.assertEqual(page.evaluate("document.querySelectorAll('.level .level .level').length"), 1)
        other = next(i for i in range(len(explanation["launches"])) if i != main)
        page.evaluate(f"(() => {{ const s = document.querySelector('select'); s.value = {other}; s.dispatchEvent(new Event('change')); for (const d of document.querySelectorAll('details')) d.open = true; }})()")
        page.evaluate("new Promise((done) => setTimeout(() => done(1), 100))")
        self.assertIn(f"launches/{other}/points/0/0", self.check_fields(page, explanation, 10))
        self.duet("explain", "explained", "--kernel", "scale")
        page = self.opened("explained/explain.html")
        self.assertNotIn("smooth, #", page.evaluate("document.querySelector('#execution').innerText"))

    def test_sweep(self):
        (self.folder / "s.toml").write_text(SWEEP)
        self.duet("sweep", "s.toml", "--quiet", "--jobs", "1", status=1)
        out = self.folder / "s-sweep"
        rows = list(csv.reader((out / "results.csv").read_text().splitlines()))
        page = self.opened("s-sweep/report.html")
        held = page.evaluate("JSON.parse(document.getElementById('duet-page').textContent)")
        self.assertEqual([held["header"], *held["rows"]], rows)
        self.assertEqual(held["front"], [row[0] for row in csv.reader((out / "pareto.csv").read_text().splitlines())][1:])
        # The front that is drawn first is that of the file.
        drawn = page.evaluate("document.querySelector('details.front').dataset.runs")
        self.assertEqual(set(drawn.split()), set(held["front"]))
        self.check_fields(page, held, 18)
        self.assertEqual(len(held["failures"]), 6)
        self.assertIn(rows[7][1], page.evaluate("document.querySelector('#failures').innerText"))
        # Another column, and another front.
        page.evaluate("(() => { const s = document.querySelector('#curves select'); s.value = 'counters.dram.reads'; s.dispatchEvent(new Event('change')); })()")
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        self.assertTrue(any("counters.dram.reads over" in text for text in self.texts(page, "curves")))
        self.assertEqual(page.problems, [])

    def speedups(self, page):
        """{run: what the table of speed-ups has}."""
        return dict(page.evaluate("[...document.querySelectorAll('#speedup tbody tr')].map((r) => [r.cells[0].textContent, Number(r.cells[r.cells.length - 1].dataset.value)])"))

    def test_sweep_speedup(self):
        """What results.csv has of --baseline is drawn and listed; any other baseline and column is the quotient of the rows that differ in
        it alone; numbers stand where they belong."""
        text = SWEEP.split("[[program]]")[0] + "[[program]]" + SWEEP.split("[[program]]")[1] + SWEEP[SWEEP.index("[grid]"):]
        text = text.replace("[2, 4, 8]", "[2, 4, 5]").replace("[results]", 'gpu.sm.scheduler = ["gto", "lrr"]\n[results]')
        (self.folder / "u.toml").write_text(text)
        self.duet("sweep", "u.toml", "--quiet", "--jobs", "1", "--baseline", "gpu.sm.count=2")
        rows = list(csv.DictReader((self.folder / "u-sweep/results.csv").read_text().splitlines()))
        self.assertEqual(len(rows), 12)
        for dark in some((False, True), 2):
            page = self.opened("u-sweep/report.html", dark)
            self.assertEqual(self.speedups(page), {row["run"]: float(row["speedup"]) for row in rows})
        best = max(rows, key=lambda row: float(row["speedup"]))
        self.assertGreater(float(best["speedup"]), 1)
        self.assertEqual(page.evaluate("document.querySelector('#speedup .answer').dataset.run"), best["run"])
        self.assertIn(f"{float(best['speedup']):.4g}×", page.evaluate("document.querySelector('#speedup .answer').textContent"))
        self.assertIn("gpu.sm.count = 2 (--baseline)", page.evaluate("document.querySelector('#speedup select').value"))
        texts = self.texts(page, "speedup")
        for axis in ("gpu.sm.count", "gpu.l2.mshrs", "gpu.sm.scheduler"):
            self.assertIn(f"speed-up over {axis}", texts)
        for label in ("3", "8", "16", "gto", "lrr"):  # between 2 and 4; between 2 and 32 by powers; names
            self.assertIn(label, texts)
        self.assertIn("3", self.texts(page, "curves"))

        def choose(place, value):
            page.evaluate(f"(() => {{ const s = document.querySelectorAll('#speedup select')[{place}]; s.value = {json.dumps(value)}; s.dispatchEvent(new Event('change'));"
                          " for (const d of document.querySelectorAll('#speedup details')) d.open = true; })()")
            page.evaluate("new Promise((done) => setTimeout(() => done(1), 100))")
        for baseline, column in (("gpu.l2.mshrs = 32", "time_ps"), ("gpu.sm.scheduler = lrr", "kernels.cycles.sum"), ("gpu.sm.count = 5", "counters.dram.reads")):
            choose(0, baseline)
            choose(1, column)
            axis, value = baseline.split(" = ")
            others = [name for name in ("program", "gpu.sm.count", "gpu.l2.mshrs", "gpu.sm.scheduler") if name != axis]
            base = {tuple(row[name] for name in others): float(row[column]) for row in rows if row[axis] == value}
            wanted = {row["run"]: base[tuple(row[name] for name in others)] / float(row[column]) for row in rows}
            self.assertEqual(self.speedups(page), wanted, baseline)
            self.assertTrue(all(wanted[row["run"]] == 1 for row in rows if row[axis] == value))
        self.assertEqual(page.problems, [])
        # Without --baseline: any value of the sweep.
        self.duet("sweep", "u.toml", "--quiet", "--jobs", "1")
        page = self.opened("u-sweep/report.html")
        wanted = {row["run"]: float(row["speedup"]) for row in rows}
        self.assertEqual(page.evaluate("document.querySelector('#speedup select').value"), "gpu.sm.count = 2")
        for run, shown in self.speedups(page).items():
            self.assertAlmostEqual(shown, wanted[run], delta=0.00006)

    def test_sweep_without_page(self):
        (self.folder / "t.toml").write_text(SWEEP.replace("[2, 4, 8]", "[2]").replace("[2, 32]", "[2]"))
        self.duet("sweep", "t.toml", "--quiet", "--no-html", status=1)
        self.assertFalse((self.folder / "t-sweep/report.html").exists())

    def score(self, paper, dark=False):
        self.duet("reproduce", paper, "--from", SCORES / f"{paper}.json", "--html", f"{paper}.html")
        return self.opened(f"{paper}.html", dark), json.loads((SCORES / f"{paper}.json").read_text())

    def test_inputs_stand_apart(self):
        """Rows that read back what was set have a table and a count of their own, in a scorecard that was written before rows had a kind too.
        Which they are is said in claims.toml alone."""
        for paper in ("lustig2013", "yang2012")[not WHOLE:]:
            claims = tomllib.loads((SOURCE / f"experiments/{paper}/claims.toml").read_text())["claim"]
            kinds = {(claim["id"], claim["claim"]): claim.get("kind", "outcome") for claim in claims}
            page, score = self.score(paper)
            self.assertNotIn("kind", score["rows"][0])
            by_kind = {"outcome": [], "input": []}
            for at, row in enumerate(score["rows"]):
                by_kind[kinds[row["id"], row["claim"]]].append((at, row))
            self.assertTrue(all(by_kind.values()))
            for place, kind in (("outcomes", "outcome"), ("inputs", "input")):
                shown = page.evaluate(f"[...document.querySelectorAll('#{place} tbody [data-field$=\"/measured\"]')].map((e) => e.dataset.field)")
                self.assertEqual(set(shown), {f"rows/{at}/measured" for at, row in by_kind[kind] if row["measured"] is not None}, place)
                hold = sum(row["verdict"] == "holds" for _, row in by_kind[kind])
                words = {"outcome": "outcomes hold", "input": "inputs come back"}[kind]
                self.assertIn(f"{hold} of {len(by_kind[kind])} {words}", page.evaluate("document.querySelector('.facts').textContent"))
                page.evaluate(f"document.querySelector('#{place} [data-verdict=holds]').click()")
                self.assertEqual(page.evaluate(f"document.querySelectorAll('#{place} tbody tr').length"), hold)
        # One kind of rows alone; the row's own word counts before that of the claims.
        score["rows"] = [row | {"kind": "input"} for row in score["rows"][:5]]
        (self.folder / "kinds.json").write_text(json.dumps(score))
        self.duet("reproduce", "yang2012", "--from", "kinds.json", "--html", "kinds.html")
        page = self.opened("kinds.html")
        self.assertEqual(page.evaluate("[document.querySelectorAll('#outcomes').length, document.querySelectorAll('#inputs tbody tr').length]"), [0, 5])

    def test_kind_of_measured_rows(self):
        """What is measured now says its kind, and the terminal counts the two apart."""
        done = self.duet("reproduce", "lustig2013", "--quick", "--only", "L-dram,L-val", "--json", "kind.json")
        rows = json.loads((self.folder / "kind.json").read_text())["rows"]
        self.assertEqual([(row["id"], row["kind"]) for row in rows], [("L-val", "outcome"), ("L-dram", "input")] if rows[0]["id"] == "L-val" else [("L-dram", "input"), ("L-val", "outcome")])
        self.assertIn("outcomes: 0 of 1 hold; inputs read back: 1 of 1\n", done.stdout)

    def test_yang2012(self):
        for dark in (True, False)[not WHOLE:]:
            page, score = self.score("yang2012", dark)
            self.assertLess(page.seconds, 5)  # a second; the rest for a busy machine
            shown = self.check_fields(page, score, 600)
        self.assertTrue({f"rows/{i}/measured" for i, row in enumerate(score["rows"]) if row["measured"] is not None} <= shown)
        self.assertNotIn("Not measured", page.evaluate("document.body.innerText"))
        for figure in (4, 6, *range(10, 19)):
            self.assertGreater(len(self.texts(page, self.section_of(page, f"Figure {figure}:"))), 5)
        # What the paper states of means and single benchmarks, and nothing else, is marked.
        colour = "#b3261e"
        def marked(figure):
            return page.evaluate(f"[...document.querySelectorAll('#{self.section_of(page, f'Figure {figure}:')} svg text')]"
                                 f".filter((e) => e.getAttribute('fill') === '{colour}').map((e) => e.textContent)")
        self.assertEqual(sorted(marked(10)), sorted(["30", "30", "30", "0", "0", "21.4", "23.1", "113", "126", "0", "0"]))
        self.assertEqual(sorted(marked(11)), ["12.9", "39.2"])
        self.assertEqual(marked(12), ["98.6"])
        self.assertEqual(sorted(marked(13)), ["0.69", "0.74"])
        self.assertEqual(marked(14) + marked(15) + marked(17), [])
        self.assertEqual(sorted(marked(16)), ["12.4", "12.4", "14.7", "21.4"])
        self.assertEqual(marked(18), ["5"])

    def test_lustig2013(self):
        page, score = self.score("lustig2013")
        shown = self.check_fields(page, score, 400)
        self.assertTrue({f"rows/{i}/measured" for i, row in enumerate(score["rows"]) if row["measured"] is not None} <= shown)
        self.assertNotIn("Not measured", page.evaluate("document.body.innerText"))
        for figure in (1, 2, 3, 6, 8, 9, 10, 11, 12):
            self.assertGreater(len(self.texts(page, self.section_of(page, f"Figure {figure}:"))), 5)
        self.assertIn("the paper: they cross at 4,000", self.texts(page, self.section_of(page, "Figure 1:")))
        self.assertIn("the paper: 6 µs", self.texts(page, self.section_of(page, "Figure 9:")))
        self.assertIn("0.74", self.texts(page, self.section_of(page, "Figure 11:")))

    def test_dashti2017(self):
        page, score = self.score("dashti2017")
        shown = self.check_fields(page, score, 100)
        self.assertTrue({f"rows/{i}/measured" for i, row in enumerate(score["rows"]) if row["measured"] is not None} <= shown)
        self.assertNotIn("Not measured", page.evaluate("document.body.innerText"))
        for title in ("Figure 3:", "Figure 4:", "Figure 5:", "Figure 6:", "Figure 7:", "Figure 9:", "Figure 11:", "Figure 12:", "Figures 13 and 14:",
                      "Table 2:", "Figure 15:"):
            self.assertGreater(len(self.texts(page, self.section_of(page, title))), 5, title)
        self.assertIn("2.56", self.texts(page, self.section_of(page, "Figure 7:")))
        self.assertIn("between 1,024 and 2,048 accesses", page.evaluate(f"document.querySelector('#{self.section_of(page, 'Figure 9:')} .lead').textContent"))

    @unittest.skipUnless(WHOLE, "by night")
    def test_measured_in_part(self):
        self.duet("reproduce", "lustig2013", "--quick", "--quiet", "--controls", "--only", "L-F8,L-F9,L-val", "--json", "part.json", "--html", "part.html")
        page = self.opened("part.html")
        score = json.loads((self.folder / "part.json").read_text())
        self.check_fields(page, score, 100)
        self.assertEqual(set(score["figures"]), {"8", "8, counters", "9"})
        for row in score["rows"]:
            self.assertEqual("low" in row, row["verdict"] != "not run")
            self.assertEqual("control" in row, row["verdict"] != "not run")
        said = page.evaluate("[...document.querySelectorAll('section > .warn')].map((e) => [e.parentElement.querySelector('h2').textContent.split(':')[0], e.textContent])")
        self.assertEqual({title for title, _ in said if title.startswith("Figure")}, {f"Figure {n}" for n in (1, 2, 3, 6, 10, 11, 12)})
        self.assertEqual({text for _, text in said}, {"Not measured: none of its rows was asked for (--only)."})
        # The page of the file is the same one.
        self.duet("reproduce", "lustig2013", "--from", "part.json", "--html", "again.html")
        self.assertEqual((self.folder / "again.html").read_bytes(), (self.folder / "part.html").read_bytes())

    def test_failed_runs(self):
        """Without a number in any figure, and with figures of another shape, the rest of the page is there."""
        def without(tree):
            if isinstance(tree, dict):
                return {key: without(one) for key, one in tree.items()}
            return [without(one) for one in tree] if isinstance(tree, list) else tree if isinstance(tree, str) else None
        for paper in some(("yang2012", "dashti2017", "lustig2013"), 2):
            score = json.loads((SCORES / f"{paper}.json").read_text())
            (self.folder / "failed.json").write_text(json.dumps({**score, "figures": without(score["figures"])}))
            self.duet("reproduce", paper, "--from", "failed.json", "--html", "failed.html")
            self.opened("failed.html")
        (self.folder / "other.json").write_text(json.dumps({**score, "figures": {**score["figures"], "1": {"other": 1}}}))
        self.duet("reproduce", paper, "--from", "other.json", "--html", "other.html")
        page = self.browser.open(self.folder / "other.html")
        self.assertEqual(page.problems, [])
        self.assertEqual(page.evaluate("[...document.querySelectorAll('.warn')].filter((e) => e.textContent.startsWith('Cannot be drawn')).length"), 1)
        self.assertGreater(page.evaluate("document.querySelectorAll('section').length"), 10)

    def test_bad_scorecards(self):
        (self.folder / "no.json").write_text("{")
        for arguments, said in [(["--from", "no.json", "--html", "x.html"], "duet: --from: no.json is no scorecard of yang2012"),
                                (["--from", "nowhere.json", "--html", "x.html"], "duet: --from: cannot read nowhere.json"),
                                (["--from", SCORES / "lustig2013.json", "--html", "x.html"], "duet: --from: "),
                                (["--from", SCORES / "yang2012.json", "--html", "nowhere/x.html"], "duet: --html: there is no folder nowhere"),
                                (["--only", "Y-tab1", "--html", "nowhere/x.html"], "duet: --html: there is no folder nowhere"),
                                (["--from", SCORES / "yang2012.json", "--html", "x.html", "--quick"], "duet: "),
                                (["--from", SCORES / "yang2012.json"], "duet: --from: say with --html where to write the page")]:
            done = self.duet("reproduce", "yang2012", *arguments, status=2 if "--quick" in arguments else 125)
            self.assertTrue(done.stderr.startswith(said) and done.stderr.count("\n") == 1, done.stderr)
        self.assertFalse((self.folder / "x.html").exists())


if __name__ == "__main__":
    if not browser.find():
        sys.exit("pages_test.py: no chromium: run tools/install_dependencies.sh test")
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
