#include "cli/options/run_words.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"

namespace duet::cli {

using Json = nlohmann::ordered_json;

RunWords run_words(const std::vector<std::string>& words, const std::vector<std::string>& command) {
  RunWords result;
  std::error_code ignored;
  result.directory = std::filesystem::current_path(ignored).string();
  result.command = command;
  const std::size_t options = words.size() - command.size();
  for (std::size_t i = 0; i < options; ++i) {
    const std::string& word = words[i];
    if (word == "-o" || word == "--out" || word == "--json")
      ++i;  // its value
    else if (!word.starts_with("--out=") && !word.starts_with("--json=") &&
             !(word.starts_with("-o") && !word.starts_with("--")))
      result.options.push_back(word);
  }
  return result;
}

std::vector<std::string> without(const std::vector<std::string>& words, const std::set<std::string>& options,
                                 const std::set<std::string>& flags) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (options.contains(words[i]))
      ++i;  // its value
    else if (!flags.contains(words[i]) && !options.contains(words[i].substr(0, words[i].find('='))))
      result.push_back(words[i]);
  }
  return result;
}

std::string to_json(const RunWords& words) {
  const Json json = {{"schema", "duet.run/1"},
                     {"directory", words.directory},
                     {"options", words.options},
                     {"command", words.command}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

RunWords read_run_words(const std::string& folder) {
  const std::string path = folder + "/run.json";
  const auto text = read_file(path);
  if (!text) throw Error(path + " cannot be read: `duet run` leaves it in the folder of its results");
  try {
    const Json json = Json::parse(*text);
    return {json.at("directory"), json.at("options"), json.at("command")};
  } catch (const Json::exception&) {
    throw Error(path + " is not what `duet run` writes: make the run again");
  }
}

}  // namespace duet::cli
