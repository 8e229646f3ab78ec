// Agents: the processor and the GPU, with what the machine file says of them, and their caches.
#include <hsa/hsa_ext_amd.h>

#include <algorithm>
#include <array>

#include "config/derived.h"
#include "hsa/api/extensions.h"
#include "hsa/api/limits.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

constexpr std::size_t kNameBytes = 64;

struct Cache {
  std::string name;
  std::uint8_t level;
  Bytes bytes;
};

// Null: the program runs on this computer's processor.
const config::Cpu* simulated_cores(Session& session) {
  const bool simulated = session.core().program().side() != nullptr && session.config().cpu;
  return simulated ? &*session.config().cpu : nullptr;
}

std::vector<Cache> caches_of_cores(const config::Cpu& cpu) {
  std::vector<Cache> all;
  const auto add = [&](std::uint8_t level, Bytes lines) {
    if (lines != 0) all.push_back({cpu.name + " L" + std::to_string(level), level, lines * cpu.line_bytes});
  };
  add(1, cpu.l1.sets * cpu.l1.ways);
  add(2, cpu.l2.sets * cpu.l2.ways);
  add(3, cpu.l3.sets * cpu.l3.ways);
  return all;
}

// Those of an agent, by level. One handle names the agent and the place in this list.
std::vector<Cache> caches_of(Session& session, hsa_agent_t agent) {
  if (agent.handle == kCpuAgent.handle) {
    const config::Cpu* const cores = simulated_cores(session);
    return cores != nullptr ? caches_of_cores(*cores) : std::vector<Cache>();
  }
  const config::Machine& machine = session.config();
  const config::Gpu& gpu = machine.gpu;
  std::vector<Cache> all{{gpu.name + " L1", 1, gpu.l1.capacity()},
                         {gpu.name + " L2", 2, config::capacity_of_l2(gpu)}};
  std::uint8_t level = 3;
  for (const config::Level& one : machine.levels)
    all.push_back({gpu.name + " " + one.name, level++, one.cache.capacity() * one.slices});
  return all;
}

hsa_cache_t handle_of(hsa_agent_t agent, std::size_t number) { return {agent.handle << 8 | (number + 1)}; }

hsa_status_t answer_cache_sizes(Session& session, hsa_agent_t agent, void* value) {
  std::array<std::uint32_t, 4> sizes{};
  const std::vector<Cache> caches = caches_of(session, agent);
  for (std::size_t i = 0; i < std::min(sizes.size(), caches.size()); ++i)
    sizes[i] = static_cast<std::uint32_t>(caches[i].bytes);
  return answer(value, sizes);
}

