// A kernel writes where nothing is: the queue's callback says so.
#include "hsa_test.h"

static void tell(hsa_status_t status, hsa_queue_t* queue, void* data) {
  (void)queue;
  (void)data;
  EQUAL(status, HSA_STATUS_ERROR_EXCEPTION);
  printf("PASS fault\n");
  exit(0);
}

int main(int argc, char** argv) {
  struct gpu gpu = start(argc, argv, "kernels.hsaco");
  hsa_queue_t* queue;
  CHECK(hsa_queue_create(gpu.agent, 64, HSA_QUEUE_TYPE_MULTI, tell, NULL, UINT32_MAX, UINT32_MAX, &queue));
  void** kernarg = allocate(gpu.fine, sizeof(void*));
  *kernarg = (void*)0x10000;
  const hsa_signal_t never = new_signal(2);
  dispatch(queue, find_kernel(&gpu, "fault"), kernarg, 64, 64, 0, never);
  wait_for_zero(never);
  return 1;
}
