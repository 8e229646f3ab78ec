#include "core/modules.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "core/runtime.h"
#include "machine/no_device_memory.h"
#include "ptx/text/parser.h"

namespace duet::core {

namespace {

// Sets the initial values of managed variables in a program outside this process.
void fill_managed(process::ProgramSide& program, const machine::LoadedModule& loaded) {
  const auto& variables = loaded.module.variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].managed) continue;
    std::vector<std::byte> bytes(variables[i].bytes);
    std::memcpy(bytes.data(), variables[i].initial.data(), variables[i].initial.size());
    for (const auto& relocation : variables[i].relocations) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + relocation.offset, relocation.bytes);
      value += loaded.variable_addresses[static_cast<std::size_t>(relocation.variable)].value();
      std::memcpy(bytes.data() + relocation.offset, &value, relocation.bytes);
    }
    program.write(duet::pointer_of(loaded.variable_addresses[i]), bytes.data(), bytes.size());
  }
}

bool prints(const ptx::Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [](const ptx::MicroOp& op) {
    return op.opcode == ptx::Opcode::SystemCall &&
           static_cast<ptx::SystemFunction>(op.mode) == ptx::SystemFunction::Vprintf;
  });
}

Status refused(Reason reason, const Error& error) {
  std::fprintf(stderr, "duet: %s\n", error.what());
  return {reason, error.what()};
}

}  // namespace

void Modules::add(std::unique_ptr<Image> image) {
  images_.push_back(std::move(image));
  images_.back()->name = std::string(program_invocation_short_name) +
                         (images_.size() > 1 ? "#" + std::to_string(images_.size()) : "") + ".ptx";
}

Status Modules::load(std::function<std::string()> text, const std::string& name, std::uint32_t most_registers,
                     Image*& image) {
  auto made = std::make_unique<Image>();
  made->text = std::move(text);
  made->name = name;
  made->most_registers = most_registers;
  try {
    loaded(*made);
  } catch (const MachineCodeOnly& error) {
    return refused(Reason::NoCodeForDevice, error);
  } catch (const ptx::NewerVersion& error) {
    return refused(Reason::NewerCode, error);
  } catch (const machine::NoDeviceMemory& error) {
    return refused(Reason::OutOfMemory, error);
  } catch (const Error& error) {
    return refused(Reason::InvalidCode, error);
  }
  image = images_.emplace_back(std::move(made)).get();
  return {};
}

machine::LoadedModule& Modules::loaded(Image& image) {
  if (image.module == nullptr) {
    image.module = &runtime_.process().load_module(
        image.text(), image.name,
        [this](Bytes bytes) {
          void* const place = runtime_.allocate_host(bytes, memory::AllocationKind::Managed);
          if (place != nullptr) managed_variables_.insert(duet::virtual_address(place));
          return static_cast<std::byte*>(place);
        },
        image.most_registers);
    image.text = nullptr;  // asked once
    if (process::ProgramSide* const side = runtime_.program().side()) fill_managed(*side, *image.module);
  }
  return *image.module;
}

void Modules::restore_variables() {
  runtime_.process().restore_variables();
  process::ProgramSide* const side = runtime_.program().side();
  if (side == nullptr) return;
  for (const auto& image : images_)
    if (image->module != nullptr) fill_managed(*side, *image->module);
}

std::optional<Variable> Modules::find_variable(Image& image, const std::string& name) {
  const machine::LoadedModule& module = loaded(image);
  for (std::size_t i = 0; i < module.module.variables.size(); ++i) {
    const auto& variable = module.module.variables[i];
    if (variable.name == name)
      return Variable{module.variable_addresses[i], variable.bytes, variable.managed};
  }
  return std::nullopt;
}

void Modules::forget(const Image* image) {
  for (auto function = functions_.begin(); function != functions_.end();) {
    if (function->second->image != image) {
      ++function;
      continue;
    }
    addresses_.erase(function->second.get());
    forgotten_.push_back(std::move(function->second));
    function = functions_.erase(function);
  }
}

void Modules::add_function(Image* image, const void* handle, const char* name) {
  auto function = std::make_unique<Function>();
  function->image = image;
  function->name = name;
  function->handle = handle;
  addresses_[function.get()] = function.get();
  functions_[handle] = std::move(function);
}

Function* Modules::find(const void* handle) {
  if (const auto found = functions_.find(handle); found != functions_.end()) return found->second.get();
  const auto found = addresses_.find(handle);
  return found != addresses_.end() ? found->second : nullptr;
}

Function* Modules::function_of(const void* handle) {
  Function* function = find(handle);
  return function != nullptr && kernel_of(*function) != nullptr ? function : nullptr;
}

Function* Modules::function(Image& image, const std::string& name) {
  for (const auto& [handle, function] : functions_)
    if (function->image == &image && function->name == name) return function.get();
  if (loaded(image).module.find_kernel(name) == nullptr) return nullptr;
  auto function = std::make_unique<Function>();
  function->image = &image;
  function->name = name;
  function->handle = function.get();
  Function* const result = addresses_[function.get()] = function.get();
  kernel_of(*result);
  functions_[result] = std::move(function);
  return result;
}

bool Modules::has_printed() const {
  return std::any_of(functions_.begin(), functions_.end(), [](const auto& one) {
    const Function& function = *one.second;
    return function.launched && prints(*function.kernel);
  });
}

void Modules::forget_launches() {
  for (const auto& [handle, function] : functions_) function->launched = false;
}

const ptx::Kernel* Modules::kernel_of(Function& function) {
  if (function.kernel == nullptr) function.kernel = loaded(*function.image).module.find_kernel(function.name);
  return function.kernel;
}

}  // namespace duet::core
