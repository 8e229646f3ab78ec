#include "memory/race_detector.h"

#include <algorithm>
#include <tuple>

namespace duet::memory {

void RaceDetector::Reads::forget(const ByteMask& bytes, Picoseconds now) {
  earlier = earlier & ~bytes;
  if (recent_ps < now) recent = recent & ~bytes;
}

void RaceDetector::read(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask,
                        Picoseconds now, bool waits) {
  between_ticks([=, this] {
    note_read(agent, address, mask, now);
    conflicts_.access({agent.command, agent.kernel, false, agent.ptx_line}, address, mask, now, waits);
  });
}

void RaceDetector::write(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask,
                         Picoseconds now, bool waits) {
  between_ticks([=, this] {
    note_write(agent, address, mask, now);
    conflicts_.access({agent.command, agent.kernel, true, agent.ptx_line}, address, mask, now, waits);
  });
}

void RaceDetector::synchronise(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask,
                               bool reads, bool writes) {
  between_ticks([=, this] { conflicts_.synchronise(agent.command, address, mask, reads, writes); });
}

void RaceDetector::empty(PhysicalAddress address, const ByteMask& mask, Picoseconds now) {
  between_ticks([=, this] { note_empty(address, mask, now); });
}

void RaceDetector::note_read(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask,
                             Picoseconds now) {
  std::vector<Reads>& line = lines_[address / kLineBytes];
  // Whoever is not ordered after a later read of the same line is not ordered after this one either.
  std::erase_if(line, [&](const Reads& reads) {
    return reads.agent.command != agent.command && before_(reads.agent.command, agent.command);
  });
  auto own = std::find_if(line.begin(), line.end(),
                          [&](const Reads& reads) { return reads.agent.command == agent.command; });
  if (own == line.end()) {
    own = line.insert(line.end(), Reads{agent, now, now, {}, {}});
  } else if (own->first_ps == now) {  // at equal times the lowest SM's is kept
    own->agent = std::min(own->agent, agent, [](const RaceAgent& a, const RaceAgent& b) {
      return std::tie(a.unit, a.ptx_line) < std::tie(b.unit, b.ptx_line);
    });
  }
  if (own->recent_ps < now) {
    own->earlier = own->earlier | own->recent;
    own->recent = {};
    own->recent_ps = now;
  }
  own->recent = own->recent | moved_up(mask, static_cast<unsigned>(address % kLineBytes));
}

void RaceDetector::note_write(const RaceAgent& agent, PhysicalAddress address, const ByteMask& mask,
                              Picoseconds now) {
  const auto found = lines_.find(address / kLineBytes);
  if (found == lines_.end()) return;
  const ByteMask written = moved_up(mask, static_cast<unsigned>(address % kLineBytes));
  for (Reads& reads : found->second) {
    const ByteMask hit = reads.before(now) & written;
    if (!any(hit) || reads.agent.command == agent.command || (reads.agent.kernel && agent.kernel) ||
        before_(reads.agent.command, agent.command))
      continue;
    const PhysicalAddress base = address.aligned_down(kLineBytes);
    conflicts_.leave_out(agent.command, reads.agent.command);
    const auto [place, is_new] = races_.try_emplace({agent.command, reads.agent.command});
    Race& race = place->second;
    if (is_new) {
      race = {reads.agent.command,
              agent.command,
              reads.agent.kernel,
              agent.kernel,
              PhysicalAddress(~std::uint64_t{0}),
              {},
              0,
              kNever,
              now,
              {}};
    }
    race.first = std::min(race.first, base + first_byte(hit));
    race.last = std::max(race.last, base + last_byte(hit));
    race.bytes += count(hit);
    const RaceAgent& kernel = agent.kernel ? agent : reads.agent;
    if (is_new || (!agent.kernel && reads.first_ps < race.read_ps)) race.first_of_kernel = kernel;
    race.read_ps = std::min(race.read_ps, reads.first_ps);
    reads.forget(hit, now);
  }
}

void RaceDetector::note_empty(PhysicalAddress address, const ByteMask& mask, Picoseconds now) {
  const auto found = lines_.find(address / kLineBytes);
  if (found == lines_.end()) return;
  const ByteMask bytes = moved_up(mask, static_cast<unsigned>(address % kLineBytes));
  for (Reads& reads : found->second) reads.forget(bytes, now);
}

std::vector<Race> RaceDetector::take(std::uint64_t writer) {
  std::vector<Race> taken;
  const auto from = races_.lower_bound({writer, 0}), to = races_.lower_bound({writer + 1, 0});
  for (auto at = from; at != to; ++at) taken.push_back(at->second);
  races_.erase(from, to);
  return taken;
}

std::vector<Race> RaceDetector::take_all() {
  std::vector<Race> taken;
  for (const auto& [pair, race] : races_) taken.push_back(race);
  races_.clear();
  return taken;
}

std::vector<Conflict> RaceDetector::take_conflicts(std::uint64_t command) {
  return command == 0 ? conflicts_.take_all() : conflicts_.take(command);
}

}  // namespace duet::memory
