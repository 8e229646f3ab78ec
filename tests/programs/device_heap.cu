// malloc, free, new and delete in device code: lists that one kernel makes, another changes and a third
// frees; alignment; a heap that runs full and has room again; its limit.
#include <stdint.h>

#include "expect.h"

struct Node {
  Node* next;
  int value;
};

__global__ void build(Node** lists) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  Node* list = nullptr;
  for (int j = 0; j < i % 9; j++) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->next = list;
    node->value = i * 100 + j;
    list = node;
  }
  lists[i] = list;
}
__global__ void drop_odd(Node** lists) {
  Node** at = &lists[blockIdx.x * blockDim.x + threadIdx.x];
  while (*at != nullptr) {
    Node* node = *at;
    if (node->value % 2 == 0) {
      at = &node->next;
      continue;
    }
    *at = node->next;
    free(node);
  }
}
__global__ void sum(Node** lists, int* sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, total = 0;
  while (lists[i] != nullptr) {
    Node* node = lists[i];
    total += node->value;
    lists[i] = node->next;
    delete node;
  }
  sums[i] = total;
}

// Blocks of every size are aligned and apart from each other.
__global__ void sizes(int* wrong) {
  int i = threadIdx.x;
  unsigned char* bytes = static_cast<unsigned char*>(malloc(i + 1));
  int* words = new int[i + 3];
  if (reinterpret_cast<uintptr_t>(bytes) % 16 != 0 || reinterpret_cast<uintptr_t>(words) % 16 != 0)
    atomicAdd(wrong, 1);
  memset(bytes, i, i + 1);
  for (int j = 0; j < i + 3; j++) words[j] = i * 1000 + j;
  __syncthreads();
  for (int j = 0; j < i + 1; j++)
    if (bytes[j] != i) atomicAdd(wrong, 1);
  for (int j = 0; j < i + 3; j++)
    if (words[j] != i * 1000 + j) atomicAdd(wrong, 1);
  free(bytes);
  delete[] words;
  free(nullptr);
}

// Compilers may leave out an allocation whose address nobody sees.
__device__ void* volatile kept;

// One thread takes all there is, in pieces, and gives it back.
__global__ void fill_up(size_t piece, int* counts) {
  for (int round = 0; round < 2; round++) {
    void** last = nullptr;
    int count = 0;
    while (void** block = static_cast<void**>(malloc(piece))) {
      *block = last;
      last = block;
      count++;
    }
    counts[round] = count;
    while (last != nullptr) {
      void** next = static_cast<void**>(*last);
      free(last);
      last = next;
    }
  }
  kept = malloc(piece * counts[0]);
  counts[2] = kept != nullptr;
  free(kept);
  kept = malloc(piece * (counts[0] + 1));
  counts[3] = kept != nullptr;
}

int main() {
  constexpr int kLists = 128;
  size_t limit = 0;
  CHECK(cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize));
  REQUIRE(limit == 8u << 20);
  CHECK(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 20));
  expect::Array<Node*> lists(kLists);
  expect::Array<int> sums(kLists), wrong(1), counts(4);
  build<<<2, kLists / 2>>>(lists.device());
  CHECK_LAUNCH();
  // The host reaches nothing of the heap.
  Node* of_heap = lists.fetch()[2];
  REQUIRE(of_heap != nullptr);
  char bytes[8];
  REQUIRE_STATUS(cudaMemcpy(bytes, of_heap, sizeof bytes, cudaMemcpyDeviceToHost), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaMemset(of_heap, 0, sizeof bytes), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  drop_odd<<<4, kLists / 4>>>(lists.device());
  sum<<<1, kLists>>>(lists.device(), sums.device());
  CHECK_LAUNCH();
  sums.fetch();
  for (int i = 0; i < kLists; i++) {
    int expected = 0;
    for (int j = 0; j < i % 9; j += 2) expected += i * 100 + j;
    expect::equal("sum", i, sums.host[i], expected);
  }
  sizes<<<1, 96>>>(wrong.device());
  CHECK_LAUNCH();
  wrong.fetch();
  expect::equal("wrong", 0, wrong.host[0], 0);
  fill_up<<<1, 1>>>(65536, counts.device());
  CHECK_LAUNCH();
  counts.fetch();
  for (int round = 0; round < 2; round++) expect::equal("pieces", round, counts.host[round], 16);
  expect::equal("whole", 0, counts.host[2], 1);
  expect::equal("more", 0, counts.host[3], 0);
  REQUIRE_STATUS(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 2 << 20), cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaGetLastError(), cudaErrorInvalidValue);
  return expect::pass("device_heap");
}
