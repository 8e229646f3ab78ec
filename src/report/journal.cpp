#include "report/journal.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.h"

namespace duet::report {

namespace {

// The file is sparse. Room on the disk is taken in steps, before it is written to: a store into a mapping for
// which the disk has no room ends the process (SIGBUS).
constexpr std::size_t kFileBytes = 8_GiB, kStepBytes = 64_KiB;

// As large as the process may make a file (RLIMIT_FSIZE): beyond that it gets SIGXFSZ.
std::size_t file_bytes_allowed() {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kFileBytes;
  return std::min<std::size_t>(kFileBytes, limit.rlim_cur);
}

struct RecordHeader {
  std::uint32_t type;
  std::uint32_t record_bytes;
  std::uint32_t text_bytes;
  std::uint32_t total_bytes;
};

std::string journal_path(const std::string& directory, unsigned index) {
  return directory + "/process-" + std::to_string(index) + ".journal";
}

}  // namespace

JournalWriter::JournalWriter(const std::string& directory) {
  int file = -1;
  unsigned index = 0;
  for (;; ++index) {
    file = open(journal_path(directory, index).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    if (file >= 0) break;
    if (errno != EEXIST) throw Error("cannot write to " + directory + ": " + std::strerror(errno));
  }
  file_ = file;
  file_bytes_ = file_bytes_allowed();
  if (ftruncate(file, static_cast<off_t>(file_bytes_)) != 0 || !room_up_to(sizeof(JournalHeader))) {
    const std::string reason = std::strerror(errno);
    unlink(journal_path(directory, index).c_str());
    throw Error("cannot make room for measurements in " + directory + ": " + reason);
  }
  void* memory = mmap(nullptr, file_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (memory == MAP_FAILED)
    throw Error("cannot map measurements in " + directory + ": " + std::strerror(errno));
  // Or the first touch of each part would read much more of the file ahead, all of it holes: milliseconds.
  madvise(memory, file_bytes_, MADV_RANDOM);  // advice: an error changes nothing
  base_ = static_cast<std::byte*>(memory);
  header_ = reinterpret_cast<JournalHeader*>(base_);
  header_->header_bytes = sizeof(JournalHeader);
  header_->process_index = index;
  header_->pid = getpid();
  header_->deterministic = 1;
  header_->magic = JournalHeader::kMagic;
}

// Takes room on the disk; false: there is none (errno).
bool JournalWriter::room_up_to(std::size_t end) {
  if (end <= room_bytes_) return true;
  if (end > file_bytes_) {
    errno = EFBIG;
    return false;
  }
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

void JournalWriter::append(RecordType type, const void* record, std::size_t bytes, std::string_view text) {
  const std::size_t total = round_up<std::size_t>(sizeof(RecordHeader) + bytes + text.size(), 8);
  const std::uint64_t used = header_->committed_bytes.load(std::memory_order_relaxed);
  if (header_->lost_records != 0 || !room_up_to(sizeof(JournalHeader) + used + total)) {
    if (header_->lost_records++ == 0) header_->lost_because = errno;
    return;
  }
  std::byte* at = base_ + sizeof(JournalHeader) + used;
  const RecordHeader head{static_cast<std::uint32_t>(type), static_cast<std::uint32_t>(bytes),
                          static_cast<std::uint32_t>(text.size()), static_cast<std::uint32_t>(total)};
  std::memcpy(at, &head, sizeof head);
  std::memcpy(at + sizeof head, record, bytes);
  if (!text.empty()) std::memcpy(at + sizeof head + bytes, text.data(), text.size());
  header_->committed_bytes.store(used + total, std::memory_order_release);
}

ApiCount& JournalWriter::api(const char* name) {
  const std::uint32_t count = header_->api_count;
  for (std::uint32_t i = 0; i < count; ++i)
    if (std::strncmp(header_->api[i].name, name, sizeof header_->api[i].name - 1) == 0)
      return header_->api[i];
  const std::uint32_t index = std::min<std::uint32_t>(count, JournalHeader::kMaxApi - 1);
  std::strncpy(header_->api[index].name, name, sizeof header_->api[index].name - 1);
  header_->api_count = index + 1;
  return header_->api[index];
}

Progress& JournalWriter::next_progress() { return header_->progress[(header_->progress_version + 1) % 2]; }

void JournalWriter::publish_progress() { header_->progress_version.fetch_add(1, std::memory_order_release); }

void JournalWriter::set_counter(std::size_t index, const char* name, std::uint64_t value, bool state) {
  if (index >= JournalHeader::kMaxCounters) return;
  Counter& counter = header_->counters[index];
  if (counter.name[0] == 0) std::strncpy(counter.name, name, sizeof counter.name - 1);
  counter.state = state;
  counter.value = value;
  if (header_->counter_count <= index) header_->counter_count = static_cast<std::uint32_t>(index + 1);
}

namespace {
std::size_t even(std::size_t n) { return n + n % 2; }
// Of a ComponentsRecord, from its start.
std::size_t offset_of_values(const ComponentsRecord& record) {
  return sizeof record + record.components * sizeof(ComponentDescription) +
         even(record.values) * sizeof(std::uint32_t);
}
}  // namespace

void JournalWriter::kernel_statistics(std::uint64_t kernel, const std::vector<std::uint64_t>& increase) {
  static_assert(sizeof(KernelStatisticsRecord) == sizeof kernel);
  std::vector<std::uint64_t> record{kernel};
  record.insert(record.end(), increase.begin(), increase.end());
  append(RecordType::KernelStatistics, record.data(), record.size() * sizeof record[0]);
}

void JournalWriter::describe_components(const std::vector<ComponentDescription>& components,
                                        const std::vector<std::uint32_t>& counter_of_value) {
  ComponentsRecord record{};
  record.components = static_cast<std::uint32_t>(components.size());
  record.values = static_cast<std::uint32_t>(counter_of_value.size());
  std::vector<std::byte> bytes(offset_of_values(record) + 2 * record.values * sizeof(std::uint64_t));
  std::byte* at = bytes.data();
  const auto add = [&at](const void* from, std::size_t size) {
    if (size != 0) std::memcpy(at, from, size);
    at += size;
  };
  add(&record, sizeof record);
  add(components.data(), components.size() * sizeof(ComponentDescription));
  add(counter_of_value.data(), counter_of_value.size() * sizeof(std::uint32_t));
  std::byte* const place = base_ + sizeof(JournalHeader) + header_->committed_bytes + sizeof(RecordHeader);
  append(RecordType::Components, bytes.data(), bytes.size());
  if (header_->lost_records == 0) components_ = place;
}

std::uint64_t* JournalWriter::next_component_values() {
  if (components_ == nullptr) return nullptr;
  const auto& record = *reinterpret_cast<const ComponentsRecord*>(components_);
  auto* const values = reinterpret_cast<std::uint64_t*>(components_ + offset_of_values(record));
  return values + (record.version + 1) % 2 * record.values;
}

void JournalWriter::publish_component_values(Picoseconds time) {
  auto& record = *reinterpret_cast<ComponentsRecord*>(components_);
  const std::uint64_t version = record.version + 1;
  record.time_ps[version % 2] = time;
  record.version.store(version, std::memory_order_release);
}

ComponentValues component_values(const std::byte* bytes, std::size_t size) {
  ComponentValues result;
  if (size < sizeof(ComponentsRecord)) throw Error("journal record of an unknown size");
  const auto& record = *reinterpret_cast<const ComponentsRecord*>(bytes);
  if (size != offset_of_values(record) + 2 * record.values * sizeof(std::uint64_t))
    throw Error("journal record of an unknown size");
  const std::uint64_t version = record.version.load(std::memory_order_acquire);
  if (version == 0) return result;
  result.time_ps = record.time_ps[version % 2];
  result.components.resize(record.components);
  result.counter_of_value.resize(record.values);
  result.values.resize(record.values);
  const std::byte* at = bytes + sizeof record;
  std::memcpy(result.components.data(), at, record.components * sizeof(ComponentDescription));
  at += record.components * sizeof(ComponentDescription);
  std::memcpy(result.counter_of_value.data(), at, record.values * sizeof(std::uint32_t));
  at = bytes + offset_of_values(record) + version % 2 * record.values * sizeof(std::uint64_t);
  std::memcpy(result.values.data(), at, record.values * sizeof(std::uint64_t));
  return result;
}

void JournalWriter::mark(Picoseconds time, std::string_view name) {
  const std::uint32_t count = header_->counter_count;
  std::vector<std::uint64_t> record = {time};
  for (std::uint32_t i = 0; i < count; ++i) record.push_back(header_->counters[i].value);
  append(RecordType::Mark, record.data(), record.size() * sizeof record[0], name);
}

JournalReader::JournalReader(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || fstat(file, &status) != 0 ||
      static_cast<std::size_t>(status.st_size) < sizeof(JournalHeader)) {
    if (file >= 0) close(file);
    throw Error("cannot read " + path);
  }
  bytes_ = static_cast<std::size_t>(status.st_size);
  void* memory = mmap(nullptr, bytes_, PROT_READ, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (memory == MAP_FAILED) throw Error("cannot map " + path);
  base_ = static_cast<std::byte*>(memory);
  header_ = reinterpret_cast<const JournalHeader*>(base_);
  if (header_->magic != JournalHeader::kMagic) {
    munmap(base_, bytes_);
    throw Error(path + " is not a journal of this version");
  }
}

JournalReader::JournalReader(JournalReader&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), bytes_(other.bytes_), header_(other.header_) {}

Progress JournalReader::progress() const {
  Progress progress{};
  for (std::uint64_t version = header_->progress_version.load(std::memory_order_acquire); version != 0;) {
    std::memcpy(&progress, &header_->progress[version % 2], sizeof progress);
    std::atomic_thread_fence(std::memory_order_acquire);
    // The next version goes to the other place; the one after it overwrites what was read.
    const std::uint64_t seen = header_->progress_version.load(std::memory_order_relaxed);
    if (seen == version) break;
    version = seen;
  }
  progress.kernel_count = std::min<std::uint32_t>(progress.kernel_count, Progress::kMaxKernels);
  for (RunningKernel& kernel : progress.kernels) kernel.name[sizeof kernel.name - 1] = 0;
  return progress;
}

JournalReader::~JournalReader() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

void JournalReader::for_each(
    const std::function<void(RecordType, const std::byte*, std::size_t, std::string_view)>& f) const {
  const std::uint64_t used = header_->committed_bytes.load(std::memory_order_acquire);
  const std::byte* at = base_ + header_->header_bytes;
  const std::byte* const end = at + used;
  while (at + sizeof(RecordHeader) <= end) {
    RecordHeader head;
    std::memcpy(&head, at, sizeof head);
    const std::byte* record = at + sizeof head;
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
