// The checks of a process: the accesses of its commands to memory, in CUDA's order, and the findings of all
// blocks.
//   Checker checker(checks, space, order);      block.start(...) of block_check.h reports accesses
//   checker.submitted(transfer); checker.kernel_starts(command); checker.completed(command);
// A copy or a fill counts as done when it is complete, or when a later kernel starts. Calls come one at a
// time: components are ticked on one thread.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "check/checks.h"
#include "check/findings.h"
#include "check/global_shadow.h"
#include "check/grid_order.h"
#include "check/stream_memory.h"
#include "ptx/kernel.h"

namespace duet::check {

// A launch as its blocks see it.
struct Launch {
  const ptx::Kernel* kernel = nullptr;
  CommandNumber command = 0;
  std::uint32_t number = 0;  // of the launch: a kernel may launch others in its command
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned width = 32;                      // of a warp
  Bytes shared_bytes = 0, local_bytes = 0;  // of a block as asked for, of a thread
};
// "thread (3,0,0) of block (0,0,0)"
std::string thread_text(const Launch& launch, std::uint64_t block, std::uint64_t thread);

// A copy or a fill: its source and its destination.
struct Transfer {
  struct Side {
    bool there = false;  // otherwise unchecked memory
    VirtualAddress address;
    Bytes row_pitch = 0, slice_pitch = 0;
  };
  CommandNumber command = 0;
  Side from, to;
  Bytes width_bytes = 0;
  std::uint64_t rows = 1, slices = 1;
  bool from_host = false, to_host = false;  // the side is host memory
  const char* call = "";                    // the submitting call
};

class Checker {
 public:
  // CUDA's rules: whether `earlier` is complete before `later` begins; the name of a command.
  struct Order {
    std::function<bool(CommandNumber earlier, CommandNumber later)> before;
    std::function<std::string(CommandNumber)> name;  // "kernel 'k' (stream 1)"
    std::function<std::string(CommandNumber)> call;  // where the program has called; empty: not known
    StreamMemory::Order points;
  };
  // `host_is_here`: the program's memory is this process's.
  Checker(const Checks& checks, const memory::AddressSpace& space, Order order, bool host_is_here);

  const Checks& checks() const { return checks_; }
  Findings& findings() { return findings_; }
  GlobalShadow& global() { return global_; }

  StreamMemory& stream_memory() { return stream_memory_; }
  // A line that says where the command was called; empty where it is not known.
  std::string call_text(const char* verb, CommandNumber command) const;
  // Of memory in stream order: a command's first access.
  void used_in_stream(Region& region, CommandNumber command, const std::string& side);

  void launched(const Launch& launch) { launches_.try_emplace(launch.command, launch); }
  // What its blocks know of each other.
  GridOrder& order_in(const Launch& launch);
  void submitted(const Transfer& transfer);
  void host_function_submitted(CommandNumber command) { host_functions_ = command; }
  // The host touches memory that the command writes, and has not waited for it. `frames`: where it is.
  void host_touches(CommandNumber command, VirtualAddress address, bool writes, const std::string& frames);
  void kernel_starts(CommandNumber command);
  void completed(CommandNumber command);

  // The same for instructions made of one source line.
  std::uint64_t line_number(const ptx::Kernel& kernel, std::uint32_t ptx_line);

  // A command's access to contiguous bytes of a region.
  void use(Region& region, VirtualAddress address, Bytes bytes, const LineUse& use);
  // A synchronising access of a kernel: two commands with such accesses to one place are taken to be ordered.
  void synchronises(CommandNumber command, VirtualAddress address, bool writes);

 private:
  struct Pending {
    Transfer transfer;
    std::uint64_t hash = 0;  // of the host's bytes at the call
    bool hashed = false, applied = false;
  };
  template <typename F>
  void for_each_row(const Transfer& transfer, const Transfer::Side& side, F f);
  void apply(const Transfer& transfer);
  void read_unwritten(const Transfer& transfer, VirtualAddress address, Bytes bytes);
  std::uint64_t hash_of(const Transfer& transfer);
  bool others_write(const Transfer& transfer);
  void compare(const Pending& pending);
  bool unordered(CommandNumber one, CommandNumber other);
  void found_race(const Region& region, std::size_t line, const LineUse& earlier, const LineUse& now,
                  const ByteMask& both);
  std::string side_text(const LineUse& use, unsigned byte) const;

  const Checks checks_;
  Order order_;
  const bool host_is_here_;
  GlobalShadow global_;
  Findings findings_;
  StreamMemory stream_memory_;
  std::map<CommandNumber, Launch> launches_;
  std::map<std::pair<CommandNumber, std::uint32_t>, GridOrder> grids_;  // by launch
  std::map<CommandNumber, Pending> pending_;
  std::map<std::pair<const ptx::Kernel*, std::uint32_t>, std::uint64_t> line_numbers_;
  std::map<std::string, std::uint64_t> places_;
  CommandNumber host_functions_ = 0;  // the last command with code of the host
  std::set<std::pair<CommandNumber, CommandNumber>> synchronised_;
  std::unordered_map<std::uint64_t, CommandNumber> synchronising_;  // by line: the last synchronising writer
  std::vector<std::pair<std::uint64_t, bool>> asked_;               // of pairs of commands
};

}  // namespace duet::check
