// Whose a folder of results is. One run at a time writes into a folder: a lock on its file `.duet-files`,
// which every process of the run's own holds, so that it is let go of when the last of them has ended,
// however. The file lists what runs have written there, so the next run takes that away, and nothing else.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace duet::cli {

class FolderClaim {
 public:
  // The folder that the user named; where `named` is empty duet-out, or the next free name, which one line
  // tells. What an earlier run left there is gone. Throws duet::Error where the folder cannot be had. A run
  // that notes nothing leaves nothing, and no folder that it made.
  explicit FolderClaim(const std::string& named);
  // A folder with journals that nobody has reported. Throws duet::Error where there are none, or where the
  // run still goes on.
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
  // Before a file or a folder of that name, relative to the directory, is made. With a '/' at its end: a
  // folder which goes with all that is in it.
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
