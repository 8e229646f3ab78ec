// Streams in front of one hardware channel: kernels A1 and A2 go to one stream, B to another, in the order A1
// A2 B. With one channel, as on Fermi, A2 waits at its head for A1 and B waits behind A2 (a false
// dependency); with a channel a stream, B starts at once. The order A1 B A2 shows the same kernels without
// that wait. Events around every kernel give the times. A second part calls each stream and event function
// once and checks what it returns.
#include "../common/check.h"

namespace {

const int kThreads = 32;
const int kDefaultSteps = 20000;

// A chain of dependent multiply-adds: as long as wanted, on one SM, without touching memory.
__global__ void spin(unsigned* results, int steps, unsigned seed) {
  unsigned value = seed + threadIdx.x;
  for (int i = 0; i < steps; i++) value = value * 1664525u + 1013904223u;
  results[threadIdx.x] = value;
}

unsigned expected_spin(int steps, unsigned seed) {
  for (int i = 0; i < steps; i++) seed = seed * 1664525u + 1013904223u;
  return seed;
}

struct Step {
  const char* kernel;
  int stream;
  int index;
};

struct Order {
  const char* name;
  Step steps[3];
};

const Order kOrders[] = {{"A1 A2 B", {{"A1", 0, 0}, {"A2", 0, 1}, {"B", 1, 2}}},
                         {"A1 B A2", {{"A1", 0, 0}, {"B", 1, 2}, {"A2", 0, 1}}}};

void run_order(const Order& order, int steps) {
  cudaStream_t streams[2];
  cudaEvent_t base, starts[3], ends[3];
  unsigned* results;
  unsigned host[3 * kThreads];
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&results), sizeof(host)));
  CHECK_CUDA(cudaEventCreate(&base));
  for (int i = 0; i < 2; i++) CHECK_CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
  for (int i = 0; i < 3; i++) {
    CHECK_CUDA(cudaEventCreate(&starts[i]));
    CHECK_CUDA(cudaEventCreate(&ends[i]));
  }
  CHECK_CUDA(cudaMemset(results, 0, sizeof(host)));
  CHECK_CUDA(cudaDeviceSynchronize());

  CHECK_CUDA(cudaEventRecord(base, streams[0]));
  for (const Step& step : order.steps) {
    // B is short: the question is when it starts.
    int length = step.stream == 0 ? steps : steps / 16;
    // A1's end is recorded only in front of A2: behind A1 it would itself wait at the head of a shared
    // channel.
    if (step.index == 1) CHECK_CUDA(cudaEventRecord(ends[0], streams[0]));
    CHECK_CUDA(cudaEventRecord(starts[step.index], streams[step.stream]));
    spin<<<1, kThreads, 0, streams[step.stream]>>>(results + step.index * kThreads, length, step.index);
    CHECK_LAUNCH("spin");
    if (step.index != 0) CHECK_CUDA(cudaEventRecord(ends[step.index], streams[step.stream]));
  }
  CHECK_CUDA(cudaDeviceSynchronize());

  CHECK_CUDA(cudaMemcpy(host, results, sizeof(host), cudaMemcpyDeviceToHost));
  for (const Step& step : order.steps)
    for (int thread = 0; thread < kThreads; thread++) {
      unsigned got = host[step.index * kThreads + thread];
      unsigned expected = expected_spin(step.stream == 0 ? steps : steps / 16, step.index + thread);
      if (got != expected) {
        fprintf(stderr, "streams: thread %d of %s has %u, expected %u\n", thread, step.kernel, got, expected);
        exit(1);
      }
    }
  float start_ms[3], end_ms[3];
  for (const Step& step : order.steps) {
    CHECK_CUDA(cudaEventElapsedTime(&start_ms[step.index], base, starts[step.index]));
    CHECK_CUDA(cudaEventElapsedTime(&end_ms[step.index], base, ends[step.index]));
    printf(
        "{\"probe\": \"streams\", \"order\": \"%s\", \"kernel\": \"%s\", \"stream\": %d, "
        "\"start_us\": %.3f, \"end_us\": %.3f}\n",
        order.name, step.kernel, step.stream, start_ms[step.index] * 1e3, end_ms[step.index] * 1e3);
  }
  if (!(start_ms[1] >= end_ms[0])) {
    fprintf(stderr, "streams: order %s: A2 started before A1 of the same stream had ended\n", order.name);
    exit(1);
  }
  printf("{\"probe\": \"streams\", \"order\": \"%s\", \"b_waited\": %s}\n", order.name,
         start_ms[2] >= end_ms[0] ? "true" : "false");

  for (int i = 0; i < 3; i++) {
    CHECK_CUDA(cudaEventDestroy(starts[i]));
    CHECK_CUDA(cudaEventDestroy(ends[i]));
  }
  for (int i = 0; i < 2; i++) CHECK_CUDA(cudaStreamDestroy(streams[i]));
  CHECK_CUDA(cudaEventDestroy(base));
  CHECK_CUDA(cudaFree(results));
}

