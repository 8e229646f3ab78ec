// What the processor's agent says of itself, a line each.
#include <hsa/hsa_ext_amd.h>

#include "hsa_test.h"

static hsa_status_t print_cache(hsa_cache_t cache, void* data) {
  (void)data;
  uint32_t bytes;
  uint8_t level;
  CHECK(hsa_cache_get_info(cache, HSA_CACHE_INFO_SIZE, &bytes));
  CHECK(hsa_cache_get_info(cache, HSA_CACHE_INFO_LEVEL, &level));
  printf("L%d %u\n", level, bytes);
  return HSA_STATUS_SUCCESS;
}

int main(void) {
  CHECK(hsa_init());
  const struct gpu gpu = find_gpu();
  char name[64];
  uint32_t cores, line;
  CHECK(hsa_agent_get_info(gpu.cpu, HSA_AGENT_INFO_NAME, name));
  CHECK(hsa_agent_get_info(gpu.cpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT, &cores));
  CHECK(hsa_agent_get_info(gpu.cpu, (hsa_agent_info_t)HSA_AMD_AGENT_INFO_CACHELINE_SIZE, &line));
  printf("%s\n%u cores, lines of %u\n", name, cores, line);
  CHECK(hsa_agent_iterate_caches(gpu.cpu, print_cache, NULL));
  CHECK(hsa_shut_down());
  return 0;
}
