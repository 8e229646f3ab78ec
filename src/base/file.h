// A whole file as text.
#pragma once

#include <optional>
#include <string>

namespace duet {

// Its bytes; nothing when it cannot be read.
std::optional<std::string> read_file(const std::string& path);
// Replaces the file. Throws duet::Error.
void write_file(const std::string& path, const std::string& bytes);

}  // namespace duet
