#include "config/machine_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/file.h"

namespace duet::config {

namespace {

// The text before the comment, without spaces around it, and the comment. It begins at the first '#' outside
// of quotes.
std::pair<std::string_view, std::string_view> split_line(std::string_view line) {
  char quote = 0;
  std::size_t i = 0;
  for (; i < line.size() && (quote != 0 || line[i] != '#'); ++i) {
    if (quote == '"' && line[i] == '\\') {
      ++i;
    } else if (quote != 0 ? line[i] == quote : line[i] == '"' || line[i] == '\'') {
      quote = quote != 0 ? 0 : line[i];
    }
  }
  const auto trimmed = [](std::string_view text, const char* outside) {
    const std::size_t first = text.find_first_not_of(outside);
    if (first == text.npos) return std::string_view();
    return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
  };
  i = std::min(i, line.size());
  return {trimmed(line.substr(0, i), " \t"), trimmed(line.substr(i), "# \t")};
}

}  // namespace

// toml++ 3.3 does not survive every text, so it is given only [table], [[table]] and key = value in one line,
// with values of these two forms. The rest of TOML is refused.
bool is_value(std::string_view text) {
  if (text.empty()) return false;
  if (text.front() == '"' || text.front() == '\'') {
    // One string to the end of the text.
    const char quote = text.front();
    for (std::size_t i = 1; i < text.size(); ++i) {
      if (static_cast<unsigned char>(text[i]) < ' ' && text[i] != '\t') return false;
      if (text[i] == quote) return i + 1 == text.size();
      if (text[i] == '\\' && quote == '"') ++i;
    }
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '.';
  });
}

namespace {

bool is_table_or_value(std::string_view line) {
  const auto is_name = [](std::string_view name) {
    // Names joined by dots: none is empty.
    if (name.empty() || name.front() == '.' || name.back() == '.' || name.find("..") != name.npos)
      return false;
    return std::all_of(name.begin(), name.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             c == '-' || c == '.';
    });
  };
  if (line.starts_with("[["))
    return line.size() > 4 && line.ends_with("]]") && is_name(line.substr(2, line.size() - 4));
  if (line.front() == '[')
    return line.size() > 2 && line.back() == ']' && is_name(line.substr(1, line.size() - 2));
  const std::size_t equals = line.find('=');
  if (equals == line.npos || equals == 0) return false;
  const std::string_view key = line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
  const std::size_t value = line.find_first_not_of(" \t", equals + 1);
  return is_name(key) && value != line.npos && is_value(line.substr(value));
}

// The text without its comments (most of it, and slow in toml++), and the comment of each line.
std::string take_comments(const std::string& text, const std::string& path,
                          std::vector<std::string_view>& comments) {
  std::string rest;
  rest.reserve(text.size());
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const auto [value, comment] = split_line(std::string_view(text.data() + begin, end - begin));
    begin = end + 1;
    comments.push_back(comment);
    if (!value.empty() && !is_table_or_value(value))
      throw Error(fmt::format(
          "{}:{}: neither [table], [[table]] nor key = value (a number, true, false or one string in quotes)",
          path, comments.size()));
    rest += value;
    rest += '\n';
  }
  return rest;
}

}  // namespace

constexpr std::uintmax_t kMostBytes = 1 << 20;

namespace {

MachineFile read(const std::string& path, std::string_view what, std::string_view hint) {
  std::error_code ignored;
  const auto kind = std::filesystem::status(path, ignored).type();
  if (kind != std::filesystem::file_type::regular && kind != std::filesystem::file_type::not_found)
    throw Error(fmt::format("{} is {}: a {} is a .toml file{}", path,
                            kind == std::filesystem::file_type::directory ? "a folder" : "no regular file",
                            what, hint));
  if (kind == std::filesystem::file_type::regular && std::filesystem::file_size(path, ignored) > kMostBytes)
    throw Error(fmt::format("{} is no {}: it has more than {} MiB", path, what, kMostBytes >> 20));
  std::optional<std::string> text = read_file(path);
  if (!text) throw Error(fmt::format("cannot read {} file {}", what, path));
  MachineFile file{path,
                   std::filesystem::path(path).filename(),
                   {},
                   std::make_unique<const std::string>(std::move(*text)),
                   {}};
  const std::string values = take_comments(*file.text, path, file.comments);
  try {
    file.table = toml::parse(values, path);
  } catch (const toml::parse_error& e) {
    std::string what(e.description());
    std::replace(what.begin(), what.end(), '\n', ' ');  // it may quote the end of a line
    throw Error(fmt::format("{}:{}: {}", path, e.source().begin.line, what));
  }
  return file;
}

}  // namespace

MachineFile read_machine_file(const std::string& path) {
  return read(path, "machine", " (`duet machines` lists those there are)");
}

MachineFile read_toml_file(const std::string& path, std::string_view what) { return read(path, what, ""); }

}  // namespace duet::config
