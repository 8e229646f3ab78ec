// A kernel that needs one math function; compile.sh checks that its PTX defines nothing else.
__global__ void sinf_only(float* data) { data[threadIdx.x] = sinf(data[threadIdx.x]); }
