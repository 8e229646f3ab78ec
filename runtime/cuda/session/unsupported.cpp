// Every export of CUDA's runtime library and of its driver library that Duet does not have is a stub
// (generated from the files exports.txt) that comes here: one line that names the function, and the error.
#include <cstdio>
#include <set>
#include <string>

#include "cuda/session/session.h"

namespace {

// Says so once.
void say(duet::cuda::Session& session, const char* name, const char* error) {
  std::lock_guard lock(session.program().mutex());
  static auto* const said = new std::set<std::string>;
  if (said->insert(name).second)
    std::fprintf(stderr, "duet: %s is not supported: it returns %s\n", name, error);
}

}  // namespace

extern "C" int duet_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  say(Session::get(), name, "cudaErrorNotSupported");
  Session::get().thread().last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}

// The same for the driver interface, whose errors nobody remembers.
extern "C" int duet_driver_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  say(Session::get(), name, "CUDA_ERROR_NOT_SUPPORTED");
  return cudaErrorNotSupported;
}
