#!/usr/bin/env python3
"""What a program on simulated cores gets of this shell's variables, and that its times need not depend on them.
Usage: environment_test.py BUILD_DIRECTORY SOURCE_DIRECTORY [unittest arguments]"""
from simulated_host import DUET, WORK, GuestFixture, call, main, stats

# Prints how many variables it has, one of them, and where a local variable lies; with a kernel, or without.
PROGRAM = """#include <cstdio>
#include <cstdlib>
extern char** environ;
%s
int main() {
  int count = 0;
  while (environ[count] != nullptr) count++;
  const char* own = std::getenv("OF_THE_TEST");
  std::printf("%%d %%s %%p\\n", count, own == nullptr ? "-" : own, static_cast<void*>(&count));
  %s
}
"""
SETTINGS = [{}, {"OF_THE_TEST": "a"}, {"OF_THE_TEST": "b" * 137, "OTHER": ""}, {f"V{i}": "c" * 9 for i in range(100)}]


class Environment(GuestFixture):
    def programs(self):
        for name, words in [("with.cu", ("__global__ void one(int* p) { *p = 1; }",
                                         "int* p; cudaMalloc(&p, 4); one<<<1, 1>>>(p); cudaDeviceSynchronize();")),
                            ("without.cpp", ("", ""))]:
            (WORK / name).write_text(PROGRAM % words)
            if name.endswith(".cu"):
                yield self.guest(WORK / name)
            else:
                made = call("riscv64-linux-gnu-g++", "-static", "-o", WORK / "without", WORK / name)
                self.assertEqual(made.returncode, 0, made.stderr)
                yield WORK / "without"

    def run_with(self, program, variables, *options):
        """The words it prints, and its simulated time."""
        result = call(DUET, "run", "-q", "--host", "simulated", "--machine", "lustig2013", *options, "--out", WORK / "out", program,
                      env=variables)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout.split(), stats(WORK / "out")["simulated_seconds"]

    def test_variables_do_not_move_the_stack(self):
        for program in self.programs():
            with self.subTest(program=program.name):
                printed = [self.run_with(program, one)[0] for one in SETTINGS]
                self.assertEqual([words[1] for words in printed], ["-", "a", "b" * 137, "-"])
                counts = [int(words[0]) - int(printed[0][0]) for words in printed]
                self.assertEqual(counts, [len(one) for one in SETTINGS])
                self.assertEqual(len({words[2] for words in printed}), 1, "its address")

    def test_without_variables_times_are_the_same(self):
        for program in self.programs():
            with self.subTest(program=program.name):
                runs = [self.run_with(program, one, "--no-environment") for one in SETTINGS]
                self.assertEqual(runs[0][0][:2], ["0", "-"])
                for one in runs[1:]:
                    self.assertEqual(one, runs[0])

    def test_a_native_program_has_them_always(self):
        result = call(DUET, "run", "--no-environment", "/bin/true")
        self.assertEqual((result.returncode, result.stderr),
                         (125, "duet: --no-environment is for --host simulated: leave it out\n"))


if __name__ == "__main__":
    main()
