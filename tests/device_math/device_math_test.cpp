// Judges the device math functions of runtime/cuda/include on the host, against the largest errors that the
// CUDA C++ Programming Guide states. Floats are compared with double precision, doubles with long double.
// The exact functions, whose errors would be gross, get an eighth of the samples, the special
// functions, whose references are slow, a quarter.
//   g++ -std=c++17 -O2 -ffp-contract=off -I runtime/cuda/include device_math_test.cpp -lquadmath && ./a.out
// Arguments: --quiet prints failures alone; --every N takes one sample in N; any other word tests the
// function of that name alone. Exit status 0 means that every function kept its limit.
#if defined(__x86_64__)
// The functions are made of fused multiply-adds and roundings; as instructions instead of calls into the C
// library they run several times faster, with the same results.
#pragma GCC target("avx2,fma")
#endif

#include <algorithm>
#include <cstdlib>

#include "basic_cases.h"
#include "bessel_cases.h"
#include "double_cases.h"
#include "float_cases.h"
#include "special_cases.h"

int main(int count, char** words) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
    std::printf("skipped: this processor has no fused multiply-add\n");
    return 77;
  }
#endif
  int every = 1;
  for (int i = 1; i < count; i++) {
    if (std::strcmp(words[i], "--quiet") == 0) {
      judge.quiet = true;
    } else if (std::strcmp(words[i], "--every") == 0 && i + 1 < count) {
      every = std::max(1, std::atoi(words[++i]));
    } else {
      judge.only = words[i];
    }
  }
  judge.thinning = 8 * every;
  basic_cases();
  judge.thinning = every;
  float_cases();
  double_cases();
  judge.thinning = 4 * every;
  special_cases();
  judge.thinning = 32 * every;
  bessel_cases();
  if (judge.checked == 0) {
    std::printf("no function of that name\n");
    return 2;
  }
  if (!judge.quiet) std::printf("%d functions, %d over their limit\n", judge.checked, judge.failures);
  return judge.failures == 0 ? 0 : 1;
}
