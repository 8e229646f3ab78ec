#!/usr/bin/env python3
"""One of the nine benchmarks of yang2012 Table 1: are its kernels those of the table, does it give right results wherever its arrays
lie, and does its check notice a wrong kernel? Usage: yang2012_programs.py DUET NAME"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_once  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDER = ROOT / "workloads/yang2012"
MEMORIES = ("device", "managed", "mapped")
# Table 1: number of threads of one launch at the default size, block, and options for only one of many launches.
TABLE = {
    "BlackScholes": (1 << 20, [128, 1, 1], []),
    "VecAdd": (1 << 20, [128, 1, 1], []),
    "FFT": (1 << 19, [128, 1, 1], ["--passes", "1"]),
    "MM": (1 << 18, [16, 16, 1], []),
    "Convolution": (1 << 20, [16, 16, 1], []),
    "TMV": (512, [256, 1, 1], []),
    "BitonicSort": (1 << 20, [256, 1, 1], ["--launches", "1"]),
    "MonteCarlo": (1 << 17, [256, 1, 1], []),
    "MV": (1 << 16, [256, 1, 1], []),
}
# Small runs: options, number of kernels.
SMALL = {
    "BlackScholes": [(["--size", "1024"], 1)],
    "VecAdd": [(["--size", "4224"], 1)],
    "FFT": [(["--size", "1024"], 10), (["--size", "1024", "--passes", "3"], 3), (["--size", "256", "--passes", "8"], 8)],
    "MM": [(["--size", "16"], 1), (["--size", "80"], 1)],
    "Convolution": [(["--size", "16"], 1), (["--size", "48", "--mask", "5"], 1)],
    "TMV": [(["--size", "512", "--rows", "257"], 1), (["--size", "256", "--rows", "512", "--form", "shared"], 1)],
    "BitonicSort": [(["--size", "1024"], 55), (["--size", "1024", "--form", "shift", "--first", "45"], 10),
                    (["--size", "2048", "--form", "shift", "--first", "10", "--launches", "7"], 7)],
    "MonteCarlo": [(["--size", "10000", "--options", "3", "--blocks", "4"], 2), (["--size", "2048", "--options", "20", "--blocks", "1"], 1)],
    "MV": [(["--size", "512"], 1), (["--size", "768", "--width", "24", "--form", "shared"], 1)],
}
# Wrong kernels: a text of the source that occurs once, what stands there instead, and a run that must notice.
BROKEN = {
    "BlackScholes": [("0.319381530f", "0.319481530f", []), ("put[i] = discounted * (1.0f - n2)", "put[i] = discounted * n2", [])],
    "VecAdd": [("if (i < n) c", "if (i + 1 < n) c", []), ("c[i] = a[i] + b[i];", "c[i] = a[i] - b[i];", [])],
    "FFT": [("b.x * sine + b.y * cosine", "b.x * sine - b.y * cosine", []), ("out[at + done] = make_float2(a.x - turned.x", "out[at + done] = "
            "make_float2(a.x - turned.y", []), ("in[thread + n / 2]", "in[thread + n / 4]", [])],
    "MM": [("k < static_cast<int>(kTile); k++", "k < static_cast<int>(kTile) - 1; k++", []), ("first < n; first += kTile", "first < "
           "n - static_cast<int>(kTile); first += kTile", [])],
    "Convolution": [("min(x + reach, width - 1)", "min(x + reach, width - 2)", []), ("(j + reach - y) * mask_size", "(j + reach - y) * 2", []),
                    ("sum + 0.5f", "sum", [])],
    "TMV": [("i < height; i++) sum", "i < height - 1; i++) sum", []), ("* part[i];", "* part[i ^ 1];", ["--form", "shared"])],
    "BitonicSort": [("(thread >> stage) % 2 == 0", "true", ["--form", "shift"]), ("thread / run % 2 == 0", "thread / run % 4 == 0", []),
                    ("words[left] = increasing ? least : most;", "words[left] = least;", ["--first", "20", "--launches", "1"])],
    "MonteCarlo": [("i < paths; i += stride", "i < paths - stride; i += stride", []), ("half > 0; half /= 2", "half > 1; half /= 2", []),
                   ("sums.squares += payoff * payoff", "sums.squares += payoff", [])],
    "MV": [("i < width; i++) sum", "i < width - 1; i++) sum", []), ("* b[first + i];", "* b[i];", ["--form", "shared"]),
           ("(column + row / 4) % kColumns", "(column & row / 4) % kColumns", ["--form", "shared"])],
}
# Of the small runs, in lines of 64 bytes: Convolution's 16 x 16 words.
SMALLEST_INPUT_LINES = 16
SIZE_OF_BROKEN = {"MM": "64", "Convolution": "48"}
# Option, value, and a word of the one line that says what is wrong.
WRONG_USE = [("--size", "0", "from"), ("--size", "x", "number"), ("--memory", "host", "memory"), ("--repeat", "0", "from"), ("--start", "hot", "start"), ("--scratch", "0", "from"),
             ("--nothing", "1", "unknown option")]
MORE_WRONG_USE = {
    "VecAdd": [("--size", "129", "multiple")],
    "FFT": [("--size", "768", "power"), ("--passes", "21", "passes")],
    "Convolution": [("--mask", "2", "odd")],
    "TMV": [("--form", "naive", "form"), ("--size", "300", "multiple")],
    "BitonicSort": [("--first", "231", "231 launches"), ("--launches", "232", "231 launches"), ("--size", "1536", "power")],
    "MonteCarlo": [("--options", "513", "from")],
}
# What the SM of yang2012 section 3 has; a block of each kernel must find room on it.
SMALL_SM = ["registers=8192", "max_threads=768", "max_warps=24", "max_blocks=8", "shared_bytes=16384", "max_shared_bytes_per_block=16384"]


class Programs(unittest.TestCase):
    name, duet = "", ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="duet-test-")
        cls.binary = cls.compiled(FOLDER / f"{cls.name}.cu", "program")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def compiled(cls, source, name, flags=("-Wall", "-Wextra", "-Werror")):
        binary = pathlib.Path(cls.folder.name) / name
        done = compile_once(cls.duet, [*flags, source], binary, timeout=240)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return binary

    def run_program(self, binary, arguments, options=(), machine="gtx480"):
        """Exit status, output, errors, and stats.json where the run left one."""
        out = pathlib.Path(self.folder.name) / "out"
        (out / "stats.json").unlink(missing_ok=True)
        done = subprocess.run([self.duet, "run", "--quiet", "--machine", machine, "--out", str(out), *options, str(binary), *arguments],
                              capture_output=True, text=True, timeout=240)
        stats = json.loads((out / "stats.json").read_text()) if (out / "stats.json").is_file() else None
        return done.returncode, done.stdout, done.stderr, stats

    def passed(self, arguments, options=()):
        status, output, errors, stats = self.run_program(self.binary, arguments, options)
        self.assertEqual((status, errors), (0, ""), arguments)
        self.assertRegex(output, rf"\APASS {self.name} size=\d+ threads=\d+ blocks=\d+x\d+ checked=\d+ tolerance=\S.* worst=[01]\.\d\d\n\Z")
        return output, stats

    def test_table(self):
        threads, block, options = TABLE[self.name]
        output, stats = self.passed(options, ["--functional"])
        first = stats["kernels"][0]
        grid = first["grid"]
        self.assertEqual((grid[0] * grid[1] * grid[2] * block[0] * block[1] * block[2], first["block"]), (threads, block))
        self.assertIn(f" threads={threads} ", output)

    def test_memories(self):
        for arguments, kernels in SMALL[self.name]:
            for memory in MEMORIES:
                timed, stats = self.passed([*arguments, "--memory", memory])
                functional, functional_stats = self.passed([*arguments, "--memory", memory], ["--functional"])
                self.assertEqual(timed, functional)
                self.assertEqual(len(stats["kernels"]), kernels)
                for key in ("name", "grid", "block", "warp_instructions", "thread_instructions"):
                    self.assertEqual([k[key] for k in stats["kernels"]], [k[key] for k in functional_stats["kernels"]])
                # MonteCarlo's options lie in constant memory, wherever its arrays do.
                self.assertEqual(len(stats["copies"]) > (1 if self.name == "MonteCarlo" else 0), memory == "device")

    def test_repeat(self):
        arguments, kernels = SMALL[self.name][-1]
        _, stats = self.passed([*arguments, "--repeat", "3", "--seed", "7"])
        self.assertEqual(len(stats["kernels"]), 3 * kernels)

    def test_cold_start(self):
        """Inputs as small as these are in the shared L3 after the copies, and in DRAM alone after a cold start. Control: a scratch array
        that is smaller than the caches leaves them there."""
        def lines_from_dram(*start):
            status, output, errors, stats = self.run_program(self.binary, [*SMALL[self.name][0][0], *start], machine="fused")
            self.assertEqual((status, output.startswith("PASS ")), (0, True), errors)
            kernels = [kernel for kernel in stats["kernels"] if kernel["name"] != "cold_stream"]
            self.assertEqual(len(stats["kernels"]) - len(kernels), 1 if start else 0)
            return kernels[0]["counters"].get("dram.reads", 0)

        warm = lines_from_dram()  # the kernel's own instructions
        self.assertGreaterEqual(lines_from_dram("--start", "cold"), warm + SMALLEST_INPUT_LINES)
        self.assertEqual(lines_from_dram("--start", "cold", "--scratch", "1024"), warm)

    def test_small_sm(self):
        sets = [word for value in SMALL_SM for word in ("--set", f"gpu.sm.{value}")]
        for arguments, _ in SMALL[self.name]:
            status, output, errors, stats = self.run_program(self.binary, arguments, sets)
            self.assertEqual(status, 0, errors)
            self.assertTrue(output.startswith("PASS "))
            for kernel in stats["kernels"]:
                self.assertLessEqual(kernel["registers"], 16, kernel["name"])
                self.assertGreaterEqual(kernel["occupancy"], 2 / 3, kernel["name"])  # 512 threads

    def test_broken_kernels(self):
        source = (FOLDER / f"{self.name}.cu").read_text()
        for number, (old, new, arguments) in enumerate(BROKEN[self.name]):
            self.assertEqual(source.count(old), 1, old)
            broken = pathlib.Path(self.folder.name) / f"broken{number}.cu"
            text = source.replace(old, new)
            for header in ("benchmark.h", "../lustig2013/prices.h"):
                text = text.replace(f'"{header}"', f'"{(FOLDER / header).resolve()}"')
            broken.write_text(text)
            binary = self.compiled(broken, f"broken{number}", ())
            status, output, errors, _ = self.run_program(binary, ["--size", SIZE_OF_BROKEN.get(self.name, "1024"), *arguments])
            self.assertEqual((status, output), (1, ""), new)
            self.assertRegex(errors, rf"\A{self.name}: .* \d+ is \S+, expected \S+ within \S+\n{self.name}: \d+ of \d+ values are wrong\n\Z")

    def test_wrong_use(self):
        for option, value, word in WRONG_USE + MORE_WRONG_USE.get(self.name, []):
            done = subprocess.run([self.duet, "run", "--quiet", "--functional", "--out", f"{self.folder.name}/out", str(self.binary), option, value],
                                  capture_output=True, text=True, timeout=60)
            lines = [line for line in done.stderr.splitlines() if not line.startswith("duet: ")]
            self.assertEqual((done.returncode, done.stdout, len(lines)), (2, "", 1), (option, value, done.stderr))
            self.assertIn(word, lines[0])


if __name__ == "__main__":
    Programs.duet, Programs.name = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2]
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
