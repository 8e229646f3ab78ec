// A fuzz target without libFuzzer: runs the target on files, on their beginnings, and on copies with damaged
// bytes.
//
//   replay_ptx tests/fuzz/corpus/ptx --every 50 tests/ptx/forms      files, and every 50th file of a folder
//
// For each file: the whole, 16 beginnings of it, and 48 copies with one to four bytes replaced. The positions
// and bytes follow from the file's name alone, so a failure comes again. The input under test is written to
// replay-input when the process dies.
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

// Of the sanitizers' runtime, where the target is built with one.
extern "C" void __sanitizer_set_death_callback(void (*)()) __attribute__((weak));
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

namespace {

constexpr std::size_t kBeginnings = 16, kDamagedCopies = 48, kMostBytes = 20000;
constexpr const char* kInput = "replay-input";

std::string input;

// The target has a copy of exactly the input's size, so that a sanitizer sees a read behind its end.
void run(std::string text) {
  input = std::move(text);
  const auto bytes = std::make_unique<std::uint8_t[]>(input.size());
  std::copy(input.begin(), input.end(), bytes.get());
  LLVMFuzzerTestOneInput(bytes.get(), input.size());
}

// Called when the process dies; a signal handler may only do this much.
void keep_input() {
  std::FILE* const file = std::fopen(kInput, "wb");
  if (file != nullptr) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
  std::fprintf(stderr, "the input is in %s\n", kInput);
}

void end(int) {
  keep_input();
  _exit(1);
}

void replay(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  run(whole);
  if (whole.empty() || whole.size() > kMostBytes) return;
  for (std::size_t i = 0; i < kBeginnings; ++i) run(whole.substr(0, whole.size() * i / kBeginnings));
  std::mt19937 random(static_cast<std::uint32_t>(std::hash<std::string>()(path.filename().string())));
  for (std::size_t i = 0; i < kDamagedCopies; ++i) {
    std::string damaged = whole;
    for (std::size_t bytes = 1 + i % 4; bytes > 0; --bytes)
      damaged[random() % damaged.size()] = static_cast<char>(random());
    run(std::move(damaged));
  }
}

}  // namespace

int main(int count, char** words) {
  if (__sanitizer_set_death_callback != nullptr)  // its report of a signal says more than ours
    __sanitizer_set_death_callback(keep_input);
  else
    for (const int signal : {SIGABRT, SIGSEGV, SIGFPE, SIGILL, SIGBUS}) ::signal(signal, end);
  std::size_t replayed = 0, every = 1;
  for (int i = 1; i < count; ++i) {
    if (words[i] == std::string("--every") && i + 1 < count) {
      every = std::stoul(words[++i]);
      continue;
    }
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(words[i]))
      for (const auto& entry : std::filesystem::recursive_directory_iterator(words[i]))
        if (entry.is_regular_file()) files.push_back(entry.path());
    if (files.empty()) files.emplace_back(words[i]);
    std::sort(files.begin(), files.end());
    for (std::size_t n = 0; n < files.size(); n += every, ++replayed) replay(files[n]);
  }
  std::printf("%zu files\n", replayed);
  return replayed == 0 ? 1 : 0;
}
