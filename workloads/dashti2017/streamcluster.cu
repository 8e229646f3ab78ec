// dashti2017 Figure 4, streamcluster: points with weights are assigned to centres, and a centre costs something. For a point drawn at random the
// GPU computes what each point would save if that one were a centre; the host adds up per centre, decides, and assigns the points anew.
// Coordinates are transposed, so neighbours read neighbours; all read those of the candidate, too; the sums of a point lie apart from its
// neighbour's. `streamcluster --points 1024 --dimensions 64 --gains 10`.
#include "../common/random.h"
#include "application.h"

namespace {

struct Point {
  float weight;
  int first;  // of its coordinates in the program's own memory
  int center;
  float cost;
};
using Byte = unsigned char;
const int kThreads = 512, kMostCenters = 20;

}  // namespace

extern "C" __global__ void gains_of(const float* coordinates, const Point* points, const int* place_of_center, float* sums, Byte* switches,
                                    int count, int dimensions, int candidate, int centers) {
  const int own = blockIdx.x * blockDim.x + threadIdx.x;
  if (own >= count) return;
  float* const lower = sums + own * (centers + 1);
  float distance = 0;
  for (int i = 0; i < dimensions; i++) {
    const float apart = coordinates[i * count + own] - coordinates[i * count + candidate];
    distance += apart * apart;
  }
  const float cost = distance * points[own].weight;
  if (cost < points[own].cost) {
    switches[own] = 1;
    lower[centers] += cost - points[own].cost;
  } else {
    lower[place_of_center[points[own].center]] += points[own].cost - cost;
  }
}

namespace {

class Clusters {
 public:
  Clusters(dashti2017::Method method, int count, int dimensions)
      : own_(size_t(count) * dimensions),
        is_center_(count, false),
        count_(count),
        dimensions_(dimensions),
        coordinates_(method, size_t(count) * dimensions),
        points_(method, count),
        place_of_center_(method, count),
        sums_(method, size_t(count + 1) * (kMostCenters + 2)),
        switches_(method, count) {
    workload::Random random(1);
    for (float& one : own_) one = random.uniform(0, 1);
    // Two random points are a sixth of the dimensions apart; a centre is worth what a few of its points save.
    price_ = static_cast<float>(dimensions) / 24 * static_cast<float>(count) / 160;
  }

  // Every so many points one is a centre; the host assigns the points to them, and transposes the coordinates.
  void begin(int centers) {
    centers_ = centers;
    for (int i = 0; i < count_; i++) {
      points_[i] = {1, i * dimensions_, 0, 0};
      points_[i].cost = apart(i, 0);
      place_of_center_[i] = 0;
    }
    for (int k = 0; k < centers; k++) {
      const int center = k * (count_ / centers);
      is_center_[center] = true;
      for (int i = 0; i < count_ && k > 0; i++) {
        const float cost = apart(i, center);
        if (cost >= points_[i].cost) continue;
        points_[i].cost = cost;
        points_[i].center = center;
      }
    }
    for (int i = 0; i < dimensions_; i++)
      for (int j = 0; j < count_; j++) coordinates_[i * count_ + j] = own_[j * dimensions_ + i];
  }
  void to_device() const { coordinates_.to_device(); }

  // Opens a centre at the candidate where that saves cost, and closes those that it makes superfluous.
  void gain(int candidate) {
    evaluate(candidate);
    const int stride = centers_ + 1;
    std::vector<float> of_center(centers_);
    float change = price_;
    int closed = 0;
    for (int i = 0; i < count_; i++) {
      if (is_center_[i]) {
        float low = price_;
        const int place = place_of_center_[i];
        for (int j = 0; j < count_; j++) low += sums_[j * stride + place];
        of_center[place] = low;
        if (low > 0) {
          closed++;
          sums_[i * stride + centers_] -= low;
        }
      }
      change += sums_[i * stride + centers_];
    }
    if (change >= 0 || is_center_[candidate] || centers_ + 1 - closed > kMostCenters) return;
    for (int i = 0; i < count_; i++) {
      if (switches_[i] == 0 && of_center[place_of_center_[points_[i].center]] <= 0) continue;
      points_[i].cost = apart(i, candidate) * points_[i].weight;
      points_[i].center = candidate;
    }
    for (int i = 0; i < count_; i++)
      if (is_center_[i] && of_center[place_of_center_[i]] > 0) is_center_[i] = false;
    is_center_[candidate] = true;
    centers_ += 1 - closed;
  }

