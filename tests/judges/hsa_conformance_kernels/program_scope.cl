kernel void vector_copy_kernel(global const uint* from, global uint* to) {
  const size_t i = get_global_id(0);
  to[i] = from[i];
}
