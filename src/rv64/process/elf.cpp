#include "rv64/process/elf.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/file.h"

namespace duet::rv64 {
namespace {

constexpr const char* kHowToBuild =
    "build it with riscv64-linux-gnu-gcc -static, a CUDA program with duet cc --host riscv64";
// Where static position-independent programs are loaded.
constexpr std::uint64_t kBias = 0x1000000000;
constexpr std::uint64_t kMostImageBytes = std::uint64_t{4} << 30;
constexpr std::uint32_t kReducedRegisters = 0x8;  // EF_RISCV_RVE
constexpr std::uint32_t kFloatAbi = 0x6, kQuadFloatAbi = 0x6;

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(fmt::format("{}: {}", path, why));
}

// A structure of the file.
template <typename T>
std::optional<T> structure_at(const std::string& bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "32-bit Arm";
    case EM_AARCH64:
      return "AArch64";
    case EM_PPC64:
      return "PowerPC";
    case EM_CUDA:
      return "an NVIDIA GPU";
    default:
      return fmt::format("machine {}", machine);
  }
}

Elf64_Ehdr checked_header(const ElfFile& file) {
  const std::string& bytes = file.bytes;
  if (bytes.compare(0, SELFMAG, ELFMAG) != 0)
    refuse(file.path, fmt::format("no ELF program; the simulated host runs static RV64 Linux programs: {}",
                                  kHowToBuild));
  const auto header = structure_at<Elf64_Ehdr>(bytes, 0);
  if (!header) refuse(file.path, "truncated within its ELF header");
  if (header->e_ident[EI_DATA] != ELFDATA2LSB)
    refuse(file.path, "a big-endian program; RV64 is little-endian");
  if (header->e_machine != EM_RISCV)
    refuse(file.path,
           fmt::format("a program for {}, not for RV64: {}", machine_name(header->e_machine), kHowToBuild));
  if (header->e_ident[EI_CLASS] != ELFCLASS64)
    refuse(file.path, fmt::format("a program for RV32, not for RV64: {}", kHowToBuild));
  if (header->e_type == ET_REL) refuse(file.path, "an object file, not a program: link it");
  if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
    refuse(file.path, fmt::format("no program (ELF type {})", header->e_type));
  if ((header->e_flags & kReducedRegisters) != 0 || (header->e_flags & kFloatAbi) == kQuadFloatAbi)
    refuse(file.path,
           fmt::format("made for RV64E or RV64Q (ELF flags {:#x}); Duet executes RV64GC", header->e_flags));
  if (header->e_phnum == 0) refuse(file.path, "no program: it has no segments");
  if (header->e_phentsize != sizeof(Elf64_Phdr))
    refuse(file.path, fmt::format("damaged: program headers of {} bytes instead of {}", header->e_phentsize,
                                  sizeof(Elf64_Phdr)));
  return *header;
}

Segment checked_segment(const ElfFile& file, const Elf64_Phdr& header, unsigned number,
                        std::uint64_t address_end) {
  const Segment segment{
      header.p_vaddr,
      header.p_memsz,
      header.p_offset,
      header.p_filesz,
      {(header.p_flags & (PF_R | PF_W)) != 0, (header.p_flags & PF_W) != 0, (header.p_flags & PF_X) != 0}};
  if (segment.file_offset > file.bytes.size() || file.bytes.size() - segment.file_offset < segment.file_bytes)
    refuse(file.path, fmt::format("truncated: segment {} lies at [{:#x}, {:#x} bytes) of a file of {} bytes",
                                  number, segment.file_offset, segment.file_bytes, file.bytes.size()));
  if (segment.file_bytes > segment.memory_bytes)
    refuse(file.path, fmt::format("damaged: segment {} has more bytes in the file than in memory", number));
  if (segment.memory_bytes > kMostImageBytes)
    refuse(file.path, fmt::format("segment {} takes {} bytes; at most {} can be loaded", number,
                                  segment.memory_bytes, kMostImageBytes));
  if (segment.address >= address_end - kMostImageBytes - kPageBytes ||
      segment.address + segment.memory_bytes == 0)
    refuse(file.path, fmt::format("segment {} lies at {:#x}, beyond the addresses of a program (Sv39)",
                                  number, segment.address));
  return segment;
}

void check_segments(ElfFile& file) {
  if (file.segments.empty()) refuse(file.path, "no program: it has no segment to load");
  std::sort(file.segments.begin(), file.segments.end(),
            [](const Segment& a, const Segment& b) { return a.address < b.address; });
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < file.segments.size(); ++i) {
    const Segment& segment = file.segments[i];
    total += segment.memory_bytes;
    if (i != 0 && segment.address < file.segments[i - 1].address + file.segments[i - 1].memory_bytes)
      refuse(file.path, fmt::format("damaged: two segments overlap at {:#x}", segment.address));
  }
  if (total > kMostImageBytes)
    refuse(file.path,
           fmt::format("its segments take {} bytes; at most {} can be loaded", total, kMostImageBytes));
  const bool entry_is_code =
      std::any_of(file.segments.begin(), file.segments.end(), [&](const Segment& segment) {
        return segment.rights.execute && file.entry - segment.address < segment.memory_bytes;
      });
  if (!entry_is_code) refuse(file.path, fmt::format("damaged: its entry point {:#x} is no code", file.entry));
  if (file.position_independent &&
      file.segments.back().address + kMostImageBytes > kUserAddressEnd - kBias - kUserAddressEnd / 2)
    refuse(file.path, "its segments lie too far apart");
}

}  // namespace

