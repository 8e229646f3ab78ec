#include "report/results/host_lines.h"

#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string_view>

namespace duet::report {

namespace {

struct CallPlace {
  std::string function, line;  // "main", "/home/me/app.cu:12"
};
// By frame: the place of the call, and the ones that it was inlined into.
using CallPlaces = std::map<std::string, std::vector<CallPlace>>;

std::vector<std::string> frames_of(std::string_view fact) {
  std::vector<std::string> frames;
  for (std::size_t at = fact.find('@'); at != fact.npos;) {
    const std::size_t end = fact.find('@', at + 1);
    frames.emplace_back(fact.substr(at + 1, end - at - 1));
    at = end;
  }
  return frames;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? "'\\''" : std::string(1, c);
  return result + "'";
}

// Asks for all offsets of one file at once.
void ask(const std::string& file, const std::set<std::string>& offsets, CallPlaces& places) {
  std::string command = "addr2line -a -f -i -C -e " + quoted(file);
  for (const std::string& offset : offsets) command += " " + offset;
  command += " 2>/dev/null";
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), &pclose);
  if (output == nullptr) return;
  char buffer[4096];
  std::vector<CallPlace>* at = nullptr;
  auto offset = offsets.begin();
  for (bool function = true; std::fgets(buffer, sizeof buffer, output.get()) != nullptr;) {
    std::string line = buffer;
    while (!line.empty() && line.back() == '\n') line.pop_back();
    if (line.starts_with("0x") && offset != offsets.end()) {
      at = &places[file + "+" + *offset++];
      function = true;
    } else if (at != nullptr && function) {
      at->push_back({line, {}});
      function = false;
    } else if (at != nullptr) {
      at->back().line = line.substr(0, line.find(" (discriminator"));
      function = true;
    }
  }
}

// "main" of "main(int, char**)": debug information and symbols name a function differently.
std::string_view function_name(const CallPlace& place) {
  return std::string_view(place.function).substr(0, place.function.find_first_of("(<"));
}

bool is_of_cuda(const CallPlace& place, const std::string& kernel) {
  for (const std::string_view header : {"/share/duet/include/", "/runtime/cuda/include/",
                                        "cuda_runtime.h:", ".cudafe1.stub.c:", "/crt/host_runtime.h:"})
    if (place.line.find(header) != place.line.npos) return true;
  for (const std::string_view stub : {"__device_stub__", "__cudaLaunchKernel"})
    if (place.function.find(stub) != place.function.npos) return true;
  const std::string_view name = function_name(place);
  // Templates of its headers, where nothing says in which file they are.
  const std::string_view last = name.substr(name.rfind(' ') + 1);
  if (place.line.starts_with("??") && last.starts_with("cuda") && last.size() > 4 && last[4] >= 'A' &&
      last[4] <= 'Z')
    return true;
  return !kernel.empty() && (name == kernel || name.ends_with(" " + kernel));
}

std::string call_place(const std::vector<std::string>& frames, const CallPlaces& places) {
  std::string kernel, otherwise;
  for (const std::string& frame : frames) {
    if (frame.starts_with("=")) {
      kernel = frame.substr(1);
      continue;
    }
    if (otherwise.empty()) otherwise = frame;
    const auto known = places.find(frame);
    if (known == places.end()) continue;
    const std::vector<CallPlace>& chain = known->second;
    for (const CallPlace& place : chain) {
      if (is_of_cuda(place, kernel)) continue;
      // A stub that was inlined has no name of its own, but that of the function around it.
      if (!kernel.empty() && frame == otherwise && &place == chain.data() && chain.size() > 1 &&
          function_name(place) == function_name(chain.back()))
        continue;
      if (!place.line.starts_with("??") && !place.line.ends_with(":?") && !place.line.ends_with(":0"))
        return place.line;
      if (!place.function.starts_with("??")) return place.function + " (" + frame + ")";
    }
  }
  return otherwise;
}

}  // namespace

void resolve_host_lines(const std::vector<std::string*>& facts) {
  std::map<std::string, std::set<std::string>> files;
  for (const std::string* fact : facts)
    for (const std::string& frame : frames_of(*fact))
      if (const std::size_t plus = frame.rfind("+0x"); plus != frame.npos)
        files[frame.substr(0, plus)].insert(frame.substr(plus + 1));
  CallPlaces places;
  for (const auto& [file, offsets] : files) ask(file, offsets, places);
  for (std::string* fact : facts)
    if (const std::size_t at = fact->find('@'); at != fact->npos)
      *fact = fact->substr(0, at) + call_place(frames_of(*fact), places);
}

}  // namespace duet::report
