// Runs one of the five kernels of kernels.cu and checks every output element against the CPU. Inputs are
// generated; where the sum of floats is compared exactly (reduce), they are small integers, so that no order
// of additions rounds.
#include "kernels.cu"

#include <math.h>

#include <vector>

#include "../common/check.h"

namespace {

const int kPersistentBlocks = 60;
const int kThreads = 256;

struct Run {
  int n;
  int repeat;
};

template <typename T>
T* to_device(const std::vector<T>& host) {
  T* device = nullptr;
  CHECK_CUDA(cudaMalloc(reinterpret_cast<void**>(&device), host.size() * sizeof(T)));
  CHECK_CUDA(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

template <typename T>
std::vector<T> to_host(const T* device, size_t count) {
  std::vector<T> host(count);
  CHECK_CUDA(cudaMemcpy(host.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

std::vector<float> random_floats(size_t count, unsigned seed) {
  workload::Random random(seed);
  std::vector<float> values(count);
  for (float& value : values) value = random.uniform(-1.0f, 1.0f);
  return values;
}

bool mismatch(const char* kernel, size_t index, double got, double expected) {
  fprintf(stderr, "micro: %s: element %zu is %.9g, expected %.9g\n", kernel, index, got, expected);
  return false;
}

bool run_vecadd(const Run& run) {
  std::vector<float> a = random_floats(run.n, 1), b = random_floats(run.n, 2);
  float *d_a = to_device(a), *d_b = to_device(b), *d_c = to_device(std::vector<float>(run.n));
  for (int r = 0; r < run.repeat; r++) {
    vecadd<<<(run.n + kThreads - 1) / kThreads, kThreads>>>(d_a, d_b, d_c, run.n);
    CHECK_LAUNCH("vecadd");
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<float> c = to_host(d_c, run.n);
  CHECK_CUDA(cudaFree(d_a));
  CHECK_CUDA(cudaFree(d_b));
  CHECK_CUDA(cudaFree(d_c));
  for (int i = 0; i < run.n; i++)
    if (c[i] != a[i] + b[i]) return mismatch("vecadd", i, c[i], a[i] + b[i]);
  return true;
}

bool run_matmul(const Run& run) {
  const int n = run.n;
  const size_t count = static_cast<size_t>(n) * n;
  std::vector<float> a = random_floats(count, 1), b = random_floats(count, 2);
  float *d_a = to_device(a), *d_b = to_device(b), *d_c = to_device(std::vector<float>(count));
  dim3 grid(n / MATMUL_TILE, n / MATMUL_TILE), block(MATMUL_TILE, MATMUL_TILE);
  for (int r = 0; r < run.repeat; r++) {
    matmul<<<grid, block>>>(d_a, d_b, d_c, n);
    CHECK_LAUNCH("matmul");
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<float> c = to_host(d_c, count);
  CHECK_CUDA(cudaFree(d_a));
  CHECK_CUDA(cudaFree(d_b));
  CHECK_CUDA(cudaFree(d_c));
  // A dot product of n terms in single precision, fused or not, errs by at most about n half-ulps of sum
  // |a*b|.
  std::vector<double> row_sum(n), row_abs(n);
  for (int row = 0; row < n; row++) {
    for (int col = 0; col < n; col++) row_sum[col] = row_abs[col] = 0;
    for (int k = 0; k < n; k++)
      for (int col = 0; col < n; col++) {
        double term =
            static_cast<double>(a[static_cast<size_t>(row) * n + k]) * b[static_cast<size_t>(k) * n + col];
        row_sum[col] += term;
        row_abs[col] += fabs(term);
      }
    for (int col = 0; col < n; col++) {
      size_t i = static_cast<size_t>(row) * n + col;
      if (!(fabs(c[i] - row_sum[col]) <= 6e-8 * (n + 1) * row_abs[col]))
        return mismatch("matmul", i, c[i], row_sum[col]);
    }
  }
  return true;
}

bool run_hist(const Run& run) {
  workload::Random random(1);
  std::vector<unsigned> data(run.n), expected(256);
  for (unsigned& value : data) value = random.next();
  for (unsigned value : data) expected[value & 255u]++;
  unsigned *d_data = to_device(data), *d_bins = to_device(std::vector<unsigned>(256));
  for (int r = 0; r < run.repeat; r++) {
    CHECK_CUDA(cudaMemset(d_bins, 0, 256 * sizeof(unsigned)));
    hist<<<kPersistentBlocks, kThreads>>>(d_data, d_bins, run.n);
    CHECK_LAUNCH("hist");
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<unsigned> bins = to_host(d_bins, 256);
  CHECK_CUDA(cudaFree(d_data));
  CHECK_CUDA(cudaFree(d_bins));
  for (int i = 0; i < 256; i++)
    if (bins[i] != expected[i]) return mismatch("hist", i, bins[i], expected[i]);
  return true;
}

bool run_copyk(const Run& run) {
  std::vector<float> from = random_floats(run.n, 1);
  float *d_from = to_device(from), *d_to = to_device(std::vector<float>(run.n));
  for (int r = 0; r < run.repeat; r++) {
    copyk<<<kPersistentBlocks, kThreads>>>(d_from, d_to, run.n);
    CHECK_LAUNCH("copyk");
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<float> to = to_host(d_to, run.n);
  CHECK_CUDA(cudaFree(d_from));
  CHECK_CUDA(cudaFree(d_to));
  for (int i = 0; i < run.n; i++)
    if (to[i] != from[i]) return mismatch("copyk", i, to[i], from[i]);
  return true;
}

bool run_reduce(const Run& run) {
  // Values 0 to 15 in one block's share of at most 2^24 / 16 elements each: every partial sum is exact in a
  // float.
  workload::Random random(1);
  std::vector<float> data(run.n), expected(kPersistentBlocks);
  for (int i = 0; i < run.n; i++) {
    data[i] = static_cast<float>(random.below(16));
    expected[(i / kThreads) % kPersistentBlocks] += data[i];
  }
  float *d_data = to_device(data), *d_sums = to_device(std::vector<float>(kPersistentBlocks));
  for (int r = 0; r < run.repeat; r++) {
    reduce<<<kPersistentBlocks, kThreads>>>(d_data, d_sums, run.n);
    CHECK_LAUNCH("reduce");
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  std::vector<float> sums = to_host(d_sums, kPersistentBlocks);
  CHECK_CUDA(cudaFree(d_data));
  CHECK_CUDA(cudaFree(d_sums));
  for (int i = 0; i < kPersistentBlocks; i++)
    if (sums[i] != expected[i]) return mismatch("reduce", i, sums[i], expected[i]);
  return true;
}

struct Entry {
  const char* name;
  bool (*run)(const Run&);
  int max_n;
};
const Entry kEntries[] = {{"vecadd", run_vecadd, 1 << 28},
                          {"matmul", run_matmul, 1 << 13},
                          {"hist", run_hist, 1 << 28},
                          {"copyk", run_copyk, 1 << 28},
                          {"reduce", run_reduce, 1 << 25}};

}  // namespace

int main(int argc, char** argv) {
  const Entry* entry = nullptr;
  const char* size_text = nullptr;
  Run run{0, 1};
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--help") == 0) {
      printf(
          "usage: micro KERNEL N [--repeat R]\n"
          "  KERNEL  vecadd, matmul (N x N, N a multiple of 16), hist, copyk or reduce\n"
          "  N       elements\n"
          "  R       launches of the kernel, 1 to 1000 (default 1)\n");
      return 0;
    }
    if (strcmp(argv[i], "--repeat") == 0) {
      if (++i == argc) workload::usage_error("micro", "no value after", "--repeat");
      run.repeat = static_cast<int>(workload::parse_number("micro", "--repeat", argv[i], 1, 1000));
    } else if (argv[i][0] == '-') {
      workload::usage_error("micro", "unknown option", argv[i]);
    } else if (entry == nullptr) {
      for (const Entry& candidate : kEntries)
        if (strcmp(candidate.name, argv[i]) == 0) entry = &candidate;
      if (entry == nullptr) workload::usage_error("micro", "unknown kernel", argv[i]);
    } else if (size_text == nullptr) {
      size_text = argv[i];
    } else {
      workload::usage_error("micro", "unexpected argument", argv[i]);
    }
  }
  if (entry == nullptr) workload::usage_error("micro", "missing argument", "KERNEL");
  if (size_text == nullptr) workload::usage_error("micro", "missing argument", "N");
  run.n = static_cast<int>(workload::parse_number("micro", "N", size_text, 1, entry->max_n));
  if (entry->run == run_matmul && run.n % MATMUL_TILE != 0)
    workload::usage_error("micro", "N of matmul must be a multiple of 16, not", size_text);
  if (!entry->run(run)) return 1;
  printf("PASS %s %d\n", entry->name, run.n);
  return 0;
}
