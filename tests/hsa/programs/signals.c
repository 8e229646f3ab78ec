// Signals without packets: every operation, waiting with a timeout, groups, handlers, and another thread.
#include <hsa/hsa_ext_amd.h>
#include <pthread.h>

#include "hsa_test.h"

static uint64_t now(void) {
  uint64_t ticks;
  CHECK(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &ticks));
  return ticks;
}

static void check_operations(void) {
  const hsa_signal_t s = new_signal(5);
  EQUAL(hsa_signal_load_scacquire(s), 5);
  hsa_signal_store_relaxed(s, 6);
  EQUAL(hsa_signal_load_relaxed(s), 6);
  hsa_signal_silent_store_screlease(s, 7);
  EQUAL(hsa_signal_exchange_scacq_screl(s, 8), 7);
  EQUAL(hsa_signal_cas_scacquire(s, 9, 1), 8);  // it is not 9
  EQUAL(hsa_signal_cas_relaxed(s, 8, 12), 8);
  hsa_signal_add_screlease(s, 3);
  EQUAL(hsa_signal_load_relaxed(s), 15);
  hsa_signal_subtract_relaxed(s, 1);
  EQUAL(hsa_signal_load_relaxed(s), 14);
  hsa_signal_and_scacq_screl(s, 6);
  EQUAL(hsa_signal_load_relaxed(s), 6);
  hsa_signal_or_scacquire(s, 9);
  EQUAL(hsa_signal_load_relaxed(s), 15);
  hsa_signal_xor_screlease(s, -1);
  EQUAL(hsa_signal_load_relaxed(s), -16);
  hsa_signal_store_screlease(s, INT64_MAX);
  hsa_signal_add_relaxed(s, 1);
  EQUAL(hsa_signal_load_relaxed(s), INT64_MIN);
  volatile hsa_signal_value_t* value;
  CHECK(hsa_amd_signal_value_pointer(s, &value));
  EQUAL(*value, INT64_MIN);
  CHECK(hsa_signal_destroy(s));
}

static void check_timeouts(void) {
  const hsa_signal_t s = new_signal(1);
  const uint64_t before = now();
  EQUAL(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 5000, HSA_WAIT_STATE_BLOCKED), 1);
  const uint64_t took = now() - before;
  if (took < 5000 || took > 6000) EQUAL(took, 5000);
  EQUAL(hsa_signal_wait_relaxed(s, HSA_SIGNAL_CONDITION_NE, 0, UINT64_MAX, HSA_WAIT_STATE_ACTIVE), 1);
  EQUAL(hsa_signal_wait_relaxed(s, HSA_SIGNAL_CONDITION_GTE, 1, UINT64_MAX, HSA_WAIT_STATE_ACTIVE), 1);
  CHECK(hsa_signal_destroy(s));
}

static void check_groups(void) {
  const hsa_signal_t both[2] = {new_signal(3), new_signal(4)};
  const hsa_agent_t agent = {1};
  hsa_signal_group_t group;
  CHECK(hsa_signal_group_create(2, both, 1, &agent, &group));
  const hsa_signal_condition_t conditions[2] = {HSA_SIGNAL_CONDITION_LT, HSA_SIGNAL_CONDITION_LT};
  const hsa_signal_value_t compared[2] = {3, 5};
  hsa_signal_t found;
  hsa_signal_value_t value;
  CHECK(hsa_signal_group_wait_any_scacquire(group, conditions, compared, HSA_WAIT_STATE_BLOCKED, &found,
                                            &value));
  EQUAL(found.handle, both[1].handle);
  EQUAL(value, 4);
  CHECK(hsa_signal_group_destroy(group));
  EQUAL(hsa_signal_group_destroy(group), HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP);
  hsa_signal_t signals[2] = {both[0], both[1]};
  hsa_signal_condition_t equal[2] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  hsa_signal_value_t values[2] = {3, 9};
  EQUAL(hsa_amd_signal_wait_any(2, signals, equal, values, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, &value), 0);
  EQUAL(value, 3);
  values[0] = 8;
  EQUAL(hsa_amd_signal_wait_any(2, signals, equal, values, 10, HSA_WAIT_STATE_BLOCKED, &value), UINT32_MAX);
}

static int handled;
static bool handler(hsa_signal_value_t value, void* argument) {
  EQUAL(value, 0);
  ++handled;
  hsa_signal_store_relaxed(*(hsa_signal_t*)argument, 7);  // what the program waits for
  return false;
}

