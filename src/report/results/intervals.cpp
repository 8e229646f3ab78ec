#include "report/results/intervals.h"

#include <algorithm>
#include <map>
#include <utility>

namespace duet::report {

namespace {

using Kind = IntervalColumn::Kind;

IntervalColumns columns_of(std::string_view lines) {
  IntervalColumns columns;
  while (!lines.empty()) {
    std::string_view line = lines.substr(0, lines.find('\n'));
    lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    const std::size_t first = line.find('\t'), second = line.rfind('\t');
    if (first == std::string_view::npos || first == second)
      throw Error("journal record of unknown intervals");
    const std::string_view kind = line.substr(second + 1);
    columns.push_back({std::string(line.substr(0, first)),
                       std::string(line.substr(first + 1, second - first - 1)),
                       kind == "count"   ? Kind::Count
                       : kind == "state" ? Kind::State
                                         : Kind::Most});
  }
  return columns;
}

class Reader {
 public:
  Reader(const RunReport& report, std::uint64_t together,
         const std::function<void(const IntervalColumns&, const Interval&)>& f)
      : report_(report), together_(together), f_(f) {}

  void record(RecordType type, const std::byte* record, std::size_t bytes, std::string_view text) {
    if (type == RecordType::IntervalColumns) {
      columns_ = columns_of(text);
      open_.values.resize(columns_.size());
      told_.resize(columns_.size());
    }
    if (type != RecordType::Interval) return;
    if (bytes < sizeof(IntervalRecord)) throw Error("journal record of an unknown size");
    constexpr std::size_t kOwn = sizeof(IntervalRecord);
    const auto its = record_as<IntervalRecord>(record, kOwn);
    if (open_.samples == 0) open_.start_ps = its.start_ps;
    open_.end_ps = its.end_ps;
    ++open_.samples;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (columns_[i].kind == Kind::State) open_.values[i] = 0;
    for_each_increase(
        record + kOwn, bytes - kOwn,
        [this](std::uint32_t column, std::uint64_t value) {
          open_.values[column] += value;
          if (columns_[column].kind == Kind::Count) told_[column] += value;
        },
        columns_.size());
    if (open_.samples == together_) close();
  }

  // The counts behind the last interval's end.
  void end() {
    if (columns_.empty()) return;
    if (open_.samples != 0) close();
    std::map<std::string_view, const Counters*> components;
    for (const ComponentResult& component : report_.components)
      components[component.name] = &component.counters;
    bool any = false;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].kind != Kind::Count) continue;
      const std::uint64_t all = columns_[i].component.empty()
                                    ? value_of(report_.counters, columns_[i].statistic)
                                    : value_of_component(components, columns_[i]);
      if (all <= told_[i]) continue;
      open_.values[i] = all - told_[i];
      any = true;
    }
    if (!any && report_.simulated_ps <= end_ps_) return;
    open_.start_ps = end_ps_;
    open_.end_ps = std::max(report_.simulated_ps, end_ps_);
    open_.samples = 1;
    open_.has_states = false;
    close();
  }

 private:
  static std::uint64_t value_of(const Counters& counters, const std::string& name) {
    const auto found =
        std::find_if(counters.begin(), counters.end(), [&](const auto& one) { return one.first == name; });
    return found == counters.end() ? 0 : found->second;
  }
  static std::uint64_t value_of_component(const std::map<std::string_view, const Counters*>& components,
                                          const IntervalColumn& column) {
    const auto found = components.find(column.component);
    return found == components.end() ? 0 : value_of(*found->second, column.statistic);
  }

  void close() {
    f_(columns_, open_);
    end_ps_ = open_.end_ps;
    open_.samples = 0;
    std::fill(open_.values.begin(), open_.values.end(), 0);
  }

  const RunReport& report_;
  const std::uint64_t together_;
  const std::function<void(const IntervalColumns&, const Interval&)>& f_;
  IntervalColumns columns_;
  Interval open_;
  std::vector<std::uint64_t> told_;  // of counts, so far
  Picoseconds end_ps_ = 0;
};

}  // namespace

void for_each_interval(const RunReport& report, std::uint64_t most,
                       const std::function<void(const IntervalColumns&, const Interval&)>& f) {
  if (report.interval_ps == 0 && report.interval_cycles == 0) return;  // nobody asked for them
  std::uint64_t intervals = 1;                                         // the last one
  report.journal->for_each([&](RecordType type, const std::byte*, std::size_t, std::string_view) {
    intervals += type == RecordType::Interval;
  });
  most = std::max<std::uint64_t>(most, 2);  // the last one is never joined to others
  Reader reader(report, std::max<std::uint64_t>((intervals + most - 2) / (most - 1), 1), f);
  report.journal->for_each([&](RecordType type, const std::byte* record, std::size_t bytes,
                               std::string_view text) { reader.record(type, record, bytes, text); });
  reader.end();
}

}  // namespace duet::report
