#include "check/stream_memory.h"

#include <algorithm>

namespace duet::check {

namespace {

std::string stream_text(const char* what, const StreamTime& time) {
  return std::string(what) + " in stream " + std::to_string(time.stream) +
         (time.call.empty() ? "" : ", called at " + time.call);
}

}  // namespace

void StreamMemory::allocated(VirtualAddress base, const std::string& name, const StreamTime& time) {
  Life life;
  life.name = name;
  life.begin = time;
  lives_[base].push_back(std::move(life));
}

void StreamMemory::freed(VirtualAddress base, const std::string& name, const StreamTime& time,
                         bool all_done) {
  std::vector<Life>& lives = lives_[base];
  if (lives.empty()) {
    lives.emplace_back();
    lives.back().name = name;
    lives.back().from_host = true;
  }
  Life& life = lives.back();
  life.end = time;
  life.ended = true;
  life.all_done = all_done;
  if (!all_done && !life.from_host && !order_.points(life.begin.point, time.point))
    found(FindingKind::UseBeforeAllocation, base, life,
          "memory freed in a stream that nothing orders behind its allocation, " + life.name + "\n" +
              stream_text("allocated", life.begin) + "\n" + stream_text("freed", life.end));
  for (const User& user : life.users) judge_end(base, life, user);
}

StreamMemory::Life* StreamMemory::life_of(VirtualAddress base, CommandNumber command) {
  const auto lives = lives_.find(base);
  if (lives == lives_.end()) return nullptr;
  std::vector<Life>& all = lives->second;
  const auto later =
      std::find_if(all.begin(), all.end(), [&](const Life& life) { return life.begin.submitted >= command; });
  return later == all.begin() ? &all.front() : &*std::prev(later);
}

void StreamMemory::judge(VirtualAddress base, const Life& life, const User& user) {
  if (!life.from_host && !order_.point_before(life.begin.point, user.command))
    found(FindingKind::UseBeforeAllocation, base, life,
          "memory used in a stream that nothing orders behind its allocation, " + life.name + "\n" +
              stream_text("allocated", life.begin) + "\n" + user.side);
  if (life.ended) judge_end(base, life, user);
}

void StreamMemory::judge_end(VirtualAddress base, const Life& life, const User& user) {
  const bool before =
      life.all_done ? user.command <= life.end.submitted : order_.before_point(user.command, life.end.point);
  if (before) return;
  const bool behind = life.all_done || order_.point_before(life.end.point, user.command);
  found(FindingKind::UseAfterFree, base, life,
        std::string(behind ? "access to memory that was released before"
                           : "memory freed in a stream that nothing orders behind its use") +
            ", " + life.name + "\n" + stream_text("freed", life.end) + "\n" + user.side);
}

void StreamMemory::found(FindingKind kind, VirtualAddress base, const Life& life, const std::string& text) {
  findings_.add({kind, nullptr, base.value(), life.begin.point}, [&] { return text; });
}

}  // namespace duet::check
