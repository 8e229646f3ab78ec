#include "hsa/session/session.h"

#include "core/notes.h"
#include "core/queues.h"

namespace duet::hsa {

namespace {

const char* name_of(core::Reason) { return "HSA_STATUS_ERROR_EXCEPTION"; }
constexpr core::ApiWords kWords{name_of, "hsa_memory_assign_agent", "a packet's group_segment_size",
                                "the runtime's memory"};

hsa_status_t enter(ApiFunction& function, const Body& body, bool first) {
  if (process::Program::forked()) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  std::vector<std::function<void()>> due;
  const hsa_status_t result = process::or_end(function.name, [&]() -> hsa_status_t {
    const process::Call entered(function);
    Session& session = Session::get();
    if (!first && session.references == 0) return HSA_STATUS_ERROR_NOT_INITIALIZED;
    HostThread& host = *entered.thread().host;
    if (core::spends_before(function.kind)) host.stage_one(session.core().cost(function.kind));
    const hsa_status_t status = body(session, host);
    session.look();
    due = session.take_due();
    return status;
  });
  for (const auto& one : due) one();
  return result;
}

}  // namespace

hsa_status_t call(ApiFunction& function, const Body& body) { return enter(function, body, false); }
hsa_status_t call_first(ApiFunction& function, const Body& body) { return enter(function, body, true); }

Session::Session() {
  core_.speak(kWords);
  user_queues().on_refusal = [this](std::uint32_t queue, const gpu::PacketRefusal& refusal) {
    queues.refused(queue, refusal);
  };
  user_queues().on_launch = [this](std::uint32_t queue, std::uint64_t packet,
                                   const std::vector<driver::CommandId>& commands) {
    if (const std::uint64_t signal = queues.profiled_signal(queue, packet))
      profiles.launched(signal, commands);
  };
}

driver::StreamId Session::stream_of_copies() {
  if (!copies_) copies_ = core::create_stream(core_, {});
  return *copies_;
}

Session& Session::get() {
  static Session* const session = new Session;
  return *session;
}

void Session::start_up(HostThread& host) {
  const std::uint64_t us = config().driver.start_up.hsa_us;
  if (us != 0 && !std::exchange(started_up_, true)) host.stage_one({.call_ns = us * 1000});
}

void Session::written(const Signal& signal) {
  if (!signal.is_doorbell)
    user_queues().memory_written();
  else if (signal.queue >= 0)
    user_queues().ring(static_cast<std::uint32_t>(signal.queue),
                       static_cast<std::uint64_t>(signal.value()) + 1);
}

void Session::look() {
  look_at_fault();
  // One that begins may make another one ready.
  for (bool again = true; again;) {
    again = false;
    std::vector<Waiting> all = std::exchange(waiting_, {});
    for (Waiting& one : all)
      if (one())
        again = true;
      else
        waiting_.push_back(std::move(one));
  }
}

void Session::look_at_fault() {
  if (core_.lost() == core::Reason::Success || std::exchange(fault_told_, true)) return;
  queues.device_failed();
}

bool Session::wait(HostThread& host, const std::function<bool()>& done, Picoseconds deadline, bool active) {
  sim::Engine& engine = core_.process().engine();
  // Without a deadline the machine says itself when it can go no further.
  const auto ended = [&] {
    look();
    return done() || any_due() || (deadline != kNever && engine.next_time() > deadline);
  };
  // Who asks again and again pays for a look, who sleeps for being woken.
  const bool sleeps = !active && !done();
  host.wait(core_.cost(active ? CallKind::Other : CallKind::EventSynchronize), ended);
  if (sleeps && done()) core_.driver_work().interrupt(host);
  if (!done() && !any_due() && host.clock() < deadline) {
    host.work(deadline - host.clock());
    host.enter();
  }
  return done();
}

void Session::forget(HostThread& host) {
  queues.close_all();
  host.wait(core_.cost(CallKind::DeviceSynchronize),
            [this] { return core_.driver().all_idle() && user_queues().quiet(); });
  waiting_.clear();
  signal_groups.clear();
  code.forget();
  profiles.forget();
  queues.forget();
  signals.forget();
  regions.forget();
}

void read_program(void* to, const void* from, Bytes bytes) {
  core::Runtime& core = Session::get().core();
  core.program().read_memory(core.space().calling(), from, to, bytes);
}

void write_program(void* to, const void* from, Bytes bytes) {
  core::Runtime& core = Session::get().core();
  core.program().write_memory(core.space().calling(), to, from, bytes);
}

hsa_status_t answer_text(void* to, std::string text, std::size_t room) {
  text.resize(room);
  write_program(to, text.data(), text.size());
  return HSA_STATUS_SUCCESS;
}

}  // namespace duet::hsa

// Called by the stubs of functions that do not exist (exports.txt).
extern "C" int duet_hsa_unsupported(const char* function) {
  duet::core::say_once(std::string(function) + " is not supported: it fails with HSA_STATUS_ERROR");
  return HSA_STATUS_ERROR;
}
