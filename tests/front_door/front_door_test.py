#!/usr/bin/env python3
"""The command line as a user meets it: exit statuses, messages, what a run leaves, and the rules for living in somebody's process.

Usage: front_door_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]. Tests that need nvcc are skipped where it is absent.
"""
import json
import os
import pathlib
import resource
import shutil
import subprocess
import unittest

from fixture import BUILD, DUET, SOURCE, WORK, Fixture, call, main, stats
from whole import some

NVCC = shutil.which("nvcc") or ("/usr/local/cuda/bin/nvcc" if os.path.exists("/usr/local/cuda/bin/nvcc") else None)


class Spinning(Fixture):
    def run_with_limit(self, how, limit, clock="wall"):
        result = call(DUET, "run", "--quiet", "--clock", clock, "--spin-diagnosis", limit, "--out", WORK / ("out-" + how + limit + clock),
                      self.compiled("tests/front_door/hazards.cu"), how)
        return result.returncode, [line for line in result.stderr.splitlines() if "without a CUDA call" in line]

    def test_a_loop_without_calls_is_named_once(self):
        status, lines = self.run_with_limit("spin", "0.3")
        self.assertEqual(status, 0)  # the flag was never raised
        self.assertEqual(len(lines), 1)
        self.assertIn("cudaStreamQuery", lines[0])

    def test_nothing_is_said_below_the_limit(self):
        self.assertEqual(self.run_with_limit("spin", "100"), (0, []))

    def test_a_loop_that_queries_gets_its_flag(self):
        self.assertEqual(self.run_with_limit("spin_with_query", "0.3"), (1, []))

    def test_a_loop_that_reads_the_simulated_clock_gets_its_flag(self):
        self.assertEqual(self.run_with_limit("spin", "0.3", clock="simulated"), (1, []))


class ExitStatus(Fixture):
    def test_return(self):
        self.hazard("return", "0", status=0)

    def test_return_3(self):
        self.hazard("return", "3", status=3)

    def test__exit(self):
        self.hazard("_exit", status=3)

    def test_quick_exit(self):
        self.hazard("quick_exit", status=4)

    def test_abort(self):
        result = self.hazard("abort", status=134)
        self.assertIn("was ended by signal 6", result.stderr)

    def test_segmentation_fault(self):
        result = self.hazard("segv", status=139)
        self.assertIn("was ended by signal 11", result.stderr)

    def test_interrupt(self):
        self.hazard("interrupt", status=130)

    def test_main_thread_exits(self):
        self.hazard("thread_exit", status=0)

    def test_fork_writes_once_and_child_is_refused(self):
        self.hazard("fork", status=0)
        self.assertFalse((WORK / "out-fork/1").exists())


