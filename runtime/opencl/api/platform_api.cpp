// The platform and its device: what the machine file says, in OpenCL's words.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "config/derived.h"
#include "core/image_limits.h"
#include "core/launch.h"
#include "opencl/api/entries.h"
#include "opencl/api/svm.h"
#include "opencl/api/transfers.h"

namespace duet::opencl::api {

namespace {

constexpr const char* kExtensions =
    "cl_khr_icd cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_global_int32_base_atomics "
    "cl_khr_global_int32_extended_atomics cl_khr_local_int32_base_atomics "
    "cl_khr_local_int32_extended_atomics cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "
    "cl_khr_3d_image_writes cl_khr_image2d_from_buffer cl_nv_device_attribute_query";
constexpr const char* kVersion = "OpenCL 3.0 Duet";

// cl_nv_device_attribute_query, which programs ask without its header.
enum NvidiaQuery : cl_device_info {
  kComputeCapabilityMajor = 0x4000,
  kComputeCapabilityMinor = 0x4001,
  kRegistersPerBlock = 0x4002,
  kWarpSize = 0x4003,
  kGpuOverlap = 0x4004,
  kKernelExecTimeout = 0x4005,
  kIntegratedMemory = 0x4006
};

cl_name_version name_version(std::string_view name, cl_version version) {
  cl_name_version one{};
  one.version = version;
  std::copy_n(name.begin(), std::min<std::size_t>(name.size(), CL_NAME_VERSION_MAX_NAME_SIZE - 1), one.name);
  return one;
}

std::vector<cl_name_version> extensions() {
  std::vector<cl_name_version> all;
  std::string_view rest = kExtensions;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    all.push_back(name_version(rest.substr(0, end), CL_MAKE_VERSION(1, 0, 0)));
    rest.remove_prefix(std::min(rest.size(), end + 1));
  }
  return all;
}

std::vector<cl_name_version> c_versions() {
  std::vector<cl_name_version> all;
  for (const auto& [major, minor] : {std::pair{1u, 0u}, {1u, 1u}, {1u, 2u}, {2u, 0u}, {3u, 0u}})
    all.push_back(name_version("OpenCL C", CL_MAKE_VERSION(major, minor, 0)));
  return all;
}

std::vector<cl_name_version> c_features() {
  std::vector<cl_name_version> all;
  for (const char* name :
       {"__opencl_c_fp64", "__opencl_c_int64", "__opencl_c_generic_address_space",
        "__opencl_c_atomic_order_acq_rel", "__opencl_c_atomic_order_seq_cst",
        "__opencl_c_atomic_scope_device", "__opencl_c_atomic_scope_all_devices",
        "__opencl_c_work_group_collective_functions", "__opencl_c_program_scope_global_variables",
        "__opencl_c_images", "__opencl_c_3d_image_writes", "__opencl_c_read_write_images"})
    all.push_back(name_version(name, CL_MAKE_VERSION(3, 0, 0)));
  return all;
}

cl_int device_info(Session& session, cl_device_info what, const Answer& answer) {
  const config::Gpu& gpu = session.config().gpu;
  const config::Sm& sm = gpu.sm;
  const auto number = [&](auto value) { return answer.value(static_cast<cl_uint>(value)); };
  const auto truth = [&](bool value) { return answer.value(static_cast<cl_bool>(value)); };
  const auto size = [&](std::uint64_t value) { return answer.value(static_cast<std::size_t>(value)); };
  const core::ImageLimits& images = core::image_limits(gpu);
  const auto length = [&](int most) { return size(static_cast<std::uint64_t>(most)); };
  const auto large = [&](std::uint64_t value) { return answer.value(cl_ulong{value}); };
  constexpr cl_device_fp_config kFloat = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                         CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
  switch (what) {
    case CL_DEVICE_TYPE:
      return answer.value(cl_device_type{CL_DEVICE_TYPE_GPU});
    case CL_DEVICE_VENDOR_ID:
      return number(0xd0e7);
    case CL_DEVICE_MAX_COMPUTE_UNITS:
      return number(sm.count);
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS:
      return number(3);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
      return size(sm.max_threads_per_block);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES:
      return answer.list(std::vector<std::size_t>{gpu.max_block_x, gpu.max_block_y, gpu.max_block_z});
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE:
      return number(1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF:
      return number(0);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
      return number(gpu.core_clock_khz / 1000);
    case CL_DEVICE_ADDRESS_BITS:
      return number(64);
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
      return large(gpu.dram.bytes);  // one buffer may be all of it
    // Bindless, whose number nothing limits: as many as the full profile asks for.
    case CL_DEVICE_MAX_READ_IMAGE_ARGS:
      return number(128);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS:
    case CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS:
      return number(64);
    case CL_DEVICE_MAX_SAMPLERS:
      return number(32);
    case CL_DEVICE_IMAGE_PITCH_ALIGNMENT:
    case CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT:
      return number(kImagePitchAlignment);
    case CL_DEVICE_MAX_PIPE_ARGS:
    case CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS:
    case CL_DEVICE_PIPE_MAX_PACKET_SIZE:
    case CL_DEVICE_MAX_ON_DEVICE_QUEUES:
    case CL_DEVICE_MAX_ON_DEVICE_EVENTS:
    case CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE:
    case CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE:
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
    case CL_DEVICE_REFERENCE_COUNT:
    case CL_DEVICE_MAX_NUM_SUB_GROUPS:
    case CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT:
    case CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT:
      return number(what == CL_DEVICE_REFERENCE_COUNT ? 1 : 0);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH:
      return length(images.texture_2d[0]);
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT:
      return length(images.texture_2d[1]);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH:
      return length(images.texture_3d);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE:
      return length(images.texture_linear);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE:
      return length(images.texture_2d_layered[2]);
    case CL_DEVICE_MAX_PARAMETER_SIZE:
      return size(4352);  // NVIDIA's; CUDA's 4096 and the hidden ones
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN:
      return number(256 * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE:
      return number(128);
    case CL_DEVICE_SINGLE_FP_CONFIG:
      return answer.value(cl_device_fp_config{kFloat | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT});
    case CL_DEVICE_DOUBLE_FP_CONFIG:
      return answer.value(kFloat);
    case CL_DEVICE_HALF_FP_CONFIG:
      return answer.value(cl_device_fp_config{0});
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE:
      return answer.value(cl_device_mem_cache_type{CL_READ_WRITE_CACHE});
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE:
      return number(gpu.l2.line_bytes);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE:
      return large(config::capacity_of_l2(gpu));
    case CL_DEVICE_GLOBAL_MEM_SIZE:
      return large(gpu.dram.bytes);
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
      return large(gpu.constant_bytes);
    case CL_DEVICE_MAX_CONSTANT_ARGS:
      return number(9);
    case CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE:
      return size(64 << 10);
    case CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE:
      return size(0);
    case CL_DEVICE_LOCAL_MEM_TYPE:
      return answer.value(cl_device_local_mem_type{CL_LOCAL});
    case CL_DEVICE_LOCAL_MEM_SIZE:
      return large(std::min(core::kSharedBytesUnasked, sm.max_shared_bytes_per_block));
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT:
      return truth(false);
    case CL_DEVICE_HOST_UNIFIED_MEMORY:
      return truth(gpu.integrated);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION:
      return size(1);
    case CL_DEVICE_IMAGE_SUPPORT:
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE:
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC:
    case CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT:
    case CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT:
    case CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT:
      return truth(true);
    case CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS:
    case CL_DEVICE_PIPE_SUPPORT:
      return truth(false);
    case CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES:
      return answer.value(cl_device_device_enqueue_capabilities{0});
    case CL_DEVICE_EXECUTION_CAPABILITIES:
      return answer.value(cl_device_exec_capabilities{CL_EXEC_KERNEL | CL_EXEC_NATIVE_KERNEL});
    case CL_DEVICE_QUEUE_ON_HOST_PROPERTIES:
      return answer.value(
          cl_command_queue_properties{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE});
    case CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES:
      return answer.value(cl_command_queue_properties{0});
    case CL_DEVICE_SVM_CAPABILITIES:
      return answer.value(static_cast<cl_device_svm_capabilities>(
          CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER |
          (has_svm_atomics(session) ? CL_DEVICE_SVM_ATOMICS : 0)));
    case CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES:
    case CL_DEVICE_ATOMIC_FENCE_CAPABILITIES:
      return answer.value(static_cast<cl_device_atomic_capabilities>(
          CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_ORDER_SEQ_CST |
          CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP | CL_DEVICE_ATOMIC_SCOPE_DEVICE |
          CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES |
          (what == CL_DEVICE_ATOMIC_FENCE_CAPABILITIES ? CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM : 0)));
    case CL_DEVICE_BUILT_IN_KERNELS:
    case CL_DEVICE_IL_VERSION:
      return answer.text("");
    case CL_DEVICE_ILS_WITH_VERSION:
    case CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION:
      return answer.bytes(nullptr, 0);
    case CL_DEVICE_PLATFORM:
      return answer.value(static_cast<cl_platform_id>(session.platform()));
    case CL_DEVICE_NAME:
      return answer.text(gpu.name);
    case CL_DEVICE_VENDOR:
      return answer.text("Duet");
    case CL_DRIVER_VERSION:
      return answer.text("0.1.0");
    case CL_DEVICE_PROFILE:
      return answer.text("FULL_PROFILE");
    case CL_DEVICE_VERSION:
      return answer.text(kVersion);
    case CL_DEVICE_NUMERIC_VERSION:
      return answer.value(cl_version{CL_MAKE_VERSION(3, 0, 0)});
    case CL_DEVICE_OPENCL_C_VERSION:
      return answer.text("OpenCL C 1.2 ");
    case CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR:
      return answer.value(cl_version{CL_MAKE_VERSION(1, 2, 0)});
    case CL_DEVICE_OPENCL_C_ALL_VERSIONS:
      return answer.list(c_versions());
    case CL_DEVICE_OPENCL_C_FEATURES:
      return answer.list(c_features());
    case CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED:
      return answer.text("");
    case CL_DEVICE_EXTENSIONS:
      return answer.text(kExtensions);
    case CL_DEVICE_EXTENSIONS_WITH_VERSION:
      return answer.list(extensions());
    case CL_DEVICE_PRINTF_BUFFER_SIZE:
      return size(1 << 20);
    case CL_DEVICE_PARENT_DEVICE:
      return answer.value(cl_device_id{nullptr});
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE:
      return answer.value(cl_device_partition_property{0});
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
      return answer.value(cl_device_affinity_domain{0});
    case CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE:
      return size(sm.warp_width);
    case kComputeCapabilityMajor:
      return number(gpu.compute_capability_major);
    case kComputeCapabilityMinor:
      return number(gpu.compute_capability_minor);
    case kRegistersPerBlock:
      return number(sm.registers);
    case kWarpSize:
      return number(sm.warp_width);
    case kGpuOverlap:
      return truth(gpu.copy_engines.count != 0);
    case kKernelExecTimeout:
      return truth(false);
    case kIntegratedMemory:
      return truth(gpu.integrated);
    default:
      return CL_INVALID_VALUE;
  }
}

}  // namespace

DUET_CL(clGetPlatformIDs, Query, (cl_uint room, cl_platform_id* platforms, cl_uint* count)) {
  if ((platforms == nullptr && count == nullptr) || (platforms != nullptr && room == 0))
    return CL_INVALID_VALUE;
  if (platforms != nullptr) platforms[0] = session.platform();
  if (count != nullptr) *count = 1;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetPlatformInfo, Query,
        (cl_platform_id platform, cl_platform_info what, size_t room, void* to, size_t* needed)) {
  if (platform != nullptr && find(platform) == nullptr) return CL_INVALID_PLATFORM;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_PLATFORM_PROFILE:
      return answer.text("FULL_PROFILE");
    case CL_PLATFORM_VERSION:
      return answer.text(kVersion);
    case CL_PLATFORM_NUMERIC_VERSION:
      return answer.value(cl_version{CL_MAKE_VERSION(3, 0, 0)});
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR:
      return answer.text("Duet");
    case CL_PLATFORM_EXTENSIONS:
      return answer.text(kExtensions);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
      return answer.list(extensions());
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
      return answer.value(cl_ulong{1});
    case CL_PLATFORM_ICD_SUFFIX_KHR:
      return answer.text("DUET");
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clGetDeviceIDs, Query,
        (cl_platform_id platform, cl_device_type type, cl_uint room, cl_device_id* devices, cl_uint* count)) {
  if (platform != nullptr && find(platform) == nullptr) return CL_INVALID_PLATFORM;
  if ((devices == nullptr && count == nullptr) || (devices != nullptr && room == 0)) return CL_INVALID_VALUE;
  constexpr cl_device_type kTypes = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                                    CL_DEVICE_TYPE_CUSTOM | CL_DEVICE_TYPE_DEFAULT;
  if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~kTypes) != 0)) return CL_INVALID_DEVICE_TYPE;
  const bool here = (type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) != 0;
  if (count != nullptr) *count = here ? 1 : 0;
  if (!here) return CL_DEVICE_NOT_FOUND;
  if (devices != nullptr) devices[0] = session.device();
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetDeviceInfo, Query,
        (cl_device_id device, cl_device_info what, size_t room, void* to, size_t* needed)) {
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  return device_info(session, what, {room, to, needed});
}
DUET_CL_END

