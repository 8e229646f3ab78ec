#include "report/journal/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <utility>

#include "base/error.h"

namespace duet::report {

namespace {

// The file is sparse. Room on the disk is taken in steps, before it is written to: a store into a mapping
// without room on the disk ends the process (SIGBUS).
constexpr std::size_t kStepBytes = 64_KiB;
// Mappings begin at a multiple of this.
constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kHeaderBytes = round_up(sizeof(JournalHeader), kPageBytes);

// As large as the process may make a file (RLIMIT_FSIZE): beyond that it gets SIGXFSZ.
std::size_t file_bytes_allowed() {
  constexpr std::size_t kMost = std::numeric_limits<off_t>::max();
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kMost;
  return std::min<std::size_t>(kMost, limit.rlim_cur);
}

std::string journal_path(const std::string& directory, unsigned index) {
  return directory + "/process-" + std::to_string(index) + ".journal";
}

// The program may have closed a standard stream: under its number the journal would get the program's output.
int above_standard_streams(int file) {
  if (file < 0 || file > STDERR_FILENO) return file;
  const int moved = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(file);
  return moved;
}

bool same_file(int file, dev_t device, ino_t number) {
  struct stat found {};
  return fstat(file, &found) == 0 && found.st_dev == device && found.st_ino == number;
}

}  // namespace

const char* stream_command_name(StreamCommand command) {
  switch (command) {
    case StreamCommand::Kernel:
      return "kernel";
    case StreamCommand::Copy:
      return "copy";
    case StreamCommand::Fill:
      return "fill";
    case StreamCommand::FullEmptySet:
      return "full_empty_set";
    case StreamCommand::CacheMaintenance:
      return "cache_maintenance";
    case StreamCommand::EventRecord:
      return "event_record";
    case StreamCommand::EventWait:
      return "event_wait";
    case StreamCommand::HostFunction:
      return "host_function";
    case StreamCommand::Count:
      break;
  }
  return "?";
}

JournalWriter::JournalWriter(const std::string& directory) {
  int file = -1;
  unsigned index = 0;
  for (;; ++index) {
    file = open(journal_path(directory, index).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) break;
    if (errno != EEXIST) throw Error("cannot write to " + directory + ": " + std::strerror(errno));
  }
  file_ = above_standard_streams(file);
  path_ = journal_path(directory, index);
  struct stat status {};
  fstat(file_, &status);
  device_ = status.st_dev;
  number_ = status.st_ino;
  most_bytes_ = file_bytes_allowed();
  if (!grow(kHeaderBytes) || !room_up_to(kHeaderBytes)) {
    const std::string reason = std::strerror(errno);
    unlink(journal_path(directory, index).c_str());
    throw Error("cannot make room for measurements in " + directory + ": " + reason);
  }
  header_ = reinterpret_cast<JournalHeader*>(map(0, kHeaderBytes));
  if (header_ == nullptr)
    throw Error("cannot map measurements in " + directory + ": " + std::strerror(errno));
  header_->process_index = index;
  header_->pid = getpid();
  header_->deterministic = 1;
  header_->start.version = JournalHeader::kVersion;
  header_->start.header_bytes = kHeaderBytes;
  std::atomic_ref(header_->start.magic).store(JournalHeader::kMagic, std::memory_order_release);
}

JournalWriter::~JournalWriter() {
  keep(components_, nullptr);
  keep(threads_, nullptr);
  while (!lines_.empty()) {
    Kept last = lines_.back();
    lines_.pop_back();
    keep(last, nullptr);
  }
  if (chunk_ != nullptr) munmap(chunk_, chunk_->bytes);
  munmap(header_, kHeaderBytes);
  if (same_file(file_, device_, number_)) close(file_);
}

// A program may close a file it has not opened, and get its number for a file of its own. False: the journal
// cannot be opened again (errno).
bool JournalWriter::has_file() {
  if (same_file(file_, device_, number_)) return true;
  file_ = above_standard_streams(open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (file_ < 0) return false;
  if (same_file(file_, device_, number_)) return true;
  close(file_);
  errno = ENOENT;
  return false;
}

// False: it may not be so long (errno).
bool JournalWriter::grow(std::size_t end) {
  if (end > most_bytes_) {
    errno = EFBIG;
    return false;
  }
  if (!has_file() || ftruncate(file_, static_cast<off_t>(end)) != 0) return false;
  file_bytes_ = end;
  return true;
}

// Null: it cannot be mapped (errno).
std::byte* JournalWriter::map(std::size_t offset, std::size_t bytes) const {
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, static_cast<off_t>(offset));
  if (memory == MAP_FAILED) return nullptr;
  // Or the first touch of each part would read much more of the file ahead, all of it holes: milliseconds.
  madvise(memory, bytes, MADV_RANDOM);  // advice: an error changes nothing
  return static_cast<std::byte*>(memory);
}

// Takes room on the disk; false: there is none (errno).
bool JournalWriter::room_up_to(std::size_t end) {
  if (end <= room_bytes_) return true;
  if (!has_file()) return false;
  const std::size_t wanted = std::min(round_up(end, kStepBytes), file_bytes_);
  if (fallocate(file_, FALLOC_FL_KEEP_SIZE, static_cast<off_t>(room_bytes_),
                static_cast<off_t>(wanted - room_bytes_)) == 0) {
    room_bytes_ = wanted;
    return true;
  }
  if (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) return false;
  room_bytes_ = file_bytes_;  // this file system cannot say
  return true;
}

// The next chunk, with room for the record at least; false: it cannot be had (errno).
bool JournalWriter::begin_chunk(std::size_t record_bytes) {
  const std::size_t at = chunk_ == nullptr ? kHeaderBytes : chunk_at_ + chunk_->bytes;
  const std::size_t needed = sizeof(JournalChunk) + record_bytes;
  // The last chunk of a file at its limit is as long as possible.
  const std::size_t most = at < most_bytes_ ? (most_bytes_ - at) / kPageBytes * kPageBytes : 0;
  const std::size_t wanted = round_up(std::max(JournalChunk::kBytes, needed), kPageBytes);
  const std::size_t bytes = most < needed ? wanted : std::min(wanted, most);
  if (!grow(at + bytes) || !room_up_to(at + needed)) return false;
  std::byte* const memory = map(at, bytes);
  if (memory == nullptr) return false;
  const std::uint64_t index = chunk_ == nullptr ? 0 : chunk_->index + 1;
  if (chunk_ != nullptr && !is_kept(chunk_)) munmap(chunk_, chunk_->bytes);
  chunk_ = reinterpret_cast<JournalChunk*>(memory);
  chunk_at_ = at;
  chunk_->bytes = bytes;
  chunk_->used = sizeof(JournalChunk);
  chunk_->index = index;
  chunk_->magic.store(JournalChunk::kMagic, std::memory_order_release);
  return true;
}

bool JournalWriter::is_kept(const JournalChunk* chunk) const {
  return chunk == components_.chunk || chunk == threads_.chunk ||
         std::any_of(lines_.begin(), lines_.end(), [chunk](const Kept& kept) { return chunk == kept.chunk; });
}

// `record` is the last appended one, or null, and takes the place of the kept one.
void JournalWriter::keep(Kept& kept, std::byte* record) {
  JournalChunk* const before = kept.chunk;
  kept = {record, record != nullptr ? chunk_ : nullptr};
  if (before != nullptr && before != chunk_ && !is_kept(before)) munmap(before, before->bytes);
}

bool JournalWriter::has_room(std::size_t record_bytes) {
  const std::size_t used = chunk_ == nullptr ? 0 : chunk_->used.load(std::memory_order_relaxed);
  if (chunk_ == nullptr || chunk_->bytes - used < record_bytes) return begin_chunk(record_bytes);
  return room_up_to(chunk_at_ + used + record_bytes);
}

std::byte* JournalWriter::append(RecordType type, const void* record, std::size_t bytes,
                                 std::string_view text) {
  const std::size_t total = round_up<std::size_t>(sizeof(JournalRecordHeader) + bytes + text.size(), 8);
  if (header_->lost_records != 0 || !has_room(total)) {
    if (header_->lost_records++ == 0) header_->lost_because = errno;
    return nullptr;
  }
  const std::uint64_t used = chunk_->used.load(std::memory_order_relaxed);
  std::byte* at = reinterpret_cast<std::byte*>(chunk_) + used;
  const JournalRecordHeader head{static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(bytes),
                                 static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(total)};
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at + sizeof head, record, bytes);
  if (!text.empty()) std::memcpy(at + sizeof head + bytes, text.data(), text.size());
  chunk_->used.store(used + total, std::memory_order_release);
  return at + sizeof head;
}

