#include "sweep/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/csv.h"
#include "base/error.h"
#include "base/file.h"

namespace duet::sweep {

namespace {

std::optional<double> number(const std::string& cell) {
  char* end = nullptr;
  const double value = std::strtod(cell.c_str(), &end);
  return cell.empty() || *end != '\0' ? std::nullopt : std::optional(value);
}

Results::Goal goal_of(const std::string& text, const SweepFile& file, const Plan& plan,
                      const std::vector<Column>& columns) {
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{}: pareto '{}': {}", file.path.string(), text, what));
  };
  const auto colon = text.rfind(':');
  const std::string name = text.substr(0, colon),
                    way = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (way != "min" && way != "max") refuse("write COLUMN:min or COLUMN:max");
  const auto axis = std::find(plan.axes.begin(), plan.axes.end(), name);
  const bool is_column =
      std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  if (axis == plan.axes.end() && !is_column) refuse("there is no such column or axis in this sweep");
  if (axis != plan.axes.end())
    for (const Run& run : plan.runs)
      if (const std::string& cell = run.axes[static_cast<std::size_t>(axis - plan.axes.begin())];
          !cell.empty() && !number(cell))
        refuse(fmt::format("{} = {} is no number", name, cell));
  return {name, way == "min"};
}

constexpr const char* kSpeedup = "speedup";

// Of `--baseline KEY=VALUE`: an axis, and one of its values.
std::pair<std::string, std::string> baseline_of(const std::string& text, const Plan& plan) {
  const auto equals = text.find('=');
  const std::string key = text.substr(0, equals),
                    value = equals == std::string::npos ? "" : text.substr(equals + 1);
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("sweep: --baseline {}: {}", text, what));
  };
  const auto axis = std::find(plan.axes.begin(), plan.axes.end(), key);
  if (equals == std::string::npos) refuse("write KEY=VALUE");
  if (axis == plan.axes.end())
    refuse(fmt::format("no such axis in this sweep: it has {}", fmt::join(plan.axes, ", ")));
  Strings values;
  for (const Run& run : plan.runs)
    if (const std::string& one = run.axes[static_cast<std::size_t>(axis - plan.axes.begin())];
        std::find(values.begin(), values.end(), one) == values.end())
      values.push_back(one);
  if (std::find(values.begin(), values.end(), value) == values.end())
    refuse(fmt::format("no run has this value: there are {}", fmt::join(values, ", ")));
  return {key, value};
}

// A row of results.csv, and of each goal its value, the less the better.
struct Row {
  Strings cells;
  std::string program;
  std::vector<double> goals;  // empty: not all are numbers
};

bool dominates(const Row& a, const Row& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.goals.size(); ++i) {
    if (a.goals[i] > b.goals[i]) return false;
    better |= a.goals[i] < b.goals[i];
  }
  return better;
}

class Writer {
 public:
  Writer(const Folder& folder, const Plan& plan, const Results& results)
      : folder_(folder), plan_(plan), results_(results), seen_(results.columns.size()) {
    header_ = {"run", "program"};
    header_.insert(header_.end(), plan.axes.begin(), plan.axes.end());
    header_.push_back("status");
    for (const Column& column : results.columns) header_.push_back(column.name);
    if (!results.baseline.empty()) header_.push_back(kSpeedup);
  }

