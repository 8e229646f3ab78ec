#include "rv64/process/process.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "rv64/decode.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"
#include "rv64/process/stack.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

// Between looks at the host's clock.
constexpr std::uint64_t kSlice = 10'000'000;
constexpr unsigned kFramePointer = 8;
constexpr unsigned kMostFrames = 16;

std::string describe(const Trap& trap, std::uint64_t pc) {
  if (trap.cause == TrapCause::IllegalInstruction)
    return fmt::format("illegal instruction {:#x}", trap.instruction);
  if (trap.cause == TrapCause::Breakpoint) return "breakpoint (ebreak)";
  const Fault& fault = trap.fault;
  if (fault.access == Access::Fetch)
    return fmt::format("segmentation fault: no code at {:#x} ({})", fault.address,
                       fault.mapped ? "it may not be executed" : "nothing is mapped there");
  return fmt::format("{}: {} {:#x} ({}) by '{}'", fault.misaligned ? "bus error" : "segmentation fault",
                     fault.access == Access::Store ? "store to" : "load from", fault.address,
                     fault.misaligned ? "an atomic at an address that is no multiple of its size"
                     : fault.mapped   ? "its page does not allow it"
                                      : "nothing is mapped there",
                     disassemble(decode(trap.instruction), pc));
}

}  // namespace

class Process::State {
 public:
  explicit State(const ProcessOptions& options)
      : options_(options),
        file_(read_elf(options.arguments.at(0))),
        space_(memory_),
        calls_(file_.path, space_, options.files) {
    image_ = load(file_, memory_);
    space_.set_image(
        VirtualAddress(image_.bias + file_.segments.front().address).aligned_down(kPageBytes).value(),
        image_.end);
    Hart& hart = calls_.threads().current().hart;
    hart.pc = image_.entry;
    hart.x[kStackPointer] =
        write_initial_stack(memory_, AddressSpace::kStackTop, AddressSpace::kStackBytes / 4, file_, image_,
                            options.arguments, options.environment);
  }

  ProcessEnd run();

 private:
  void check_time();
  void tell(const Trap& trap, const Hart& hart) const;
  // Addresses in the functions that are active, the innermost first.
  std::vector<std::uint64_t> frames(const Hart& hart, const SymbolTable& symbols) const;

  ProcessOptions options_;
  ElfFile file_;
  mutable PagedMemory memory_;
  AddressSpace space_;
  SystemCalls calls_;
  Interpreter interpreter_{memory_};
  LoadedImage image_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void Process::State::check_time() {
  if (options_.timeout_seconds == 0) return;
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
  if (passed.count() >= options_.timeout_seconds)
    throw Stopped(124, fmt::format("{}: ended after {} s (--timeout), {} instructions", file_.path,
                                   options_.timeout_seconds, calls_.threads().retired()));
}

ProcessEnd Process::State::run() {
  std::uint64_t look = kSlice;  // at the host's clock, when so many instructions have retired
  while (!calls_.end()) {
    calls_.choose_thread();
    if (calls_.end()) break;
    Hart& hart = calls_.threads().current().hart;
    const std::uint64_t before = hart.retired;
    const Trap trap = interpreter_.run(hart, calls_.budget());
    calls_.threads().executed(hart.retired - before);
    if (trap.cause == TrapCause::SystemCall) {
      calls_.serve();
    } else if (trap.cause != TrapCause::Budget && !calls_.enter_fault_handler(trap)) {
      tell(trap, hart);
      return {0, SystemCalls::signal_of(trap)};
    }
    if (calls_.threads().retired() < look) continue;
    check_time();
    look += kSlice;
  }
  return *calls_.end();
}

// The caller of the innermost function is in ra unless that has called one itself; then, and for all others,
// in the frames to which the frame pointer leads, where the compiler keeps one (-fno-omit-frame-pointer; at
// -O0 it does).
std::vector<std::uint64_t> Process::State::frames(const Hart& hart, const SymbolTable& symbols) const {
  std::vector<std::uint64_t> found{hart.pc};
  const Symbol* here = symbols.find(hart.pc);
  const std::uint64_t return_address = hart.x[kReturnAddress];
  const Symbol* caller = symbols.find(return_address - 1);
  if (caller != nullptr && caller != here) found.push_back(return_address);
  std::uint64_t frame = hart.x[kFramePointer];
  while (found.size() < kMostFrames && frame % 8 == 0 && frame > hart.x[kStackPointer]) {
    std::uint64_t saved[2];  // the caller's frame pointer, and the return address
    if (memory_.read(VirtualAddress(frame - sizeof saved), std::as_writable_bytes(std::span(saved)))) break;
    const bool leaf = frame == hart.x[kFramePointer] && symbols.find(saved[1] - 1) == nullptr;
    if (!leaf && symbols.find(saved[1] - 1) == nullptr) break;
    if (!leaf && saved[1] != found.back()) found.push_back(saved[1]);
    const std::uint64_t next = leaf ? saved[1] : saved[0];  // a leaf saves no return address
    if (next <= frame) break;
    frame = next;
  }
  return found;
}

void Process::State::tell(const Trap& trap, const Hart& hart) const {
  const SymbolTable symbols(file_, image_.bias);
  fmt::print(stderr, "duet: {}: {}, at pc {:#x}\n", file_.path, describe(trap, hart.pc), hart.pc);
  unsigned number = 0;
  for (const std::uint64_t address : frames(hart, symbols)) {
    const std::string name = symbols.describe(address);
    fmt::print(stderr, "  #{} {:#x} {}\n", number++, address, name.empty() ? "(no symbol)" : name);
  }
}

Process::Process(const ProcessOptions& options) : state_(std::make_unique<State>(options)) {}
Process::~Process() = default;
ProcessEnd Process::run() { return state_->run(); }

}  // namespace duet::rv64
