// clang runs twice: to its intermediate text, which says what kernels require and how their arguments are
// called, and from that to PTX. The source begins with a line that names it, for diagnostics and for the
// lines in the PTX. Bitcode for link() is as the front end makes it: all that optimises comes when it is
// linked, so a program in parts becomes the PTX of a whole one.
#include "opencl/compiler/compiler.h"

#include <fmt/format.h>

#include <system_error>

#include "base/file_cache.h"
#include "opencl/compiler/clang.h"
#include "opencl/compiler/kept.h"
#include "opencl/compiler/kernel_info.h"
#include "opencl/compiler/options.h"
#include "opencl/compiler/repairs.h"

namespace duet::opencl {

namespace {

constexpr const char* kFormat = "3\n";  // of keys and what is kept

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
void add_features(std::vector<std::string>& words, const Options& options) {
  std::string on = "-all,+cl_khr_fp64,+cl_khr_byte_addressable_store";
  for (const char* space : {"global", "local"})
    for (const char* kind : {"base", "extended"})
      on += fmt::format(",+cl_khr_{}_int32_{}_atomics", space, kind);
  on += ",+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,+cl_clang_storage_class_specifiers";
  on += ",+cl_khr_3d_image_writes";
  words.push_back(macro("__IMAGE_SUPPORT__"));
  on += ",+__cl_clang_variadic_functions,+__cl_clang_function_pointers,+__cl_clang_bitfields";
  on += ",+__cl_clang_non_portable_kernel_param_types";
  if (options.standard == "CL3.0") {
    on += ",+__opencl_c_images,+__opencl_c_3d_image_writes,+__opencl_c_read_write_images";
    on += ",+__opencl_c_fp64,+__opencl_c_generic_address_space,+__opencl_c_program_scope_global_variables";
    for (const char* feature : {"work_group_collective_functions", "atomic_order_acq_rel",
                                "atomic_order_seq_cst", "atomic_scope_device", "atomic_scope_all_devices"})
      words.push_back(macro(std::string("__opencl_c_") + feature));
  }
  words.insert(words.end(), {"-Xclang", "-cl-ext=" + on});
  words.push_back("-D__OPENCL_VERSION__=300");  // of the device, whatever the program's
}

// From device.ll to PTX; the kernels and the PTX are complete then. The text is given back as it was changed.
std::string make_ptx(const Job& job, Compiled& compiled) {
  std::string intermediate = child::text_of(job.file("device.ll"));
  separate_called_kernels(intermediate);
  separate_pair_comparisons(intermediate);
  job.write("device.ll", intermediate);
  compiled.succeeded = job.run({"-x", "ir", "-Xclang", "-disable-llvm-passes", "-S", job.file("device.ll")},
                               "device.ptx", compiled.log);
  if (!compiled.succeeded) return intermediate;
  compiled.kernels = kernels_of(intermediate);
  compiled.ptx = child::text_of(job.file("device.ptx"));
  repair_byte_pairs(compiled.ptx);
  add_required_groups(compiled.ptx, compiled.kernels);
  return intermediate;
}

// Headers that the program gave lie in the job's folder; the log has the names that it gave them.
void name_as_given(std::string& log, const std::string& folder) {
  for (std::size_t at = 0; (at = log.find(folder, at)) != std::string::npos;) log.erase(at, folder.size());
}

// libclc has another name for the target: of linked bitcode clang says so, whatever its options.
void drop_warning(std::string& log) {
  const std::size_t begin = log.find("warning: Linking two modules of different target triples: "),
                    end = log.find("\n\n", begin);
  if (end != std::string::npos) log.erase(begin, end + 2 - begin);
}

Compiled compile_to(const Source& source, bool to_ptx) {
  const Options options = read_options(source.options);
  if (!options.unknown.empty())
    return {.wrong_options = true,
            .log = fmt::format("duet: '{}' is no option of OpenCL's compiler\n", options.unknown)};
  const Tools tools = find_tools(options.uniform_groups && !source.partial_groups);
  if (!tools.missing.empty()) return {.no_compiler = true, .log = tools.missing};

  std::error_code ignored;
  const std::string here = std::filesystem::current_path(ignored).string();
  std::vector<std::string> words = {"-x",
                                    "cl",
                                    "-cl-std=" + options.standard,
                                    "-gline-directives-only",
                                    "-gdwarf-2",                         // later ones put labels into calls
                                    "-fdebug-prefix-map=" + here + "=",  // names stay as they are
                                    "-Xclang",
                                    "-finclude-default-header",
                                    "-cl-kernel-arg-info"};
  add_features(words, options);
  if (to_ptx)
    add_builtins(words, tools);
  else
    words.insert(words.end(), {"-Xclang", "-disable-llvm-passes"});

  std::string key = kFormat + tools.versions;
  for (const std::vector<std::string>& part : {words, options.flags})
    for (const std::string& word : part) add_part(key, word);
  for (const auto& [name, text] : source.headers) {
    add_part(key, name);
    add_part(key, text);
  }
  add_part(key, source.name);
  add_part(key, source.text);
  const FileCache cache("opencl");
  if (const auto kept = cache.recall(key))
    if (auto compiled = from_kept(*kept)) return *compiled;

  const Job job(tools);
  if (!job.failed().empty()) return {.log = job.failed()};
  job.write("source.cl", "#line 1 \"" + quoted(source.name) + "\"\n" + source.text + "\n");
  const std::string headers = job.file("include").string();
  for (const auto& [name, text] : source.headers) child::write_header(headers, name, text);
  for (const std::string& folder : {job.folder().string(), headers})  // equal programs become equal PTX
    words.push_back("-fdebug-prefix-map=" + folder + "/=");
  words.insert(words.end(), {"-I", headers});
  words.insert(words.end(), options.flags.begin(), options.flags.end());
  words.insert(words.end(), {"-I", ".", "-MMD", "-MF", job.file("rule"), "-emit-llvm", to_ptx ? "-S" : "-c",
                             job.file("source.cl")});
  Compiled compiled;
  std::string intermediate;
  const std::string output = to_ptx ? "device.ll" : "object.bc";
  compiled.succeeded = job.run(words, output, compiled.log);
  if (compiled.succeeded && to_ptx) intermediate = make_ptx(job, compiled);
  if (compiled.succeeded && !to_ptx) compiled.bitcode = child::text_of(job.file(output));
  name_as_given(compiled.log, headers + "/");
  if (compiled.succeeded)
    cache.keep(key, kept_form(compiled, intermediate,
                              files_of_rule(child::text_of(job.file("rule")), job.folder())));
  return compiled;
}

}  // namespace

Compiled compile(const Source& source) { return compile_to(source, true); }
Compiled compile_object(const Source& source) { return compile_to(source, false); }

Compiled link(const std::vector<std::string>& objects, const LinkOptions& options, bool uniform_groups) {
  if (!options.unknown.empty())
    return {.wrong_options = true,
            .log = fmt::format("duet: '{}' is no option of OpenCL's linker\n", options.unknown)};
  const Tools tools = find_tools(uniform_groups);
  if (!tools.missing.empty()) return {.no_compiler = true, .log = tools.missing};
  std::string key = kFormat + tools.versions + (options.library ? "library" : "executable");
  for (const std::string& object : objects) add_part(key, object);
  const FileCache cache("opencl");
  if (const auto kept = cache.recall(key))
    if (auto compiled = from_kept(*kept)) return *compiled;

  const Job job(tools);
  if (!job.failed().empty()) return {.log = job.failed()};
  std::vector<std::string> words = {"-x", "ir", "-emit-llvm"};
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const std::string name = fmt::format("object_{}.bc", i + 1);
    job.write(name, objects[i]);
    if (i != 0) words.insert(words.end(), {"-Xclang", "-mlink-bitcode-file", "-Xclang"});
    words.push_back(job.file(name));
  }
  if (options.library) {
    words.insert(words.end(), {"-Xclang", "-disable-llvm-passes", "-c"});
  } else {
    words.push_back("-S");
    add_builtins(words, tools);
  }
  Compiled compiled;
  std::string intermediate;
  const std::string output = options.library ? "library.bc" : "device.ll";
  compiled.succeeded = job.run(words, output, compiled.log);
  if (compiled.succeeded && options.library) compiled.bitcode = child::text_of(job.file(output));
  if (compiled.succeeded && !options.library) {
    intermediate = make_ptx(job, compiled);
    for (const std::string& name : undefined_in(intermediate)) {
      compiled.succeeded = false;
      compiled.log += fmt::format("duet: '{}' is used, and no object defines it\n", name);
    }
  }
  name_as_given(compiled.log, job.folder().string() + "/");
  drop_warning(compiled.log);
  if (compiled.succeeded) cache.keep(key, kept_form(compiled, intermediate, {}));
  return compiled;
}

}  // namespace duet::opencl
