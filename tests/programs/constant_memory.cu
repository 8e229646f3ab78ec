// __constant__ arrays and structures: cudaMemcpyToSymbol with and without offset, cudaMemcpyFromSymbol, an
// initializer, cudaGetSymbolAddress and cudaGetSymbolSize, uniform and divergent reads.
#include "expect.h"

struct Parameters {
  int shift;
  float factor;
  double bias;
};

__constant__ int table[64];
__constant__ Parameters parameters;
__constant__ int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};

__global__ void read(int* from_table, double* from_parameters) {
  int i = threadIdx.x;
  from_table[i] = table[(i * 5 + parameters.shift) % 64] * primes[i % 8];
  from_parameters[i] = parameters.factor * i + parameters.bias;
}

int main() {
  std::vector<int> values(64);
  for (int i = 0; i < 64; i++) values[i] = 1000 - i * i;
  CHECK(cudaMemcpyToSymbol(table, values.data(), 64 * sizeof(int)));
  int replaced[4] = {-1, -2, -3, -4};
  CHECK(cudaMemcpyToSymbol(table, replaced, sizeof(replaced), 10 * sizeof(int)));
  for (int i = 0; i < 4; i++) values[10 + i] = replaced[i];
  Parameters host_parameters{3, 0.5f, 100.0};
  CHECK(cudaMemcpyToSymbol(parameters, &host_parameters, sizeof(host_parameters)));

  expect::Array<int> from_table(64);
  expect::Array<double> from_parameters(64);
  read<<<1, 64>>>(from_table.device(), from_parameters.device());
  CHECK_LAUNCH();
  from_table.fetch();
  from_parameters.fetch();
  const int host_primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
  for (int i = 0; i < 64; i++) {
    expect::equal("table", i, from_table.host[i], values[(i * 5 + 3) % 64] * host_primes[i % 8]);
    expect::equal("parameters", i, from_parameters.host[i], 0.5 * i + 100.0);
  }
  int back[64];
  CHECK(cudaMemcpyFromSymbol(back, table, sizeof(back)));
  for (int i = 0; i < 64; i++) expect::equal("back", i, back[i], values[i]);
  int one = 0;
  CHECK(cudaMemcpyFromSymbol(&one, primes, sizeof(int), 3 * sizeof(int)));
  expect::equal("primes", 3, one, 7);
  size_t size = 0;
  void* address = nullptr;
  CHECK(cudaGetSymbolSize(&size, table));
  CHECK(cudaGetSymbolAddress(&address, table));
  REQUIRE(size == sizeof(back));
  CHECK(cudaMemcpy(&one, static_cast<int*>(address) + 11, sizeof(int), cudaMemcpyDeviceToHost));
  expect::equal("through the address", 11, one, -2);
  return expect::pass("constant_memory");
}
