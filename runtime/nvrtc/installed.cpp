#include "nvrtc/installed.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace duet::nvrtc {

namespace fs = std::filesystem;

namespace {

// Paths of the loader's cache that end with the name: behind its table of offsets stand all strings.
std::vector<std::string> in_cache(const std::string& name) {
  std::ifstream cache("/etc/ld.so.cache", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(cache), {}}, ending = "/" + name + '\0';
  std::vector<std::string> found;
  for (std::size_t at = 0; (at = bytes.find(ending, at)) != std::string::npos; at += ending.size())
    found.emplace_back(bytes.c_str() + bytes.rfind('\0', at) + 1);
  return found;
}

void* opened(int major) {
  const char* const choice = std::getenv("DUET_NVRTC");
  if (choice != nullptr && std::string(choice) == "own") return nullptr;
  const std::string name = "libnvrtc.so." + std::to_string(major);
  std::vector<std::string> places;
  if (const char* path = std::getenv("LD_LIBRARY_PATH")) {
    std::stringstream folders{std::string(path)};
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) places.push_back(folder + "/" + name);
  }
  for (const std::string& path : in_cache(name)) places.push_back(path);
  places.push_back("/usr/local/cuda/lib64/" + name);
  Dl_info own{};
  dladdr(reinterpret_cast<const void*>(&installed_function), &own);
  for (const std::string& place : places) {
    std::error_code error;
    if (!fs::exists(place, error) ||
        (own.dli_fname != nullptr && fs::equivalent(place, own.dli_fname, error)))
      continue;
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  return nullptr;
}

}  // namespace

void* installed_function(int major, const char* name) {
  static void* const library = opened(major);
  return library != nullptr ? dlsym(library, name) : nullptr;
}

}  // namespace duet::nvrtc
