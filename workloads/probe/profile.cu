// What a profiler does to what it measures (lustig2013 section 6.4, Figure 8): lookups, in each of two
// streams a copy in, a kernel and a copy out, all calls asynchronous and one kind of call after the other, so
// that kernels overlap on one hardware channel too. With --timers on the host reads its clock before and
// after every call, as the paper's lightweight timers do. Hardware counters are not the program's: with `duet
// run --set driver.profiler.counters=true` the machine reads them around every kernel. Prints one JSON object
// a line: for each call its start and end (with timers), then the whole time.
#include <vector>

#include "../common/check.h"
#include "../common/clock.h"

namespace {

const int kThreads = 64, kSteps = 24;
const unsigned kTable = 1u << 20, kPackets = 512;
const unsigned long long kClockReadNs = 25;  // clock_gettime through the vDSO on a processor of 2011

// A chain of dependent reads that hit no line twice.
__global__ void look_up(const unsigned* table, const unsigned* packets, unsigned* hops, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned at = packets[i];
  for (int step = 0; step < kSteps; step++) at = table[at % kTable];
  hops[i] = at;
}

struct Timers {
  bool on = false;
  std::vector<const char*> names;
  std::vector<unsigned long long> starts, ends;

  unsigned long long read() const {
    duetHostWork(kClockReadNs);
    return workload::now_ns();
  }
  template <typename Call>
  void timed(const char* name, Call call) {
    if (!on) return call();
    const unsigned long long start = read();
    call();
    names.push_back(name);
    starts.push_back(start);
    ends.push_back(read());
  }
};

struct Stream {
  cudaStream_t stream = nullptr;
  unsigned *packets = nullptr, *hops = nullptr, *d_packets = nullptr, *d_hops = nullptr;

  void create() {
    const size_t bytes = kPackets * sizeof(unsigned);
    CHECK_CUDA(cudaStreamCreate(&stream));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&packets), bytes));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&hops), bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&d_packets), bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&d_hops), bytes));
  }
};

}  // namespace

int main(int argc, char** argv) {
  Timers timers;
  int frames = 4;
  for (int i = 1; i < argc; i += 2) {
    if (strcmp(argv[i], "--help") == 0) {
      printf("usage: profile [--timers on|off] [--frames N]\n");
      return 0;
    }
    if (i + 1 == argc) workload::usage_error("profile", "no value after", argv[i]);
    if (strcmp(argv[i], "--timers") == 0) {
      timers.on = strcmp(argv[i + 1], "on") == 0;
      if (!timers.on && strcmp(argv[i + 1], "off") != 0)
        workload::usage_error("profile", "timers are on or off, not", argv[i + 1]);
    } else if (strcmp(argv[i], "--frames") == 0) {
      frames = static_cast<int>(workload::parse_number("profile", "--frames", argv[i + 1], 1, 1000));
    } else {
      workload::usage_error("profile", "unknown option", argv[i]);
    }
  }

  std::vector<unsigned> table(kTable);
  workload::Random random(8);
  for (unsigned& entry : table) entry = random.next();
  unsigned* d_table = nullptr;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&d_table), kTable * sizeof(unsigned)));
  CHECK_CUDA(cudaMemcpy(d_table, table.data(), kTable * sizeof(unsigned), cudaMemcpyHostToDevice));
  Stream streams[2];
  for (Stream& s : streams) {
    s.create();
    for (unsigned i = 0; i < kPackets; i++) s.packets[i] = random.next();
  }

  unsigned long long total_ns = 0;
  for (int round = 0; round < 2; round++) {  // the first one warms up
    timers.names.clear();
    timers.starts.clear();
    timers.ends.clear();
    if (round == 1) duetMark("data ready");
    const unsigned long long start = workload::now_ns();
    const size_t bytes = kPackets * sizeof(unsigned);
    for (int frame = 0; frame < frames; frame++) {
      for (Stream& s : streams)
        timers.timed("cudaMemcpyAsync", [&] {
          CHECK_CUDA(cudaMemcpyAsync(s.d_packets, s.packets, bytes, cudaMemcpyHostToDevice, s.stream));
        });
      for (Stream& s : streams)
        timers.timed("cudaLaunch", [&] {
          look_up<<<kPackets / kThreads, kThreads, 0, s.stream>>>(d_table, s.d_packets, s.d_hops, kPackets);
          CHECK_LAUNCH("look_up");
        });
      for (Stream& s : streams)
        timers.timed("cudaMemcpyAsync", [&] {
          CHECK_CUDA(cudaMemcpyAsync(s.hops, s.d_hops, bytes, cudaMemcpyDeviceToHost, s.stream));
        });
    }
    timers.timed("cudaDeviceSynchronize", [&] { CHECK_CUDA(cudaDeviceSynchronize()); });
    total_ns = workload::now_ns() - start;
    if (round == 1) duetMark("finish");
  }
  for (const Stream& s : streams)
    for (unsigned i = 0; i < kPackets; i++) {
      unsigned at = s.packets[i];
      for (int step = 0; step < kSteps; step++) at = table[at % kTable];
      if (s.hops[i] == at) continue;
      fprintf(stderr, "profile: packet %u goes to %u, expected %u\n", i, s.hops[i], at);
      return 1;
    }
  for (size_t i = 0; i < timers.names.size(); i++)
    printf("{\"probe\": \"profile\", \"call\": \"%s\", \"start_ns\": %llu, \"end_ns\": %llu}\n",
           timers.names[i], timers.starts[i] - timers.starts[0], timers.ends[i] - timers.starts[0]);
  printf("{\"probe\": \"profile\", \"total_ns\": %llu}\n", total_ns);
  return 0;
}
