// A producer kernel and a consumer kernel that run side by side and hand values over through a ring of tracked
// words: st.empty.fill and ld.full.empty (lustig2013 4.5: triggers and actions named by GPU instructions). Nothing
// is lost, nothing is seen twice, and the consumer starts before there is anything to consume.
#include "expect.h"

#include <duet_full_empty.h>

constexpr int slots = 4, blocks = 2, threads = 64, channels = blocks * threads;

template <class T>
__device__ __host__ T value(int round, int channel) {
  return static_cast<T>(1000003) * static_cast<T>(round + 1) + static_cast<T>(channel);
}

template <class T>
__global__ void produce(T* ring, int rounds) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++)
    duetStoreEmptyFill(&ring[r % slots * channels + channel], value<T>(r, channel));
}

template <class T>
__global__ void consume(T* ring, T* out, int rounds) {
  const int channel = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = 0; r < rounds; r++)
    out[r * channels + channel] = duetLoadFullEmpty(&ring[r % slots * channels + channel]);
}

// One value a round through one word: the lanes of a warp that take it are one access and all get it.
__global__ void produce_one(int* word, int rounds) {
  for (int r = 0; r < rounds; r++) duetStoreEmptyFill(word, value<int>(r, 0));
}
__global__ void consume_one(int* word, int* out, int rounds) {
  for (int r = 0; r < rounds; r++) {
    const int got = duetLoadFullEmpty(word);
    out[r * blockDim.x + threadIdx.x] = got;
  }
}

static cudaStream_t producer, consumer;

template <class T>
static void ring_of(bool consumer_first, int rounds) {
  T* ring = nullptr;
  CHECK(duetMallocTracked(&ring, slots * channels * sizeof(T)));
  CHECK(duetFullEmptySet(ring, slots * channels * sizeof(T), duetEmpty, 0));
  expect::Array<T> out(static_cast<size_t>(rounds) * channels);
  CHECK(cudaDeviceSynchronize());
  if (consumer_first) consume<<<blocks, threads, 0, consumer>>>(ring, out.device(), rounds);
  produce<<<blocks, threads, 0, producer>>>(ring, rounds);
  if (!consumer_first) consume<<<blocks, threads, 0, consumer>>>(ring, out.device(), rounds);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  out.fetch();
  for (int r = 0; r < rounds; r++)
    for (int c = 0; c < channels; c++)
      expect::equal("received", r * channels + c, out.host[r * channels + c], value<T>(r, c));
  CHECK(cudaFree(ring));
}

static void one_word(int rounds) {
  int* word = nullptr;
  CHECK(duetMallocTracked(&word, sizeof(int)));
  CHECK(duetFullEmptySet(word, sizeof(int), duetEmpty, 0));
  expect::Array<int> out(rounds * 32);
  CHECK(cudaDeviceSynchronize());
  consume_one<<<1, 32, 0, consumer>>>(word, out.device(), rounds);
  produce_one<<<1, 1, 0, producer>>>(word, rounds);
  CHECK_LAUNCH();
  CHECK(cudaDeviceSynchronize());
  out.fetch();
  for (int i = 0; i < rounds * 32; i++) expect::equal("one word", i, out.host[i], value<int>(i / 32, 0));
  CHECK(cudaFree(word));
}

int main() {
  CHECK(cudaStreamCreateWithFlags(&producer, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&consumer, cudaStreamNonBlocking));
  for (bool consumer_first : {true, false}) {
    ring_of<int>(consumer_first, 24);
    ring_of<double>(consumer_first, 10);
  }
  one_word(50);
  CHECK(cudaStreamDestroy(producer));
  CHECK(cudaStreamDestroy(consumer));
  return expect::pass("full_empty_ring");
}
