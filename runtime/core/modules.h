// GPU code of a program: images of PTX, compiled when something of them is first used, and their kernels.
//
//   Image* image = nullptr;
//   if (const Status status = modules.load([&] { return text; }, "a.ptx", ~0u, image); status.failed()) ...
//   Function* function = modules.function(*image, "add");
//
// A kernel is found by its own address, or by another one that the API gave it (a stub in the program). Left
// out: giving back the memory of variables when an image is forgotten, because its kernels may still run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/status.h"
#include "machine/process.h"

namespace duet::core {

class Runtime;

struct Image {
  std::function<std::string()> text;  // the PTX; throws duet::Error, or MachineCodeOnly
  std::string name;
  std::uint32_t most_registers = ~0u;  // a thread
  machine::LoadedModule* module = nullptr;
};

struct Function {
  Image* image = nullptr;
  std::string name;
  const void* handle = nullptr;         // the API's; without one its own address
  const ptx::Kernel* kernel = nullptr;  // null until first used
  Bytes max_dynamic_shared_bytes = 0;   // as the program has set it
  bool launched = false;
};

struct Variable {
  VirtualAddress address;
  Bytes bytes = 0;
  bool managed = false;
};

class Modules {
 public:
  explicit Modules(Runtime& runtime) : runtime_(runtime) {}

  // Code of the program itself, which gives it its name. Compiled when something of it is first used; an
  // error in it is thrown then.
  void add(std::unique_ptr<Image> image);
  // Compiled now. InvalidCode, NewerCode, NoCodeForDevice, OutOfMemory: the text says why, and standard error
  // gets it as well.
  Status load(std::function<std::string()> text, const std::string& name, std::uint32_t most_registers,
              Image*& image);
  // Its functions are no longer known.
  void forget(const Image* image);
  // Loads the image on first use.
  machine::LoadedModule& loaded(Image& image);
  // Whether the managed memory there is a variable's.
  bool has_variable_at(VirtualAddress address) const { return managed_variables_.contains(address); }
  // All variables have their first values again. The device is idle.
  void restore_variables();
  std::optional<Variable> find_variable(Image& image, const std::string& name);

  void add_function(Image* image, const void* handle, const char* name);
  // By the API's handle, or its own address. Null when there is none. Compiles on first use.
  Function* function_of(const void* handle);
  // The same without compiling.
  Function* find(const void* handle);
  // The function of this name, kept from now on; null when the image has none.
  Function* function(Image& image, const std::string& name);
  // Null when the image has no kernel of this name.
  const ptx::Kernel* kernel_of(Function& function);
  // Whether a kernel with printf has been launched.
  bool has_printed() const;
  void forget_launches();

 private:
  Runtime& runtime_;
  std::vector<std::unique_ptr<Image>> images_;
  std::set<VirtualAddress> managed_variables_;
  std::unordered_map<const void*, std::unique_ptr<Function>> functions_;  // by handle
  std::unordered_map<const void*, Function*> addresses_;                  // by their own
  std::vector<std::unique_ptr<Function>> forgotten_;
};

}  // namespace duet::core
