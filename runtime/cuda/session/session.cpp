#include "cuda/session/session.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <xmmintrin.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <utility>

#include "base/error.h"
#include "core/queues.h"
#include "cuda/session/contexts.h"

namespace duet::cuda {

namespace {

thread_local ThreadState* this_thread = nullptr;  // never freed: global destructors still make calls
thread_local bool per_thread_default = false;
std::atomic<bool> any_failed = false;  // there is a session, then

constexpr core::ApiWords kWords{[](core::Reason reason) { return error_name(error_of(reason)); },
                                "cudaStreamAttachMemAsync", "cudaFuncSetAttribute", "cudaMalloc"};

}  // namespace

cudaError_t Session::refusal() {
  return process::Program::forked() ? cudaErrorInitializationError : cudaSuccess;
}

namespace {
// Registrations waiting for the session. Never destroyed, as the session.
struct Registrations {
  std::mutex mutex;
  bool made = false;
  std::vector<std::function<void(Session&)>> waiting;
};
Registrations& registrations() {
  static auto* const all = new Registrations;
  return *all;
}
}  // namespace

Session& Session::get() {
  static Session* const session = [] {
    auto* const made = new Session;
    Registrations& all = registrations();
    const std::lock_guard lock(all.mutex);
    for (const auto& registration : all.waiting) registration(*made);
    all.waiting.clear();
    all.made = true;
    return made;
  }();
  return *session;
}

void Session::when_made(std::function<void(Session&)> registration) {
  {
    Registrations& all = registrations();
    const std::lock_guard lock(all.mutex);
    if (!all.made) {
      all.waiting.push_back(std::move(registration));
      return;
    }
  }
  Session& session = get();
  const auto lock = session.program().lock();
  registration(session);
}

Session::Session() : core_(core::Runtime::get()) {
  core_.speak(kWords);
  default_stream_ = driver().create_stream({driver::StreamOrder::Barrier, 0, "the default stream"});
}

ThreadState& Session::thread() {
  if (this_thread == nullptr) {
    const process::Thread& thread = program().thread();
    this_thread = new ThreadState;
    this_thread->host = thread.host.get();
    this_thread->number = thread.number;
  }
  return *this_thread;
}

void Session::register_symbol(Image* image, const void* variable, const char* name, Bytes bytes) {
  symbols_[variable] = {image, name, bytes};
}

void Session::register_managed(Image* image, void** pointer, const char* name) {
  managed_.push_back({image, name, pointer});
}

void Session::place_managed(Image* image) {
  for (const ManagedVariable& variable : managed_) {
    if (variable.image != image) continue;
    const auto found = modules().find_variable(*image, variable.name);
    if (!found) continue;
    void* const place = duet::pointer_of(found->address);
    program().write_memory("__cudaInitModule", variable.pointer, &place, sizeof place);
    register_symbol(image, place, variable.name.c_str(), found->bytes);
  }
}

VirtualAddress Session::symbol_address(const void* variable, Bytes& bytes) {
  const auto symbol = symbols_.find(variable);
  if (symbol == symbols_.end()) return {};
  const auto found = modules().find_variable(*symbol->second.image, symbol->second.name);
  if (!found) return {};
  bytes = found->bytes;
  return found->address;
}

bool Session::valid_stream(cudaStream_t stream) const {
  return stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread ||
         streams_.contains(stream);
}

CUstream_st* Session::stream_handle(cudaStream_t stream) {
  if (stream == nullptr && per_thread_default) stream = cudaStreamPerThread;
  if (stream == nullptr || stream == cudaStreamLegacy) return nullptr;
  if (stream == cudaStreamPerThread) {
    ThreadState& state = thread();
    if (state.per_thread_stream == nullptr || state.per_thread_stream_of != destroyed_contexts_) {
      state.per_thread_stream_of = destroyed_contexts_;
      state.per_thread_stream = add_stream(true, cudaStreamDefault, 0);
      process().resource_changed("stream", state.per_thread_stream->id,
                                 false);  // not the program's to release
    }
    stream = state.per_thread_stream;
  }
  return stream;
}

driver::StreamId Session::stream_id(cudaStream_t stream) {
  const CUstream_st* handle = stream_handle(stream);
  return handle == nullptr ? default_stream_ : handle->id;
}

StreamAttributes& Session::attributes_of(cudaStream_t stream) {
  CUstream_st* handle = stream_handle(stream);
  return handle == nullptr ? of_default_stream_ : handle->attributes;
}

int Session::priority_of(cudaStream_t stream) {
  const CUstream_st* handle = stream_handle(stream);
  return attributes_of(stream).priority.value_or(handle == nullptr ? 0 : handle->priority);
}

cudaStream_t Session::add_stream(bool blocking, unsigned flags, int priority) {
  auto handle = std::make_unique<CUstream_st>(
      CUstream_st{core::create_stream(
                      core_, {blocking ? driver::StreamOrder::Joins : driver::StreamOrder::Alone, priority}),
                  flags, priority});
  handle->context = current_context(thread());
  cudaStream_t stream = handle.get();
  streams_[stream] = std::move(handle);
  return stream;
}

void Session::remove_stream(cudaStream_t stream) {
  core::destroy_stream(core_, stream->id);
  streams_.erase(stream);
}

cudaEvent_t Session::add_event(unsigned flags) {
  auto handle = std::make_unique<CUevent_st>(CUevent_st{core::create_event(core_), flags});
  handle->context = current_context(thread());
  cudaEvent_t event = handle.get();
  events_[event] = std::move(handle);
  return event;
}

void Session::remove_event(cudaEvent_t event) {
  core::destroy_event(core_, event->id);
  events_.erase(event);
}

void Session::remove_all_of(const CUctx_st* context) {
  ++destroyed_contexts_;
  if (context->primary) of_default_stream_ = {};
  std::vector<cudaStream_t> streams;
  std::vector<cudaEvent_t> events;
  for (const auto& [stream, handle] : streams_)
    if (handle->context == context) streams.push_back(stream);
  for (const auto& [event, handle] : events_)
    if (handle->context == context) events.push_back(event);
  for (const cudaStream_t stream : streams) remove_stream(stream);
  for (const cudaEvent_t event : events) remove_event(event);
}

void Session::check_fault() {
  if (sticky_ != cudaSuccess) return;
  if (const core::Reason lost = core_.lost(); lost != core::Reason::Success) sticky_ = error_of(lost);
}

void note_failure(const ApiFunction& function, const char* error) {
  Session& session = Session::get();
  const auto lock = session.program().lock();
  const ThreadState& thread = session.thread();
  const bool launch = function.kind == CallKind::Launch || function.kind == CallKind::GraphLaunch;
  const char* kernel = !launch ? nullptr : thread.launches != nullptr ? thread.launches->name.c_str() : "";
  session.process().call_failed(function.name, error != nullptr ? error : "unknown error");
  session.program().journal().failed_call(function.name, error != nullptr ? error : "unknown error", kernel,
                                          thread.host->clock());
  any_failed = true;
}

void note_asked(const char* error) {
  if (!any_failed || Session::refusal() != cudaSuccess) return;
  process::Program& program = Session::get().program();
  const auto lock = program.lock();
  program.journal().asked_for_error(error);
}

PerThreadDefault::PerThreadDefault() : before_(std::exchange(per_thread_default, true)) {}
PerThreadDefault::~PerThreadDefault() { per_thread_default = before_; }

namespace detail {

namespace {
// The answer "not ready" to a query is no failure, and cudaGetLastError does not tell of it (CUDA C++
// Programming Guide, "Error Checking").
bool is_failure(cudaError_t error) { return error != cudaSuccess && error != cudaErrorNotReady; }

cudaError_t run_entered(ApiFunction& function, Session& session, ThreadState& thread,
                        const std::function<cudaError_t(Session&, ThreadState&)>& body) {
  thread.launches = nullptr;
  if (session.core().in_host_function || thread.in_host_function) return cudaErrorNotPermitted;
  session.check_fault();
  if (core::spends_before(function.kind)) thread.host->stage_one(session.cost(function.kind));
  cudaError_t result =
      session.sticky() != cudaSuccess && !function.after_sticky ? session.sticky() : body(session, thread);
  session.check_fault();
  if (session.sticky() != cudaSuccess && !function.after_sticky) result = session.sticky();
  if (function.synchronizes) session.program().flush_print();
  // A query with everything done is as good as a wait.
  const bool asked = function.kind == CallKind::Query && result == cudaSuccess;
  if (function.synchronizes || asked) session.core().synchronized(*thread.host);
  if (is_failure(result) && !function.after_sticky && function.of_runtime) {
    thread.last_error = result;
    note_failure(function, error_name(result));
  }
  return result;
}
}  // namespace

cudaError_t run(ApiFunction& function, const std::function<cudaError_t(Session&, ThreadState&)>& body) {
  if (const cudaError_t refused = Session::refusal(); refused != cudaSuccess) return refused;
  return process::or_end(function.name, [&] {
    const process::Call call(function);
    Session& session = Session::get();
    ThreadState& thread = session.thread();
    if (function.of_runtime) use_primary_context(thread);
    ++thread.calls;
    const cudaError_t result = run_entered(function, session, thread, body);
    --thread.calls;
    return result;
  });
}

}  // namespace detail

void mark(const char* name) {
  if (Session::refusal() != cudaSuccess) return;
  process::or_end("duetMark", [&] { process::Program::get().mark(name); });
}

}  // namespace duet::cuda
