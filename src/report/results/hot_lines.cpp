#include "report/results/hot_lines.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <set>

#include "base/error.h"

namespace duet::report {

std::string cut_text(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most != 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
  return std::string(text.substr(0, most));
}

std::string path_in_folder(const std::string& path) {
  constexpr std::string_view kKept = "ptx/";
  const std::size_t at = path.rfind(kKept);
  const bool kept = (path.ends_with(".ptx") || path.ends_with(".cl")) && at != std::string::npos &&
                    (at == 0 || path[at - 1] == '/') &&
                    path.find('/', at + kKept.size()) == std::string::npos;
  return kept ? path.substr(at) : path;
}

namespace {

constexpr std::size_t kMostText = 200;          // characters of a line
constexpr std::uintmax_t kMostFile = 16 << 20;  // bytes of a file to read

constexpr std::size_t kSlots = static_cast<std::size_t>(IssueSlot::NoWarp);

std::uint64_t slots_of(const InstructionCounts& counts) {
  return std::accumulate(counts.begin(), counts.begin() + kSlots, std::uint64_t{0});
}

std::string_view next_part(std::string_view& text, char separator) {
  const std::size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

// A line inlined from the same file is itself; from another file it counts for the line it stands in.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::string inlined;  // "b.h:40", of another file
};

Place place_of(std::string_view text) {
  const auto number = [](std::string_view digits) {
    std::uint32_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  };
  const std::string file(next_part(text, '\t'));
  const std::uint32_t line = number(next_part(text, '\t'));
  const std::string inner_file(next_part(text, '\t'));
  if (inner_file.empty()) return {file, line, {}};
  if (inner_file == file) return {file, number(text), {}};
  return {file, line, inner_file + ':' + std::string(text)};
}

std::string trimmed(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  if (first == line.npos) return {};
  std::string text = cut_text(line.substr(first, line.find_last_not_of(" \t\r") + 1 - first), kMostText);
  std::replace(text.begin(), text.end(), '\t', ' ');
  return text;
}

// Of these lines of a file the text; nothing where it cannot be read.
std::map<std::uint32_t, std::string> texts_of(const std::string& path, const std::set<std::uint32_t>& lines) {
  std::map<std::uint32_t, std::string> texts;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return texts;
  if (std::filesystem::file_size(path, error) > kMostFile || error) return texts;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::uint32_t line = 1; !lines.empty() && line <= *lines.rbegin() && std::getline(file, text); ++line)
    if (lines.contains(line)) texts[line] = trimmed(text);
  return texts;
}

// Where functions and kernels of a PTX file begin: line, and whether it is a function.
std::map<std::uint32_t, bool> functions_of(const std::string& path) {
  std::map<std::uint32_t, bool> begins;
  std::ifstream file(path, std::ios::binary);
  std::string text;
  for (std::uint32_t line = 1; std::getline(file, text); ++line) {
    const std::string_view code = std::string_view(text).substr(0, text.find("//"));
    const auto says = [&](std::string_view word) {
      const std::size_t at = code.find(word);
      return at != code.npos && (at + word.size() == code.size() ||
                                 std::string_view(" \t(").find(code[at + word.size()]) != code.npos);
    };
    if (says(".func")) begins[line] = true;
    if (says(".entry")) begins[line] = false;
  }
  return begins;
}

}  // namespace

std::uint64_t HotLine::slots() const { return slots_of(counts); }
std::uint64_t PtxLine::slots() const { return slots_of(counts); }

std::uint64_t KernelLines::slots() const {
  return std::accumulate(lines.begin(), lines.end(), no_warp_slots,
                         [](std::uint64_t sum, const HotLine& line) { return sum + line.slots(); });
}

