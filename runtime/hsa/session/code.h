// Code of a program: readers and code objects, executables with what is loaded into them, and symbols. A
// handle is a number that is never given again.
//
//   const std::uint64_t executable = code.executables.add({});
//   code.load(*code.executables.find(executable), object);   // a status; standard error says why
#pragma once

#include <hsa/hsa_ext_finalize.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/runtime.h"
#include "hsa/code_object/code_object.h"

namespace duet::hsa {

template <typename Object>
class Handles {
 public:
  std::uint64_t add(Object object) {
    objects_[++last_] = std::make_unique<Object>(std::move(object));
    return last_;
  }
  // Null: no object has this handle.
  Object* find(std::uint64_t handle) const {
    const auto found = objects_.find(handle);
    return found != objects_.end() ? found->second.get() : nullptr;
  }
  bool erase(std::uint64_t handle) { return objects_.erase(handle) != 0; }
  void clear() { objects_.clear(); }

 private:
  std::map<std::uint64_t, std::unique_ptr<Object>> objects_;
  std::uint64_t last_ = 0;
};

// A kernel or a variable, as a code object has it or an executable.
struct Symbol {
  std::variant<CodeKernel, CodeVariable> what;
  // Of a kernel the handle for packets, of a variable the address; 0: the symbol is not loaded.
  std::uint64_t place = 0;
  const std::string& name() const {
    return std::visit([](const auto& one) -> const std::string& { return one.symbol; }, what);
  }
};

struct ReadObject {  // of hsa_code_object_t
  CodeObject object;
  std::vector<std::uint64_t> symbols;
};

struct Executable {
  hsa_profile_t profile = HSA_PROFILE_BASE;
  bool frozen = false;
  std::vector<std::uint64_t> symbols;
};

// Of the finalizer: modules are code objects, which are finalized as they are.
struct Program {
  hsa_profile_t profile = HSA_PROFILE_BASE;
  std::vector<BrigModuleHeader*> modules;
};

class Code {
 public:
  explicit Code(core::Runtime& runtime) : runtime_(runtime) {}

  Handles<std::string> readers;  // bytes of a file
  Handles<ReadObject> objects;
  Handles<Executable> executables;
  Handles<Symbol> symbols;
  Handles<Program> programs;

  // INVALID_CODE_OBJECT: `call` and the reason on standard error.
  hsa_status_t read(const char* call, std::string_view bytes, CodeObject& object) const;
  // Its kernels and variables are symbols of the executable from now on.
  hsa_status_t load(Executable& executable, const CodeObject& object);
  // Those of an object that is not loaded.
  std::vector<std::uint64_t> symbols_of(const CodeObject& object);
  // 0: there is no such symbol. A kernel has its name and NAME.kd.
  std::uint64_t find_symbol(const std::vector<std::uint64_t>& among, std::string_view name) const;
  void forget();

 private:
  core::Runtime& runtime_;
  unsigned loaded_ = 0;
};

}  // namespace duet::hsa
