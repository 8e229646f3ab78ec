// Code objects of HSA 1.0, deprecated since, and the finalizer that makes them: programs in the manner of
// CLOC use both. A module is what duet hsacc has made, so that there is nothing to finalize.
#include <elf.h>
#include <hsa/hsa_ext_finalize.h>

#include <cstring>

#include "core/notes.h"
#include "hsa/api/symbol_info.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

constexpr std::size_t kMostModuleBytes = std::size_t{1} << 30;

// The bytes of a module, of which the program gives only the first: where the table of sections ends, which
// stands last.
std::string module_bytes(const void* module) {
  Elf64_Ehdr header;
  read_program(&header, module, sizeof header);
  const bool is_own =
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_machine == kCodeObjectMachine;
  const std::size_t end = header.e_shoff + std::size_t{header.e_shnum} * sizeof(Elf64_Shdr);
  std::string bytes(is_own && header.e_shoff < kMostModuleBytes ? end : sizeof header, '\0');
  read_program(bytes.data(), module, bytes.size());
  return bytes;
}

hsa_status_t add_object(Session& session, CodeObject object, hsa_code_object_t* handle) {
  ReadObject read;
  read.symbols = session.code.symbols_of(object);
  read.object = std::move(object);
  return answer(handle, hsa_code_object_t{session.code.objects.add(std::move(read))});
}

// As an ELF again.
std::string bytes_of(const ReadObject& object) { return write_code_object(object.object); }

}  // namespace

