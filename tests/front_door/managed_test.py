#!/usr/bin/env python3
"""Who may touch managed memory while a kernel may run, on a machine without concurrent access to it and on one with it.

Usage: managed_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]
"""
from fixture import DUET, WORK, Fixture, call, main


class ManagedAccess(Fixture):
    def run_case(self, how, machine="gtx580", options=()):
        return call(DUET, "run", "-q", "--machine", machine, *options, "--out", WORK / f"managed-{how}", self.compiled("tests/front_door/managed_access.cu"), how)

    def ended(self, how, where):
        result = self.run_case(how)
        self.assertEqual((result.returncode, result.stdout), (139, ""), result.stderr)
        lines = [line for line in result.stderr.splitlines() if "managed memory" in line]
        self.assertEqual(len(lines), 1, result.stderr)
        self.assertIn(where, lines[0])
        self.assertIn("while kernel '_Z6changePi' may run", lines[0])
        self.assertIn("synchronize before", lines[0])

    def works(self, how, output, machine="gtx580", options=()):
        result = self.run_case(how, machine, options)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, output, ""))

    def test_a_read_ends_the_program(self):
        self.ended("read", "(byte 4000 of allocation 1 of managed memory)")

    def test_a_write_to_another_allocation_ends_the_program(self):
        self.ended("disjoint", "(byte 20 of allocation 2 of managed memory)")

    def test_waiting_for_another_stream_does_not_help(self):
        self.ended("other_stream", "(byte 0 of allocation 1 of managed memory)")

    def test_after_a_synchronization(self):
        self.works("wait", "2 0\n")

    def test_attached_to_another_stream(self):
        self.works("attached", "2 3\n")

    def test_attached_to_the_host(self):
        self.works("host_attached", "2 3\n")

    def test_after_a_query_that_succeeds(self):
        self.works("queried", "2 0\n")

    def test_the_runtime_itself_reaches_it(self):
        self.works("copied", "2 2 0\n")

    def test_a_host_function_may_touch_it(self):
        self.works("host_function", "13 0\n")

    def test_a_system_call_answers_with_an_error(self):
        self.works("system_call", "-1 2 0\n")

    def test_a_handler_of_the_program_is_called(self):
        self.works("own_handler", "handled\n")

    def test_concurrent_access_where_the_machine_has_it(self):
        self.works("disjoint", "2 3\n", machine="h100")
        self.works("disjoint", "2 3\n", options=["--set", "gpu.concurrent_managed_access=true"])


if __name__ == "__main__":
    main()
