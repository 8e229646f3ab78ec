// run.json, in the folder of a run: the words that made it, for making it again.
//
//   {"schema": "duet.run/1", "directory": "/home/me", "options": ["--machine", "gtx580"],
//    "command": ["./app", "7"]}
//
// `options` are `duet run`'s without --out and --json; `command` begins with the first word that is no
// option.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace duet::cli {

struct RunWords {
  std::string directory;  // the current one
  std::vector<std::string> options, command;
};

// `words` stand behind `duet run`; the last of them are the command.
RunWords run_words(const std::vector<std::string>& words, const std::vector<std::string>& command);
// Without these options, which have a value, and flags: those of another command than `duet run`.
std::vector<std::string> without(const std::vector<std::string>& words, const std::set<std::string>& options,
                                 const std::set<std::string>& flags);
std::string to_json(const RunWords& words);
// Throws duet::Error where the folder has none.
RunWords read_run_words(const std::string& folder);

}  // namespace duet::cli
