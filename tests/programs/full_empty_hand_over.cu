// Two copies that hand a buffer back and forth: a producer that waits for empty and fills, a consumer that
// waits for full and empties. Nothing is lost and nothing is seen twice. Both wait in the controllers' queue
// of triggered copies, which never reorders accesses to one line: with the argument "consumer_first" the
// producer cannot pass the consumer that waits for it (lustig2013 4.3). A stream that waits must not hold the
// others up in the one hardware channel that gtx580 has.
#include "expect.h"

#include <duet_full_empty.h>

int main(int argc, char**) {
  const bool consumer_first = argc > 1;
  const int rounds = 6, words = 3000;
  int *data = nullptr, *sent = nullptr, *received = nullptr;
  cudaStream_t to_device, to_host;
  CHECK(cudaStreamCreateWithFlags(&to_device, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&to_host, cudaStreamNonBlocking));
  CHECK(duetMallocTracked(&data, words * sizeof(int)));
  CHECK(cudaMallocHost(&sent, rounds * words * sizeof(int)));
  CHECK(cudaMallocHost(&received, rounds * words * sizeof(int)));
  for (int i = 0; i < rounds * words; i++) sent[i] = 1000003 * (i + 1);
  CHECK(duetFullEmptySet(data, words * sizeof(int), duetEmpty, 0));
  CHECK(cudaDeviceSynchronize());
  const auto consume = [&](int r) {
    CHECK(cudaMemcpyAsync(received + r * words, data, words * sizeof(int), cudaMemcpyDeviceToHost, to_host,
                          cudaMemcpyTriggerFilled, cudaMemcpyActionEmpty));
  };
  for (int r = 0; r < rounds; r++) {
    if (consumer_first) consume(r);
    CHECK(cudaMemcpyAsync(data, sent + r * words, words * sizeof(int), cudaMemcpyHostToDevice, to_device,
                          cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
    if (!consumer_first) consume(r);
  }
  CHECK(cudaDeviceSynchronize());
  for (int i = 0; i < rounds * words; i++) expect::equal("received", i, received[i], sent[i]);
  // The last consumer has emptied everything: the next producer does not wait.
  CHECK(cudaMemcpyAsync(data, sent, words * sizeof(int), cudaMemcpyHostToDevice, to_device,
                        cudaMemcpyTriggerEmptied, cudaMemcpyActionFill));
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(data));
  CHECK(cudaFreeHost(sent));
  CHECK(cudaFreeHost(received));
  CHECK(cudaStreamDestroy(to_device));
  CHECK(cudaStreamDestroy(to_host));
  return expect::pass("full_empty_hand_over");
}
