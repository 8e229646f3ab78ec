#include "sweep/column.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/readable_name.h"

namespace duet::sweep {

namespace {

using Json = nlohmann::json;
using Names = std::vector<std::string>;

// Short names and where they stand. A run without a GPU has simulated_ps alone.
const std::map<std::string, std::string>& short_names() {
  static const std::map<std::string, std::string> names = {
      {"time_ps", "account.time_ps"},
      {"gpu_cycles", "totals.gpu_cycles"},
      {"warp_instructions", "totals.warp_instructions"},
      {"thread_instructions", "totals.thread_instructions"}};
  return names;
}

const std::map<std::string, Names>& parts() {
  static const std::map<std::string, Names> names = {
      {"moments_ps", {"kernels", "kernels_and_copies", "copies", "driver", "calls", "between_calls"}},
      {"critical_path_ps",
       {"between_calls", "calls", "driver", "host_to_device", "device_to_host", "other_copies", "kernels"}},
      {"busy_ps", {"kernels", "copies", "driver", "calls"}}};
  return names;
}

// A list of stats.json, the name of its elements, and their numbers.
struct List {
  const char* name;      // of an element
  const char* groups;    // the list of the rest in groups, or nullptr
  const char* launches;  // of a group
  Names fields;          // an element's; fields with a final '.' have named members
};

const std::map<std::string, List>& lists() {
  static const std::map<std::string, List> all = {
      {"kernels",
       {"name",
        "kernel_groups",
        "launches",
        {"time_ps", "cycles", "warp_instructions", "thread_instructions", "queued_ps", "driver_start_ps",
         "start_ps", "end_ps", "completed_blocks", "registers", "occupancy", "stalls.", "counters.",
         "preexecution.", "cpu_blocks."}}},
      {"copies",
       {"kind",
        "copy_groups",
        "copies",
        {"time_ps", "bytes", "queued_ps", "driver_start_ps", "start_ps", "end_ps"}}},
      {"api", {"name", nullptr, nullptr, {"calls", "total_ps"}}},
      {"marks", {"name", nullptr, nullptr, {"time_ps", "counters.", "state."}}},
      {"failed_calls", {"name", nullptr, nullptr, {"calls", "unasked", "first_ps"}}},
      {"races", {"kind", nullptr, nullptr, {"bytes"}}},
      {"components", {"name", nullptr, nullptr, {"counters."}}}};
  return all;
}

const Names& ways() {
  static const Names names = {"sum", "min", "max", "first", "last", "count"};
  return names;
}

std::string joined(const Names& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

[[noreturn]] void refuse(const std::string& column, const std::string& what) {
  throw Error(fmt::format("column '{}': {}", column, what));
}

using IsCounted = std::function<bool(const std::string&)>;

void check_counter(const std::string& column, const std::string& statistic, const IsCounted& is_counted) {
  if (statistic != "journal.lost_records" && !is_counted(statistic))
    refuse(column,
           fmt::format("no machine here counts {} (see `duet statistics --machine NAME`)", statistic));
}

Column list_column(const std::string& text, const std::string& list, const IsCounted& is_counted) {
  Column column{text, list, "", "", ""};
  std::string rest = text.substr(list.size());
  if (rest.starts_with("[")) {
    const auto close = rest.find(']');
    if (close == std::string::npos || close == 1) refuse(text, fmt::format("write {}[NAME]...", list));
    column.of = rest.substr(1, close - 1);
    rest = rest.substr(close + 1);
  }
  const auto dot = rest.rfind('.');
  column.how = dot == std::string::npos ? "" : rest.substr(dot + 1);
  if (!has(ways(), column.how))
    refuse(text, fmt::format("{} are many: end it with one of .{}", list, joined(ways())));
  if (dot != 0) column.path = rest.substr(1, dot - 1);
  if ((column.how == "count") != column.path.empty())
    refuse(text, fmt::format("write {0}.count, or {0}.{1}.sum", list, lists().at(list).fields[0]));
  if (column.path.empty()) return column;
  const Names& fields = lists().at(list).fields;
  const bool known = std::any_of(fields.begin(), fields.end(), [&](const std::string& field) {
    return field.ends_with('.') ? column.path.starts_with(field) && column.path != field
                                : column.path == field;
  });
  if (!known)
    refuse(text, fmt::format("{} have no number '{}': there are {}", list, column.path, joined(fields)));
  if (column.path.starts_with("counters.") && list != "components")
    check_counter(text, column.path.substr(std::string("counters.").size()), is_counted);
  return column;
}

Column path_column(const std::string& text, const IsCounted& is_counted) {
  static const Names scalars = {"machine",           "host",         "command", "complete", "deterministic",
                                "simulated_seconds", "simulated_ps", "failure", "status",   "signal",
                                "clock_khz",         "components_ps"};
  static const Names totals = {"warp_instructions", "thread_instructions", "gpu_cycles"};
  // Parts of a run with cores or pre-execution, with names of their own.
  static const Names open = {"processor", "preexecution", "cpu_blocks", "incomplete"};
  const Column column{text, "", "", text, ""};
  if (has(scalars, text)) return column;
  if (text == "wall_seconds" || text.ends_with("_per_second"))
    refuse(text, "it is another one each time: times.csv has the wall time of each run");
  const auto dot = text.find('.');
  const std::string first = text.substr(0, dot), rest = dot == std::string::npos ? "" : text.substr(dot + 1);
  if (rest.empty()) {
    Names known;
    for (const auto& [name, place] : short_names()) known.push_back(name);
    for (const auto& [name, list] : parts()) known.push_back(name);
    for (const auto& [name, list] : lists()) known.push_back(name + "...");
    refuse(text, fmt::format("a run has no such value: there are {}, counters..., totals..., {}",
                             joined(known), joined(scalars)));
  }
  if (first == "counters") {
    check_counter(text, rest, is_counted);
    return column;
  }
  if (first == "totals" && !has(totals, rest) && !rest.starts_with("instructions"))
    refuse(text, fmt::format("totals are {}", joined(totals)));
  if (first == "account") {
    const auto second = rest.find('.');
    const auto group = parts().find(rest.substr(0, second));
    const bool known = rest == "time_ps" || (group != parts().end() && second != std::string::npos &&
                                             has(group->second, rest.substr(second + 1)));
    if (!known) refuse(text, "account has time_ps and the parts of moments_ps, critical_path_ps, busy_ps");
    return column;
  }
  if (first != "totals" && !has(open, first))
    refuse(text, fmt::format("stats.json has no '{}': there are account, counters, totals, {}", first,
                             joined(open)));
  return column;
}

// Names have dots too: the longest existing name counts.
const Json* find(const Json& json, const std::string& path) {
  if (!json.is_object()) return nullptr;
  for (std::size_t end = path.size(); end != std::string::npos && end != 0;) {
    if (const auto found = json.find(path.substr(0, end)); found != json.end()) {
      if (end == path.size()) return &*found;
      if (const Json* inner = find(*found, path.substr(end + 1))) return inner;
    }
    end = path.rfind('.', end - 1);
  }
  return nullptr;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return value.dump();
  return "";
}

// Numbers added up and compared: exact as long as all are whole.
struct Number {
  std::int64_t whole = 0;
  double other = 0;
  bool is_whole = true;
  double value() const { return is_whole ? static_cast<double>(whole) : other; }
  bool operator<(const Number& than) const {
    return is_whole && than.is_whole ? whole < than.whole : value() < than.value();
  }
  std::string text() const { return is_whole ? std::to_string(whole) : Json(other).dump(); }
};

Number sum_of(const Number& a, const Number& b) {
  if (a.is_whole && b.is_whole) return {a.whole + b.whole, 0, true};
  return {0, a.value() + b.value(), false};
}

std::optional<Number> number_of(const Json* json) {
  if (json == nullptr || !json->is_number()) return std::nullopt;
  if (json->is_number_float()) return Number{0, json->get<double>(), false};
  return Number{json->get<std::int64_t>(), 0, true};
}

// The values of a list's elements with the column's name, together.
class Collector {
 public:
  explicit Collector(const Column& column) : column_(column), list_(lists().at(column.list)) {}

  void add_elements(const Json& statistics) {
    for_each(statistics, column_.list.c_str(), [&](const Json& element) {
      ++count_;
      // Zero counts are left out there.
      const bool may_lack = column_.path.find('.') != std::string::npos;
      std::optional<Number> value = own_time(element);
      if (!value) value = number_of(find(element, column_.path));
      if (!value && may_lack) value = Number{};
      if (value) add(*value, *value, *value);
      if (value && count_ == 1) first_ = value;
      last_ = value;
    });
  }

  // A group has sum, least and most; for some values the sum alone, or nothing.
  void add_groups(const Json& statistics) {
    if (list_.groups == nullptr) return;
    for_each(statistics, list_.groups, [&](const Json& group) {
      count_ += number_of(find(group, list_.launches)).value_or(Number{}).whole;
      const Json* value = find(group, column_.path == "time_ps" ? "executed_ps" : column_.path);
      last_.reset();
      const bool spread = value != nullptr && value->is_object();
      const auto sum = number_of(spread ? find(*value, "sum") : value);
      const auto least = spread ? number_of(find(*value, "min")) : std::nullopt;
      const auto most = spread ? number_of(find(*value, "max")) : std::nullopt;
      if (sum) sum_ = sum_of(sum_.value_or(Number{}), *sum);
      lacks_sum_ |= !sum && column_.path.find('.') == std::string::npos;
      lacks_spread_ |= !least || !most;
      if (least && (!least_ || *least < *least_)) least_ = least;
      if (most && (!most_ || *most_ < *most)) most_ = most;
    });
  }

  std::string text() const {
    if (column_.how == "count") return std::to_string(count_);
    if (column_.how == "first") return text_of(first_, false);
    if (column_.how == "last") return text_of(last_, false);
    if (column_.how == "sum") return text_of(sum_, lacks_sum_);
    return text_of(column_.how == "min" ? least_ : most_, lacks_spread_);
  }

 private:
  static std::string text_of(const std::optional<Number>& value, bool lacks_some) {
    return value && !lacks_some ? value->text() : "";
  }

  template <typename Act>
  void for_each(const Json& statistics, const char* list, Act act) const {
    const Json* elements = find(statistics, list);
    if (elements == nullptr || !elements->is_array()) return;
    for (const Json& element : *elements) {
      const Json* name = find(element, list_.name);
      const std::string own = name != nullptr && name->is_string() ? name->get<std::string>() : "";
      if (column_.of.empty() || own == column_.of || readable_name(own) == column_.of) act(element);
    }
  }

  std::optional<Number> own_time(const Json& element) const {
    if (column_.path != "time_ps") return std::nullopt;
    const auto start = number_of(find(element, "start_ps")), end = number_of(find(element, "end_ps"));
    if (!start || !end) return std::nullopt;
    return Number{end->whole - start->whole, 0, true};
  }

  void add(const Number& sum, const Number& least, const Number& most) {
    sum_ = sum_of(sum_.value_or(Number{}), sum);
    if (!least_ || least < *least_) least_ = least;
    if (!most_ || *most_ < most) most_ = most;
  }

  const Column& column_;
  const List& list_;
  std::int64_t count_ = 0;
  std::optional<Number> sum_, least_, most_, first_, last_;
  bool lacks_sum_ = false, lacks_spread_ = false;
};

}  // namespace

std::vector<Column> columns_of(const std::string& text, const IsCounted& is_counted) {
  if (const auto place = short_names().find(text); place != short_names().end())
    return {{text, "", "", place->second, ""}};
  if (const auto group = parts().find(text); group != parts().end()) {
    std::vector<Column> columns;
    for (const std::string& part : group->second)
      columns.push_back({text + "." + part, "", "", "account." + text + "." + part, ""});
    return columns;
  }
  const auto dot = text.find('.');
  const std::string first = text.substr(0, std::min(dot, text.find('[')));
  if (const auto group = parts().find(first); group != parts().end() && dot != std::string::npos) {
    if (!has(group->second, text.substr(dot + 1)))
      refuse(text, fmt::format("the parts of {} are {}", first, joined(group->second)));
    return {{text, "", "", "account." + text, ""}};
  }
  if (lists().contains(first)) return {list_column(text, first, is_counted)};
  return {path_column(text, is_counted)};
}

std::vector<std::string> default_columns() {
  return {"time_ps", "moments_ps", "gpu_cycles", "warp_instructions"};
}

std::string cell_of(const Column& column, const Json& statistics) {
  if (!column.list.empty()) {
    if (find(statistics, column.list) == nullptr) return "";
    Collector collector(column);
    collector.add_elements(statistics);
    collector.add_groups(statistics);
    return collector.text();
  }
  const Json* value = find(statistics, column.path);
  if (value == nullptr && column.name == "time_ps") value = find(statistics, "simulated_ps");
  return value != nullptr ? text_of(*value) : "";
}

}  // namespace duet::sweep
