// Packets: kernels with group memory and in three dimensions, the barrier bit, both barriers, more packets
// than the ring has places, and two queues at once.
#include <hsa/hsa_ext_amd.h>

#include "hsa_test.h"

enum { kItems = 256 };

static struct gpu gpu;

static void* arguments(const void* from, size_t bytes) {
  void* kernarg = allocate(gpu.fine, bytes);
  memcpy(kernarg, from, bytes);
  return kernarg;
}

static void check_group_memory(void) {
  const struct kernel turn = find_kernel(&gpu, "turn");
  EQUAL(turn.group, 64 * sizeof(int));
  int* data = allocate(gpu.coarse, kItems * sizeof(int));
  for (int i = 0; i < kItems; ++i) data[i] = i;
  const hsa_signal_t done = new_signal(1);
  dispatch(gpu.queue, turn, arguments(&data, sizeof data), kItems, 64, 0, done);
  wait_for_zero(done);
  for (int i = 0; i < kItems; ++i) EQUAL(data[i], i / 64 * 64 + 63 - i % 64);
}

// An argument in group memory is an offset there, behind the kernel's own.
static void check_dynamic_group_memory(void) {
  struct kernel turn = find_kernel(&gpu, "turn_twice");
  const struct {
    int* data;
    uint64_t more;
  } own = {allocate(gpu.fine, kItems * sizeof(int)), turn.group};
  for (int i = 0; i < kItems; ++i) own.data[i] = i;
  turn.group += 64 * sizeof(int);
  const hsa_signal_t done = new_signal(1);
  dispatch(gpu.queue, turn, arguments(&own, sizeof own), kItems, 64, 0, done);
  wait_for_zero(done);
  for (int i = 0; i < kItems; ++i) EQUAL(own.data[i], i + 1000 + i / 64 * 64);
}

static void check_dimensions(void) {
  const struct kernel place = find_kernel(&gpu, "place");
  int* out = allocate(gpu.fine, 6 * 5 * 4 * sizeof(int));
  const hsa_signal_t done = new_signal(1);
  uint64_t number;
  hsa_kernel_dispatch_packet_t* packet = next_packet(gpu.queue, &number);
  packet->setup = 3 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
  packet->workgroup_size_x = 4;  // groups of 4, 2 and 4: x and y end with a part of one
  packet->workgroup_size_y = 2;
  packet->workgroup_size_z = 4;
  packet->grid_size_x = 6;
  packet->grid_size_y = 5;
  packet->grid_size_z = 4;
  packet->kernel_object = place.object;
  packet->kernarg_address = arguments(&out, sizeof out);
  packet->completion_signal = done;
  publish(gpu.queue, packet, number, HSA_PACKET_TYPE_KERNEL_DISPATCH, 0);
  wait_for_zero(done);
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 5; ++y)
      for (int x = 0; x < 6; ++x)
        EQUAL(out[(z * 5 + y) * 6 + x], x + 100 * y + 10000 * z + 1000000 * (x % 4) + 30000000);
}

static void check_order(void) {
  const struct kernel step = find_kernel(&gpu, "step");
  int* data = allocate(gpu.fine, sizeof(int) * 64);
  data[0] = 0;
  hsa_signal_t done = new_signal(100);
  // More packets than the ring of 64 has places; the barrier bit puts each behind the one before.
  int expected = 0;
  for (int i = 0; i < 100; ++i) {
    const struct {
      int* data;
      int value;
    } own = {data, i % 3};
    dispatch(gpu.queue, step, arguments(&own, sizeof own), 1, 1, 1, done);
    expected = expected * 2 + i % 3;
  }
  wait_for_zero(done);
  EQUAL(data[0], expected);
  EQUAL(hsa_queue_load_read_index_scacquire(gpu.queue), hsa_queue_load_write_index_relaxed(gpu.queue));
}

