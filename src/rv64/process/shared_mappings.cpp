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

// The file's length stays: bytes behind it in the last page belong to no file.
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

// A mapping across this page becomes two.
void SharedMappings::split_at(std::uint64_t page) {
  for (auto at = mappings_.begin(); at != mappings_.end(); ++at) {
    if (page <= at->first || at->end <= page) continue;
    Mapping rest = *at;
    const auto bytes = static_cast<std::ptrdiff_t>(page - at->first);
    rest.first = page;
    rest.offset += page - at->first;
    rest.known.erase(rest.known.begin(), rest.known.begin() + bytes);
    at->end = page;
    at->known.erase(at->known.begin() + bytes, at->known.end());
    mappings_.insert(std::next(at), std::move(rest));
  }
}

void SharedMappings::remove(std::uint64_t first, std::uint64_t end) {
  if (mappings_.empty()) return;
  write_back(first, end);
  split_at(first);
  split_at(end);
  mappings_.remove_if([&](const Mapping& mapping) { return first <= mapping.first && mapping.end <= end; });
}

void SharedMappings::move(std::uint64_t first, std::uint64_t end, std::uint64_t to) {
  split_at(first);
  split_at(end);
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
