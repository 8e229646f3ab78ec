#include "cli/results/folder_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/say.h"
#include "report/journal/journal.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {

bool is_number(const std::string& name) {
  return !name.empty() &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

// Its true name, also of "." and of a link.
fs::path full(const std::string& folder) {
  std::error_code ignored;
  const fs::path path = fs::weakly_canonical(fs::absolute(folder), ignored);
  return path.has_filename() ? path : path.parent_path();
}

}  // namespace

FolderKind kind_of(const std::string& folder, const std::string& command) {
  const fs::path path = full(folder);
  std::error_code ignored;
  if (!fs::is_directory(path, ignored))
    throw Error(
        fmt::format("{0}: {1} is no folder: give what `duet run --out FOLDER` wrote", command, folder));
  if (!report::journals_in(path / ".duet").empty()) return FolderKind::CutOffRun;
  if (fs::exists(path / ".duet-sweep") ||
      (fs::exists(path / "results.json") && fs::exists(path / "finished")))
    return FolderKind::Sweep;
  const bool has_results = fs::exists(path / "stats.json");
  if (fs::exists(path / "machine.toml")) return has_results ? FolderKind::Run : FolderKind::EmptyRun;
  if (has_results && is_number(path.filename()) && fs::exists(path.parent_path() / "machine.toml"))
    return FolderKind::ProcessOfRun;
  return FolderKind::None;
}

std::vector<std::string> further_processes(const std::string& run) {
  std::vector<std::string> names;
  for (std::size_t number = 1; fs::exists(fs::path(run) / std::to_string(number) / "stats.json"); ++number)
    names.push_back(std::to_string(number));
  return names;
}

ProcessFolder process_folder(const std::string& folder, FolderKind kind) {
  const fs::path path = full(folder);
  if (kind != FolderKind::ProcessOfRun) return {path, path, ""};
  return {path, path.parent_path(), "/" + path.filename().string()};
}

void refuse_folder(const std::string& folder, FolderKind kind, const std::string& command) {
  const auto because = [&]() -> std::string {
    switch (kind) {
      case FolderKind::CutOffRun:
        return fmt::format("holds a run that was cut off, or goes on: wait for it, or `duet report {}` first",
                           folder);
      case FolderKind::EmptyRun:
        return "has no stats.json: no run has ended there (it was refused, or made no CUDA, OpenCL or HSA "
               "call): "
               "make the "
               "run again";
      case FolderKind::Sweep:
        return fmt::format("is the folder of a sweep: give one of its runs, as {}/runs/0001", folder);
      default:
        return "is none that Duet wrote, no run has ended there: give what `duet run --out FOLDER` wrote";
    }
  };
  throw Error(fmt::format("{}: {} {}", command, folder, because()));
}

ProcessFolder process_to_advise(const std::string& folder) {
  const FolderKind kind = kind_of(folder, "advise");
  if (kind != FolderKind::Run && kind != FolderKind::ProcessOfRun) refuse_folder(folder, kind, "advise");
  ProcessFolder process = process_folder(folder, kind);
  if (fs::exists(fs::path(process.path) / "prediction.json"))
    throw Error(fmt::format(
        "advise: {} has times of a model (`duet predict`): make the run with `duet run --out FOLDER`",
        folder));
  const auto stats =
      nlohmann::json::parse(read_file(process.path + "/stats.json").value_or(""), nullptr, false);
  if (stats.is_object() && stats.value("schema", "").starts_with("duet.host_stats/"))
    throw Error(fmt::format("advise: {} is a run without a GPU: there are rules for runs with one", folder));
  if (const auto others = further_processes(process.run); !others.empty() && process.within.empty())
    say("duet: advise: this is the first of {} processes; for the others: duet advise {}/1{}\n",
        others.size() + 1, folder, others.size() > 1 ? " and so on" : "");
  return process;
}

}  // namespace duet::cli
