// Code object readers and executables.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "hsa/api/symbol_info.h"
#include "hsa/session/session.h"

namespace duet::hsa::api {

namespace {

// False: the descriptor is no file's, or cannot be read.
bool read_all(int file, std::string& bytes) {
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return false;
  bytes.resize(static_cast<std::size_t>(about.st_size));
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t got = pread(file, bytes.data() + done, bytes.size() - done, static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    done += static_cast<std::size_t>(got);
  }
  return true;
}

hsa_status_t create(Session& session, hsa_profile_t profile, bool frozen, hsa_executable_t* executable) {
  if (is_outside(profile, HSA_PROFILE_FULL) || executable == nullptr)
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return answer(executable, hsa_executable_t{session.code.executables.add({profile, frozen, {}})});
}

hsa_status_t load(Session& session, const char* call, hsa_executable_t handle,
                  hsa_code_object_reader_t reader, hsa_loaded_code_object_t* loaded) {
  Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (executable->frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  const std::string* const bytes = session.code.readers.find(reader.handle);
  if (bytes == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  CodeObject object;
  hsa_status_t status = session.code.read(call, *bytes, object);
  if (status == HSA_STATUS_SUCCESS) status = session.code.load(*executable, object);
  if (status != HSA_STATUS_SUCCESS || loaded == nullptr) return status;
  return answer(loaded, hsa_loaded_code_object_t{reader.handle});
}

using List = std::vector<hsa_executable_symbol_t>;
hsa_status_t list_symbols(Session& session, hsa_executable_t handle, List& all) {
  const Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (const std::uint64_t symbol : executable->symbols) all.push_back({symbol});
  return HSA_STATUS_SUCCESS;
}

}  // namespace

// ---- Readers ----

DUET_HSA(hsa_code_object_reader_create_from_file, Other,
         (hsa_file_t file, hsa_code_object_reader_t* reader)) {
  if (reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::string bytes;
  if (!read_all(file, bytes)) return HSA_STATUS_ERROR_INVALID_FILE;
  return answer(reader, hsa_code_object_reader_t{session.code.readers.add(std::move(bytes))});
}
DUET_HSA_END

DUET_HSA(hsa_code_object_reader_create_from_memory, Other,
         (const void* from, size_t bytes, hsa_code_object_reader_t* reader)) {
  if (from == nullptr || bytes == 0 || reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::string own(bytes, '\0');
  read_program(own.data(), from, bytes);
  return answer(reader, hsa_code_object_reader_t{session.code.readers.add(std::move(own))});
}
DUET_HSA_END

DUET_HSA(hsa_code_object_reader_destroy, Other, (hsa_code_object_reader_t reader)) {
  return session.code.readers.erase(reader.handle) ? HSA_STATUS_SUCCESS
                                                   : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}
DUET_HSA_END

// ---- Executables ----

DUET_HSA(hsa_executable_create, Other,
         (hsa_profile_t profile, hsa_executable_state_t state, const char*, hsa_executable_t* executable)) {
  if (is_outside(state, HSA_EXECUTABLE_STATE_FROZEN)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return create(session, profile, state == HSA_EXECUTABLE_STATE_FROZEN, executable);
}
DUET_HSA_END

DUET_HSA(hsa_executable_create_alt, Other,
         (hsa_profile_t profile, hsa_default_float_rounding_mode_t mode, const char*,
          hsa_executable_t* executable)) {
  if (is_outside(mode, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return create(session, profile, false, executable);
}
DUET_HSA_END

// Packets that name its kernels may still be on their way: their code stays.
DUET_HSA(hsa_executable_destroy, Other, (hsa_executable_t handle)) {
  const Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  for (const std::uint64_t symbol : executable->symbols) session.code.symbols.erase(symbol);
  session.code.executables.erase(handle.handle);
  return HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_executable_load_agent_code_object, Allocate,
         (hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t reader, const char*,
          hsa_loaded_code_object_t* loaded)) {
  if (session.code.executables.find(executable.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (agent.handle == kCpuAgent.handle) return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
  return load(session, "hsa_executable_load_agent_code_object", executable, reader, loaded);
}
DUET_HSA_END

// Such a code object has the variables that all agents share, and duet hsacc makes none.
DUET_HSA(hsa_executable_load_program_code_object, Allocate,
         (hsa_executable_t executable, hsa_code_object_reader_t reader, const char*,
          hsa_loaded_code_object_t*)) {
  const Executable* const own = session.code.executables.find(executable.handle);
  if (own == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (own->frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  if (session.code.readers.find(reader.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  return HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}
DUET_HSA_END

DUET_HSA(hsa_executable_freeze, Other, (hsa_executable_t handle, const char*)) {
  Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return std::exchange(executable->frozen, true) ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE : HSA_STATUS_SUCCESS;
}
DUET_HSA_END

DUET_HSA(hsa_executable_get_info, Query,
         (hsa_executable_t handle, hsa_executable_info_t attribute, void* value)) {
  const Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  switch (attribute) {
    case HSA_EXECUTABLE_INFO_PROFILE:
      return answer(value, executable->profile);
    case HSA_EXECUTABLE_INFO_STATE:
      return answer(value, executable->frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
    case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
      return answer(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
}
DUET_HSA_END

DUET_HSA(hsa_executable_validate, Query, (hsa_executable_t executable, std::uint32_t* result)) {
  if (session.code.executables.find(executable.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(result, std::uint32_t{0});
}
DUET_HSA_END

DUET_HSA(hsa_executable_validate_alt, Query,
         (hsa_executable_t executable, const char*, std::uint32_t* result)) {
  if (session.code.executables.find(executable.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : answer(result, std::uint32_t{0});
}
DUET_HSA_END

// ---- Symbols ----

DUET_HSA(hsa_executable_get_symbol, Query,
         (hsa_executable_t handle, const char*, const char* name, hsa_agent_t agent, std::int32_t,
          hsa_executable_symbol_t* symbol)) {
  const Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (!is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  return answer_symbol(session, executable->symbols, name, symbol != nullptr ? &symbol->handle : nullptr);
}
DUET_HSA_END

// Kernels and variables are an agent's: without one there is none.
DUET_HSA(hsa_executable_get_symbol_by_name, Query,
         (hsa_executable_t handle, const char* name, const hsa_agent_t* agent,
          hsa_executable_symbol_t* symbol)) {
  const Executable* const executable = session.code.executables.find(handle.handle);
  if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (agent != nullptr && !is_agent(*agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (agent == nullptr || agent->handle != kGpuAgent.handle) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  return answer_symbol(session, executable->symbols, name, &symbol->handle);
}
DUET_HSA_END

DUET_HSA(hsa_executable_symbol_get_info, Query,
         (hsa_executable_symbol_t handle, hsa_executable_symbol_info_t attribute, void* value)) {
  const Symbol* const symbol = session.code.symbols.find(handle.handle);
  if (symbol == nullptr || symbol->place == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (attribute == HSA_EXECUTABLE_SYMBOL_INFO_AGENT) return answer(value, kGpuAgent);
  const bool is_kernel = std::holds_alternative<CodeKernel>(symbol->what);
  if (attribute ==
      (is_kernel ? HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT : HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS))
    return answer(value, symbol->place);
  return symbol_info(*symbol, attribute, value);
}
DUET_HSA_END

DUET_HSA_EXPORT hsa_status_t hsa_executable_iterate_symbols(
    hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*),
    void* data) {
  static ApiFunction function{"hsa_executable_iterate_symbols", CallKind::Query};
  return iterate<hsa_executable_symbol_t>(
      function, callback != nullptr,
      [executable](Session& session, List& all) { return list_symbols(session, executable, all); },
      [&](hsa_executable_symbol_t symbol) { return callback(executable, symbol, data); });
}

DUET_HSA_EXPORT hsa_status_t hsa_executable_iterate_agent_symbols(
    hsa_executable_t executable, hsa_agent_t agent,
    hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t, void*), void* data) {
  static ApiFunction function{"hsa_executable_iterate_agent_symbols", CallKind::Query};
  return iterate<hsa_executable_symbol_t>(
      function, callback != nullptr,
      [executable, agent](Session& session, List& all) {
        const hsa_status_t status = list_symbols(session, executable, all);
        if (status == HSA_STATUS_SUCCESS && !is_agent(agent)) return HSA_STATUS_ERROR_INVALID_AGENT;
        if (agent.handle != kGpuAgent.handle) all.clear();
        return status;
      },
      [&](hsa_executable_symbol_t symbol) { return callback(executable, agent, symbol, data); });
}

// Kernels and variables are an agent's, so there are none.
DUET_HSA_EXPORT hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*),
    void* data) {
  static ApiFunction function{"hsa_executable_iterate_program_symbols", CallKind::Query};
  return iterate<hsa_executable_symbol_t>(
      function, callback != nullptr,
      [executable](Session& session, List& all) {
        const hsa_status_t status = list_symbols(session, executable, all);
        all.clear();
        return status;
      },
      [&](hsa_executable_symbol_t symbol) { return callback(executable, symbol, data); });
}

}  // namespace duet::hsa::api
