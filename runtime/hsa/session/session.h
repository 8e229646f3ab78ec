// What a program's HSA calls share: signals, queues, memory, code, and functions of the program that are due.
//
//   DUET_HSA(hsa_signal_destroy, Other, (hsa_signal_t signal)) {
//     ... `session`, `host` ...
//   } DUET_HSA_END
//
// Functions of the program (callbacks) are called outside of the lock, when the call that found them due has
// ended. Left out: threads of its own; a handler is called by the thread that makes a call or waits.
#pragma once

#include <hsa/hsa.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "core/runtime.h"
#include "hsa/session/code.h"
#include "hsa/session/profiles.h"
#include "hsa/session/queues.h"
#include "hsa/session/regions.h"
#include "hsa/session/signals.h"

namespace duet::hsa {

using core::CallKind;
using core::Runtime;
using host::HostThread;

inline constexpr Picoseconds kTickPs = kTickNs * kPicosecondsPerNanosecond;
inline constexpr hsa_agent_t kCpuAgent{1}, kGpuAgent{2};
inline constexpr hsa_isa_t kIsa{1};
inline bool is_agent(hsa_agent_t agent) {
  return agent.handle == kCpuAgent.handle || agent.handle == kGpuAgent.handle;
}

class Session {
  Runtime& core_ = Runtime::get();  // what follows stands on it

 public:
  static Session& get();

  Runtime& core() { return core_; }
  const config::Machine& config() const { return core_.config(); }
  machine::UserQueues& user_queues() { return core_.process().user_queues(); }

  std::uint32_t references = 0;  // hsa_init
  Signals signals{core_};
  Queues queues{*this};
  Regions regions{core_};
  Code code{core_};
  Profiles profiles{core_};
  Handles<std::vector<hsa_signal_t>> signal_groups;

  // The process's first hsa_init takes the framework's start-up; later ones nothing.
  void start_up(HostThread& host);
  // A signal has another value, by the program.
  void written(const Signal& signal);
  // Functions of the program that are due.
  void call_later(std::function<void()> function) { due_.push_back(std::move(function)); }
  bool any_due() const { return !due_.empty(); }
  std::vector<std::function<void()>> take_due() { return std::exchange(due_, {}); }

  // Of what waits for a signal in the background: looks whether it may begin. False: it is to be asked again.
  using Waiting = std::function<bool()>;
  void when_ready(Waiting waiting) { waiting_.push_back(std::move(waiting)); }
  void look();

  // Blocks until done() holds, something is due, or the clock is there. True: done() holds.
  bool wait(HostThread& host, const std::function<bool()>& done, Picoseconds deadline, bool active);
  // Of copies and fills, which know nothing of queues.
  driver::StreamId stream_of_copies();
  // All that the program has made is gone, as soon as its kernels have ended.
  void forget(HostThread& host);

 private:
  Session();
  void look_at_fault();

  std::vector<std::function<void()>> due_;
  std::vector<Waiting> waiting_;
  bool fault_told_ = false, started_up_ = false;
  std::optional<driver::StreamId> copies_;
};

// The counter and the price of one function.
struct ApiFunction : process::CountedFunction {
  ApiFunction(const char* function_name, CallKind call_kind)
      : CountedFunction{function_name}, kind(call_kind) {}
  CallKind kind;
};

using Body = std::function<hsa_status_t(Session&, HostThread&)>;
// NOT_INITIALIZED before hsa_init, which comes in by call_first().
hsa_status_t call(ApiFunction& function, const Body& body);
hsa_status_t call_first(ApiFunction& function, const Body& body);

// A call that gives a value; 0 where it fails.
template <typename Value>
Value value_of(ApiFunction& function, const std::function<Value(Session&, HostThread&)>& body) {
  Value value{};
  static_cast<void>(call(function, [&](Session& session, HostThread& host) {
    value = body(session, host);
    return HSA_STATUS_SUCCESS;
  }));
  return value;
}

// The program's function for each handle, outside of the call that lists them.
template <typename Handle>
hsa_status_t iterate(ApiFunction& function, bool has_callback,
                     const std::function<hsa_status_t(Session&, std::vector<Handle>&)>& list,
                     const std::function<hsa_status_t(Handle)>& callback) {
  std::vector<Handle> all;
  const hsa_status_t listed = call(function, [&](Session& session, HostThread&) -> hsa_status_t {
    const hsa_status_t status = list(session, all);
    return status == HSA_STATUS_SUCCESS && !has_callback ? HSA_STATUS_ERROR_INVALID_ARGUMENT : status;
  });
  if (listed != HSA_STATUS_SUCCESS) return listed;
  for (const Handle one : all)
    if (const hsa_status_t status = callback(one); status != HSA_STATUS_SUCCESS) return status;
  return HSA_STATUS_SUCCESS;
}

// Bytes of the program, which a call reads or writes.
void read_program(void* to, const void* from, Bytes bytes);
void write_program(void* to, const void* from, Bytes bytes);

// Of an enumeration that begins with 0. A program in C may pass any number, a negative one, too.
template <typename Enumeration>
bool is_outside(Enumeration value, Enumeration last) {
  return static_cast<std::uint32_t>(value) > static_cast<std::uint32_t>(last);
}

// The answer to a query: the value, at the program's place for it.
template <typename Value>
hsa_status_t answer(void* to, const Value& value) {
  write_program(to, &value, sizeof value);
  return HSA_STATUS_SUCCESS;
}
// `room` bytes with zeros behind the text.
hsa_status_t answer_text(void* to, std::string text, std::size_t room);

}  // namespace duet::hsa

#define DUET_HSA_EXPORT extern "C" __attribute__((visibility("default")))
#define DUET_HSA(name, kind, parameters)                                                    \
  DUET_HSA_EXPORT hsa_status_t name parameters {                                            \
    static duet::hsa::ApiFunction duet_function{#name, duet::core::CallKind::kind};         \
    return duet::hsa::call(duet_function, [&]([[maybe_unused]] duet::hsa::Session& session,              \
                                [[maybe_unused]] duet::hsa::HostThread& host) -> hsa_status_t
#define DUET_HSA_END \
  );                 \
  }
