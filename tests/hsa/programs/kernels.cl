__kernel void add(__global const int* a, __global const int* b, __global int* out, int n) {
  const int i = get_global_id(0);
  if (i < n) out[i] = a[i] + b[i];
}

// Each group turns its part around, by way of group memory.
__kernel void turn(__global int* data) {
  __local int part[64];
  const int i = get_local_id(0);
  part[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = part[63 - i];
}

// The same and back again, with group memory of its own and of the packet.
__kernel void turn_twice(__global int* data, __local int* more) {
  __local int part[64];
  const int i = get_local_id(0);
  part[i] = data[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  more[i] = part[63 - i] + 1000;
  barrier(CLK_LOCAL_MEM_FENCE);
  data[get_global_id(0)] = more[63 - i] + part[0];
}

// data = data * 2 + value: the order of two of them shows.
__kernel void step(__global int* data, int value) {
  data[get_global_id(0)] = data[get_global_id(0)] * 2 + value;
}

// Where each work-item is, in three dimensions.
__kernel void place(__global int* out) {
  const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
  out[(z * get_global_size(1) + y) * get_global_size(0) + x] =
      x + 100 * y + 10000 * z + 1000000 * (int)get_local_id(0) + 10000000 * (int)get_num_groups(1);
}

__kernel void fault(__global int* nowhere) { nowhere[get_global_id(0)] = 1; }
