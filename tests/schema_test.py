"""Every file of numbers that Duet writes against its schema (schema/), on runs of all kinds; and that the schemas refuse what is wrong.
Usage: schema_test.py --duet DUET. Needs Python's jsonschema (Debian: python3-jsonschema)."""
import copy
import csv
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from compile_once import compile_well

try:
    import jsonschema
except ModuleNotFoundError:  # Debian's is for Debian's Python
    if sys.executable == "/usr/bin/python3":
        sys.exit("schema_test.py: Python's jsonschema is missing: install python3-jsonschema")
    os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])

SOURCE = pathlib.Path(__file__).resolve().parents[1]
SCHEMAS = {path.stem: json.loads(path.read_text()) for path in (SOURCE / "schema").glob("*.json")}


def schema_of(document):
    return SCHEMAS[document["schema"].replace("/", ".")]


def errors(document):
    validator = jsonschema.Draft202012Validator(schema_of(document))
    return ["%s: %s" % ("/".join(map(str, e.absolute_path)), e.message[:200]) for e in validator.iter_errors(document)]


class Schemas(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.compile("smooth", SOURCE / "workloads/demo/smooth.cu")
        cls.compile("VecAdd", SOURCE / "workloads/yang2012/VecAdd.cu")
        cls.compile("search", SOURCE / "tests/preexec/search.cu")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def compile(cls, name, source, *options):
        compile_well(DUET, [*options, source], cls.folder / name, timeout=300)

    def statistics(self, *arguments, status=0):
        """stats.json of a run, which has to be as its schema says."""
        folder = self.folder / "out"
        done = subprocess.run([DUET, "run", "-q", "--out", folder, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stderr)
        document = json.loads((folder / "stats.json").read_text())
        self.assertEqual(errors(document), [])
        return document

    def test_the_schemas_are_schemas(self):
        self.assertEqual(set(SCHEMAS), {"duet.stats.1", "duet.host_stats.1", "duet.comparison.1", "duet.advice.1", "duet.run.1", "duet.explanation.1", "duet.model.1", "duet.model_replay.1", "duet.prediction.1", "duet.sweep.1"})
        for schema in SCHEMAS.values():
            jsonschema.Draft202012Validator.check_schema(schema)

    def test_native_programs(self):
        document = self.statistics("./smooth")
        self.assertGreater(len(document["kernels"]), 1)
        self.assertGreater(len(self.statistics("--interval", "1us", "./smooth")["intervals"]), 10)
        self.assertTrue(self.statistics("--lines", "./smooth")["lines"])
        self.assertEqual(self.statistics("--functional", "./smooth")["kernels"][0]["complete"], True)
        self.assertTrue(self.statistics("--sample", "./smooth")["sampling"]["groups"])
        grouped = self.statistics("--records", "1", "./smooth")
        self.assertTrue(grouped["kernel_groups"] and grouped["copy_groups"])

    def test_advice(self):
        self.assertTrue(self.statistics("./smooth")["hardware_advice"])
        subprocess.run([DUET, "advise", self.folder / "out"], check=True, capture_output=True, timeout=300)
        for name in ("run.json", "advice.json"):
            self.assertEqual(errors(json.loads((self.folder / "out" / name).read_text())), [])
        self.compile("rules", SOURCE / "tests/advise/rules.cu")
        for flaw, field in (("pageable_copies", "costs_ps"), ("issue_bound", "at_most")):
            self.assertTrue(self.statistics("./rules", flaw, "trigger")["advice"][0][field])
            subprocess.run([DUET, "advise", self.folder / "out"], check=True, capture_output=True, timeout=300)
            self.assertEqual(errors(json.loads((self.folder / "out/advice.json").read_text())), [])

    def test_explanations(self):
        for options in ([], ["--functional"], ["--max-cycles", "2000"]):
            done = subprocess.run([DUET, "explain", "--no-html", "--out", self.folder / "explained", *options, self.folder / "smooth"], capture_output=True, timeout=300)
            self.assertEqual(done.returncode, 124 if "--max-cycles" in options else 0, done.stderr)
            document = json.loads((self.folder / "explained/explain.json").read_text())
            self.assertEqual(errors(document), [])
            self.assertEqual(document["complete"], "--max-cycles" not in options)
            self.assertTrue(document["launches"] and document["commands"])

    def test_models(self):
        out = self.folder / "model.json"
        subprocess.run([DUET, "explain", "-q", "--no-html", "--out", self.folder / "replayed", self.folder / "smooth"], check=True, capture_output=True, timeout=300)
        for words in ([SOURCE / "workloads/hu2016/d1.toml"], [SOURCE / "workloads/hu2016/d2.toml"], ["--machine", "fused", "--host"],
                      ["--replay", self.folder / "replayed", "--steps", "3"]):
            subprocess.run([DUET, "model", *words, "--json", out], check=True, capture_output=True, timeout=300)
            self.assertEqual(errors(json.loads(out.read_text())), [], words)

    def test_checks(self):
        self.compile("seeded", SOURCE / "tests/check/faults.cu")
        found = self.statistics("--check", "all", "./seeded", "missing_barrier")["check"]
        self.assertTrue(found["findings"], found)
        self.assertIn("check", self.statistics("--check", "all", "--functional", "./smooth"))

    def test_pre_execution_and_blocks_on_cores(self):
        document = self.statistics("--machine", "fused", "--preexec", "adaptive", "./VecAdd", "--size", "16384")
        self.assertIn("preexecution", document["kernels"][0])
        self.assertEqual(document["preexecution"]["mode"], "adaptive")
        self.assertIn("cpu_blocks", self.statistics("--machine", "fused", "--cpu-blocks", "./VecAdd", "--size", "16384"))
        alone = self.statistics("--machine", "fused", "--cpu-blocks", "./search", "256", "1")
        self.assertIn("gpu_alone", alone["kernels"][0]["cpu_blocks"])

    def test_runs_that_fail_or_are_cut_off(self):
        cut_off = self.statistics("--max-cycles", "2000", "./smooth", status=124)
        self.assertFalse(cut_off["complete"])
        source = self.folder / "wrong.cu"
        source.write_text("""#include <cstdio>
__global__ void wrong(int* p) { p[blockIdx.x] = 1; }
int main() {
  int* p; cudaMalloc(&p, 4);
  wrong<<<1, 4096>>>(p);
  wrong<<<1, 1>>>(nullptr);
  std::printf("%d\\n", cudaDeviceSynchronize());
}
""")
        self.compile("wrong", source)
        document = self.statistics("./wrong")
        self.assertTrue(document["failed_calls"] and document["faults"])

    def test_races(self):
        source = self.folder / "race.cu"
        source.write_text("""__global__ void add(int* p) { p[threadIdx.x] += 1; }
int main() {
  int* p; cudaMalloc(&p, 4096);
  cudaStream_t a, b; cudaStreamCreate(&a); cudaStreamCreate(&b);
  add<<<1, 32, 0, a>>>(p); add<<<1, 32, 0, b>>>(p);
  cudaDeviceSynchronize();
}
""")
        self.compile("race", source)
        self.assertTrue(self.statistics("--check-races", "./race")["races"])

    def test_simulated_hosts(self):
        source = self.folder / "host.cpp"
        source.write_text("#include <cstdio>\nint main() { std::puts(\"host\"); return 3; }\n")
        subprocess.run(["riscv64-linux-gnu-g++", "-static", "-O1", source, "-o", self.folder / "host"], check=True, timeout=300)
        document = self.statistics("--host", "simulated", "--machine", "xeon-e3-1245", "./host", status=3)
        self.assertEqual((document["schema"], document["status"]), ("duet.host_stats/1", 3))
        self.compile("smooth.riscv", SOURCE / "workloads/demo/smooth.cu", "--host", "riscv64")
        document = self.statistics("--host", "simulated", "--machine", "lustig2013", "./smooth.riscv")
        self.assertIn("processor", document)

    def test_comparisons(self):
        for name, options in {"a": [], "b": ["--set", "gpu.sm.count=4"]}.items():
            subprocess.run([DUET, "run", "-q", "--out", self.folder / name, *options, self.folder / "smooth"], check=True, timeout=300, stdout=subprocess.DEVNULL)
        file = self.folder / "comparison.json"
        subprocess.run([DUET, "compare", self.folder / "a", self.folder / "b", "--json", file], check=True, timeout=60, stdout=subprocess.DEVNULL)
        self.assertEqual(errors(json.loads(file.read_text())), [])

    def duet(self, *arguments, status=0):
        done = subprocess.run([DUET, *map(str, arguments)], capture_output=True, timeout=60)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.decode() if status == 0 else done.stderr.decode()

    def test_lists_as_csv(self):
        document = self.statistics("./smooth")
        for name in ["kernels", "copies", "api", "components"]:
            rows = list(csv.DictReader(io.StringIO(self.duet("stats", "csv", self.folder / "out", name), newline="")))
            self.assertEqual(len(rows), len(document[name]))
            for row, element in zip(rows, document[name]):
                for column, text in row.items():
                    value = {**element, "name": row["name"], "symbol": element["name"]} if "symbol" in row else element
                    for part in [column] if column in element else column.split(".", 1):
                        value = value.get(part, "")
                    expected = " ".join(map(str, value)) if isinstance(value, list) else json.dumps(value) if not isinstance(value, str) else value
                    self.assertEqual(text, expected, column)
        counters = dict(list(csv.reader(io.StringIO(self.duet("stats", "csv", self.folder / "out", "counters"), newline="")))[1:])
        self.assertEqual(counters, {name: str(value) for name, value in document["counters"].items()})
        self.assertIn("has no list 'kernel'", self.duet("stats", "csv", self.folder / "out", "kernel", status=125))
        self.assertIn("no run has ended there", self.duet("stats", "csv", self.folder / "nowhere", "kernels", status=125))

    def test_fields_are_described(self):
        text = self.duet("stats", "describe")
        places = [line.split()[0] for line in text.splitlines()]
        schema = SCHEMAS["duet.stats.1"]
        for name, member in schema["properties"].items():
            self.assertIn(name, places)
            for inner in member.get("properties", {}):
                self.assertIn(f"{name}.{inner}", places)
        for field in schema["$defs"]["kernel"]["properties"]:
            self.assertIn(f"kernels[].{field}", places)
        self.assertRegex(text, r"kernels\[\]\.cycles +core cycles of the GPU +from its first block")
        part = self.duet("stats", "describe", "account").splitlines()
        self.assertTrue(all(line.startswith("account") for line in part) and len(part) > 15)
        self.assertIn("time_ps", self.duet("stats", "describe", "--schema", "comparison"))
        self.assertIn("no field 'nothing'", self.duet("stats", "describe", "nothing", status=125))
        self.assertIn("no schema 'nothing'", self.duet("stats", "describe", "--schema", "nothing", status=125))

    def test_what_is_wrong_is_refused(self):
        document = self.statistics("./smooth")
        for change in [lambda d: d.pop("account"), lambda d: d.update(another=1), lambda d: d["kernels"][0].update(cycles=-1),
                       lambda d: d["kernels"][0].pop("grid"), lambda d: d["copies"][0].update(kind="sideways"),
                       lambda d: d["counters"].update(x="1"), lambda d: d["account"]["moments_ps"].pop("calls")]:
            wrong = copy.deepcopy(document)
            change(wrong)
            self.assertNotEqual(errors(wrong), [])


if __name__ == "__main__":
    DUET = sys.argv[sys.argv.index("--duet") + 1]
    unittest.main(argv=[sys.argv[0]])
