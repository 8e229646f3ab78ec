#include "rv64/process/shared_mappings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

namespace duet::rv64 {

void SharedMappings::add(std::uint64_t first, std::uint64_t bytes, std::shared_ptr<OpenFile> file,
                         std::uint64_t offset, std::vector<std::byte> contents, bool may_write) {
  Mapping made{first, first + bytes, std::move(file), offset, std::move(contents), may_write, 0, 0};
  made.known.resize(bytes);
  struct stat found;
  if (::fstat(made.file->host, &found) == 0) {
    made.device = found.st_dev;
    made.inode = found.st_ino;
  }
  mappings_.push_back(std::move(made));
}

// The file's length stays: what lies behind it in the last page is nobody's.
void SharedMappings::write_back_page(Mapping& mapping, std::uint64_t page) {
  const Page found = memory_.find_page(VirtualAddress(page), Access::Load);
  std::byte* known = mapping.known.data() + (page - mapping.first);
  if (found.bytes != nullptr) memory_.settle(VirtualAddress(page), kPageBytes);
  if (found.bytes == nullptr || std::memcmp(found.bytes, known, kPageBytes) == 0) return;
  struct stat file;
  const std::uint64_t offset = mapping.offset + (page - mapping.first);
  if (::fstat(mapping.file->host, &file) != 0 || static_cast<std::uint64_t>(file.st_size) <= offset) return;
  const std::uint64_t bytes =
      std::min<std::uint64_t>(kPageBytes, static_cast<std::uint64_t>(file.st_size) - offset);
  if (::pwrite(mapping.file->host, found.bytes, bytes, static_cast<off_t>(offset)) ==
      static_cast<ssize_t>(bytes))
    std::memcpy(known, found.bytes, kPageBytes);
}

void SharedMappings::write_back(std::uint64_t first, std::uint64_t end) {
  for (Mapping& mapping : mappings_) {
    if (!mapping.may_write) continue;
    const std::uint64_t last = std::min(end, mapping.end);
    for (std::uint64_t page = std::max(first, mapping.first); page < last; page += kPageBytes)
      write_back_page(mapping, page);
  }
}

void SharedMappings::remove(std::uint64_t first, std::uint64_t end) {
  write_back(first, end);
  for (auto at = mappings_.begin(); at != mappings_.end();) {
    Mapping& old = *at;
    if (old.end <= first || end <= old.first) {
      ++at;
      continue;
    }
    const auto part = [&](std::uint64_t from, std::uint64_t to) {
      if (from >= to) return;
      const auto begin = old.known.begin() + static_cast<std::ptrdiff_t>(from - old.first);
      mappings_.push_front({from,
                            to,
                            old.file,
                            old.offset + (from - old.first),
                            {begin, begin + static_cast<std::ptrdiff_t>(to - from)},
                            old.may_write,
                            old.device,
                            old.inode});
    };
    part(old.first, first);
    part(end, old.end);
    at = mappings_.erase(at);
  }
}

void SharedMappings::move(std::uint64_t first, std::uint64_t end, std::uint64_t to) {
  for (Mapping& mapping : mappings_)
    if (first <= mapping.first && mapping.end <= end) {
      mapping.end += to - first;
      mapping.first += to - first;
    }
}

bool SharedMappings::any(std::uint64_t first, std::uint64_t end) const {
  return std::any_of(mappings_.begin(), mappings_.end(),
                     [&](const Mapping& mapping) { return mapping.first < end && first < mapping.end; });
}

bool SharedMappings::may_write(std::uint64_t first, std::uint64_t end) const {
  return std::none_of(mappings_.begin(), mappings_.end(), [&](const Mapping& mapping) {
    return !mapping.may_write && mapping.first < end && first < mapping.end;
  });
}

bool SharedMappings::is_of(const Mapping& mapping, int host) const {
  struct stat found;
  return ::fstat(host, &found) == 0 && found.st_dev == mapping.device && found.st_ino == mapping.inode;
}

void SharedMappings::write_back_file(int host) {
  for (Mapping& mapping : mappings_)
    if (is_of(mapping, host)) write_back(mapping.first, mapping.end);
}

void SharedMappings::read_again(int host) {
  for (Mapping& mapping : mappings_) {
    if (!is_of(mapping, host)) continue;
    for (std::uint64_t page = mapping.first; page < mapping.end; page += kPageBytes) {
      std::array<std::byte, kPageBytes> now{};
      const auto offset = static_cast<off_t>(mapping.offset + (page - mapping.first));
      std::byte* known = mapping.known.data() + (page - mapping.first);
      if (::pread(mapping.file->host, now.data(), now.size(), offset) < 0 ||
          std::memcmp(now.data(), known, kPageBytes) == 0)
        continue;
      const Page found = memory_.find_page(VirtualAddress(page), Access::Load);
      if (found.bytes == nullptr) continue;
      memory_.bytes_changed(VirtualAddress(page), kPageBytes);
      memory_.settle(VirtualAddress(page), kPageBytes);
      std::memcpy(found.bytes, now.data(), kPageBytes);
      memory_.written(VirtualAddress(page), kPageBytes);
      std::memcpy(known, now.data(), kPageBytes);
    }
  }
}

}  // namespace duet::rv64
