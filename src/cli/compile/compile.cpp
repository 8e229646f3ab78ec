// `duet cc`: clang with our own CUDA headers, no NVIDIA file anywhere. Device code becomes PTX; clang's host
// pass embeds it as the program's GPU binary; the result is linked with our runtime library. Other inputs and
// flags go to clang as they are.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/file.h"
#include "cli/commands.h"
#include "cli/compile/opencl_c.h"
#include "cli/compile/precompiled_headers.h"
#include "cli/compile/static_names.h"
#include "cli/compile/wide_copies.h"
#include "cli/usage.h"

namespace duet::cli {

namespace fs = std::filesystem;

namespace {

constexpr const char* kCompiler = "clang++-19";
constexpr const char* kDefaultArchitecture = "sm_60";
constexpr const char* kRiscvHeaders = "/usr/riscv64-linux-gnu/include";
constexpr const char* kHsaHeader = "/usr/include/hsa/hsa_ext_finalize.h";
constexpr const char* kRiscvLibraries = "/usr/riscv64-linux-gnu/lib";
constexpr const char* kOpenMpOfClang = "/usr/lib/llvm-19/lib/libomp.so";
constexpr const char* kRiscvFlags[] = {"--target=riscv64-linux-gnu", "-march=rv64gc"};

// Runs a program and returns its exit status.
int execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const pid_t process = fork();
  if (process < 0) throw Error(std::string("cannot start a process: ") + std::strerror(errno));
  if (process == 0) {
    execvp(arguments[0], arguments.data());
    std::fprintf(stderr, "duet: cannot run %s: %s (on Debian: apt install clang-19 lld-19)\n", arguments[0],
                 std::strerror(errno));
    _exit(125);
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 125;
}

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "duet-cc-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error("cannot make a temporary folder: " + std::string(std::strerror(errno)));
    path = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

struct Request {
  std::vector<std::string> sources;       // .cu
  std::vector<std::string> host_sources;  // C and C++, which may include CUDA's headers
  std::vector<std::string> flags;         // for compiling and linking
  std::vector<std::string> link_inputs;   // objects, libraries, -l, -L, -Wl: for linking only
  std::string output;
  std::string architecture = kDefaultArchitecture;
  std::string cccl;           // folder with thrust/ and cub/; empty: none
  bool compile_only = false;  // -c
  bool ptx_only = false;      // -ptx
  bool riscv64 = false;       // --host riscv64: the host's part is for simulated cores
  bool openmp = false;        // -fopenmp
  bool opencl = false;        // -lOpenCL, for simulated cores
  bool hsa = false;           // -lhsa-runtime64, the same
  // Where LLVM's own runtime is not there for the processor, libgomp's is (lib/duet/openmp).
  bool openmp_by_libgomp() const { return openmp && (riscv64 || !fs::exists(kOpenMpOfClang)); }
};

// The folder with thrust/ and cub/ of a toolkit's header folder: since CUDA 13 they lie in one of their own.
std::string cccl_of(const std::string& headers) {
  for (const fs::path& folder : {fs::path(headers) / "cccl", fs::path(headers)})
    if (fs::exists(folder / "thrust/version.h") && fs::exists(folder / "cub/cub.cuh")) return folder;
  throw Error(
      fmt::format("cc: --cuda-include {}: neither it nor its folder cccl holds thrust/ and cub/ (a toolkit's "
                  "include folder does)",
                  headers));
}

// -lOpenCL, -l OpenCL, or the library's file, which build systems name.
bool take_library(std::vector<std::string>& inputs, const std::string& name) {
  bool found = false;
  for (std::size_t i = 0; i < inputs.size();) {
    const bool in_two = inputs[i] == "-l" && i + 1 < inputs.size() && inputs[i + 1] == name;
    if (!in_two && inputs[i] != "-l" + name &&
        !fs::path(inputs[i]).filename().string().starts_with("lib" + name + ".")) {
      ++i;
      continue;
    }
    const auto first = inputs.begin() + static_cast<std::ptrdiff_t>(i);
    inputs.erase(first, first + (in_two ? 2 : 1));
    found = true;
  }
  return found;
}

// Such a program is static, and has the runtime's functions without asking for a library; those of OpenCL and
// HSA with the usual name of theirs.
void fit_for_riscv(Request& request) {
  for (const std::string& flag : request.flags)
    if (flag == "-shared")
      throw Error(
          "cc: --host riscv64 makes static programs: leave out -shared, and link the sources or objects");
  for (const std::string& input : request.link_inputs)
    if (input == "-lnvrtc")
      throw Error("cc: --host riscv64: no NVRTC for simulated cores: compile the kernels before (-ptx)");
  std::erase_if(request.link_inputs, [](const std::string& input) {
    return input == "-lcudart" || input == "-lcudart_static" || input == "-lcuda";
  });
  request.opencl = take_library(request.link_inputs, "OpenCL");
  request.hsa = take_library(request.link_inputs, "hsa-runtime64");
  std::vector<std::string> apis;
  if (!request.sources.empty()) apis.push_back(request.sources.front() + " is CUDA");
  if (request.opencl) apis.emplace_back("-lOpenCL is OpenCL");
  if (request.hsa) apis.emplace_back("-lhsa-runtime64 is HSA");
  if (apis.size() > 1)
    throw Error(
        fmt::format("cc: --host riscv64: {}, and {}: a program on simulated cores uses one of them: take the "
                    "other one out, or compile for --host native",
                    apis[0], apis[1]));
}

bool is_host_source(const std::string& file) {
  static const std::set<std::string> kSuffixes = {".c", ".cc", ".cpp", ".cxx", ".c++", ".C"};
  return kSuffixes.contains(fs::path(file).extension());
}

Request parse(const std::vector<std::string>& arguments) {
  static const std::set<std::string> kWithValue = {"-I",      "-D",   "-U",        "-include", "-isystem",
                                                   "-iquote", "-std", "-Xclang",   "-MF",      "-MT",
                                                   "-MQ",     "-x",   "-idirafter"};
  Request request;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    auto value = [&]() -> const std::string& {
      if (++i >= arguments.size()) throw UsageError(fmt::format("cc: {} needs a value", argument));
      return arguments[i];
    };
    if (argument == "-o") {
      request.output = value();
    } else if (argument == "-c") {
      request.compile_only = true;
    } else if (argument == "-ptx") {
      request.ptx_only = true;
    } else if (argument.starts_with("--cuda-gpu-arch=") || argument.starts_with("--offload-arch=") ||
               argument.starts_with("-arch=")) {
      request.architecture = argument.substr(argument.find('=') + 1);
    } else if (argument == "-arch") {
      request.architecture = value();
    } else if (argument == "--host" || argument.starts_with("--host=")) {
      const std::string host = argument == "--host" ? value() : argument.substr(argument.find('=') + 1);
      if (host != "native" && host != "riscv64")
        throw UsageError(
            fmt::format("cc: --host {}: native, or riscv64 for `duet run --host simulated`", host));
      request.riscv64 = host == "riscv64";
    } else if (argument == "--cuda-include") {
      request.cccl = cccl_of(value());
    } else if (argument.starts_with("--cuda-include=")) {
      request.cccl = cccl_of(argument.substr(argument.find('=') + 1));
    } else if (argument == "-fopenmp") {
      request.openmp = true;  // of the host's part
    } else if (argument == "-L" || argument == "-l") {
      request.link_inputs.push_back(argument);
      request.link_inputs.push_back(value());
    } else if (kWithValue.contains(argument)) {
      request.flags.push_back(argument);
      request.flags.push_back(value());
    } else if (argument.starts_with("-l") || argument.starts_with("-L") || argument.starts_with("-Wl,") ||
               argument == "-rdynamic") {
      request.link_inputs.push_back(argument);
    } else if (argument.starts_with("-")) {
      request.flags.push_back(argument);
    } else {
      if (!fs::exists(argument)) throw Error(fmt::format("cc: no such file: {}", argument));
      (argument.ends_with(".cu")  ? request.sources
       : is_host_source(argument) ? request.host_sources
                                  : request.link_inputs)
          .push_back(argument);
    }
  }
  const std::size_t compiled = request.sources.size() + request.host_sources.size();
  if (compiled == 0 && request.link_inputs.empty())
    throw UsageError("cc: no input: duet cc app.cu -o app [any clang flags]");
  if (request.compile_only && compiled == 0) throw UsageError("cc: -c needs a source file");
  if ((request.compile_only || request.ptx_only) && compiled > 1 && !request.output.empty())
    throw UsageError("cc: -o with several sources needs linking: leave out -c");
  if (request.ptx_only && request.sources.empty()) throw UsageError("cc: -ptx needs a .cu file");
  if (request.riscv64) fit_for_riscv(request);
  return request;
}

// The device's pass reads omp.h, and no pragma.
void add_openmp(std::vector<std::string>& flags, const config::Installation& installation,
                const Request& request, Pass pass) {
  if (request.openmp_by_libgomp()) flags.insert(flags.end(), {"-isystem", installation.openmp_directory});
  if (request.openmp && pass == Pass::Host) flags.push_back("-fopenmp");
}

std::vector<std::string> cuda_flags(const config::Installation& installation, const Request& request,
                                    Pass pass, bool reads_headers = true) {
  // --cuda-path keeps clang from finding an SDK; +ptx78 is required for the .sync shuffles and votes.
  std::vector<std::string> flags = {kCompiler,
                                    "-x",
                                    "cuda",
                                    "-nocudainc",
                                    "-nocudalib",
                                    "--cuda-path=/nonexistent",
                                    "--cuda-gpu-arch=" + request.architecture,
                                    "--cuda-feature=+ptx78",
                                    "-std=c++17",
                                    "-O2",
                                    "-D__DUET__=1",
                                    "-Wno-unknown-cuda-version",
                                    "-Wno-unused-command-line-argument",
                                    "-isystem",
                                    installation.include_directory,
                                    "-Xclang",
                                    "-target-sdk-version=12.3"};
  if (reads_headers) {
    std::string made;
    if (request.architecture == kDefaultArchitecture && request.cccl.empty() && !request.openmp &&
        PrecompiledHeaders::allow(request.flags))
      made = PrecompiledHeaders(installation, kCompiler).file(pass, request.riscv64);
    if (made.empty())
      flags.insert(flags.end(), {"-include", "cuda_runtime.h"});
    else
      flags.insert(flags.end(), {"-Xclang", "-include-pch", "-Xclang", made});
  }
  // Lines of the source, and no change of code (-g in the request says more, -g0 leaves them out).
  if (pass == Pass::Device) flags.insert(flags.end(), {"-gline-directives-only", "--cuda-device-only"});
  // The lines of the program's calls, for what `duet run --check` finds.
  if (pass == Pass::Host) flags.insert(flags.end(), {"-gline-tables-only", "--cuda-host-only"});
  // -fPIC in the request comes after it and counts
  if (pass == Pass::Host && !request.riscv64) flags.push_back("-fPIE");
  if (request.riscv64) flags.insert(flags.begin() + 1, std::begin(kRiscvFlags), std::end(kRiscvFlags));
  // CCCL's traits declare C variadic functions for the device, without callers.
  if (!request.cccl.empty())
    flags.insert(flags.end(), {"-isystem", request.cccl, "-Xclang", "-fcuda-allow-variadic-functions",
                               "-Wno-pass-failed"});
  add_openmp(flags, installation, request, pass);
  flags.insert(flags.end(), request.flags.begin(), request.flags.end());
  return flags;
}

// By way of LLVM's form of the code, in which copies of vectors become what nvcc makes of them. What comes
// behind the first step generates code and nothing else: all passes have run. Without such copies that is
// from the bytes, which keep the order of every list and give what clang alone does.
int compile_to_ptx(const config::Installation& installation, const Request& request,
                   const std::string& source, const std::string& ptx, const TemporaryFolder& temporary) {
  const std::string bytes = temporary.path + "/device.bc", text = temporary.path + "/device.ll";
  std::vector<std::string> command = cuda_flags(installation, request, Pass::Device);
  if (request.ptx_only) command.push_back(kKeepVariables);
  command.insert(command.end(), {"-c", "-emit-llvm", "-Xclang", "-emit-llvm-uselists", source, "-o", bytes});
  if (const int status = execute(command); status != 0) return status;
  const std::vector<std::string> next = {kCompiler,
                                         "-cc1",
                                         "-triple",
                                         "nvptx64-nvidia-cuda",
                                         "-x",
                                         "ir",
                                         "-disable-llvm-passes",
                                         "-fno-dwarf-directory-asm",
                                         "-target-cpu",
                                         request.architecture,
                                         "-target-feature",
                                         "+ptx78",
                                         "-O2"};
  std::vector<std::string> print = next;
  print.insert(print.end(), {"-emit-llvm", bytes, "-o", text});
  if (const int status = execute(print); status != 0) return status;
  const std::optional<std::string> before = read_file(text);
  if (!before) throw Error(fmt::format("cc: cannot read {}", text));
  const std::string after = with_wide_copies(*before);
  if (after != *before) write_file(text, after);
  std::vector<std::string> generate = next;
  bool fuses = true;  // multiplications with additions: clang's default for CUDA
  for (const std::string& flag : request.flags) {
    if (flag.starts_with("-O")) generate.push_back(flag);
    if (flag.starts_with("-ffp-contract=")) fuses = flag == "-ffp-contract=fast";
  }
  if (fuses) generate.insert(generate.end(), {"-mllvm", "-nvptx-fma-level=2"});
  generate.insert(generate.end(), {"-S", after == *before ? bytes : text, "-o", ptx});
  return execute(generate);
}

int compile_to_object(const config::Installation& installation, const Request& request,
                      const std::string& source, const std::string& ptx, const std::string& object) {
  std::ofstream(ptx, std::ios::app | std::ios::binary).put('\0');  // the runtime reads it as a string
  std::vector<std::string> command = cuda_flags(installation, request, Pass::Host);
  command.insert(command.end(),
                 {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", ptx, "-c", source, "-o", object});
  return execute(command);
}

// hsa.h asks about the byte order where it does not know the processor.
void add_riscv_flags(std::vector<std::string>& command) {
  command.insert(command.end(), std::begin(kRiscvFlags), std::end(kRiscvFlags));
  command.emplace_back("-DLITTLEENDIAN_CPU=");
}

int compile_for_host(const config::Installation& installation, const Request& request,
                     const std::string& source, const std::string& object) {
  const bool is_c = fs::path(source).extension() == ".c";
  std::vector<std::string> command = {kCompiler, "-x", is_c ? "c" : "c++"};
  if (request.riscv64)
    add_riscv_flags(command);
  else
    command.push_back("-fPIE");
  command.insert(command.end(),
                 {"-O2", "-gline-tables-only", "-D__DUET__=1", "-Wno-unused-command-line-argument",
                  "-isystem", installation.include_directory});
  add_openmp(command, installation, request, Pass::Host);
  for (const std::string& flag : request.flags)
    if (!is_c || !flag.starts_with("-std=c++")) command.push_back(flag);
  command.insert(command.end(), {"-c", source, "-o", object});
  return execute(command);
}

// Adds the files of a list of dependencies, as -MD writes it.
void add_dependencies(const std::string& list, std::set<std::string>& files) {
  std::ifstream text(list);
  std::string word;
  text >> word;  // the output
  while (text >> word)
    if (word != "\\") files.insert(word);
}

// Compiles a source of the installation for the program that is linked.
int compile_part(const config::Installation& installation, const Request& request, const std::string& source,
                 const std::string& object, const std::vector<std::string>& also = {}) {
  std::vector<std::string> command = {kCompiler};
  if (request.riscv64)
    add_riscv_flags(command);
  else
    command.push_back("-fPIE");
  command.insert(command.end(), {"-O2", "-std=c++17", "-Wno-unused-command-line-argument", "-isystem",
                                 installation.include_directory, "-c", source, "-o", object});
  command.insert(command.end(), also.begin(), also.end());
  return execute(command);
}

// What a program on simulated cores is linked with, in lib/duet/guest.
struct GuestParts {
  std::vector<std::string> all{"duet_guest.cpp", "duet_guest.S", "duet_guest_driver.cpp"};
  void add_opencl() { all.insert(all.end(), {"duet_guest_opencl.cpp", "duet_guest_opencl.S"}); }
  void add_hsa() { all.insert(all.end(), {"duet_guest_hsa.cpp", "duet_guest_hsa.S"}); }
};

// Makes what later compilations start from, for each kind of host that this machine compiles for.
int precompile(const config::Installation& installation) {
  const PrecompiledHeaders headers(installation, kCompiler);
  headers.forget();
  std::set<std::string> files;
  for (const bool riscv64 : {false, true}) {
    if (riscv64 && !fs::exists(kRiscvHeaders)) continue;
    for (const Pass pass : {Pass::Device, Pass::Host}) {
      Request request;
      request.riscv64 = riscv64;
      const std::string made = headers.place(pass, riscv64), next = made + ".next";
      std::vector<std::string> command = cuda_flags(installation, request, pass, false);
      command.insert(command.end(), {pass == Pass::Device ? "-S" : "-c", "-Xclang", "-emit-pch",
                                     installation.include_directory + "/cuda_runtime.h", "-o", next, "-MD",
                                     "-MF", next + ".d"});
      if (const int status = execute(command); status != 0) return status;
      fs::rename(next, made);
      add_dependencies(next + ".d", files);
      fs::remove(next + ".d");
    }
  }
  if (fs::exists(kRiscvHeaders)) {
    GuestParts parts;
    parts.add_opencl();
    if (fs::exists(kHsaHeader)) parts.add_hsa();
    Request request;
    request.riscv64 = true;
    for (const std::string& part : parts.all) {
      const std::string made = headers.place_of_part(part), next = made + ".next";
      if (const int status = compile_part(installation, request, installation.guest_directory + "/" + part,
                                          next, {"-MD", "-MF", next + ".d"});
          status != 0)
        return status;
      fs::rename(next, made);
      add_dependencies(next + ".d", files);
      fs::remove(next + ".d");
    }
  }
  headers.made_from(files);
  return 0;
}

int link_openmp(const config::Installation& installation, const Request& request,
                const TemporaryFolder& temporary, std::vector<std::string>& link) {
  if (!request.openmp_by_libgomp()) {
    if (request.openmp) link.push_back("-fopenmp");
    return 0;
  }
  const std::string object = temporary.path + "/duet_openmp.o";
  link.insert(link.end(), {object, "-lgomp"});
  return compile_part(installation, request, installation.openmp_directory + "/duet_openmp.cpp", object);
}

// A static program, whose calls of the runtime leave it (lib/duet/guest).
int link_for_riscv(const config::Installation& installation, const Request& request,
                   const TemporaryFolder& temporary, const std::vector<std::string>& objects) {
  std::vector<std::string> link = {kCompiler};
  link.insert(link.end(), std::begin(kRiscvFlags), std::end(kRiscvFlags));
  link.insert(link.end(), {"-fuse-ld=lld", "-static", "-Wl,--gc-sections"});
  link.insert(link.end(), request.flags.begin(), request.flags.end());
  link.insert(link.end(), {"-o", request.output.empty() ? "a.out" : request.output});
  link.insert(link.end(), objects.begin(), objects.end());
  // Before folders with this computer's libraries, which build systems name.
  link.push_back(std::string("-L") + kRiscvLibraries);
  link.insert(link.end(), request.link_inputs.begin(), request.link_inputs.end());
  GuestParts parts;
  if (request.opencl) parts.add_opencl();
  if (request.hsa) parts.add_hsa();
  const PrecompiledHeaders kept(installation, kCompiler);
  for (const std::string& part : parts.all) {
    std::string object = kept.part(part);
    if (object.empty()) {
      object = fmt::format("{}/{}.o", temporary.path, part);
      if (const int status =
              compile_part(installation, request, installation.guest_directory + "/" + part, object);
          status != 0)
        return status;
    }
    link.push_back(object);
  }
  if (const int status = link_openmp(installation, request, temporary, link); status != 0) return status;
  link.insert(link.end(), {"-Wno-unused-command-line-argument", "-lpthread", "-lm"});
  return execute(link);
}

}  // namespace

int compile(const config::Installation& installation, const std::vector<std::string>& arguments) {
  if (arguments.size() == 1 && arguments[0] == "--precompile-headers") return precompile(installation);
  if (has_opencl_c(arguments)) return compile_opencl_c(arguments);
  const Request request = parse(arguments);
  if (request.riscv64 && !fs::exists(kRiscvHeaders))
    throw Error(fmt::format("cc: --host riscv64: no {} (on Debian: apt install g++-riscv64-linux-gnu)",
                            kRiscvHeaders));
  const TemporaryFolder temporary;
  std::vector<std::string> objects;
  for (std::size_t i = 0; i < request.sources.size(); ++i) {
    const std::string& source = request.sources[i];
    const std::string stem = fs::path(source).stem();
    if (request.ptx_only) {
      const std::string ptx = request.output.empty() ? stem + ".ptx" : request.output;
      const int status = compile_to_ptx(installation, request, source, ptx, temporary);
      if (status != 0) return status;
      const std::optional<std::string> text = read_file(ptx);
      if (!text) throw Error(fmt::format("cc: cannot read {}", ptx));
      write_file(ptx, with_names_of_nvcc(without_unused_constants(*text)));
      continue;
    }
    const std::string ptx = fmt::format("{}/{}-{}.ptx", temporary.path, i, stem);
    std::string object = fmt::format("{}/{}-{}.o", temporary.path, i, stem);
    if (request.compile_only) object = request.output.empty() ? stem + ".o" : request.output;
    int status = compile_to_ptx(installation, request, source, ptx, temporary);
    if (status == 0) status = compile_to_object(installation, request, source, ptx, object);
    if (status != 0) return status;
    objects.push_back(object);
  }
  if (request.ptx_only) return 0;
  for (std::size_t i = 0; i < request.host_sources.size(); ++i) {
    const std::string& source = request.host_sources[i];
    const std::string stem = fs::path(source).stem();
    std::string object = fmt::format("{}/host-{}-{}.o", temporary.path, i, stem);
    if (request.compile_only) object = request.output.empty() ? stem + ".o" : request.output;
    if (const int status = compile_for_host(installation, request, source, object); status != 0)
      return status;
    objects.push_back(object);
  }
  if (request.compile_only) return 0;
  if (request.riscv64) return link_for_riscv(installation, request, temporary, objects);
  std::vector<std::string> link = {kCompiler, "-fuse-ld=lld", "-pie"};
  link.insert(link.end(), request.flags.begin(), request.flags.end());
  link.insert(link.end(), {"-o", request.output.empty() ? "a.out" : request.output});
  link.insert(link.end(), objects.begin(), objects.end());
  link.insert(link.end(), request.link_inputs.begin(), request.link_inputs.end());
  if (const int status = link_openmp(installation, request, temporary, link); status != 0) return status;
  link.insert(
      link.end(),
      {"-Wno-unused-command-line-argument", "-L" + installation.library_directory, "-l:libcudart.so.13",
       "-Wl,--enable-new-dtags,-rpath," + installation.library_directory, "-lpthread", "-ldl", "-lm"});
  return execute(link);
}

}  // namespace duet::cli
