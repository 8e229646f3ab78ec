// The source gets a tail that has the address of each expression in a variable:
//
//   __device__ auto __duet_name_0 = duet_name_of(kernel<float>);
//   -> .visible .global .align 8 .u64 __duet_name_0 = _Z6kernelIfEvPT_;
//
// The PTX says what the expression is called, and the variable is taken out of it again.
#include "nvrtc/compiler.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "child/child.h"

namespace duet::nvrtc {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMark = "__duet_name_";

std::string with_tail(const Source& source, bool default_device) {
  std::string text = default_device ? "#pragma clang force_cuda_host_device begin\n" : "";
  text += "#line 1 \"" + source.name + "\"\n" + source.text + "\n";
  if (default_device) text += "#pragma clang force_cuda_host_device end\n";
  if (source.expressions.empty()) return text;
  text +=
      "#line 1 \"name expressions\"\n"
      "template <class T> constexpr __host__ __device__ T* duet_name_of(T& x) { return &x; }\n"
      "template <class T> constexpr __host__ __device__ T* duet_name_of(T*&& x) { return x; }\n";
  for (std::size_t i = 0; i < source.expressions.size(); ++i)
    text += "#line 1 \"name expression " + std::to_string(i + 1) + "\"\n__device__ auto " +
            std::string(kMark) + std::to_string(i) + " = duet_name_of(" + source.expressions[i] + ");\n";
  return text;
}

// Takes the marked variables out of the PTX and gives what they point at.
std::vector<std::string> take_names(std::string& ptx, std::size_t count) {
  std::vector<std::string> names(count);
  if (count == 0) return names;
  std::string kept;
  std::stringstream lines{ptx};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t mark = line.find(kMark), equals = line.find(" = ");
    if (mark == std::string::npos || equals == std::string::npos || line[0] != '.') {
      kept += line + "\n";
      continue;
    }
    const std::size_t number = std::strtoul(line.c_str() + mark + kMark.size(), nullptr, 10);
    std::string name = line.substr(equals + 3);
    for (const char* around : {"generic(", ");", ";"})
      if (const std::size_t at = name.find(around); at != std::string::npos)
        name.erase(at, std::strlen(around));
    if (number < count) names[number] = name;
  }
  ptx = kept;
  return names;
}

// clang counts errors at the end of its text; the rest stands.
std::string without_counts(const std::string& log) {
  std::string kept;
  std::stringstream lines{log};
  for (std::string line; std::getline(lines, line);)
    if (line.find(" generated when compiling for ") == std::string::npos) kept += line + "\n";
  return kept;
}

}  // namespace

Compiled compile(const Source& source, const Options& options) {
  const child::TemporaryFolder folder("duet-nvrtc");
  const fs::path libraries = child::library_folder();
  if (folder.path.empty() || libraries.empty())
    return {false,
            {},
            "nvrtc: error: cannot make a temporary folder: " + std::string(std::strerror(errno)) + "\n",
            {}};
  const fs::path input = folder.path / "source.cu", ptx = folder.path / "device.ptx",
                 log = folder.path / "log";
  std::ofstream(input, std::ios::binary) << with_tail(source, options.default_device);
  const fs::path headers = folder.path / "include";
  for (const auto& [name, text] : source.headers) child::write_header(headers, name, text);

  std::vector<std::string> command = {libraries.parent_path().parent_path() / "bin/duet",
                                      "cc",
                                      "-ptx",
                                      "-D__CUDACC_RTC__",
                                      "-fdiagnostics-format=msvc",
                                      "-fno-show-column",
                                      "-fno-color-diagnostics",
                                      "-fno-caret-diagnostics",
                                      "-Xclang",
                                      "-fcuda-allow-variadic-functions",
                                      "-include",
                                      "assert.h",
                                      "-I",
                                      headers};
  command.push_back("-arch=sm_" + options.architecture.substr(options.architecture.find('_') + 1));
  const fs::path folder_of_source = fs::path(source.name).parent_path();
  if (options.source_folder)
    command.insert(command.end(), {"-I", folder_of_source.empty() ? "." : folder_of_source.string()});
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  command.insert(command.end(), {input, "-o", ptx});
  Compiled result;
  result.done = child::run(command, child::own_environment(libraries), log, "nvrtc") && fs::exists(ptx);
  result.log = without_counts(child::text_of(log));
  if (!result.done) return result;
  result.ptx = child::text_of(ptx);
  result.lowered = take_names(result.ptx, source.expressions.size());
  return result;
}

}  // namespace duet::nvrtc
