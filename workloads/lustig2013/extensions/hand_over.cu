// lustig2013 sections 4.5 and 9: GPU instructions that name triggers and actions. One kernel produces,
// another consumes; both keep a state from value to value, so that a channel's values come one after the
// other and parallelism is the number of channels, not of values.
//
//   array    both run at once; every value has a word. A store fills, and the load that takes a value empties
//            (ld.full.empty), so the words are ready for the next pass. Only the consumer waits
//   fixed    the same with what section 4.1 fixes: a store fills, a load waits and leaves its word full. A
//            command before each pass empties
//   ring     both run at once, through a few words a channel: st.empty.fill, ld.full.empty. Both wait, so the
//            controllers must look past a waiting head (gpu.full_empty.look_ahead)
//   flags    both run at once, through such a ring without bits: counters a block in volatile memory,
//            __threadfence and spinning
//   kernels  one kernel after the other in one stream; every value has a word
#include "extension.h"

namespace {

using namespace lustig2013;

enum WayIndex { kArray, kFixed, kRing, kFlags, kKernels };
const Way kWays[] = {{"array", "bits, a word for every value"},
                     {"fixed", "as array, but loads do not empty"},
                     {"ring", "bits, a ring of words"},
                     {"flags", "no bits, a ring and flags"},
                     {"kernels", "no bits, one kernel after the other"}};
Number numbers[] = {{"--values", "of a channel", 64, 1, 65536, 1},
                    {"--blocks", "of 128 channels", 16, 1, 64, 1},
                    {"--slots", "in a ring", 4, 1, 1024, 1},
                    {"--work", "steps of arithmetic on either side of a value", 16, 0, 10000, 1}};
const unsigned kThreads = 128;

__host__ __device__ unsigned produced(unsigned state, unsigned work) {
  for (unsigned i = 0; i <= work; i++) state = state * 1664525u + 1013904223u;
  return state;
}
__host__ __device__ unsigned consumed(unsigned state, unsigned value, unsigned work) {
  state += value;
  for (unsigned i = 0; i <= work; i++) state = state * 22695477u + 1u;
  return state;
}

struct Shape {
  unsigned values, slots, work;
};

template <size_t kWay>
__global__ void produce(unsigned* words, volatile unsigned* made, volatile unsigned* taken, Shape shape) {
  const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x, channels = gridDim.x * blockDim.x;
  unsigned state = channel, slot = 0;
  for (unsigned v = 0; v < shape.values; v++) {
    state = produced(state, shape.work);
    unsigned* word = words + slot * channels + channel;
    slot = slot + 1 == shape.slots ? 0 : slot + 1;
    if (kWay == kRing) {
      duetStoreEmptyFill(word, state);
    } else if (kWay == kFlags) {
      if (threadIdx.x == 0)
        while (v - taken[blockIdx.x] >= shape.slots) {
        }
      __syncthreads();
      *word = state;
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) made[blockIdx.x] = v + 1;
    } else {
      *word = state;
    }
  }
}

template <size_t kWay>
__global__ void consume(unsigned* words, volatile unsigned* made, volatile unsigned* taken, unsigned* out,
                        Shape shape) {
  const unsigned channel = blockIdx.x * blockDim.x + threadIdx.x, channels = gridDim.x * blockDim.x;
  unsigned state = channel, slot = 0;
  for (unsigned v = 0; v < shape.values; v++) {
    unsigned* word = words + slot * channels + channel;
    slot = slot + 1 == shape.slots ? 0 : slot + 1;
    unsigned value;
    if (kWay == kRing || kWay == kArray) {
      value = duetLoadFullEmpty(word);
    } else if (kWay == kFlags) {
      if (threadIdx.x == 0)
        while (made[blockIdx.x] <= v) {
        }
      __syncthreads();
      value = *const_cast<volatile unsigned*>(word);
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) taken[blockIdx.x] = v + 1;
    } else {
      value = *word;
    }
    state = consumed(state, value, shape.work);
    out[v * channels + channel] = state;
  }
}

