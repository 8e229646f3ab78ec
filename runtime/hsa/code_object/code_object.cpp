#include "hsa/code_object/code_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <sstream>

#include "base/error.h"

namespace duet::hsa {

namespace {

constexpr std::string_view kOwner{"Duet\0\0\0\0", 8};  // of the note, filled up to whole words
constexpr std::uint32_t kKernelsNote = 1;
constexpr std::string_view kNoteSection = ".note.duet", kPtxSection = ".ptx";
constexpr std::size_t kOwnerBytes = 5;  // with its end
constexpr std::uint32_t kMostAlignment = 4096;

template <typename T>
void append(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

// The value at an offset of untrusted bytes.
template <typename T>
T at(std::string_view bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    throw Error(fmt::format("damaged: it ends before byte {}", offset + sizeof(T)));
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string_view part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size)
    throw Error(fmt::format("damaged: a section of {} bytes lies outside of it", size));
  return bytes.substr(offset, size);
}

std::string_view section(std::string_view bytes, const Elf64_Ehdr& header, std::string_view name) {
  const auto of = [&](std::uint64_t index) {
    if (index >= header.e_shnum) throw Error("damaged: its section names are missing");
    return at<Elf64_Shdr>(bytes, header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  const Elf64_Shdr names = of(header.e_shstrndx);
  const std::string_view text = part(bytes, names.sh_offset, names.sh_size);
  for (std::uint64_t i = 1; i < header.e_shnum; ++i) {
    const Elf64_Shdr one = of(i);
    if (one.sh_name >= text.size()) continue;
    const std::string_view rest = text.substr(one.sh_name);
    if (rest.substr(0, rest.find('\0')) == name) return part(bytes, one.sh_offset, one.sh_size);
  }
  throw Error(fmt::format("damaged: it has no section {}", name));
}

bool is_alignment(std::uint32_t one) { return one != 0 && (one & (one - 1)) == 0 && one <= kMostAlignment; }

// A line of the note, to where its first word says.
void read_line(const std::string& line, CodeObject& object) {
  std::istringstream words(line);
  std::string kind, more;
  bool right = false;
  words >> kind;
  if (kind == "kernel") {
    CodeKernel& one = object.kernels.emplace_back();
    words >> one.name >> one.symbol >> one.hidden_bytes >> one.kernarg_bytes >> one.kernarg_alignment >>
        one.group_bytes >> one.private_bytes;
    right = is_alignment(one.kernarg_alignment) && one.hidden_bytes <= one.kernarg_bytes;
  } else if (kind == "variable") {
    CodeVariable& one = object.variables.emplace_back();
    words >> one.name >> one.symbol >> one.bytes >> one.alignment >> one.constant;
    right = is_alignment(one.alignment);
  }
  if (!right || !words || words >> more)
    throw Error(fmt::format("damaged: its note has the line '{}'", line.substr(0, 80)));
}

void check_kind(std::string_view bytes) {
  if (bytes.starts_with("HSA BRIG"))
    throw Error(
        "BRIG, and there is no finalizer for it: compile the OpenCL C with duet hsacc k.cl -o k.brig");
  if (!bytes.starts_with(ELFMAG)) throw Error("no ELF: duet hsacc k.cl -o k.hsaco makes one");
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (header.e_machine == EM_AMDGPU)
    throw Error("machine code for AMD's GPUs: compile the OpenCL C with duet hsacc k.cl -o k.hsaco");
  if (header.e_machine != kCodeObjectMachine || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB)
    throw Error(fmt::format("an ELF for machine {}: duet hsacc k.cl -o k.hsaco makes one for Duet",
                            header.e_machine));
}

}  // namespace

std::string write_code_object(const CodeObject& object) {
  std::string lines;
  for (const CodeKernel& kernel : object.kernels)
    lines +=
        fmt::format("kernel {} {} {} {} {} {} {}\n", kernel.name, kernel.symbol, kernel.hidden_bytes,
                    kernel.kernarg_bytes, kernel.kernarg_alignment, kernel.group_bytes, kernel.private_bytes);
  for (const CodeVariable& one : object.variables)
    lines += fmt::format("variable {} {} {} {} {:d}\n", one.name, one.symbol, one.bytes, one.alignment,
                         one.constant);
  std::string note;
  append(note, Elf64_Nhdr{kOwnerBytes, static_cast<Elf64_Word>(lines.size()), kKernelsNote});
  note.append(kOwner).append(lines);
  note.resize((note.size() + 3) / 4 * 4);

  // Header, note, PTX, names, the table of sections.
  std::string names(1, '\0');
  std::string bytes(sizeof(Elf64_Ehdr), '\0');
  std::string table(sizeof(Elf64_Shdr), '\0');
  const auto add = [&](std::string_view name, std::uint32_t type, std::string_view content) {
    Elf64_Shdr one{};
    one.sh_name = static_cast<Elf64_Word>(names.size());
    one.sh_type = type;
    one.sh_offset = bytes.size();
    one.sh_size = content.size();
    one.sh_addralign = 4;
    names.append(name).push_back('\0');
    append(table, one);
    bytes.append(content);
    bytes.resize((bytes.size() + 7) / 8 * 8);
  };
  add(kNoteSection, SHT_NOTE, note);
  add(kPtxSection, SHT_PROGBITS, object.ptx);
  const std::string all_names = names + ".shstrtab" + '\0';
  add(".shstrtab", SHT_STRTAB, all_names);

  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = kCodeObjectMachine;
  header.e_version = EV_CURRENT;
  header.e_shoff = bytes.size();
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<Elf64_Half>(table.size() / sizeof(Elf64_Shdr));
  header.e_shstrndx = static_cast<Elf64_Half>(header.e_shnum - 1);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes + table;
}

CodeObject read_code_object(std::string_view bytes) {
  check_kind(bytes);
  const auto header = at<Elf64_Ehdr>(bytes, 0);
  if (header.e_shentsize != sizeof(Elf64_Shdr))
    throw Error("damaged: its table of sections has another form");
  const std::string_view note = section(bytes, header, kNoteSection);
  const auto head = at<Elf64_Nhdr>(note, 0);
  if (head.n_namesz != kOwnerBytes || head.n_type != kKernelsNote ||
      part(note, sizeof head, kOwner.size()) != kOwner)
    throw Error(fmt::format("damaged: its section {} is not Duet's", kNoteSection));
  CodeObject object;
  object.ptx = section(bytes, header, kPtxSection);
  std::istringstream lines(std::string(part(note, sizeof head + kOwner.size(), head.n_descsz)));
  for (std::string line; std::getline(lines, line);) read_line(line, object);
  return object;
}

}  // namespace duet::hsa