class Messages(Fixture):
    def refused(self, *arguments, status=125, contains=""):
        result = call(DUET, *arguments)
        self.assertEqual(result.returncode, status, result.stderr)
        lines = [line for line in result.stderr.splitlines() if line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertTrue(lines[0].startswith("duet: "), lines[0])
        self.assertIn(contains, lines[0])

    def test_missing_program(self):
        self.refused("run", "--out", "o1", "./nothing-here", contains="cannot run './nothing-here'")

    def test_unknown_option(self):
        self.refused("run", "--machne", "x", "./a", status=2, contains="unknown option --machne")

    def test_unknown_machine(self):
        self.refused("run", "--machine", "gtx999", "./a", contains="known are")

    def test_unknown_key(self):
        self.refused("run", "--set", "gpu.sm.cont=1", "./a", contains="nearest: gpu.sm.count")

    def test_value_out_of_range(self):
        self.refused("run", "--set", "gpu.sm.count=0", "./a", contains="outside")

    def test_unknown_policy(self):
        for command in (("run", "--set", "gpu.sm.scheduler=foo", "./a"), ("run", "--functional", "--set", "gpu.sm.scheduler=foo", "./a"),
                        ("machines", "show", "gtx580", "--set", "gpu.sm.scheduler=foo")):
            self.refused(*command, contains='--set: gpu.sm.scheduler is "foo": must be one of gto|lrr')

    def test_two_keys_in_one_set(self):
        for joined in ("gpu.sm.count=8,gpu.sm.max_warps=4", "gpu.sm.count=8 gpu.sm.max_warps=4", "gpu.sm.count=8, gpu.sm.max_warps=4"):
            self.refused("run", "--set", joined, "./a", contains="each --set takes one key: write --set gpu.sm.count=8 --set gpu.sm.max_warps=4")
        self.refused("run", "--set", "gpu.sm.count=8", "gpu.sm.max_warps=4", "./a", status=2,
                     contains="each --set takes one key: write --set gpu.sm.max_warps=4")
        self.refused("run", "--set", "gpu.sm.scheduler=lrr,lrr", "./a", contains="gpu.sm.scheduler")
        self.assertIn("each --set takes one key", call(DUET, "run", "--help").stdout)

    def test_registers_stand_instead_of_the_compilers_count(self):
        """Fewer and more than the compiler's 42 and the 32 of launch bounds; the machine's maximum holds."""
        program = self.compiled("tests/programs/launch_bounds.cu", "-I", SOURCE / "tests/programs", "-DONE_LAUNCH")
        for registers, counted in ((None, 32), (5, 5), (20, 20), (40, None), (200, None)):
            options = [] if registers is None else ["--registers", registers]
            result = call(DUET, "run", "-q", "--out", "registers", *options, program)
            if counted is None:  # a block of 1,024 threads does not fit
                self.assertIn("cudaErrorLaunchOutOfResources", result.stderr)
                continue
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual([k["registers"] for k in stats(WORK / "registers")["kernels"]], [counted])
        result = call(DUET, "run", "-q", "--out", "registers", "--registers", 200, program, "small")
        self.assertEqual([k["registers"] for k in stats(WORK / "registers")["kernels"]], [63], result.stderr)

    def test_unwritable_out(self):
        self.refused("run", "--out", "/proc/nothing", "./a", contains="/proc/nothing")

    def limited(self, file_bytes, *command):
        folder = WORK / self.id()
        folder.mkdir(exist_ok=True)
        return subprocess.run([DUET, "run", "--out", "limited", *command], capture_output=True, text=True, timeout=120, cwd=folder,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes)))

    def test_no_room_for_files(self):
        program = self.compiled("tests/front_door/fat_binary.cu")
        for file_bytes, text in ((4096, "cannot write"), (40960, "cannot make room for measurements")):
            result = self.limited(file_bytes, program)
            self.assertEqual(result.returncode, 125, result.stderr)
            self.assertRegex(result.stderr, "duet: %s .*File too large" % text)

    def test_no_room_for_all_measurements(self):
        program = self.compiled("tests/front_door/endless.cu")
        result = self.limited(98304, "--functional", "--quiet", program, "many")
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertRegex(result.stderr, r"duet: \d+ records of this run are missing from the results in \S+: File too large")

    def test_larger_than_the_machine(self):
        result = call(DUET, "run", "--quiet", "--out", "large", self.compiled("tests/front_door/too_large.cu"))
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [line for line in result.stderr.splitlines() if "gtx580)" in line]
        self.assertEqual(len(lines), 5, result.stderr)  # each once
        for line, text in zip(lines, ("its grid has 65536 blocks along x, but gpu.max_grid_x is 65535",
                                      "its blocks take 100000 bytes of shared memory, but gpu.sm.max_shared_bytes_per_block is 49152",
                                      "its blocks have 2048 threads along x, but gpu.max_block_x is 1024",
                                      "its blocks have 2048 threads, but gpu.sm.max_threads_per_block is 1024",
                                      "an allocation of 1099511627776 bytes fails")):
            self.assertIn(text, line)

    def test_unknown_paper(self):
        self.refused("reproduce", "nobody1999", contains="nobody1999")

    def test_cc_missing_file(self):
        self.refused("cc", "missing.cu", contains="missing.cu")

    def test_no_command(self):
        self.refused("run", status=2, contains="run what?")

    def test_no_cuda_call(self):
        result = call(DUET, "run", "--out", "o2", "true")
        self.assertEqual(result.returncode, 0)
        self.assertIn("made no CUDA, OpenCL or HSA call", result.stderr)

    def test_without_duet_run(self):
        result = call(self.compiled("tests/front_door/hazards.cu"))
        self.assertEqual(result.returncode, 125)
        self.assertIn("start it with `duet run", result.stderr)

    def test_illegal_address(self):
        result = self.hazard("illegal", status=0)
        self.assertEqual(result.stdout, "cudaErrorIllegalAddress\ncudaErrorIllegalAddress\n")
        for part in ("out_of_bounds", "thread (", "nearest allocation", ".ptx:"):
            self.assertIn(part, result.stderr)

    def test_misaligned_address(self):
        result = self.hazard("misaligned", status=0)
        self.assertEqual(result.stdout, "cudaErrorMisalignedAddress\ncudaErrorMisalignedAddress\n")

    def test_unsupported_instruction(self):
        ptx = WORK / "tex.ptx"
        ptx.write_text(".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .f32 %f<5>;\n"
                       ".reg .u64 %t;\n ld.param.u64 %t, [p];\n tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%t, {%f1,%f2,%f3,%f4}];\n ret;\n}\n")
        result = call(DUET, "run", "--out", "o3", ptx, "--kernel", "k", "--arg", "u64:0")
        self.assertEqual(result.returncode, 125)
        self.assertIn("kernel 'k': PTX 'tex.", result.stderr)
        self.assertIn("tex.ptx:8", result.stderr)


