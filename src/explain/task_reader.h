// Puts the journal's task events together: commands with their push-buffer streams, reference counters,
// blocks and warps. Bounded by the size of an Explanation.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "explain/explanation.h"

namespace duet::explain {

class TaskReader {
 public:
  // Of `launches` everything is told; they are records of kernels, by command.
  TaskReader(const report::RunReport& report, Explanation& into);
  void read();
  // The warps of shown blocks.
  void read_warps();

 private:
  struct OpenBlock {
    std::uint32_t sm;
    Picoseconds begin_ps;
  };
  struct Running {
    std::uint64_t launched = 0, completed = 0, events = 0;
    CounterPoint last;
    std::vector<std::pair<Picoseconds, std::uint64_t>> times;  // of blocks, and their numbers
    std::map<std::uint64_t, OpenBlock> open;                   // by block
    std::vector<Block> asked;
    std::map<std::uint32_t, std::uint64_t> on_sm;  // now
  };

  void record(report::RecordType type, const std::byte* record, std::size_t bytes, std::string_view text);
  void event(const report::EventRecord& event, std::string_view name);
  void command(const report::EventRecord& event, std::string_view name);
  void push_buffer(const report::EventRecord& event, std::string_view name);
  void kernel(const report::EventRecord& event);
  void block(const report::EventRecord& event);
  void block_ends(Launch& launch, Running& running, const report::EventRecord& event);
  void count(Launch& launch, Running& running, Picoseconds time);
  void move(const report::EventRecord& event);
  void warp(const report::EventRecord& event);
  void finish(Launch& launch, Running& running);
  void finish_commands();
  Command* known(std::uint64_t number);
  Launch* launch_of(std::uint64_t command);
  template <typename Record>
  void times(const Record& record);
  void running(const report::KernelResult& kernel);

  const report::RunReport& report_;
  Explanation& into_;
  std::unordered_map<std::uint64_t, std::size_t> commands_, launches_;  // places, by the command's number
  std::unordered_map<std::uint64_t, Picoseconds> ends_;  // of the predecessors of kept commands; 0: not yet
  std::unordered_map<std::uint64_t, std::string> calls_;
  std::map<std::uint32_t, std::uint64_t> last_of_channel_;  // submitted so far
  std::unordered_map<std::uint64_t, Picoseconds>
      preparation_starts_;                    // of commands before kept ones in their channel
  std::map<std::uint64_t, Running> running_;  // by command
  std::map<std::pair<std::uint64_t, std::uint64_t>, report::EventRecord> open_moves_;
  std::map<std::uint64_t, report::CopyRecord> copies_;  // of kept commands
};

}  // namespace duet::explain
