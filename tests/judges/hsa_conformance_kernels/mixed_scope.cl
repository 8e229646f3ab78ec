// Two that differ in their linkage, which OpenCL C does not have.
kernel void vector_copy_kernel1(global const uint* from, global uint* to) {
  const size_t i = get_global_id(0);
  to[i] = from[i];
}

kernel void vector_copy_kernel2(global const uint* from, global uint* to) {
  const size_t i = get_global_id(0);
  to[i] = from[i];
}
