#include "sweep/results.h"

#include <fmt/format.h>

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
  }

  Summary write() {
    std::string table = csv_line(header_), times = "run,wall_seconds\n", failures;
    for (const Run& run : plan_.runs) {
      const auto record = folder_.record(run.work);
      table += csv_line(add(run, record).cells);
      if (record) times += fmt::format("{},{:.3f}\n", run.work.number, record->wall_seconds);
      if (record && !record->ok())
        failures += fmt::format("{:04} {}: {}\n", run.work.number, record->status, record->line);
    }
    write_whole(folder_.path() / "results.csv", table);
    write_whole(folder_.path() / "times.csv", times);
    write_or_remove("failures.txt", failures);
    write_or_remove("pareto.csv", results_.pareto.empty() ? "" : front());
    say_empty_columns();
    summary_.page = page();
    return summary_;
  }

 private:
  using Json = nlohmann::ordered_json;

  const Row& add(const Run& run, const std::optional<Record>& record) {
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
    if (record && record->ok()) row.goals = goals_of(row.cells);
    return row;
  }

  // A failed run may have left some numbers; they are not a whole run's.
  Strings values_of(const Run& run, bool ok) {
    Strings values(results_.columns.size());
    if (!ok) return values;
    const auto text = read_file(folder_.finished(run.work.id) / "stats.json");
    const nlohmann::json statistics = text ? nlohmann::json::parse(*text, nullptr, false) : nlohmann::json();
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

  // Cells as in results.csv.
  std::string page() const {
    Json page = {{"kind", "sweep"},         {"file", results_.title},   {"header", header_},
                 {"axes", plan_.axes},      {"rows", Json::array()},    {"front", Json::array()},
                 {"pareto", Json::array()}, {"failures", Json::array()}};
    for (const Row& row : rows_) {
      page["rows"].push_back(row.cells);
      if (in_front(row)) page["front"].push_back(row.cells.front());
    }
    for (const Results::Goal& goal : results_.pareto)
      page["pareto"].push_back({{"name", goal.name}, {"least", goal.least}});
    for (const Run& run : plan_.runs)
      if (const auto record = folder_.record(run.work); record && !record->ok())
        page["failures"].push_back(
            {{"run", run.work.number}, {"status", record->status}, {"line", record->line}});
    return page.dump(-1, ' ', false, Json::error_handler_t::replace);
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
  Summary summary_;
};

}  // namespace

Results make_results(const SweepFile& file, const Plan& plan, const Knowledge& knowledge) {
  Results results;
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
  Strings names{"run", "program", "status"};
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
