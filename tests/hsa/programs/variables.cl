__global int counter = 5;
__constant int table[3] = {10, 20, 30};

__kernel void count(__global int* out, int which) {
  out[0] = counter + table[which];
  counter = 9;
}
