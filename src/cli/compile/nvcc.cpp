// `duet nvcc`: the user's own nvcc, with the shared runtime, which `duet run` replaces.
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "cli/commands.h"

namespace duet::cli {

int run_nvcc(const std::vector<std::string>& arguments) {
  const char* const before = std::getenv("NVCC_APPEND_FLAGS");
  const std::string flags = (before != nullptr ? std::string(before) + " " : "") + "-cudart shared";
  setenv("NVCC_APPEND_FLAGS", flags.c_str(), 1);
  std::vector<char*> words{const_cast<char*>("nvcc")};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execvp(words[0], words.data());
  throw Error(std::string("cannot run nvcc: ") + std::strerror(errno) +
              " (put it on PATH, or compile with `duet cc`, which needs no NVIDIA file)");
}

}  // namespace duet::cli