// The second queue's kernel waits behind a barrier packet for the first queue's; `any`: for one of two.
static void check_barrier(hsa_packet_type_t type) {
  const int any = type == HSA_PACKET_TYPE_BARRIER_OR;
  const struct kernel step = find_kernel(&gpu, "step");
  hsa_queue_t* second;
  CHECK(hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_SINGLE, NULL, NULL, UINT32_MAX, UINT32_MAX, &second));
  int* data = allocate(gpu.fine, sizeof(int));
  data[0] = 1;
  const struct {
    int* data;
    int value;
  } one = {data, 1}, two = {data, 2};
  const hsa_signal_t first_done = new_signal(1), never = new_signal(1), done = new_signal(1),
                     passed = new_signal(1);
  uint64_t number;
  hsa_barrier_and_packet_t* packet = next_packet(second, &number);
  packet->dep_signal[0] = any ? never : first_done;
  packet->dep_signal[3] = first_done;
  packet->completion_signal = passed;
  publish(second, packet, number, type, 0);
  dispatch(second, step, arguments(&two, sizeof two), 1, 1, 1, done);
  // Nothing has raised the barrier.
  const uint64_t ticks = 20000;  // 200 us
  EQUAL(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, ticks, HSA_WAIT_STATE_BLOCKED), 1);
  EQUAL(hsa_signal_load_relaxed(passed), 1);
  dispatch(gpu.queue, step, arguments(&one, sizeof one), 1, 1, 0, first_done);
  wait_for_zero(done);
  EQUAL(hsa_signal_load_relaxed(passed), 0);
  EQUAL(data[0], (1 * 2 + 1) * 2 + 2);
  CHECK(hsa_queue_destroy(second));
}

// A barrier that the program itself raises.
static void check_raised_by_program(void) {
  const hsa_signal_t gate = new_signal(1), done = new_signal(1);
  uint64_t number;
  hsa_barrier_and_packet_t* packet = next_packet(gpu.queue, &number);
  packet->dep_signal[4] = gate;
  packet->completion_signal = done;
  publish(gpu.queue, packet, number, HSA_PACKET_TYPE_BARRIER_AND, 1);
  EQUAL(hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_EQ, 0, 1000, HSA_WAIT_STATE_ACTIVE), 1);
  hsa_signal_subtract_screlease(gate, 1);
  wait_for_zero(done);
}

static void check_times(void) {
  const struct kernel step = find_kernel(&gpu, "step");
  int* data = allocate(gpu.fine, 4096 * sizeof(int));
  const struct {
    int* data;
    int value;
  } own = {data, 1};
  const hsa_signal_t unprofiled = new_signal(1), small = new_signal(1), large = new_signal(1);
  hsa_amd_profiling_dispatch_time_t first, second;
  dispatch(gpu.queue, step, arguments(&own, sizeof own), 64, 64, 1, unprofiled);
  wait_for_zero(unprofiled);
  EQUAL(hsa_amd_profiling_get_dispatch_time(gpu.agent, unprofiled, &first), HSA_STATUS_ERROR);
  CHECK(hsa_amd_profiling_set_profiler_enabled(gpu.queue, 1));
  uint64_t before, after;
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before));
  dispatch(gpu.queue, step, arguments(&own, sizeof own), 64, 64, 1, small);
  dispatch(gpu.queue, step, arguments(&own, sizeof own), 4096, 64, 1, large);
  wait_for_zero(large);
  CHECK(hsa_amd_profiling_get_dispatch_time(gpu.agent, small, &first));
  CHECK(hsa_amd_profiling_get_dispatch_time(gpu.agent, large, &second));
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after));
  EQUAL(before <= first.start && first.start < first.end && first.end <= second.start, 1);
  EQUAL(second.start < second.end && second.end <= after, 1);
}

int main(int argc, char** argv) {
  gpu = start(argc, argv, "kernels.hsaco");
  check_group_memory();
  check_dynamic_group_memory();
  check_dimensions();
  check_order();
  check_barrier(HSA_PACKET_TYPE_BARRIER_AND);
  check_barrier(HSA_PACKET_TYPE_BARRIER_OR);
  check_raised_by_program();
  check_times();
  CHECK(hsa_shut_down());
  printf("PASS packets\n");
  return 0;
}
