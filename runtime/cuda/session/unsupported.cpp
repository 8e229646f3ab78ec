// The stubs (generated from the files exports.txt) for exports of CUDA's runtime library and driver library
// that Duet lacks: one line with the function's name, and the error.
#include <cstdio>
#include <set>
#include <string>

#include "cuda/session/session.h"

namespace {

// Says so once.
void say(duet::cuda::Session& session, const char* name, const char* error) {
  const auto lock = session.program().lock();
  static auto* const said = new std::set<std::string>;
  if (said->insert(name).second)
    std::fprintf(stderr, "duet: %s is not supported: it returns %s\n", name, error);
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
  say(Session::get(), name, "cudaErrorNotSupported");
  Session::get().thread().last_error = cudaErrorNotSupported;
  note(name, "cudaErrorNotSupported");
  return cudaErrorNotSupported;
}

// The same for the driver interface, whose errors nobody remembers.
extern "C" int duet_driver_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  say(Session::get(), name, "CUDA_ERROR_NOT_SUPPORTED");
  note(name, "CUDA_ERROR_NOT_SUPPORTED");
  return cudaErrorNotSupported;
}
