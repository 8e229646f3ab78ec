// The journal has the measurements of a simulated process. The process appends plain records to a shared file
// mapping; the parent (`duet run`) renders them when the process is gone, after any end: return, _exit,
// abort, a signal, an interrupt. Nothing is written at exit, so nothing can be lost, and a forked child
// (which gets no journal) cannot write it twice.
//
// The file is a header and chunks of records, each with a header of its own. The writing process has the
// header and its current chunk in memory, and so has a reader, so a long run needs no more memory of either
// than a short one. A record lies in one chunk: where the rest of a chunk is too short for it, the next one
// begins, and a record longer than a chunk gets one of its own length.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "report/journal/journal_records.h"

namespace duet::report {

// The writing side, one per process.
class JournalWriter {
 public:
  // Claims the next process number in `directory` (created by the parent). Throws duet::Error when the folder
  // cannot be written.
  explicit JournalWriter(const std::string& directory);
  ~JournalWriter();
  JournalWriter(const JournalWriter&) = delete;

  JournalHeader& header() { return *header_; }
  // Thread-safe only under the caller's lock.
  // Where the record lies until the next one is appended; null: it is lost.
  std::byte* append(RecordType type, const void* record, std::size_t bytes, std::string_view text = {});
  template <typename Record>
  void append(RecordType type, const Record& record, std::string_view text = {}) {
    append(type, &record, sizeof record, text);
  }
  // The counter of an API function; the same name gives the same counter.
  ApiCount& api(const char* name);
  // `kernel` as in FailedCall, null: of no launch.
  void failed_call(const char* call, const char* error, const char* kernel, Picoseconds time);
  void allocated(std::string_view call, std::string_view method, std::uint64_t bytes);
  // The program has read this error by a function for errors alone.
  void asked_for_error(const char* error);
  // The place of the next version; it is seen from publish_progress on.
  Progress& next_progress();
  void publish_progress();
  void publish_account(const TimeAccount& account);
  // Sets a statistic; `index` counts from 0 in the order of first use.
  void set_counter(std::size_t index, const char* name, std::uint64_t value, bool state = false);
  // Of the kernel whose record was the `kernel`-th, from 0.
  void kernel_statistics(std::uint64_t kernel, const std::vector<std::uint64_t>& increase);
  // Once: the components, and of each of their values the number of its counter.
  void describe_components(const std::vector<ComponentDescription>& components,
                           const std::vector<std::uint32_t>& counter_of_value);
  // Where the next values of the components go, null without a place; they are seen once they are published.
  std::uint64_t* next_component_values();
  void publish_component_values(Picoseconds time);
  // The counts of a kernel's instructions: the instructions once (`text`: see LinesRecord), then the current
  // counts. The number is null when there is no room for them.
  std::optional<std::size_t> describe_lines(const std::vector<LineInstruction>& instructions,
                                            std::string_view text);
  void publish_lines(std::size_t number, std::uint64_t launches, std::uint64_t no_warp_slots,
                     const std::vector<InstructionCounts>& counts);
  // All of the program's threads, as they stand now.
  void publish_threads(const std::vector<ThreadDescription>& threads);
  // A mark with the statistics as they were set last.
  void mark(Picoseconds time, std::string_view name);

 private:
  // A record written again and again: its chunk stays in memory.
  struct Kept {
    std::byte* record = nullptr;
    JournalChunk* chunk = nullptr;
  };
  void keep(Kept& kept, std::byte* record);
  bool is_kept(const JournalChunk* chunk) const;
  bool has_file();
  bool room_up_to(std::size_t end);
  bool grow(std::size_t end);
  std::byte* map(std::size_t offset, std::size_t bytes) const;
  bool begin_chunk(std::size_t record_bytes);
  bool has_room(std::size_t record_bytes);

  std::string path_;
  int file_ = -1;
  dev_t device_ = 0;  // of the file
  ino_t number_ = 0;
  std::size_t most_bytes_ = 0;  // allowed for the file
  std::size_t file_bytes_ = 0;  // of the file now
  std::size_t room_bytes_ = 0;  // of them on the disk
  JournalHeader* header_ = nullptr;
  JournalChunk* chunk_ = nullptr;  // being written
  std::size_t chunk_at_ = 0;       // in the file
  Kept components_, threads_;
  std::vector<Kept> lines_;                   // of kernels
  std::vector<std::byte> kernel_statistics_;  // being put together
};

// The reading side.
class JournalReader {
 public:
  explicit JournalReader(const std::string& path);
  ~JournalReader();
  // Whether there is anything to read: a process may be killed while it makes the file.
  static bool begun(const std::string& path);
  JournalReader(JournalReader&& other) noexcept;
  JournalReader(const JournalReader&) = delete;

  const JournalHeader& header() const { return *header_; }
  // All zero when the process has told nothing yet.
  Progress progress() const;
  TimeAccount account() const;
  // Calls `f` for all complete records, of unknown types too. Its arguments are valid until it returns.
  using RecordFunction =
      std::function<void(RecordType, const std::byte* record, std::size_t bytes, std::string_view text)>;
  void for_each(const RecordFunction& f) const;

 private:
  void for_each_of_chunk(std::span<const std::byte> chunk, const RecordFunction& f) const;

  std::string path_;
  int file_ = -1;
  const JournalHeader* header_ = nullptr;
};

// The counts of a kernel's instructions, as last published.
struct LinesOfKernel {
  std::uint64_t launches = 0, no_warp_slots = 0;
  std::vector<LineInstruction> instructions;
  std::vector<InstructionCounts> counts;  // empty: none yet
};
// Throws duet::Error for bytes other than such a record.
LinesOfKernel lines_of_kernel(const std::byte* bytes, std::size_t size);

// The values other than 0, each as two numbers: the number of zeros before it, and the value. A number has 7
// bits a byte, low ones first; a set top bit means more follow (LEB128).
void add_increases(std::vector<std::byte>& bytes, const std::vector<std::uint64_t>& values);
// Calls `f(counter, value)` with each. Throws duet::Error for bytes other than such numbers, and for more
// than `most` values.
template <typename Function>
void for_each_increase(const std::byte* bytes, std::size_t size, const Function& f,
                       std::size_t most = JournalHeader::kMaxCounters) {
  std::size_t at = 0;
  const auto take = [&] {
    std::uint64_t number = 0;
    for (unsigned shift = 0; at < size && shift < 64; shift += 7) {
      const auto byte = std::to_integer<std::uint64_t>(bytes[at++]);
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return number;
    }
    throw Error("journal record of statistics that end within a number");
  };
  for (std::uint64_t counter = 0; at < size; ++counter) {
    counter += take();
    if (counter >= most) throw Error("journal record of statistics with a counter that does not exist");
    f(static_cast<std::uint32_t>(counter), take());
  }
}

// The last values of a ComponentsRecord.
struct ComponentValues {
  Picoseconds time_ps = 0;
  std::vector<ComponentDescription> components;  // none: nothing was written
  std::vector<std::uint32_t> counter_of_value;
  std::vector<std::uint64_t> values;
};
ComponentValues component_values(const std::byte* record, std::size_t bytes);

// The last contents of a ThreadsRecord; none: nothing was written.
std::optional<std::vector<ThreadDescription>> thread_descriptions(const std::byte* record, std::size_t bytes);

// Journals of processes in `directory`, in the order of the processes' numbers.
std::vector<std::string> journals_in(const std::string& directory);

}  // namespace duet::report
