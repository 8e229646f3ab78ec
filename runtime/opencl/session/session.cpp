#include "opencl/session/session.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_set>

#include "core/copies.h"
#include "core/launch.h"
#include "core/notes.h"
#include "opencl/session/work.h"

namespace duet::opencl {

namespace {

std::unordered_set<const void*>& live_objects() {
  static auto* const objects = new std::unordered_set<const void*>;
  return *objects;
}

constexpr core::ApiWords kWords{[](Reason reason) { return error_name(error_of(reason)); },
                                "clEnqueueSVMMigrateMem", "clSetKernelArg", "clCreateBuffer"};

}  // namespace

bool is_live(const void* handle, Kind kind) {
  return handle != nullptr && live_objects().contains(handle) &&
         static_cast<const Object*>(handle)->kind == kind;
}
void object_made(Object* object) { live_objects().insert(object); }
void object_released(Object* object) { live_objects().erase(object); }

void bury(void* memory) {
  constexpr std::size_t kKept = 4096;
  static auto* const graves = new std::deque<void*>;
  *static_cast<const cl_icd_dispatch**>(memory) = &kDispatch;
  graves->push_back(memory);
  if (graves->size() <= kKept) return;
  ::operator delete(graves->front());
  graves->pop_front();
}

Session::Session() : core_(Runtime::get()) {
  core_.speak(kWords);
  core_.driver().watch(*this);
  object_made(&platform_);
  object_made(&device_);
}

Session& Session::get() {
  static Session* const session = new Session;
  return *session;
}

void Session::start_up(HostThread& host) {
  const std::uint64_t us = config().driver.start_up.opencl_us;
  if (us != 0 && !std::exchange(started_up_, true)) host.stage_one({.call_ns = us * 1000});
}

void Session::commands_of(std::uint64_t call, _cl_event* event) {
  if (event != nullptr)
    events_of_calls_[call] = event;
  else
    events_of_calls_.erase(call);
}

void Session::submitted(driver::CommandId id, const driver::Command& command) {
  const auto found = events_of_calls_.find(command.call);
  if (found == events_of_calls_.end() || command.kind == driver::CommandKind::StreamWaitEvent) return;
  _cl_event* const event = found->second;
  if (event->last == 0) event->submitted_ps = core_.process().engine().now();
  event->last = id;
  event->stream = command.stream;
  ++event->commands;
  events_.emplace(id, event);
}

void Session::completed(const driver::CommandRecord& record) {
  const auto found = events_.find(record.id);
  if (found == events_.end()) return;
  const Ref<_cl_event>& event = ended_events_.emplace_back(std::move(found->second));
  events_.erase(found);
  if (event->start_ps == 0) event->start_ps = record.start_ps != 0 ? record.start_ps : record.end_ps;
  event->end_ps = record.end_ps;
  if (--event->commands == 0 && event->all_submitted && !event->ended())
    set_status(*event, core_.driver().fault() ? CL_OUT_OF_RESOURCES : CL_COMPLETE);
}

void Session::set_status(_cl_event& event, cl_int status) {
  event.status = status;
  auto due = std::partition(event.callbacks.begin(), event.callbacks.end(),
                            [&](const _cl_event::Callback& one) { return one.at < status; });
  for (auto one = due; one != event.callbacks.end(); ++one)
    call_later([function = std::move(one->function), status] { function(status); });
  event.callbacks.erase(due, event.callbacks.end());
}

cl_int call(ApiFunction& function, const std::function<cl_int(Session&, HostThread&)>& body) {
  if (process::Program::forked()) return CL_OUT_OF_HOST_MEMORY;
  std::vector<std::function<void()>> due;
  const cl_int result = process::or_end(function.name, [&]() -> cl_int {
    const process::Call entered(function);
    Session& session = Session::get();
    Runtime& runtime = session.core();
    if (runtime.in_host_function) return CL_INVALID_OPERATION;
    HostThread& host = *entered.thread().host;
    session.start_up(host);
    if (core::spends_before(function.kind)) host.stage_one(runtime.cost(function.kind));
    cl_int error = body(session, host);
    go_on(session, host);
    session.let_ended_go();
    if (runtime.lost() != Reason::Success && error == CL_SUCCESS && !core::spends_before(function.kind))
      error = error_of(runtime.lost());
    due = session.take_due();
    return error;
  });
  for (const auto& one : due) one();
  return result;
}

Ref<_cl_mem> memory_in_program(Session& session, const void* from, std::size_t bytes) {
  void* const pages = session.core().allocate_host(bytes, memory::AllocationKind::Pinned);
  if (pages == nullptr) return {};
  Ref<_cl_mem> memory(new _cl_mem);
  let_go(memory.get());  // no handle names it
  memory->is_svm = memory->shadow_is_own = true;
  memory->shadow = static_cast<std::byte*>(pages);
  session.core().program().write_memory("a call", pages, from, bytes);
  return memory;
}

void expect_calls() {
  if (process::ProgramSide* const side = process::Program::get().side()) side->expect_functions();
}

cl_int Answer::bytes(const void* from, std::size_t size) const {
  if (to != nullptr && room < size) return CL_INVALID_VALUE;
  Runtime& runtime = Session::get().core();
  if (to != nullptr && size != 0) runtime.program().write_memory(runtime.space().calling(), to, from, size);
  if (needed != nullptr) *needed = size;
  return CL_SUCCESS;
}

void refuse(const char* function) {
  core::say_once(std::string(function) + " is not supported: it fails with CL_INVALID_OPERATION");
}

}  // namespace duet::opencl
