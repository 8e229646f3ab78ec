// lustig2013 Figure 7: the four snippets, with the names in full (memcpyAsync is cudaMemcpyAsync, HtoD is
// cudaMemcpyHostToDevice, TriggerFull is cudaMemcpyTriggerFilled, ...) and sizes. Two more differences:
// before what is issued in advance its data are made empty, and Figures 7c and 7d exchange the names of input
// and output.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int n = 4096;
constexpr size_t bytes = n * sizeof(int);

static int *d_indata, *d_outdata, *h_indata, *h_outdata;
static cudaStream_t stream[3];
static int round_number = 0;

__global__ void kernel(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = 3 * in[i] + 1;
}

static void make_empty(int* data) {
  CHECK(duetFullEmptySet(data, bytes, duetEmpty, stream[0]));
  CHECK(cudaStreamSynchronize(stream[0]));
}

static void produce_input() {
  round_number++;
  for (int i = 0; i < n; i++) h_indata[i] = i * round_number;
}

static void check(const char* figure) {
  for (int i = 0; i < n; i++) expect::equal(figure, i, h_outdata[i], 3 * i * round_number + 1);
  memset(h_outdata, 0xff, bytes);
  CHECK(cudaDeviceSynchronize());
}

int main() {
  const int tds = 128, grid = n / tds, smem = 0;
  CHECK(duetMallocTracked(&d_indata, bytes));
  CHECK(duetMallocTracked(&d_outdata, bytes));
  CHECK(cudaMallocHost(&h_indata, bytes));
  CHECK(cudaMallocHost(&h_outdata, bytes));
  for (cudaStream_t& one : stream) CHECK(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));

  // (a) baseline
  produce_input();
  cudaMemcpyAsync(d_indata, h_indata, bytes, cudaMemcpyHostToDevice, stream[0]);
  kernel<<<grid, tds, smem, stream[0]>>>(d_indata, d_outdata);
  cudaMemcpyAsync(h_outdata, d_outdata, bytes, cudaMemcpyDeviceToHost, stream[0]);
  cudaStreamSynchronize(stream[0]);
  check("a");

  // (b) overlap-start
  make_empty(d_indata);
  kernel<<<grid, tds, smem, stream[0]>>>(d_indata, d_outdata);
  produce_input();
  cudaMemcpyAsync(d_indata, h_indata, bytes, cudaMemcpyHostToDevice, stream[1], cudaMemcpyTriggerNone,
                  cudaMemcpyActionFill);
  cudaMemcpyAsync(h_outdata, d_outdata, bytes, cudaMemcpyDeviceToHost, stream[0]);
  cudaStreamSynchronize(stream[0]);
  check("b");

  // (c) overlap-finish
  make_empty(d_outdata);
  cudaMemcpyAsync(h_outdata, d_outdata, bytes, cudaMemcpyDeviceToHost, stream[1], cudaMemcpyTriggerFilled);
  produce_input();
  cudaMemcpyAsync(d_indata, h_indata, bytes, cudaMemcpyHostToDevice, stream[0], cudaMemcpyTriggerNone,
                  cudaMemcpyActionFill);
  kernel<<<grid, tds, smem, stream[0]>>>(d_indata, d_outdata);
  cudaStreamSynchronize(stream[1]);
  check("c");

  // (d) full-overlap
  make_empty(d_indata);
  make_empty(d_outdata);
  kernel<<<grid, tds, smem, stream[0]>>>(d_indata, d_outdata);
  cudaMemcpyAsync(h_outdata, d_outdata, bytes, cudaMemcpyDeviceToHost, stream[2], cudaMemcpyTriggerFilled);
  produce_input();
  cudaMemcpyAsync(d_indata, h_indata, bytes, cudaMemcpyHostToDevice, stream[1], cudaMemcpyTriggerNone,
                  cudaMemcpyActionFill);
  cudaStreamSynchronize(stream[2]);
  check("d");

  CHECK_LAUNCH();
  for (cudaStream_t one : stream) CHECK(cudaStreamDestroy(one));
  CHECK(cudaFreeHost(h_indata));
  CHECK(cudaFreeHost(h_outdata));
  CHECK(cudaFree(d_indata));
  CHECK(cudaFree(d_outdata));
  return expect::pass("full_empty_figure7");
}
