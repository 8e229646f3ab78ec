kernel void increment(global ulong* data, ulong stride, uint every) {
  const size_t i = get_global_id(0);
  if (i % every == 0) data[i * stride]++;
}
