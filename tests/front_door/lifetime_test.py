#!/usr/bin/env python3
"""How runs begin and end: whose a folder is, what a signal ends, what stays of a run that was cut off.

Usage: lifetime_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]."""
import json
import os
import pathlib
import signal
import subprocess
import time

from fixture import DUET, SOURCE, WORK, Fixture, call, main, stats

PROGRAM = "tests/front_door/lifetime.cu"


class Runs(Fixture):
    def setUp(self):
        self.cwd = WORK / self.id()
        self.cwd.mkdir()

    def start(self, *words, output=subprocess.PIPE):
        run = subprocess.Popen([str(w) for w in words], cwd=self.cwd, stdout=output, stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.communicate)
        self.addCleanup(run.kill)
        return run

    def processes(self):
        """All that work in the folder of this test: a run, its keeper, its command and what that started."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and os.readlink(entry / "cwd") == str(self.cwd):
                    found[int(entry.name)] = (entry / "comm").read_text().strip()
            except OSError:  # it has ended, or is not ours
                pass
        return found

    def wait_until_all_have_ended(self):
        deadline = time.monotonic() + 20
        while self.processes() and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual(self.processes(), {})

    def names(self, folder="."):
        """But for the PTX that messages refer to."""
        return sorted(path.name for path in (self.cwd / folder).iterdir() if path.name != "ptx")


class Folders(Runs):
    def waiting(self, *options):
        """A run that has made an offload and waits for the file `go`."""
        run = self.start(DUET, "run", "-q", *options, self.compiled(PROGRAM), "until", "go")
        self.assertEqual(run.stdout.readline(), "ready\n", run.stderr.read() if run.poll() is not None else "")
        return run

    def go(self, *runs):
        (self.cwd / "go").touch()
        return [(run.communicate(timeout=60)[1], run.returncode) for run in runs]

    def test_runs_without_out_take_the_next_name(self):
        runs = [self.waiting(), self.waiting(), self.waiting()]
        said = self.go(*runs)
        self.assertEqual([status for _, status in said], [0, 0, 0], said)
        self.assertNotIn("another run", said[0][0])
        for (text, _), folder in zip(said[1:], ("duet-out-2", "duet-out-3")):
            self.assertIn(f"duet: another run writes into duet-out: results of this run go to {folder}\n", text)
        for folder in ("duet-out", "duet-out-2", "duet-out-3"):
            self.assertEqual(len(stats(self.cwd / folder)["kernels"]), 2)

    def test_a_folder_in_use_is_refused(self):
        first = self.waiting("--out", "results")
        second = call(DUET, "run", "--out", "results", self.compiled(PROGRAM), cwd=self.cwd)
        self.assertEqual((second.returncode, second.stdout), (125, ""))
        self.assertEqual(second.stderr, "duet: another run writes into results: give another folder with --out\n")
        self.assertEqual(self.go(first), [("", 0)])
        self.assertEqual(len(stats(self.cwd / "results")["kernels"]), 2)

    def test_a_folder_is_free_when_its_run_has_ended(self):
        for _ in range(2):
            result = call(DUET, "run", self.compiled(PROGRAM), cwd=self.cwd)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertIn("duet: results in duet-out\n", result.stderr)
        self.assertEqual(self.names(), ["duet-out"])

    def test_nothing_of_an_earlier_run_stays(self):
        program = self.compiled(PROGRAM)
        script = f"{program}; {program}; {program}"
        result = call(DUET, "run", "-q", "--events", "--trace-push-buffer", "sh", "-c", script, cwd=self.cwd)
        self.assertEqual(result.returncode, 0, result.stderr)
        whole = [".duet-files", "1", "2", "events.json", "machine.toml", "push_buffer.txt", "report.html", "run.json", "stats.json", "table.txt", "timeline.pftrace"]
        self.assertEqual(self.names("duet-out"), whole)
        (self.cwd / "duet-out/notes.txt").write_text("mine")
        (self.cwd / "duet-out/2/notes.txt").write_text("mine")
        result = call(DUET, "run", "-q", program, cwd=self.cwd)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.names("duet-out"), [".duet-files", "2", "machine.toml", "notes.txt", "report.html", "run.json", "stats.json", "table.txt", "timeline.pftrace"])
        self.assertEqual(self.names("duet-out/2"), ["notes.txt"])

    def test_a_file_of_somebody_else_stays(self):
        (self.cwd / "events.json").write_text("mine")
        result = call(DUET, "run", "--out", ".", self.compiled(PROGRAM), cwd=self.cwd)
        self.assertEqual((result.returncode, result.stderr),
                         (125, "duet: . holds events.json, which no run is known to have written: give another folder with --out\n"))
        self.assertEqual(self.names(), ["events.json"])
        self.assertEqual((self.cwd / "events.json").read_text(), "mine")

    def test_measurements_that_nobody_has_read_stay(self):
        cut_off = self.waiting()
        cut_off.kill()
        cut_off.wait()
        (self.cwd / "go").touch()
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            result = call(DUET, "run", "-q", self.compiled(PROGRAM), cwd=self.cwd)
            self.assertIn("results of this run go to duet-out-2", result.stderr)
            if "another run" not in result.stderr:
                break
        self.assertIn("duet: duet-out holds the measurements of a run that was cut off: results of this run go to", result.stderr)
        self.assertTrue((self.cwd / "duet-out/.duet/process-0.journal").exists())
        # Where the user names the folder, its earlier run is replaced.
        self.assertEqual(call(DUET, "run", "-q", "--out", "duet-out", self.compiled(PROGRAM), cwd=self.cwd).returncode, 0)
        self.assertFalse((self.cwd / "duet-out/.duet").exists())


class Ends(Runs):
    def endless(self, script="$0 endless & setsid $0 endless & (exec env -i sleep 1000) & $0 endless; wait", ready=3):
        """A script whose processes are in several groups and sessions; all of them have begun."""
        run = self.start(DUET, "run", "-q", "--out", "results", "sh", "-c", script, self.compiled(PROGRAM))
        for _ in range(ready):
            self.assertEqual(run.stdout.readline(), "ready\n")
        return run

    def check_results(self, processes):
        for folder in ["results"] + [f"results/{i}" for i in range(1, processes)]:
            found = stats(self.cwd / folder)
            self.assertGreaterEqual(len(found["kernels"]), 1)
            self.assertEqual(len(found["copies"]), 2)

    def test_a_killed_run_leaves_no_process(self):
        run = self.endless()
        self.assertGreaterEqual(len(self.processes()), 7)
        run.kill()
        run.wait()
        self.wait_until_all_have_ended()

    def test_a_killed_process_group_leaves_no_process(self):
        run = subprocess.Popen([DUET, "run", "-q", "sh", "-c", "setsid $0 endless & $0 endless", self.compiled(PROGRAM)], cwd=self.cwd,
                               stdout=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(run.communicate)
        for _ in range(2):
            self.assertEqual(run.stdout.readline(), "ready\n")
        os.killpg(run.pid, signal.SIGKILL)
        run.wait()
        self.wait_until_all_have_ended()

    def test_signals_reach_all_processes(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            run = self.endless()
            run.send_signal(number)
            errors = run.communicate(timeout=60)[1]
            self.assertEqual(run.returncode, 128 + number, errors)
            self.assertEqual(self.processes(), {})
            self.check_results(3)

    def test_a_process_that_ignores_the_signal_is_ended(self):
        run = self.endless("(trap '' TERM; echo ready; exec sleep 1000) & $0 endless", ready=2)
        run.terminate()
        errors = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 143, errors)
        self.assertEqual(self.processes(), {})
        self.check_results(1)

    def test_a_program_may_take_its_time_to_end(self):
        run = self.start(DUET, "run", "-q", "sh", "-c", "trap 'sleep 1.5; $0; exit 9' TERM; $0; echo ready; sleep 1000 & wait",
                         self.compiled(PROGRAM))
        self.assertEqual(run.stdout.readline(), "ready\n")
        run.terminate()
        errors = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 9, errors)
        self.assertEqual(self.names("duet-out"), [".duet-files", "1", "machine.toml", "report.html", "run.json", "stats.json", "table.txt", "timeline.pftrace"])

    def test_a_program_in_the_background_is_waited_for(self):
        run = self.start(DUET, "run", "--out", "results", "sh", "-c", "$0 until go & $0 until begun >/dev/null", self.compiled(PROGRAM))
        self.assertEqual(run.stdout.readline(), "ready\n")
        (self.cwd / "begun").touch()
        while "waiting for process" not in (line := run.stderr.readline()):
            self.assertTrue(line)
        (self.cwd / "go").touch()
        run.communicate(timeout=60)
        self.assertEqual(run.returncode, 0)
        self.assertEqual([len(stats(self.cwd / folder)["kernels"]) for folder in ("results", "results/1")], [2, 2])

    def test_a_program_in_the_background_that_has_made_no_call_yet(self):
        """Its first call comes when the command has ended."""
        run = self.start(DUET, "run", "-q", "--out", "results", "sh", "-c", "$0 late begun & $0 && touch begun", self.compiled(PROGRAM))
        self.assertEqual((run.communicate(timeout=60)[1], run.returncode), ("", 0))
        self.assertEqual([len(stats(self.cwd / folder)["kernels"]) for folder in ("results", "results/1")], [1, 1])

    def test_a_process_without_cuda_is_left_alone(self):
        run = self.start(DUET, "run", "-q", "sh", "-c", "sleep 1000 >&- 2>&- & $0", self.compiled(PROGRAM))
        self.assertEqual((run.communicate(timeout=20)[1], run.returncode), ("", 0))
        self.assertEqual(list(self.processes().values()), ["sleep"])
        os.kill(list(self.processes())[0], signal.SIGKILL)

    def test_a_killed_keeper_takes_the_command_along(self):
        run = self.start(DUET, "run", "-q", "--out", "results", self.compiled(PROGRAM), "endless")
        self.assertEqual(run.stdout.readline(), "ready\n")
        [keeper] = [process for process, name in self.processes().items() if name == "run-keeper"]
        os.kill(keeper, signal.SIGKILL)
        errors = run.communicate(timeout=20)[1]
        self.assertEqual(run.returncode, 137, errors)
        self.wait_until_all_have_ended()
        self.check_results(1)

    def test_a_program_whose_run_and_keeper_were_killed(self):
        run = self.endless("$0 endless & $0 endless & wait", ready=2)
        for process, name in self.processes().items():
            if name in ("duet", "run-keeper"):
                os.kill(process, signal.SIGKILL)
        run.wait()
        self.wait_until_all_have_ended()


class Forks(Runs):
    def test_children_of_a_fork_before_the_first_call(self):
        result = call(DUET, "run", "-q", "--out", "results", self.compiled(PROGRAM), "fork", "4", cwd=self.cwd)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        folders = ["results"] + [f"results/{i}" for i in range(1, 5)]
        self.assertEqual(sorted(len(stats(self.cwd / folder)["kernels"]) for folder in folders), [1, 2, 2, 2, 2])
        self.assertEqual(self.names("results"), [".duet-files", "1", "2", "3", "4", "machine.toml", "report.html", "run.json", "stats.json", "table.txt", "timeline.pftrace"])


class Streams(Runs):
    def test_streams_that_are_closed(self):
        """What a program writes to a closed stream is lost, and nothing else."""
        program = self.compiled(PROGRAM)
        call(DUET, "run", "-q", "--out", "open", program, "until", program, cwd=self.cwd)
        for closed in ("0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"):
            result = call("sh", "-c", f"exec {DUET} run -q --out closed {program} until {program} {closed}", cwd=self.cwd)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, "" if "1>&-" in closed else "ready\n")
            found, whole = stats(self.cwd / "closed"), stats(self.cwd / "open")
            for key in ("kernels", "copies", "api", "counters"):
                self.assertEqual(found[key], whole[key], f"{closed} {key}")

    def test_a_closed_stream_is_closed_for_the_command(self):
        result = call("sh", "-c", f"exec {DUET} run -q sh -c 'ls /proc/self/fd/1 || echo closed >&2' 1>&-", cwd=self.cwd)
        self.assertIn("closed\n", result.stderr)

    def test_a_program_that_closes_files_of_others(self):
        result = call(DUET, "run", "-q", "--out", "results", self.compiled(PROGRAM), "descriptors", "mine", cwd=self.cwd)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len(stats(self.cwd / "results")["kernels"]), 401)
        self.assertEqual((self.cwd / "mine").stat().st_size, 0)
        self.assertEqual((self.cwd / "mine").stat().st_blocks, 0)

    def test_bytes_that_are_no_utf_8(self):
        program = self.compiled(PROGRAM)
        cut = "\u00e4" * 200  # the journal keeps 255 bytes of the command, and with one of them this ends within a character
        for argument in (b"\xff\xfe", cut.encode(), b"x" + cut.encode()):
            result = subprocess.run([DUET, "run", "-q", "--events", "--out", "results", program, "mark", argument], cwd=self.cwd,
                                    capture_output=True, timeout=60)
            self.assertEqual(result.returncode, 0, result.stderr)
            found = stats(self.cwd / "results")
            self.assertEqual(len(found["kernels"]), 1)
            self.assertEqual(found["marks"][0]["name"], "\ufffd first")
            if argument == b"\xff\xfe":
                self.assertTrue(found["command"].endswith("mark \ufffd\ufffd"))
            self.assertIn("\ufffd first", [event["name"] for event in
                                           json.loads((self.cwd / "results/events.json").read_text())["traceEvents"]])


class Refused(Runs):
    def refused(self, *words, contains=(), folder="results"):
        """One line, 125, and no number that a sweep could read; what an earlier run left is gone."""
        self.assertEqual(call(DUET, "run", "-q", "--out", folder, self.compiled(PROGRAM), cwd=self.cwd).returncode, 0)
        result = call(DUET, "run", "--out", folder, *words, cwd=self.cwd)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        for text in contains:
            self.assertIn(text, result.stderr)
        self.assertEqual(self.names(folder), [".duet-files", "machine.toml"])

    def ptx(self, body):
        path = self.cwd / "kernel.ptx"
        path.write_text(".version 6.0\n.target sm_60\n.address_size 64\n.visible .entry k(.param .u64 p) {\n.reg .f32 %f<5>;\n"
                        f".reg .u64 %t;\n {body}\n ret;\n}}\n")
        return path

    def test_a_bare_kernel_with_an_unsupported_instruction(self):
        path = self.ptx("ld.param.u64 %t, [p];\n tex.cube.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%t, {%f1,%f2,%f3,%f4}];")
        self.refused(path, "--arg", "u64:0", contains=("kernel 'k'", "kernel.ptx:8"))

    def test_a_bare_kernel_with_a_wrong_argument(self):
        self.refused(self.ptx(""), contains=("1 parameters",))

    def test_a_result_that_cannot_be_dumped_does_not_cost_the_others(self):
        result = call(DUET, "run", "-q", "--out", "results", self.ptx(""), "--arg", "buffer:64", "--dump", "0=nowhere/file", cwd=self.cwd)
        self.assertEqual((result.returncode, result.stderr), (125, "duet: --dump 0=nowhere/file: cannot write the file\n"))
        self.assertEqual(len(stats(self.cwd / "results")["kernels"]), 1)

    def test_a_program_with_a_static_runtime(self):
        self.refused(self.static_runtime("program"), contains=("this program's CUDA runtime is linked statically",))

    def static_runtime(self, name, *flags):
        """What a runtime that is linked statically does first: it asks the driver for its private tables."""
        source = self.cwd / f"{name}.c"
        source.write_text("#include <cuda.h>\n#include <dlfcn.h>\n#include <stddef.h>\n"
                          "typedef CUresult (*Call)(const void**, const CUuuid*);\n"
                          "int ask(void) {\n  const void* table;\n  CUuuid id = {{0}};\n  int version;\n"
                          "  void* driver = dlopen(\"libcuda.so.1\", RTLD_NOW);\n"
                          "  ((CUresult (*)(int*))dlsym(driver, \"cuDriverGetVersion\"))(&version);\n"
                          "  return ((Call)dlsym(driver, \"cuGetExportTable\"))(&table, &id);\n}\n"
                          "#ifndef LIBRARY\nint main(void) { return ask(); }\n#endif\n")
        output = self.cwd / name
        result = call("gcc", f"-I{SOURCE}/runtime/cuda/include", "-o", output, source, "-ldl", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return output

    def test_a_library_with_a_static_runtime_is_named(self):
        library = self.static_runtime("libmathematics.so.12", "-shared", "-fPIC", "-DLIBRARY")
        (self.cwd / "main.c").write_text("int ask(void);\nint main(void) { return ask(); }\n")
        result = call("gcc", "-o", self.cwd / "program", self.cwd / "main.c", library, f"-Wl,-rpath,{self.cwd}")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.refused(self.cwd / "program", contains=("libmathematics.so.12 has a CUDA runtime of its own linked into it", "cuBLAS"))

    def test_a_program_that_makes_no_call(self):
        source = self.cwd / "idle.cu"
        source.write_text("__global__ void kernel() {}\nint main(int argc, char**) { if (argc > 1) kernel<<<1, 1>>>(); }\n")
        self.assertEqual(call(DUET, "cc", source, "-o", self.cwd / "idle").returncode, 0)
        result = call(DUET, "run", self.cwd / "idle", cwd=self.cwd)
        self.assertEqual(result.returncode, 0)
        self.assertIn("made no CUDA, OpenCL or HSA call", result.stderr)
        self.assertEqual(self.names("duet-out"), [".duet-files", "machine.toml"])

    def test_what_ran_before_a_refusal_is_marked(self):
        """A program that has measured something when it is refused: that stays, and says so."""
        script = f"{self.compiled(PROGRAM)} && {self.static_runtime('program')}"
        result = call(DUET, "run", "-q", "--out", "results", "sh", "-c", script, cwd=self.cwd)
        self.assertEqual(result.returncode, 125, result.stderr)
        self.assertEqual(self.names("results"), [".duet-files", "machine.toml", "report.html", "run.json", "stats.json", "table.txt", "timeline.pftrace"])
        self.assertNotIn("failure", stats(self.cwd / "results"))
        result = call(DUET, "run", "-q", "--max-cycles", "1000", "--out", "results", self.compiled(PROGRAM), "endless", cwd=self.cwd)
        self.assertEqual((result.returncode, stats(self.cwd / "results")["failure"]), (124, 124))

    def test_unknown_commands(self):
        for words, text in ((["foo"], "unknown command 'foo'"), ([], "which command?"),
                            ([self.compiled(PROGRAM)], f"to run a program write `duet run {self.compiled(PROGRAM)}`")):
            result = call(DUET, *words, cwd=self.cwd)
            self.assertEqual((result.returncode, len(result.stderr.splitlines())), (2, 1), result.stderr)
            self.assertIn(text, result.stderr)
            self.assertRegex(result.stderr, "the commands are run, .*cc, nvcc, hsacc, machines, ")


if __name__ == "__main__":
    main()
