kernel void no_op2_kernel(void) {}
