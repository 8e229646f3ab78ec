#include "base/file.h"

#include <cstdio>
#include <memory>

namespace duet {

std::optional<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  char part[16384];
  while (const std::size_t bytes = std::fread(part, 1, sizeof part, file.get())) text.append(part, bytes);
  if (std::ferror(file.get()) != 0) return std::nullopt;  // a folder, for one
  return text;
}

}  // namespace duet
