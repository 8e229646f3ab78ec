#include "opencl/compiler/kept.h"

#include <cstdlib>
#include <sstream>

#include "base/file.h"
#include "base/hash.h"
#include "opencl/compiler/kernel_info.h"

namespace duet::opencl {

namespace {

std::optional<std::string> take_part(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t bytes = std::strtoull(std::string(text.substr(0, end)).c_str(), nullptr, 10);
  text.remove_prefix(end + 1);
  if (bytes > text.size()) return std::nullopt;
  std::string part(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return part;
}

// The lines from which kernels_of() reads.
std::string of_kernels(const std::string& intermediate) {
  std::string kept;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line);)
    if (line.find(" spir_kernel ") != std::string::npos ||
        (line.starts_with('!') && line.find(" = !{") != std::string::npos))
      kept += line + "\n";
  return kept;
}

std::string hash_of_file(const std::string& file) {
  return std::to_string(hash(read_file(file).value_or("")));
}

}  // namespace

void add_part(std::string& text, std::string_view part) {
  text += std::to_string(part.size()) + "\n";
  text += part;
}

std::string kept_form(const Compiled& compiled, const std::string& intermediate,
                      const std::vector<std::string>& files) {
  std::string text;
  for (const std::string& part : {compiled.log, compiled.ptx, compiled.bitcode, of_kernels(intermediate)})
    add_part(text, part);
  for (const std::string& file : files) {
    add_part(text, file);
    add_part(text, hash_of_file(file));
  }
  return text;
}

std::optional<Compiled> from_kept(std::string_view text) {
  const auto log = take_part(text), ptx = take_part(text), bitcode = take_part(text),
             intermediate = take_part(text);
  if (!log || !ptx || !bitcode || !intermediate) return std::nullopt;
  while (!text.empty()) {
    const auto file = take_part(text), known = take_part(text);
    if (!file || !known || hash_of_file(*file) != *known) return std::nullopt;
  }
  return Compiled{
      .succeeded = true, .log = *log, .ptx = *ptx, .bitcode = *bitcode, .kernels = kernels_of(*intermediate)};
}

std::vector<std::string> files_of_rule(const std::string& rule, const std::string& folder) {
  std::vector<std::string> files(1);
  for (std::size_t i = rule.find(": ") + 1; i != 0 && i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (rule[i] == '\\' && (next == ' ' || next == '#' || next == '\\'))
      files.back() += rule[++i];
    else if (rule[i] == '$' && next == '$')
      files.back() += rule[++i];
    else if (rule[i] != ' ' && rule[i] != '\n' && !(rule[i] == '\\' && next == '\n'))
      files.back() += rule[i];
    else if (!files.back().empty())
      files.emplace_back();
  }
  std::erase_if(files, [&](const std::string& file) { return file.empty() || file.starts_with(folder); });
  return files;
}

}  // namespace duet::opencl
