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

core::Status load(Session& session, ThreadState& thread, const std::string& name, Module** module,
                  std::function<std::string()> ptx_of, std::uint32_t most_registers = ~0u) {
  Image* image = nullptr;
  if (core::Status status = session.modules().load(std::move(ptx_of), name, most_registers, image);
      status.failed())
    return status;
  modules().push_back(std::make_unique<Module>(Module{image, current_context(thread)}));
  *module = modules().back().get();
  return {};
}

std::string next_name() {
  static unsigned count = 0;
  return fmt::format("module#{}.ptx", ++count);
}

}  // namespace

unsigned compute_capability(Session& session) {
  const config::Gpu& gpu = session.config().gpu;
  return static_cast<unsigned>(gpu.compute_capability_major * 10 + gpu.compute_capability_minor);
}

std::string ptx_of_bytes(Session& session, const void* image, std::size_t bytes, const std::string& name) {
  const auto* const text = static_cast<const char*>(image);
  std::uint32_t magic = 0;  // none of them has a zero byte, a text's end
  if (strnlen(text, std::min(bytes, sizeof magic)) == sizeof magic) std::memcpy(&magic, text, sizeof magic);
  if (magic == kWrapperMagic) return ptx_of_fat_binary(image, compute_capability(session), name);
  if (magic == kContainerMagic)
    return ptx_of_container({static_cast<const std::byte*>(image), bytes}, compute_capability(session), name);
  if (magic == kElfMagic)
    throw core::MachineCodeOnly(
        name +
        ": the module is machine code (a cubin): load PTX (nvcc -ptx) or a fat binary with PTX "
        "(nvcc -fatbin -arch=sm_75) in its place");
  return {text, strnlen(text, bytes)};
}

std::string ptx_of_image(Session& session, const void* image, const std::string& name) {
  // How long it is, it says itself.
  const auto start = reinterpret_cast<std::uintptr_t>(image);
  return ptx_of_bytes(session, image, std::min<std::size_t>(PTRDIFF_MAX, UINTPTR_MAX - start), name);
}

core::Status load_module(Session& session, ThreadState& thread, const void* image, Module** module,
                         std::uint32_t most_registers) {
  const std::string name = next_name();
  return load(
      session, thread, name, module, [&] { return ptx_of_image(session, image, name); }, most_registers);
}

core::Status load_module_file(Session& session, ThreadState& thread, const char* path, Module** module) {
  const auto bytes = read_file(path);
  if (!bytes) return {core::Reason::FileNotFound, fmt::format("{}: no such file", path)};
  return load(session, thread, path, module,
              [&] { return ptx_of_bytes(session, bytes->data(), bytes->size(), path); });
}

void unload_module(Session& session, Module* module) {
  session.modules().forget(module->image);
  std::erase_if(modules(), [&](const auto& one) { return one.get() == module; });
}

void unload_modules_of(Session& session, const CUctx_st* context) {
  std::erase_if(modules(), [&](const auto& one) {
    if (one->context != context) return false;
    session.modules().forget(one->image);
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

}  // namespace duet::cuda
