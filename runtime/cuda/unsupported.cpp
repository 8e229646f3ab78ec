// Every export of CUDA's runtime library that Duet does not have is a stub (generated from exports.txt) that
// comes here: one line that names the function, and cudaErrorNotSupported.
#include <cstdio>
#include <set>
#include <string>

#include "session.h"

extern "C" int duet_unsupported(const char* name) {
  using duet::cuda::Session;
  if (Session::refusal() != cudaSuccess) return cudaErrorInitializationError;
  Session& session = Session::get();
  std::lock_guard lock(session.mutex());
  static auto* const said = new std::set<std::string>;
  if (said->insert(name).second)
    std::fprintf(stderr, "duet: %s is not supported: it returns cudaErrorNotSupported\n", name);
  session.thread().last_error = cudaErrorNotSupported;
  return cudaErrorNotSupported;
}
