// `duet advise FOLDER`: makes a run again on changed machines and measures the savings of its advice.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/readable_name.h"
#include "cli/beside/terminal.h"
#include "cli/commands.h"
#include "cli/options/json_output.h"
#include "cli/results/folder_kind.h"
#include "cli/run/folder_claim.h"
#include "cli/run/run_folder.h"

#include "report/results/advice.h"
#include "report/terminal/table_text.h"

namespace duet::cli {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr double kGain = 0.01;  // of the run: less is none
constexpr const char* kMethodOption = "--method";

Json read_json(const std::string& path) {
  const auto text = read_file(path);
  if (!text) throw Error(fmt::format("advise: {} cannot be read: no run has ended there", path));
  try {
    return Json::parse(*text);
  } catch (const Json::exception&) {
    throw Error(fmt::format("advise: {} is no JSON: make the run again", path));
  }
}

Picoseconds run_ps(const Json& stats) { return stats.at("account").at("time_ps").get<Picoseconds>(); }

// From first block to completion, of all launches of a kernel.
Picoseconds kernel_ps(const Json& stats, const std::string& name) {
  Picoseconds sum = 0;
  for (const Json& kernel : stats.at("kernels"))
    if (kernel.at("name") == name)
      sum += kernel.at("end_ps").get<Picoseconds>() - kernel.at("start_ps").get<Picoseconds>();
  for (const Json& group : stats.at("kernel_groups"))
    if (group.at("name") == name) sum += group.at("executed_ps").at("sum").get<Picoseconds>();
  return sum;
}

// A run with other options: of a changed machine, of another method, or as it was.
struct WhatIf {
  std::vector<std::string> options;
  std::string folder;
  std::string process_folder;  // of the process in it, as "/1"; empty: the first
  pid_t process = 0;
  int status = 0;  // of the program
  std::optional<Json> stats;
  std::string failure;

  std::string output() const { return read_file(folder + ".out").value_or(""); }
};

std::vector<std::string> set_options(const std::vector<std::string>& sets) {
  std::vector<std::string> options;
  for (const std::string& set : sets) options.insert(options.end(), {"--set", set});
  return options;
}

void start(WhatIf& what_if, const RunWords& words) {
  std::vector<std::string> command{"/proc/self/exe", "run"};
  const bool has_method = !what_if.options.empty() && what_if.options[0] == kMethodOption;
  // A profile is the unchanged machine's.
  const auto before =
      without(words.options, has_method ? std::set<std::string>{kMethodOption} : std::set<std::string>{},
              {"--profile"});
  command.insert(command.end(), before.begin(), before.end());
  command.insert(command.end(), what_if.options.begin(), what_if.options.end());
  command.insert(command.end(), {"--quiet", "--no-html", "--out", what_if.folder, "--"});
  command.insert(command.end(), words.command.begin(), words.command.end());
  what_if.process =
      start_process(std::move(command), words.directory, {what_if.folder + ".out", what_if.folder + ".err"});
}

// The program's own status does not matter, as it did not before.
void finish(WhatIf& what_if, int wait_status) {
  what_if.process = 0;
  what_if.status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
  const std::string path = what_if.folder + what_if.process_folder + "/stats.json";
  if (fs::exists(path)) what_if.stats = read_json(path);
  if (what_if.stats && what_if.stats->at("complete").get<bool>()) return;
  what_if.stats.reset();
  what_if.failure = fmt::format("its run failed, see {}.err", what_if.folder);
}

void run_all(std::vector<WhatIf>& what_ifs, const RunWords& words, unsigned jobs) {
  std::size_t begun = 0, running = 0;
  while (begun < what_ifs.size() || running != 0) {
    if (begun < what_ifs.size() && running < jobs) {
      start(what_ifs[begun++], words);
      ++running;
      continue;
    }
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    for (WhatIf& one : what_ifs)
      if (ended > 0 && one.process == ended) {
        finish(one, status);
        --running;
      }
  }
}

// The changed machine's saving of the run; for a kernel's advice at most the kernel's.
Picoseconds saved(const Json& before, const Json& after, const Json& advice) {
  const auto less = [](Picoseconds a, Picoseconds b) { return a > b ? a - b : 0; };
  const Picoseconds run = less(run_ps(before), run_ps(after));
  if (!advice.contains("kernel")) return run;
  const std::string name = advice.at("kernel");
  return std::min(run, less(kernel_ps(before, name), kernel_ps(after, name)));
}

Picoseconds saves_ps(const Json& advice) {
  return advice.at(advice.contains("measured_ps") ? "measured_ps" : "saves_ps").get<Picoseconds>();
}

// What its methods have measured: "as it is 5.240 ms; managed 2.420 ms; ...". Empty where there are none.
std::string methods_line(const Json& advice, Picoseconds run) {
  if (!advice.contains("methods")) return {};
  std::vector<std::string> parts{"as it is " + report::duration(run)};
  for (const Json& method : advice.at("methods")) {
    if (!method.contains("result")) continue;
    const std::string name = method.at("method"), result = method.at("result"), calls = method.at("calls");
    std::string text = name;
    if (method.contains("time_ps")) text += ' ' + report::duration(method.at("time_ps").get<Picoseconds>());
    if (result == "failed") text += fmt::format(" (fails: {}.err)", method.at("folder").get<std::string>());
    if (result == "other_output")
      text += fmt::format(" (prints something else: {}.out)", method.at("folder").get<std::string>());
    if (calls.empty()) text += " (no call gives it)";
    parts.push_back(std::move(text));
  }
  return parts.size() == 1 ? "" : fmt::format("   {}\n", fmt::join(parts, "; "));
}

std::string lines_of(const Json& advice, std::size_t number, Picoseconds run) {
  const auto what_if = advice.at("what_if").get<std::vector<std::string>>();
  const std::string how = advice.contains("measured_ps")
                              ? fmt::format("measured with {}", fmt::join(what_if, ", "))
                              : "estimated";
  return report::advice_lines(
      {advice.at("rule"), advice.value("kernel", ""), advice.at("bound_by"), advice.at("because"),
       advice.at("try"), 0, what_if},
      number, "",
      "saves " + report::saved_text(saves_ps(advice), run, advice.value("at_most", false)) + ", " + how);
}

// Into the page's place for it, whatever lies there.
void show_in_page(const std::string& path, const std::string& json) {
  auto page = read_file(path);
  if (!page) return;
  const std::string mark = "<script type=\"application/json\" id=\"duet-advice\">";
  const std::size_t at = page->find(mark);
  if (at == std::string::npos) return;
  const std::size_t from = at + mark.size(), to = page->find("</script>", from);
  if (to == std::string::npos) return;
  std::string text = json;
  for (std::size_t i = 0; (i = text.find('<', i)) != std::string::npos;) text.replace(i, 1, "\\u003c");
  page->replace(from, to - from, text);
  write_file(path, *page);
}

const char* const kLists[] = {"advice", "hardware_advice"};

std::vector<std::string> sets_of(const Json& advice) {
  return advice.at("what_if").get<std::vector<std::string>>();
}

// The what-if runs, each once.
class Measurements {
 public:
  Measurements(const Json& stats, const ProcessFolder& process)
      : stats_(stats), folder_(process.path), process_folder_(process.within) {
    for (const char* list : kLists)
      for (const Json& one : stats.at(list)) {
        if (!sets_of(one).empty()) add(set_options(sets_of(one)));
        if (!one.contains("methods")) continue;
        add({});  // what it prints as it is
        for (const Json& method : one.at("methods")) add({kMethodOption, method.at("method")});
      }
  }

