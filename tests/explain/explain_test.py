#!/usr/bin/env python3
"""duet explain: its numbers against those of stats.json, events.json and push_buffer.txt of another run; what it refuses.

Usage: explain_test.py DUET [unittest options]
"""
import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(1, str(pathlib.Path(__file__).resolve().parents[1]))
from compile_once import compile_well  # noqa: E402

DUET = ""
SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEADINGS = ["1  Hardware structure", "2  Task organization", "3  Task execution", "4  Task schedule", "5  Data movement"]


def call(*words, status=0, cwd=None):
    done = subprocess.run([DUET, *map(str, words)], capture_output=True, text=True, timeout=300, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done


def ps(microseconds):
    return round(microseconds * 1e6)


class Explained(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.program = cls.folder / "tasks"
        compile_well(DUET, [SOURCE / "tests/explain/tasks.cu"], cls.program)
        cls.text = call("explain", "--out", cls.folder / "explained", cls.program).stdout
        cls.json = json.loads((cls.folder / "explained/explain.json").read_text())
        call("run", "-q", "--events", "--trace-push-buffer", "--out", cls.folder / "run", cls.program)
        cls.stats = json.loads((cls.folder / "run/stats.json").read_text())
        cls.events = json.loads((cls.folder / "run/events.json").read_text())["traceEvents"]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def command(self, number):
        return next(one for one in self.json["commands"] if one["command"] == number)

    def block_spans(self, command):
        """Blocks of a launch as events.json has them: number, SM, begin, end."""
        return [(one["args"]["block"], one["args"]["sm"], ps(one["ts"]), ps(one["ts"]) + ps(one["dur"]))
                for one in self.events if one.get("ph") == "X" and "block" in one.get("args", {}) and one["args"]["command"] == command]


class Numbers(Explained):
    def test_looking_changes_nothing(self):
        explained = json.loads((self.folder / "explained/stats.json").read_text())
        for key in ["kernels", "copies", "counters", "account", "simulated_seconds"]:
            self.assertEqual(explained[key], self.stats[key], key)

    def test_commands_are_those_of_stats(self):
        work = {one["command"]: one for one in self.stats["kernels"] + self.stats["copies"]}
        self.assertEqual(len(work), 6)
        for number, one in work.items():
            command = self.command(number)
            for key in ["call", "stream", "queued_ps", "driver_start_ps", "prepared_ps", "start_ps", "end_ps"]:
                self.assertEqual(command[key], one[key], (number, key))
        self.assertEqual(self.json["commands_in_all"], len(self.json["commands"]))
        self.assertEqual(self.json["commands_in_all"], self.stats["counters"]["driver.commands"])

    def test_launches_are_those_of_stats(self):
        self.assertEqual([one["command"] for one in self.json["launches"]], sorted(one["command"] for one in self.stats["kernels"]))
        for launch in self.json["launches"]:
            kernel = next(one for one in self.stats["kernels"] if one["command"] == launch["command"])
            for key in ["grid", "block", "stream", "start_ps", "end_ps", "stalls", "blocks_per_sm", "occupancy_limit", "warp_instructions"]:
                self.assertEqual(launch[key], kernel[key], key)
            self.assertEqual(launch["told_blocks"], kernel["completed_blocks"])
            self.assertEqual(launch["counters"], {name: value for name, value in kernel["counters"].items() if name in launch["counters"]})

    def test_push_buffer_commands_are_those_of_the_trace(self):
        lines = [line.split() for line in (self.folder / "run/push_buffer.txt").read_text().splitlines()]
        traced = [(int(line[0]), line[6], int(line[7], 16)) for line in lines]
        told = sorted(((step["decoded_ps"], step["name"], step["argument"]) for command in self.json["commands"] for step in command["push_buffer"]))
        self.assertEqual(told, sorted(traced))
        for command in self.json["commands"]:
            steps = command["push_buffer"]
            for one, following in zip(steps, steps[1:]):
                self.assertEqual(one["until_next_ps"], following["decoded_ps"] - one["decoded_ps"])

    def test_moves_are_those_of_the_engines(self):
        spans = sorted((one["args"]["command"], one["args"]["bytes"], ps(one["ts"]), ps(one["ts"]) + ps(one["dur"]))
                       for one in self.events if one.get("ph") == "X" and "move" in one.get("args", {}))
        self.assertEqual(sorted((one["command"], one["bytes"], one["begin_ps"], one["end_ps"]) for one in self.json["moves"]), spans)
        kinds = {"host_to_device": "Stage-In", "device_to_host": "Stage-Out", "fill": "fill"}
        for copy in self.stats["copies"]:
            moved = [one for one in self.json["moves"] if one["command"] == copy["command"]]
            self.assertEqual({one["step"] for one in moved}, {kinds[copy["kind"]]})
            self.assertEqual(sum(one["bytes"] for one in moved), copy["bytes"])

    def test_blocks_are_those_of_the_trace(self):
        for launch in self.json["launches"]:
            spans = self.block_spans(launch["command"])
            self.assertEqual(len(spans), launch["blocks"])
            times = sorted(end - begin for _, _, begin, end in spans)
            self.assertEqual((launch["shortest_ps"], launch["median_ps"], launch["longest_ps"]), (times[0], times[(len(times) - 1) // 2], times[-1]))
            self.assertEqual(sum(one["blocks"] for one in launch["bins"]), len(times))
            for i, one in enumerate(launch["bins"]):
                last = i == len(launch["bins"]) - 1
                self.assertEqual(one["blocks"], sum(one["from_ps"] <= time < one["to_ps"] + last for time in times))
            on = collections.Counter(sm for _, sm, _, _ in spans)
            self.assertEqual({one["sm"]: one["blocks"] for one in launch["sms"]}, on)
            for block in launch["shown_blocks"]:
                self.assertIn((block["block"], block["sm"], block["begin_ps"], block["end_ps"]), spans)
                self.assertEqual([one["warp"] for one in block["warps"]], list(range(launch["warps_per_block"])))
                for warp in block["warps"]:
                    self.assertLessEqual(block["begin_ps"], warp["begin_ps"])
                    self.assertLess(warp["begin_ps"], warp["end_ps"])
                    self.assertLessEqual(warp["end_ps"], block["end_ps"])

    def test_reference_counters_count_the_blocks(self):
        for launch in self.json["launches"]:
            spans = self.block_spans(launch["command"])
            moments = {time for *_, begin, end in spans for time in (begin, end)}
            for time, launched, complete in launch["points"] + launch["quarters"]:
                self.assertIn(time, moments)
                # Several blocks may begin or end in the moment itself.
                self.assertLessEqual(sum(begin < time for *_, begin, _ in spans), launched)
                self.assertLessEqual(launched, sum(begin <= time for *_, begin, _ in spans))
                self.assertLessEqual(sum(end < time for *_, end in spans), complete)
                self.assertLessEqual(complete, sum(end <= time for *_, end in spans))
            self.assertEqual(launch["last_dispatch_ps"], max(begin for *_, begin, _ in spans))
            self.assertEqual(launch["points"][0][1:], [1, 0])
            self.assertEqual(launch["points"][-1][1:], [launch["blocks"]] * 2)
            self.assertEqual(launch["points"], sorted(launch["points"]))
            of_trace = next(one for one in self.events if one.get("ph") == "X" and one.get("args") == {"command": launch["command"], "blocks": launch["blocks"]})
            self.assertEqual(launch["set_launch_id_ps"], ps(of_trace["ts"]))
            self.assertEqual(launch["wait_ref_cnt_ps"], ps(of_trace["ts"]) + ps(of_trace["dur"]))

    def test_nobody_sees_the_order_of_ticks(self):
        call("explain", "-q", "--no-html", "--shuffle", "11", "--out", self.folder / "shuffled", self.program)
        self.assertEqual(json.loads((self.folder / "shuffled/explain.json").read_text()), self.json)

    def test_a_run_that_is_cut_off(self):
        done = call("explain", "--max-cycles", "2000", "--out", self.folder / "cut", self.program, status=124)
        told = json.loads((self.folder / "cut/explain.json").read_text())
        stats = json.loads((self.folder / "cut/stats.json").read_text())
        self.assertFalse(told["complete"])
        (running,) = [one for one in stats["kernels"] if not one["complete"]]
        command = next(one for one in told["commands"] if one["command"] == running["command"])
        launch = next(one for one in told["launches"] if one["command"] == running["command"])
        self.assertEqual((command["end_ps"], launch["wait_ref_cnt_ps"]), (0, 0))
        self.assertEqual(launch["told_blocks"], running["completed_blocks"])
        self.assertIn("has not begun", done.stdout)
        self.assertTrue(json.loads(call("explain", self.folder / "cut", "--json", "-").stdout)["complete"] is False)

    def test_a_grid_without_room_waits(self):
        launch = max(self.json["launches"], key=lambda one: one["blocks"])
        room = launch["blocks_per_sm"] * len(launch["sms"])
        self.assertGreater(launch["blocks"], room)
        self.assertEqual({one["most_at_once"] for one in launch["sms"]}, {launch["blocks_per_sm"]})
        for _, launched, complete in launch["points"]:
            self.assertLessEqual(launched - complete, room)

    def test_what_commands_wait_for(self):
        by_kind = collections.defaultdict(list)
        for command in self.json["commands"]:
            by_kind[command["kind"]].append(command)
        (wait,), (record,) = by_kind["event wait"], by_kind["event record"]
        self.assertIn((record["command"], "an event"), [(one["command"], one["why"]) for one in wait["waits_for"]])
        acquire = next(step for step in wait["push_buffer"] if step["name"] == "AcquireSemaphore")
        self.assertEqual(acquire["argument"], record["command"])
        copy, wave = by_kind["copy"][0], by_kind["launch"][0]
        self.assertEqual([(one["command"], one["why"], one["end_ps"]) for one in wave["waits_for"]], [(copy["command"], "its stream", copy["end_ps"])])
        self.assertEqual(wave["free_ps"], copy["end_ps"])
        default = by_kind["launch"][2]
        self.assertEqual({one["why"] for one in default["waits_for"]}, {"the default stream's order"})
        self.assertEqual(len(default["waits_for"]), 2)
        for command in self.json["commands"]:
            if command["start_ps"]:
                self.assertEqual(command["gpu_wait_ps"], max(0, command["start_ps"] - command["push_buffer"][-1]["decoded_ps"]))
        for command in self.json["commands"]:  # gtx580 has one hardware channel
            self.assertLessEqual(command["free_ps"], command["driver_start_ps"])
            self.assertEqual(command["behind"], command["command"] - 1)
            if command["behind"]:
                self.assertEqual(command["behind_ps"], self.command(command["behind"])["driver_start_ps"])
                self.assertLess(command["behind_ps"], command["driver_start_ps"])

    def test_many_channels_have_no_false_dependencies(self):
        call("explain", "-q", "--no-html", "--set", "gpu.front_end.hardware_channels=8", "--out", self.folder / "channels", self.program)
        told = json.loads((self.folder / "channels/explain.json").read_text())["commands"]
        self.assertGreater(len({one["channel"] for one in told}), 1)
        before = {}
        for one in told:
            self.assertEqual(one["behind"], before.get(one["channel"], 0))
            before[one["channel"]] = one["command"]

    def test_the_hierarchy_is_the_machine(self):
        self.assertEqual([one["level"] for one in self.json["levels"]], [2, 1, 0])
        kinds = collections.Counter(one["kind"] for one in self.stats["components"])
        holds = {part["name"]: part["holds"] for level in self.json["levels"] for part in level["parts"]}
        self.assertTrue(holds["SM array"].startswith(f"{kinds['sm']} SM"))
        self.assertTrue(holds["L2 cache"].endswith(f"{kinds['l2']} slices"))
        self.assertTrue(holds["global and local memory"].endswith(f"{kinds['dram']} channels"))


class Text(Explained):
    def test_it_has_the_five_sub_models_and_fits(self):
        places = [self.text.index(heading) for heading in HEADINGS]
        self.assertEqual(places, sorted(places))
        self.assertLess(len(self.text.splitlines()), 95)
        main = self.json["launches"][self.json["main_launch"]]
        time = main["wait_ref_cnt_ps"] // 1000
        self.assertIn(f"WaitRefCnt ends at {time // 1000}.{time % 1000:03} us", self.text)
        self.assertIn(f"{main['blocks']} blocks on {len(main['sms'])} SMs", self.text)

    def test_a_small_program_fits_a_page(self):
        compile_well(DUET, [SOURCE / "workloads/demo/smooth.cu"], self.folder / "smooth")
        text = call("explain", "--out", self.folder / "small", self.folder / "smooth").stdout
        self.assertLessEqual(len(text.splitlines()), 85)

    def test_a_kernel_in_depth(self):
        text = call("explain", self.folder / "explained", "--kernel", "add").stdout
        add = json.loads((self.folder / "explained/explain.json").read_text())
        self.assertEqual([one["name"] for one in add["launches"]], ["add"])
        launch = add["launches"][0]
        self.assertEqual(len(launch["points"]), 2 * launch["blocks"])
        self.assertIn(f"push-buffer stream of #{launch['command']}, add", text)
        self.assertEqual(launch["quarters"], next(one for one in self.json["launches"] if one["name"] == "add")["quarters"])
        by_number = call("explain", self.folder / "explained", "--kernel", f"#{launch['command']}").stdout
        self.assertEqual(text, by_number)
        bars = [line for line in text.splitlines() if line.endswith("#")]
        self.assertEqual(len(bars), sum(1 for one in launch["bins"] if one["blocks"]))
        page = (self.folder / "explained/explain.html").read_text()
        self.assertIn('"kernel": "#', page)
        call("explain", self.folder / "explained")
        self.assertEqual(json.loads((self.folder / "explained/explain.json").read_text()), self.json)

    def test_a_block(self):
        text = call("explain", self.folder / "explained", "--kernel", "wave", "--block", "300", "--json", "-").stdout
        launch = json.loads(text)["launches"][json.loads(text)["main_launch"]]
        (block,) = launch["shown_blocks"]
        self.assertEqual((block["block"], len(block["warps"])), (300, 8))
        self.assertIn((300, block["sm"], block["begin_ps"], block["end_ps"]), self.block_spans(launch["command"]))
        call("explain", self.folder / "explained")

    def test_the_functional_gpu_has_no_warps(self):
        text = call("explain", "--functional", "--out", self.folder / "functional", self.program).stdout
        self.assertIn("the functional GPU has none in time", text)
        told = json.loads((self.folder / "functional/explain.json").read_text())
        stats = json.loads((self.folder / "functional/stats.json").read_text())
        self.assertEqual([one["told_blocks"] for one in told["launches"]], [one["completed_blocks"] for one in sorted(stats["kernels"], key=lambda one: one["command"])])

    def test_blocks_on_cores_are_counted(self):
        compile_well(DUET, [SOURCE / "workloads/yang2012/VecAdd.cu"], self.folder / "VecAdd")
        text = call("explain", "--machine", "fused", "--cpu-blocks", "--out", self.folder / "cores", self.folder / "VecAdd", "--size", "16384").stdout
        (launch,) = json.loads((self.folder / "cores/explain.json").read_text())["launches"]
        (kernel,) = json.loads((self.folder / "cores/stats.json").read_text())["kernels"]
        self.assertGreater(kernel["cpu_blocks"]["blocks"], 0)
        self.assertEqual(launch["blocks"] - launch["told_blocks"], kernel["cpu_blocks"]["blocks"])
        self.assertEqual(launch["points"][-1][1:], [launch["told_blocks"]] * 2)
        self.assertIn(f"{kernel['cpu_blocks']['blocks']} of {launch['blocks']} blocks were on no SM", text)

    def test_a_driver_that_prepares_ahead_leaves_the_order_to_the_gpu(self):
        text = call("explain", "--no-html", "--set", "driver.read_ahead=true", "--out", self.folder / "ahead", self.program).stdout
        told = {one["command"]: one for one in json.loads((self.folder / "ahead/explain.json").read_text())["commands"]}
        copy, wave = told[1], told[2]
        self.assertGreater(copy["end_ps"], wave["driver_start_ps"])
        self.assertRegex(text, r"#2 +computing +wave .*on the GPU for #1 \(its stream\)\n")

    def test_many_launches_are_bounded(self):
        compile_well(DUET, [SOURCE / "tests/front_door/two_streams.cu"], self.folder / "many")
        text = call("explain", "--no-html", "--out", self.folder / "many-out", self.folder / "many", "1000").stdout
        told = json.loads((self.folder / "many-out/explain.json").read_text())
        self.assertGreaterEqual(told["launches_in_all"], 1000)
        self.assertLessEqual(len(told["launches"]), 51)
        self.assertLess(len(text.splitlines()), 95)
        self.assertFalse((self.folder / "many-out/explain.html").exists())

    def test_advice_can_make_the_run_again(self):
        done = call("explain", "-q", "--kernel", "add", "--out", self.folder / "again", self.program)
        self.assertEqual((len(done.stdout.splitlines()), done.stderr), (1, ""))  # the program's
        self.assertEqual(json.loads((self.folder / "again/run.json").read_text())["options"], ["-q"])


class Refused(Explained):
    def line(self, *words, status=125):
        done = call("explain", *words, status=status, cwd=self.folder)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_what_is_no_program(self):
        run = subprocess.run([DUET, "run", "./none"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(self.line("./none", status=run.returncode), run.stderr)

    def test_wrong_selections(self):
        self.assertIn("no regular expression", self.line("--kernel", "(", self.program))
        self.assertIn("number of a command", self.line("--kernel", "#two", self.program))
        folder = self.folder / "explained"
        self.assertIn("its kernels are add, wave", self.line(folder, "--kernel", "none"))
        self.assertIn("its kernels are", self.line(folder, "--kernel", "#1"))
        self.assertIn("has blocks 0 to 255", self.line(folder, "--kernel", "add", "--block", "256"))
        self.assertIn("--block", self.line("--block", "-1", self.program))

    def test_a_wrong_selection_leaves_the_run(self):
        call("explain", "--kernel", "none", "--out", self.folder / "kept", self.program, status=125)
        self.assertIn("Hardware structure", call("explain", self.folder / "kept").stdout)

    def test_folders(self):
        self.assertIn("duet explain --out", self.line(self.folder / "run"))
        call("run", "-q", "--no-html", "--out", self.folder / "shell", "sh", "-c", f"{self.program} 'a b'")
        said = self.line(self.folder / "shell").split("`duet run` keeps too little: duet ")[1]
        subprocess.run(f"{DUET} {said}", shell=True, check=True, capture_output=True, timeout=300)  # as it is told
        self.assertTrue((self.folder / "shell/explain.json").exists())
        self.assertIn("no folder of a run", self.line(self.folder))
        self.assertIn("--machine is for a run", self.line("--machine", "gtx580", self.folder / "explained", status=2))
        self.assertIn("no journal", self.broken())

    def broken(self):
        broken = self.folder / "broken"
        broken.mkdir(exist_ok=True)
        (broken / "machine.toml").write_bytes((self.folder / "explained/machine.toml").read_bytes())
        (broken / "explain.journal").write_text("no journal")
        return self.line(broken)

    def test_programs_without_work(self):
        (self.folder / "idle.cu").write_text("int main() { return 0; }\n")
        call("cc", self.folder / "idle.cu", "-o", self.folder / "idle")
        self.assertIn("made no CUDA, OpenCL or HSA call", self.line(self.folder / "idle"))
        (self.folder / "empty.cu").write_text("int main() { void* p; return cudaMalloc(&p, 4); }\n")
        call("cc", self.folder / "empty.cu", "-o", self.folder / "empty")
        text = call("explain", "--out", self.folder / "nothing", self.folder / "empty").stdout
        self.assertIn("no call gave the GPU anything to do", text)

    def test_the_programs_status_is_kept(self):
        call("explain", "--out", self.folder / "status", "sh", "-c", f"{self.program}; exit 3", status=3)

    def test_several_runs_at_once(self):
        self.assertIn("--profile makes several runs", self.line("--machine", "fused", "--preexec", "profiled", "--profile", self.program))


if __name__ == "__main__":
    DUET = sys.argv.pop(1)
    unittest.main()