Progress& JournalWriter::next_progress() { return header_->progress[(header_->progress_version + 1) % 2]; }

void JournalWriter::publish_progress() { header_->progress_version.fetch_add(1, std::memory_order_release); }

void JournalWriter::publish_account(const TimeAccount& account) {
  header_->account[(header_->account_version + 1) % 2] = account;
  header_->account_version.fetch_add(1, std::memory_order_release);
}

void JournalWriter::set_counter(std::size_t index, const char* name, std::uint64_t value, bool state) {
  if (index >= JournalHeader::kMaxCounters) return;
  Counter& counter = header_->counters[index];
  if (counter.name[0] == 0) std::strncpy(counter.name, name, sizeof counter.name - 1);
  counter.state = state;
  counter.value = value;
  if (header_->counter_count <= index) header_->counter_count = static_cast<std::uint32_t>(index + 1);
}

void JournalWriter::mark(Picoseconds time, std::string_view name) {
  const std::uint32_t count = header_->counter_count;
  std::vector<std::uint64_t> record = {time};
  for (std::uint32_t i = 0; i < count; ++i) record.push_back(header_->counters[i].value);
  append(RecordType::Mark, record.data(), record.size() * sizeof record[0], name);
}

namespace {

// Part of a file, to be read while it may still be written.
class Mapping {
 public:
  Mapping(int file, std::size_t offset, std::size_t bytes) : bytes_(bytes) {
    void* const memory = mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, static_cast<off_t>(offset));
    if (memory != MAP_FAILED) memory_ = static_cast<const std::byte*>(memory);
  }
  ~Mapping() {
    if (memory_ != nullptr) munmap(const_cast<std::byte*>(memory_), bytes_);
  }
  Mapping(const Mapping&) = delete;
  const std::byte* get() const { return memory_; }
  const std::byte* release() { return std::exchange(memory_, nullptr); }

