__kernel void vector_copy(__global const int* in, __global int* out) {
  const int i = get_global_id(0);
  out[i] = in[i];
}
