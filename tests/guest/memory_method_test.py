#!/usr/bin/env python3
"""Advice which memory a program should have on a chip with one DRAM (rule memory_method): what `duet run` estimates, and what `duet advise`
measures by a run with each method of the machine. By day without programs of many launches by OpenCL and HSA; at night (tests/whole.py) with them.
Usage: memory_method_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
import json
import re
import unittest

from simulated_host import DUET, SOURCE, WORK, GuestFixture, call, main, stats
from compile_once import compile_once, compile_well  # noqa: E402
from whole import WHOLE  # noqa: E402

PROGRAM = SOURCE / "tests/advise/methods.cu"


class MemoryMethod(GuestFixture):
    printed = {}  # several tests look at what the command says of one run

    def run_of(self, name, *options):
        """The advice of its run, and the run's folder."""
        out = WORK / name
        if not out.exists():
            done = call(DUET, "run", "--quiet", "--host", "simulated", "--machine", "tk1", *options, "--out", out, self.guest(PROGRAM), name)
            self.assertEqual(done.returncode, 0, done.stderr)
        return [one for one in stats(out)["advice"] if one["rule"] == "memory_method"], out

    def measured(self, name):
        """The rule's item of advice.json, with its methods by name, and what the command prints."""
        _, out = self.run_of(name)
        if name not in self.printed:
            done = call(DUET, "advise", out)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.printed[name] = done.stdout
        result = json.loads((out / "advice.json").read_text())
        one = next(one for one in result["advice"] if one["rule"] == "memory_method")
        return one, {method["method"]: method for method in one.get("methods", [])}, self.printed[name]

    def test_what_the_host_and_a_kernel_read_again(self):
        one, methods, printed = self.measured("reuse")
        self.assertEqual({name: method["result"] for name, method in methods.items()}, {"hostalloc-cache": "same", "managed": "same"})
        time = stats(WORK / "reuse")["account"]["time_ps"]
        self.assertEqual(one["measured_ps"], time - methods["managed"]["time_ps"])
        self.assertGreater(one["measured_ps"], time / 4)
        self.assertEqual((one["try"], one["what_if"]), ("allocate with cudaMallocManaged", ["--method managed"]))
        self.assertIn("measured with --method managed [memory_method]", printed)
        self.assertRegex(printed, r"\n   as it is [\d.]+ ms; hostalloc-cache [\d.]+ .s \(no call gives it\); managed [\d.]+ .s\n")
        again = call(DUET, "run", "-q", "--host", "simulated", "--machine", "tk1", "--method", "managed", "--out", WORK / "again",
                     self.guest(PROGRAM), "reuse")
        self.assertEqual(again.returncode, 0)
        self.assertEqual(stats(WORK / "again")["account"]["time_ps"], methods["managed"]["time_ps"])
        # Where the run has a method already it is not one of the others, and the runs are not of both.
        call(DUET, "run", "-q", "--host", "simulated", "--machine", "tk1", "--method", "hostalloc-cache", "--out", WORK / "cached",
             self.guest(PROGRAM), "reuse")
        names = {one["method"] for item in stats(WORK / "cached")["advice"] for one in item.get("methods", [])}
        self.assertEqual(names & {"hostalloc-cache"}, set())

    def test_flushes_of_many_launches(self):
        one, methods, _ = self.measured("launches")
        self.assertEqual((one["try"], methods["hostalloc"]["result"]), ("allocate with cudaHostAlloc", "same"))
        self.assertGreater(one["measured_ps"], stats(WORK / "launches")["account"]["time_ps"] / 4)
        self.assertNotIn("sharedalloc", methods, "the program flushes nothing")

    def test_both_sides_at_once(self):
        one, methods, printed = self.measured("both")
        self.assertEqual(methods["managed"]["result"], "failed")
        self.assertEqual(one["measured_ps"], 0)
        self.assertIn("checked, and no gain: memory_method\n", printed)
        self.assertRegex(printed, r"managed [\d.]+ .s \(fails: what-if/\d.err\)|managed \(fails: what-if/\d.err\)")
        error = (WORK / "both" / (methods["managed"]["folder"] + ".err")).read_text()
        self.assertIn("duet: the program touches managed memory at ", error)

    def test_a_program_that_prints_its_time(self):
        one, methods, printed = self.measured("clock")
        self.assertEqual({method["result"] for method in methods.values()}, {"other_output"})
        self.assertEqual(one["measured_ps"], 0, "nobody knows whether it is right")
        self.assertIn("prints something else: what-if/", printed)

    def test_copies_inside_one_dram(self):
        advice, _ = self.run_of("copies")
        self.assertEqual((len(advice), advice[0]["bound_by"]), (1, "copies inside one DRAM"))
        self.assertNotIn("methods", advice[0])
        rules = {one["rule"] for one in stats(WORK / "copies")["advice"]}
        self.assertEqual(rules & {"pageable_copies", "overlap"}, set(), "pinned memory is uncached there")

    def test_where_it_says_nothing(self):
        self.assertEqual(self.run_of("none")[0], [])
        native = WORK / "native"
        compile_well(DUET, [PROGRAM], native)
        for words in (["--machine", "tk1", native, "reuse"], ["--machine", "gtx580", native, "reuse"],
                      ["--host", "simulated", "--machine", "fused", self.guest(PROGRAM), "reuse"]):
            done = call(DUET, "run", "-q", "--out", WORK / "nothing", *words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn("memory_method", [one["rule"] for one in stats(WORK / "nothing")["advice"]])

    def framework(self, method, launches):
        """What `duet advise` writes of dashti2017's bandwidth program by a method of OpenCL or HSA, on kaveri."""
        folder = SOURCE / "workloads/dashti2017/kaveri"
        hsa = method.startswith("hsa")
        binary, out = WORK / f"bandwidth-{'hsa' if hsa else 'cl'}", WORK / f"{method}-{launches}"
        flags = ["-DFRAMEWORK_HSA", folder / "bandwidth.c", "-lhsa-runtime64"] if hsa else [folder / "bandwidth.c", "-lOpenCL"]
        done = compile_once(DUET, ["--host", "riscv64", "-O2", *flags], binary)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(call(DUET, "hsacc", folder / "bandwidth.cl", "-o", WORK / "bandwidth.hsaco").returncode, 0)
        done = call(DUET, "run", "--quiet", "--no-html", "--host", "simulated", "--machine", "kaveri", "--set", "driver.start_up.opencl_us=30", "--set",
                    "driver.start_up.hsa_us=25", "--out", out, binary, "--method", method, "--bytes", 1 << 20, "--launches", launches, "--times", "no",
                    "--code", WORK if hsa else folder)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(call(DUET, "advise", out).returncode, 0)
        advice = json.loads((out / "advice.json").read_text())["advice"]
        return [one for one in advice if one["rule"] == "memory_method"], stats(out)["account"]["time_ps"]

    @unittest.skipUnless(WHOLE, "by night")
    def test_opencl_of_many_launches(self):
        (one,), time = self.framework("svm-fine", 40)
        self.assertEqual((one["bound_by"], one["try"]), ("caches that are written back", "allocate with clSVMAllocAtomics"))
        self.assertIn("it fills 10496 entries of the GPU's page table", one["because"])
        self.assertEqual([(method["method"], method["calls"], method["result"]) for method in one["methods"]], [("fine", "clSVMAllocAtomics", "same")])
        self.assertEqual(one["measured_ps"], time - one["methods"][0]["time_ps"])
        self.assertGreater(one["measured_ps"], time / 50)
        # A launch is slower across the link, and the table is filled for it: many are not worth it (one is, below).
        self.assertEqual(self.framework("cl-1.2", 40)[0], [])

    def test_opencl_of_one_launch(self):
        (one,), _ = self.framework("cl-1.2", 1)
        self.assertEqual((one["bound_by"], one["try"]),
                         ("copies inside one DRAM", "allocate with clSVMAlloc once for both sides, and leave the copies out"))

    def test_hsa(self):
        (one,), time = self.framework("hsa-coarse", 2)
        self.assertEqual((one["bound_by"], one["try"]), ("memory that caches do not hold", "allocate with hsaFineGrained"))
        self.assertEqual(one["measured_ps"], time - one["methods"][0]["time_ps"])
        self.assertGreater(one["measured_ps"], time / 10)

    @unittest.skipUnless(WHOLE, "by night")
    def test_hsa_of_many_launches(self):
        self.assertEqual(self.framework("hsa-fine", 40)[0], [], "--method does not move memory of malloc")

    def test_the_page_has_the_methods(self):
        one, _, _ = self.measured("reuse")
        page = (WORK / "reuse/report.html").read_text()
        held = json.loads(re.search(r'id="duet-advice">(.*?)</script>', page, re.S)[1])
        self.assertIn(one, held["advice"])


if __name__ == "__main__":
    main()
