struct point {
  float weight;
  int center;
  float cost;
};
enum { kMostDimensions = 256 };

kernel void clear(global float* sums, global uchar* switches, int sum_count, int count) {
  const int own = get_global_id(0);
  if (own < sum_count) sums[own] = 0;
  if (own < count) switches[own] = 0;
}

// A distance has its place among the point's sums.
void keep_gain(float distance, global const struct point* points, global const int* place_of_center, global float* sums, global uchar* switches,
               int own, int centers) {
  global float* const lower = sums + own * (centers + 1);
  const float cost = distance * points[own].weight;
  if (cost < points[own].cost) {
    switches[own] = 1;
    lower[centers] += cost - points[own].cost;
  } else {
    lower[place_of_center[points[own].center]] += points[own].cost - cost;
  }
}

// The group has the candidate's coordinates in local memory.
kernel void gains_by_local(global const float* coordinates, global const struct point* points, global const int* place_of_center,
                           global float* sums, global uchar* switches, int count, int dimensions, int candidate, int centers) {
  local float of_candidate[kMostDimensions];
  const int own = get_global_id(0);
  for (int i = get_local_id(0); i < dimensions; i += get_local_size(0)) of_candidate[i] = coordinates[i * count + candidate];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (own >= count) return;
  float distance = 0;
  for (int i = 0; i < dimensions; i++) {
    const float apart = coordinates[i * count + own] - of_candidate[i];
    distance += apart * apart;
  }
  keep_gain(distance, points, place_of_center, sums, switches, own, centers);
}

// The same from global memory.
kernel void gains_by_global(global const float* coordinates, global const struct point* points, global const int* place_of_center,
                            global float* sums, global uchar* switches, int count, int dimensions, int candidate, int centers) {
  const int own = get_global_id(0);
  if (own >= count) return;
  float distance = 0;
  for (int i = 0; i < dimensions; i++) {
    const float apart = coordinates[i * count + own] - coordinates[i * count + candidate];
    distance += apart * apart;
  }
  keep_gain(distance, points, place_of_center, sums, switches, own, centers);
}
