// One value into a grid of one to three dimensions with pitches.
size_t place(uint row_pitch, uint slice_pitch) {
  size_t i = get_global_id(0);
  if (get_work_dim() > 1) i += get_global_id(1) * row_pitch;
  if (get_work_dim() > 2) i += get_global_id(2) * slice_pitch;
  return i;
}

kernel void init_int_data_kernel(global int* data, int value, uint row_pitch, uint slice_pitch) {
  data[place(row_pitch, slice_pitch)] = value;
}

kernel void init_float_data_kernel(global float* data, float value, uint row_pitch, uint slice_pitch) {
  data[place(row_pitch, slice_pitch)] = value;
}

kernel void init_double_data_kernel(global double* data, double value, uint row_pitch, uint slice_pitch) {
  data[place(row_pitch, slice_pitch)] = value;
}