DUET_CL(clCreateSubDevices, Other,
        (cl_device_id device, const cl_device_partition_property* properties, cl_uint, cl_device_id*,
         cl_uint*)) {
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  return properties == nullptr ? CL_INVALID_VALUE : CL_DEVICE_PARTITION_FAILED;  // it has no parts
}
DUET_CL_END

// Of a root device they change nothing.
DUET_CL(clRetainDevice, Other, (cl_device_id device)) {
  return find(device) == nullptr ? CL_INVALID_DEVICE : CL_SUCCESS;
}
DUET_CL_END
DUET_CL(clReleaseDevice, Other, (cl_device_id device)) {
  return find(device) == nullptr ? CL_INVALID_DEVICE : CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetDeviceAndHostTimer, Query, (cl_device_id device, cl_ulong* device_time, cl_ulong* host_time)) {
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  if (device_time == nullptr || host_time == nullptr) return CL_INVALID_VALUE;
  *device_time = *host_time = host.clock() / kPicosecondsPerNanosecond;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clGetHostTimer, Query, (cl_device_id device, cl_ulong* host_time)) {
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  if (host_time == nullptr) return CL_INVALID_VALUE;
  *host_time = host.clock() / kPicosecondsPerNanosecond;
  return CL_SUCCESS;
}
DUET_CL_END

void* CL_API_CALL clGetExtensionFunctionAddress(const char* name) {
  // The loader asks for these before there is a platform.
  if (name == nullptr) return nullptr;
  const std::string_view wanted = name;
  if (wanted == "clIcdGetPlatformIDsKHR") return reinterpret_cast<void*>(&clGetPlatformIDs);
#define DUET_CL_ADDRESS(entry) \
  if (wanted == #entry) return reinterpret_cast<void*>(&entry);
  DUET_CL_NAMES(DUET_CL_ADDRESS)
#undef DUET_CL_ADDRESS
  return nullptr;
}

void* CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char* name) {
  return find(platform) == nullptr ? nullptr : clGetExtensionFunctionAddress(name);
}

cl_int CL_API_CALL clUnloadCompiler() { return CL_SUCCESS; }
DUET_CL(clUnloadPlatformCompiler, Other, (cl_platform_id platform)) {
  return find(platform) == nullptr ? CL_INVALID_PLATFORM : CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
