#include "guest/guest_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <span>
#include <utility>

#include "base/error.h"
#include "cuda/session/session.h"
#include "machine/host/processor.h"
#include "process/access_fault.h"

extern "C" int duet_unsupported(const char* name);
extern "C" int duet_driver_unsupported(const char* name);

namespace duet::guest {

namespace {

process::Program& program_for(process::ProgramSide& side) {
  process::Program::run_for(side);
  return process::Program::get();
}

VirtualAddress address_of(const void* pointer) {
  return VirtualAddress(reinterpret_cast<std::uintptr_t>(pointer));
}

// The program ends by SIGSEGV. Nobody but run() catches it.
struct SegmentationFault {};

// duet_guest.cpp's: where to put a host function with its arguments; and device code's output.
constexpr const char *kNextFunction = "duetGuestNextFunction", *kTakeText = "duetGuestTakeText";
// A function that a call called in its middle has returned.
constexpr const char* kReturned = "duetGuestReturned";

thread_local host::GuestThread* this_thread = nullptr;  // process::Thread has it
thread_local const char* this_call = nullptr;           // its name; null: not in a call
thread_local bool functions_expected = false;           // by this call
// The thread's latest stop is in kReturned: where a call says what comes next. 0: in the call itself.
thread_local std::uint64_t next_place = 0;

}  // namespace

GuestProgram::GuestProgram(const rv64::ProcessOptions& options)
    : options_(options),
      program_(program_for(*this)),
      calls_(program_.machine().engine(), [this](const host::GuestCall& call) { return serve(call); }),
      host_(*program_.machine().system().processor(), options_,
            {nullptr, &calls_, &program_.machine().watch(), program_.machine().borrower(),
             [this](VirtualAddress address, bool writes) {
               return process::explain_fault(program_, address, writes);
             }}) {}

GuestProgram::~GuestProgram() = default;

rv64::ProcessEnd GuestProgram::run() {
  program_.machine().threads_of_program = [this] { return host_.threads(); };
  program_.machine().profile_of_program = [this] {
    return std::pair{host_.profile(), host_.profile_period()};
  };
  const rv64::ProcessEnd end = process::or_end("no call", [this] {
    try {
      return host_.run();
    } catch (const SegmentationFault&) {
      return rv64::ProcessEnd{0, SIGSEGV};
    }
  });
  program_.flush_print();
  std::fflush(stdout);
  program_.machine().program_ended(end.status, end.signal);
  return end;
}

std::string GuestProgram::command() const {
  std::string text;
  for (const std::string& argument : options_.arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

void GuestProgram::read(const void* from, void* to, Bytes bytes) {
  const std::span into(static_cast<std::byte*>(to), bytes);
  if (const auto fault = host_.space().memory().read(address_of(from), into))
    end_by_fault(nullptr, from, bytes, *fault);
}

void GuestProgram::write(void* to, const void* from, Bytes bytes) {
  const std::span what(static_cast<const std::byte*>(from), bytes);
  if (const auto fault = host_.space().memory().write(address_of(to), what))
    end_by_fault(nullptr, to, bytes, *fault);
}

void GuestProgram::check(const char* what, const void* first, Bytes bytes, bool writes) {
  const rv64::Access access = writes ? rv64::Access::Store : rv64::Access::Load;
  const std::uint64_t from = address_of(first).value();
  for (std::uint64_t at = from; at - from < bytes; at = (at / rv64::kPageBytes + 1) * rv64::kPageBytes) {
    const rv64::Page page = host_.space().memory().find_page(VirtualAddress(at), access);
    if (page.bytes == nullptr || !page.rights.allow(access))
      end_by_fault(what, first, bytes, {at, access, false, page.bytes != nullptr});
  }
}

// The same words as for a program in this process (process/access_fault.h).
void GuestProgram::end_by_fault(const char* what, const void* first, Bytes bytes, const rv64::Fault& fault) {
  if (what == nullptr) what = this_call != nullptr ? this_call : "a copy";
  const bool writes = fault.access == rv64::Access::Store;
  const char* why = fault.mapped ? "its pages forbid it" : "nothing is mapped there";
  if (program_.space().in_device_region(VirtualAddress(fault.address))) why = "it is device memory";
  std::fprintf(stderr,
               "duet: %s %s %llu bytes of host memory at %#llx, but byte %llu (%#llx) may not be %s: %s: "
               "check the pointer and the size\n",
               what, writes ? "writes" : "reads", static_cast<unsigned long long>(bytes),
               static_cast<unsigned long long>(address_of(first).value()),
               static_cast<unsigned long long>(fault.address - address_of(first).value()),
               static_cast<unsigned long long>(fault.address), writes ? "written" : "read", why);
  throw SegmentationFault{};
}

void* GuestProgram::allocate(Bytes bytes, bool uncached) {
  constexpr int kReadWrite = 3, kPrivateAnonymous = 0x22;
  const std::int64_t first = host_.space().map(0, bytes, kReadWrite, kPrivateAnonymous, nullptr);
  if (first <= 0) return nullptr;
  if (uncached)
    host_.space().memory().set_type(VirtualAddress(static_cast<std::uint64_t>(first)),
                                    round_up(bytes, rv64::kPageBytes), rv64::MemoryType::Uncached);
  return ArgumentWords::pointer<void>(static_cast<std::uint64_t>(first));
}

std::uint64_t GuestProgram::word_at(const void* place) {
  std::uint64_t word = 0;
  program_.machine().system().processor()->memory().look_at(address_of(place), sizeof word,
                                                            reinterpret_cast<std::byte*>(&word));
  return word;
}

void* GuestProgram::doorbells() {
  if (doorbells_ != nullptr) return doorbells_;
  doorbells_ = allocate(rv64::kPageBytes, false);
  if (doorbells_ == nullptr) return nullptr;
  host_.space().memory().set_type(address_of(doorbells_), rv64::kPageBytes, rv64::MemoryType::Device);
  program_.machine().system().processor()->memory().give_to_device(address_of(doorbells_));
  return doorbells_;
}

void GuestProgram::release(void* first, Bytes bytes) {
  host_.space().unmap(address_of(first).value(), bytes);
}

void GuestProgram::hide(void* first, Bytes bytes, bool hidden) {
  constexpr int kNone = 0, kReadWrite = 3;
  host_.space().protect(address_of(first).value(), bytes, hidden ? kNone : kReadWrite);
}

void GuestProgram::begin(const Function& function, std::function<void()> ended) {
  due_.push_back({function, std::move(ended)});
}

void GuestProgram::expect_functions() { functions_expected = true; }

process::ProgramSide::Function GuestProgram::next_function() {
  core::Maintenance& maintenance = core::Runtime::get().maintenance();
  if (ended_) {
    maintenance.host_function_ended(*this_thread);
    std::exchange(ended_, nullptr)();
  }
  // This thread does nothing else. OpenCL's functions may make calls.
  if (first_call_ == nullptr || first_call_->served.api == Api::Cuda)
    cuda::Session::get().thread().in_host_function = true;
  calls_.wait_for_work([this] { return !due_.empty(); });
  Due next = std::move(due_.front());
  due_.pop_front();
  ended_ = std::move(next.ended);
  maintenance.host_function_begins(*this_thread);
  return next.function;
}

std::unique_ptr<host::HostThread> GuestProgram::new_thread(machine::Process& machine) {
  auto thread = machine.new_thread(calls_);
  this_thread = thread.get();
  return thread;
}

const GuestProgram::Name& GuestProgram::name_at(std::uint64_t address) {
  const auto [place, is_new] = names_.try_emplace(address);
  if (is_new) {
    place->second.text = text_at(*this, address);
    place->second.served = served(place->second.text);
  }
  return place->second;
}

// One session serves all calls: handles and memory of one API are nothing to the other.
void GuestProgram::meet(const Name& name) {
  if (first_call_ == nullptr) first_call_ = &name;
  if (first_call_->served.api != name.served.api)
    program_.end(125, fmt::format("duet: {} after {}: a program on simulated cores uses CUDA, OpenCL or HSA, "
                                  "one of them: take the others out, or run it natively",
                                  name.text, first_call_->text));
}

// An unserved call prints a line, and answers an error.
std::uint64_t GuestProgram::result_of(const Name& name, ArgumentWords& words) {
  if (name.served.function == nullptr) {
    const bool of_driver = !name.text.starts_with("cuda") && name.text.starts_with("cu");
    return static_cast<std::uint64_t>(
        (of_driver ? duet_driver_unsupported : duet_unsupported)(name.text.c_str()));
  }
  if (!name.served.per_thread) return name.served.function(words);
  const cuda::PerThreadDefault scope;
  return name.served.function(words);
}

// The program writes it, behind its own earlier output.
std::uint64_t GuestProgram::take_text(std::uint64_t to, std::uint64_t room) {
  std::string& text = program_.text_for_program();
  const Bytes bytes = std::min<Bytes>(text.size(), room);
  write(ArgumentWords::pointer<void>(to), text.data(), bytes);
  text.erase(0, bytes);
  return bytes;
}

std::uint64_t GuestProgram::serve(const host::GuestCall& call) {
  return process::or_end("a call", [&]() -> std::uint64_t {
    const Name& name = name_at(call.arguments[0]);
    CallFrame frame{};
    read(ArgumentWords::pointer<void>(call.arguments[1]), &frame, sizeof frame);
    program_.thread();
    this_thread->enter();
    this_thread->called(frame.begun_ns * kPicosecondsPerNanosecond);
    ArgumentWords words(*this, frame);
    const char* const outer_call = std::exchange(this_call, nullptr);
    const std::uint64_t outer_place = std::exchange(next_place, 0);
    std::uint64_t result = 0;
    if (name.text == kTakeText) {
      result = take_text(frame.registers[0], frame.registers[1]);
    } else if (name.text == kNextFunction) {
      const Function function = next_function();
      write(ArgumentWords::pointer<void>(frame.registers[0]), &function, sizeof function);
    } else {
      meet(name);
      this_call = name.text.c_str();
      result = result_of(name, words);
    }
    this_thread->enter();  // the thread's clock may be ahead
    std::uint64_t due = 0;
    if (name.text != kTakeText && !program_.text_for_program().empty()) due |= kPrint;
    if (std::exchange(functions_expected, false)) due |= kStartThread;
    result = hand_over(result, nullptr, due);
    this_call = outer_call;
    next_place = outer_place;
    return result;
  });
}

// Leaves for the thread of the program, at its latest stop, what is due, and a call's result or a function
// that the call needs called before. Returns what the stop itself answers.
std::uint64_t GuestProgram::hand_over(std::uint64_t result, const Function* function, std::uint64_t due) {
  auto* const frame = ArgumentWords::pointer<std::byte>(calls_.current().arguments[1]);
  Function next;
  if (function != nullptr) next = *function;
  if (next_place != 0) {
    if (function == nullptr) next.arguments[0] = result;
    write(ArgumentWords::pointer<void>(next_place), &next, sizeof next);
    result = function != nullptr ? 1 : 0;
  } else if (function != nullptr) {
    static_assert(sizeof next <= sizeof CallFrame::registers);
    write(frame + offsetof(CallFrame, registers), &next, sizeof next);
    due |= kCallFunction;
  }
  if (due != 0) write(frame + offsetof(CallFrame, due), &due, sizeof due);
  return result;
}

// Calls that the function makes are served here, in the middle of this one.
std::uint64_t GuestProgram::call(const Function& function) {
  const char* const own_call = std::exchange(this_call, nullptr);
  this_thread->enter();
  calls_.answer(hand_over(0, &function, 0));
  while (name_at(calls_.current().arguments[0]).text != kReturned) calls_.answer(serve(calls_.current()));
  CallFrame frame{};
  read(ArgumentWords::pointer<void>(calls_.current().arguments[1]), &frame, sizeof frame);
  this_thread->enter();
  this_call = own_call;
  next_place = frame.registers[1];
  return frame.registers[0];
}

}  // namespace duet::guest
