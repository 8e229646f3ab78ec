#include "cuda/modules/modules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "base/file.h"
#include "cuda/modules/fat_binary.h"
#include "cuda/session/contexts.h"

namespace duet::cuda {

namespace {

constexpr std::uint32_t kElfMagic = 0x464C457F;

// Never destroyed, as their guarding session; unloaded ones leave.
std::vector<std::unique_ptr<Module>>& modules() {
  static auto* const all = new std::vector<std::unique_ptr<Module>>;
  return *all;
}

unsigned capability(Session& session) {
  const config::Gpu& gpu = session.config().gpu;
  return static_cast<unsigned>(gpu.compute_capability_major * 10 + gpu.compute_capability_minor);
}

template <typename PtxOf>
LoadResult load(Session& session, ThreadState& thread, const std::string& name, Module** module,
                PtxOf&& ptx_of, std::uint32_t most_registers = ~0u) {
  try {
    auto made = std::make_unique<Module>();
    made->image = session.load_image(ptx_of(), name, most_registers);
    made->context = current_context(thread);
    *module = made.get();
    modules().push_back(std::move(made));
    return {};
  } catch (const Error& error) {
    std::fprintf(stderr, "duet: %s\n", error.what());
    const bool code = std::string_view(error.what()).find("machine code") != std::string_view::npos;
    return {code ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidPtx, error.what()};
  }
}

std::string next_name() {
  static unsigned count = 0;
  return fmt::format("module#{}.ptx", ++count);
}

}  // namespace

std::string ptx_of_bytes(Session& session, const void* image, std::size_t bytes, const std::string& name) {
  const auto* const text = static_cast<const char*>(image);
  std::uint32_t magic = 0;  // none of them has a zero byte, a text's end
  if (strnlen(text, std::min(bytes, sizeof magic)) == sizeof magic) std::memcpy(&magic, text, sizeof magic);
  if (magic == kWrapperMagic) return ptx_of_fat_binary(image, capability(session), name);
  if (magic == kContainerMagic)
    return ptx_of_container({static_cast<const std::byte*>(image), bytes}, capability(session), name);
  if (magic == kElfMagic)
    throw Error(name +
                ": the module is machine code (a cubin): load PTX (nvcc -ptx) or a fat binary with PTX "
                "(nvcc -fatbin -arch=sm_75) in its place");
  return {text, strnlen(text, bytes)};
}

std::string ptx_of_image(Session& session, const void* image, const std::string& name) {
  // How long it is, it says itself.
  const auto start = reinterpret_cast<std::uintptr_t>(image);
  return ptx_of_bytes(session, image, std::min<std::size_t>(PTRDIFF_MAX, UINTPTR_MAX - start), name);
}

LoadResult load_module(Session& session, ThreadState& thread, const void* image, Module** module,
                       std::uint32_t most_registers) {
  const std::string name = next_name();
  return load(
      session, thread, name, module, [&] { return ptx_of_image(session, image, name); }, most_registers);
}

LoadResult load_module_file(Session& session, ThreadState& thread, const char* path, Module** module) {
  const auto bytes = read_file(path);
  if (!bytes) return {cudaErrorFileNotFound, fmt::format("{}: no such file", path)};
  return load(session, thread, path, module,
              [&] { return ptx_of_bytes(session, bytes->data(), bytes->size(), path); });
}

void unload_module(Session& session, Module* module) {
  session.forget_image(module->image);
  std::erase_if(modules(), [&](const auto& one) { return one.get() == module; });
}

void unload_modules_of(Session& session, const CUctx_st* context) {
  std::erase_if(modules(), [&](const auto& one) {
    if (one->context != context) return false;
    session.forget_image(one->image);
    return true;
  });
}

bool valid_module(const Module* module) {
  return std::any_of(modules().begin(), modules().end(),
                     [&](const auto& one) { return one.get() == module; });
}

Module* module_of(const Image* image) {
  for (const auto& module : modules())
    if (module->image == image) return module.get();
  return nullptr;
}

bool find_variable(Session& session, Module& module, const char* name, VirtualAddress& address, Bytes& bytes,
                   bool& managed) {
  const machine::LoadedModule& loaded = session.loaded(*module.image);
  for (std::size_t i = 0; i < loaded.module.variables.size(); ++i) {
    const auto& variable = loaded.module.variables[i];
    if (variable.name != name) continue;
    address = loaded.variable_addresses[i];
    bytes = variable.bytes;
    managed = variable.managed;
    return true;
  }
  return false;
}

}  // namespace duet::cuda
