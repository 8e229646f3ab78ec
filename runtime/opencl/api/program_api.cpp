// Programs: from sources, binaries, and other programs.
#include <cstring>

#include "opencl/api/entries.h"
#include "opencl/api/programs.h"

namespace duet::opencl::api {

namespace {

std::string next_name() {
  static unsigned programs = 0;
  return "program_" + std::to_string(++programs) + ".cl";
}

using Notify = void(CL_CALLBACK*)(cl_program, void*);

// What building, compiling and linking are told beside programs.
cl_int check_targets(cl_uint count, const cl_device_id* devices, Notify notify, const void* user_data) {
  if ((count == 0) != (devices == nullptr) || (notify == nullptr && user_data != nullptr))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i)
    if (find(devices[i]) == nullptr) return CL_INVALID_DEVICE;
  return CL_SUCCESS;
}

// The work is done when the call ends; the notice follows.
void notify_later(Session& session, Notify notify, cl_program program, void* user_data) {
  if (notify == nullptr) return;
  expect_calls();
  session.call_later([=] { call_program(notify, program, user_data); });
}

std::string words_of(const char* options) { return options == nullptr ? "" : options; }

}  // namespace

DUET_CL_MAKE(cl_program, clCreateProgramWithSource, Other,
             (cl_context context, cl_uint count, const char** texts, const size_t* lengths, cl_int* error)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (count == 0 || texts == nullptr) return CL_INVALID_VALUE;
  std::string source;
  for (cl_uint i = 0; i < count; ++i) {
    if (texts[i] == nullptr) return CL_INVALID_VALUE;
    if (lengths != nullptr && lengths[i] != 0)
      source.append(texts[i], strnlen(texts[i], lengths[i]));
    else
      source += texts[i];
  }
  made = make_object<_cl_program>();
  made->context = Ref<_cl_context>(context);
  made->name = next_name();
  made->source = std::make_shared<SourceText>(made->name, std::move(source));
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL_MAKE(cl_program, clCreateProgramWithBinary, Other,
             (cl_context context, cl_uint count, const cl_device_id* devices, const size_t* lengths,
              const unsigned char** binaries, cl_int* status, cl_int* error)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (count == 0 || devices == nullptr || lengths == nullptr || binaries == nullptr) return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i) {
    if (find(devices[i]) == nullptr) return CL_INVALID_DEVICE;
    const bool missing = lengths[i] == 0 || binaries[i] == nullptr;
    if (status != nullptr) status[i] = missing ? CL_INVALID_VALUE : CL_SUCCESS;
    if (missing) return CL_INVALID_VALUE;
  }
  const std::string_view binary(reinterpret_cast<const char*>(binaries[0]), lengths[0]);
  made = make_object<_cl_program>();
  made->context = Ref<_cl_context>(context);
  made->name = next_name();
  if (take_binary(*made, binary)) return CL_SUCCESS;
  if (status != nullptr) status[0] = CL_INVALID_BINARY;
  release(made, CL_INVALID_PROGRAM);
  return CL_INVALID_BINARY;
}
DUET_CL_END

DUET_CL(clRetainProgram, Other, (cl_program program)) { return retain(program, CL_INVALID_PROGRAM); }
DUET_CL_END
DUET_CL(clReleaseProgram, Other, (cl_program program)) { return release(program, CL_INVALID_PROGRAM); }
DUET_CL_END

DUET_CL(clBuildProgram, Other,
        (cl_program program, cl_uint count, const cl_device_id* devices, const char* options, Notify notify,
         void* user_data)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if (const cl_int error = check_targets(count, devices, notify, user_data); error != CL_SUCCESS)
    return error;
  if (program->kernels != 0) return CL_INVALID_OPERATION;
  const cl_int error = build(session, *program, words_of(options));
  notify_later(session, notify, program, user_data);
  return error;
}
DUET_CL_END

DUET_CL(clCompileProgram, Other,
        (cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
         cl_uint header_count, const cl_program* headers, const char** names, Notify notify,
         void* user_data)) {
  if (find(program) == nullptr) return CL_INVALID_PROGRAM;
  if (const cl_int error = check_targets(count, devices, notify, user_data); error != CL_SUCCESS)
    return error;
  if ((header_count == 0) != (headers == nullptr) || (header_count == 0) != (names == nullptr))
    return CL_INVALID_VALUE;
  std::vector<std::pair<std::string, std::string>> given;
  for (cl_uint i = 0; i < header_count; ++i) {
    if (find(headers[i]) == nullptr || headers[i]->source == nullptr) return CL_INVALID_PROGRAM;
    if (names[i] == nullptr) return CL_INVALID_VALUE;
    given.emplace_back(names[i], headers[i]->source->text);
  }
  if (program->source == nullptr || program->kernels != 0) return CL_INVALID_OPERATION;
  const cl_int error = compile(session, *program, words_of(options), std::move(given));
  notify_later(session, notify, program, user_data);
  return error;
}
DUET_CL_END

// Where linking began and failed the program has the log: it is given together with the error.
cl_program CL_API_CALL clLinkProgram(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const char* options, cl_uint input_count, const cl_program* inputs,
                                     Notify notify, void* user_data, cl_int* error) {
  static ApiFunction function{"clLinkProgram", CallKind::Other};
  cl_program made = nullptr;
  const cl_int result = call(function, [&](Session& session, HostThread&) -> cl_int {
    if (find(context) == nullptr) return CL_INVALID_CONTEXT;
    if (const cl_int wrong = check_targets(count, devices, notify, user_data); wrong != CL_SUCCESS)
      return wrong;
    if (input_count == 0 || inputs == nullptr) return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < input_count; ++i)
      if (find(inputs[i]) == nullptr || inputs[i]->context.get() != context) return CL_INVALID_PROGRAM;
    for (cl_uint i = 0; i < input_count; ++i)
      if (!is_linkable(*inputs[i])) return CL_INVALID_OPERATION;
    const std::string words = words_of(options);
    if (const std::string unknown = read_link_options(words).unknown; !unknown.empty())
      return CL_INVALID_LINKER_OPTIONS;
    made = make_object<_cl_program>();
    made->context = Ref<_cl_context>(context);
    made->name = next_name();
    const cl_int failed = link(session, *made, words, {inputs, inputs + input_count});
    notify_later(session, notify, made, user_data);
    return failed;
  });
  if (error != nullptr) *error = result;
  return made;
}

}  // namespace duet::opencl::api