template <size_t kWay>
void start(unsigned* words, unsigned* made, unsigned* taken, unsigned* out, Shape shape, unsigned blocks,
           cudaStream_t producer, cudaStream_t consumer) {
  produce<kWay><<<blocks, kThreads, 0, producer>>>(words, made, taken, shape);
  CHECK_LAUNCH("produce");
  consume<kWay><<<blocks, kThreads, 0, consumer>>>(words, made, taken, out, shape);
  CHECK_LAUNCH("consume");
}

}  // namespace

int main(int argc, char** argv) {
  const size_t way = parse_ways(argc, argv, "hand_over", kWays, numbers);
  Shape shape = {numbers[0].value, numbers[2].value, numbers[3].value};
  const unsigned blocks = numbers[1].value, channels = blocks * kThreads;
  const bool bits = way <= kRing;
  if (way != kRing && way != kFlags) shape.slots = shape.values;
  const size_t results = static_cast<size_t>(shape.values) * channels,
               words = static_cast<size_t>(shape.slots) * channels;
  const Stream producer, consumer;
  const Tracked<unsigned> tracked(bits ? words : 1);
  const Device<unsigned> plain(bits ? 1 : words), flags(2 * blocks), out(results);
  const Pinned<unsigned> back(results);
  unsigned *ring = bits ? tracked.get() : plain.get(), *made = flags.get(), *taken = made + blocks;

  cudaEvent_t emptied;
  CHECK_CUDA(cudaEventCreateWithFlags(&emptied, cudaEventDisableTiming));
  // Twice: the second pass finds the words as the first has left them.
  for (unsigned pass = 0; pass < 2; pass++) {
    back.poison();
    CHECK_CUDA(cudaMemcpyAsync(out.get(), back.get(), out.bytes(), cudaMemcpyHostToDevice, producer.get()));
    CHECK_CUDA(cudaMemsetAsync(flags.get(), 0, flags.bytes(), producer.get()));
    if (bits && pass == 0) tracked.set(duetEmpty, producer.get());
    CHECK_CUDA(cudaDeviceSynchronize());
    if (pass == 1) duetMark("data ready");
    if (way == kFixed) {
      tracked.set(duetEmpty, producer.get());
      CHECK_CUDA(cudaEventRecord(emptied, producer.get()));
      CHECK_CUDA(cudaStreamWaitEvent(consumer.get(), emptied, 0));
    }
    const cudaStream_t second = way == kKernels ? producer.get() : consumer.get();
    const auto go = [&](auto starter) {
      starter(ring, made, taken, out.get(), shape, blocks, producer.get(), second);
    };
    if (way == kArray) go(start<kArray>);
    if (way == kFixed) go(start<kFixed>);
    if (way == kRing) go(start<kRing>);
    if (way == kFlags) go(start<kFlags>);
    if (way == kKernels) go(start<kKernels>);
    for (const Stream* stream : {&producer, &consumer}) CHECK_CUDA(cudaStreamSynchronize(stream->get()));
    if (pass == 1) duetMark("finish");
    CHECK_CUDA(cudaMemcpyAsync(back.get(), out.get(), out.bytes(), cudaMemcpyDeviceToHost, producer.get()));
    CHECK_CUDA(cudaStreamSynchronize(producer.get()));
    for (unsigned channel = 0; channel < channels; channel++) {
      unsigned value = channel, state = channel;
      for (unsigned v = 0; v < shape.values; v++) {
        value = produced(value, shape.work);
        state = consumed(state, value, shape.work);
        const size_t at = static_cast<size_t>(v) * channels + channel;
        require_word("hand_over", at, back[at], state);
      }
    }
  }
  CHECK_CUDA(cudaEventDestroy(emptied));
  printf("PASS hand_over %u\n", channels);
  return 0;
}
