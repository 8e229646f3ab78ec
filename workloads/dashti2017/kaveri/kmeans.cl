kernel void transpose(global const float* points, global float* by_feature, int count, int features) {
  const int own = get_global_id(0);
  if (own >= count) return;
  for (int i = 0; i < features; i++) by_feature[own + count * i] = points[own * features + i];
}

kernel void assign(global const float* by_feature, global const float* centers, global int* membership, int count, int features, int center_count) {
  const int own = get_global_id(0);
  if (own >= count) return;
  int nearest = -1;
  float least = FLT_MAX;
  for (int center = 0; center < center_count; center++) {
    float distance = 0;
    for (int i = 0; i < features; i++) {
      const float apart = by_feature[own + i * count] - centers[center * features + i];
      distance += apart * apart;
    }
    if (distance < least) {
      least = distance;
      nearest = center;
    }
  }
  membership[own] = nearest;
}