class BareKernel(Fixture):
    def ptx(self):
        path = WORK / "kernels.ptx"
        if not path.exists():
            result = call(DUET, "cc", "-ptx", SOURCE / "workloads/micro/kernels.cu", "-o", path)
            self.assertEqual(result.returncode, 0, result.stderr)
        return path

    def test_vecadd_dump(self):
        n = 1000
        result = call(DUET, "run", "-q", "--out", "b1", self.ptx(), "--kernel", "vecadd", "--grid", "4", "--block", "256", "--arg",
                      f"buffer:{4 * n}=random_f32", "--arg", f"buffer:{4 * n}=random_f32", "--arg", f"buffer:{4 * n}", "--arg",
                      f"i32:{n}", "--dump", "0=a.bin", "--dump", "1=b.bin", "--dump", "2=c.bin")
        self.assertEqual(result.returncode, 0, result.stderr)
        import array
        a, b, c = (array.array("f", (WORK / f"{x}.bin").read_bytes()) for x in "abc")
        self.assertEqual(len(c), n)
        self.assertTrue(any(a))
        for x, y, z in zip(a, b, c):
            self.assertEqual(array.array("f", [x + y])[0], z)

    def test_buffer_from_file_and_iota(self):
        (WORK / "in.bin").write_bytes(bytes(range(64)))
        result = call(DUET, "run", "-q", "--out", "b2", self.ptx(), "--kernel", "copyk", "--grid", "1", "--block", "32", "--arg",
                      "buffer:64=@in.bin", "--arg", "buffer:64=iota_u32", "--arg", "i32:16", "--dump", "1=out.bin")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual((WORK / "out.bin").read_bytes(), bytes(range(64)))

    def refused(self, contains, *arguments):
        result = call(DUET, "run", "-q", "--out", "b3", self.ptx(), *arguments)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertIn(contains, result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)

    def test_wrong_kernel(self):
        self.refused("--kernel one of", "--kernel", "nope")

    def test_wrong_argument_count(self):
        self.refused("4 parameters", "--kernel", "vecadd", "--arg", "i32:1")

    def test_wrong_argument_type(self):
        self.refused("unknown type", "--kernel", "copyk", "--arg", "x:1", "--arg", "i32:1", "--arg", "i32:1")

    def test_wrong_argument_size(self):
        self.refused("has 8 bytes", "--kernel", "copyk", "--arg", "i32:1", "--arg", "i32:1", "--arg", "i32:1")


