// The folder of a sweep.
//
//   finished/ID/     an ended run, by its identity: what `duet run` wrote, stdout, stderr, and how it ended,
//   sweep.json;
//                    moved here by one rename, so it is there as a whole or not at all
//   running/ID.WHO/  a run that goes on, or was cut off
//   runs/NNNN        -> ../finished/ID, by the number in the sweep; made anew from the file each time
//   claims/ID        a link to the Slurm task that may run ID
//   log.txt          a line a start and an end
//   slurm/           batches (slurm_runner.h)
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sweep/plan.h"

namespace duet::sweep {

// How a run ended.
struct Record {
  std::string status;  // "ok", "exit 3", "signal 11"
  std::string line;    // the error; empty when there was none
  double wall_seconds = 0;
  bool ok() const { return status == "ok"; }
};

class Folder {
 public:
  // The folder is there and this process alone writes its results: throws duet::Error where another one does.
  static Folder claim(const std::filesystem::path& path);
  // As a Slurm task sees it.
  static Folder join(const std::filesystem::path& path);
  Folder(Folder&& other) noexcept;
  ~Folder();

  const std::filesystem::path& path() const { return path_; }
  // Of an ended run. Throws duet::Error for a damaged one, or another one of this id.
  std::optional<Record> record(const Work& work) const;
  std::filesystem::path finished(const std::string& id) const { return path_ / "finished" / id; }
  // An empty folder for a starting run; `who` distinguishes it from others' folders.
  std::filesystem::path begin(const Work& work, const std::string& who) const;
  // Moves it into place. False: another one was there before.
  bool finish(const Work& work, const std::filesystem::path& running, const Record& record) const;
  void forget(const std::string& id) const;
  // A sign of life of a run: another number each time; 0 where it has not begun.
  void sign(const std::string& id, const std::string& who) const;
  std::int64_t last_sign(const std::string& id, const std::string& who) const;

  // Removes the folders in running/ with `is_dead(WHO)`.
  template <typename IsDead>
  void clean(IsDead is_dead) const {
    for (const std::filesystem::path& one : running()) {
      const std::string name = one.filename();
      if (is_dead(name.substr(name.find('.') + 1))) remove(one);
    }
  }
  // Makes runs/NNNN for all ended runs.
  void link_runs(const std::vector<Run>& runs) const;

  // The Slurm task that may run `id`: whether it is ours; the owner.
  bool take(const std::string& id, const std::string& owner) const;
  std::optional<std::string> owner(const std::string& id) const;
  void release(const std::string& id) const;
  std::vector<std::string> claimed() const;

  void log(const std::string& line) const;

 private:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path running(const std::string& id, const std::string& who) const {
    return path_ / "running" / (id + "." + who);
  }
  std::vector<std::filesystem::path> running() const;
  static void remove(const std::filesystem::path& path);

  std::filesystem::path path_;
  int lock_ = -1;
};

// Under another name first: nobody finds half of it. Throws duet::Error.
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace duet::sweep
