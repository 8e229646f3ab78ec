// The state of the CUDA runtime in a program's process: the registered kernels and variables, streams and
// events, the state of threads, and errors. Made by the first call, never destroyed: a global destructor may
// still call cudaFree. The process itself, and the rules for living in it, are process/program.h's.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/runtime.h"
#include "cuda/session/errors.h"
#include "cuda_runtime_api.h"
#include "driver/driver.h"
#include "process/program.h"

// For an unimplemented call, or part of one: prints its name on standard error, once, and returns
// cudaErrorNotSupported. With C linkage, for the stubs of unimplemented names.
extern "C" int duet_unsupported(const char* name);

namespace duet::cuda {
struct Capture;
struct CapturedEvent;
}  // namespace duet::cuda
struct CUctx_st;  // contexts.h

namespace duet::cuda {
// The attributes of launches, streams and kernel nodes that change nothing here: kept and read back.
struct LaunchHints {
  cudaAccessPolicyWindow window{};
  cudaSynchronizationPolicy waiting = cudaSyncPolicyAuto;
  cudaLaunchMemSyncDomain domain = cudaLaunchMemSyncDomainDefault;
  cudaLaunchMemSyncDomainMap domains{0, 1};
  unsigned carveout = 0;
  unsigned for_nvlink = 0;
};
struct StreamAttributes {
  LaunchHints hints;
  std::optional<int> priority;  // in place of the one that the stream was made with
};
}  // namespace duet::cuda

// The handles of programs.
struct CUstream_st {
  duet::driver::StreamId id;
  unsigned flags;
  int priority;
  duet::cuda::Capture* capture = nullptr;           // capture.h; null: work given to it runs
  std::vector<cudaGraphNode_t> captured_after{};    // the nodes before its next node
  std::vector<cudaGraphEdgeData> captured_edges{};  // for cudaStreamGetCaptureInfo
  CUctx_st* context = nullptr;
  duet::cuda::StreamAttributes attributes{};
};
struct CUevent_st {
  duet::driver::EventId id;
  unsigned flags;
  std::shared_ptr<const duet::cuda::CapturedEvent> captured{};  // last recorded in a capturing stream
  CUctx_st* context = nullptr;
};

namespace duet::cuda {

using core::CallKind;

using core::Function;  // cudaKernel_t, cudaFunction_t, CUfunction and CUkernel point to one
using core::Image;

struct Symbol {
  Image* image = nullptr;
  std::string name;
  Bytes bytes = 0;
};

// A __managed__ variable: the program reaches it through a pointer of its own.
struct ManagedVariable {
  Image* image = nullptr;
  std::string name;
  void** pointer = nullptr;
};

struct ThreadState {
  host::HostThread* host = nullptr;
  std::uint32_t number = 0;
  cudaError_t last_error = cudaSuccess;
  const Function* launches = nullptr;  // by its current call, or its last
  unsigned calls = 0;                  // calls it is in
  cudaStream_t per_thread_stream = nullptr;
  std::uint64_t per_thread_stream_of = 0;  // Session::destroyed_contexts_ when it was made
  cudaStreamCaptureMode capture_mode = cudaStreamCaptureModeGlobal;
  std::vector<CUctx_st*> contexts;  // the driver interface's stack, the current one last
  bool in_host_function = false;    // of a program outside this process
};

class Session {
 public:
  static Session& get();
  // Does it now, or, as long as no call has been made, with the first one. Until then the process has no
  // machine, and the children of a fork may each have one.
  static void when_made(std::function<void(Session&)> registration);
  // Why every call is refused: this is the child of a fork. cudaSuccess when it is not.
  static cudaError_t refusal();

  core::Runtime& core() { return core_; }
  process::Program& program() { return core_.program(); }
  ThreadState& thread();
  machine::Process& process() { return core_.process(); }
  driver::Driver& driver() { return core_.driver(); }
  memory::AddressSpace& space() { return core_.space(); }
  const config::Machine& config() const { return core_.config(); }
  const config::CallLatency& cost(CallKind kind) const { return core_.cost(kind); }

  core::Modules& modules() { return core_.modules(); }
  void register_symbol(Image* image, const void* variable, const char* name, Bytes bytes);
  void register_managed(Image* image, void** pointer, const char* name);
  // Loads the image and tells the program where its managed variables are.
  void place_managed(Image* image);
  // Device address of a registered variable; 0 when it is none.
  VirtualAddress symbol_address(const void* variable, Bytes& bytes);

