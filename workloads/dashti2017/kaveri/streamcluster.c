// dashti2017 Figure 15, streamcluster: points with weights are assigned to centres, and a centre costs
// something, as ../streamcluster.cu has it. For a point drawn at random the GPU computes what each point
// would save if that one were a centre; the host adds up per centre, decides, and assigns the points anew.
// The candidate's coordinates are in local memory, but for HSA, for which the paper's authors could allocate
// none.
//   streamcluster --method svm-fine --points 512 --dimensions 64 --gains 4 --local yes --code FOLDER
#include "application.h"

struct point {
  float weight;
  int center;
  float cost;
};
#ifdef FRAMEWORK_HSA
#define LOCAL_MEMORY "no"
#else
#define LOCAL_MEMORY "yes"
#endif
enum { kMostCenters = 20, kFirstCenters = 10, kMostDimensions = 256 };

static struct {
  int count, dimensions, center_count, local;
  float price;
  float* own;  // coordinates point by point, which the program alone reads
  char* is_center;
  struct shared coordinates, points, place_of_center, sums, switches;
} clusters;

static float apart(int i, int j) {
  const float *const of_i = clusters.own + i * clusters.dimensions, *const of_j = clusters.own +
                                                                                  j * clusters.dimensions;
  float sum = 0;
  for (int k = 0; k < clusters.dimensions; k++) sum += (of_i[k] - of_j[k]) * (of_i[k] - of_j[k]);
  return sum;
}

// Every so many points one is a centre. Two random points are a sixth of the dimensions apart; a centre is
// worth what a few of its points save.
static void make_clusters(void) {
  const int count = clusters.count, dimensions = clusters.dimensions;
  const size_t numbers = (size_t)count * (size_t)dimensions;
  clusters.price = (float)dimensions / 24 * (float)count / 160;
  clusters.own = malloc(numbers * sizeof(float));
  clusters.is_center = calloc((size_t)count, 1);
  clusters.coordinates = new_shared(numbers * sizeof(float));
  clusters.points = new_shared((size_t)count * sizeof(struct point));
  clusters.place_of_center = new_shared((size_t)count * sizeof(int));
  clusters.sums = new_shared((size_t)count * (kMostCenters + 1) * sizeof(float));
  clusters.switches = new_shared((size_t)count);
  struct random random = random_of(1);
  for (size_t i = 0; i < numbers; i++) clusters.own[i] = uniform(&random);
  float* const coordinate = clusters.coordinates.host;
  for (int i = 0; i < count; i++)
    for (int j = 0; j < dimensions; j++) coordinate[j * count + i] = clusters.own[i * dimensions + j];
  struct point* const point = clusters.points.host;
  for (int k = 0; k < kFirstCenters; k++) {
    const int center = k * (count / kFirstCenters);
    clusters.is_center[center] = 1;
    for (int i = 0; i < count; i++) {
      const float cost = apart(i, center);
      if (k == 0 || cost < point[i].cost) point[i] = (struct point){1, center, cost};
    }
  }
  clusters.center_count = kFirstCenters;
  memset(clusters.place_of_center.host, 0, clusters.place_of_center.bytes);
}

static void evaluate(int candidate) {
  int* const place = clusters.place_of_center.host;
  for (int i = 0, places = 0; i < clusters.count; i++)
    if (clusters.is_center[i]) place[i] = places++;
  to_gpu(&clusters.place_of_center);
  to_gpu(&clusters.points);
  const int sum_count = clusters.count * (clusters.center_count + 1);
  run("clear", (size_t)sum_count, kGroup, 4,
      (struct argument[]){MEMORY(clusters.sums), MEMORY(clusters.switches), VALUE(sum_count),
                          VALUE(clusters.count)});
  run(clusters.local ? "gains_by_local" : "gains_by_global", (size_t)clusters.count, kGroup, 9,
      (struct argument[]){MEMORY(clusters.coordinates), MEMORY(clusters.points),
                          MEMORY(clusters.place_of_center), MEMORY(clusters.sums), MEMORY(clusters.switches),
                          VALUE(clusters.count), VALUE(clusters.dimensions), VALUE(candidate),
                          VALUE(clusters.center_count)});
  to_host(&clusters.sums);
  to_host(&clusters.switches);
}

