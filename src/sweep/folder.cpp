#include "sweep/folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "base/error.h"
#include "base/file.h"

namespace duet::sweep {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void cannot(const char* what, const fs::path& path, const std::string& why) {
  throw Error(fmt::format("sweep: cannot {} {}: {}", what, path.string(), why));
}

void make_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) cannot("make the folder", path, error.message());
}

std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> result;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) result.push_back(entry.path());
  return result;
}

constexpr const char* kLock = ".duet-sweep";
constexpr const char* kRecord = "sweep.json";  // run.json is the run's own

}  // namespace

void write_whole(const fs::path& path, const std::string& text) {
  const fs::path part = path.string() + ".part";
  std::ofstream file(part, std::ios::binary);
  if (!(file << text) || !file.flush()) cannot("write", path, std::strerror(errno));
  file.close();
  std::error_code error;
  fs::rename(part, path, error);
  if (error) cannot("write", path, error.message());
}

Folder Folder::claim(const fs::path& path) {
  Folder folder(fs::absolute(path).lexically_normal());
  const bool is_new = !fs::exists(path) || fs::is_empty(path);
  if (!is_new && !fs::exists(path / kLock))
    throw Error(fmt::format("sweep: {} holds other files, and no sweep's: give another folder with --out",
                            path.string()));
  make_folder(folder.path_);
  folder.lock_ = open((folder.path_ / kLock).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (folder.lock_ < 0) cannot("write into", path, std::strerror(errno));
  if (flock(folder.lock_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      throw Error(
          fmt::format("sweep: another duet sweep works in {}: wait for it, or give another folder with --out",
                      path.string()));
    std::fprintf(stderr, "duet: sweep: %s cannot be locked (%s): start no other sweep in it meanwhile\n",
                 path.c_str(), std::strerror(errno));
  }
  for (const char* name : {"finished", "running", "claims", "slurm"}) make_folder(folder.path_ / name);
  return folder;
}

Folder Folder::join(const fs::path& path) { return Folder(fs::absolute(path).lexically_normal()); }

Folder::Folder(Folder&& other) noexcept : path_(std::move(other.path_)), lock_(other.lock_) {
  other.lock_ = -1;
}

Folder::~Folder() {
  if (lock_ >= 0) close(lock_);
}

std::optional<Record> Folder::record(const Work& work) const {
  const fs::path path = finished(work.id) / kRecord;
  const auto text = read_file(path);
  if (!text) {
    if (fs::exists(finished(work.id)))
      cannot("read", path, "take that folder away, and the run is made again");
    return std::nullopt;
  }
  const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || json.value("identity", nlohmann::json()) != work.identity)
    throw Error(fmt::format("sweep: {} is of another run: take that folder away, and the run is made again",
                            path.string()));
  return Record{json.value("status", ""), json.value("line", ""), json.value("wall_seconds", 0.0)};
}

fs::path Folder::begin(const Work& work, const std::string& who) const {
  const fs::path path = running(work.id, who);
  remove(path);
  make_folder(path);
  log(fmt::format("start {:04} {} {}", work.number, work.id, who));
  return path;
}

bool Folder::finish(const Work& work, const fs::path& running, const Record& record) const {
  const nlohmann::json json = {{"status", record.status},
                               {"line", record.line},
                               {"wall_seconds", record.wall_seconds},
                               {"identity", work.identity}};
  write_whole(running / kRecord, json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  std::error_code error;
  fs::rename(running, finished(work.id), error);
  if (error && !fs::exists(finished(work.id))) cannot("make", finished(work.id), error.message());
  if (error) remove(running);
  log(fmt::format("end {:04} {} {}", work.number, work.id, record.status));
  return !error;
}

void Folder::forget(const std::string& id) const {
  const fs::path away = path_ / "running" / (id + ".old");
  std::error_code error;
  remove(away);
  fs::rename(finished(id), away, error);
  if (error) cannot("move", finished(id), error.message());
  remove(away);
}

void Folder::sign(const std::string& id, const std::string& who) const {
  std::error_code ignored;
  fs::last_write_time(running(id, who), fs::file_time_type::clock::now(), ignored);
}

std::int64_t Folder::last_sign(const std::string& id, const std::string& who) const {
  std::error_code error;
  const auto time = fs::last_write_time(running(id, who), error);
  return error ? 0 : time.time_since_epoch().count();
}

std::vector<fs::path> Folder::running() const { return entries(path_ / "running"); }

void Folder::remove(const fs::path& path) {
  std::error_code ignored;  // the next sweep removes the rest
  fs::remove_all(path, ignored);
}

void Folder::link_runs(const std::vector<Run>& runs) const {
  const fs::path links = path_ / "runs", next = path_ / "runs.part";
  remove(next);
  make_folder(next);
  for (const Run& run : runs)
    if (fs::exists(finished(run.work.id)))
      fs::create_directory_symlink(fs::path("..") / "finished" / run.work.id,
                                   next / fmt::format("{:04}", run.work.number));
  remove(links);
  std::error_code error;
  fs::rename(next, links, error);
  if (error) cannot("make", links, error.message());
}

bool Folder::take(const std::string& id, const std::string& owner_name) const {
  std::error_code error;
  fs::create_symlink(owner_name, path_ / "claims" / id, error);
  return !error || owner(id) == owner_name;
}

std::optional<std::string> Folder::owner(const std::string& id) const {
  std::error_code error;
  const fs::path target = fs::read_symlink(path_ / "claims" / id, error);
  return error ? std::nullopt : std::optional(target.string());
}

void Folder::release(const std::string& id) const {
  std::error_code ignored;
  fs::remove(path_ / "claims" / id, ignored);
}

std::vector<std::string> Folder::claimed() const {
  std::vector<std::string> ids;
  for (const fs::path& one : entries(path_ / "claims")) ids.push_back(one.filename());
  return ids;
}

void Folder::log(const std::string& line) const {
  const int file = open((path_ / "log.txt").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const std::string text = line + "\n";
  if (file < 0 || write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    std::fprintf(stderr, "duet: sweep: cannot write %s: %s\n", (path_ / "log.txt").c_str(),
                 std::strerror(errno));
  if (file >= 0) close(file);
}

}  // namespace duet::sweep
