#include "memory/conflict_detector.h"

#include <algorithm>

#include "memory/request.h"

namespace duet::memory {

namespace {

void join(Conflict::Side& into, const Conflict::Side& side) {
  into.writes |= side.writes;
  into.ptx_line = into.command == 0 ? side.ptx_line : std::min(into.ptx_line, side.ptx_line);
  into.command = side.command;
  into.kernel = side.kernel;
}

}  // namespace

// Adds to the accesses of the same command, kind and line of the kernel's text.
void ConflictDetector::add(std::vector<Access>& to, const Access& access) {
  const auto known = std::find_if(to.begin(), to.end(), [&](const Access& other) {
    return other.side.command == access.side.command && other.side.writes == access.side.writes &&
           other.waits == access.waits && other.side.ptx_line == access.side.ptx_line;
  });
  if (known == to.end())
    to.push_back(access);
  else
    known->bytes = known->bytes | access.bytes;
}

void ConflictDetector::access(const Conflict::Side& side, PhysicalAddress address, const ByteMask& mask,
                              Picoseconds now, bool waits) {
  const std::uint64_t number = address / kLineBytes;
  const ByteMask bytes = moved_up(mask, static_cast<unsigned>(address % kLineBytes));
  Line& line = lines_[number];
  if (line.recent_ps < now) settle(line);
  line.recent_ps = now;
  add(line.recent, {waits ? Conflict::Side{side.command, side.kernel, side.writes, 0} : side, waits, bytes});
  if (waits) return has_waited(side.command, bytes, line, now);
  ByteMask left = bytes;
  for (const Access& one : line.earlier)
    if (one.waits && (one.side.command == side.command || before_(one.side.command, side.command)))
      left = left & ~one.bytes;
  if (!any(left)) return;
  for (const std::vector<Access>* known : {&line.earlier, &line.recent})
    for (const Access& other : *known)
      if (!other.waits && other.side.command != side.command && (side.writes || other.side.writes))
        if (const ByteMask both = other.bytes & left;
            any(both) && !before_(other.side.command, side.command) &&
            !before_(side.command, other.side.command) && !comes_after(side.command, other.side.command, now))
          found(side, other.side, number, both);
}

void ConflictDetector::has_waited(std::uint64_t command, const ByteMask& bytes, const Line& line,
                                  Picoseconds now) {
  for (const Access& other : line.earlier)
    if (other.side.writes && other.side.command != command && any(other.bytes & bytes))
      waited_[command].try_emplace(other.side.command, now);
}

bool ConflictDetector::comes_after(std::uint64_t command, std::uint64_t other, Picoseconds now) const {
  return std::any_of(waited_.begin(), waited_.end(), [&](const auto& waited) {
    if (waited.first != command && !before_(waited.first, command)) return false;
    return std::any_of(waited.second.begin(), waited.second.end(), [&](const auto& writer) {
      return writer.second < now && before_(other, writer.first);
    });
  });
}

// Recent accesses become earlier ones. An access is dropped when a later command touches its bytes in the
// same way, or writes them: a new conflict with the former is also one with the latter.
void ConflictDetector::settle(Line& line) const {
  bool new_command = false;
  for (const Access& recent : line.recent) {
    const auto of_command = [&](const Access& other) { return other.side.command == recent.side.command; };
    new_command |= std::none_of(line.earlier.begin(), line.earlier.end(), of_command);
  }
  for (const Access& recent : line.recent) add(line.earlier, recent);
  line.recent.clear();
  if (!new_command) return;
  std::vector<ByteMask> left;
  for (const Access& one : line.earlier) {
    ByteMask bytes = one.bytes;
    for (const Access& other : line.earlier)
      if (other.side.command != one.side.command && other.waits == one.waits &&
          (one.waits || other.side.writes || !one.side.writes) && any(other.bytes & bytes) &&
          before_(one.side.command, other.side.command))
        bytes = bytes & ~other.bytes;
    left.push_back(bytes);
  }
  for (std::size_t i = 0; i < left.size(); ++i) line.earlier[i].bytes = left[i];
  std::erase_if(line.earlier, [](const Access& access) { return !any(access.bytes); });
}

void ConflictDetector::found(const Conflict::Side& one, const Conflict::Side& other, std::uint64_t line,
                             const ByteMask& bytes) {
  const bool in_order = one.command < other.command;
  Found& place = pairs_[std::minmax(one.command, other.command)];
  join(place.conflict.first, in_order ? one : other);
  join(place.conflict.second, in_order ? other : one);
  ByteMask& of_line = place.lines[line];
  of_line = of_line | bytes;
}

void ConflictDetector::synchronise(std::uint64_t command, PhysicalAddress address, const ByteMask& mask,
                                   bool reads, bool writes) {
  std::vector<Synchronised>& known = written_to_synchronise_[address / kLineBytes];
  const ByteMask bytes = moved_up(mask, static_cast<unsigned>(address % kLineBytes));
  Synchronised* own = nullptr;
  for (Synchronised& other : known) {
    if (other.command == command)
      own = &other;
    else if (reads && any(other.bytes & bytes))
      left_out_.insert(std::minmax(command, other.command));
  }
  if (!writes) return;
  if (own != nullptr)
    own->bytes = own->bytes | bytes;
  else
    known.push_back({command, bytes});
}

Conflict ConflictDetector::finished(const Found& found) {
  Conflict conflict = found.conflict;
  conflict.lowest = PhysicalAddress(~std::uint64_t{0});
  for (const auto& [line, bytes] : found.lines) {
    const PhysicalAddress base(line * kLineBytes);
    conflict.lowest = std::min(conflict.lowest, base + first_byte(bytes));
    conflict.highest = std::max(conflict.highest, base + last_byte(bytes));
    conflict.bytes += count(bytes);
  }
  return conflict;
}

std::vector<Conflict> ConflictDetector::take(std::uint64_t command) {
  std::vector<Conflict> taken;
  if (complete_.size() <= command) complete_.resize(command + 1);
  complete_[command] = true;
  std::erase_if(pairs_, [&](const auto& entry) {
    const auto& [pair, found] = entry;
    if (pair.first != command && pair.second != command) return false;
    if (!is_complete(pair.first) || !is_complete(pair.second)) return false;
    if (!left_out_.contains(pair)) taken.push_back(finished(found));
    return true;
  });
  return taken;
}

std::vector<Conflict> ConflictDetector::take_all() {
  std::vector<Conflict> taken;
  for (const auto& [pair, found] : pairs_)
    if (!left_out_.contains(pair)) taken.push_back(finished(found));
  pairs_.clear();
  return taken;
}

}  // namespace duet::memory
