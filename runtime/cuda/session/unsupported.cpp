// The stubs (generated from the files exports.txt) for exports of CUDA's runtime library and driver library
// that Duet lacks: one line with the function's name, and the error.
#include <string>

#include "core/notes.h"
#include "cuda/session/session.h"

namespace {

void say(const char* name, const char* error) {
  duet::core::say_once(std::string(name) + " is not supported: it returns " + error);
}

// Of a part of a call the call itself tells.
void note(const char* name, const char* error) {
  if (duet::cuda::Session::get().thread().calls != 0) return;
  duet::cuda::note_failure(duet::cuda::ApiFunction(name, duet::cuda::CallKind::Other), error);
}

}  // namespace

extern "C" int duet_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  say(name, "cudaErrorNotSupported");
  Session::get().thread().last_error = cudaErrorNotSupported;
  note(name, "cudaErrorNotSupported");
  return cudaErrorNotSupported;
}

// The same for the driver interface, whose errors nobody remembers.
extern "C" int duet_driver_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  say(name, "CUDA_ERROR_NOT_SUPPORTED");
  note(name, "CUDA_ERROR_NOT_SUPPORTED");
  return cudaErrorNotSupported;
}
