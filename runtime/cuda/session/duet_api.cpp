// duet.h: a program's calls for Duet itself.
#include <algorithm>

#include "cuda/session/session.h"

#define DUET_EXPORT extern "C" __attribute__((visibility("default")))

using duet::cuda::Session;

namespace {
// The calls cost no simulated time. After a fork they do nothing: the child has no machine.
template <typename Body>
void with_thread(Body&& body) {
  if (Session::refusal() != cudaSuccess) return;
  Session& session = Session::get();
  const auto lock = session.program().lock();
  body(session, session.thread());
}
}  // namespace

DUET_EXPORT void duetMark(const char* name) {
  if (name != nullptr) duet::cuda::mark(name);
}

// For nvtx3/nvToolsExt.h: `what` is a report::RangeRecord::What. Returns the id of a starting range.
DUET_EXPORT unsigned long long duetRange(unsigned what, const char* message, unsigned long long id) {
  using What = duet::report::RangeRecord::What;
  static std::uint64_t started = 0;  // under the program's lock
  with_thread([&](Session& session, duet::cuda::ThreadState& thread) {
    if (what == static_cast<unsigned>(What::Start)) id = ++started;
    session.program().journal().append(
        duet::report::RecordType::Range,
        duet::report::RangeRecord{static_cast<What>(what), thread.number,
                                  std::max(thread.host->clock(), session.process().engine().now()), id},
        message != nullptr ? message : "");
  });
  return id;
}

DUET_EXPORT void duetHostWork(unsigned long long nanoseconds) {
  with_thread([&](Session& session, duet::cuda::ThreadState& thread) {
    thread.host->work(nanoseconds * duet::kPicosecondsPerNanosecond);
    session.process().note_time(thread.host->clock());
  });
}

DUET_EXPORT unsigned long long duetTimeNs(void) {
  unsigned long long time = 0;
  with_thread([&](Session&, duet::cuda::ThreadState& thread) {
    time = thread.host->clock() / duet::kPicosecondsPerNanosecond;
  });
  return time;
}