static void check_handlers(void) {
  const hsa_signal_t raised = new_signal(1);
  hsa_signal_t awaited = new_signal(0);
  CHECK(hsa_amd_signal_async_handler(raised, HSA_SIGNAL_CONDITION_EQ, 0, handler, &awaited));
  EQUAL(handled, 0);
  hsa_signal_store_relaxed(raised, 0);
  EQUAL(hsa_signal_wait_scacquire(awaited, HSA_SIGNAL_CONDITION_EQ, 7, UINT64_MAX, HSA_WAIT_STATE_BLOCKED),
        7);
  EQUAL(handled, 1);
  hsa_signal_store_relaxed(raised, 1);
  hsa_signal_store_relaxed(raised, 0);
  EQUAL(handled, 1);  // it had returned false
}

static void* raise_signal(void* signal) {
  usleep(20000);
  hsa_signal_store_screlease(*(hsa_signal_t*)signal, 0);
  return NULL;
}

static void check_threads(void) {
  hsa_signal_t s = new_signal(1);
  pthread_t thread;
  pthread_create(&thread, NULL, raise_signal, &s);
  wait_for_zero(s);
  pthread_join(thread, NULL);
}

static void check_copies(const struct gpu* gpu) {
  char* from = allocate(gpu->fine, 10000);
  char* to = allocate(gpu->coarse, 10000);
  for (int i = 0; i < 10000; ++i) from[i] = (char)(i * 7);
  hsa_signal_t first = new_signal(1), second = new_signal(1);
  CHECK(hsa_amd_profiling_async_copy_enable(true));
  CHECK(hsa_amd_memory_async_copy(to, gpu->agent, from, gpu->cpu, 10000, 0, NULL, first));
  CHECK(hsa_amd_memory_async_copy(from + 1, gpu->cpu, to, gpu->agent, 9999, 1, &first, second));
  wait_for_zero(second);
  EQUAL(hsa_signal_load_relaxed(first), 0);
  hsa_amd_profiling_async_copy_time_t time, next;
  CHECK(hsa_amd_profiling_get_async_copy_time(first, &time));
  CHECK(hsa_amd_profiling_get_async_copy_time(second, &next));
  EQUAL(time.start < time.end && time.end <= next.start && next.start < next.end, 1);
  for (int i = 1; i < 10000; ++i) EQUAL(from[i], (char)((i - 1) * 7));
  char* plain = malloc(10000);
  CHECK(hsa_memory_copy(plain, to, 10000));
  EQUAL(memcmp(plain + 7, to + 7, 9993), 0);
  CHECK(hsa_amd_memory_fill(to, 0x01020304, 100));
  EQUAL(to[0], 4);
  EQUAL(to[399], 1);
  EQUAL(to[400], (char)(400 * 7));
  free(plain);
}

static void check_pointers(const struct gpu* gpu) {
  char* own = allocate(gpu->coarse, 1000);
  hsa_amd_pointer_info_t info = {.size = sizeof info};
  uint32_t count;
  hsa_agent_t* agents;
  CHECK(hsa_amd_pointer_info(own + 999, &info, malloc, &count, &agents));
  EQUAL(info.type, HSA_EXT_POINTER_TYPE_HSA);
  EQUAL((char*)info.agentBaseAddress - own, 0);
  EQUAL(info.sizeInBytes, 1000);
  EQUAL(info.agentOwner.handle, gpu->agent.handle);
  EQUAL(info.global_flags, HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED);
  EQUAL(count, 2);
  EQUAL(agents[0].handle + agents[1].handle, gpu->agent.handle + gpu->cpu.handle);
  free(agents);
  char* plain = malloc(5000);
  CHECK(hsa_amd_pointer_info(plain, &info, NULL, NULL, NULL));
  EQUAL(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
  void* locked;
  CHECK(hsa_amd_memory_lock(plain, 5000, NULL, 0, &locked));
  CHECK(hsa_amd_pointer_info(locked, &info, NULL, NULL, NULL));
  EQUAL(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
  CHECK(hsa_amd_memory_unlock(plain));
  EQUAL(hsa_amd_memory_unlock(plain), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EQUAL(hsa_amd_pointer_info(NULL, &info, NULL, NULL, NULL), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  free(plain);
}

int main(void) {
  CHECK(hsa_init());
  const struct gpu gpu = find_gpu();
  check_operations();
  check_timeouts();
  check_groups();
  check_handlers();
  check_copies(&gpu);
  check_pointers(&gpu);
  check_threads();
  CHECK(hsa_shut_down());
  printf("PASS signals\n");
  return 0;
}
