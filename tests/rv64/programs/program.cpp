// What C++ programs on Linux commonly do, to be compared with another executor of the same binary: streams,
// containers, exceptions, floating point, files, memory that is mapped, moved and given back.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

static void containers() {
  std::vector<unsigned> values(20000);
  unsigned state = 1;
  for (unsigned& value : values) value = state = state * 1664525 + 1013904223;
  std::sort(values.begin(), values.end());
  std::map<unsigned, int> counts;
  for (const unsigned value : values) ++counts[value >> 24];
  std::cout << "sorted " << std::is_sorted(values.begin(), values.end()) << ' ' << counts.size() << ' '
            << counts.begin()->second << '\n';
}

static double mathematics() {
  double sum = 0;
  for (int i = 1; i < 5000; ++i) sum += std::sin(i) * std::exp(-i / 1000.0) + std::pow(i, 0.3) / std::sqrt(i);
  return sum;
}

static int thrower(int depth) {
  const std::string local(40, 'x');
  if (depth == 0) throw std::runtime_error("thrown");
  return thrower(depth - 1) + static_cast<int>(local.size());
}

static void files() {
  std::ofstream("made.txt") << "first\nsecond\n" << std::string(100000, 'z') << '\n';
  std::ifstream in("made.txt");
  std::string line;
  while (std::getline(in, line)) std::cout << line.size() << ' ';
  struct stat found;
  std::cout << stat("made.txt", &found) << ' ' << found.st_size << ' ' << S_ISREG(found.st_mode) << ' '
            << access("made.txt", R_OK) << ' ' << access("absent.txt", R_OK) << '\n';
  const int file = open("made.txt", O_RDONLY);
  const char* mapped = static_cast<const char*>(mmap(nullptr, 13, PROT_READ, MAP_PRIVATE, file, 0));
  std::cout.write(mapped, 13);
  std::cout << lseek(file, -5, SEEK_END) << ' ' << close(file) << ' ' << close(file) << '\n';
  std::cout << rename("made.txt", "moved.txt") << unlink("moved.txt") << unlink("moved.txt") << '\n';
}

static void memory() {
  const size_t page = 4096;
  char* at =
      static_cast<char*>(mmap(nullptr, 8 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  std::memset(at, 7, 8 * page);
  munmap(at + 2 * page, page);
  std::cout << mprotect(at, 8 * page, PROT_READ) << ' ' << mprotect(at, 2 * page, PROT_READ) << ' ';
  char* moved = static_cast<char*>(mremap(at + 3 * page, 5 * page, 900 * page, MREMAP_MAYMOVE));
  std::cout << int(moved[0]) << int(moved[5 * page - 1]) << int(moved[5 * page]) << ' ';
  std::cout << madvise(moved, page, MADV_DONTNEED) << int(moved[0]) << int(moved[page]) << '\n';
  std::vector<char*> blocks;
  for (size_t size = 16; size < (64u << 20); size *= 2)
    blocks.push_back(static_cast<char*>(std::calloc(size, 1)));
  long sum = 0;
  for (char* block : blocks) sum += block != nullptr, std::free(block);
  std::cout << sum << ' ' << (std::malloc(std::size_t{1} << 45) == nullptr) << '\n';
}

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) std::printf("[%s]", argv[i]);
  std::printf("%s\n", std::getenv("DUET_TEST_VARIABLE"));
  std::fflush(stdout);
  containers();
  std::cout.precision(17);
  std::cout << mathematics() << '\n';
  try {
    thrower(20);
  } catch (const std::exception& error) {
    std::cout << error.what() << '\n';
  }
  files();
  memory();
  std::string word;
  long words = 0;
  while (std::cin >> word) words += static_cast<long>(word.size());
  std::cout << words << std::endl;
  std::cerr << "to stderr\n";
  return argc;
}
