// One machine file as text: the part of TOML for machine files, read with toml++, and the comments behind its
// lines: they name the sources of numbers, and toml++ drops them.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace duet::config {

struct MachineFile {
  std::string path, name;  // as it was opened; without its folders
  toml::table table;
  std::unique_ptr<const std::string> text;
  std::vector<std::string_view> comments;  // of each line of the text
};

// Throws duet::Error with file and line.
MachineFile read_machine_file(const std::string& path);
// The same of another file in this part of TOML: `what` it is ("model"), for messages.
MachineFile read_toml_file(const std::string& path, std::string_view what);

// Whether a text is a number, a word, or one string in quotes.
bool is_value(std::string_view text);

}  // namespace duet::config
