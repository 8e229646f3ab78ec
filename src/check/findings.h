// The findings of the checks, each once, with its count. Two findings are one when kind, kernel and both
// instructions are the same.
//   findings.add({FindingKind::SharedRace, kernel, line, other_line}, [&] { return Text{...}; });
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace duet::check {

enum class FindingKind : std::uint32_t {
  OutOfBounds,
  Misaligned,
  UseAfterFree,
  UseBeforeAllocation,
  SharedRace,
  GlobalRace,
  CommandRace,
  HostChanged,
  HostRace,
  UninitialisedGlobal,
  UninitialisedShared,
  UninitialisedLocal,
  UninitialisedCopy,
  DivergentBarrier,
  BarrierAfterExit,
  LaneMask,
  Leak,
  ApiError,
  ModelAtomicity,  // the model's, in the order of model/rules.h
  ModelLocality,
  ModelFifo,
  ModelSynchronization,
  ModelInPosition,
  ModelCapacity
};
const char* check_of(FindingKind kind);  // "races"
const char* name_of(FindingKind kind);   // "shared_race"

struct Finding {
  FindingKind kind{};
  std::uint64_t count = 0;
  std::string text;  // the finding, then a line for each access or fact
};

class Findings {
 public:
  // Beyond so many of one run only the counts of known ones go up.
  static constexpr std::size_t kMost = 1000;
  using Key = std::tuple<FindingKind, const void*, std::uint64_t, std::uint64_t>;

  template <typename Text>
  void add(const Key& key, Text text, std::uint64_t count = 1) {
    const auto known = numbers_.find(key);
    if (known == numbers_.end()) {
      if (all_.size() == kMost) return;
      numbers_[key] = all_.size();
      all_.push_back({std::get<0>(key), count, text()});
      changed_.push_back(true);
    } else {
      all_[known->second].count += count;
      changed_[known->second] = true;
    }
  }
  // Something to know about the run that is no fault; once.
  void note(const std::string& text) {
    if (note_.empty()) note_ = text;
  }
  // Empty where there is no new one.
  std::string take_note() {
    if (note_.empty() || told_) return {};
    told_ = true;
    return note_;
  }
  // Calls f(number, finding) for the ones new, or seen again, since the last call.
  template <typename F>
  void take_changed(F f) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (changed_[i]) f(i, all_[i]);
    changed_.assign(all_.size(), false);
  }

 private:
  std::map<Key, std::size_t> numbers_;
  std::vector<Finding> all_;
  std::vector<bool> changed_;
  std::string note_;
  bool told_ = false;
};

}  // namespace duet::check