  Summary write() {
    std::string table = csv_line(header_), times = "run,wall_seconds\n", failures;
    for (const Run& run : plan_.runs) add(run, folder_.record(run.work));
    if (!results_.baseline.empty()) add_speedups();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Run& run = plan_.runs[i];
      const auto record = folder_.record(run.work);
      if (record && record->ok()) rows_[i].goals = goals_of(rows_[i].cells);
      table += csv_line(rows_[i].cells);
      if (record) times += fmt::format("{},{:.3f}\n", run.work.number, record->wall_seconds);
      if (record && !record->ok())
        failures += fmt::format("{:04} {}: {}\n", run.work.number, record->status, record->line);
    }
    write_whole(folder_.path() / "results.csv", table);
    write_whole(folder_.path() / "times.csv", times);
    write_or_remove("failures.txt", failures);
    write_or_remove("pareto.csv", results_.pareto.empty() ? "" : front());
    say_empty_columns();
    summary_.json = json();
    write_whole(folder_.path() / "results.json", summary_.json);
    return summary_;
  }

 private:
  using Json = nlohmann::ordered_json;

  void add(const Run& run, const std::optional<Record>& record) {
    Row& row = rows_.emplace_back();
    row.program = run.program;
    row.cells = {std::to_string(run.work.number), run.program};
    row.cells.insert(row.cells.end(), run.axes.begin(), run.axes.end());
    row.cells.push_back(record ? record->status : "");
    (!record ? summary_.missing : record->ok() ? summary_.ok : summary_.failed) += 1;
    if (record && !record->ok())
      summary_.lines.push_back(
          fmt::format("run {:04}: {}: {}", run.work.number, record->status, record->line));
    const Strings values = values_of(run, record && record->ok());
    row.cells.insert(row.cells.end(), values.begin(), values.end());
  }

  // The same program and axes, but for those of the baseline.
  std::string key_of(const Run& run, bool baseline) const {
    std::string key = run.program;
    for (std::size_t i = 0; i < plan_.axes.size(); ++i) {
      const auto own = std::find_if(results_.baseline.begin(), results_.baseline.end(),
                                    [&](const auto& one) { return one.first == plan_.axes[i]; });
      if (own == results_.baseline.end())
        key += '\n' + run.axes[i];
      else if (baseline && run.axes[i] != own->second)
        return "";
    }
    return key;
  }

  // How many times as fast as the baseline's run, by time_ps; empty where one of the two has no time.
  void add_speedups() {
    std::map<std::string, double> base;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (const std::string key = key_of(plan_.runs[i], true); !key.empty() && times_[i] > 0)
        base.emplace(key, times_[i]);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto at = base.find(key_of(plan_.runs[i], false));
      rows_[i].cells.push_back(
          at == base.end() || times_[i] <= 0 ? "" : fmt::format("{:.4f}", at->second / times_[i]));
    }
  }

  // A failed run may have left some numbers; they are not a whole run's.
  Strings values_of(const Run& run, bool ok) {
    Strings values(results_.columns.size());
    times_.push_back(0);
    if (!ok) return values;
    const auto text = read_file(folder_.finished(run.work.id) / "stats.json");
    const nlohmann::json statistics = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
    times_.back() =
        number(cell_of(columns_of("time_ps", [](const std::string&) { return true; })[0], statistics))
            .value_or(0);
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = cell_of(results_.columns[i], statistics);
      if (!values[i].empty()) ++seen_[i];
    }
    return values;
  }

  std::vector<double> goals_of(const Strings& cells) const {
    std::vector<double> goals;
    for (const Results::Goal& goal : results_.pareto) {
      const auto at = std::find(header_.begin(), header_.end(), goal.name) - header_.begin();
      const auto value = number(cells[static_cast<std::size_t>(at)]);
      if (!value) return {};
      goals.push_back(goal.least ? *value : -*value);
    }
    return goals;
  }

  // Of each program its own: no program is better than another one.
  bool in_front(const Row& row) const {
    return !results_.pareto.empty() && !row.goals.empty() &&
           std::none_of(rows_.begin(), rows_.end(), [&](const Row& other) {
             return other.program == row.program && !other.goals.empty() && dominates(other, row);
           });
  }

  std::string front() const {
    std::string text = csv_line(header_);
    for (const Row& row : rows_)
      if (in_front(row)) text += csv_line(row.cells);
    return text;
  }

  static Json value_of(const std::string& cell) {
    if (cell.empty()) return nullptr;
    const Json value = number(cell) ? Json::parse(cell, nullptr, false) : Json(cell);
    return value.is_discarded() ? Json(cell) : value;
  }

  std::string json() const {
    Json all = {{"schema", "duet.sweep/1"}, {"file", results_.title},     {"axes", plan_.axes},
                {"columns", Json::array()}, {"baseline", Json::object()}, {"pareto", Json::array()},
                {"rows", Json::array()}};
    for (const Column& column : results_.columns) all["columns"].push_back(column.name);
    for (const auto& [key, value] : results_.baseline) all["baseline"][key] = value_of(value);
    for (const Results::Goal& goal : results_.pareto)
      all["pareto"].push_back({{"name", goal.name}, {"least", goal.least}});
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      const auto record = folder_.record(plan_.runs[i].work);
      Json json = {{"run", plan_.runs[i].work.number},
                   {"program", row.program},
                   {"folder", record ? Json(fmt::format("runs/{:04}", plan_.runs[i].work.number)) : Json()},
                   {"status", record ? Json(record->status) : Json()},
                   {"line", record ? record->line : ""},
                   {"axes", Json::object()},
                   {"values", Json::object()}};
      std::size_t cell = 2;
      for (const std::string& axis : plan_.axes) json["axes"][axis] = value_of(row.cells[cell++]);
      ++cell;  // status
      for (const Column& column : results_.columns) json["values"][column.name] = value_of(row.cells[cell++]);
      if (!results_.baseline.empty()) json[kSpeedup] = value_of(row.cells[cell]);
      json["on_front"] = in_front(row);
      all["rows"].push_back(std::move(json));
    }
    return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  }

  void write_or_remove(const char* name, const std::string& text) const {
    std::error_code ignored;
    if (text.empty())
      std::filesystem::remove(folder_.path() / name, ignored);
    else
      write_whole(folder_.path() / name, text);
  }

  void say_empty_columns() {
    for (std::size_t i = 0; i < seen_.size(); ++i)
      if (seen_[i] < summary_.ok)
        summary_.lines.push_back(fmt::format("column {}: empty in {} of {} runs", results_.columns[i].name,
                                             summary_.ok - seen_[i], summary_.ok));
  }

  const Folder& folder_;
  const Plan& plan_;
  const Results& results_;
  Strings header_;
  std::vector<std::size_t> seen_;  // filled cells, by column
  std::vector<Row> rows_;
  std::vector<double> times_;  // of the rows, in ps; 0: none
  Summary summary_;
};

}  // namespace

