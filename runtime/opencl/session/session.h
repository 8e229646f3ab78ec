// What a program's OpenCL calls share: the only platform and device, the commands whose events the driver
// tells of, and functions of the program that are to be called.
//
//   DUET_CL(clFlush, Other, (cl_command_queue handle)) {
//     ... `session`, `host` ...
//   } DUET_CL_END
#pragma once

#include <type_traits>
#include <unordered_map>

#include "opencl/session/objects.h"

namespace duet::opencl {

using core::CallKind;
using core::Reason;
using core::Runtime;
using core::Status;
using host::HostThread;

class Session : private driver::CommandWatcher {
 public:
  static Session& get();

  Runtime& core() { return core_; }
  driver::Driver& driver() { return core_.driver(); }
  const config::Machine& config() const { return core_.config(); }
  _cl_platform_id* platform() { return &platform_; }
  _cl_device_id* device() { return &device_; }

  // The process's first call takes the framework's start-up; later ones nothing.
  void start_up(HostThread& host);
  // From now on commands of this API call belong to the event, null: to none.
  void commands_of(std::uint64_t call, _cl_event* event);

  // The event has this status from now on; its callbacks will be called. Held commands may go on.
  void set_status(_cl_event& event, cl_int status);
  // Functions of the program that are due; called outside of Duet.
  bool any_due() const { return !due_.empty(); }
  std::vector<std::function<void()>> take_due() { return std::exchange(due_, {}); }
  // `function` does nothing but call_program(): one on simulated cores begins it now, on a thread of its own.
  void call_later(std::function<void()> function) {
    if (core_.program().side() != nullptr) return function();
    due_.push_back(std::move(function));
  }
  // Work of Duet's own among them: there it waits for the end of a call.
  void do_when_due(std::function<void()> work) {
    if (core_.program().side() == nullptr) return work();
    due_.push_back(std::move(work));
  }

  // Queues that hold commands.
  std::vector<_cl_command_queue*> holding;
  // Memory by clSVMAlloc: its size and flags.
  struct Svm {
    std::size_t bytes;
    cl_svm_mem_flags flags;
    cl_context context;
  };
  std::unordered_map<void*, Svm> svm;
  // Commands that have ended let go of what they use: between ticks of the machine.
  void let_ended_go() {
    for (const Ref<_cl_event>& event : std::exchange(ended_events_, {}))
      if (event->ended()) event->uses.clear();
  }

 private:
  Session();
  void submitted(driver::CommandId id, const driver::Command& command) override;
  void completed(const driver::CommandRecord& record) override;

  Runtime& core_;
  bool started_up_ = false;
  _cl_platform_id platform_;
  _cl_device_id device_;
  std::unordered_map<std::uint64_t, _cl_event*> events_of_calls_;
  std::unordered_map<driver::CommandId, Ref<_cl_event>> events_;
  std::vector<Ref<_cl_event>> ended_events_;
  std::vector<std::function<void()>> due_;
};

// The program's function: called here, or begun in a program on simulated cores. `used` is kept until it has
// ended.
template <typename... Parameters>
void call_program_with(Ref<_cl_mem> used, void(CL_CALLBACK* function)(Parameters...),
                       std::type_identity_t<Parameters>... values) {
  process::ProgramSide* const side = process::Program::get().side();
  if (side == nullptr) return function(values...);
  const auto word = [](auto value) {
    if constexpr (std::is_pointer_v<decltype(value)>)
      return static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(value));
    else  // RV64 keeps 32 bits with their sign, whatever the type
      return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  };
  side->begin({reinterpret_cast<const void*>(function), {word(values)...}}, [kept = std::move(used)] {});
}
template <typename... Parameters>
void call_program(void(CL_CALLBACK* function)(Parameters...), std::type_identity_t<Parameters>... values) {
  call_program_with({}, function, values...);
}
// Memory of a program on simulated cores with these bytes, for an argument of such a function; it goes with
// the last Ref. Null: there is none.
Ref<_cl_mem> memory_in_program(Session& session, const void* from, std::size_t bytes);
// The call that is being served has named a function for call_program().
void expect_calls();

cl_int error_of(Reason reason);
inline cl_int error_of(const Status& status) { return error_of(status.reason); }
const char* error_name(cl_int error);

// The counter and the price of one function.
struct ApiFunction : process::CountedFunction {
  ApiFunction(const char* function_name, CallKind call_kind)
      : CountedFunction{function_name}, kind(call_kind) {}
  CallKind kind;
};

cl_int call(ApiFunction& function, const std::function<cl_int(Session&, HostThread&)>& body);

// A call that makes something: null where it fails.
template <typename Handle>
Handle make(ApiFunction& function, cl_int* error,
            const std::function<cl_int(Session&, HostThread&, Handle&)>& body) {
  Handle made{};
  const cl_int result =
      call(function, [&](Session& session, HostThread& host) { return body(session, host, made); });
  if (error != nullptr) *error = result;
  return result == CL_SUCCESS ? made : Handle{};
}

// Names a function of OpenCL that Duet does not have, once each, on standard error.
void refuse(const char* function);

// Where a query's answer goes.
struct Answer {
  std::size_t room;
  void* to;
  std::size_t* needed;

  cl_int bytes(const void* from, std::size_t size) const;
  template <typename T>
  cl_int value(const T& one) const {
    return bytes(&one, sizeof one);
  }
  cl_int text(const std::string& words) const { return bytes(words.c_str(), words.size() + 1); }
  template <typename T>
  cl_int list(const std::vector<T>& all) const {
    return bytes(all.data(), all.size() * sizeof(T));
  }
};

// Of lists that end with a zero.
template <typename T>
std::vector<T> properties_of(const T* first) {
  std::vector<T> all;
  if (first == nullptr) return all;
  for (; *first != 0; first += 2) all.insert(all.end(), {first[0], first[1]});
  all.push_back(0);
  return all;
}

}  // namespace duet::opencl

#define DUET_CL(name, kind, parameters)                                             \
  cl_int CL_API_CALL name parameters {                                              \
    static duet::opencl::ApiFunction duet_function{#name, CallKind::kind};          \
    return duet::opencl::call(duet_function, [&]([[maybe_unused]] Session& session,                      \
                                   [[maybe_unused]] HostThread& host) -> cl_int
#define DUET_CL_END \
  );                \
  }
// `made` is the handle that it gives, and `error` its last parameter.
#define DUET_CL_MAKE(handle, name, kind, parameters)                       \
  handle CL_API_CALL name parameters {                                     \
    static duet::opencl::ApiFunction duet_function{#name, CallKind::kind}; \
    return duet::opencl::make<handle>(duet_function, error,                \
                                      [&]([[maybe_unused]] Session& session, [[maybe_unused]] HostThread& host, [[maybe_unused]] handle& made) -> cl_int