class Results(Fixture):
    def test_what_kernels_launch_is_told(self):
        """Two threads launch each a kernel of two, three levels deep; what children count is the command's, once."""
        for options in ((), ("--functional",)):
            out = WORK / "launched_by_kernels"
            result = call(DUET, "run", *options, "--no-html", "--out", out, self.compiled("tests/programs/dynamic_parallelism.cu"))
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stderr, r"launched by kernels: nested x14, 14 blocks, ")
            found = stats(out)
            kernels = {k["command"]: k for k in found["kernels"]}
            nested = next(k for k in found["device_launches"] if k["name"] == "nested")
            self.assertEqual((nested["launches"], nested["nested"], nested["blocks"]), (14, 12, 14))
            for command, kernel in kernels.items():
                children = [k for k in found["device_launches"] if k["command"] == command]
                self.assertTrue(children)
                self.assertLess(sum(k["warp_instructions"] for k in children), kernel["warp_instructions"])
                for k in children:
                    self.assertTrue(kernel["start_ps"] < k["start_ps"] < k["end_ps"] <= kernel["end_ps"], k)
                    self.assertLess(0, k["wait_ps"])
            self.assertEqual(found["totals"]["warp_instructions"], sum(k["warp_instructions"] for k in kernels.values()))

    def test_script_with_several_processes(self):
        program = self.compiled("tests/front_door/hazards.cu")
        script = WORK / "script.sh"
        script.write_text(f"#!/bin/sh\n{program} return 0\n{program} return 0\n{program} return 5\n")
        script.chmod(0o755)
        result = call(DUET, "run", "--out", "several", "--", script)
        self.assertEqual(result.returncode, 5)
        for folder in ("several", "several/1", "several/2"):
            self.assertEqual(len(stats(WORK / folder)["kernels"]), 1)

    def test_two_runs_are_identical(self):
        program = self.compiled("workloads/demo/smooth.cu")
        seen = []
        for seed in ("0", "0", "7", "99"):
            result = call(DUET, "run", "--out", "same", "--shuffle", seed, program)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = stats(WORK / "same")
            self.assertTrue(found["deterministic"])
            del found["wall_seconds"], found["totals"]["warp_instructions_per_second"]
            seen.append(found)
        for other in seen[1:]:
            self.assertEqual(seen[0], other)

    def test_resolved_machine_gives_the_same_run(self):
        program = self.compiled("workloads/demo/smooth.cu")
        call(DUET, "run", "--out", "first", "--set", "gpu.sm.count=3", program)
        call(DUET, "run", "--out", "second", "--machine", WORK / "first/machine.toml", program)
        self.assertEqual(stats(WORK / "first")["simulated_seconds"], stats(WORK / "second")["simulated_seconds"])
        self.assertEqual(stats(WORK / "first")["kernels"], stats(WORK / "second")["kernels"])

    def test_events(self):
        program = self.compiled("workloads/demo/smooth.cu")
        self.assertEqual(call(DUET, "run", "-q", "--events", "--out", "events", program).returncode, 0)
        spans = [e for e in json.loads((WORK / "events/events.json").read_text())["traceEvents"] if e["ph"] == "X"]
        found = stats(WORK / "events")
        self.assertEqual(sum(e["pid"] == 1 for e in spans), sum(a["calls"] for a in found["api"]))
        self.assertEqual(sum(e["pid"] == 3 for e in spans), len(found["kernels"]) + len(found["copies"]))

    def test_through_a_symlink(self):
        link = WORK / "link-to-duet"
        link.symlink_to(DUET)
        self.assertEqual(call(link, "machines", "show", "gtx580").returncode, 0)

    def test_ptx_coverage(self):
        forms = call(DUET, "ptx", "coverage", "lop3")
        self.assertEqual(forms.returncode, 0, forms.stderr)
        for line in forms.stdout.splitlines():
            form, test = line.split()
            self.assertIn(form, (SOURCE / "tests/ptx/forms" / test).read_text())
        self.assertEqual(len(forms.stdout.splitlines()), 3)
        refused = call(DUET, "ptx", "coverage", "--forms").stdout.split("refused: ")[1:]
        self.assertTrue(refused and all(text.startswith("PTX '") for text in refused))
        unknown = call(DUET, "ptx", "coverage", "nosuch")
        self.assertEqual(unknown.returncode, 125)
        self.assertIn("no forms of 'nosuch' are listed", unknown.stderr)

    def test_push_buffer_commands_of_table_3(self):
        program = self.compiled("workloads/probe/streams.cu")
        result = call(DUET, "run", "-q", "--out", "trace", "--trace-push-buffer", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        text = (WORK / "trace/push_buffer.txt").read_text()
        for command in ("DefineSemaphore", "AcquireSemaphore", "SetLaunchID", "SetRefCntValue", "ResetRefCnt", "WaitRefCnt",
                        "Launch", "SetParameterSize", "Parameter"):
            self.assertIn(command, text)

    def test_false_dependency_on_one_channel_only(self):
        program = self.compiled("workloads/probe/streams.cu")
        waited = {}
        for channels in ("1", "32"):
            result = call(DUET, "run", "-q", "--out", "channels", "--set", f"gpu.front_end.hardware_channels={channels}", program)
            self.assertEqual(result.returncode, 0, result.stderr)
            for line in result.stdout.splitlines():
                if '"b_waited"' in line:
                    entry = json.loads(line)
                    waited[channels, entry["order"]] = entry["b_waited"]
        self.assertTrue(waited["1", "A1 A2 B"])
        self.assertFalse(waited["32", "A1 A2 B"])

    def test_latency_moves_with_its_parameter(self):
        program = self.compiled("workloads/probe/latency.cu")

        def measure(*sets):
            arguments = [x for s in sets for x in ("--set", s)]
            result = call(DUET, "run", "-q", "--out", "latency", *arguments, program, "4096")
            self.assertEqual(result.returncode, 0, result.stderr)
            return {json.loads(line)["operation"]: json.loads(line)["ns"][2] for line in result.stdout.splitlines()}

        # Steps of 1 us are whole cycles of the 772 MHz core clock, so hardware that waits for its next edge moves with them.
        base = measure()
        for key, operation, by in (("driver.memcpy_sync.call_ns=2000", "memcpy_h2d", 1000),
                                   ("driver.memcpy_sync.driver_ns=7950", "memcpy_h2d", 3000),
                                   ("driver.memcpy_sync.finish_ns=1000", "memcpy_h2d", 1000),
                                   ("driver.memcpy_async.call_ns=1233", "memcpy_async_h2d_call", 33),
                                   ("driver.memcpy_async.driver_ns=5950", "memcpy_async_h2d_sync", 1000),
                                   ("driver.launch.call_ns=2000", "launch_call", 500),
                                   ("driver.launch.driver_ns=4210", "launch_sync", 2000),
                                   ("driver.stream_synchronize.call_ns=1100", "stream_synchronize_idle", 100),
                                   ("driver.stream_synchronize.finish_ns=1250", "stream_synchronize_idle", 250),
                                   ("driver.device_synchronize.call_ns=1009", "device_synchronize_idle", 9)):
            self.assertEqual(measure(key)[operation] - base[operation], by, key)

    def test_profiler_counters_serialize_kernels(self):
        program = self.compiled("workloads/probe/profile.cu")

        def measure(*sets):
            out = WORK / "profile"
            result = call(DUET, "run", "-q", "--out", out, *[x for s in sets for x in ("--set", s)], program)
            self.assertEqual(result.returncode, 0, result.stderr)
            kernels = sorted((k["start_ps"], k["end_ps"]) for k in json.loads((out / "stats.json").read_text())["kernels"])
            together = sum(max(0, a[1] - b[0]) for a, b in zip(kernels, kernels[1:]))
            return json.loads(result.stdout.splitlines()[-1])["total_ns"], together

        on = "driver.profiler.counters=true"
        plain, plain_together = measure()
        free, free_together = measure(on, "driver.profiler.setup_ns=0", "driver.profiler.readout_ns=0")
        dear, dear_together = measure(on, "driver.profiler.setup_ns=100000", "driver.profiler.readout_ns=100000")
        more, _ = measure(on, "driver.profiler.setup_ns=110000", "driver.profiler.readout_ns=105000")
        self.assertGreater(plain_together, 0)
        self.assertEqual((free_together, dear_together), (0, 0))
        self.assertGreater(free, plain)
        # Copies hide behind costs as long as these: eight launches have all of what is added, but for refreshes and clock edges.
        self.assertAlmostEqual(more - dear, 8 * 15000, delta=1200)

    def test_profiler_counters_and_a_kernel_launched_early(self):
        program = self.compiled("workloads/lustig2013/vectorAdd.cu")
        result = call(DUET, "run", "-q", "--out", "early", "--set", "driver.profiler.counters=true", program, "--variant", "overlap-start")
        self.assertEqual(result.returncode, 124, result.stderr)  # the launch returns when the kernel has ended, which waits
        self.assertIn("no progress", result.stderr)

    def test_marks_carry_statistics(self):
        program = self.compiled("workloads/lustig2013/vectorAdd.cu")
        out = WORK / "marks"
        result = call(DUET, "run", "-q", "--out", out, program, "--variant", "overlap-start")
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads((out / "stats.json").read_text())
        ready, finish = found["marks"][-2:]
        self.assertEqual(list(ready["counters"]), [name for name in found["counters"] if name != "journal.lost_records"])
        # The kernel was launched early and waits: its blocks are there, nothing has been read for it.
        self.assertGreater(ready["state"]["full_empty.waiting"], 0)
        self.assertEqual(finish["state"]["full_empty.waiting"], 0)
        self.assertGreater(finish["counters"]["sm.warp_instructions"], ready["counters"]["sm.warp_instructions"])
        self.assertEqual(finish["counters"]["sm.warp_instructions"], found["counters"]["sm.warp_instructions"])

    def test_kernels_and_components_carry_statistics(self):
        program = self.compiled("workloads/lustig2013/BFS.cu")
        for options in ((), ("--functional",)):
            out = WORK / "of_each"
            result = call(DUET, "run", "-q", *options, "--out", out, program)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = json.loads((out / "stats.json").read_text())
            # One kernel at a time, so what rose meanwhile is its own.
            for kernel in found["kernels"]:
                blocks = kernel["grid"][0] * kernel["grid"][1] * kernel["grid"][2]
                self.assertEqual([kernel["counters"].get(name) for name in ("sm.warp_instructions", "sm.blocks", "front_end.blocks")],
                                 [kernel["warp_instructions"], blocks, blocks])
                for slot, value in kernel["stalls"].items():
                    self.assertEqual(kernel["counters"].get("sm.slots_" + slot, 0), value, slot)
            # When all is complete, the components' counts are the totals.
            sums = {name: 0 for name in found["counters"]}
            names = {component["name"] for component in found["components"]}
            self.assertEqual(len(names), len(found["components"]))
            for component in found["components"]:
                self.assertIn(component["parent"], names | {""})
                for name, value in component["counters"].items():
                    sums[name] += value
                    self.assertEqual(component["kind"] == name.split(".")[0] or component["name"].startswith("DRAM channel"), True, name)
            self.assertEqual(sums, found["counters"])

    def test_driver_latency_set_at_random_is_recovered(self):
        import random
        program = self.compiled("workloads/probe/fig9.cu")
        for _ in range(3):
            secret = random.randint(2000, 20000)
            result = call(DUET, "run", "-q", "--out", "fig9", "--set", f"driver.memcpy_async.driver_ns={secret}", program, "8")
            self.assertEqual(result.returncode, 0, result.stderr)
            found = json.loads(result.stdout.splitlines()[0])["driver_ns"]
            self.assertLess(abs(found - secret) / secret, 0.02, f"set {secret}, found {found}")


class StaticRuntime(Fixture):
    def run_program(self, *flags):
        program = WORK / ("static" + "".join(flags))
        subprocess.run(["cc", "-w", *flags, SOURCE / "tests/front_door/static_runtime.c", "-o", program], check=True)
        result = call(DUET, "run", "-q", "--out", "static-out", program)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.strip()

    def test_its_functions_become_duets(self):
        for flags in ((), ("-no-pie",), ("-O2",)):
            with self.subTest(flags):
                self.assertEqual(self.run_program(*flags), "0 0 0 0, 5, 7")
                self.assertIn("cudaMalloc", [one["name"] for one in stats(WORK / "static-out")["api"]])

    def test_one_without_symbols_and_an_older_one_stay(self):
        for flag in ("-s", "-DOLDER"):
            self.assertRegex(self.run_program(flag), r"^999 999 999 999, ")


@unittest.skipUnless(NVCC, "nvcc is not here")
class NvccBinaries(Fixture):
    def linked(self, program, *flags, compress=()):
        """What nvcc's compiler makes is the same for all ways to link it."""
        made = WORK / f"nvcc{''.join(compress)}.o"
        if not made.exists():
            result = call(NVCC, "-arch=sm_75", "-std=c++17", "-c", "-o", made, SOURCE / "workloads/demo/smooth.cu", *compress, timeout=240)
            self.assertEqual(result.returncode, 0, result.stderr)
        result = call(NVCC, "-arch=sm_75", "-o", program, made, *flags, timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def built(self, *flags, compress=()):
        program = WORK / ("nvcc" + str(abs(hash(flags)) % 10**6))
        self.linked(program, *flags, compress=compress)
        return call(DUET, "run", "-q", "--out", "nvcc-out", program)

    def test_shared_runtime_zstd(self):
        self.assertEqual(self.built("-cudart", "shared").returncode, 0)

    def test_shared_runtime_lz4_and_plain(self):
        for option in some(("--compress-mode=speed", "--no-compress"), 2):
            self.assertEqual(self.built("-cudart", "shared", compress=(option,)).returncode, 0)

    def test_static_runtime(self):
        """nvcc's default. The times are those of the same program with the shared one."""
        times = []
        for flags in (("-cudart", "static"), ("-cudart", "shared")):
            self.assertEqual(self.built(*flags).returncode, 0)
            times.append(stats(WORK / "nvcc-out")["account"]["time_ps"])
        self.assertEqual(*times)

    def test_stripped_static_runtime_is_named(self):
        result = self.built("-cudart", "static", "-Xlinker", "-s")
        self.assertEqual(result.returncode, 125)
        self.assertIn('NVCC_APPEND_FLAGS="-cudart shared"', result.stderr)
        self.assertIn("duet cc", result.stderr)

    def test_real_runtime_through_rpath_is_named(self):
        # The linker says which libcudart it took; where nvcc's folders lie differs between installations.
        traced = self.linked(WORK / "traced", "-cudart", "shared", "-Xlinker", "--trace")
        linked = [pathlib.Path(word) for word in traced.stdout.split() if pathlib.Path(word).name == "libcudart.so"]
        if not linked or not (linked[0].resolve().parent / "libcudart.so.13").exists():
            self.skipTest("nvcc's installation has no libcudart.so.13 to load")
        folder = linked[0].resolve().parent
        program = WORK / "real"
        self.linked(program, "-cudart", "shared", "-Xlinker", f"-rpath,{folder}", "-Xlinker", "--disable-new-dtags")
        loaded = call(program, env={"LD_TRACE_LOADED_OBJECTS": "1", "LD_LIBRARY_PATH": BUILD / "lib/duet/cuda"}).stdout
        if f"{folder}/libcudart.so.13" not in loaded:
            self.skipTest("this linker leaves no DT_RPATH that goes before LD_LIBRARY_PATH:\n" + loaded)
        result = call(DUET, "run", "-q", "--out", "real-out", program)
        self.assertEqual(result.returncode, 125, result.stdout + result.stderr)
        self.assertIn("RPATH", result.stderr)

    def test_duet_nvcc_and_managed_variables(self):
        program = WORK / "managed_variables"
        result = call(DUET, "nvcc", "-arch=sm_75", "-o", program, SOURCE / "tests/front_door/managed_variables.cu", timeout=240,
                      env={**os.environ, "PATH": f"{pathlib.Path(NVCC).parent}:{os.environ['PATH']}"})
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(DUET, "run", "-q", "--out", "nvcc-out", program)
        self.assertEqual((result.returncode, result.stdout), (0, "right\n"), result.stderr)

    def test_machine_code_only_is_named(self):
        result = call(NVCC, "-gencode", "arch=compute_75,code=sm_75", "-cudart", "shared", "-o", WORK / "sass",
                      SOURCE / "workloads/demo/smooth.cu", timeout=240)
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(DUET, "run", "-q", "--out", "sass-out", WORK / "sass")
        self.assertEqual(result.returncode, 125)
        self.assertIn("no PTX", result.stderr)


class Loading(Fixture):
    def test_library_folder_holds_only_shims(self):
        names = sorted(p.name for p in (BUILD / "lib/duet/cuda").iterdir())
        self.assertEqual(names, ["libcuda.so", "libcuda.so.1", "libcudart.so", "libcudart.so.13", "libnvrtc.so", "libnvrtc.so.12",
                                 "libnvrtc.so.13"])

    def test_nothing_but_the_api_is_exported(self):
        result = call("nm", "-D", "--defined-only", BUILD / "lib/duet/cuda/libcudart.so.13")
        names = [line.split()[2].split("@")[0] for line in result.stdout.splitlines()]
        strangers = [n for n in names if not n.startswith(("cuda", "__cuda", "duet", "libcudart"))]
        self.assertEqual(strangers, [])
        listed = (SOURCE / "runtime/cuda/exports.txt").read_text().split()
        self.assertEqual([n for n in listed if n not in names], [])

    def test_another_runtime_through_rpath_is_named(self):
        # A stand-in for NVIDIA's library: all that matters is its name and that DT_RPATH finds it before LD_LIBRARY_PATH does.
        other = WORK / "other"
        other.mkdir()
        shutil.copy(BUILD / "lib/duet/cuda/libcudart.so.13", other / "libcudart.so.13")
        program = WORK / "rpath"
        result = call(DUET, "cc", "-c", SOURCE / "workloads/demo/smooth.cu", "-o", WORK / "rpath.o")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call("c++", WORK / "rpath.o", "-o", program, f"-L{BUILD}/lib/duet/cuda", "-lcudart", "-Wl,--disable-new-dtags",
                      f"-Wl,-rpath,{other}")
        self.assertEqual(result.returncode, 0, result.stderr)
        result = call(DUET, "run", "-q", "--out", "rpath-out", program)
        self.assertEqual(result.returncode, 125, result.stdout + result.stderr)
        self.assertIn(f"loads the real CUDA library {other}/libcudart.so.13", result.stderr)

    def test_a_missing_function_is_named(self):
        source = WORK / "missing.cu"
        source.write_text('extern "C" int cudaUserObjectCreate(void**, void*, void*, unsigned, unsigned);\n#include <stdio.h>\n'
                          'int main() { void* g; printf("%d\\n", cudaUserObjectCreate(&g, 0, 0, 1, 1)); return 0; }\n')
        self.assertEqual(call(DUET, "cc", source, "-o", WORK / "missing").returncode, 0)
        result = call(DUET, "run", "-q", "--out", "missing-out", WORK / "missing")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, "801\n")
        self.assertIn("duet: cudaUserObjectCreate is not supported", result.stderr)


class WithoutNvcc(Fixture):
    def test_duet_nvcc_names_the_other_way(self):
        result = call(DUET, "nvcc", "a.cu", env={"PATH": "/nonexistent"})
        self.assertEqual(result.returncode, 125)
        self.assertEqual(len(result.stderr.splitlines()), 1)
        self.assertIn("duet cc", result.stderr)


class FatBinary(Fixture):
    def run_case(self, name):
        program = self.compiled("tests/front_door/fat_binary.cu")
        return call(DUET, "run", "-q", "--out", WORK / f"out-{self.id()}-{name}", program, name)

    def test_a_whole_one(self):
        result = self.run_case("whole")
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "7\n", ""))

    def test_damaged_ones(self):
        for name, what in {"endless_container": "longer than what holds it", "header_of_nothing": "no header", "entry_cut_off": "cut off",
                           "endless_entry": "longer than what holds it", "entry_of_nothing": "longer than what holds it",
                           "enormous_text": "1152921504606846976 bytes of PTX", "no_zstd": "zstd-compressed PTX cannot be read",
                           "no_lz4": "LZ4-compressed PTX cannot be read", "compressed_beyond": "longer than what holds it"}.items():
            with self.subTest(name):
                result = self.run_case(name)
                self.assertEqual((result.returncode, result.stdout), (125, ""))
                self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
                self.assertIn(what, result.stderr)


if __name__ == "__main__":
    main()
