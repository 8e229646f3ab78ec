// What device code prints stands between what the host prints, in the order of the calls that wait.
#include <iostream>

#include "check.h"

namespace {

__global__ void say(int round) {
  printf("  block %d, thread %d, round %d: %s %5.2f %llx\n", blockIdx.x, threadIdx.x, round, "text",
         1.5 * round, 0x123456789abcull);
}

}  // namespace

int main() {
  for (int round = 0; round < 3; ++round) {
    std::printf("round %d begins\n", round);
    say<<<2, 2>>>(round);
    std::printf("round %d is launched\n", round);
    CHECK(cudaDeviceSynchronize());
    std::cout << "round " << round << " has ended\n";
  }
  say<<<1, 1>>>(9);  // nobody waits for it
  return 0;
}
