#include "guest/guest_program.h"

#include <fmt/format.h>

#include <cstdio>
#include <span>

#include "base/error.h"
#include "machine/processor.h"

extern "C" int duet_unsupported(const char* name);

namespace duet::guest {

namespace {

process::Program& program_for(process::ProgramSide& side) {
  process::Program::run_for(side);
  return process::Program::get();
}

VirtualAddress address_of(const void* pointer) {
  return VirtualAddress(reinterpret_cast<std::uintptr_t>(pointer));
}

[[noreturn]] void refuse(const char* what, const rv64::Fault& fault) {
  throw Error(fmt::format("the program {} {:#x}, where it has no memory for that", what, fault.address));
}

thread_local host::GuestThread* this_thread = nullptr;  // process::Thread has it

}  // namespace

GuestProgram::GuestProgram(const rv64::ProcessOptions& options)
    : options_(options),
      program_(program_for(*this)),
      calls_(program_.machine().engine(), [this](const host::GuestCall& call) { return serve(call); }),
      host_(*program_.machine().system().processor(), options_,
            {nullptr, &calls_, &program_.machine().watch()}) {}

GuestProgram::~GuestProgram() = default;

rv64::ProcessEnd GuestProgram::run() {
  const rv64::ProcessEnd end = process::or_end("no call", [this] { return host_.run(); });
  program_.flush_print();
  std::fflush(stdout);
  program_.machine().note_time(program_.machine().engine().now());
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
    refuse("has a call read", *fault);
}

void GuestProgram::write(void* to, const void* from, Bytes bytes) {
  const std::span what(static_cast<const std::byte*>(from), bytes);
  if (const auto fault = host_.space().memory().write(address_of(to), what))
    refuse("has a call write", *fault);
}

void* GuestProgram::allocate(Bytes bytes) {
  constexpr int kReadWrite = 3, kPrivateAnonymous = 0x22;
  const std::int64_t first = host_.space().map(0, bytes, kReadWrite, kPrivateAnonymous, nullptr);
  return first > 0 ? ArgumentWords::pointer<void>(static_cast<std::uint64_t>(first)) : nullptr;
}

void GuestProgram::release(void* first, Bytes bytes) {
  host_.space().unmap(address_of(first).value(), bytes);
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

std::uint64_t GuestProgram::serve(const host::GuestCall& call) {
  return process::or_end("a call", [&]() -> std::uint64_t {
    const Name& name = name_at(call.arguments[0]);
    CallFrame frame{};
    read(ArgumentWords::pointer<void>(call.arguments[1]), &frame, sizeof frame);
    program_.thread();
    this_thread->enter();
    this_thread->called(frame.begun_ns * kPicosecondsPerNanosecond);
    ArgumentWords words(*this, frame);
    const std::uint64_t result = name.served != nullptr
                                     ? name.served(words)
                                     : static_cast<std::uint64_t>(duet_unsupported(name.text.c_str()));
    this_thread->enter();  // the thread's clock may be ahead
    std::fflush(stdout);
    return result;
  });
}

}  // namespace duet::guest
