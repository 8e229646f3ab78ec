#include "hsa/session/code.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/error.h"

namespace duet::hsa {

hsa_status_t Code::read(const char* call, std::string_view bytes, CodeObject& object) const {
  try {
    object = read_code_object(bytes);
    return HSA_STATUS_SUCCESS;
  } catch (const Error& error) {
    std::fprintf(stderr, "duet: %s: the code object is %s\n", call, error.what());
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  }
}

hsa_status_t Code::load(Executable& executable, const CodeObject& object) {
  core::Image* image = nullptr;
  const core::Status status = runtime_.modules().load(
      [&] { return object.ptx; }, fmt::format("code_object_{}.ptx", ++loaded_), ~0u, image);
  if (status.reason == core::Reason::OutOfMemory) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  if (status.failed()) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  const auto damaged = [](const char* kind, const std::string& name) {
    std::fprintf(stderr, "duet: the code object is damaged: its code has no %s '%s'\n", kind, name.c_str());
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  };
  for (const CodeKernel& kernel : object.kernels) {
    const core::Function* const function = runtime_.modules().function(*image, kernel.name);
    if (function == nullptr) return damaged("kernel", kernel.name);
    const std::uint64_t handle =
        runtime_.process().user_queues().add_kernel({function->kernel, kernel.hidden_bytes});
    executable.symbols.push_back(symbols.add({kernel, handle}));
  }
  for (const CodeVariable& variable : object.variables) {
    const auto found = runtime_.modules().find_variable(*image, variable.name);
    if (!found) return damaged("variable", variable.name);
    executable.symbols.push_back(symbols.add({variable, found->address.value()}));
  }
  return HSA_STATUS_SUCCESS;
}

std::vector<std::uint64_t> Code::symbols_of(const CodeObject& object) {
  std::vector<std::uint64_t> all;
  for (const CodeKernel& kernel : object.kernels) all.push_back(symbols.add({kernel, 0}));
  for (const CodeVariable& variable : object.variables) all.push_back(symbols.add({variable, 0}));
  return all;
}

std::uint64_t Code::find_symbol(const std::vector<std::uint64_t>& among, std::string_view name) const {
  if (name.ends_with(".kd")) name.remove_suffix(3);
  for (const std::uint64_t handle : among)
    if (symbols.find(handle)->name() == name) return handle;
  return 0;
}

void Code::forget() {
  readers.clear();
  objects.clear();
  executables.clear();
  symbols.clear();
  programs.clear();
}

}  // namespace duet::hsa
