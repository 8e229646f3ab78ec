#include "check/line_uses.h"

#include <algorithm>

namespace duet::check {

using memory::any;
using memory::operator&;
using memory::operator|;

// `newer` takes the place of `use`: kept where it does not stand for it.
void LineUses::keep(std::size_t line, Line& at, const LineUse& use, const LineUse& newer, bool orders) {
  if (use.command == 0 || (orders && memory::within(use.bytes, newer.bytes))) return;
  std::vector<LineUse>& beside = beside_[line];
  if (beside.size() == kMostBeside) beside.erase(beside.begin());
  beside.push_back(use);
  at.more = true;
}

void LineUses::add_among(std::size_t line, Line& at, const LineUse& use, const Unordered& unordered,
                         const Race& race) {
  const auto against = [&](const LineUse& other) {
    if (other.command == 0 || other.command == use.command || !(other.writes || use.writes)) return false;
    const ByteMask both = other.bytes & use.bytes;
    if (!unordered(other.command, use.command)) {
      at.ordered = use.command;
      at.behind = other.command;
      return false;
    }
    if (any(both)) race(other, use, both);
    return true;
  };
  against(at.reader);
  against(at.writer);
  if (at.more)
    for (const LineUse& other : beside_[line]) against(other);
  LineUse& own = use.writes ? at.writer : at.reader;
  if (own.command == use.command) {
    own.bytes = own.bytes | use.bytes;
    return;
  }
  if (own.command != 0) keep(line, at, own, use, !unordered(own.command, use.command));
  if (at.more)
    std::erase_if(beside_[line], [&](const LineUse& other) {
      return other.writes == use.writes && other.command != use.command &&
             !unordered(other.command, use.command) && memory::within(other.bytes, use.bytes);
    });
  own = use;
}

}  // namespace duet::check