hsa_status_t cpu_info(Session& session, int attribute, void* value) {
  const config::Cpu* const cores = simulated_cores(session);
  const auto number = [&](std::uint64_t one) { return answer(value, static_cast<std::uint32_t>(one)); };
  switch (attribute) {
    case HSA_AGENT_INFO_NAME:
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return answer_text(
          value, cores != nullptr ? cores->name.substr(0, kNameBytes - 1) : "Duet's native host", kNameBytes);
    case HSA_AGENT_INFO_FEATURE:
      return answer(value, hsa_agent_feature_t{});
    case HSA_AGENT_INFO_DEVICE:
      return answer(value, HSA_DEVICE_TYPE_CPU);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
    case HSA_AGENT_INFO_QUEUES_MAX:
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
    case HSA_AMD_AGENT_INFO_CHIP_ID:
    case HSA_AMD_AGENT_INFO_BDFID:
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return answer(value, std::uint32_t{0});
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
      return number(cores != nullptr ? cores->cores : 1);
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return number(cores != nullptr ? cores->line_bytes : 64);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
      return number(cores != nullptr ? cores->clock_khz / 1000 : 0);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
      return answer(value, std::array<std::uint16_t, 3>{});
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return answer(value, hsa_dim3_t{});
    case HSA_AGENT_INFO_CACHE_SIZE:
      return answer_cache_sizes(session, kCpuAgent, value);
    case HSA_AGENT_INFO_ISA:
      return answer(value, hsa_isa_t{0});
    case HSA_AMD_AGENT_INFO_UUID:
      return answer_text(value, "CPU-XX", 21);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t gpu_info(Session& session, int attribute, void* value) {
  const config::Gpu& gpu = session.config().gpu;
  const config::Sm& sm = gpu.sm;
  const auto number = [&](std::uint64_t one) { return answer(value, static_cast<std::uint32_t>(one)); };
  switch (attribute) {
    case HSA_AGENT_INFO_NAME:
      return answer_text(value, "duet-" + session.config().name.substr(0, kNameBytes - 6), kNameBytes);
    case HSA_AMD_AGENT_INFO_PRODUCT_NAME:
      return answer_text(value, gpu.name.substr(0, kNameBytes - 1), kNameBytes);
    case HSA_AGENT_INFO_FEATURE:
      return answer(value, HSA_AGENT_FEATURE_KERNEL_DISPATCH);
    case HSA_AGENT_INFO_DEVICE:
      return answer(value, HSA_DEVICE_TYPE_GPU);
    case HSA_AGENT_INFO_WAVEFRONT_SIZE:
      return number(sm.warp_width);
    case HSA_AGENT_INFO_WORKGROUP_MAX_DIM:
      return answer(value, most_in_group(gpu));
    case HSA_AGENT_INFO_WORKGROUP_MAX_SIZE:
      return number(sm.max_threads_per_block);
    case HSA_AGENT_INFO_GRID_MAX_DIM:
      return answer(value, hsa_dim3_t{kMostWorkItems, kMostWorkItems, kMostWorkItems});
    case HSA_AGENT_INFO_GRID_MAX_SIZE:
      return number(kMostWorkItems);
    case HSA_AGENT_INFO_FBARRIER_MAX_SIZE:
      return number(kMostFbarriers);
    case HSA_AGENT_INFO_QUEUES_MAX:
      return number(session.user_queues().most());
    case HSA_AGENT_INFO_QUEUE_MIN_SIZE:
      return number(kLeastPackets);
    case HSA_AGENT_INFO_QUEUE_MAX_SIZE:
      return number(kMostPackets);
    case HSA_AGENT_INFO_NODE:
    case HSA_AMD_AGENT_INFO_DRIVER_NODE_ID:
      return number(1);
    case HSA_AGENT_INFO_CACHE_SIZE:
      return answer_cache_sizes(session, kGpuAgent, value);
    case HSA_AGENT_INFO_ISA:
      return answer(value, kIsa);
    case HSA_AMD_AGENT_INFO_CHIP_ID:
      return number(0xd0e7);  // as OpenCL's vendor id
    case HSA_AMD_AGENT_INFO_CACHELINE_SIZE:
      return number(gpu.l2.line_bytes);
    case HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT:
    case HSA_AMD_AGENT_INFO_COOPERATIVE_COMPUTE_UNIT_COUNT:
      return number(sm.count);
    case HSA_AMD_AGENT_INFO_MAX_CLOCK_FREQUENCY:
      return number(gpu.core_clock_khz / 1000);
    case HSA_AMD_AGENT_INFO_MEMORY_MAX_FREQUENCY:
      return number(gpu.dram.command_clock_khz / 1000);
    case HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU:
      return number(sm.max_warps);
    case HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ENGINES:
    case HSA_AMD_AGENT_INFO_NUM_SHADER_ARRAYS_PER_SE:
      return number(1);
    case HSA_AMD_AGENT_INFO_MEMORY_WIDTH:
      return number(gpu.dram.channels * 128);  // bits
    case HSA_AMD_AGENT_INFO_MAX_ADDRESS_WATCH_POINTS:
    case HSA_AMD_AGENT_INFO_BDFID:
    case HSA_AMD_AGENT_INFO_DOMAIN:
    case HSA_AMD_AGENT_INFO_ASIC_REVISION:
      return number(0);
    case HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES:
      return answer(value, false);
    case HSA_AMD_AGENT_INFO_HDP_FLUSH:
      return answer(value, hsa_amd_hdp_flush_t{});
    case HSA_AMD_AGENT_INFO_UUID:
      return answer_text(value, "GPU-XX", 21);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace

DUET_HSA(hsa_agent_get_info, Query, (hsa_agent_t agent, hsa_agent_info_t which, void* value)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const int attribute = which;
  switch (attribute) {  // what both have
    case HSA_AGENT_INFO_VENDOR_NAME:
      return answer_text(value, "Duet", kNameBytes);
    case HSA_AGENT_INFO_MACHINE_MODEL:
      return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_AGENT_INFO_PROFILE:
      return answer(value, HSA_PROFILE_BASE);  // memory of malloc has to be registered
    case HSA_AGENT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    case HSA_AGENT_INFO_BASE_PROFILE_DEFAULT_FLOAT_ROUNDING_MODES:
      return answer(value, std::uint32_t{HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR});
    case HSA_AGENT_INFO_FAST_F16_OPERATION:
    case HSA_AMD_AGENT_INFO_SVM_DIRECT_HOST_ACCESS:
      return answer(value, false);
    case HSA_AGENT_INFO_QUEUE_TYPE:
      return answer(value, HSA_QUEUE_TYPE_MULTI);
    case HSA_AGENT_INFO_EXTENSIONS:
      return answer(value, extension_bits());
    case HSA_AGENT_INFO_VERSION_MAJOR:
      return answer(value, std::uint16_t{1});
    case HSA_AGENT_INFO_VERSION_MINOR:
      return answer(value, std::uint16_t{2});
    default:
      return agent.handle == kCpuAgent.handle ? cpu_info(session, attribute, value)
                                              : gpu_info(session, attribute, value);
  }
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
  static ApiFunction function{"hsa_iterate_agents", CallKind::Query};
  return iterate<hsa_agent_t>(
      function, callback != nullptr,
      [](Session&, std::vector<hsa_agent_t>& all) {
        all = {kCpuAgent, kGpuAgent};
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_agent_t agent) { return callback(agent, data); });
}

DUET_HSA(hsa_agent_get_exception_policies, Query,
         (hsa_agent_t agent, hsa_profile_t profile, std::uint16_t* mask)) {
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (is_outside(profile, HSA_PROFILE_FULL) || mask == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(mask, std::uint16_t{0});
}
DUET_HSA_END

// ---- Caches ----

DUET_HSA_EXPORT hsa_status_t hsa_agent_iterate_caches(hsa_agent_t agent,
                                                      hsa_status_t (*callback)(hsa_cache_t, void*),
                                                      void* data) {
  static ApiFunction function{"hsa_agent_iterate_caches", CallKind::Query};
  return iterate<hsa_cache_t>(
      function, callback != nullptr,
      [agent](Session& session, std::vector<hsa_cache_t>& all) {
        if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        for (std::size_t i = 0; i < caches_of(session, agent).size(); ++i) all.push_back(handle_of(agent, i));
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_cache_t cache) { return callback(cache, data); });
}

DUET_HSA(hsa_cache_get_info, Query, (hsa_cache_t handle, hsa_cache_info_t attribute, void* value)) {
  const std::vector<Cache> caches = caches_of(session, {handle.handle >> 8});
  const std::uint64_t number = (handle.handle & 0xff) - 1;
  if (!is_agent({handle.handle >> 8}) || number >= caches.size()) return HSA_STATUS_ERROR_INVALID_CACHE;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const Cache& cache = caches[number];
  switch (attribute) {
    case HSA_CACHE_INFO_NAME_LENGTH:
      return answer(value, static_cast<std::uint32_t>(cache.name.size()));
    case HSA_CACHE_INFO_NAME:
      return answer_text(value, cache.name, cache.name.size() + 1);
    case HSA_CACHE_INFO_LEVEL:
      return answer(value, cache.level);
    case HSA_CACHE_INFO_SIZE:
      return answer(value, static_cast<std::uint32_t>(cache.bytes));
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

}  // namespace duet::hsa::api
