// Coarse-grained memory that the program writes and reads between kernels: a packet's fences see to it where
// the GPU's caches are not coherent.
//
//   coarse FOLDER            packets acquire and release with system scope
//   coarse FOLDER none       without fences: what is then read is old on such a machine
#include "hsa_test.h"

enum { kItems = 1024, kRounds = 3 };

int main(int argc, char** argv) {
  const int fenced = argc != 3 || strcmp(argv[2], "none") != 0;
  struct gpu gpu = start(2, argv, "vector_copy.hsaco");
  const struct kernel kernel = find_kernel(&gpu, "vector_copy");
  int* in = allocate(gpu.coarse, kItems * sizeof(int));
  int* out = allocate(gpu.coarse, kItems * sizeof(int));
  char* kernarg = allocate(gpu.fine, kernel.kernarg);
  memcpy(kernarg, &in, sizeof in);
  memcpy(kernarg + sizeof in, &out, sizeof out);
  const hsa_signal_t done = new_signal(1);
  int wrong = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (int i = 0; i < kItems; ++i) in[i] = 1000 * round + i;
    hsa_signal_store_relaxed(done, 1);
    uint64_t number;
    hsa_kernel_dispatch_packet_t* packet = next_packet(gpu.queue, &number);
    packet->setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    packet->workgroup_size_x = 256;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = kItems;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->group_segment_size = kernel.group;
    packet->kernel_object = kernel.object;
    packet->kernarg_address = kernarg;
    packet->completion_signal = done;
    const uint16_t header = fenced ? header_of(HSA_PACKET_TYPE_KERNEL_DISPATCH, 0)
                                   : HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE;
    __atomic_store_n((uint16_t*)packet, header, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(gpu.queue->doorbell_signal, (hsa_signal_value_t)number);
    wait_for_zero(done);
    for (int i = 0; i < kItems; ++i) wrong += out[i] != in[i];
  }
  printf(wrong == 0 ? "PASS coarse\n" : "old values\n");
  return 0;
}
