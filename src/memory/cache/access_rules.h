// What a cache does with a request by its configuration alone: may it hold the bytes, who serves it, which
// bytes are fetched for it.
//
//   const LineAccess access = rules.access(request);
//   if (rules.goes_below(access, line != kNone)) ...     // served by the level below
//
// Knows neither the lines that are held nor the time.
#pragma once

#include "config/machine.h"
#include "memory/cache/byte_masks.h"
#include "memory/request.h"

namespace duet::memory {

// Where a request lies in its line.
struct LineAccess {
  Request& request;
  PhysicalAddress line;
  unsigned offset;
  ByteMask mask;  // positions in the line, of the bytes that the request needs
  bool cached;    // may be held here

  bool cleans_or_invalidates() const {
    return request.operation == Operation::Clean || request.operation == Operation::Invalidate;
  }
  // A read sees bytes as they are at any moment of its stay. The others have a place in the order of the
  // line.
  bool waits_unordered() const { return cached && request.operation == Operation::Read; }
};

class AccessRules {
 public:
  AccessRules(const config::Cache& config, const config::FullEmpty& full_empty);

  bool may_hold(const Cacheability& cacheability) const {
    return attribute_ == nullptr || cacheability.*attribute_;
  }
  LineAccess access(Request& request) const;
  // The request lies in one line, asks for some byte, and has triggers only where the memory has bits.
  bool possible(const LineAccess& access) const;
  // Neither held nor served here. Stores are not among these requests: they change or drop a line.
  bool passes_by(const Request& request) const;
  // The level below serves it. `held`: its line is here.
  bool goes_below(const LineAccess& access, bool held) const;
  // The bytes that a write leaves valid; of tracked memory only the granules that it fills.
  ByteMask kept_of_write(const LineAccess& access) const;
  // The bytes to ask for below: neither here nor on their way, whole sectors.
  ByteMask bytes_to_fetch(const LineAccess& access, const ByteMask& valid,
                          const ByteMask& on_their_way) const;

 private:
  bool keeps(const Request& request) const;
  ByteMask missing_sectors(const ByteMask& wanted, const ByteMask& have) const;

  bool Cacheability::*attribute_;  // the attribute of this cache; null: none
  unsigned line_bytes_, sector_bytes_;
  Bytes granule_bytes_;
  bool performs_atomics_, write_back_, write_allocate_, write_through_of_tracked_, merge_by_trigger_,
      valid_masks_;
};

// Whether a request to tracked memory leaves the bits as the valid bytes here require them.
inline bool AccessRules::keeps(const Request& request) const {
  switch (request.operation) {
    case Operation::Read:
      return request.action == Action::None &&
             (request.trigger == Trigger::Full || (!merge_by_trigger_ && request.trigger == Trigger::None));
    case Operation::Write:
      return request.trigger == Trigger::None && request.action == Action::Fill;
    default:
      return false;
  }
}

inline LineAccess AccessRules::access(Request& request) const {
  const PhysicalAddress line = request.address.aligned_down(line_bytes_);
  const auto offset = static_cast<unsigned>(request.address - line);
  const bool range = request.operation == Operation::Clean || request.operation == Operation::Invalidate;
  bool cached = may_hold(request.cacheability);
  if (request.tracked) {
    cached &= keeps(request);
    if (any(request.required))
      return {request, line, offset, moved_up(request.required, offset), cached || range};
  }
  return {request, line, offset, moved_up(range ? ByteMask::first(request.bytes) : request.mask, offset),
          cached || range};
}

inline bool AccessRules::possible(const LineAccess& access) const {
  const Request& request = access.request;
  return (request.tracked || (request.trigger == Trigger::None && request.action == Action::None)) &&
         access.offset + request.bytes <= line_bytes_ &&
         within(request.mask, ByteMask::first(request.bytes)) &&
         (access.cleans_or_invalidates() || any(request.mask));
}

inline bool AccessRules::passes_by(const Request& request) const {
  if (request.operation == Operation::Atomic) return !performs_atomics_;
  if (request.operation != Operation::Read) return false;
  return !may_hold(request.cacheability) || (request.tracked && !keeps(request));
}

inline bool AccessRules::goes_below(const LineAccess& access, bool held) const {
  if (!access.cached) return true;
  switch (access.request.operation) {
    case Operation::Write:
      return !write_back_ || (access.request.tracked && write_through_of_tracked_) ||
             (!held && !write_allocate_);
    case Operation::Atomic:
      return !performs_atomics_;
    case Operation::Clean:
      return !write_back_;
    default:
      return false;
  }
}

inline ByteMask AccessRules::bytes_to_fetch(const LineAccess& access, const ByteMask& valid,
                                            const ByteMask& on_their_way) const {
  // A fetch on its way may wait for other words than this request's.
  const bool shares = !access.request.tracked || within(on_their_way, access.mask);
  const ByteMask have = shares ? valid | on_their_way : valid;
  return missing_sectors(access.mask, have) & ~have;
}

// All missing bytes of each sector that lacks a wanted byte.
inline ByteMask AccessRules::missing_sectors(const ByteMask& wanted, const ByteMask& have) const {
  const ByteMask missing = wanted & ~have;
  if (sector_bytes_ == line_bytes_) return any(missing) ? ByteMask::first(sector_bytes_) & ~have : ByteMask{};
  const ByteMask sector = ByteMask::first(sector_bytes_);
  ByteMask fetched;
  for (unsigned at = 0; at < line_bytes_; at += sector_bytes_) {
    const ByteMask here = moved_up(sector, at);
    if (any(missing & here)) fetched = fetched | (here & ~have);
  }
  return fetched;
}

}  // namespace duet::memory
