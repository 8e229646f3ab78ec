// Static programs: an ELF file of RV64, checked, loaded into a memory, and its symbols.
// Source: System V ABI, chapters 4 and 5; RISC-V ELF psABI, version 1.0. Left out: dynamic linking.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rv64/memory.h"

namespace duet::rv64 {

struct Segment {
  std::uint64_t address = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t file_offset = 0;
  std::uint64_t file_bytes = 0;  // the rest of memory_bytes is zero
  Rights rights;
};

struct ElfFile {
  std::string path;
  std::string bytes;
  std::uint64_t entry = 0;
  std::vector<Segment> segments;      // by address, apart from each other
  std::uint64_t program_headers = 0;  // their address; 0: not in memory
  unsigned program_header_count = 0;
  bool position_independent = false;
};

// Throws Error, of one line, where the file is no static RV64 program, contradicts itself, or lies at
// `address_end` or beyond.
ElfFile read_elf(const std::string& path, std::uint64_t address_end = kUserAddressEnd);
// Of a file's bytes; `path` is for messages.
ElfFile parse_elf(const std::string& path, std::string bytes, std::uint64_t address_end = kUserAddressEnd);

struct LoadedImage {
  std::uint64_t bias = 0;  // added to every address of the file
  std::uint64_t entry = 0;
  std::uint64_t program_headers = 0;
  std::uint64_t end = 0;  // of the last page
};

// Maps the segments, and writes them.
LoadedImage load(const ElfFile& file, PagedMemory& memory);

struct Symbol {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The functions of the file's symbol table.
class SymbolTable {
 public:
  SymbolTable(const ElfFile& file, std::uint64_t bias);

  // The function at the address.
  const Symbol* find(std::uint64_t address) const;
  // "name+0x12", or nothing where no function holds the address.
  std::string describe(std::uint64_t address) const;

 private:
  // Of the table at `offset`, whose names begin at `names`, in the file.
  void read_symbols(const ElfFile& file, std::uint64_t bias, std::uint64_t offset, std::uint64_t bytes,
                    std::uint64_t names);
  std::vector<Symbol> symbols_;  // by address
};

}  // namespace duet::rv64
