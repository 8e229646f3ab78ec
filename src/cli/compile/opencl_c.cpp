#include "cli/compile/opencl_c.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/file.h"
#include "cli/usage.h"
#include "opencl/compiler/compiler.h"

namespace duet::cli {

namespace {

bool is_opencl_c(const std::string& word) { return !word.starts_with('-') && word.ends_with(".cl"); }

// A word for a line of options, which are split as a shell does.
std::string quoted(const std::string& word) {
  std::string text = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

bool has_opencl_c(const std::vector<std::string>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), is_opencl_c);
}

OpenClC opencl_c_to_ptx(const char* command, const std::vector<std::string>& arguments, bool partial_groups) {
  OpenClC made;
  std::string options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-o") {
      if (++i >= arguments.size()) throw UsageError(fmt::format("{}: -o needs a value", command));
      made.output = arguments[i];
    } else if (is_opencl_c(argument)) {
      if (!made.source.empty())
        throw UsageError(fmt::format("{}: {} and {}: a call compiles one file of OpenCL C", command,
                                     made.source, argument));
      made.source = argument;
    } else if (argument != "-ptx") {
      options += quoted(argument) + ' ';
    }
  }
  if (made.source.empty()) throw UsageError(fmt::format("{}: name a file of OpenCL C, k.cl", command));
  const std::optional<std::string> text = read_file(made.source);
  if (!text) throw Error(fmt::format("{}: cannot read {}", command, made.source));
  opencl::Compiled compiled = opencl::compile(
      {.text = *text, .name = made.source, .options = options, .partial_groups = partial_groups});
  std::fputs(compiled.log.c_str(), stderr);
  if (!compiled.succeeded) made.status = compiled.wrong_options ? 2 : compiled.no_compiler ? 125 : 1;
  made.ptx = std::move(compiled.ptx);
  return made;
}

int compile_opencl_c(const std::vector<std::string>& arguments) {
  const OpenClC made = opencl_c_to_ptx("cc", arguments, false);
  if (made.status != 0) return made.status;
  write_file(made.output.empty() ? std::filesystem::path(made.source).stem().string() + ".ptx" : made.output,
             made.ptx);
  return 0;
}

}  // namespace duet::cli