 private:
  const std::byte* memory_ = nullptr;
  std::size_t bytes_;
};

// The last published version, of two places; all zero: none yet.
template <typename Value>
Value last_version(const std::atomic<std::uint64_t>& published, const Value (&places)[2]) {
  Value value{};
  for (std::uint64_t version = published.load(std::memory_order_acquire); version != 0;) {
    std::memcpy(&value, &places[version % 2], sizeof value);
    std::atomic_thread_fence(std::memory_order_acquire);
    // The next version goes to the other place; the one after it overwrites the read one.
    const std::uint64_t seen = published.load(std::memory_order_relaxed);
    if (seen == version) break;
    version = seen;
  }
  return value;
}

// Why a file with this start is no readable journal; empty when it is one.
std::string refusal(int file) {
  JournalHeader::Start start{};
  if (pread(file, &start, sizeof start, 0) != sizeof start || start.magic != JournalHeader::kMagic)
    return "is no journal";
  if (start.version != JournalHeader::kVersion)
    return "is a journal of version " + std::to_string(start.version) + ", and this duet reads version " +
           std::to_string(JournalHeader::kVersion) +
           ": let the program find the libraries that belong to it (LD_LIBRARY_PATH)";
  return {};
}

}  // namespace

JournalReader::JournalReader(const std::string& path) : path_(path) {
  file_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) throw Error("cannot read " + path + ": " + std::strerror(errno));
  std::string why = refusal(file_);
  if (why.empty()) {
    Mapping header(file_, 0, kHeaderBytes);
    if (header.get() == nullptr) why = std::string("cannot be mapped: ") + std::strerror(errno);
    header_ = reinterpret_cast<const JournalHeader*>(header.release());
  }
  if (header_ != nullptr) return;
  close(file_);
  throw Error(path + " " + why);
}

