#include "hsa/api/symbol_info.h"

namespace duet::hsa::api {

namespace {

hsa_status_t info(const CodeKernel& kernel, int attribute, void* value) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return answer(value, HSA_SYMBOL_KIND_KERNEL);
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

hsa_status_t info(const CodeVariable& variable, int attribute, void* value) {
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
      return answer(value, HSA_SYMBOL_KIND_VARIABLE);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
      return answer(value, HSA_VARIABLE_ALLOCATION_AGENT);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
      return answer(value, variable.constant ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
      return answer(value, variable.alignment);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
      return answer(value, variable.bytes);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
      return answer(value, variable.constant);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}

}  // namespace

hsa_status_t symbol_info(const Symbol& symbol, int attribute, void* value) {
  const std::string& name = symbol.name();
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
      return answer(value, static_cast<std::uint32_t>(name.size()));
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
      return answer_text(value, name, name.size());
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
      return answer(value, std::uint32_t{0});
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
      return HSA_STATUS_SUCCESS;  // of no bytes
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
      return answer(value, HSA_SYMBOL_LINKAGE_PROGRAM);
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
      return answer(value, true);
    default:
      return std::visit([&](const auto& what) { return info(what, attribute, value); }, symbol.what);
  }
}

hsa_status_t answer_symbol(Session& session, const std::vector<std::uint64_t>& among, const char* name,
                           std::uint64_t* handle) {
  if (name == nullptr || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const std::uint64_t found = session.code.find_symbol(among, name);
  return found == 0 ? HSA_STATUS_ERROR_INVALID_SYMBOL_NAME : answer(handle, found);
}

}  // namespace duet::hsa::api
