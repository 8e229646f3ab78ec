// Managed memory: written by the host, changed by a kernel, read by the host after a synchronization, twice
// over; a linked list whose pointers hold on both sides; a copy out of it.
#include "expect.h"

struct Node {
  int value;
  Node* next;
};

__global__ void change(int* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = data[i] * 3 + 1;
}

__global__ void sum_list(const Node* node, int* sum) {
  *sum = 0;
  for (; node != nullptr; node = node->next) *sum += node->value;
}

int main() {
  const int n = 3000;
  int *data = nullptr, *sum = nullptr;
  Node* nodes = nullptr;
  CHECK(cudaMallocManaged(reinterpret_cast<void**>(&data), n * sizeof(int)));
  CHECK(cudaMallocManaged(reinterpret_cast<void**>(&nodes), 50 * sizeof(Node)));
  CHECK(cudaMallocManaged(reinterpret_cast<void**>(&sum), sizeof(int)));
  std::vector<int> expected(n);
  for (int i = 0; i < n; i++) data[i] = expected[i] = i;
  for (int round = 0; round < 2; round++) {
    change<<<(n + 127) / 128, 128>>>(data, n);
    CHECK_LAUNCH();
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++) {
      expected[i] = expected[i] * 3 + 1;
      expect::equal("data", i, data[i], expected[i]);
      data[i] = expected[i] += round;
    }
  }
  int expected_sum = 0;
  for (int i = 0; i < 50; i++) {
    nodes[i].value = i * i;
    nodes[i].next = i % 7 == 6 ? (i + 8 < 50 ? &nodes[i + 8] : nullptr) : &nodes[i + 1];
    if (i == 49) nodes[i].next = nullptr;
  }
  for (const Node* node = nodes; node != nullptr; node = node->next) expected_sum += node->value;
  sum_list<<<1, 1>>>(nodes, sum);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  expect::equal("sum of the list", 0, *sum, expected_sum);
  std::vector<int> copied(n);
  CHECK(cudaMemcpy(copied.data(), data, n * sizeof(int), cudaMemcpyDefault));
  for (int i = 0; i < n; i++) expect::equal("copied", i, copied[i], expected[i]);
  CHECK(cudaFree(data));
  CHECK(cudaFree(nodes));
  CHECK(cudaFree(sum));
  return expect::pass("managed");
}
