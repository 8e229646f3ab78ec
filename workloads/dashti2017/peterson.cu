// dashti2017 Figures 8 and 9: threads of both sides share a few entries behind a lock. Those of a side compete for the side's own
// test-and-set lock; who has it competes for Peterson's with the other side's. Inside, a thread increments `--entries` of the shared
// region; outside, `--outside` of a region of its own. `peterson --method sharedalloc --rounds 8 --outside 1024`.
//
// The shared lock is always cudaHostAlloc's, as the paper has it. Where both sides cache the rest, the core that has the lock flushes: L2
// when it has got the lock, its own caches before it gives it back (a kernel cannot; the paper does not say who does). `--lock no`
// leaves out Peterson's lock, `--flush no` the flushes: counts are wrong then.
#include <atomic>
#include <thread>
#include <vector>

#include "method.h"

using Word = unsigned long long;

namespace {

// Words of the shared lock, each on a line of its own.
const unsigned kCpu = 0, kGpu = 16, kTurn = 32, kLockWords = 48;

struct Work {
  unsigned entries, outside, region, rounds;
  bool locked;
};

}  // namespace

extern "C" __global__ void share(volatile unsigned* lock, unsigned* local, volatile Word* shared, volatile Word* own, Work work) {
  volatile Word* const mine = own + size_t{blockIdx.x} * work.region;
  for (unsigned round = 0; round < work.rounds; round++) {
    while (atomicCAS(local, 0u, 1u) != 0) {
    }
    lock[kGpu] = 1;
    lock[kTurn] = kCpu;
    __threadfence_system();
    while (work.locked && lock[kCpu] != 0 && lock[kTurn] == kCpu) {
    }
    __threadfence_system();
    for (unsigned i = work.entries; i-- > 0;) shared[i] = shared[i] + 1;  // the core goes up: two that are inside at once meet
    __threadfence_system();
    lock[kGpu] = 0;
    __threadfence_system();
    atomicExch(local, 0u);
    for (unsigned i = 0; i < work.outside; i++) mine[i % work.region] = mine[i % work.region] + 1;
  }
}

namespace {

void share_on_cpu(volatile unsigned* lock, std::atomic_flag& local, volatile Word* shared, volatile Word* mine, const Work& work, bool flush) {
  const auto fence = [] { std::atomic_thread_fence(std::memory_order_seq_cst); };
  for (unsigned round = 0; round < work.rounds; round++) {
    while (local.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
    lock[kCpu] = 1;
    lock[kTurn] = kGpu;
    fence();
    while (work.locked && lock[kGpu] != 0 && lock[kTurn] == kGpu) {
    }
    fence();
    if (flush) duetFlushGpu(nullptr, 0);
    for (unsigned i = 0; i < work.entries; i++) shared[i] = shared[i] + 1;
    if (flush) duetFlushCpu(nullptr, 0);
    fence();
    lock[kCpu] = 0;
    fence();
    local.clear(std::memory_order_release);
    for (unsigned i = 0; i < work.outside; i++) mine[i % work.region] = mine[i % work.region] + 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments(
      "peterson", "[--entries N] [--outside N] [--rounds N] [--cpus N] [--blocks N] [--lock yes|no] [--flush yes|no]", argc, argv);
  const dashti2017::Method method = arguments.method();
  Work work;
  work.entries = static_cast<unsigned>(arguments.number("entries", 16, 1, 65536));
  work.outside = static_cast<unsigned>(arguments.number("outside", 0, 0, 1u << 24));
  work.rounds = static_cast<unsigned>(arguments.number("rounds", 4, 1, 1u << 20));
  work.region = 512;
  work.locked = arguments.one_of("lock", {"yes", "no"}) == 0;
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 2, 1, 64));
  const auto blocks = static_cast<unsigned>(arguments.number("blocks", 2, 1, 16));
  const bool flush = arguments.one_of("flush", {"yes", "no"}) == 0 && method == dashti2017::Method::kShared;
  arguments.end();
  if (method != dashti2017::Method::kMapped && method != dashti2017::Method::kShared)
    workload::usage_error("peterson", "both sides use it at once, so --method is hostalloc or sharedalloc, not", dashti2017::name_of(method));

  dashti2017::Array<unsigned> lock(dashti2017::Method::kMapped, kLockWords);
  dashti2017::Array<Word> shared(method, work.entries), on_cpu(method, size_t{cpus} * work.region), on_gpu(method, size_t{blocks} * work.region);
  unsigned* local;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&local), sizeof(unsigned)));
  CHECK_CUDA(cudaMemset(local, 0, sizeof(unsigned)));
  for (unsigned i = 0; i < kLockWords; i++) lock[i] = 0;
  for (auto* array : {&shared, &on_cpu, &on_gpu})
    for (size_t i = 0; i < array->size(); i++) (*array)[i] = 0;
  if (flush) duetFlushCpu(nullptr, 0);
  CHECK_CUDA(cudaDeviceSynchronize());
  std::atomic_flag own = ATOMIC_FLAG_INIT;
  duetMark("start");
  share<<<blocks, 1>>>(lock.device(), local, shared.device(), on_gpu.device(), work);
  CHECK_LAUNCH("share");
  std::vector<std::thread> others;
  const auto one = [&](unsigned cpu) { share_on_cpu(&lock[0], own, &shared[0], &on_cpu[0] + size_t{cpu} * work.region, work, flush); };
  for (unsigned cpu = 1; cpu < cpus; cpu++) others.emplace_back(one, cpu);
  one(0);
  for (std::thread& other : others) other.join();
  CHECK_CUDA(cudaDeviceSynchronize());
  duetMark("finish");
  if (flush) duetFlushGpu(nullptr, 0);

  const Word expected = Word{work.rounds} * (cpus + blocks);
  for (unsigned i = 0; i < work.entries; i++) {
    if (shared[i] == expected) continue;
    fprintf(stderr, "peterson: entry %u is %llu, expected %llu\n", i, static_cast<Word>(shared[i]), expected);
    return 1;
  }
  CHECK_CUDA(cudaFree(local));
  printf("PASS peterson method=%s entries=%u outside=%u rounds=%u cpus=%u blocks=%u\n", dashti2017::name_of(method), work.entries, work.outside,
         work.rounds, cpus, blocks);
  return 0;
}
