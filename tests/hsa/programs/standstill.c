// A barrier packet waits for a signal that nobody raises, and the program for the packet.
#include "hsa_test.h"

int main(void) {
  CHECK(hsa_init());
  const struct gpu gpu = find_gpu();
  uint64_t number;
  hsa_barrier_and_packet_t* packet = next_packet(gpu.queue, &number);
  packet->dep_signal[0] = new_signal(1);
  packet->completion_signal = new_signal(1);
  publish(gpu.queue, packet, number, HSA_PACKET_TYPE_BARRIER_AND, 0);
  wait_for_zero(packet->completion_signal);
  return 0;
}
