// --json FILE|-, the same for every command.
//
//   JsonOutput json(options.json, JsonOutput::Rest::Nowhere);
//   ...                                // prints its table with stdio
//   json.write(text);
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace duet::cli {

class JsonOutput {
 public:
  // With "-" what this process, and any that it starts, prints on standard output meanwhile.
  enum class Rest { Nowhere, StandardError };
  // `path`: empty for none, "-" for standard output. Throws UsageError for a program's file: somebody meant
  // to run it.
  JsonOutput(std::string path, Rest rest);
  ~JsonOutput();
  JsonOutput(const JsonOutput&) = delete;

  bool wanted() const { return !path_.empty(); }
  bool on_standard_output() const { return path_ == "-"; }
  // Nothing where none is wanted. Throws duet::Error where it cannot be written.
  void write(const std::string& text) const;
  // One text as it is, several as an array; none: null.
  void write(const std::vector<std::string>& texts) const;

 private:
  std::string path_;
  int output_ = -1;  // the true standard output
};

// `what` is in the text: "the comparison (duet.comparison/1)".
CLI::Option* add_json_option(CLI::App& app, std::string& place, const std::string& what);

}  // namespace duet::cli
