// The common part of the driver interface's files. Most of its functions are the runtime interface's under
// other names and with arguments in another form: both call one function of duet::cuda (*_calls.h). Its
// additions: it must be initialized, calls need a current context, errors are CUresult and are not
// remembered.
#pragma once

#include <functional>

#include "cuda/session/contexts.h"
#include "cuda/session/session.h"
#include "duet_cu_api.h"

namespace duet::cuda {

enum class Needs { Nothing, Init, Context };

// The number of an error of the runtime in the driver interface; most are the same.
CUresult result_of(cudaError_t error);
// Marks the interface as initialized.
void initialize();
// "CUDA_ERROR_INVALID_VALUE"; null when it is none.
const char* name_of(CUresult error);
// The reason to refuse a call with these needs; CUDA_SUCCESS when there is none.
CUresult refused(Needs needs);

// Whether a call about the stream has a context: a stream has its own; only a default stream needs a current
// one.
bool has_context(Session& session, ThreadState& thread, CUstream stream);

// A function of the driver interface.
struct DriverFunction : ApiFunction {
  DriverFunction(const char* function_name, CallKind call_kind)
      : ApiFunction(function_name, call_kind,
                    call_kind == CallKind::MemcpySync || call_kind == CallKind::StreamSynchronize ||
                        call_kind == CallKind::EventSynchronize) {
    of_runtime = false;
  }
};

// The whole call; its part in Run counts.
template <typename Call>
CUresult driver_call(DriverFunction& function, Needs needs, Call&& call) {
  if (const CUresult result = refused(needs); result != CUDA_SUCCESS) return result;
  const CUresult result = result_of(call());
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) note_failure(function, name_of(result));
  return result;
}
struct Run {
  DriverFunction& function;
  cudaError_t operator()(const std::function<cudaError_t(Session&, ThreadState&)>& body) const {
    return detail::run(function, body);
  }
};
// A call that counts as a whole.
template <typename Body>
CUresult driver_body(DriverFunction& function, Needs needs, Body&& body) {
  return driver_call(function, needs, [&] { return detail::run(function, std::forward<Body>(body)); });
}

inline void* pointer_of(CUdeviceptr address) { return reinterpret_cast<void*>(address); }
inline cudaArray_t array_of(CUarray array) { return reinterpret_cast<cudaArray_t>(array); }
inline cudaArray_t* array_of(CUarray* array) { return reinterpret_cast<cudaArray_t*>(array); }
inline CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

}  // namespace duet::cuda

// DUET_CU_BODY(name, kind, needs, (parameters)) { ... uses `session` and `thread`, returns cudaError_t ... }
// DUET_CU_END
#define DUET_CU_BODY(name, call_kind, needs, parameters)                                     \
  extern "C" CUresult name parameters {                                                      \
    static duet::cuda::DriverFunction duet_function{#name, duet::cuda::CallKind::call_kind}; \
    return duet::cuda::driver_body(duet_function, duet::cuda::Needs::needs,                              \
                                   [&]([[maybe_unused]] duet::cuda::Session& session,                    \
                                       [[maybe_unused]] duet::cuda::ThreadState& thread) -> cudaError_t
#define DUET_CU_END \
  );                \
  }
// The same with one expression.
#define DUET_CU_DO(name, call_kind, needs, parameters, call)        \
  DUET_CU_BODY(name, call_kind, needs, parameters) { return call; } \
  DUET_CU_END
// The same of a function with `stream`.
#define DUET_CU_STREAM(name, call_kind, parameters, call)                                            \
  DUET_CU_BODY(name, call_kind, Init, parameters) {                                                  \
    return duet::cuda::has_context(session, thread, stream) ? (call) : cudaErrorDeviceUninitialized; \
  }                                                                                                  \
  DUET_CU_END
// Only the part in `run` counts as a call: DUET_CU_RUN(name, kind, needs, (parameters),
// device != 0 ? cudaErrorInvalidDevice : run([&](Session& session, ThreadState& thread) { ... }))
#define DUET_CU_RUN(name, call_kind, needs, parameters, call)                                      \
  extern "C" CUresult name parameters {                                                            \
    static duet::cuda::DriverFunction duet_function{#name, duet::cuda::CallKind::call_kind};       \
    const duet::cuda::Run run{duet_function};                                                      \
    return duet::cuda::driver_call(duet_function, duet::cuda::Needs::needs, [&] { return call; }); \
  }
// An invalid value where `refused` holds: no call yet.
#define DUET_CU_UNLESS(refused, name, call_kind, needs, parameters, call)        \
  DUET_CU_RUN(name, call_kind, needs, parameters,                                \
              (refused) ? cudaErrorInvalidValue                                  \
                        : run([&]([[maybe_unused]] duet::cuda::Session& session, \
                                  [[maybe_unused]] duet::cuda::ThreadState& thread) { return call; }))