namespace {

using Ordered = nlohmann::ordered_json;

std::string text_in(const Ordered& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

// Rows as in results.csv.
std::string page_of(const Ordered& all) {
  Ordered page = {{"kind", "sweep"},
                  {"file", all.at("file")},
                  {"header", {"run", "program"}},
                  {"axes", all.at("axes")},
                  {"rows", Ordered::array()},
                  {"front", Ordered::array()},
                  {"pareto", all.at("pareto")},
                  {"failures", Ordered::array()},
                  {"baseline", all.at("baseline")}};
  const bool has_baseline = !all.at("baseline").empty();
  for (const Ordered& axis : all.at("axes")) page["header"].push_back(axis);
  page["header"].push_back("status");
  for (const Ordered& column : all.at("columns")) page["header"].push_back(column);
  if (has_baseline) page["header"].push_back(kSpeedup);
  for (const Ordered& row : all.at("rows")) {
    Ordered cells = {text_in(row.at("run")), row.at("program")};
    for (const Ordered& axis : all.at("axes"))
      cells.push_back(text_in(row.at("axes").at(axis.get<std::string>())));
    cells.push_back(text_in(row.at("status")));
    for (const Ordered& column : all.at("columns"))
      cells.push_back(text_in(row.at("values").at(column.get<std::string>())));
    if (has_baseline) cells.push_back(text_in(row.at(kSpeedup)));
    if (row.at("on_front").get<bool>()) page["front"].push_back(cells.front());
    page["rows"].push_back(std::move(cells));
    if (row.at("status").is_string() && row.at("status") != "ok")
      page["failures"].push_back(
          {{"run", row.at("run")}, {"status", row.at("status")}, {"line", row.at("line")}});
  }
  return page.dump(-1, ' ', false, Ordered::error_handler_t::replace);
}

constexpr std::size_t kMostRows = 50;
constexpr std::size_t kMostColumns = 4;  // besides run, program, axes, status; a terminal is no wider

std::string table_of(const Ordered& page) {
  const Ordered& header = page.at("header");
  const std::size_t first = 3 + page.at("axes").size();  // of the columns
  const bool has_baseline = !page.at("baseline").empty();
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < header.size(); ++i)
    if (i < first + kMostColumns || (has_baseline && i + 1 == header.size())) shown.push_back(i);
  std::vector<std::size_t> widths;
  const std::size_t rows = std::min(page.at("rows").size(), kMostRows);
  for (const std::size_t i : shown) {
    std::size_t width = header[i].get<std::string>().size();
    for (std::size_t row = 0; row < rows; ++row)
      width = std::max(width, page.at("rows")[row][i].get<std::string>().size());
    widths.push_back(width);
  }
  std::string text;
  const auto line = [&](const Ordered& cells) {
    std::string one;
    for (std::size_t i = 0; i < shown.size(); ++i) {
      const std::string cell = cells[shown[i]];
      one +=
          number(cell) ? fmt::format("{:>{}}  ", cell, widths[i]) : fmt::format("{:<{}}  ", cell, widths[i]);
    }
    text += one.substr(0, one.find_last_not_of(' ') + 1) + "\n";
  };
  line(header);
  for (std::size_t row = 0; row < rows; ++row) line(page.at("rows")[row]);
  if (page.at("rows").size() > rows)
    text += fmt::format("and {} rows more in results.csv\n", page.at("rows").size() - rows);
  if (shown.size() < header.size())
    text += fmt::format("and {} columns more in results.csv\n", header.size() - shown.size());
  return text;
}

}  // namespace

