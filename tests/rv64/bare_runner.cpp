// Runs a static RV64 program that needs no operating system but write, exit and exit_group: the instruction
// set alone, for tests. Usage: rv64_bare_runner [--slice N] [--speed] PROGRAM
// --slice: at most N instructions in a call of the interpreter. --speed: instructions and seconds of
// processor time on stderr. Exit status: the program's; 126 when it traps, with one line on stderr; 125 for
// what cannot be run.
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
  std::string program;
};

Options parse(int count, char** words) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--slice" && i + 1 < count) {
      options.slice = std::strtoull(words[++i], nullptr, 0);
    } else if (word == "--speed") {
      options.speed = true;
    } else if (word == "--disassemble") {
      options.disassemble = true;
    } else {
      options.program = word;
    }
  }
  if (options.program.empty() || options.slice == 0)
    throw Error("usage: rv64_bare_runner [--slice N] PROGRAM");
  return options;
}

// The status when the program ends with this call.
int serve(Hart& hart, PagedMemory& memory, bool& ended) {
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

int run(const Options& options) {
  PagedMemory memory;
  memory.map(VirtualAddress(kStackTop - kStackBytes), kStackBytes, {true, true, false});
  Interpreter interpreter(memory);
  Hart hart(memory, 0);
  hart.pc = load(read_elf(options.program), memory).entry;
  hart.x[kStackPointer] = kStackTop - 64;  // argc, argv, envp and auxv: all 0
  const std::clock_t start = std::clock();
  int status = 0;
  for (bool ended = false; !ended;) {
    const Trap trap = interpreter.run(hart, options.slice);
    if (trap.cause == TrapCause::SystemCall) {
      status = serve(hart, memory, ended);
    } else if (trap.cause != TrapCause::Budget) {
      fmt::print(stderr, "trap {} at {:#x}: {}; address {:#x}\n", static_cast<int>(trap.cause), hart.pc,
                 disassemble(decode(trap.instruction), hart.pc), trap.fault.address);
      status = 126;
      ended = true;
    }
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (options.speed)
    fmt::print(stderr, "{} instructions, {:.3f} s, {:.1f} M/s\n", hart.retired, seconds,
               static_cast<double>(hart.retired) / seconds * 1e-6);
  return status;
}

}  // namespace

int main(int count, char** words) {
  try {
    const Options options = parse(count, words);
    return options.disassemble ? print_instructions(options.program) : run(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rv64_bare_runner: %s\n", error.what());
    return 125;
  }
}
