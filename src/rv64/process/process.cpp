#include "rv64/process/process.h"

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "base/error.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"
#include "rv64/process/fault_report.h"
#include "rv64/process/start.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

// Between looks at the host's clock.
constexpr std::uint64_t kSlice = 10'000'000;

}  // namespace

class Process::State {
 public:
  explicit State(const ProcessOptions& options)
      : options_(options),
        file_(read_elf(options.arguments.at(0))),
        space_(memory_),
        calls_(file_.path, space_, options.files) {
    image_ = start(file_, space_, calls_.threads().current().hart, options);
  }

  ProcessEnd run();

 private:
  void check_time();

  ProcessOptions options_;
  ElfFile file_;
  PagedMemory memory_;
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
      tell_fault(file_, image_, memory_, trap, hart);
      return {0, SystemCalls::signal_of(trap)};
    }
    if (calls_.threads().retired() < look) continue;
    check_time();
    look += kSlice;
  }
  return *calls_.end();
}

Process::Process(const ProcessOptions& options) : state_(std::make_unique<State>(options)) {}
Process::~Process() = default;
ProcessEnd Process::run() { return state_->run(); }

}  // namespace duet::rv64
