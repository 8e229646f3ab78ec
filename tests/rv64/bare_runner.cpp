// Runs a static RV64 program that needs no operating system but write, exit and exit_group: the instruction
// set alone, for tests. Usage: rv64_bare_runner [--slice N] [--speed] [--timed MACHINE [--set KEY=VALUE]...]
// PROGRAM
// --slice: at most N instructions in a call of the interpreter. --speed: instructions and seconds of
// processor time on stderr. --timed: on the first core of this machine file. Exit status: the program's; 126
// when it traps, with one line on stderr; 125 for what cannot be run.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "config/loader.h"
#include "cpu/core.h"
#include "machine/host/cpu_memory.h"
#include "rv64/decode.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"

namespace {

using namespace duet;
using namespace duet::rv64;

constexpr std::uint64_t kStackTop = 0x3f00000000, kStackBytes = 0x100000;

struct Options {
  std::uint64_t slice = std::uint64_t{1} << 40;
  bool speed = false;
  bool disassemble = false;
  std::string machine;  // empty: without time
  std::vector<std::string> sets;
  std::string program;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--slice" && i + 1 < count) {
      options.slice = std::strtoull(words[++i], nullptr, 0);
    } else if (word == "--timed" && i + 1 < count) {
      options.machine = words[++i];
    } else if (word == "--set" && i + 1 < count) {
      options.sets.emplace_back(words[++i]);
    } else if (word == "--speed") {
      options.speed = true;
    } else if (word == "--disassemble") {
      options.disassemble = true;
    } else {
      options.program = word;
    }
  }
  if (options.program.empty() || options.slice == 0)
    throw Error("usage: rv64_bare_runner [--slice N] [--timed MACHINE [--set KEY=VALUE]...] PROGRAM");
  return options;
}

// The status when the program ends with this call.
int serve(Registers& hart, Memory& memory, bool& ended) {
  std::uint64_t& result = hart.x[kArgument0];
  switch (hart.x[kSystemCallNumber]) {
    case 64: {
      std::vector<std::byte> bytes(hart.x[kArgument0 + 2]);
      if (memory.read(VirtualAddress(hart.x[kArgument0 + 1]), bytes)) throw Error("write: bad address");
      std::fwrite(bytes.data(), 1, bytes.size(), result == 2 ? stderr : stdout);
      result = bytes.size();
      break;
    }
    case 93:
    case 94:
      ended = true;
      return static_cast<int>(result & 255);
    default:
      result = static_cast<std::uint64_t>(-38);  // ENOSYS
  }
  hart.pc += 4;
  return 0;
}

int print_instructions(const std::string& path) {
  const auto file = read_file(path);
  if (!file) throw Error(fmt::format("{}: cannot be read", path));
  for (std::size_t at = 0; at + 2 <= file->size();) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, file->data() + at, std::min<std::size_t>(4, file->size() - at));
    const Instruction instruction = decode(bits);
    fmt::print("{:x}: {}\n", at, disassemble(instruction, at));
    at += instruction.length;
  }
  return 0;
}

int tell_trap(const Trap& trap, std::uint64_t pc) {
  fmt::print(stderr, "trap {} at {:#x}: {}; address {:#x}\n", static_cast<int>(trap.cause), pc,
             disassemble(decode(trap.instruction), pc), trap.fault.address);
  return 126;
}

void tell_speed(std::uint64_t instructions, std::clock_t start) {
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  fmt::print(stderr, "{} instructions, {:.3f} s, {:.1f} M/s\n", instructions, seconds,
             static_cast<double>(instructions) / seconds * 1e-6);
}

void start_at(Registers& hart, const Options& options, PagedMemory& memory) {
  memory.map(VirtualAddress(kStackTop - kStackBytes), kStackBytes, {true, true, false});
  hart.pc = load(read_elf(options.program), memory).entry;
  hart.x[kStackPointer] = kStackTop - 64;  // argc, argv, envp and auxv: all 0
}

int run(const Options& options) {
  PagedMemory memory;
  Interpreter interpreter(memory);
  Hart hart(memory, 0);
  start_at(hart, options, memory);
  const std::clock_t start = std::clock();
  int status = 0;
  for (bool ended = false; !ended;) {
    const Trap trap = interpreter.run(hart, options.slice);
    if (trap.cause == TrapCause::SystemCall) {
      status = serve(hart, memory, ended);
    } else if (trap.cause != TrapCause::Budget) {
      status = tell_trap(trap, hart.pc);
      ended = true;
    }
  }
  if (options.speed) tell_speed(hart.retired, start);
  return status;
}

// Serves what a core traps for, until the program ends.
class Client final : public cpu::CoreClient {
 public:
  Client(Registers& hart, Memory& memory) : hart_(hart), memory_(memory) {}

  Cycle trapped(cpu::Core& core, const Trap& trap, Picoseconds now) override {
    if (trap.cause == TrapCause::SystemCall) {
      status_ = serve(hart_, memory_, ended_);
    } else {
      status_ = tell_trap(trap, hart_.pc);
      ended_ = true;
    }
    if (ended_) core.assign(nullptr, now);
    return 1;
  }
  Cycle preempted(cpu::Core&, Picoseconds) override { return 0; }

  bool ended() const { return ended_; }
  int status() const { return status_; }

 private:
  Registers& hart_;
  Memory& memory_;
  bool ended_ = false;
  int status_ = 0;
};

int run_timed(const Options& options) {
  const config::ResolvedTopology machine = config::load_topology(options.machine, "", options.sets);
  if (!machine.topology.cpu) throw Error(fmt::format("{}: has no [cpu]", options.machine));
  const config::Cpu& cpu = *machine.topology.cpu;
  sim::Engine engine;
  machine::CpuMemory memory(engine, cpu, machine.topology.host);
  Registers hart;
  Client client(hart, memory);
  cpu::Core core(engine, &memory.node(), cpu, 0, {memory, memory, client});
  memory.connect(core);
  start_at(hart, options, memory);
  const std::clock_t start = std::clock();
  core.assign(&hart, 0);
  if (!engine.run_while_not([&] { return client.ended(); }))
    throw Error(fmt::format("the core stands still at {:#x}", hart.pc));
  if (options.speed) tell_speed(core.statistics().instructions, start);
  return client.status();
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = parse(count, words);
    if (options.disassemble) return print_instructions(options.program);
    return options.machine.empty() ? run(options) : run_timed(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rv64_bare_runner: %s\n", error.what());
    return 125;
  }
}