  // Another evaluation, each of whose elements is compared.
  int check(int candidate) {
    evaluate(candidate);
    for (int i = 0; i < count_; i++) {
      const float cost = apart(i, candidate), before = points_[i].cost;
      const float expected = apart(i, points_[i].center);
      if (!is_center_[points_[i].center] || !dashti2017::close_to(before, expected))
        return dashti2017::wrong("streamcluster", "the cost of point", i, before, expected);
      for (int k = 0; k <= centers_; k++) {
        const bool switches = switches_[i] != 0, concerned = k == (switches ? centers_ : place_of_center_[points_[i].center]);
        const float sum = sums_[i * (centers_ + 1) + k], right = concerned ? (switches ? cost - before : before - cost) : 0;
        if (!dashti2017::close_to(sum, right, 1e-4)) return dashti2017::wrong("streamcluster", "a sum of point", i, sum, right);
      }
    }
    return 0;
  }
  int centers() const { return centers_; }

 private:
  float apart(int i, int j) const {
    const float *const of_i = &own_[points_[i].first], *const of_j = &own_[points_[j].first];
    float sum = 0;
    for (int k = 0; k < dimensions_; k++) sum += (of_i[k] - of_j[k]) * (of_i[k] - of_j[k]);
    return sum;
  }

  void evaluate(int candidate) {
    int places = 0;
    for (int i = 0; i < count_; i++)
      if (is_center_[i]) place_of_center_[i] = places++;
    const size_t sums = size_t(count_ + 1) * (centers_ + 1);
    place_of_center_.to_device();
    points_.to_device();
    switches_.give_up();
    sums_.give_up();
    CHECK_CUDA(cudaMemset(switches_.device(), 0, count_));
    CHECK_CUDA(cudaMemset(sums_.device(), 0, sums * sizeof(float)));
    const int threads = count_ < kThreads ? count_ : kThreads;
    gains_of<<<(count_ + threads - 1) / threads, threads>>>(coordinates_.device(), points_.device(), place_of_center_.device(),
                                                           sums_.device(), switches_.device(), count_, dimensions_, candidate, centers_);
    CHECK_LAUNCH("gains_of");
    CHECK_CUDA(cudaDeviceSynchronize());
    sums_.to_host(sums);
    switches_.to_host();
    place_of_center_.take_back();
    points_.take_back();
  }

  std::vector<float> own_;  // of the program, point by point
  std::vector<bool> is_center_;
  int count_, dimensions_, centers_ = 0;
  float price_;
  dashti2017::Array<float> coordinates_;
  dashti2017::Array<Point> points_;
  dashti2017::Array<int> place_of_center_;
  dashti2017::Array<float> sums_;
  dashti2017::Array<Byte> switches_;
};

}  // namespace

int main(int argc, char** argv) {
  dashti2017::Arguments arguments("streamcluster", "[--points N] [--dimensions N] [--gains N] [--time all|offload], integers", argc, argv);
  const dashti2017::Method method = arguments.method();
  const int count = static_cast<int>(arguments.number("points", 256, 64, 1u << 20));
  const int dimensions = static_cast<int>(arguments.number("dimensions", 32, 1, 1024));
  const int gains = static_cast<int>(arguments.number("gains", 4, 1, 1u << 16));
  const dashti2017::Timed timed(arguments);
  arguments.end();

  Clusters clusters(method, count, dimensions);
  CHECK_CUDA(cudaDeviceSynchronize());
  timed.inputs();
  clusters.begin(10);
  timed.offload();
  clusters.to_device();
  workload::Random random(2);
  for (int i = 0; i < gains; i++) clusters.gain(static_cast<int>(random.below(count)));
  timed.offloaded();
  timed.results();
  if (const int status = clusters.check(static_cast<int>(random.below(count)))) return status;
  printf("PASS streamcluster method=%s points=%d dimensions=%d gains=%d centers=%d\n", dashti2017::name_of(method), count, dimensions, gains,
         clusters.centers());
  return 0;
}
