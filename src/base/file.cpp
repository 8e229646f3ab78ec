#include "base/file.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "base/error.h"

namespace duet {

std::optional<std::string> read_file(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), &std::fclose);
  if (file == nullptr) return std::nullopt;
  std::string text;
  struct stat status {};
  if (fstat(fileno(file.get()), &status) == 0 && status.st_size > 0) {
    text.resize(static_cast<std::size_t>(status.st_size));
    text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  }
  char part[16384];
  while (const std::size_t bytes = std::fread(part, 1, sizeof part, file.get())) text.append(part, bytes);
  if (std::ferror(file.get()) != 0) return std::nullopt;  // a folder, for one
  return text;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw Error("cannot write " + path + ": " + std::strerror(errno));
}

}  // namespace duet
