// Programs as files: what damaged tables of symbols cost.
#include "rv64/process/elf.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

namespace duet::rv64 {
namespace {

// A program of one segment, with `sections` tables of symbols, each of which is the whole file.
std::string program_with_tables(unsigned sections) {
  const std::size_t first_section = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  std::string bytes(first_section + sections * sizeof(Elf64_Shdr), 'n');
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_EXEC;
  header.e_machine = EM_RISCV;
  header.e_entry = 0x10000;
  header.e_phoff = sizeof header;
  header.e_phnum = 1;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_shoff = first_section;
  header.e_shnum = static_cast<Elf64_Half>(sections);
  Elf64_Phdr segment{};
  segment.p_type = PT_LOAD;
  segment.p_flags = PF_R | PF_X;
  segment.p_vaddr = 0x10000;
  segment.p_filesz = segment.p_memsz = 64;
  Elf64_Shdr section{};
  section.sh_type = SHT_SYMTAB;
  section.sh_size = bytes.size();
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, &segment, sizeof segment);
  for (unsigned i = 0; i < sections; ++i)
    std::memcpy(bytes.data() + first_section + i * sizeof section, &section, sizeof section);
  return bytes;
}

TEST(RvElf, ManyTablesOfSymbolsAreReadOnce) {
  const ElfFile one = parse_elf("one", program_with_tables(1));
  EXPECT_EQ(one.entry, 0x10000u);
  // Each table has 150 000 entries: all of them would take minutes.
  const ElfFile many = parse_elf("many", program_with_tables(60000));
  const SymbolTable symbols(many, 0);
  EXPECT_EQ(symbols.find(0x10010), nullptr);
}

TEST(RvElf, NamesWithoutEndAreCutOff) {
  std::string bytes = program_with_tables(2);
  const auto names = static_cast<std::uint64_t>(bytes.size());
  bytes += std::string(1 << 20, 'a');
  Elf64_Shdr tables[2] = {};
  const std::size_t first_section = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr);
  tables[0].sh_type = SHT_SYMTAB;
  tables[0].sh_link = 1;
  tables[0].sh_offset = bytes.size();
  tables[1].sh_type = SHT_STRTAB;
  tables[1].sh_offset = names;
  Elf64_Sym symbol{};
  symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
  symbol.st_shndx = 1;
  symbol.st_value = 0x10010;
  symbol.st_size = 16;
  constexpr unsigned kSymbols = 20000;
  tables[0].sh_size = kSymbols * sizeof symbol;
  for (unsigned i = 0; i < kSymbols; ++i) {
    symbol.st_name = i;
    bytes.append(reinterpret_cast<const char*>(&symbol), sizeof symbol);
  }
  std::memcpy(bytes.data() + first_section, tables, sizeof tables);
  const SymbolTable symbols(parse_elf("long", bytes), 0);
  EXPECT_EQ(symbols.describe(0x10010), std::string(4096, 'a'));
}

}  // namespace
}  // namespace duet::rv64
