#!/usr/bin/env python3
"""OpenCL programs under `duet run`: Debian's loader finds Duet's platform, and programs of tests/opencl/programs check what they get. By
day on some machines, and with some of the images; at night (tests/whole.py) all.
Usage: opencl_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import json
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from c_programs import CPrograms  # noqa: E402
from whole import some  # noqa: E402

BUILD, SOURCE = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
DUET = BUILD / "bin/duet"
C = CPrograms(SOURCE / "tests/opencl/programs", "-lOpenCL")
WORK, call, program = C.work, C.call, C.program


class OpenCl(unittest.TestCase):
    def passes(self, name, *options, before=""):
        out = WORK / f"out-{name}-{len(options)}"
        done = call(DUET, "run", "--quiet", *options, "--out", out, program(name))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, f"{before}PASS {name}\n", ""))
        return json.loads((out / "stats.json").read_text())

    def test_vector_add(self):
        stats = self.passes("vector_add")
        (kernel,) = stats["kernels"]
        self.assertEqual((kernel["name"], kernel["grid"], kernel["block"]), ("add", [64, 1, 1], [64, 1, 1]))
        self.assertGreater(kernel["end_ps"], kernel["start_ps"])
        self.assertEqual([(copy["bytes"], copy["kind"]) for copy in stats["copies"]],
                         [(16384, "host_to_device"), (16384, "host_to_device"), (16384, "device_to_host")])
        calls = {one["name"]: one["calls"] for one in stats["api"]}
        self.assertEqual((calls["clSetKernelArg"], calls["clEnqueueNDRangeKernel"]), (5, 1))
        self.assertFalse([name for name in calls if not name.startswith("cl")])
        self.assertTrue(all(one["total_ps"] > 0 for one in stats["api"]), stats["api"])

    def test_lines_of_a_program(self):
        stats = self.passes("vector_add", "--lines")
        (kernel,) = stats["lines"]
        source = (WORK / "out-vector_add-1/ptx/program_1.cl").read_text().splitlines()
        lines = {line["line"]: line["text"] for line in kernel["lines"] if line["file"] == "ptx/program_1.cl"}
        for number, word in ((3, "get_global_id"), (4, "get_local_id"), (5, "barrier"), (6, "if (i < n)")):
            self.assertIn(word, lines[number])
            self.assertEqual(lines[number], source[number - 1].strip())
        page = (WORK / "out-vector_add-1/report.html").read_text()
        self.assertIn('"path":"ptx/program_1.cl","parts":[[1,"', page)

    def test_linking(self):
        stats = self.passes("linking", "--lines")
        lines = [line for kernel in stats["lines"] for line in kernel["lines"]]
        # Both parts have their texts, where they were compiled in this run.
        for file, word in (("ptx/program_1.cl", "SCALE"), ("ptx/program_3.cl", "helper(7)")):
            self.assertTrue(any(line["file"] == file and word in line["text"] for line in lines), (file, lines))

    def test_queues(self):
        self.passes("queues")

    def test_memory(self):
        self.passes("memory")

    def test_arguments(self):
        self.passes("arguments")

    def test_callbacks(self):
        self.passes("callbacks")
        self.passes("callbacks", "--machine", "mi300a")  # native kernels with buffers

    def test_kernels(self):
        stats = self.passes("kernels", before="n is 5 and 2.50\n")
        # A border in two dimensions makes four grids, in three eight.
        places = [kernel for kernel in stats["kernels"] if kernel["name"] == "place"]
        self.assertEqual(len(places), 1 + 1 + 4 + 8)

    def test_images(self):
        stats = self.passes("images")
        # The timed GPU fetches texels by loads through its caches.
        self.assertGreater(len(stats["kernels"]), 60)
        for name in some(("image_errors", "image_formats", "image_transfers"), 3):
            with self.subTest(name):
                self.passes(name)

    def test_images_elsewhere(self):  # night
        for name in ("images", "image_formats", "image_transfers"):
            with self.subTest(name):
                self.passes(name, "--functional")
        for machine in ("h100", "tk1", "mi300a"):
            with self.subTest(machine):
                self.passes("image_transfers", "--machine", machine)

    def test_images_are_not_uninitialised(self):
        for name in some(("image_transfers", "image_formats"), 2):  # the first reads, as a buffer, what a kernel wrote to an image on it
            for options in ([], ["--functional"]):
                with self.subTest(name, options=options):
                    done = call(DUET, "run", "--quiet", *options, "--check", "init", "--out", WORK / "out-checked", program(name))
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn("checked init: 0 findings", done.stdout + done.stderr)

    def test_errors(self):
        out = WORK / "errors"
        done = call(DUET, "run", "--quiet", "--out", WORK / "out-errors", program("errors"))
        self.assertEqual((done.returncode, done.stdout), (0, "PASS errors\n"), out)
        self.assertIn("duet: kernel 'counts': the global size has more groups than the GPU's grid, and the program has variables of its own",
                      done.stderr)
        self.assertIn("duet: kernel 'fixed': argument 0 is a memory object that has been released\n", done.stderr)
        self.assertIn("duet: clCreatePipe is not supported: it fails with CL_INVALID_OPERATION\n", done.stderr)

    def test_an_access_beside_a_buffer_is_named_by_its_call(self):
        for options, ends in (([], 0), (["--strict-memory"], 1)):
            with self.subTest(options):
                done = call(DUET, "run", "--quiet", *options, "--out", WORK / "out-outside", program("outside"))
                self.assertEqual(done.returncode, ends, done.stdout + done.stderr)
                self.assertRegex(done.stderr, r"kernel 'neighbours'.* allocation:? #1.*\(?clCreateBuffer")
                self.assertNotIn("cuda", done.stderr.lower())

    def test_start_up(self):
        """It passes once, in the first call."""
        plain, slow = ({one["name"]: one["total_ps"] for one in self.passes("vector_add", *options)["api"]}
                       for options in ([], ["--set", "driver.start_up.opencl_us=7000"]))
        self.assertEqual(slow.pop("clGetPlatformIDs") - plain.pop("clGetPlatformIDs"), 7000 * 10**6)
        self.assertEqual(slow, plain)

    def test_start_up_is_advice(self):
        def advice(*options):
            return [one for one in self.passes("vector_add", "--no-html", *options)["advice"] if one["rule"] == "start_up"]
        (one,) = advice("--set", "driver.start_up.opencl_us=7000")
        self.assertEqual((one["bound_by"], one["saves_ps"], one["try"]), ("the start of OpenCL", 7000 * 10**6, "let one process do more work"))
        self.assertIn("7.000 ms of 7.", one["because"])
        done = call(DUET, "advise", WORK / "out-vector_add-3")
        self.assertIn("measured with driver.start_up.opencl_us=0 [start_up]", done.stdout)
        (one,) = advice("--set", "driver.start_up.opencl_us=7000", "--set", "gpu.front_end.user_queues=8")
        self.assertEqual(one["try"], "let one process do more work; or use HSA, which starts at once")
        self.assertEqual(advice(), [])

    def test_other_machines(self):
        for machine in some(("h100", "mi300a", "tk1"), 2):
            with self.subTest(machine):
                self.passes("memory", "--machine", machine)
                self.passes("queues", "--machine", machine)

    def test_functional(self):
        self.passes("vector_add", "--functional")

    def test_without_duet_run(self):
        library = BUILD / "lib/duet/opencl"
        environment = {**os.environ, "OCL_ICD_VENDORS": str(library), "LD_LIBRARY_PATH": str(library)}
        done = call(program("vector_add"), env=environment)
        self.assertEqual(done.returncode, 125)
        self.assertIn("start it with `duet run", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
