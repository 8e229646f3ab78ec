#include "report/pages/sources.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "report/json/json_text.h"
#include "report/pages/html_report.h"

namespace duet::report {

namespace {

constexpr std::uint32_t kAround = 12;           // lines before and behind one with counts
constexpr std::size_t kMostText = 400;          // bytes of a line
constexpr std::uintmax_t kMostFile = 16 << 20;  // bytes

struct SourceFile {
  std::string path;
  std::uint64_t slots = 0;
  std::set<std::uint32_t> counted;                           // lines
  std::vector<std::pair<std::uint32_t, std::string>> parts;  // from line, text
};

std::vector<std::string> lines_of(const std::string& path) {
  std::vector<std::string> lines;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMostFile)
    return lines;
  std::ifstream file(path, std::ios::binary);
  for (std::string line; std::getline(file, line);) {
    if (line.ends_with('\r')) line.pop_back();
    lines.push_back(cut_text(line, kMostText));
  }
  return lines;
}

// Takes from `room` what it adds.
void add_text(SourceFile& file, std::size_t& room) {
  const std::vector<std::string> lines = lines_of(file.path);
  std::size_t whole = 0;
  for (const std::string& line : lines) whole += line.size() + 1;
  std::uint32_t next = 1;  // of the lines that are not there yet
  const auto add = [&](std::uint32_t first, std::uint32_t last) {
    first = std::max(first, next);
    last = std::min(last, static_cast<std::uint32_t>(lines.size()));
    for (std::uint32_t number = first; number <= last; ++number) {
      const std::string& line = lines[number - 1];
      if (line.size() + 1 > room) return;
      room -= line.size() + 1;
      if (file.parts.empty() || number != next) {
        file.parts.emplace_back(number, line);
      } else {
        file.parts.back().second += '\n' + line;
      }
      next = number + 1;
    }
  };
  if (whole <= room) return add(1, static_cast<std::uint32_t>(lines.size()));
  for (const std::uint32_t line : file.counted) add(line > kAround ? line - kAround : 1, line + kAround);
}

}  // namespace

void write_sources_json(std::ostream& out, const RunReport& report) {
  if (!report.lines.asked) return;
  const std::size_t kernels = std::min(report.lines.kernels.size(), kHtmlKernels);
  std::vector<SourceFile> files;
  std::map<std::string, std::size_t> numbers;
  const auto number_of = [&](const std::string& path) {
    const auto [at, is_new] = numbers.try_emplace(path, files.size());
    if (is_new) files.emplace_back().path = path;
    return at->second;
  };
  std::vector<std::pair<std::uint64_t, const PtxLine*>> hottest;
  for (std::size_t k = 0; k < kernels; ++k) {
    for (const HotLine& line : report.lines.kernels[k].lines) {
      SourceFile& file = files[number_of(line.file)];
      file.slots += line.slots();
      file.counted.insert(line.line);
    }
    for (const PtxLine& line : report.lines.kernels[k].ptx) hottest.emplace_back(line.slots(), &line);
  }
  std::vector<SourceFile*> by_slots;
  for (SourceFile& file : files) by_slots.push_back(&file);
  std::stable_sort(by_slots.begin(), by_slots.end(),
                   [](const SourceFile* a, const SourceFile* b) { return a->slots > b->slots; });
  std::size_t room = kHtmlSourceBytes;
  // PTX stands beside its source; alone only where it is what has counts.
  for (SourceFile* const file : by_slots)
    if (file == by_slots.front() || !file->path.ends_with(".ptx")) add_text(*file, room);
  std::stable_sort(hottest.begin(), hottest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<const PtxLine*> kept;
  for (std::size_t i = 0; i < std::min(hottest.size(), kHtmlInstructions); ++i)
    kept.insert(hottest[i].second);

  JsonText json(0);
  const auto list = [&](auto first, auto last, auto write) {
    json.put("[");
    for (bool more = false; first != last; ++first, more = true) {
      if (more) json.put(",");
      write(*first);
    }
    json.put("]");
  };
  std::vector<std::string> of_kernels;
  for (std::size_t k = 0; k < kernels; ++k) {
    std::uint64_t left = 0;
    std::vector<const PtxLine*> shown;
    for (const PtxLine& line : report.lines.kernels[k].ptx)
      kept.contains(&line) ? shown.push_back(&line) : static_cast<void>(++left);
    json.put("{\"left\":");
    json.value(left);
    json.put(",\"instructions\":");
    list(shown.begin(), shown.end(), [&](const PtxLine* line) {
      json.put("[");
      for (const std::uint64_t number : {std::uint64_t{number_of(line->ptx)}, std::uint64_t{line->number},
                                         std::uint64_t{number_of(line->file)}, std::uint64_t{line->line}}) {
        json.value(number);
        json.put(",");
      }
      json.value(line->text);
      for (const std::uint64_t number : {line->instructions, line->lanes}) {
        json.put(",");
        json.value(number);
      }
      json.put(",");
      const auto slots = line->counts.begin();
      list(slots, slots + static_cast<std::ptrdiff_t>(IssueSlot::NoWarp),
           [&](std::uint64_t count) { json.value(count); });
      json.put("]");
    });
    json.put("}");
    of_kernels.emplace_back(json.text());
    json.clear();
  }
  json.put("{\"files\":");
  list(files.begin(), files.end(), [&](const SourceFile& file) {
    json.put("{\"path\":");
    json.value(path_in_folder(file.path));
    json.put(",\"parts\":");
    list(file.parts.begin(), file.parts.end(), [&](const auto& part) {
      json.put("[");
      json.value(std::uint64_t{part.first});
      json.put(",");
      json.value(part.second);
      json.put("]");
    });
    json.put("}");
  });
  json.put(",\"kernels\":");
  list(of_kernels.begin(), of_kernels.end(), [&](const std::string& text) { json.put(text); });
  json.put("}");
  out << json.text();
}

}  // namespace duet::report
