#include "report/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"

namespace duet::report {

namespace {

using Json = nlohmann::ordered_json;

// Small counts would come first by their share: 3 to 5 matters less than 3 million to 4 million.
constexpr double kSmallCount = 100;

double share(const Change& change) {
  return static_cast<double>(change.difference()) /
         (static_cast<double>(std::max(change.first, change.second)) + kSmallCount);
}

Json parsed(const NamedText& file) {
  Json json = Json::parse(file.text, nullptr, false);
  const std::string schema = json.is_object() ? json.value("schema", "") : "";
  if (!schema.starts_with("duet.")) throw Error(fmt::format("{} is no stats.json of a run", file.name));
  return json;
}

const Json& member(const Json& json, const char* name) {
  static const Json kNothing;
  const auto found = json.find(name);
  return found != json.end() ? *found : kNothing;
}

std::uint64_t number(const Json& json, const char* name) {
  const Json& value = member(json, name);
  if (value.is_object()) return number(value, "sum");  // of a group
  return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
}

void add(Change& change, bool second, std::uint64_t value) {
  (second ? change.second : change.first) += value;
}

// Values by name, in the order of the names' first appearance.
class Named {
 public:
  void add(const Json& values, bool second) {
    if (!values.is_object()) return;
    for (const auto& [name, value] : values.items()) {
      const auto [place, is_new] = places_.try_emplace(name, changes_.size());
      if (is_new) changes_.push_back({name});
      report::add(changes_[place->second], second, number(values, name.c_str()));
    }
  }
  std::vector<Change> all() const { return changes_; }
  template <typename Larger>
  std::vector<Change> changed(Larger larger) const {
    std::vector<Change> result = changes_;
    std::erase_if(result, [](const Change& change) { return change.difference() == 0; });
    std::stable_sort(result.begin(), result.end(), larger);
    return result;
  }

 private:
  std::vector<Change> changes_;
  std::map<std::string, std::size_t> places_;
};

bool by_difference(const Change& a, const Change& b) { return a.difference() > b.difference(); }
bool by_share(const Change& a, const Change& b) {
  return std::pair(share(a), a.difference()) > std::pair(share(b), b.difference());
}

// Work by name.
class Works {
 public:
  void add(const Json& list, const char* name, bool second) {
    if (!list.is_array()) return;
    for (const Json& one : list) add_one(one, one.value(name, ""), second);
  }
  std::vector<WorkChange> changed() const {
    std::vector<WorkChange> result;
    for (const auto& [work, slots] : works_) {
      WorkChange& change = result.emplace_back(work);
      change.slots = slots.all();
    }
    std::erase_if(result, [](const WorkChange& work) {
      return work.time.difference() == 0 && work.launches.difference() == 0;
    });
    std::stable_sort(result.begin(), result.end(),
                     [](const WorkChange& a, const WorkChange& b) { return by_difference(a.time, b.time); });
    return result;
  }

 private:
  void add_one(const Json& one, const std::string& name, bool second) {
    const auto [place, is_new] = places_.try_emplace(name, works_.size());
    if (is_new) works_.emplace_back().first.name = name;
    auto& [work, slots] = works_[place->second];
    // A kernel or copy, a group of them, or a function's calls.
    const bool is_group = one.contains("executed_ps"), is_call = one.contains("total_ps");
    const char* const count = one.contains("launches") ? "launches"
                              : one.contains("copies") ? "copies"
                                                       : "calls";
    report::add(work.launches, second, is_group || is_call ? number(one, count) : 1);
    report::add(work.time, second,
                is_group  ? number(one, "executed_ps")
                : is_call ? number(one, "total_ps")
                          : number(one, "end_ps") - number(one, "start_ps"));
    report::add(work.cycles, second, number(one, "cycles"));
    report::add(work.warp_instructions, second, number(one, "warp_instructions"));
    report::add(work.bytes, second, number(one, "bytes"));
    slots.add(member(one, "stalls"), second);
  }

  std::vector<std::pair<WorkChange, Named>> works_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

Comparison compare(const NamedText& first, const NamedText& second) {
  Comparison result;
  Named moments, critical_path, counters;
  Works kernels, copies, calls;
  for (const bool is_second : {false, true}) {
    const Json json = parsed(is_second ? second : first);
    Comparison::Run& run = result.runs[is_second];
    run.command = json.value("command", "");
    run.machine = json.value("machine", "");
    run.complete = json.value("complete", true);
    const Json& account = member(json, "account");
    // A simulated host without a GPU has no account.
    add(result.time, is_second,
        account.is_object() ? number(account, "time_ps")
                            : static_cast<std::uint64_t>(json.value("simulated_seconds", 0.0) * 1e12 + 0.5));
    if (account.is_object()) {
      moments.add(member(account, "moments_ps"), is_second);
      critical_path.add(member(account, "critical_path_ps"), is_second);
    }
    kernels.add(member(json, "kernels"), "name", is_second);
    kernels.add(member(json, "kernel_groups"), "name", is_second);
    copies.add(member(json, "copies"), "kind", is_second);
    copies.add(member(json, "copy_groups"), "kind", is_second);
    calls.add(member(json, "api"), "name", is_second);
    counters.add(member(json, "counters"), is_second);
  }
  result.time.name = "run";
  result.moments = moments.changed(by_difference);
  result.critical_path = critical_path.changed(by_difference);
  result.kernels = kernels.changed();
  result.copies = copies.changed();
  result.calls = calls.changed();
  result.counters = counters.changed(by_share);
  return result;
}

namespace {

Json both(const Change& change) { return {{"a", change.first}, {"b", change.second}}; }

Json list(const std::vector<Change>& changes) {
  Json result = Json::array();
  for (const Change& change : changes)
    result.push_back({{"name", change.name}, {"a", change.first}, {"b", change.second}});
  return result;
}

Json list(const std::vector<WorkChange>& works, bool kernels, const char* count, bool bytes) {
  Json result = Json::array();
  for (const WorkChange& work : works) {
    Json& json = result.emplace_back(
        Json{{"name", work.name}, {count, both(work.launches)}, {"time_ps", both(work.time)}});
    if (bytes) json["bytes"] = both(work.bytes);
    if (!kernels) continue;
    json["cycles"] = both(work.cycles);
    json["warp_instructions"] = both(work.warp_instructions);
    json["stalls"] = list(work.slots);
  }
  return result;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string comparison_json(const Comparison& c, const std::vector<KeyChange>& machine) {
  Json json = {{"schema", "duet.comparison/1"}};
  const char* const names[] = {"a", "b"};
  for (const bool second : {false, true})
    json[names[second]] = {{"command", c.runs[second].command},
                           {"machine", c.runs[second].machine},
                           {"complete", c.runs[second].complete}};
  Json& keys = json["machine"] = Json::array();
  for (const KeyChange& key : machine)
    keys.push_back({{"key", key.key},
                    {"unit", key.unit},
                    {"a", text_or_null(key.first)},
                    {"b", text_or_null(key.second)}});
  json["time_ps"] = both(c.time);
  json["moments_ps"] = list(c.moments);
  json["critical_path_ps"] = list(c.critical_path);
  json["kernels"] = list(c.kernels, true, "launches", false);
  json["copies"] = list(c.copies, false, "copies", true);
  json["api"] = list(c.calls, false, "calls", false);
  json["counters"] = list(c.counters);
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace duet::report
