// The claim of a run to its folder of results. One run at a time writes into a folder: every process of the
// run holds a lock on its file `.duet-files`, until the last of them has ended, however. The file lists the
// files written by runs, so the next run removes these, and nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace duet::cli {

class FolderClaim {
 public:
  // The user's folder; where `named` is empty duet-out, or the next free name, named in one line. An earlier
  // run's files there are gone. Throws duet::Error where the folder cannot be had. A run without a note()
  // leaves nothing, and no folder of its own making.
  explicit FolderClaim(const std::string& named);
  // A folder with unreported journals. Throws duet::Error where there are none, or where the run still goes
  // on.
  struct Existing {
    std::string name;
  };
  explicit FolderClaim(const Existing& existing);
  // A folder whose run has ended, to add to its results. Throws duet::Error where the run still goes on.
  struct Ended {
    std::string name;
  };
  explicit FolderClaim(const Ended& ended);
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;

  const std::string& name() const { return name_; }  // as users read it
  const std::filesystem::path& directory() const { return directory_; }
  // To be called before a file or a folder of this name, relative to the directory, is made. With a '/' at
  // its end: a folder to be removed with its contents.
  void note(const std::string& name) const;

 private:
  // Why the folder cannot be had; nothing: it can, and it is locked.
  std::optional<std::string> lock(bool keep_unread_journals);
  std::optional<std::string> foreign_file() const;
  void take_away_what_runs_left() const;

  std::string name_;
  std::filesystem::path directory_;
  int list_ = -1;
  bool made_folder_ = false;
  mutable bool unused_ = false;  // claimed, and nothing noted
};

}  // namespace duet::cli
