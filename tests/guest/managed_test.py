#!/usr/bin/env python3
"""Who may touch managed memory while a kernel may run, on simulated cores: as in a process of its own
(front_door/managed_test.py), on a machine with a link and on one with one DRAM. By day what may be done is done on the first alone; at night
(tests/whole.py) on both.
Usage: managed_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
from simulated_host import DUET, WORK, GuestFixture, call, main
from whole import some  # noqa: E402


class Managed(GuestFixture):
    def run_case(self, how, machine, options=()):
        program = self.guest("../front_door/managed_access.cu")
        return call(DUET, "run", "-q", "--host", "simulated", "--machine", machine, *options, "--out", WORK / f"{machine}-{how}", program, how)

    def test_an_access_ends_the_program(self):
        for machine in ["lustig2013", "tk1"]:
            for how, where in [("read", "(byte 4000 of allocation 1 of managed memory)"),
                               ("disjoint", "(byte 20 of allocation 2 of managed memory)"),
                               ("other_stream", "(byte 0 of allocation 1 of managed memory)")]:
                with self.subTest(machine=machine, how=how):
                    result = self.run_case(how, machine)
                    self.assertEqual((result.returncode, result.stdout), (139, ""), result.stderr)
                    lines = [line for line in result.stderr.splitlines() if "managed memory" in line]
                    self.assertEqual(len(lines), 1, result.stderr)
                    for words in [where, "while kernel '_Z6changePi' may run", "synchronize before"]:
                        self.assertIn(words, lines[0])

    def test_what_may_be_done(self):
        for machine in some(["lustig2013", "tk1"], 2):
            for how, output in [("wait", "2 0\n"), ("attached", "2 3\n"), ("host_attached", "2 3\n"), ("queried", "2 0\n"),
                                ("copied", "2 2 0\n"), ("host_function", "13 0\n"), ("own_handler", "handled\n")]:
                with self.subTest(machine=machine, how=how):
                    result = self.run_case(how, machine)
                    self.assertEqual((result.returncode, result.stdout, result.stderr), (0, output, ""))

    def test_a_system_call_on_it(self):
        """It answers EFAULT, as Linux has it, and a line says of which memory."""
        for machine in ["lustig2013", "tk1"]:
            result = self.run_case("system_call", machine)
            self.assertEqual((result.returncode, result.stdout), (0, "-1 2 0\n"))
            self.assertRegex(result.stderr, r"^duet: the program touches managed memory at 0x[0-9a-f]+ \(byte 0 of [^\n]* synchronize before[^\n]*\n$")

    def test_where_the_machine_has_concurrent_access(self):
        result = self.run_case("disjoint", "lustig2013", ["--set", "gpu.concurrent_managed_access=true"])
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "2 3\n", ""))


if __name__ == "__main__":
    main()