void expect(bool holds, const char* what) {
  printf("{\"probe\": \"streams\", \"check\": \"%s\", \"holds\": %s}\n", what, holds ? "true" : "false");
  if (holds) return;
  fprintf(stderr, "streams: does not hold: %s\n", what);
  exit(1);
}

void CUDART_CB raise_flag(void* flag) { *static_cast<volatile int*>(flag) = 1; }

void call_every_function(int steps) {
  int least = 0, greatest = 0, priority = 0;
  unsigned flags = 0;
  cudaStream_t plain, non_blocking, urgent;
  CHECK_CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  expect(greatest <= least, "greatest priority is numerically not above the least");
  CHECK_CUDA(cudaStreamCreate(&plain));
  CHECK_CUDA(cudaStreamCreateWithFlags(&non_blocking, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithPriority(&urgent, cudaStreamDefault, greatest));
  CHECK_CUDA(cudaStreamGetFlags(plain, &flags));
  expect(flags == cudaStreamDefault, "cudaStreamGetFlags of a plain stream");
  CHECK_CUDA(cudaStreamGetFlags(non_blocking, &flags));
  expect(flags == cudaStreamNonBlocking, "cudaStreamGetFlags of a non-blocking stream");
  CHECK_CUDA(cudaStreamGetPriority(urgent, &priority));
  expect(priority == greatest, "cudaStreamGetPriority returns what was asked for");

  unsigned* results;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&results), kThreads * sizeof(unsigned)));
  cudaEvent_t start, end, fence;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreateWithFlags(&end, cudaEventBlockingSync));
  CHECK_CUDA(cudaEventCreateWithFlags(&fence, cudaEventDisableTiming));
  expect(cudaEventQuery(end) == cudaSuccess, "an event that was never recorded is complete");

  CHECK_CUDA(cudaEventRecord(start, plain));
  spin<<<1, kThreads, 0, plain>>>(results, steps, 1);
  CHECK_LAUNCH("spin");
  CHECK_CUDA(cudaEventRecord(fence, plain));
  expect(cudaStreamQuery(plain) == cudaErrorNotReady, "cudaStreamQuery while a long kernel runs");
  expect(cudaEventQuery(fence) == cudaErrorNotReady, "cudaEventQuery while a long kernel runs");
  int called = 0;
  CHECK_CUDA(cudaStreamWaitEvent(non_blocking, fence, 0));
  CHECK_CUDA(cudaLaunchHostFunc(non_blocking, raise_flag, &called));
  CHECK_CUDA(cudaEventRecord(end, non_blocking));
  CHECK_CUDA(cudaEventSynchronize(end));
  expect(called == 1, "the host function ran before the event behind it");
  expect(cudaEventQuery(fence) == cudaSuccess, "what a finished event waited for is complete");
  float elapsed_ms = -1;
  CHECK_CUDA(cudaEventElapsedTime(&elapsed_ms, start, end));
  expect(elapsed_ms > 0, "cudaEventElapsedTime across a kernel is positive");
  expect(cudaEventElapsedTime(&elapsed_ms, start, fence) == cudaErrorInvalidResourceHandle,
         "cudaEventElapsedTime refuses an event without timing");
  expect(cudaGetLastError() == cudaErrorInvalidResourceHandle, "the refusal is the last error");
  CHECK_CUDA(cudaStreamSynchronize(plain));
  CHECK_CUDA(cudaStreamSynchronize(urgent));
  expect(cudaStreamQuery(plain) == cudaSuccess, "cudaStreamQuery of an idle stream");

  CHECK_CUDA(cudaEventDestroy(start));
  CHECK_CUDA(cudaEventDestroy(end));
  CHECK_CUDA(cudaEventDestroy(fence));
  CHECK_CUDA(cudaStreamDestroy(plain));
  CHECK_CUDA(cudaStreamDestroy(non_blocking));
  CHECK_CUDA(cudaStreamDestroy(urgent));
  CHECK_CUDA(cudaFree(results));
}

}  // namespace

int main(int argc, char** argv) {
  int steps = kDefaultSteps;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf(
          "usage: streams [--steps N]\n"
          "  N  dependent multiply-adds in each of A1 and A2, 16 to 100000000 (default %d)\n",
          kDefaultSteps);
      return 0;
    }
    if (strcmp(argv[i], "--steps") != 0) workload::usage_error("streams", "unknown option", argv[i]);
    if (++i == argc) workload::usage_error("streams", "no value after", "--steps");
    steps = static_cast<int>(workload::parse_number("streams", "--steps", argv[i], 16, 100000000));
  }
  for (const Order& order : kOrders) run_order(order, steps);
  call_every_function(steps);
  return 0;
}