void LinesResult::add(const std::byte* record, std::size_t bytes, std::string_view text) {
  const LinesOfKernel found = lines_of_kernel(record, bytes);
  asked = true;
  Kernel& kernel = by_name_[std::string(next_part(text, '\n'))];
  const std::string ptx(next_part(text, '\n'));
  std::vector<Place> places;
  while (!text.empty()) places.push_back(place_of(next_part(text, '\n')));
  kernel.launches += found.launches;
  kernel.no_warp_slots += found.no_warp_slots;
  std::uint32_t last_line = 0;   // of PTX
  std::uint64_t last_lanes = 0;  // of the instructions that a line of it became, most
  for (std::size_t i = 0; i < found.counts.size(); ++i) {
    const LineInstruction& instruction = found.instructions[i];
    const InstructionCounts& counts = found.counts[i];
    if (instruction.ptx_line != last_line) last_lanes = 0;
    last_line = instruction.ptx_line;
    if (std::all_of(counts.begin(), counts.end(), [](std::uint64_t count) { return count == 0; })) continue;
    const Place place = instruction.place == LineInstruction::kNoPlace ? Place{ptx, instruction.ptx_line, {}}
                                                                       : places.at(instruction.place);
    Line& line = kernel.lines[{place.file, place.line}];
    line.line.file = place.file;
    line.line.line = place.line;
    if (!place.inlined.empty()) line.from_files[place.inlined] += slots_of(counts);
    for (std::size_t k = 0; k < kInstructionCounts; ++k) line.line.counts[k] += counts[k];
    if (instruction.machine_instructions != 0) line.line.instructions += counts[0];
    PtxLine& of_ptx = kernel.ptx[{ptx, instruction.ptx_line}];
    of_ptx.ptx = ptx;
    of_ptx.number = instruction.ptx_line;
    of_ptx.file = place.file;
    of_ptx.line = place.line;
    for (std::size_t k = 0; k < kInstructionCounts; ++k) of_ptx.counts[k] += counts[k];
    if (instruction.machine_instructions != 0) {
      of_ptx.instructions += counts[0];
      const std::uint64_t lanes =
          count_of(counts, InstructionCount::ThreadInstructions) / instruction.machine_instructions;
      of_ptx.lanes = std::max(of_ptx.lanes, lanes);
      of_ptx.lanes_of_copies += std::max(lanes, last_lanes) - last_lanes;
      last_lanes = std::max(lanes, last_lanes);
    }
    const std::uint64_t requests = count_of(counts, InstructionCount::Requests);
    if (instruction.kind == LineInstruction::Kind::Load)
      line.line.l1_misses += requests - count_of(counts, InstructionCount::L1Hits);
    if (instruction.kind == LineInstruction::Kind::Atomic) line.line.atomics += requests;
    if (const std::uint64_t slots = slots_of(counts); line.line.ptx_line == 0 || slots > line.most_slots) {
      line.most_slots = slots;
      line.line.ptx = ptx;
      line.line.ptx_line = instruction.ptx_line;
    }
  }
}

void LinesResult::finish() {
  std::map<std::string, std::set<std::uint32_t>> wanted;
  for (auto& [name, kernel] : by_name_) {
    KernelLines& lines = kernels.emplace_back();
    lines.kernel = name;
    lines.launches = kernel.launches;
    lines.no_warp_slots = kernel.no_warp_slots;
    for (auto& [key, line] : kernel.lines) {
      wanted[line.line.file].insert(line.line.line);
      const auto most = std::max_element(line.from_files.begin(), line.from_files.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
      if (most != line.from_files.end()) line.line.inlined = most->first;
      lines.lines.push_back(std::move(line.line));
    }
    for (auto& [key, line] : kernel.ptx) {
      wanted[line.ptx].insert(line.number);
      lines.ptx.push_back(std::move(line));
    }
    std::stable_sort(lines.lines.begin(), lines.lines.end(),
                     [](const HotLine& a, const HotLine& b) { return a.slots() > b.slots(); });
  }
  by_name_.clear();
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const KernelLines& a, const KernelLines& b) { return a.slots() > b.slots(); });
  std::map<std::string, std::map<std::uint32_t, std::string>> texts;
  for (const auto& [file, lines] : wanted) texts[file] = texts_of(file, lines);
  for (KernelLines& kernel : kernels)
    for (HotLine& line : kernel.lines) {
      const auto& of_file = texts[line.file];
      if (const auto text = of_file.find(line.line); text != of_file.end()) line.text = text->second;
    }
  std::map<std::string, std::map<std::uint32_t, bool>> functions;
  for (KernelLines& kernel : kernels) {
    Flops flops;
    bool all = true;
    for (PtxLine& line : kernel.ptx) {
      const auto& of_file = texts[line.ptx];
      const auto text = of_file.find(line.number);
      all = all && text != of_file.end();
      if (text == of_file.end()) continue;
      line.text = text->second;
      const auto [begins, is_new] = functions.try_emplace(line.ptx);
      if (is_new) begins->second = functions_of(line.ptx);
      const auto begin = begins->second.upper_bound(line.number);
      if (begin != begins->second.begin() && std::prev(begin)->second) line.lanes = line.lanes_of_copies;
      flops += flops_of(line.text) * line.lanes;
    }
    if (all) kernel.flops = flops;
  }
}

void LinesResult::keep_hottest(std::size_t most_kernels, std::size_t most_lines) {
  if (kernels.size() > most_kernels) kernels.resize(most_kernels);
  for (KernelLines& kernel : kernels) {
    if (kernel.lines.size() <= most_lines) continue;
    HotLine rest;
    for (std::size_t i = most_lines; i < kernel.lines.size(); ++i) {
      const HotLine& line = kernel.lines[i];
      rest.instructions += line.instructions;
      rest.l1_misses += line.l1_misses;
      rest.atomics += line.atomics;
      for (std::size_t k = 0; k < kInstructionCounts; ++k) rest.counts[k] += line.counts[k];
    }
    kernel.lines.resize(most_lines);
    kernel.lines.push_back(std::move(rest));
  }
}

const char* instruction_count_name(InstructionCount count) {
  static constexpr const char* kNames[] = {
      "thread_instructions", "global_accesses", "shared_accesses", "requests",
      "requested_bytes",     "used_bytes",      "l1_hits",         "shared_conflict_cycles",
      "divergent_branches"};
  static_assert(std::size(kNames) == kInstructionCounts - kSlots);
  return kNames[static_cast<std::size_t>(count) - kSlots];
}

}  // namespace duet::report
