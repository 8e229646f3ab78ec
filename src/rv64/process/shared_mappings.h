// Shared mappings of files. Their pages are memory of the program as any other; changed bytes go back into
// the file at msync, munmap and the end of the process, and before the program reads or writes the file by a
// system call. Left out: two mappings of one file see each other's changes only after one of these.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <vector>

#include "rv64/memory.h"
#include "rv64/process/files.h"

namespace duet::rv64 {

class SharedMappings {
 public:
  explicit SharedMappings(Memory& memory) : memory_(memory) {}
  ~SharedMappings() { write_back(0, ~std::uint64_t{0}); }
  SharedMappings(const SharedMappings&) = delete;
  SharedMappings& operator=(const SharedMappings&) = delete;

  // [first, first + bytes), whole pages, has these contents of the file from `offset` on.
  void add(std::uint64_t first, std::uint64_t bytes, std::shared_ptr<OpenFile> file, std::uint64_t offset,
           std::vector<std::byte> contents, bool may_write);
  // Writes changes in [first, end) into their files.
  void write_back(std::uint64_t first, std::uint64_t end);
  // And is no mapping any more.
  void remove(std::uint64_t first, std::uint64_t end);
  // The pages of [first, ...) are now at `to`.
  void move(std::uint64_t first, std::uint64_t end, std::uint64_t to);
  bool any(std::uint64_t first, std::uint64_t end) const;
  // Whether the program may be allowed to write there.
  bool may_write(std::uint64_t first, std::uint64_t end) const;
  // Before, and after, a system call on a file of the host.
  void write_back_file(int host);
  void read_again(int host);

 private:
  struct Mapping {
    std::uint64_t first = 0, end = 0;
    std::shared_ptr<OpenFile> file;
    std::uint64_t offset = 0;
    std::vector<std::byte> known;  // of the file, as it was read or written last; whole pages
    bool may_write = false;
    std::uint64_t device = 0, inode = 0;
  };
  void split_at(std::uint64_t page);
  void write_back_page(Mapping& mapping, std::uint64_t page);
  bool is_of(const Mapping& mapping, int host) const;

  Memory& memory_;
  std::list<Mapping> mappings_;
};

}  // namespace duet::rv64