bool JournalReader::begun(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::uint64_t magic = 0;
  return file.read(reinterpret_cast<char*>(&magic), sizeof magic) && magic != 0;
}

JournalReader::JournalReader(JournalReader&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      header_(std::exchange(other.header_, nullptr)) {}

Progress JournalReader::progress() const {
  Progress progress = last_version(header_->progress_version, header_->progress);
  progress.kernel_count = std::min<std::uint32_t>(progress.kernel_count, Progress::kMaxKernels);
  for (RunningKernel& kernel : progress.kernels) kernel.name[sizeof kernel.name - 1] = 0;
  return progress;
}

TimeAccount JournalReader::account() const {
  return last_version(header_->account_version, header_->account);
}

JournalReader::~JournalReader() {
  if (header_ != nullptr) munmap(const_cast<JournalHeader*>(header_), kHeaderBytes);
  if (file_ >= 0) close(file_);
}

void JournalReader::for_each(const RecordFunction& f) const {
  struct stat status {};
  fstat(file_, &status);
  const auto file_bytes = static_cast<std::size_t>(status.st_size);
  std::size_t at = header_->start.header_bytes;
  for (std::uint64_t index = 0; at + sizeof(JournalChunk) <= file_bytes; ++index) {
    std::size_t bytes = 0;
    {
      const Mapping start(file_, at, sizeof(JournalChunk));
      if (start.get() == nullptr) throw Error(path_ + " cannot be mapped: " + std::strerror(errno));
      const auto& chunk = *reinterpret_cast<const JournalChunk*>(start.get());
      if (chunk.magic.load(std::memory_order_acquire) != JournalChunk::kMagic) return;
      if (chunk.index == index) bytes = chunk.bytes;
    }
    if (bytes < sizeof(JournalChunk) || bytes > file_bytes - at)
      throw Error(path_ + " is damaged: chunk " + std::to_string(index) + " is not what it should be");
    const Mapping memory(file_, at, bytes);
    if (memory.get() == nullptr) throw Error(path_ + " cannot be mapped: " + std::strerror(errno));
    for_each_of_chunk({memory.get(), bytes}, f);
    at += bytes;
  }
}

void JournalReader::for_each_of_chunk(std::span<const std::byte> chunk, const RecordFunction& f) const {
  const auto& header = *reinterpret_cast<const JournalChunk*>(chunk.data());
  const std::uint64_t used = header.used.load(std::memory_order_acquire);
  for (std::size_t at = sizeof(JournalChunk); at < used;) {
    JournalRecordHeader head{};
    if (used <= chunk.size() && used - at >= sizeof head) std::memcpy(&head, &chunk[at], sizeof head);
    const std::uint64_t content = sizeof head + std::uint64_t{head.record_bytes} + head.text_bytes;
    if (head.total_bytes < content || head.total_bytes > used - at)
      throw Error(path_ + " is damaged: a record of chunk " + std::to_string(header.index) +
                  " is not what it should be");
    const std::byte* const record = &chunk[at] + sizeof head;
    f(static_cast<RecordType>(head.type), record, head.record_bytes,
      {reinterpret_cast<const char*>(record + head.record_bytes), head.text_bytes});
    at += head.total_bytes;
  }
}

std::vector<std::string> journals_in(const std::string& directory) {
  std::vector<std::string> paths;
  for (unsigned index = 0; std::filesystem::exists(journal_path(directory, index)); ++index)
    paths.push_back(journal_path(directory, index));
  return paths;
}

}  // namespace duet::report
