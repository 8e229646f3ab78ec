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
#include "cuda/modules/fat_binary.h"
#include "cuda/session/contexts.h"

namespace duet::cuda {

namespace {

thread_local ThreadState* this_thread = nullptr;  // never freed: global destructors still make calls
thread_local ApiFunction* called_for = nullptr;
thread_local bool per_thread_default = false;
std::atomic<bool> any_failed = false;  // there is a session, then

constexpr core::ApiWords kWords{[](core::Reason reason) { return error_name(error_of(reason)); },
                                "cudaStreamAttachMemAsync"};

// Sets the initial values of managed variables in a program outside this process.
void fill_managed(process::ProgramSide& program, const machine::LoadedModule& loaded) {
  const auto& variables = loaded.module.variables;
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (!variables[i].managed) continue;
    std::vector<std::byte> bytes(variables[i].bytes);
    std::memcpy(bytes.data(), variables[i].initial.data(), variables[i].initial.size());
    for (const auto& relocation : variables[i].relocations) {
      std::uint64_t value = 0;
      std::memcpy(&value, bytes.data() + relocation.offset, relocation.bytes);
      value += loaded.variable_addresses[static_cast<std::size_t>(relocation.variable)].value();
      std::memcpy(bytes.data() + relocation.offset, &value, relocation.bytes);
    }
    program.write(duet::pointer_of(loaded.variable_addresses[i]), bytes.data(), bytes.size());
  }
}

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
  // The legacy default stream is stream 0.
  driver().create_stream({driver::StreamOrder::Barrier, 0, "the default stream"});
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

void Session::register_image(std::unique_ptr<Image> image) {
  images_.push_back(std::move(image));
  images_.back()->name = std::string(program_invocation_short_name) +
                         (images_.size() > 1 ? "#" + std::to_string(images_.size()) : "") + ".ptx";
}

void Session::register_function(Image* image, const void* stub, const char* name) {
  auto function = std::make_unique<Function>();
  function->image = image;
  function->name = name;
  function->stub = stub;
  handles_[function.get()] = function.get();
  functions_[stub] = std::move(function);
}

void Session::register_symbol(Image* image, const void* variable, const char* name, Bytes bytes) {
  symbols_[variable] = {image, name, bytes};
}

machine::LoadedModule& Session::loaded(Image& image) {
  if (image.module == nullptr) {
    const auto capability = static_cast<unsigned>(config().gpu.compute_capability_major * 10 +
                                                  config().gpu.compute_capability_minor);
    image.module = &process().load_module(
        image.fat_binary != nullptr ? ptx_of_fat_binary(image.fat_binary, capability, image.name) : image.ptx,
        image.name,
        [this](Bytes bytes) {
          return static_cast<std::byte*>(core_.allocate_host(bytes, memory::AllocationKind::Managed));
        },
        image.most_registers);
    if (process::ProgramSide* const side = program().side()) fill_managed(*side, *image.module);
  }
  return *image.module;
}

void Session::register_managed(Image* image, void** pointer, const char* name) {
  managed_.push_back({image, name, pointer});
}

void Session::place_managed(Image* image) {
  for (const ManagedVariable& variable : managed_) {
    if (variable.image != image) continue;
    const machine::LoadedModule& module = loaded(*image);
    for (std::size_t i = 0; i < module.module.variables.size(); ++i)
      if (module.module.variables[i].name == variable.name) {
        void* const place = duet::pointer_of(module.variable_addresses[i]);
        program().write_memory("__cudaInitModule", variable.pointer, &place, sizeof place);
        register_symbol(image, place, variable.name.c_str(), module.module.variables[i].bytes);
      }
  }
}

Function* Session::find_function(const void* stub) {
  if (const auto found = functions_.find(stub); found != functions_.end()) return found->second.get();
  const auto handle = handles_.find(stub);
  return handle != handles_.end() ? handle->second : nullptr;
}

Function* Session::function_of(const void* stub) {
  Function* function = find_function(stub);
  return function != nullptr && kernel_of(*function) != nullptr ? function : nullptr;
}

Image* Session::load_image(std::string ptx, const std::string& name, std::uint32_t most_registers) {
  auto image = std::make_unique<Image>();
  image->ptx = std::move(ptx);
  image->name = name;
  image->most_registers = most_registers;
  loaded(*image);
  return images_.emplace_back(std::move(image)).get();
}

void Session::forget_image(Image* image) {
  for (auto function = functions_.begin(); function != functions_.end();) {
    if (function->second->image != image) {
      ++function;
      continue;
    }
    handles_.erase(function->second.get());
    forgotten_.push_back(std::move(function->second));
    function = functions_.erase(function);
  }
}

Function* Session::image_function(Image* image, const std::string& name) {
  for (const auto& [stub, function] : functions_)
    if (function->image == image && function->name == name) return function.get();
  if (loaded(*image).module.find_kernel(name) == nullptr) return nullptr;
  auto function = std::make_unique<Function>();
  function->image = image;
  function->name = name;
  function->stub = function.get();
  Function* const result = handles_[function.get()] = function.get();
  kernel_of(*result);
  functions_[result] = std::move(function);
  return result;
}

const ptx::Kernel* Session::kernel_of(Function& function) {
  if (function.kernel == nullptr) function.kernel = loaded(*function.image).module.find_kernel(function.name);
  return function.kernel;
}

VirtualAddress Session::symbol_address(const void* variable, Bytes& bytes) {
  const auto found = symbols_.find(variable);
  if (found == symbols_.end()) return {};
  const machine::LoadedModule& module = loaded(*found->second.image);
  for (std::size_t i = 0; i < module.module.variables.size(); ++i)
    if (module.module.variables[i].name == found->second.name) {
      bytes = module.module.variables[i].bytes;
      return module.variable_addresses[i];
    }
  return {};
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
    if (state.per_thread_stream == nullptr) {
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
  return handle == nullptr ? 0 : handle->id;
}

cudaStream_t Session::add_stream(bool blocking, unsigned flags, int priority) {
  auto handle = std::make_unique<CUstream_st>(CUstream_st{
      driver().create_stream({blocking ? driver::StreamOrder::Joins : driver::StreamOrder::Alone, priority}),
      flags, priority});
  handle->context = current_context(thread());
  cudaStream_t stream = handle.get();
  streams_[stream] = std::move(handle);
  process().resource_changed("stream", stream->id, true);
  return stream;
}

void Session::remove_stream(cudaStream_t stream) {
  process().resource_changed("stream", stream->id, false);
  driver().destroy_stream(stream->id);
  streams_.erase(stream);
}

cudaEvent_t Session::add_event(unsigned flags) {
  auto handle = std::make_unique<CUevent_st>(CUevent_st{driver().create_event(), flags});
  handle->context = current_context(thread());
  cudaEvent_t event = handle.get();
  events_[event] = std::move(handle);
  process().resource_changed("event", event->id, true);
  return event;
}

void Session::remove_event(cudaEvent_t event) {
  process().resource_changed("event", event->id, false);
  driver().destroy_event(event->id);
  events_.erase(event);
}

void Session::remove_all_of(const CUctx_st* context) {
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

CalledFor::CalledFor(ApiFunction& function) : before_(std::exchange(called_for, &function)) {}
CalledFor::~CalledFor() { called_for = before_; }
PerThreadDefault::PerThreadDefault() : before_(std::exchange(per_thread_default, true)) {}
PerThreadDefault::~PerThreadDefault() { per_thread_default = before_; }

namespace detail {

namespace {
// The answer "not ready" to a query is no failure.
bool is_failure(cudaError_t error) { return error != cudaSuccess && error != cudaErrorNotReady; }

cudaError_t run_entered(ApiFunction& function, ThreadState& thread,
                        const std::function<cudaError_t(Session&, ThreadState&)>& body) {
  Session& session = Session::get();
  thread.launches = nullptr;
  if (session.core().in_host_function || thread.in_host_function) return cudaErrorNotPermitted;
  session.check_fault();
  // Kinds without a command and without a wait spend their call's latency here.
  if (function.kind == CallKind::Other || function.kind == CallKind::Allocate ||
      function.kind == CallKind::Query)
    thread.host->stage_one(session.cost(function.kind));
  cudaError_t result =
      session.sticky() != cudaSuccess && !function.after_sticky ? session.sticky() : body(session, thread);
  if (session.sticky() == cudaSuccess) {
    session.check_fault();
    if (session.sticky() != cudaSuccess && !function.after_sticky) result = session.sticky();
  }
  if (function.synchronizes) session.program().flush_print();
  // A query with everything done is as good as a wait.
  const bool asked = function.kind == CallKind::Query && result == cudaSuccess;
  if (function.synchronizes || asked) session.core().synchronized();
  if (is_failure(result) && !function.after_sticky && called_for == nullptr) {
    thread.last_error = result;
    note_failure(function, error_name(result));
  }
  return result;
}
}  // namespace

cudaError_t run(ApiFunction& function, const std::function<cudaError_t(Session&, ThreadState&)>& body) {
  if (const cudaError_t refused = Session::refusal(); refused != cudaSuccess) return refused;
  ApiFunction& counted = called_for != nullptr ? *called_for : function;
  return process::or_end(counted.name, [&] {
    const process::Call call(counted);
    ThreadState& thread = Session::get().thread();
    if (called_for == nullptr) use_primary_context(thread);
    ++thread.calls;
    const cudaError_t result = run_entered(function, thread, body);
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
