// The journal: how a simulated process leaves its measurements. The process appends plain records to a shared
// file mapping; the parent (`duet run`) renders them when the process is gone, however it ended: return,
// _exit, abort, a signal, an interrupt. Nothing is written at exit, so nothing can be lost, and a forked
// child (which gets no journal) cannot write it twice.
//
// The file is a header and chunks of records, each with a header of its own. A process has the header and the
// chunk that it writes in its memory, a reader the header and the chunk that it reads, so a long run needs no
// more of either's memory than a short one. A record lies in one chunk: where the rest of a chunk is too
// short for it, the next one begins, and a record that is longer than a chunk gets one of its own length.
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
  // The program has been told of this error by a function that does nothing else.
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
  // What the instructions of a kernel have counted: once which there are (LinesRecord says what `text` is),
  // then the counts as they stand. The number is null when there is no room for them.
  std::optional<std::size_t> describe_lines(const std::vector<LineInstruction>& instructions,
                                            std::string_view text);
  void publish_lines(std::size_t number, std::uint64_t launches, std::uint64_t no_warp_slots,
                     const std::vector<InstructionCounts>& counts);
  // All of the program's threads, as they stand now.
  void publish_threads(const std::vector<ThreadDescription>& threads);
  // A mark with the statistics as they were set last.
  void mark(Picoseconds time, std::string_view name);

 private:
  // A record that is written again and again: its chunk stays in memory.
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
  std::size_t most_bytes_ = 0;  // that the file may have
  std::size_t file_bytes_ = 0;  // that it has
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
  // All complete records, of types that are not known as well. What is handed to `f` is there until it
  // returns.
  using RecordFunction =
      std::function<void(RecordType, const std::byte* record, std::size_t bytes, std::string_view text)>;
  void for_each(const RecordFunction& f) const;

 private:
  void for_each_of_chunk(std::span<const std::byte> chunk, const RecordFunction& f) const;

  std::string path_;
  int file_ = -1;
  const JournalHeader* header_ = nullptr;
};

// What the instructions of a kernel have counted, as they stood when they were published last.
struct LinesOfKernel {
  std::uint64_t launches = 0, no_warp_slots = 0;
  std::vector<LineInstruction> instructions;
  std::vector<InstructionCounts> counts;  // empty: none yet
};
// Throws duet::Error for bytes that are no such record.
LinesOfKernel lines_of_kernel(const std::byte* bytes, std::size_t size);

// The values that are not 0, each as two numbers: how many were left out before it, and the value. A number
// has 7 bits a byte, low ones first, and the top bit says that more follow (LEB128).
void add_increases(std::vector<std::byte>& bytes, const std::vector<std::uint64_t>& values);
// Calls `f(counter, value)` with each. Throws duet::Error for bytes that are no such numbers, and where there
// are more than `most` values.
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

// Of a ComponentsRecord: what was written last.
struct ComponentValues {
  Picoseconds time_ps = 0;
  std::vector<ComponentDescription> components;  // none: nothing was written
  std::vector<std::uint32_t> counter_of_value;
  std::vector<std::uint64_t> values;
};
ComponentValues component_values(const std::byte* record, std::size_t bytes);

// Of a ThreadsRecord: what was written last; none: nothing was.
std::optional<std::vector<ThreadDescription>> thread_descriptions(const std::byte* record, std::size_t bytes);

// Journals that processes left in `directory`, in the order in which the processes claimed their numbers.
std::vector<std::string> journals_in(const std::string& directory);

}  // namespace duet::report
