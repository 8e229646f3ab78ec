#include "cli/options/guest_words.h"

namespace duet::cli {

std::vector<std::string> guest_words(const RunOptions& options) {
  std::vector<std::string> words;
  if (!options.files.root.empty()) words.insert(words.end(), {"--root", options.files.root});
  for (const std::string& folder : options.files.writable) words.insert(words.end(), {"--writable", folder});
  if (options.no_environment) words.emplace_back("--no-environment");
  return words;
}

}  // namespace duet::cli
