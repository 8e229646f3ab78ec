// The lives of memory in stream order: each use comes behind its allocation and before its release, by CUDA's
// order and not by time.
//   memory.allocated(base, name, time); memory.used(base, command, side); memory.freed(base, time, false);
// Commands may run long after their submission, when the memory has been given again: a command belongs to
// the last life begun before its submission.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/address.h"
#include "check/findings.h"
#include "check/line_uses.h"

namespace duet::check {

// A place in a stream's order.
struct StreamTime {
  std::size_t point = 0;        // its number; 0: ordered by the host
  CommandNumber submitted = 0;  // the last command of all streams then
  std::uint32_t stream = 0;
  std::string call;  // where the program made the call
};

class StreamMemory {
 public:
  struct Order {
    std::function<bool(std::size_t point, CommandNumber)> point_before;
    std::function<bool(CommandNumber, std::size_t point)> before_point;
    std::function<bool(std::size_t, std::size_t)> points;
  };
  StreamMemory(Findings& findings, Order order) : findings_(findings), order_(std::move(order)) {}

  // `name`: of the memory, for messages.
  void allocated(VirtualAddress base, const std::string& name, const StreamTime& time);
  // `all_done`: the host has waited for everything.
  void freed(VirtualAddress base, const std::string& name, const StreamTime& time, bool all_done);
  bool holds(VirtualAddress base) const { return lives_.contains(base); }
  // Once for each command is enough. `side()`: "write by kernel 'k' ..".
  template <typename Side>
  void used(VirtualAddress base, CommandNumber command, const Side& side) {
    Life* const life = life_of(base, command);
    if (life == nullptr) return;
    life->users.push_back({command, side()});
    judge(base, *life, life->users.back());
  }

 private:
  struct User {
    CommandNumber command;
    std::string side;
  };
  struct Life {
    std::string name;
    StreamTime begin, end;
    bool from_host = false;  // not allocated in a stream
    bool ended = false, all_done = false;
    std::vector<User> users;
  };
  Life* life_of(VirtualAddress base, CommandNumber command);
  void judge(VirtualAddress base, const Life& life, const User& user);
  void judge_end(VirtualAddress base, const Life& life, const User& user);
  void found(FindingKind kind, VirtualAddress base, const Life& life, const std::string& text);

  Findings& findings_;
  Order order_;
  std::map<VirtualAddress, std::vector<Life>> lives_;
};

}  // namespace duet::check
