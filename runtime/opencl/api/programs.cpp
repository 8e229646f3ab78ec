#include "opencl/api/programs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/notes.h"
#include "opencl/compiler/compiler.h"
#include "opencl/compiler/grid_parts.h"
#include "opencl/compiler/options.h"

namespace duet::opencl::api {

namespace {

// Behind it options follow, and the end of the line.
struct Header {
  std::string_view words;
  cl_program_binary_type type;
};
constexpr std::array<Header, 3> kHeaders = {
    {{"// Duet OpenCL program 1:", CL_PROGRAM_BINARY_TYPE_EXECUTABLE},
     {"// Duet OpenCL object 1:", CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT},
     {"// Duet OpenCL library 1:", CL_PROGRAM_BINARY_TYPE_LIBRARY}}};
constexpr std::string_view kBitcode = "BC\xc0\xde";  // how it begins

// The errors of the three calls.
struct Errors {
  cl_int options, tools, failure;
};
constexpr Errors kBuild{CL_INVALID_BUILD_OPTIONS, CL_COMPILER_NOT_AVAILABLE, CL_BUILD_PROGRAM_FAILURE},
    kCompile{CL_INVALID_COMPILER_OPTIONS, CL_COMPILER_NOT_AVAILABLE, CL_COMPILE_PROGRAM_FAILURE},
    kLink{CL_INVALID_LINKER_OPTIONS, CL_LINKER_NOT_AVAILABLE, CL_LINK_PROGRAM_FAILURE};

void begin(_cl_program& program, const std::string& options) {
  program.options = options;
  program.log.clear();
  program.status = CL_BUILD_ERROR;
}

void forget_images(Session& session, _cl_program& program) {
  for (core::Image** const image : {&program.image, &program.parts_image})
    if (*image != nullptr) session.core().modules().forget(std::exchange(*image, nullptr));
}

// What was built before is gone.
void unload(Session& session, _cl_program& program) {
  forget_images(session, program);
  program.ptx.clear();
  program.infos.clear();
}

cl_int end(_cl_program& program, cl_program_binary_type type) {
  program.type = type;
  program.status = CL_BUILD_SUCCESS;
  return CL_SUCCESS;
}

cl_int error_of(const Compiled& compiled, const Errors& errors) {
  return compiled.wrong_options ? errors.options : compiled.no_compiler ? errors.tools : errors.failure;
}

// Lines of the PTX name the files in which the texts are kept for reports.
std::string with_kept_texts(Session& session, const _cl_program& program, std::string ptx) {
  for (const std::shared_ptr<SourceText>& text : program.texts) {
    if (text->kept.empty()) text->kept = session.core().process().keep_text(text->text, text->name);
    const std::string name = " \"" + text->name + "\"\n", kept = " \"" + text->kept + "\"\n";
    if (const std::size_t at = ptx.find(name); at != std::string::npos) ptx.replace(at, name.size(), kept);
  }
  return ptx;
}

Status load_image(Session& session, const _cl_program& program, std::string ptx, core::Image*& image) {
  return session.core().modules().load(
      [text = with_kept_texts(session, program, std::move(ptx))] { return text; },
      program.name.substr(0, program.name.size() - 2) + "ptx", ~0u, image);
}

cl_int load(Session& session, _cl_program& program, const Errors& errors) {
  const Status status = load_image(session, program, program.ptx, program.image);
  if (status.failed()) {
    program.log += status.text + "\n";
    const cl_int error = opencl::error_of(status);
    return error == CL_BUILD_PROGRAM_FAILURE ? errors.failure : error;
  }
  return end(program, CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
}

cl_int load(Session& session, _cl_program& program, Compiled compiled, const Errors& errors) {
  program.log = std::move(compiled.log);
  if (!compiled.succeeded) return error_of(compiled, errors);
  unload(session, program);
  program.ptx = std::move(compiled.ptx);
  program.infos = std::move(compiled.kernels);
  return load(session, program, errors);
}

}  // namespace

cl_int build(Session& session, _cl_program& program, const std::string& options) {
  begin(program, options);
  if (program.source != nullptr) {
    program.texts = {program.source};
    Compiled compiled = opencl::compile({program.source->text, program.name, options});
    if (compiled.succeeded) program.partial_groups = !read_options(options).uniform_groups;
    return load(session, program, std::move(compiled), kBuild);
  }
  if (!program.object.empty())
    return load(session, program, opencl::link({program.object}, {}, !program.partial_groups), kBuild);
  if (program.ptx.empty()) return CL_INVALID_BINARY;
  forget_images(session, program);
  return load(session, program, kBuild);
}

cl_int compile(Session& session, _cl_program& program, const std::string& options,
               std::vector<std::pair<std::string, std::string>> headers) {
  begin(program, options);
  Compiled compiled = compile_object({program.source->text, program.name, options, std::move(headers)});
  program.log = std::move(compiled.log);
  if (!compiled.succeeded) return error_of(compiled, kCompile);
  unload(session, program);
  program.texts = {program.source};
  program.object = std::move(compiled.bitcode);
  program.partial_groups = !read_options(options).uniform_groups;
  return end(program, CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
}

bool is_linkable(const _cl_program& program) {
  return program.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT ||
         program.type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

cl_int link(Session& session, _cl_program& program, const std::string& options,
            const std::vector<cl_program>& inputs) {
  begin(program, options);
  std::vector<std::string> objects;
  for (const cl_program input : inputs) {
    objects.push_back(input->object);
    program.partial_groups |= input->partial_groups;
    for (const std::shared_ptr<SourceText>& text : input->texts)
      if (std::find(program.texts.begin(), program.texts.end(), text) == program.texts.end())
        program.texts.push_back(text);
  }
  const LinkOptions words = read_link_options(options);
  Compiled linked = opencl::link(objects, words, !program.partial_groups);
  if (!words.library) return load(session, program, std::move(linked), kLink);
  program.log = std::move(linked.log);
  if (!linked.succeeded) return error_of(linked, kLink);
  program.object = std::move(linked.bitcode);
  return end(program, CL_PROGRAM_BINARY_TYPE_LIBRARY);
}

core::Function* function_for_parts(Session& session, _cl_kernel& kernel) {
  _cl_program& program = *kernel.program;
  if (program.parts_image == nullptr) {
    const auto& variables = program.image->module->module.variables;
    const bool has_state = std::any_of(variables.begin(), variables.end(),
                                       [](const ptx::Variable& one) { return !one.constant; });
    const std::optional<std::string> ptx = with_grid_parts(program.ptx);
    if (has_state || !ptx) {
      core::say_once(
          fmt::format("kernel '{}': the global size has more groups than the GPU's grid, and the program has "
                      "{}: build it "
                      "with -cl-std=CL2.0 and without -cl-uniform-work-group-size",
                      kernel.function->name,
                      has_state ? "variables of its own" : "PTX that reads the grid in other ways than mov"));
      return nullptr;
    }
    if (load_image(session, program, *ptx, program.parts_image).failed()) return nullptr;
  }
  return session.core().modules().function(*program.parts_image, kernel.function->name);
}

std::string binary_of(const _cl_program& program) {
  const auto header = std::find_if(kHeaders.begin(), kHeaders.end(),
                                   [&](const Header& one) { return one.type == program.type; });
  if (header == kHeaders.end()) return {};
  return std::string(header->words) + (program.partial_groups ? "-cl-std=CL2.0" : "") + "\n" +
         (is_linkable(program) ? program.object : program.ptx);
}

bool take_binary(_cl_program& program, std::string_view binary) {
  program.type = CL_PROGRAM_BINARY_TYPE_EXECUTABLE;
  for (const Header& header : kHeaders) {
    if (!binary.starts_with(header.words)) continue;
    const std::size_t end = std::min(binary.find('\n'), binary.size() - 1);
    const std::string options(binary.substr(header.words.size(), end - header.words.size()));
    binary.remove_prefix(end + 1);
    program.partial_groups = !read_options(options).uniform_groups;
    program.type = header.type;
  }
  if (is_linkable(program)) {
    program.object = binary;
    return binary.starts_with(kBitcode);
  }
  program.ptx = binary.substr(0, binary.find('\0'));  // as text files are often read
  return program.ptx.find(".version") != std::string::npos;
}

}  // namespace duet::opencl::api
