// The source lines with a run's issue slots (`duet run --lines`): the journal's counts by instruction, added
// up by line, of each kernel the hottest first.
//   lines.add(record, bytes, text); ...; lines.finish();  for (const KernelLines& kernel : lines.kernels) ...
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/instruction_counts.h"
#include "report/journal/journal.h"
#include "report/results/flops.h"

namespace duet::report {

struct HotLine {
  std::string file;                // of the kernel's PTX where the compiler named no source
  std::uint32_t line = 0;          // in it
  std::string ptx;                 // "duet-out/ptx/app.ptx"
  std::uint32_t ptx_line = 0;      // of its instruction with the most slots
  std::string text;                // of the line, without spaces around it; empty: not to be had
  std::string inlined;             // "b.h:40": the line with most slots inlined from other files; or empty
  std::uint64_t instructions = 0;  // machine instructions of warps
  std::uint64_t l1_misses = 0;     // reads not answered at once by L1
  std::uint64_t atomics = 0;       // requests of atomics to global memory
  InstructionCounts counts{};
  std::uint64_t slots() const;  // issued and lost
};

// A line of a kernel's PTX, with what all of it that was executed has counted.
struct PtxLine {
  std::string ptx;  // the file
  std::uint32_t number = 0;
  std::string text;  // as HotLine's
  std::string file;  // of the source: the HotLine that has its counts
  std::uint32_t line = 0;
  std::uint64_t instructions = 0;  // machine instructions of warps
  // Executions, each times its active lanes. A constant of it that is made before a loop is none of them:
  // what a line of a kernel became elsewhere does not count, but copies of a line of a function all do.
  std::uint64_t lanes = 0;
  std::uint64_t lanes_of_copies = 0;
  InstructionCounts counts{};
  std::uint64_t slots() const;
};

struct KernelLines {
  std::string kernel;
  std::uint64_t launches = 0;       // complete ones
  std::uint64_t no_warp_slots = 0;  // of no line
  std::vector<HotLine> lines;
  std::vector<PtxLine> ptx;     // in the order of files and lines
  std::optional<Flops> flops;   // none where the PTX cannot be read
  std::uint64_t slots() const;  // all, also without a line
};

class LinesResult {
 public:
  bool asked = false;                // somebody wanted them
  std::vector<KernelLines> kernels;  // the ones with most slots first

  void add(const std::byte* record, std::size_t bytes, std::string_view text);
  // When all records are known: sorts, and reads the text of lines from their files.
  void finish();
  // The rest of a kernel's lines become one, of line 0; other kernels are left out.
  void keep_hottest(std::size_t most_kernels, std::size_t most_lines);

 private:
  using Key = std::tuple<std::string, std::uint32_t>;  // file and line
  struct Line {
    HotLine line;
    std::uint64_t most_slots = 0;                     // of one instruction
    std::map<std::string, std::uint64_t> from_files;  // slots of functions inlined from other files
  };
  struct Kernel {
    std::uint64_t launches = 0, no_warp_slots = 0;
    std::map<Key, Line> lines;
    std::map<Key, PtxLine> ptx;
  };
  std::map<std::string, Kernel> by_name_;
};

// Paths of the run's own files are relative to its folder, so equal runs in two folders have equal texts.
std::string path_in_folder(const std::string& path);
// At most so many bytes, not in the middle of a character of UTF-8.
std::string cut_text(std::string_view text, std::size_t most);
// Of the counts behind the slots, as stats.json has them: "thread_instructions".
const char* instruction_count_name(InstructionCount count);

}  // namespace duet::report
