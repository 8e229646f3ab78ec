// The commands that have touched a line of 128 bytes: the bytes of the last reader and the last writer, and
// an access of each, for its name. Other commands' accesses are kept beside, as long as no later command
// stands for them. A command stands for earlier ones, in CUDA's order, that touched no other bytes of the
// line.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "memory/cache/byte_masks.h"

namespace duet::check {

using memory::ByteMask;
using CommandNumber = std::uint32_t;

// A thread's access, of a kernel; of a copy nothing but the command.
struct Witness {
  std::uint32_t pc = 0, block = 0;
  std::uint16_t warp = 0;
  std::uint8_t lane = 0, bytes = 0;  // of the lane with the first of the bytes below
  std::uint8_t first = 0, end = 0;   // in the line: lanes one after the other
};

struct LineUse {
  CommandNumber command = 0;  // 0: nobody
  bool writes = false;
  Witness witness;
  ByteMask bytes{};
};

class LineUses {
 public:
  // Whether nothing orders two commands.
  using Unordered = std::function<bool(CommandNumber, CommandNumber)>;
  using Race = std::function<void(const LineUse& earlier, const LineUse& now, const ByteMask& both)>;

  explicit LineUses(std::size_t lines) : pages_((lines + kPage - 1) / kPage) {}
  // `unordered` and `race` must fit Unordered and Race.
  template <typename U, typename R>
  void add(std::size_t line, const LineUse& use, const U& unordered, const R& race) {
    std::unique_ptr<Line[]>& page = pages_[line / kPage];
    if (page == nullptr) page = std::make_unique<Line[]>(kPage);
    Line& at = page[line % kPage];
    LineUse& own = use.writes ? at.writer : at.reader;
    const LineUse& other = use.writes ? at.reader : at.writer;
    if (own.command == use.command && !at.more &&
        (other.command == 0 || other.command == use.command ||
         (at.ordered == use.command && at.behind == other.command))) {
      own.bytes = own.bytes | use.bytes;
      return;
    }
    add_among(line, at, use, std::cref(unordered), std::cref(race));
  }
  template <typename F>
  void for_each_writer(std::size_t first, std::size_t end, F f) const {
    for (std::size_t line = first; line < end; ++line)
      if (const auto& page = pages_[line / kPage]; page != nullptr && page[line % kPage].writer.command != 0)
        f(page[line % kPage].writer.command);
  }

 private:
  static constexpr std::size_t kPage = 256;
  static constexpr std::size_t kMostBeside = 8;
  struct Line {
    LineUse reader, writer;
    CommandNumber ordered = 0, behind = 0;  // two ordered commands
    bool more = false;                      // in beside_
  };
  void add_among(std::size_t line, Line& at, const LineUse& use, const Unordered& unordered,
                 const Race& race);
  void keep(std::size_t line, Line& at, const LineUse& use, const LineUse& newer, bool orders);

  std::vector<std::unique_ptr<Line[]>> pages_;
  std::unordered_map<std::size_t, std::vector<LineUse>> beside_;
};

}  // namespace duet::check
