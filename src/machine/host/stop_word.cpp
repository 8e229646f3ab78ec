#include "machine/host/stop_word.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace duet::machine {

using memory::CoherenceKind;
using memory::CoherenceMessage;

namespace {
constexpr std::uint64_t kPicosecondsTimesKilohertz = 1'000'000'000;
}  // namespace

StopWord::StopWord(sim::Engine& engine, CpuMemory& memory, const config::Cpu& cpu, Picoseconds latency_ps,
                   const char* name)
    : Component(engine, name, &memory.node(), 2, sim::Role::None),
      memory_(memory),
      to_directory_ps_(cpu.to_directory_cycles * kPicosecondsTimesKilohertz / cpu.clock_khz),
      latency_ps_(latency_ps),
      line_bytes_(cpu.line_bytes),
      agent_(memory.connect_agent(*this)) {
  memory.agent_asks_from([this](Picoseconds now) { return asks_from(now); });
}

Picoseconds StopWord::asks_from(Picoseconds now) const {
  if (words_.empty()) return now + latency_ps_ + to_directory_ps_;
  return words_.front().asked ? now : std::max(now, words_.front().from) + to_directory_ps_;
}

void StopWord::set(PhysicalAddress word, std::function<void()> done) {
  const std::uint32_t one = 1;
  write(word, std::as_bytes(std::span(&one, 1)), std::move(done));
}

void StopWord::write(PhysicalAddress place, std::span<const std::byte> bytes, std::function<void()> done) {
  words_.push_back(
      {place, std::move(done), engine().now() + latency_ps_, false, {bytes.begin(), bytes.end()}});
  engine().wake(*this, words_.back().from);
}

Picoseconds StopWord::tick(Picoseconds now) {
  while (agent_.answers->can_pop(now)) {
    CoherenceMessage message = agent_.answers->pop(now);
    if (message.kind == CoherenceKind::Grant) {
      granted(now, message);
      continue;
    }
    message.kind = CoherenceKind::Answer;  // it has given the line back
    message.bytes = nullptr;
    message.dirty = message.held = false;
    say(now, message);
  }
  const Picoseconds arrival = agent_.answers->next_arrival(now);
  Picoseconds next = arrival == kNever ? kNever : next_opportunity(arrival);
  for (Word& word : words_) {
    if (word.asked) continue;
    if (word.from > now) {
      next = std::min(next, word.from);
      break;
    }
    word.asked = true;
    CoherenceMessage message;
    message.line = word.place.aligned_down(line_bytes_);
    message.kind = CoherenceKind::GetExclusive;
    say(now, message);
  }
  return next;
}

void StopWord::granted(Picoseconds now, const CoherenceMessage& grant) {
  const auto word = std::find_if(words_.begin(), words_.end(), [&](const Word& one) {
    return one.asked && one.place.aligned_down(line_bytes_) == grant.line;
  });
  std::byte* const at = grant.bytes + word->place % line_bytes_;
  memory_.about_to_write(word->place, static_cast<unsigned>(word->bytes.size()), at, agent_.number);
  std::memcpy(at, word->bytes.data(), word->bytes.size());
  CoherenceMessage back;
  back.line = grant.line;
  back.kind = CoherenceKind::Put;
  back.dirty = true;
  say(now, back);
  const std::function<void()> done = std::move(word->done);
  words_.erase(word);
  done();
}

void StopWord::say(Picoseconds now, CoherenceMessage message) {
  message.cache = agent_.number;
  agent_.requests->push(now, message, now + to_directory_ps_);
}

std::string StopWord::waits_for() const {
  return words_.empty() ? std::string() : "the directory, for a line to set a word in";
}

}  // namespace duet::machine
