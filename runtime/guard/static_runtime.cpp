// A program with NVIDIA's runtime linked into it (nvcc's default, libcudart_static.a): before anything of the
// program runs, each of its functions of the CUDA API begins with a jump to Duet's of the same name.
//
//   cudaMalloc (in the program):  jmp *0(%rip); .quad cudaMalloc (of lib/duet/cuda/libcudart.so.13)
//
// Its symbol table tells where they are. Left out: programs without one (strip) and runtimes before CUDA 13,
// which the driver refuses; libraries that a program opens later; processors other than x86-64.
#include "guard/static_runtime.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "guard/library.h"

namespace duet::guard {

namespace {

// A file, mapped to be read.
class Mapping {
 public:
  explicit Mapping(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size > 0) {
      size_ = static_cast<std::size_t>(status.st_size);
      void* const at = mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED) bytes_ = static_cast<const char*>(at);
    }
    if (file >= 0) close(file);
  }
  ~Mapping() {
    if (bytes_ != nullptr) munmap(const_cast<char*>(bytes_), size_);
  }
  Mapping(const Mapping&) = delete;
  // `count` things at `offset`; null where the file has no room for them.
  template <typename T>
  const T* at(std::uint64_t offset, std::uint64_t count) const {
    const bool inside = bytes_ != nullptr && offset <= size_ && offset % alignof(T) == 0 &&
                        count <= (size_ - offset) / sizeof(T);
    return inside ? reinterpret_cast<const T*>(bytes_ + offset) : nullptr;
  }

 private:
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

// Calls f(name, symbol) for the functions that the file's symbol table defines.
template <typename F>
void for_each_function(const Mapping& file, F f) {
  const auto* const header = file.at<Elf64_Ehdr>(0, 1);
  if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_X86_64)
    return;
  const auto* const sections = file.at<Elf64_Shdr>(header->e_shoff, header->e_shnum);
  if (sections == nullptr) return;
  for (unsigned s = 0; s < header->e_shnum; ++s) {
    if (sections[s].sh_type != SHT_SYMTAB || sections[s].sh_link >= header->e_shnum) continue;
    const Elf64_Shdr& names = sections[sections[s].sh_link];
    const std::uint64_t count = sections[s].sh_size / sizeof(Elf64_Sym);
    const auto* const symbols = file.at<Elf64_Sym>(sections[s].sh_offset, count);
    const auto* const text = file.at<char>(names.sh_offset, names.sh_size);
    if (symbols == nullptr || text == nullptr || names.sh_size == 0 || text[names.sh_size - 1] != '\0')
      continue;
    for (std::uint64_t i = 0; i < count; ++i)
      if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC && symbols[i].st_shndx != SHN_UNDEF &&
          symbols[i].st_name < names.sh_size)
        f(text + symbols[i].st_name, symbols[i]);
  }
}

bool is_of_api(const char* name) {
  return std::strncmp(name, "cuda", 4) == 0 || std::strncmp(name, "__cuda", 6) == 0;
}

// Of code at `at`, which the caller has made writable.
void jump(unsigned char* at, const void* to) {
  const unsigned char code[] = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(at, code, sizeof code);
  std::memcpy(at + sizeof code, &to, sizeof to);
}
constexpr std::uint64_t kJumpBytes = 14;

struct Object {
  const char* path;
  std::uintptr_t base;
  std::uintptr_t first_code, code_end;
};

// An object whose code holds the registration of kernels, which every program of nvcc calls, and nothing that
// is of CUDA 11 or 12 alone: their structures are not those of Duet's runtime.
bool has_runtime(const Mapping& file) {
  bool found = false, older = false;
  for_each_function(file, [&](const char* name, const Elf64_Sym&) {
    found |= std::strcmp(name, "__cudaRegisterFatBinary") == 0;
    older |=
        std::strcmp(name, "cudaGetDeviceProperties_v2") == 0 || std::strcmp(name, "cudaBindTexture") == 0;
  });
  return found && !older;
}

void redirect(const Object& object) {
  const Mapping file(object.path);
  if (!has_runtime(file)) return;
  char library[4200];
  std::snprintf(library, sizeof library, "%slibcudart.so.13", own_cuda_folder());
  void* const own = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (own == nullptr) return;
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = object.first_code / page * page;
  const std::size_t bytes = object.code_end - first;
  auto* const code = reinterpret_cast<void*>(first);
  if (mprotect(code, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
  for_each_function(file, [&](const char* name, const Elf64_Sym& symbol) {
    const std::uintptr_t at = object.base + symbol.st_value;
    if (!is_of_api(name) || symbol.st_size < kJumpBytes || at < object.first_code ||
        at + kJumpBytes > object.code_end)
      return;
    if (const void* const to = dlsym(own, name); to != nullptr)
      jump(reinterpret_cast<unsigned char*>(at), to);
  });
  mprotect(code, bytes, PROT_READ | PROT_EXEC);
}

struct Objects {
  static constexpr unsigned kMost = 256;
  Object all[kMost];
  unsigned count = 0;
};

int take(dl_phdr_info* info, std::size_t, void* data) {
  auto& objects = *static_cast<Objects*>(data);
  const bool program = info->dlpi_name == nullptr || info->dlpi_name[0] == '\0';
  if (std::strstr(program ? "" : info->dlpi_name, "/lib/duet/") != nullptr) return 0;
  for (unsigned i = 0; i < info->dlpi_phnum && objects.count < Objects::kMost; ++i) {
    const Elf64_Phdr& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & PF_X) == 0) continue;
    const std::uintptr_t first = info->dlpi_addr + part.p_vaddr;
    objects.all[objects.count++] = {program ? "/proc/self/exe" : info->dlpi_name, info->dlpi_addr, first,
                                    first + part.p_memsz};
    break;  // compilers make one part of code
  }
  return 0;
}

}  // namespace

void redirect_static_runtimes() {
  static Objects objects;
  dl_iterate_phdr(take, &objects);
  for (unsigned i = 0; i < objects.count; ++i) redirect(objects.all[i]);
}

}  // namespace duet::guard