  bool empty() const { return what_ifs_.empty(); }
  void run(const RunWords& words, unsigned jobs) {
    fs::remove_all(folder_ + "/what-if");
    fs::create_directories(folder_ + "/what-if");
    run_all(what_ifs_, words, jobs != 0 ? jobs : std::max(1u, std::thread::hardware_concurrency()));
  }
  // The items of a list with their measurements, the largest first. Together they save no more than the run.
  Json measured(const char* list) const {
    Json result = Json::array();
    for (Json one : stats_.at(list)) {
      measure(one, stats_.at(list));
      result.push_back(std::move(one));
    }
    std::stable_sort(result.begin(), result.end(), [](const Json& a, const Json& b) {
      const bool at_most = a.value("at_most", false);
      return at_most != b.value("at_most", false) ? !at_most : saves_ps(a) > saves_ps(b);
    });
    share_out(result);
    return result;
  }

 private:
  void add(const std::vector<std::string>& options) {
    if (!places_.emplace(options, what_ifs_.size()).second) return;
    WhatIf& what_if = what_ifs_.emplace_back();
    what_if.options = options;
    what_if.folder = fmt::format("{}/what-if/{}", folder_, what_ifs_.size());
    what_if.process_folder = process_folder_;
  }
  const WhatIf& run_with(const std::vector<std::string>& options) const {
    return what_ifs_[places_.at(options)];
  }
  std::string in_folder(const WhatIf& what_if) const {
    return fs::relative(what_if.folder, folder_).string();
  }
  // A run by each method. The fastest one that a call gives, and with which the program ends and prints as it
  // did, is the advice.
  void measure_methods(Json& one) const {
    const WhatIf& base = run_with({});
    if (!base.stats) {
      one["failure"] = base.failure;
      return;
    }
    const Picoseconds before = run_ps(*base.stats);
    Picoseconds least = before;
    one["measured_ps"] = 0;
    one.erase("at_most");
    for (Json& method : one["methods"]) {
      const std::string name = method.at("method");
      const WhatIf& run = run_with({kMethodOption, name});
      method["folder"] = in_folder(run);
      method["result"] = !run.stats || run.status != base.status ? "failed"
                         : run.output() != base.output()         ? "other_output"
                                                                 : "same";
      if (!run.stats) continue;
      const Picoseconds time = run_ps(*run.stats);
      method["time_ps"] = time;
      const std::string calls = method.at("calls");
      if (method["result"] != "same" || calls.empty() || time >= least) continue;
      least = time;
      one["measured_ps"] = before - time;
      one["what_if"] = Json::array({std::string(kMethodOption) + ' ' + name});
      one["try"] = "allocate with " + calls.substr(0, calls.find(' '));
    }
  }
  void measure(Json& one, const Json& list) const {
    if (one.contains("methods")) return measure_methods(one);
    if (sets_of(one).empty()) return;
    const WhatIf& what_if = run_with(set_options(sets_of(one)));
    one["folder"] = in_folder(what_if);
    if (!what_if.stats) {
      one["failure"] = what_if.failure;
      return;
    }
    // Causes of one kernel share the saving of their common machine, as they were estimated.
    double all = 0;
    for (const Json& other : list)
      if (sets_of(other) == sets_of(one) && other.value("kernel", "") == one.value("kernel", ""))
        all += other.at("saves_ps").get<double>();
    const auto whole = static_cast<double>(saved(stats_, *what_if.stats, one));
    const double its = whole * one.at("saves_ps").get<double>() / std::max(all, 1.0);
    one["measured_ps"] = static_cast<Picoseconds>(std::max(0.0, its - one.value("costs_ps", 0.0)));
  }
  void share_out(Json& sorted) const {
    Picoseconds left = run_ps(stats_);
    for (Json& one : sorted) {
      const char* const key = one.contains("measured_ps") ? "measured_ps" : "saves_ps";
      one[key] = std::min(left, saves_ps(one));
      left -= saves_ps(one);
    }
  }