  bool valid_stream(cudaStream_t stream) const;
  // Per-thread default streams resolved, null for the legacy default stream. Handle must be valid.
  CUstream_st* stream_handle(cudaStream_t stream);
  // The driver's stream of a handle; per-thread default streams are made on first use. Handle must be valid.
  driver::StreamId stream_id(cudaStream_t stream);
  // Handle must be valid.
  StreamAttributes& attributes_of(cudaStream_t stream);
  int priority_of(cudaStream_t stream);
  cudaStream_t add_stream(bool blocking, unsigned flags, int priority);
  void remove_stream(cudaStream_t stream);
  bool valid_event(cudaEvent_t event) const { return events_.contains(event); }
  cudaEvent_t add_event(unsigned flags);
  void remove_event(cudaEvent_t event);

  // Sticky error of the context (CUDA: every later call returns it), or cudaSuccess.
  cudaError_t sticky() const { return sticky_; }
  void check_fault();

  // The streams and events of a destroyed context.
  void remove_all_of(const CUctx_st* context);

 private:
  Session();

  core::Runtime& core_;
  driver::StreamId default_stream_ = 0;  // the legacy one
  StreamAttributes of_default_stream_;
  std::unordered_map<const void*, Symbol> symbols_;
  std::vector<ManagedVariable> managed_;
  std::uint64_t destroyed_contexts_ = 0;
  std::map<cudaStream_t, std::unique_ptr<CUstream_st>> streams_;
  std::map<cudaEvent_t, std::unique_ptr<CUevent_st>> events_;
  cudaError_t sticky_ = cudaSuccess;
};

// The counter and the price of one API function.
struct ApiFunction : process::CountedFunction {
  ApiFunction(const char* function_name, CallKind call_kind, bool synchronizing = false,
              bool only_tells_of_errors = false)
      : CountedFunction{function_name},
        kind(call_kind),
        synchronizes(synchronizing),
        after_sticky(only_tells_of_errors) {}
  CallKind kind;
  bool synchronizes;  // device printf appears
  bool after_sticky;  // only tells of errors: works when the context is lost, and is no error itself
  // It needs a context, and its errors are the thread's last one. Not so in the driver interface.
  bool of_runtime = true;
};

// While it lives, stream 0 is the thread's own default stream (_ptsz and _ptds names).
class PerThreadDefault {
 public:
  PerThreadDefault();
  ~PerThreadDefault();
  PerThreadDefault(const PerThreadDefault&) = delete;
  PerThreadDefault& operator=(const PerThreadDefault&) = delete;

 private:
  bool before_;
};

namespace detail {
cudaError_t run(ApiFunction& function, const std::function<cudaError_t(Session&, ThreadState&)>& body);
}  // namespace detail

// A mark at the thread's time, with the machine's statistics then. No API function: it is not counted.
void mark(const char* name);

// Runs the body of an API function under the rules above and keeps the thread's last error.
template <typename Body>
cudaError_t api(ApiFunction& function, Body&& body) {
  return detail::run(function, std::ref(body));  // what it captures is not copied: that would allocate
}

// For the end of the run: a call of the program failed. `error`: its name in the function's API.
void note_failure(const ApiFunction& function, const char* error);
// The program has read the error by a function for errors alone.
void note_asked(const char* error);

}  // namespace duet::cuda

// A C entry point: DUET_API(cudaFree, Allocate, (void* pointer)) { ... uses `session` and `thread` ... }
// DUET_END
#define DUET_API(name, call_kind, parameters)                                                \
  extern "C" __attribute__((visibility("default"))) cudaError_t name parameters {            \
    static duet::cuda::ApiFunction duet_function{#name, duet::cuda::CallKind::call_kind};    \
    return duet::cuda::api(duet_function, [&]([[maybe_unused]] duet::cuda::Session& session,            \
                                              [[maybe_unused]] duet::cuda::ThreadState& thread) -> cudaError_t
#define DUET_API_SYNC(name, call_kind, parameters)                                              \
  extern "C" __attribute__((visibility("default"))) cudaError_t name parameters {               \
    static duet::cuda::ApiFunction duet_function{#name, duet::cuda::CallKind::call_kind, true}; \
    return duet::cuda::api(duet_function, [&]([[maybe_unused]] duet::cuda::Session& session,            \
                                              [[maybe_unused]] duet::cuda::ThreadState& thread) -> cudaError_t
// Tells of errors.
#define DUET_API_ALWAYS(name, call_kind, parameters)                                                   \
  extern "C" __attribute__((visibility("default"))) cudaError_t name parameters {                      \
    static duet::cuda::ApiFunction duet_function{#name, duet::cuda::CallKind::call_kind, false, true}; \
    return duet::cuda::api(duet_function, [&]([[maybe_unused]] duet::cuda::Session& session,            \
                                              [[maybe_unused]] duet::cuda::ThreadState& thread) -> cudaError_t
#define DUET_END \
  );             \
  }
