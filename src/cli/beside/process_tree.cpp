#include "cli/beside/process_tree.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

namespace duet::cli {

namespace fs = std::filesystem;

std::vector<pid_t> descendants_of(pid_t root) {
  struct Child {
    pid_t process;
    bool ended;
  };
  std::multimap<pid_t, Child> children;
  std::error_code error;
  for (fs::directory_iterator entry("/proc", error), end; !error && entry != end; entry.increment(error)) {
    const pid_t process = std::atoi(entry->path().filename().c_str());
    if (process <= 0) continue;
    std::ifstream file(entry->path() / "stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(')');  // the name may hold anything
    if (name_end == std::string::npos) continue;
    std::istringstream fields(line.substr(name_end + 1));
    char state = 0;
    pid_t parent = 0;
    if (fields >> state >> parent) children.insert({parent, {process, state == 'Z' || state == 'X'}});
  }
  std::vector<pid_t> found, unseen{root};
  while (!unseen.empty()) {
    const auto [first, last] = children.equal_range(unseen.back());
    unseen.pop_back();
    for (auto child = first; child != last; ++child) {
      unseen.push_back(child->second.process);
      if (!child->second.ended) found.push_back(child->second.process);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace duet::cli
