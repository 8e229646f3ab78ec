#include "hsa/api/symbol_info.h"

namespace duet::hsa::api {

hsa_status_t symbol_info(const Symbol& symbol, int attribute, void* value) {
  const CodeKernel& kernel = symbol.kernel;
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return answer(value, HSA_SYMBOL_KIND_KERNEL);
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return answer(value, static_cast<std::uint32_t>(kernel.symbol.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      return answer_text(value, kernel.symbol, kernel.symbol.size());
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
      return answer(value, std::uint32_t{0});
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
      return HSA_STATUS_SUCCESS;  // of no bytes
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
      return answer(value, HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
      return answer(value, true);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      return answer(value, kernel.kernarg_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
      return answer(value, kernel.kernarg_alignment);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
      return answer(value, kernel.group_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      return answer(value, kernel.private_bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
      return answer(value, false);
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
      return answer(value, std::uint32_t{0});
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

hsa_status_t answer_symbol(Session& session, const std::vector<std::uint64_t>& among, const char* name,
                           std::uint64_t* handle) {
  if (name == nullptr || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::uint64_t found = session.code.find_symbol(among, name);
  return found == 0 ? HSA_STATUS_ERROR_INVALID_SYMBOL_NAME : answer(handle, found);
}

}  // namespace duet::hsa::api
