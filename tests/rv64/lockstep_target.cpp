// A hart and its memory that another program commands by lines on standard input, for comparing it with
// another implementation (tests/judges/rv64_lockstep.py). Numbers are hexadecimal; every command answers one
// line.
//   load PROGRAM                  end of the image, then first, bytes and rights (r 4, w 2, x 1) of each
//   segment map FIRST BYTES RIGHTS        | unmap FIRST BYTES | protect FIRST BYTES RIGHTS write ADDRESS
//   BYTES           the bytes in hexadecimal, whatever the rights are read ADDRESS COUNT            the
//   bytes, or "fault" set PC X1 .. X31 F0 .. F31 FCSR get                           the same run COUNT at
//   most so many instructions: how many were, and why it stopped: "budget",
//                                 "ecall" or "trap" and what
#include <fmt/format.h>

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.h"
#include "rv64/interpreter.h"
#include "rv64/process/elf.h"

namespace {

using namespace duet;
using namespace duet::rv64;

Rights rights_of(unsigned bits) { return {(bits & 4) != 0, (bits & 2) != 0, (bits & 1) != 0}; }
unsigned bits_of(const Rights& rights) { return rights.read * 4u + rights.write * 2u + rights.execute; }

class Target {
 public:
  std::string answer(const std::string& line) {
    std::istringstream words(line);
    words >> std::hex;
    std::string command;
    words >> command;
    if (command == "load") return load_program(words);
    if (command == "map" || command == "unmap" || command == "protect") return change_pages(command, words);
    if (command == "write") return write(words);
    if (command == "read") return read(words);
    if (command == "set") return set(words);
    if (command == "get") return get();
    if (command == "run") return run(words);
    throw Error("unknown command: " + line);
  }

 private:
  static std::uint64_t number(std::istream& words) {
    std::uint64_t value = 0;
    if (!(words >> value)) throw Error("a number is missing");
    return value;
  }

  std::string load_program(std::istream& words) {
    std::string path;
    words >> path;
    const ElfFile file = read_elf(path);
    const LoadedImage image = load(file, memory_);
    std::string text = fmt::format("{:x}", image.end);
    for (const Segment& segment : file.segments)
      text += fmt::format(" {:x} {:x} {:x}", image.bias + segment.address, segment.memory_bytes,
                          bits_of(segment.rights));
    return text;
  }

  std::string change_pages(const std::string& command, std::istream& words) {
    const VirtualAddress first(number(words));
    const std::uint64_t bytes = number(words);
    if (command == "unmap")
      memory_.unmap(first, bytes);
    else if (const Rights rights = rights_of(static_cast<unsigned>(number(words))); command == "map")
      memory_.map(first, bytes, rights);
    else
      memory_.protect(first, bytes, rights);
    return "ok";
  }

  std::string write(std::istream& words) {
    std::uint64_t address = number(words);
    std::string text;
    words >> text;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2, ++address) {
      const Page page = memory_.find_page(VirtualAddress(address), Access::Store);
      if (page.bytes == nullptr) return fmt::format("fault {:x}", address);
      if (i == 0 || address % kPageBytes == 0) memory_.bytes_changed(VirtualAddress(address), 1);
      page.bytes[address % kPageBytes] = static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16));
    }
    return "ok";
  }

  std::string read(std::istream& words) {
    const VirtualAddress first(number(words));
    std::vector<std::byte> bytes(number(words));
    if (memory_.read(first, bytes)) return "fault";
    static constexpr char kDigits[] = "0123456789abcdef";
    std::string text;
    for (const std::byte byte : bytes) {
      text.push_back(kDigits[static_cast<unsigned>(byte) >> 4]);
      text.push_back(kDigits[static_cast<unsigned>(byte) & 15]);
    }
    return text;
  }

  std::string set(std::istream& words) {
    hart_.pc = number(words);
    for (unsigned i = 1; i < 32; ++i) hart_.x[i] = number(words);
    for (std::uint64_t& value : hart_.f) value = number(words);
    hart_.set_fcsr(static_cast<std::uint32_t>(number(words)));
    return "ok";
  }

  std::string get() const {
    std::string text = fmt::format("{:x}", hart_.pc);
    for (unsigned i = 1; i < 32; ++i) text += fmt::format(" {:x}", hart_.x[i]);
    for (const std::uint64_t value : hart_.f) text += fmt::format(" {:x}", value);
    return text + fmt::format(" {:x}", hart_.fcsr());
  }

  std::string run(std::istream& words) {
    const std::uint64_t before = hart_.retired;
    const Trap trap = interpreter_.run(hart_, number(words));
    std::string why = "budget";
    if (trap.cause == TrapCause::SystemCall) why = "ecall";
    if (trap.cause != TrapCause::SystemCall && trap.cause != TrapCause::Budget)
      why = fmt::format("trap: cause {}, instruction {:#x}, address {:#x}", static_cast<int>(trap.cause),
                        trap.instruction, trap.fault.address);
    return fmt::format("{:x} {}", hart_.retired - before, why);
  }

  PagedMemory memory_;
  Interpreter interpreter_{memory_};
  Hart hart_{memory_, 0};
};

}  // namespace

int main() {
  try {
    Target target;
    for (std::string line; std::getline(std::cin, line);) std::cout << target.answer(line) << std::endl;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rv64_lockstep_target: %s\n", error.what());
    return 125;
  }
}
