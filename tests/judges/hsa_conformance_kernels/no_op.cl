kernel void no_op_kernel(void) {}
