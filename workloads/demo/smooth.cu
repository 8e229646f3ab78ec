// The program behind `make demo`: a signal in pinned memory is smoothed in two halves, each half in a stream
// of its own (copy in, kernel with a halo in shared memory, scaling kernel, copy out), and every output
// element is compared with the CPU. Short on purpose: its timeline fits one screen and shows two streams that
// overlap.
#include <math.h>

#include "../common/check.h"

namespace {

const int kThreads = 128;
const int kRadius = 3;
const float kScale = 0.5f;
const float kOffset = 1.25f;

// Mean of the 2 * kRadius + 1 neighbours; outside [0, n) the signal is 0.
__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float window[kThreads + 2 * kRadius];
  int i = blockIdx.x * kThreads + threadIdx.x;
  window[threadIdx.x + kRadius] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < kRadius) {
    int left = i - kRadius, right = i + kThreads;
    window[threadIdx.x] = left >= 0 && left < n ? in[left] : 0.0f;
    window[threadIdx.x + kThreads + kRadius] = right < n ? in[right] : 0.0f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k <= 2 * kRadius; k++) sum += window[threadIdx.x + k];
  out[i] = sum * (1.0f / (2 * kRadius + 1));
}

__global__ void scale(float* data, float factor, float offset, int n) {
  int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) data[i] = factor * data[i] + offset;
}

float expected_at(const float* in, int i, int n) {
  double sum = 0;
  for (int k = i - kRadius; k <= i + kRadius; k++)
    if (k >= 0 && k < n) sum += in[k];
  return static_cast<float>(kScale * (sum / (2 * kRadius + 1)) + kOffset);
}

}  // namespace

int main(int argc, char** argv) {
  int n = 1 << 14;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf(
          "usage: smooth [--size N]\n  N  samples in each of the two halves, 1 to 4194304 (default 16384)\n");
      return 0;
    }
    if (strcmp(argv[i], "--size") != 0) workload::usage_error("smooth", "unknown option", argv[i]);
    if (++i == argc) workload::usage_error("smooth", "no value after", "--size");
    n = static_cast<int>(workload::parse_number("smooth", "--size", argv[i], 1, 1 << 22));
  }

  const size_t bytes = n * sizeof(float);
  const int blocks = (n + kThreads - 1) / kThreads;
  float *in[2], *out[2], *d_in[2], *d_out[2];
  cudaStream_t streams[2];
  workload::Random random(7);
  for (int half = 0; half < 2; half++) {
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&in[half]), bytes));
    CHECK_CUDA(cudaMallocHost(reinterpret_cast<void**>(&out[half]), bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&d_in[half]), bytes));
    CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&d_out[half]), bytes));
    CHECK_CUDA(cudaStreamCreate(&streams[half]));
    for (int i = 0; i < n; i++) in[half][i] = random.uniform(-1.0f, 1.0f);
  }

  duetMark("data ready");
  for (int half = 0; half < 2; half++) {
    CHECK_CUDA(cudaMemcpyAsync(d_in[half], in[half], bytes, cudaMemcpyHostToDevice, streams[half]));
    smooth<<<blocks, kThreads, 0, streams[half]>>>(d_in[half], d_out[half], n);
    CHECK_LAUNCH("smooth");
    scale<<<blocks, kThreads, 0, streams[half]>>>(d_out[half], kScale, kOffset, n);
    CHECK_LAUNCH("scale");
    CHECK_CUDA(cudaMemcpyAsync(out[half], d_out[half], bytes, cudaMemcpyDeviceToHost, streams[half]));
  }
  for (int half = 0; half < 2; half++) CHECK_CUDA(cudaStreamSynchronize(streams[half]));
  duetMark("finish");

  for (int half = 0; half < 2; half++) {
    for (int i = 0; i < n; i++) {
      float expected = expected_at(in[half], i, n);
      if (!(fabsf(out[half][i] - expected) <= 1e-6f)) {
        fprintf(stderr, "smooth: half %d, sample %d is %.9g, expected %.9g\n", half, i, out[half][i],
                expected);
        return 1;
      }
    }
    CHECK_CUDA(cudaStreamDestroy(streams[half]));
    CHECK_CUDA(cudaFree(d_in[half]));
    CHECK_CUDA(cudaFree(d_out[half]));
    CHECK_CUDA(cudaFreeHost(in[half]));
    CHECK_CUDA(cudaFreeHost(out[half]));
  }
  printf("PASS smooth 2 x %d\n", n);
  return 0;
}