ElfFile read_elf(const std::string& path, std::uint64_t address_end) {
  errno = 0;
  auto bytes = read_file(path);
  if (!bytes)
    refuse(path, fmt::format("cannot be read: {}", errno != 0 ? std::strerror(errno) : "is it a folder?"));
  return parse_elf(path, std::move(*bytes), address_end);
}

ElfFile parse_elf(const std::string& path, std::string bytes, std::uint64_t address_end) {
  ElfFile file;
  file.path = path;
  file.bytes = std::move(bytes);
  const Elf64_Ehdr header = checked_header(file);
  file.entry = header.e_entry;
  file.program_header_count = header.e_phnum;
  file.position_independent = header.e_type == ET_DYN;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto entry = header.e_phoff > file.bytes.size()
                           ? std::nullopt
                           : structure_at<Elf64_Phdr>(file.bytes, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (!entry) refuse(path, "truncated within its program headers");
    if (entry->p_type == PT_INTERP)
      refuse(path, "dynamically linked; the simulated host runs static programs: link it with -static");
    if (entry->p_type != PT_LOAD || entry->p_memsz == 0) continue;
    const Segment segment = checked_segment(file, *entry, i, address_end);
    const std::uint64_t table = header.e_phoff - segment.file_offset;
    if (table < segment.file_bytes && header.e_phnum * sizeof(Elf64_Phdr) <= segment.file_bytes - table)
      file.program_headers = segment.address + table;
    file.segments.push_back(segment);
  }
  check_segments(file);
  return file;
}

LoadedImage load(const ElfFile& file, PagedMemory& memory) {
  LoadedImage image;
  image.bias = file.position_independent ? kBias : 0;
  image.entry = image.bias + file.entry;
  image.program_headers = file.program_headers == 0 ? 0 : image.bias + file.program_headers;
  Rights last;
  for (const Segment& segment : file.segments) {
    const VirtualAddress address(image.bias + segment.address);
    const VirtualAddress first = address.aligned_down(kPageBytes);
    const VirtualAddress end = (address + segment.memory_bytes).aligned_up(kPageBytes);
    const bool shares_page =
        first.value() < image.end;  // with the segment before: both have their rights there
    const VirtualAddress own = shares_page ? VirtualAddress(image.end) : first;
    memory.map(own, end > own ? end - own : 0, {true, true, false});
    if (shares_page) memory.protect(first, kPageBytes, {true, true, false});
    memory.write(address,
                 std::as_bytes(std::span(file.bytes.data() + segment.file_offset, segment.file_bytes)));
    memory.protect(first, end - first, segment.rights);
    if (shares_page)
      memory.protect(first, kPageBytes,
                     {last.read || segment.rights.read, last.write || segment.rights.write,
                      last.execute || segment.rights.execute});
    last = segment.rights;
    image.end = end.value();
  }
  return image;
}

void SymbolTable::read_symbols(const ElfFile& file, std::uint64_t bias, std::uint64_t offset,
                               std::uint64_t bytes, std::uint64_t names) {
  constexpr std::size_t kMostLetters = 4096;  // of a name: in a damaged file many may be long
  const std::uint64_t count = std::min<std::uint64_t>(bytes, file.bytes.size()) / sizeof(Elf64_Sym);
  for (std::uint64_t k = 0; k < count; ++k) {
    const auto symbol = structure_at<Elf64_Sym>(file.bytes, offset + k * sizeof(Elf64_Sym));
    if (!symbol) return;
    const unsigned type = ELF64_ST_TYPE(symbol->st_info);
    const std::uint64_t name = names + symbol->st_name;
    if (symbol->st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_NOTYPE) ||
        name >= file.bytes.size())
      continue;
    const char* text = file.bytes.c_str() + name;
    // Marks of the assembler: $x, .L1.
    if (*text == 0 || *text == '$' || *text == '.') continue;
    symbols_.push_back(
        {std::string(text, ::strnlen(text, kMostLetters)), bias + symbol->st_value, symbol->st_size});
  }
}

SymbolTable::SymbolTable(const ElfFile& file, std::uint64_t bias) {
  const auto header = structure_at<Elf64_Ehdr>(file.bytes, 0);
  for (unsigned i = 0; header && i < header->e_shnum; ++i) {
    const auto section = structure_at<Elf64_Shdr>(file.bytes, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) continue;
    const auto names =
        structure_at<Elf64_Shdr>(file.bytes, header->e_shoff + section->sh_link * sizeof(Elf64_Shdr));
    if (names) read_symbols(file, bias, section->sh_offset, section->sh_size, names->sh_offset);
    break;  // a program has one
  }
  std::stable_sort(symbols_.begin(), symbols_.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
}

const Symbol* SymbolTable::find(std::uint64_t address) const {
  const auto after =
      std::upper_bound(symbols_.begin(), symbols_.end(), address,
                       [](std::uint64_t value, const Symbol& symbol) { return value < symbol.address; });
  for (auto at = after; at != symbols_.begin() && after - at < 8;) {
    --at;
    if (address == at->address || address - at->address < at->bytes) return &*at;
  }
  return nullptr;
}

std::string SymbolTable::describe(std::uint64_t address) const {
  const Symbol* symbol = find(address);
  if (symbol == nullptr) return {};
  return address == symbol->address ? symbol->name
                                    : fmt::format("{}+{:#x}", symbol->name, address - symbol->address);
}

}  // namespace duet::rv64
