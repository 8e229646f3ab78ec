#include "opencl/compiler/options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <string_view>

namespace duet::opencl {

namespace {

constexpr std::array<std::string_view, 12> kPassed = {"-cl-single-precision-constant",
                                                      "-cl-denorms-are-zero",
                                                      "-cl-fp32-correctly-rounded-divide-sqrt",
                                                      "-cl-opt-disable",
                                                      "-cl-strict-aliasing",
                                                      "-cl-mad-enable",
                                                      "-cl-no-signed-zeros",
                                                      "-cl-unsafe-math-optimizations",
                                                      "-cl-finite-math-only",
                                                      "-cl-fast-relaxed-math",
                                                      "-w",
                                                      "-Werror"};
// The names of arguments and the lines of the source are there anyway, and there are no sub-groups.
constexpr std::array<std::string_view, 3> kNothing = {"-cl-kernel-arg-info", "-g", "-cl-no-subgroup-ifp"};
// Of clLinkProgram, beside those for libraries.
constexpr std::array<std::string_view, 6> kAtTheLink = {
    "-cl-denorms-are-zero", "-cl-no-signed-zeros",   "-cl-unsafe-math-optimizations",
    "-cl-finite-math-only", "-cl-fast-relaxed-math", "-cl-no-subgroup-ifp"};
constexpr std::array<std::string_view, 5> kStandards = {"CL1.0", "CL1.1", "CL1.2", "CL2.0", "CL3.0"};

// Words as a shell has them: a blank within quotes, or behind a backslash, is part of a word.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  bool open = false;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size() && text[i] != '\0'; ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (quote == '\0' && std::isspace(static_cast<unsigned char>(c)) != 0) {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    else if (c == '\\' && quote != '\'' && (next == '"' || next == '\\' || next == '\'' || next == ' '))
      words.back() += text[++i];
    else
      words.back() += c;
  }
  return words;
}

template <std::size_t N>
bool has(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Options read_options(const std::string& text) {
  Options options;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size() && options.unknown.empty(); ++i) {
    const std::string& word = words[i];
    constexpr std::string_view kStandard = "-cl-std=", kNvidia = "-cl-nv-";
    if (word.starts_with("-D") || word.starts_with("-I")) {
      if (word.size() == 2 && i + 1 == words.size())
        options.unknown = word;
      else
        options.flags.insert(options.flags.end(),
                             {word.substr(0, 2), word.size() == 2 ? words[++i] : word.substr(2)});
    } else if (has(kPassed, word)) {
      options.flags.push_back(word);
    } else if (word == "-cl-uniform-work-group-size") {
      options.uniform_groups = true;
    } else if (word.starts_with(kStandard) && has(kStandards, word.substr(kStandard.size()))) {
      options.standard = word.substr(kStandard.size());
    } else if (word.starts_with(kNvidia)) {
      if (i + 1 < words.size() && !words[i + 1].starts_with('-')) ++i;  // its value
    } else if (!has(kNothing, word)) {
      options.unknown = word;
    }
  }
  options.uniform_groups |= options.standard < "CL2.0";
  return options;
}

LinkOptions read_link_options(const std::string& text) {
  constexpr std::string_view kOfLibrary = "-enable-link-options";
  LinkOptions options;
  const std::vector<std::string> words = words_of(text);
  options.library = std::find(words.begin(), words.end(), "-create-library") != words.end();
  for (const std::string& word : words) {
    const bool known =
        word == "-create-library" || (word == kOfLibrary && options.library) || has(kAtTheLink, word);
    if (!known && options.unknown.empty()) options.unknown = word;
  }
  return options;
}

}  // namespace duet::opencl
