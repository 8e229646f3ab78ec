// dashti2017 Figure 4, kmeans: points with features are assigned to the nearest of a few centres. The GPU finds the nearest one, from features
// that a first kernel has transposed, so that neighbours read neighbours; the host then goes through all points in their own order, reads
// what each belongs to and adds its features to the new centres, until no point changes. `kmeans --points 4096 --iterations 40`.
//
// `--cpus 4` (Figure 7): the GPU has the first half of the points, the cores the other, at the same time; with managed memory in turn.
//
// Rodinia reads features through a texture and centres from constant memory: here they are __ldg and __constant__.
#include <float.h>

#include "../common/random.h"
#include "application.h"
#include "cores.h"

namespace {

const int kMostCenters = 32, kMostFeatures = 34, kThreads = 256;

__constant__ float centers_on_gpu[kMostCenters * kMostFeatures];

}  // namespace

extern "C" __global__ void transpose(const float* points, float* by_feature, int count, int features) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count) return;
  for (int i = 0; i < features; i++) by_feature[own + count * i] = points[own * features + i];
}

extern "C" __global__ void assign(const float* by_feature, int features, int count, int own_count, int centers, int* membership) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= own_count) return;
  int nearest = -1;
  float least = FLT_MAX;
  for (int center = 0; center < centers; center++) {
    float distance = 0;
    for (int i = 0; i < features; i++) {
      const float apart = __ldg(&by_feature[own + i * count]) - centers_on_gpu[center * features + i];
      distance += apart * apart;
    }
    if (distance < least) {
      least = distance;
      nearest = center;
    }
  }
  membership[own] = nearest;
}

namespace {

float distance_on_cpu(const float* point, const float* center, int features) {
  float sum = 0;
  for (int i = 0; i < features; i++) sum += (point[i] - center[i]) * (point[i] - center[i]);
  return sum;
}

int nearest_on_cpu(const float* point, const std::vector<float>& center, int features, int centers) {
  int nearest = -1;
  float least = FLT_MAX;
  for (int i = 0; i < centers; i++) {
    const float distance = distance_on_cpu(point, &center[i * features], features);
    if (distance >= least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments(
      "kmeans", "[--points N] [--features N] [--centers N] [--iterations N: at most] [--cpus N] [--time all|offload], integers", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int count = static_cast<int>(arguments.number("points", 1024, 32, 1u << 20));
  const int features = static_cast<int>(arguments.number("features", kMostFeatures, 1, kMostFeatures));
  const int centers = static_cast<int>(arguments.number("centers", 5, 1, kMostCenters));
  const int most = static_cast<int>(arguments.number("iterations", 8, 1, 500));
  const auto cpus = static_cast<unsigned>(arguments.number("cpus", 0, 0, 64));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  dashti2017::Array<float> points(method, size_t(count) * features), by_feature(method, size_t(count) * features);
  dashti2017::Array<int> membership(method, count);
  std::vector<float> center(centers * features), of_last(centers * features), sums(centers * features);
  std::vector<int> members(centers), before(count, -1), last(count);
  const int on_gpu = cpus == 0 ? count : count / 2 / kThreads * kThreads;
  dashti2017::Cores cores(cpus);
  by_feature.to_device();
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  workload::Random random(1);
  for (size_t i = 0; i < points.size(); i++) points[i] = random.uniform(0, 1);
  for (int i = 0; i < count; i++) membership[i] = -1;
  for (int i = 0; i < centers * features; i++) center[i] = points[i];
  timed.offload();
  points.to_device();
  const int blocks = (count + kThreads - 1) / kThreads;
  transpose<<<blocks, kThreads>>>(points.device(), by_feature.device(), count, features);
  CHECK_LAUNCH("transpose");
  int iteration = 0;
  for (bool changed = true; changed && iteration < most; iteration++) {
    changed = false;
    of_last = center;
    membership.to_device();
    CHECK_CUDA(cudaMemcpyToSymbol(centers_on_gpu, center.data(), center.size() * sizeof(float)));
    if (on_gpu > 0) assign<<<(on_gpu + kThreads - 1) / kThreads, kThreads>>>(by_feature.device(), features, count, on_gpu, centers, membership.device());
    CHECK_LAUNCH("assign");
    if (method == dashti2017::Method::kManaged) CHECK_CUDA(cudaDeviceSynchronize());
    if (cpus > 0)
      cores.loop(on_gpu, count, [&](int i) { membership[i] = nearest_on_cpu(&points[i * features], center, features, centers); });
    membership.to_host(on_gpu);
    for (int i = 0; i < count; i++) {
      const int own = membership[i];
      members[own]++;
      if (own != before[i]) {
        changed = true;
        before[i] = own;
      }
      for (int j = 0; j < features; j++) sums[own * features + j] += points[i * features + j];
    }
    for (int i = 0; i < centers; i++) {
      for (int j = 0; j < features; j++) {
        if (members[i] > 0) center[i * features + j] = sums[i * features + j] / static_cast<float>(members[i]);
        sums[i * features + j] = 0;
      }
      members[i] = 0;
    }
  }
  timed.offloaded();
  for (int i = 0; i < count; i++) last[i] = membership[i];
  timed.results();

  workload::Random again(1);
  std::vector<float> point(features);
  for (int i = 0; i < count; i++) {
    for (float& feature : point) feature = again.uniform(0, 1);
    const int right = nearest_on_cpu(point.data(), of_last, features, centers);
    const float least = distance_on_cpu(point.data(), &of_last[right * features], features);
    const bool exists = last[i] >= 0 && last[i] < centers;
    const float own = exists ? distance_on_cpu(point.data(), &of_last[last[i] * features], features) : -1;
    if (!dashti2017::close_to(own, least)) return dashti2017::wrong("kmeans", "the distance to the centre of point", i, own, least);
  }
  printf("PASS kmeans method=%s points=%d features=%d centers=%d iterations=%d\n", dashti2017::name_of(method), count, features, centers,
         iteration);
  return 0;
}
