#include "cli/run/folder_claim.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "report/journal/journal.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kDefaultName = "duet-out";
constexpr const char* kList = ".duet-files";
constexpr unsigned kMostNames = 10'000;

std::vector<std::string> lines_of(const fs::path& path) {
  std::istringstream text(read_file(path).value_or(""));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

// Whether it was not there before.
bool make_folder(const fs::path& directory) {
  std::error_code error;
  const bool made = fs::create_directories(directory, error);
  if (error) throw Error("cannot make the folder " + directory.string() + ": " + error.message());
  return made;
}

// Whether the open file still has its name, and is not a deleted one.
bool is_still(int file, const fs::path& path) {
  struct stat open_file {
  }, named{};
  return fstat(file, &open_file) == 0 && stat(path.c_str(), &named) == 0 &&
         open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

}  // namespace

FolderClaim::FolderClaim(const std::string& named) : name_(named.empty() ? kDefaultName : named) {
  std::optional<std::string> first_reason;
  for (unsigned number = 1;; ++number) {
    if (number > 1) name_ = fmt::format("{}-{}", kDefaultName, number);
    directory_ = fs::absolute(name_);
    const std::optional<std::string> reason = lock(named.empty());
    if (!reason) break;
    if (!named.empty()) throw Error(*reason + ": give another folder with --out");
    if (!first_reason) first_reason = reason;
    if (number == kMostNames)
      throw Error(*reason + ", and all others up to this one are taken: give a folder with --out");
  }
  if (first_reason)
    std::fprintf(stderr, "duet: %s: results of this run go to %s\n", first_reason->c_str(), name_.c_str());
  take_away_what_runs_left();
  unused_ = true;
}

FolderClaim::FolderClaim(const Existing& existing)
    : name_(existing.name), directory_(fs::absolute(existing.name)) {
  const auto none = [this] {
    const char* what = fs::exists(directory_ / "stats.json") ? "; its results are there already" : "";
    throw Error(fmt::format("{} holds no journal of a run: nothing to report{}", name_, what));
  };
  if (report::journals_in(directory_ / ".duet").empty()) none();
  list_ = open((directory_ / kList).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (list_ < 0) throw Error("cannot write into " + directory_.string() + ": " + std::strerror(errno));
  if (flock(list_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(fmt::format("{} belongs to a run that has not ended: it writes its results itself", name_));
  if (report::journals_in(directory_ / ".duet").empty()) none();  // somebody was quicker
}

FolderClaim::FolderClaim(const Ended& ended) : name_(ended.name), directory_(fs::absolute(ended.name)) {
  list_ = open((directory_ / kList).c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (list_ < 0) throw Error("cannot write into " + directory_.string() + ": " + std::strerror(errno));
  if (flock(list_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    throw Error(fmt::format("{} belongs to a run that has not ended: wait for it", name_));
}

FolderClaim::~FolderClaim() {
  std::error_code ignored;
  if (unused_) fs::remove(directory_ / kList, ignored);
  if (unused_ && made_folder_) fs::remove(directory_, ignored);
  close(list_);
}

std::optional<std::string> FolderClaim::lock(bool keep_unread_journals) {
  const fs::path path = directory_ / kList;
  do {
    close(list_);
    made_folder_ = make_folder(directory_);
    list_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (list_ < 0 && errno != ENOENT)
      throw Error("cannot write into " + directory_.string() + ": " + std::strerror(errno));
    if (list_ >= 0 && flock(list_, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) return fmt::format("another run writes into {}", name_);
      std::fprintf(stderr, "duet: %s cannot be locked (%s): start no other run in it meanwhile\n",
                   name_.c_str(), std::strerror(errno));
    }
  } while (list_ < 0 || !is_still(list_, path));
  if (keep_unread_journals && !report::journals_in(directory_ / ".duet").empty())
    return fmt::format("{} holds the measurements of a run that was cut off", name_);
  return foreign_file();
}

// A file with a name of a run's files, but not by a run.
std::optional<std::string> FolderClaim::foreign_file() const {
  const std::vector<std::string> own = lines_of(directory_ / kList);
  for (const char* name :
       {"machine.toml", "stats.json", "events.json", "push_buffer.txt", "timeline.pftrace"}) {
    if (!fs::exists(directory_ / name) || std::find(own.begin(), own.end(), name) != own.end()) continue;
    std::error_code ignored;
    if (own.empty()) fs::remove(directory_ / kList, ignored);
    return fmt::format("{} holds {}, which no run is known to have written", name_, name);
  }
  return std::nullopt;
}

void FolderClaim::take_away_what_runs_left() const {
  std::vector<std::string> names = lines_of(directory_ / kList);
  std::reverse(names.begin(), names.end());  // the contents of a folder go before it
  std::error_code ignored;
  for (const std::string& name : names)
    if (name.ends_with('/'))
      fs::remove_all(directory_ / name.substr(0, name.size() - 1), ignored);
    else if (!name.empty())
      fs::remove(directory_ / name, ignored);  // a folder only when nothing else is in it
  if (ftruncate(list_, 0) != 0)
    throw Error("cannot write into " + directory_.string() + ": " + std::strerror(errno));
}

void FolderClaim::note(const std::string& name) const {
  unused_ = false;
  const std::string line = name + "\n";
  if (write(list_, line.data(), line.size()) != static_cast<ssize_t>(line.size()))
    throw Error("cannot write into " + directory_.string() + ": " + std::strerror(errno));
}

}  // namespace duet::cli
