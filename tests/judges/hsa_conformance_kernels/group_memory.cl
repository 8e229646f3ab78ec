// Through the group's memory: its own array, or what the packet has added, from an offset on.
kernel void group_memory_static_kernel(global const uint* in, global uint* out, uint count) {
  local uint words[256];
  const size_t i = get_local_id(0);
  if (i > count) return;
  words[i] = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = words[i];
}

kernel void group_memory_dynamic_kernel(global const uint* in, global uint* out, uint offset, uint count) {
  local uint words[256];
  if (get_local_id(0) > count) return;
  local uint* const word = (local uint*)((local char*)words + offset) + get_global_id(0);
  *word = in[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  out[get_global_id(0)] = *word;
}