DUET_HSA(hsa_code_object_deserialize, Other,
         (void* from, size_t bytes, const char*, hsa_code_object_t* code_object)) {
  if (from == nullptr || bytes == 0 || code_object == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  CodeObject object;
  std::string own(bytes, '\0');
  read_program(own.data(), from, bytes);
  const hsa_status_t status = session.code.read("hsa_code_object_deserialize", own, object);
  return status == HSA_STATUS_SUCCESS ? add_object(session, std::move(object), code_object) : status;
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_code_object_serialize(
    hsa_code_object_t code_object, hsa_status_t (*allocate)(size_t, hsa_callback_data_t, void**),
    hsa_callback_data_t data, const char*, void** serialized, size_t* size) {
  static ApiFunction function{"hsa_code_object_serialize", CallKind::Other};
  std::string bytes;
  const hsa_status_t status = call(function, [&](Session& session, HostThread&) -> hsa_status_t {
    const ReadObject* const object = session.code.objects.find(code_object.handle);
    if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (allocate == nullptr || serialized == nullptr || size == nullptr)
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    bytes = bytes_of(*object);
    return HSA_STATUS_SUCCESS;
  });
  if (status != HSA_STATUS_SUCCESS) return status;
  if (allocate(bytes.size(), data, serialized) != HSA_STATUS_SUCCESS)
    return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  void* place = nullptr;
  read_program(&place, serialized, sizeof place);
  if (place == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  write_program(place, bytes.data(), bytes.size());
  return answer(size, bytes.size());
}

DUET_HSA(hsa_code_object_destroy, Other, (hsa_code_object_t code_object)) {
  const ReadObject* const object = session.code.objects.find(code_object.handle);
  if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  for (const std::uint64_t symbol : object->symbols) session.code.symbols.erase(symbol);
  session.code.objects.erase(code_object.handle);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_code_object_get_info, Query,
         (hsa_code_object_t code_object, hsa_code_object_info_t attribute, void* value)) {
  if (session.code.objects.find(code_object.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_CODE_OBJECT_INFO_VERSION:
      return answer_text(value, "1.0", 64);
    case HSA_CODE_OBJECT_INFO_TYPE:
      return answer(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
    case HSA_CODE_OBJECT_INFO_ISA:
      return answer(value, kIsa);
    case HSA_CODE_OBJECT_INFO_MACHINE_MODEL:
      return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_CODE_OBJECT_INFO_PROFILE:
      return answer(value, HSA_PROFILE_BASE);
    case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

DUET_HSA(hsa_executable_load_code_object, Allocate,
         (hsa_executable_t handle, hsa_agent_t agent, hsa_code_object_t code_object, const char*)) {
  Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  const ReadObject* const object = session.code.objects.find(code_object.handle);
  if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  if (agent.handle == kCpuAgent.handle) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  if (executable->frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  return session.code.load(*executable, object->object);
}
DUET_HSA_END

// ---- Symbols ----

DUET_HSA(hsa_code_object_get_symbol, Query,
         (hsa_code_object_t code_object, const char* name, hsa_code_symbol_t* symbol)) {
  const ReadObject* const object = session.code.objects.find(code_object.handle);
  if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return answer_symbol(session, object->symbols, name, symbol != nullptr ? &symbol->handle : nullptr);
}
DUET_HSA_END

DUET_HSA(hsa_code_object_get_symbol_from_name, Query,
         (hsa_code_object_t code_object, const char*, const char* name, hsa_code_symbol_t* symbol)) {
  const ReadObject* const object = session.code.objects.find(code_object.handle);
  if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  return answer_symbol(session, object->symbols, name, symbol != nullptr ? &symbol->handle : nullptr);
}
DUET_HSA_END

DUET_HSA(hsa_code_symbol_get_info, Query,
         (hsa_code_symbol_t handle, hsa_code_symbol_info_t attribute, void* value)) {
  const Symbol* const symbol = session.code.symbols.find(handle.handle);
  if (symbol == nullptr || symbol->place != 0) return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
  return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : symbol_info(*symbol, attribute, value);
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_code_object_iterate_symbols(
    hsa_code_object_t code_object, hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*),
    void* data) {
  static ApiFunction function{"hsa_code_object_iterate_symbols", CallKind::Query};
  return iterate<hsa_code_symbol_t>(
      function, callback != nullptr,
      [code_object](Session& session, std::vector<hsa_code_symbol_t>& all) {
        const ReadObject* const object = session.code.objects.find(code_object.handle);
        if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
        for (const std::uint64_t symbol : object->symbols) all.push_back({symbol});
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_code_symbol_t symbol) { return callback(code_object, symbol, data); });
}

// ---- The finalizer ----

namespace {

constexpr auto kInvalidProgram = static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_INVALID_PROGRAM);
constexpr auto kInvalidModule = static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_INVALID_MODULE);
constexpr auto kModuleAlreadyIncluded =
    static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_MODULE_ALREADY_INCLUDED);

}  // namespace

DUET_HSA(hsa_ext_program_create, Other,
         (hsa_machine_model_t model, hsa_profile_t profile, hsa_default_float_rounding_mode_t mode,
          const char*, hsa_ext_program_t* program)) {
  if (is_outside(model, HSA_MACHINE_MODEL_LARGE) || is_outside(profile, HSA_PROFILE_FULL) ||
      is_outside(mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR) || program == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(program, hsa_ext_program_t{session.code.programs.add({profile, {}})});
}
DUET_HSA_END

DUET_HSA(hsa_ext_program_destroy, Other, (hsa_ext_program_t program)) {
  return session.code.programs.erase(program.handle) ? HSA_STATUS_SUCCESS : kInvalidProgram;
}
DUET_HSA_END

DUET_HSA(hsa_ext_program_add_module, Other, (hsa_ext_program_t handle, hsa_ext_module_t module)) {
  Program* const program = session.code.programs.find(handle.handle);
  if (program == nullptr) return kInvalidProgram;
  if (module == nullptr) return kInvalidModule;
  if (std::find(program->modules.begin(), program->modules.end(), module) != program->modules.end())
    return kModuleAlreadyIncluded;
  CodeObject object;
  const hsa_status_t status = session.code.read("hsa_ext_program_add_module", module_bytes(module), object);
  if (status == HSA_STATUS_SUCCESS) program->modules.push_back(module);
  return status;
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_ext_program_iterate_modules(
    hsa_ext_program_t handle, hsa_status_t (*callback)(hsa_ext_program_t, hsa_ext_module_t, void*),
    void* data) {
  static ApiFunction function{"hsa_ext_program_iterate_modules", CallKind::Query};
  return iterate<hsa_ext_module_t>(
      function, callback != nullptr,
      [handle](Session& session, std::vector<hsa_ext_module_t>& all) {
        const Program* const program = session.code.programs.find(handle.handle);
        if (program == nullptr) return kInvalidProgram;
        all = program->modules;
        return HSA_STATUS_SUCCESS;
      },
      [&](hsa_ext_module_t module) { return callback(handle, module, data); });
}

DUET_HSA(hsa_ext_program_get_info, Query,
         (hsa_ext_program_t handle, hsa_ext_program_info_t attribute, void* value)) {
  const Program* const program = session.code.programs.find(handle.handle);
  if (program == nullptr) return kInvalidProgram;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_EXT_PROGRAM_INFO_MACHINE_MODEL:
      return answer(value, HSA_MACHINE_MODEL_LARGE);
    case HSA_EXT_PROGRAM_INFO_PROFILE:
      return answer(value, program->profile);
    case HSA_EXT_PROGRAM_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

// Modules are whole programs each, so that one is all that a code object takes.
DUET_HSA(hsa_ext_program_finalize, Other,
         (hsa_ext_program_t handle, hsa_isa_t isa, std::int32_t, hsa_ext_control_directives_t, const char*,
          hsa_code_object_type_t, hsa_code_object_t* code_object)) {
  const Program* const program = session.code.programs.find(handle.handle);
  if (program == nullptr) return kInvalidProgram;
  if (isa.handle != kIsa.handle) return HSA_STATUS_ERROR_INVALID_ISA;
  if (code_object == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (program->modules.size() != 1) {
    core::say_once("hsa_ext_program_finalize: the program has " + std::to_string(program->modules.size()) +
                   " modules: a code object is made of one");
    return static_cast<hsa_status_t>(HSA_EXT_STATUS_ERROR_FINALIZATION_FAILED);
  }
  CodeObject object;
  const hsa_status_t status =
      session.code.read("hsa_ext_program_finalize", module_bytes(program->modules[0]), object);
  return status == HSA_STATUS_SUCCESS ? add_object(session, std::move(object), code_object) : status;
}
DUET_HSA_END

}  // namespace duet::hsa::api
