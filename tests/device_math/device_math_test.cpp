// Judges the device math functions of runtime/cuda/include on the host, against the largest errors that the
// CUDA C++ Programming Guide states. Floats are compared with double precision, doubles with long double.
//   g++ -std=c++17 -O2 -ffp-contract=off -I runtime/cuda/include device_math_test.cpp -lquadmath && ./a.out
// Arguments: --quiet prints failures alone; any other word tests the function of that name alone. Exit status
// 0 means that every function kept its limit.
#include "double_cases.h"
#include "float_cases.h"
#include "special_cases.h"

int main(int count, char** words) {
  for (int i = 1; i < count; i++) {
    if (std::strcmp(words[i], "--quiet") == 0) {
      judge.quiet = true;
    } else {
      judge.only = words[i];
    }
  }
  float_cases();
  double_cases();
  special_cases();
  if (judge.checked == 0) {
    std::printf("no function of that name\n");
    return 2;
  }
  if (!judge.quiet) std::printf("%d functions, %d over their limit\n", judge.checked, judge.failures);
  return judge.failures == 0 ? 0 : 1;
}