  const Json& stats_;
  const std::string folder_, process_folder_;
  std::map<std::vector<std::string>, std::size_t> places_;
  std::vector<WhatIf> what_ifs_;
};

bool gains(const Json& one, Picoseconds run) {
  return static_cast<double>(saves_ps(one)) >= kGain * static_cast<double>(run);
}

void put(const std::string& text) {
  std::fputs(report::wrapped(text, terminal_width(STDOUT_FILENO)).c_str(), stdout);
}

void print(const Json& result) {
  const Picoseconds run = result.at("time_ps");
  const Json &advice = result.at("advice"), &hardware = result.at("hardware_advice");
  if (advice.empty()) fmt::print("nothing that would shorten the run by 2 % was found\n");
  std::size_t number = 0;
  for (const Json& one : advice)
    if (gains(one, run)) put(lines_of(one, ++number, run) + methods_line(one, run));
  for (const Json& one : advice) {
    if (one.contains("failure"))
      fmt::print("not measured: {}: {}\n", one.at("rule").get<std::string>(),
                 one.at("failure").get<std::string>());
    if (!gains(one, run))
      fmt::print("checked, and no gain: {}{}\n", one.at("rule").get<std::string>(),
                 one.contains("kernel") ? " of " + readable_name(one.at("kernel").get<std::string>()) : "");
    if (!gains(one, run)) put(methods_line(one, run));
  }
  if (!hardware.empty()) fmt::print("{}\n", report::kHardwareHeading);
  number = 0;
  for (const Json& one : hardware) put(lines_of(one, ++number, run));
}

}  // namespace

int advise_run(const AdviseOptions& options) {
  const JsonOutput output(options.json, JsonOutput::Rest::Nowhere);
  const ProcessFolder process = process_to_advise(options.folder);
  const std::string& folder = process.path;
  const FolderClaim claim(FolderClaim::Ended{process.run});
  const Json stats = read_json(folder + "/stats.json");
  if (!stats.contains("hardware_advice"))
    throw Error(fmt::format("advise: {} has no advice: make the run again with this Duet", options.folder));
  const RunWords words = read_run_words(process.run);
  Measurements measurements(stats, process);
  if (!measurements.empty()) {
    claim.note(process.note("what-if/"));
    measurements.run(words, options.jobs);
  }
  Json result = {{"schema", "duet.advice/1"}, {"time_ps", run_ps(stats)}};
  for (const char* list : kLists) result[list] = measurements.measured(list);
  // A change of the machine without a gain is no advice.
  Json& hardware = result["hardware_advice"];
  hardware.erase(std::remove_if(hardware.begin(), hardware.end(),
                                [&](const Json& one) { return !gains(one, run_ps(stats)); }),
                 hardware.end());
  const std::string text = result.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  claim.note(process.note("advice.json"));
  output.write(text);
  write_file(folder + "/advice.json", text);
  show_in_page(folder + "/report.html", text);
  print(result);
  return 0;
}

}  // namespace duet::cli
