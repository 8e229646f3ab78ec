// Ways for a program to end after it has used the device: the status must come through unchanged.
// Argument: status3, abort, segv, _exit4, quick_exit5, return6.
#include <signal.h>
#include <unistd.h>

#include "expect.h"

__global__ void set(int* out) { *out = 7; }

int main(int argc, char** argv) {
  expect::Array<int> out(1);
  set<<<1, 1>>>(out.device());
  CHECK_LAUNCH();
  expect::equal("out", 0, out.fetch()[0], 7);
  const char* how = argc == 2 ? argv[1] : "";
  expect::pass("exit_codes");
  fflush(stdout);
  if (strcmp(how, "status3") == 0) exit(3);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) raise(SIGSEGV);
  if (strcmp(how, "_exit4") == 0) _exit(4);
  if (strcmp(how, "quick_exit5") == 0) quick_exit(5);
  if (strcmp(how, "return6") == 0) return 6;
  fprintf(stderr, "usage: exit_codes status3|abort|segv|_exit4|quick_exit5|return6\n");
  return 2;
}
