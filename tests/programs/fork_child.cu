// A process that forks after it has used the device: the child's calls return cudaErrorInitializationError,
// the parent goes on undisturbed.
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

__global__ void add(int* data) { data[threadIdx.x] += 5; }

int main() {
  expect::Array<int> data(32, 1);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    void* memory = nullptr;
    bool refused = cudaMalloc(&memory, 4) == cudaErrorInitializationError &&
                   cudaDeviceSynchronize() == cudaErrorInitializationError;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  add<<<1, 32>>>(data.device());
  CHECK_LAUNCH();
  data.fetch();
  for (int i = 0; i < 32; i++) expect::equal("data", i, data.host[i], 6);
  return expect::pass("fork_child");
}
