// With an array of the work-item's own, which no register can hold: its place is known only at run time.
kernel void private_memory_kernel(global const uint* in, global uint* out, uint count) {
  uint words[128];
  if (get_local_id(0) > count) return;
  const size_t i = get_global_id(0);
  barrier(CLK_GLOBAL_MEM_FENCE);
  const uint last = count < 127 ? count : 127;
  for (uint k = 0; k <= last; ++k) words[k] = in[i] + k;
  out[i] = words[in[i] <= last ? in[i] : last] - (in[i] <= last ? in[i] : last);
}
