// Programs whose best memory is another one on a chip with one DRAM (tk1): `methods reuse`, and so on.
//   reuse     cudaHostAlloc: the host reads an array eight times behind a kernel whose threads all read it: managed memory is faster
//   launches  cudaMallocManaged: each of many kernels changes one word of a large array, which is flushed each time: cudaHostAlloc
//   both      cudaHostAlloc: host and kernel work at once, which managed memory does not allow
//   clock     as reuse, and prints its time
//   copies    cudaMalloc and cudaMemcpy of pageable memory: managed memory needs no copies
//   none      cudaHostAlloc, hardly used: nothing to gain
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

__global__ void sum_all(const int* data, int count, int* sums) {
  int sum = 0;
  for (int i = 0; i < count; i++) sum += data[i];
  sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void add_one(int* word) { *word += 1; }
__global__ void fill(int* data, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) data[i] = i;
}

static long reuse(int count) {
  int *data, *sums;
  cudaHostAlloc(&data, count * sizeof *data, 0);
  cudaHostAlloc(&sums, 256 * sizeof *sums, 0);
  long found = 0;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < count; i++) data[i] = i + round;
    sum_all<<<1, 256>>>(data, count, sums);
    cudaDeviceSynchronize();
    for (int i = 0; i < 256; i++) found += sums[i];
    for (int pass = 0; pass < 8; pass++)
      for (int i = 0; i < count; i++) found += data[i];
  }
  return found;
}
static long launches(int count) {
  int* data;
  cudaMallocManaged(&data, count * sizeof *data);
  memset(data, 0, count * sizeof *data);
  for (int i = 0; i < 40; i++) {
    add_one<<<1, 1>>>(data + i % 2);
    cudaDeviceSynchronize();
  }
  return data[0] + 2 * data[1];
}
static long both(int count) {
  int* data;
  cudaHostAlloc(&data, 2 * count * sizeof *data, 0);
  fill<<<1, 256>>>(data, count);
  for (int i = count; i < 2 * count; i++) data[i] = 7;
  cudaDeviceSynchronize();
  long found = 0;
  for (int i = 0; i < 2 * count; i++) found += data[i];
  return found;
}
static long copies(int count) {
  int *host = static_cast<int*>(malloc(count * sizeof *host)), *data;
  cudaMalloc(&data, count * sizeof *data);
  long found = 0;
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < count; i++) host[i] = i;
    cudaMemcpy(data, host, count * sizeof *host, cudaMemcpyHostToDevice);
    add_one<<<1, 1>>>(data + round);
    cudaMemcpy(host, data, count * sizeof *host, cudaMemcpyDeviceToHost);
    found += host[round] + host[count - 1];
  }
  return found;
}
static long none() {
  int *word, *own;
  cudaHostAlloc(&word, sizeof *word, 0);
  cudaMalloc(&own, 65536 * sizeof *own);
  for (int i = 0; i < 4; i++) fill<<<1, 256>>>(own, 65536);
  cudaDeviceSynchronize();
  *word = 5;
  return *word;
}

int main(int count, char** words) {
  const char* const name = count > 1 ? words[1] : "";
  if (!strcmp(name, "reuse") || !strcmp(name, "clock")) printf("%ld\n", reuse(4096));
  if (!strcmp(name, "launches")) printf("%ld\n", launches(131072));
  if (!strcmp(name, "both")) printf("%ld\n", both(32768));
  if (!strcmp(name, "copies")) printf("%ld\n", copies(65536));
  if (!strcmp(name, "none")) printf("%ld\n", none());
  if (!strcmp(name, "clock")) {
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%ld ns\n", now.tv_nsec);
  }
}
