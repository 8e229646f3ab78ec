// What it takes a kernel to launch kernels: from the call to the first instruction, from one to the next, and the call itself.
//     nvcc -cudart shared -rdc=true -arch=sm_90 -O2 device_launches.cu -lcudadevrt -o device_launches && ./device_launches
// Each line: what, then the median of 15 rounds in ns (of calls: cycles).
#include <algorithm>
#include <cstdio>
#include <vector>

constexpr int kMost = 4096, kRounds = 15;

__device__ unsigned long long called[kMost], started[kMost], call_cycles[kMost], parent_end;

__device__ unsigned long long now() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

__global__ void child(int number) {
  if (threadIdx.x == 0) started[number] = now();
}

// In which stream each thread's launches are: the block's, none, behind the grid.
enum class Order { Stream, FireAndForget, Tail };

__global__ void parent(int each, Order order) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
  for (int i = 0; i < each; ++i) {
    called[first + i] = now();
    const long long before = clock64();
    if (order == Order::Stream)
      child<<<1, 1>>>(first + i);
    else if (order == Order::FireAndForget)
      child<<<1, 1, 0, cudaStreamFireAndForget>>>(first + i);
    else
      child<<<1, 1, 0, cudaStreamTailLaunch>>>(first + i);
    call_cycles[first + i] = clock64() - before;
  }
  parent_end = now();
}

// The smallest step of the timer.
__global__ void timer(unsigned long long* least) {
  unsigned long long step = ~0ull, last = now();
  for (int changes = 0; changes < 20;) {
    const unsigned long long t = now();
    if (t == last) continue;
    if (t - last < step) step = t - last;
    last = t;
    ++changes;
  }
  *least = step;
}

static double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

static void measure(const char* name, int blocks, int threads, int each, Order order) {
  const int count = blocks * threads * each;
  std::vector<double> first, interval, cycles, from_end;
  std::vector<unsigned long long> calls(count), starts(count), spent(count);
  for (int round = 0; round < kRounds + 1; ++round) {
    parent<<<blocks, threads>>>(each, order);
    if (cudaDeviceSynchronize() != cudaSuccess) {
      std::printf("%s: %s\n", name, cudaGetErrorString(cudaGetLastError()));
      return;
    }
    if (round == 0) continue;
    unsigned long long end = 0;
    cudaMemcpyFromSymbol(calls.data(), called, count * sizeof(unsigned long long));
    cudaMemcpyFromSymbol(starts.data(), started, count * sizeof(unsigned long long));
    cudaMemcpyFromSymbol(spent.data(), call_cycles, count * sizeof(unsigned long long));
    cudaMemcpyFromSymbol(&end, parent_end, sizeof end);
    first.push_back(static_cast<double>(starts[0]) - static_cast<double>(calls[0]));
    from_end.push_back(static_cast<double>(*std::min_element(starts.begin(), starts.end())) - static_cast<double>(end));
    double sum = 0;
    for (const unsigned long long c : spent) sum += static_cast<double>(c);
    cycles.push_back(sum / count);
    std::sort(starts.begin(), starts.end());
    if (count > 1) interval.push_back(static_cast<double>(starts.back() - starts.front()) / (count - 1));
  }
  std::printf("%s, first instruction behind the first call: %.0f\n", name, median(first));
  std::printf("%s, first instruction behind the parent's end: %.0f\n", name, median(from_end));
  if (count > 1) std::printf("%s, from one to the next: %.1f\n", name, median(interval));
  std::printf("%s, cycles of a call: %.0f\n", name, median(cycles));
}

int main() {
  unsigned long long *step = nullptr, found = 0;
  cudaMalloc(&step, sizeof *step);
  timer<<<1, 1>>>(step);
  cudaMemcpy(&found, step, sizeof found, cudaMemcpyDeviceToHost);
  std::printf("the timer, its step: %llu\n", found);
  measure("one", 1, 1, 1, Order::FireAndForget);
  measure("one thread, 32 launches", 1, 1, 32, Order::FireAndForget);
  measure("one warp, a launch each", 1, 32, 1, Order::FireAndForget);
  measure("8 warps, a launch each", 1, 256, 1, Order::FireAndForget);
  measure("132 blocks, a launch each", 132, 1, 1, Order::FireAndForget);
  measure("132 blocks, 8 launches each", 132, 1, 8, Order::FireAndForget);
  measure("one thread, 32 launches in a stream", 1, 1, 32, Order::Stream);
  measure("one tail launch", 1, 1, 1, Order::Tail);
  measure("one thread, 32 tail launches", 1, 1, 32, Order::Tail);
  return 0;
}