// Opens a centre at the candidate where that saves cost, and closes those that it makes superfluous.
static void gain(int candidate) {
  evaluate(candidate);
  const int* const place = clusters.place_of_center.host;
  const float* const sums = clusters.sums.host;
  const uint8_t* const switches = clusters.switches.host;
  struct point* const point = clusters.points.host;
  const int places = clusters.center_count, stride = places + 1;
  float of_place[kMostCenters];
  float change = clusters.price;
  int closed = 0;
  for (int k = 0; k < places; k++) of_place[k] = clusters.price;
  for (int i = 0; i < clusters.count; i++) {
    for (int k = 0; k < places; k++) of_place[k] += sums[i * stride + k];
    change += sums[i * stride + places];
  }
  for (int k = 0; k < places; k++)
    if (of_place[k] > 0) {
      closed++;
      change -= of_place[k];
    }
  if (change >= 0 || clusters.is_center[candidate] || places + 1 - closed > kMostCenters) return;
  for (int i = 0; i < clusters.count; i++)
    if (switches[i] || of_place[place[point[i].center]] > 0) {
      point[i].cost = apart(i, candidate) * point[i].weight;
      point[i].center = candidate;
    }
  for (int i = 0; i < clusters.count; i++)
    if (clusters.is_center[i] && of_place[place[i]] > 0) clusters.is_center[i] = 0;
  clusters.is_center[candidate] = 1;
  clusters.center_count += 1 - closed;
}

// Another evaluation, each of whose elements is compared.
static int check(int candidate) {
  evaluate(candidate);
  const int* const place = clusters.place_of_center.host;
  const float* const sums = clusters.sums.host;
  const struct point* const point = clusters.points.host;
  for (int i = 0; i < clusters.count; i++) {
    const float cost = apart(i, candidate), before = apart(i, point[i].center);
    if (!clusters.is_center[point[i].center] || !close_to(point[i].cost, before, 1e-5))
      return wrong("streamcluster", "the cost of point", i, point[i].cost, before);
    const int switches = ((const uint8_t*)clusters.switches.host)[i];
    if (switches != (cost < point[i].cost) && !close_to(cost, before, 1e-5))
      return wrong("streamcluster", "the switch of point", i, switches, !switches);
    const int concerned = switches ? clusters.center_count : place[point[i].center];
    for (int k = 0; k <= clusters.center_count; k++) {
      const float sum = sums[i * (clusters.center_count + 1) + k], right = k != concerned ? 0
                                                                           : switches     ? cost - before
                                                                                          : before - cost;
      if (!close_to(sum, right, 1e-4)) return wrong("streamcluster", "a sum of point", i, sum, right);
    }
  }
  return 0;
}

int main(int argc, char** argv) {
  begin();
  open_framework(&argc, argv, "streamcluster");
  clusters.count = size_option(&argc, argv, "points", 256, 64, 1 << 20);
  clusters.dimensions = size_option(&argc, argv, "dimensions", 32, 1, kMostDimensions);
  const int gains = size_option(&argc, argv, "gains", 2, 1, 1 << 16);
  const char* const local = option(&argc, argv, "local", LOCAL_MEMORY);
  no_more(argc, argv);
  clusters.local = strcmp(local, "yes") == 0;
  if (!clusters.local && strcmp(local, "no") != 0) {
    fprintf(stderr, "streamcluster: --local %s: yes or no\n", local);
    return 2;
  }

  make_clusters();
  to_gpu(&clusters.coordinates);
  struct random random = random_of(2);
  for (int i = 0; i < gains; i++) gain(below(&random, clusters.count));
  end();
  const double kernels = kernels_ns;
  const int failed = check(below(&random, clusters.count));
  kernels_ns = kernels;
  return failed ? failed : report();
}