Look look_of(const std::string& results_json) {
  const std::string page = page_of(Ordered::parse(results_json));
  return {page, table_of(Ordered::parse(page))};
}

Look look_at(const std::string& folder) {
  const std::string path = (std::filesystem::path(folder) / "results.json").string();
  const auto text = read_file(path);
  if (!text)
    throw Error(fmt::format(
        "{} is missing: the sweep has no results yet: go on with it by `duet sweep FILE --out {}`", path,
        folder));
  try {
    return look_of(*text);
  } catch (const Ordered::exception&) {
    throw Error(
        fmt::format("{} is not what this `duet sweep` writes: make it again with `duet sweep FILE --out {}`",
                    path, folder));
  }
}

Results make_results(const SweepFile& file, const Plan& plan, const Knowledge& knowledge,
                     const Strings& baseline) {
  Results results;
  for (const std::string& text : baseline) results.baseline.push_back(baseline_of(text, plan));
  results.title = file.path.filename().string();
  std::map<std::string, bool> counted;
  const auto is_counted = [&](const std::string& name) {
    const auto [at, is_new] = counted.try_emplace(name);
    if (is_new) at->second = duet::sweep::is_counted(name, plan, knowledge);
    return at->second;
  };
  const auto refuse = [&](const std::string& what) {
    throw Error(fmt::format("{}: {}", file.path.string(), what));
  };
  Strings names{"run", "program", "status", kSpeedup};
  names.insert(names.end(), plan.axes.begin(), plan.axes.end());
  for (const std::string& text : file.columns.empty() ? default_columns() : file.columns) try {
      for (Column& column : columns_of(text, is_counted)) {
        if (std::find(names.begin(), names.end(), column.name) != names.end())
          throw Error(fmt::format("column '{}' is there twice", column.name));
        names.push_back(column.name);
        results.columns.push_back(std::move(column));
      }
    } catch (const Error& error) {
      refuse(error.what());
    }
  if (file.pareto.size() == 1) refuse("pareto: a front needs two columns or axes, or more");
  for (const std::string& text : file.pareto)
    results.pareto.push_back(goal_of(text, file, plan, results.columns));
  return results;
}

Summary write_results(const Folder& folder, const Plan& plan, const Results& results) {
  return Writer(folder, plan, results).write();
}

}  // namespace duet::sweep
