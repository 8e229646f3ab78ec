// dashti2017 Figure 15, kmeans: points with features are assigned to the nearest of a few centres, as
// ../kmeans.cu has it. The GPU finds the nearest one, from features that a first kernel has transposed; the
// host goes through all points, reads what each belongs to and adds its features to the new centres, until no
// point changes. Rodinia's OpenCL has the centres in global memory.
//   kmeans --method svm-fine --points 2048 --iterations 20 --code FOLDER
#include <float.h>

#include "application.h"

enum { kMostCenters = 32, kMostFeatures = 34 };

static float distance_of(const float* point, const float* center, int features) {
  float sum = 0;
  for (int i = 0; i < features; i++) sum += (point[i] - center[i]) * (point[i] - center[i]);
  return sum;
}
static float least_distance(const float* point, const float* centers, int center_count, int features) {
  float least = FLT_MAX;
  for (int i = 0; i < center_count; i++) {
    const float own = distance_of(point, centers + i * features, features);
    if (own < least) least = own;
  }
  return least;
}

// New centres from what the points belong to. Whether a point has changed.
static int move_centers(const float* points, const int* membership, int* before, int count, int features,
                        float* centers, int center_count) {
  float sums[kMostCenters * kMostFeatures] = {0};
  int members[kMostCenters] = {0}, changed = 0;
  for (int i = 0; i < count; i++) {
    const int own = membership[i];
    members[own]++;
    changed |= own != before[i];
    before[i] = own;
    for (int j = 0; j < features; j++) sums[own * features + j] += points[i * features + j];
  }
  for (int i = 0; i < center_count; i++)
    for (int j = 0; j < features && members[i] > 0; j++)
      centers[i * features + j] = sums[i * features + j] / (float)members[i];
  return changed;
}

int main(int argc, char** argv) {
  begin();
  open_framework(&argc, argv, "kmeans");
  const int count = size_option(&argc, argv, "points", 512, kMostCenters, 1 << 20);
  const int features = size_option(&argc, argv, "features", kMostFeatures, 1, kMostFeatures);
  const int center_count = size_option(&argc, argv, "centers", 5, 1, kMostCenters);
  const int most = size_option(&argc, argv, "iterations", 4, 1, 500);
  no_more(argc, argv);

  const size_t numbers = (size_t)count * (size_t)features;
  struct shared points = new_shared(numbers * sizeof(float)),
                by_feature = new_shared(numbers * sizeof(float));
  struct shared centers = new_shared((size_t)(center_count * features) * sizeof(float)),
                membership = new_shared((size_t)count * sizeof(int));
  float *const point = points.host, *const center = centers.host;
  const int* const member = membership.host;
  struct random random = random_of(1);
  for (size_t i = 0; i < numbers; i++) point[i] = uniform(&random);
  memcpy(center, point, centers.bytes);
  int* const before = malloc(membership.bytes);
  memset(before, -1, membership.bytes);
  to_gpu(&points);
  run("transpose", (size_t)count, kGroup, 4,
      (struct argument[]){MEMORY(points), MEMORY(by_feature), VALUE(count), VALUE(features)});
  float* const of_last = malloc(centers.bytes);
  for (int iteration = 0, changed = 1; changed && iteration < most; iteration++) {
    memcpy(of_last, center, centers.bytes);
    to_gpu(&centers);
    run("assign", (size_t)count, kGroup, 6,
        (struct argument[]){MEMORY(by_feature), MEMORY(centers), MEMORY(membership), VALUE(count),
                            VALUE(features), VALUE(center_count)});
    to_host(&membership);
    for (int i = 0; i < count; i++)
      if (member[i] < 0 || member[i] >= center_count)
        return wrong("kmeans", "the centre of point", i, member[i], center_count - 1);
    changed = move_centers(point, member, before, count, features, center, center_count);
  }
  end();

  for (int i = 0; i < count; i++) {
    const float own = distance_of(point + i * features, of_last + before[i] * features, features);
    const float least = least_distance(point + i * features, of_last, center_count, features);
    if (!close_to(own, least, 1e-5))
      return wrong("kmeans", "the distance to the centre of point", i, own, least);
  }
  return report();
}
