// clang runs twice: from the source to its intermediate text, which says what kernels require and how their
// arguments are called, and from that to PTX. The source begins with a line that names it, for diagnostics
// and for the lines in the PTX. What is kept of an earlier compilation is its log, its PTX, what it says of
// kernels, and the files that it included, each with a hash: one that has changed since makes it void.
#include "opencl/compiler/compiler.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "base/file.h"
#include "base/file_cache.h"
#include "base/hash.h"
#include "child/child.h"
#include "opencl/compiler/kernel_info.h"
#include "opencl/compiler/options.h"

namespace duet::opencl {

namespace fs = std::filesystem;

namespace {

constexpr const char* kClang = "clang-19";
constexpr const char* kClangElsewhere = "/usr/lib/llvm-19/bin/clang";
constexpr const char* kTarget = "--target=nvptx64-nvidia-nvcl";
constexpr const char* kArchitecture = "-march=sm_60";
constexpr const char* kLibclc = "/usr/lib/clc/nvptx64--nvidiacl.bc";

// Where the compiler is, empty where it is not.
std::string find_clang() {
  const char* const path = std::getenv("PATH");
  const std::string folders = path == nullptr ? "" : path;
  for (std::size_t begin = 0; begin < folders.size();) {
    const std::size_t end = std::min(folders.find(':', begin), folders.size());
    const std::string file = folders.substr(begin, end - begin) + "/" + kClang;
    if (access(file.c_str(), X_OK) == 0) return file;
    begin = end + 1;
  }
  return access(kClangElsewhere, X_OK) == 0 ? kClangElsewhere : "";
}

// A tool or library as it is now; empty: there is none.
std::string version_of(const std::string& file) {
  struct stat status {};
  if (stat(file.c_str(), &status) != 0) return {};
  return fmt::format("{} {} {}.{}\n", file, status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

std::string quoted(const std::string& name) {
  std::string text;
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '\n' ? ' ' : c;
  }
  return text;
}

std::string macro(const std::string& name) { return "-D" + name + "=1"; }

// What this device has of the language, beyond what clang knows of PTX: 64-bit atomics, and of 3.0 all but
// pipes, device queues and sub-groups. Of 2.0 clang defines everything.
void add_features(std::vector<std::string>& command, const Options& options) {
  std::string on = "-all,+cl_khr_fp64,+cl_khr_byte_addressable_store";
  for (const char* space : {"global", "local"})
    for (const char* kind : {"base", "extended"})
      on += fmt::format(",+cl_khr_{}_int32_{}_atomics", space, kind);
  on += ",+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_clang_storage_class_specifiers";
  on += ",+cl_khr_3d_image_writes";
  command.push_back(macro("__IMAGE_SUPPORT__"));
  on += ",+__cl_clang_variadic_functions,+__cl_clang_function_pointers,+__cl_clang_bitfields";
  on += ",+__cl_clang_non_portable_kernel_param_types";
  if (options.standard == "CL3.0") {
    on += ",+__opencl_c_images,+__opencl_c_3d_image_writes,+__opencl_c_read_write_images";
    on += ",+__opencl_c_fp64,+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables";
    for (const char* feature : {"work_group_collective_functions", "atomic_order_acq_rel",
                                "atomic_order_seq_cst", "atomic_scope_device", "atomic_scope_all_devices"})
      command.push_back(macro(std::string("__opencl_c_") + feature));
  }
  command.insert(command.end(), {"-Xclang", "-cl-ext=" + on});
  command.push_back("-D__OPENCL_VERSION__=300");  // of the device, whatever the program's
}

// Parts of a text, each behind its length.
void add_part(std::string& text, std::string_view part) {
  text += std::to_string(part.size()) + "\n";
  text += part;
}
std::optional<std::string> take_part(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::size_t bytes = std::strtoull(std::string(text.substr(0, end)).c_str(), nullptr, 10);
  text.remove_prefix(end + 1);
  if (bytes > text.size()) return std::nullopt;
  std::string part(text.substr(0, bytes));
  text.remove_prefix(bytes);
  return part;
}

// The files of a rule of make's, "device.ptx: a.cl inc/b\ c.h \", without those below `folder`.
std::vector<std::string> files_of_rule(const std::string& rule, const std::string& folder) {
  std::vector<std::string> files(1);
  for (std::size_t i = rule.find(": ") + 1; i != 0 && i < rule.size(); ++i) {
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\0';
    if (rule[i] == '\\' && (next == ' ' || next == '#' || next == '\\'))
      files.back() += rule[++i];
    else if (rule[i] == '$' && next == '$')
      files.back() += rule[++i];
    else if (rule[i] != ' ' && rule[i] != '\n' && !(rule[i] == '\\' && next == '\n'))
      files.back() += rule[i];
    else if (!files.back().empty())
      files.emplace_back();
  }
  std::erase_if(files, [&](const std::string& file) { return file.empty() || file.starts_with(folder); });
  return files;
}

// The lines from which kernels_of() reads.
std::string of_kernels(const std::string& intermediate) {
  std::string kept;
  std::stringstream lines{intermediate};
  for (std::string line; std::getline(lines, line);)
    if (line.find(" spir_kernel ") != std::string::npos ||
        (line.starts_with('!') && line.find(" = !{") != std::string::npos))
      kept += line + "\n";
  return kept;
}

std::string hash_of_file(const std::string& file) {
  return std::to_string(hash(read_file(file).value_or("")));
}

std::string kept_form(const Compiled& compiled, const std::string& intermediate,
                      const std::vector<std::string>& files) {
  std::string text;
  add_part(text, compiled.log);
  add_part(text, compiled.ptx);
  add_part(text, intermediate);
  for (const std::string& file : files) {
    add_part(text, file);
    add_part(text, hash_of_file(file));
  }
  return text;
}
std::optional<Compiled> from_kept(std::string_view text) {
  const auto log = take_part(text), ptx = take_part(text), intermediate = take_part(text);
  if (!log || !ptx || !intermediate) return std::nullopt;
  while (!text.empty()) {
    const auto file = take_part(text), known = take_part(text);
    if (!file || !known || hash_of_file(*file) != *known) return std::nullopt;
  }
  return Compiled{.succeeded = true, .log = *log, .ptx = *ptx, .kernels = kernels_of(*intermediate)};
}

Compiled missing(const std::string& what, const std::string& package) {
  return {.no_compiler = true,
          .log = fmt::format("duet: OpenCL C needs {}, which is not here: install the package {} (apt-get "
                             "install {})\n",
                             what, package, package)};
}

}  // namespace

Compiled compile(const Source& source) {
  const Options options = read_options(source.options);
  if (!options.unknown.empty())
    return {.wrong_options = true,
            .log = fmt::format("duet: '{}' is no option of OpenCL's compiler\n", options.unknown)};
  const fs::path libraries = child::library_folder();
  const std::string clang = find_clang();
  const std::string builtins =
      libraries / (options.uniform_groups ? "opencl/builtins_uniform.bc" : "opencl/builtins.bc");
  if (clang.empty()) return missing(kClang, kClang);
  const std::string clang_is = version_of(clang), libclc_is = version_of(kLibclc),
                    builtins_are = version_of(builtins);
  if (libclc_is.empty()) return missing(kLibclc, "libclc-19");
  if (builtins_are.empty()) return missing(builtins, "duet");

  std::error_code ignored;
  const std::string here = fs::current_path(ignored).string();
  std::vector<std::string> command = {clang,
                                      "-x",
                                      "cl",
                                      "-cl-std=" + options.standard,
                                      kTarget,
                                      kArchitecture,
                                      "-O2",
                                      "-gline-directives-only",
                                      "-gdwarf-2",                         // later ones put labels into calls
                                      "-fdebug-prefix-map=" + here + "=",  // names stay as they are
                                      "-fno-color-diagnostics",
                                      "-fno-crash-diagnostics",
                                      "-Wno-linker-warnings",
                                      "-Wno-unused-command-line-argument",
                                      "-Xclang",
                                      "-finclude-default-header",
                                      "-cl-kernel-arg-info"};
  add_features(command, options);
  for (const std::string& library : {builtins, std::string(kLibclc)})
    command.insert(command.end(), {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", library});

  std::string key = "2\n" + clang_is + libclc_is + builtins_are;
  for (const std::vector<std::string>& words : {command, options.flags})
    for (const std::string& word : words) add_part(key, word);
  for (const auto& [name, text] : source.headers) {
    add_part(key, name);
    add_part(key, text);
  }
  add_part(key, source.name);
  add_part(key, source.text);
  const FileCache cache("opencl");
  if (const auto kept = cache.recall(key))
    if (auto compiled = from_kept(*kept)) return *compiled;

  const child::TemporaryFolder folder("duet-opencl");
  if (folder.path.empty())
    return {.log = fmt::format("duet: cannot make a temporary folder: {}\n", std::strerror(errno))};
  const fs::path input = folder.path / "source.cl", middle = folder.path / "device.ll",
                 ptx = folder.path / "device.ptx", log = folder.path / "log", rule = folder.path / "rule",
                 headers = folder.path / "include";
  std::ofstream(input, std::ios::binary) << "#line 1 \"" << quoted(source.name) << "\"\n"
                                         << source.text << '\n';
  for (const auto& [name, text] : source.headers) child::write_header(headers, name, text);
  command.insert(command.end(), {"-I", headers});
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  command.insert(command.end(), {"-I", ".", "-MMD", "-MF", rule, "-S", "-emit-llvm", input, "-o", middle});
  const std::vector<std::string> environment = child::own_environment(libraries);
  Compiled compiled;
  compiled.succeeded = child::run(command, environment, log, "duet") && fs::exists(middle);
  compiled.log = child::text_of(log);
  if (!compiled.succeeded) return compiled;
  std::string intermediate = child::text_of(middle);
  separate_called_kernels(intermediate);
  std::ofstream(middle, std::ios::binary) << intermediate;
  compiled.succeeded =
      child::run({clang, "-x", "ir", kTarget, kArchitecture, "-O2", "-Xclang", "-disable-llvm-passes",
                  "-fno-color-diagnostics", "-fno-crash-diagnostics", "-S", middle, "-o", ptx},
                 environment, log, "duet") &&
      fs::exists(ptx);
  if (!compiled.succeeded) {
    compiled.log += child::text_of(log);
    return compiled;
  }
  compiled.kernels = kernels_of(intermediate);
  compiled.ptx = child::text_of(ptx);
  repair_byte_pairs(compiled.ptx);
  add_required_groups(compiled.ptx, compiled.kernels);
  cache.keep(key,
             kept_form(compiled, of_kernels(intermediate), files_of_rule(child::text_of(rule), folder.path)));
  return compiled;
}

}  // namespace duet::opencl
