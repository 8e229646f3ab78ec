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

int compile_opencl_c(const std::vector<std::string>& arguments) {
  std::string source, output, options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "-o") {
      if (++i >= arguments.size()) throw UsageError("cc: -o needs a value");
      output = arguments[i];
    } else if (is_opencl_c(argument)) {
      if (!source.empty())
        throw UsageError(
            fmt::format("cc: {} and {}: a call compiles one file of OpenCL C", source, argument));
      source = argument;
    } else if (argument != "-ptx") {
      options += quoted(argument) + ' ';
    }
  }
  const std::optional<std::string> text = read_file(source);
  if (!text) throw Error(fmt::format("cc: cannot read {}", source));
  const opencl::Compiled compiled = opencl::compile({.text = *text, .name = source, .options = options});
  std::fputs(compiled.log.c_str(), stderr);
  if (!compiled.succeeded) return compiled.wrong_options ? 2 : compiled.no_compiler ? 125 : 1;
  write_file(output.empty() ? std::filesystem::path(source).stem().string() + ".ptx" : output, compiled.ptx);
  return 0;
}

}  // namespace duet::cli
