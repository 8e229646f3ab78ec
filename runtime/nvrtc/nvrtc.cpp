// libnvrtc.so.13 as programs under `duet run` find it (nvrtc.h says what it does). Where the machine has
// NVIDIA's, every call goes there, but no machine code is made: a program that asks for a cubin has PTX,
// which cuModuleLoadData takes as well. Elsewhere clang-19 compiles. No GPU, no driver and no session is
// asked. nvrtcResult and errors: CUDA's manual, "NVRTC".
#include "nvrtc.h"

#include <cstring>
#include <mutex>
#include <new>
#include <unordered_set>

#include "nvrtc/compiler.h"
#include "nvrtc/installed.h"
#include "nvrtc/options.h"

using duet::nvrtc::Compiled;
using duet::nvrtc::Options;
using duet::nvrtc::Source;

struct _nvrtcProgram {
  Source source;
  Compiled compiled;
  bool tried = false;
};

namespace {

// Programs may come from any thread; a handle that was destroyed is told.
std::mutex lock;
std::unordered_set<nvrtcProgram>& programs() {
  static auto* const all = new std::unordered_set<nvrtcProgram>;
  return *all;
}

// Programs of any NVRTC whose options named a GPU, and not a kind of PTX: they want a cubin.
std::unordered_set<nvrtcProgram>& for_a_gpu() {
  static auto* const all = new std::unordered_set<nvrtcProgram>;
  return *all;
}
bool asked_for_gpu(nvrtcProgram program) {
  const std::lock_guard locked(lock);
  return for_a_gpu().contains(program);
}
void remember(nvrtcProgram program, bool gpu) {
  const std::lock_guard locked(lock);
  if (gpu)
    for_a_gpu().insert(program);
  else
    for_a_gpu().erase(program);
}

bool valid(nvrtcProgram program) {
  const std::lock_guard locked(lock);
  return programs().contains(program);
}

// Nothing is thrown into the caller's program.
template <typename Body>
nvrtcResult guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

// A text with the 0 at its end; null gives 0 bytes.
nvrtcResult size_of(nvrtcProgram program, std::size_t* bytes, const std::string* text) {
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  *bytes = text != nullptr ? text->size() + 1 : 0;
  return NVRTC_SUCCESS;
}
nvrtcResult give(nvrtcProgram program, char* to, const std::string* text) {
  if (to == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  if (text != nullptr) std::memcpy(to, text->c_str(), text->size() + 1);
  return NVRTC_SUCCESS;
}

const std::string* ptx_of(nvrtcProgram program) {
  return valid(program) && program->compiled.done ? &program->compiled.ptx : nullptr;
}
const std::string* log_of(nvrtcProgram program) { return valid(program) ? &program->compiled.log : nullptr; }

}  // namespace

#define DUET_NVRTC extern "C" __attribute__((visibility("default")))
// To the machine's NVRTC, where there is one with this function.
#define DUET_NVRTC_PASS(function, ...)                                                   \
  if (const auto other = duet::nvrtc::installed(&function, DUET_NVRTC_MAJOR, #function)) \
  return other(__VA_ARGS__)

DUET_NVRTC const char* nvrtcGetErrorString(nvrtcResult result) {
  DUET_NVRTC_PASS(nvrtcGetErrorString, result);
  switch (result) {
#define DUET_NVRTC_NAME(name) \
  case name:                  \
    return #name;
    DUET_NVRTC_NAME(NVRTC_SUCCESS)
    DUET_NVRTC_NAME(NVRTC_ERROR_OUT_OF_MEMORY)
    DUET_NVRTC_NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE)
    DUET_NVRTC_NAME(NVRTC_ERROR_INVALID_INPUT)
    DUET_NVRTC_NAME(NVRTC_ERROR_INVALID_PROGRAM)
    DUET_NVRTC_NAME(NVRTC_ERROR_INVALID_OPTION)
    DUET_NVRTC_NAME(NVRTC_ERROR_COMPILATION)
    DUET_NVRTC_NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    DUET_NVRTC_NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
    DUET_NVRTC_NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
    DUET_NVRTC_NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
    DUET_NVRTC_NAME(NVRTC_ERROR_INTERNAL_ERROR)
    DUET_NVRTC_NAME(NVRTC_ERROR_TIME_FILE_WRITE_FAILED)
    DUET_NVRTC_NAME(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED)
    DUET_NVRTC_NAME(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED)
    DUET_NVRTC_NAME(NVRTC_ERROR_PCH_CREATE)
    DUET_NVRTC_NAME(NVRTC_ERROR_CANCELLED)
    DUET_NVRTC_NAME(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED)
#undef DUET_NVRTC_NAME
  }
  return "NVRTC_ERROR unknown";
}

DUET_NVRTC nvrtcResult nvrtcVersion(int* major, int* minor) {
  DUET_NVRTC_PASS(nvrtcVersion, major, minor);
  if (major == nullptr || minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *major = DUET_NVRTC_MAJOR;
  *minor = 0;
  return NVRTC_SUCCESS;
}

DUET_NVRTC nvrtcResult nvrtcGetNumSupportedArchs(int* count) {
  DUET_NVRTC_PASS(nvrtcGetNumSupportedArchs, count);
  if (count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *count = static_cast<int>(duet::nvrtc::architectures().size());
  return NVRTC_SUCCESS;
}

DUET_NVRTC nvrtcResult nvrtcGetSupportedArchs(int* architectures) {
  DUET_NVRTC_PASS(nvrtcGetSupportedArchs, architectures);
  if (architectures == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  for (const int one : duet::nvrtc::architectures()) *architectures++ = one;
  return NVRTC_SUCCESS;
}

DUET_NVRTC nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name,
                                          int header_count, const char* const* headers,
                                          const char* const* include_names) {
  DUET_NVRTC_PASS(nvrtcCreateProgram, program, source, name, header_count, headers, include_names);
  return guarded([&] {
    if (program == nullptr || source == nullptr || header_count < 0) return NVRTC_ERROR_INVALID_INPUT;
    if (header_count > 0 && (headers == nullptr || include_names == nullptr))
      return NVRTC_ERROR_INVALID_INPUT;
    auto* const made = new _nvrtcProgram;
    made->source.text = source;
    made->source.name = name != nullptr ? name : "default_program";
    for (int i = 0; i < header_count; ++i) made->source.headers.emplace_back(include_names[i], headers[i]);
    const std::lock_guard locked(lock);
    programs().insert(*program = made);
    return NVRTC_SUCCESS;
  });
}

DUET_NVRTC nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  if (program != nullptr) remember(*program, false);
  DUET_NVRTC_PASS(nvrtcDestroyProgram, program);
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  const std::lock_guard locked(lock);
  if (programs().erase(*program) == 0) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

DUET_NVRTC nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count,
                                           const char* const* options) {
  return guarded([&] {
    if (const auto other =
            duet::nvrtc::installed(&nvrtcCompileProgram, DUET_NVRTC_MAJOR, "nvrtcCompileProgram")) {
      const duet::nvrtc::PtxOptions asked(option_count, options);
      remember(program, asked.names_a_gpu);
      return other(program, static_cast<int>(asked.pointers.size()), asked.pointers.data());
    }
    if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (option_count < 0 || (option_count > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
    program->tried = true;
    program->compiled = {};
    const Options read = duet::nvrtc::read_options(option_count, options);
    if (!read.error.empty()) {
      program->compiled.log = read.error;
      return NVRTC_ERROR_INVALID_OPTION;
    }
    remember(program, read.architecture.starts_with("sm_"));
    program->compiled = duet::nvrtc::compile(program->source, read);
    return program->compiled.done ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
  });
}

#define DUET_NVRTC_TEXT(name, text)                                             \
  DUET_NVRTC nvrtcResult name##Size(nvrtcProgram program, std::size_t* bytes) { \
    DUET_NVRTC_PASS(name##Size, program, bytes);                                \
    return size_of(program, bytes, text);                                       \
  }                                                                             \
  DUET_NVRTC nvrtcResult name(nvrtcProgram program, char* to) {                 \
    DUET_NVRTC_PASS(name, program, to);                                         \
    return give(program, to, text);                                             \
  }
DUET_NVRTC_TEXT(nvrtcGetPTX, ptx_of(program))
DUET_NVRTC_TEXT(nvrtcGetLTOIR, nullptr)
DUET_NVRTC_TEXT(nvrtcGetOptiXIR, nullptr)
DUET_NVRTC_TEXT(nvrtcGetProgramLog, log_of(program))
#undef DUET_NVRTC_TEXT

// Of the machine's NVRTC, too, the PTX.
DUET_NVRTC nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* bytes) {
  if (asked_for_gpu(program)) return nvrtcGetPTXSize(program, bytes);
  DUET_NVRTC_PASS(nvrtcGetCUBINSize, program, bytes);
  return size_of(program, bytes, nullptr);
}
DUET_NVRTC nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  if (asked_for_gpu(program)) return nvrtcGetPTX(program, cubin);
  DUET_NVRTC_PASS(nvrtcGetCUBIN, program, cubin);
  return give(program, cubin, nullptr);
}

DUET_NVRTC nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression) {
  DUET_NVRTC_PASS(nvrtcAddNameExpression, program, expression);
  return guarded([&] {
    if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
    if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
    if (program->tried) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    program->source.expressions.emplace_back(expression);
    return NVRTC_SUCCESS;
  });
}

DUET_NVRTC nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name) {
  DUET_NVRTC_PASS(nvrtcGetLoweredName, program, expression, name);
  if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  if (expression == nullptr || name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!program->compiled.done) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  for (std::size_t i = 0; i < program->source.expressions.size(); ++i)
    if (program->source.expressions[i] == expression) {
      *name = program->compiled.lowered[i].c_str();
      return NVRTC_SUCCESS;
    }
  return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// Precompiled headers: the heap may be asked and set, and none is ever made.
namespace {
size_t pch_heap_bytes = 0;
}
DUET_NVRTC nvrtcResult nvrtcGetPCHHeapSize(size_t* bytes) {
  DUET_NVRTC_PASS(nvrtcGetPCHHeapSize, bytes);
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *bytes = pch_heap_bytes;
  return NVRTC_SUCCESS;
}
DUET_NVRTC nvrtcResult nvrtcSetPCHHeapSize(size_t bytes) {
  DUET_NVRTC_PASS(nvrtcSetPCHHeapSize, bytes);
  pch_heap_bytes = bytes;
  return NVRTC_SUCCESS;
}
DUET_NVRTC nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program) {
  DUET_NVRTC_PASS(nvrtcGetPCHCreateStatus, program);
  return valid(program) ? NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED : NVRTC_ERROR_INVALID_PROGRAM;
}
DUET_NVRTC nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t* bytes) {
  DUET_NVRTC_PASS(nvrtcGetPCHHeapSizeRequired, program, bytes);
  if (bytes == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  *bytes = 0;
  return NVRTC_SUCCESS;
}
// A compilation of `duet cc` takes a second and is not cancelled.
DUET_NVRTC nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* data) {
  DUET_NVRTC_PASS(nvrtcSetFlowCallback, program, callback, data);
  if (!valid(program)) return NVRTC_ERROR_INVALID_PROGRAM;
  return callback != nullptr ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_INPUT;
}
