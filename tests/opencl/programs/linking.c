// clCompileProgram and clLinkProgram: objects, headers, libraries, their binaries, and what they refuse.
#include "common.h"

static const char* kMain =
    "#include \"sizes/scale.h\"\n"
    "int helper(int value);\n"
    "__kernel void scaled(__global int* to) {\n"
    "  to[get_global_id(0)] = helper((int)get_global_id(0)) * SCALE + (int)get_num_groups(0);\n"
    "}\n";
static const char* kHeader = "#define SCALE 10\n";
static const char* kHelper =
    "__constant int added[4] = {1, 2, 3, 4};\n"
    "int helper(int value) { return value + added[value & 3] + (int)get_local_id(0) * FACTOR; }\n"
    "__kernel void other(__global int* to) { to[get_global_id(0)] = helper(7); }\n";

static cl_program from(const char* source) {
  cl_int error;
  cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
  OK(error);
  return program;
}

static cl_program compiled(const char* source, const char* options) {
  cl_program program = from(source);
  OK(clCompileProgram(program, 1, &device, options, 0, NULL, NULL, NULL, NULL));
  return program;
}

static cl_program linked(const char* options, cl_program first, cl_program second) {
  const cl_program all[] = {first, second};
  cl_int error;
  cl_program program =
      clLinkProgram(context, 1, &device, options, second != NULL ? 2 : 1, all, NULL, NULL, &error);
  OK(error);
  return program;
}

static cl_program_binary_type type_of(cl_program program) {
  cl_program_binary_type type = 99;
  OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
  return type;
}

static cl_build_status status_of(cl_program program) {
  cl_build_status status;
  OK(clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
  return status;
}

// The same program by way of its binary.
static cl_program reloaded(cl_program program) {
  size_t bytes = 0;
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
  TRUE_THAT(bytes != 0);
  unsigned char* binary = malloc(bytes);
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  cl_int error, of_binary;
  cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char**)&binary,
                                               &of_binary, &error);
  OK(error);
  OK(of_binary);
  TRUE_THAT(type_of(again) == type_of(program));
  free(binary);
  return again;
}

static void runs(cl_command_queue queue, cl_program program) {
  int got[64] = {0};
  cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof got, got);
  cl_kernel kernel = kernel_of(program, "scaled"), other = kernel_of(program, "other");
  const size_t global = 64, local = 16;
  OK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  int wrong = 0;
  for (int i = 0; i < 64; i++) wrong += got[i] != (i + (i & 3) + 1 + i % 16 * 100) * 10 + 4;
  TRUE_THAT(wrong == 0);
  OK(clSetKernelArg(other, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, other, 1, NULL, &global, &local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  TRUE_THAT(got[0] == 11 && got[63] == 1511);
  OK(clReleaseKernel(kernel));
  OK(clReleaseKernel(other));
  OK(clReleaseMemObject(buffer));
}

static cl_program told;
static void CL_CALLBACK on_end(cl_program program, void* count) {
  told = program;
  ++*(int*)count;
}

static void check_errors(cl_program object, cl_program executable) {
  cl_program fresh = from(kHelper), header = from(kHeader), binary = reloaded(object);
  const char* name = "a.h";
  IS(CL_INVALID_PROGRAM, clCompileProgram(NULL, 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 1, NULL, NULL, 0, NULL, NULL, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 0, &device, NULL, 0, NULL, NULL, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 1, &device, NULL, 1, NULL, &name, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 1, &device, NULL, 1, &header, NULL, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 1, &device, NULL, 0, &header, &name, NULL, NULL));
  IS(CL_INVALID_VALUE, clCompileProgram(fresh, 1, &device, NULL, 0, NULL, NULL, NULL, &name));
  const cl_device_id no_device = NULL;
  IS(CL_INVALID_DEVICE, clCompileProgram(fresh, 1, &no_device, NULL, 0, NULL, NULL, NULL, NULL));
  IS(CL_INVALID_COMPILER_OPTIONS,
     clCompileProgram(fresh, 1, &device, "--no-such-option", 0, NULL, NULL, NULL, NULL));
  IS(CL_INVALID_OPERATION, clCompileProgram(binary, 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
  IS(CL_COMPILE_PROGRAM_FAILURE, clCompileProgram(fresh, 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
  TRUE_THAT(status_of(fresh) == CL_BUILD_ERROR);
  char log[4096];
  OK(clGetProgramBuildInfo(fresh, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE_THAT(strstr(log, "FACTOR") != NULL);

  cl_int error;
  cl_program all[] = {object, object};
  TRUE_THAT(clLinkProgram(NULL, 1, &device, NULL, 1, all, NULL, NULL, &error) == NULL);
  IS(CL_INVALID_CONTEXT, error);
  clLinkProgram(context, 1, NULL, NULL, 1, all, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clLinkProgram(context, 1, &no_device, NULL, 1, all, NULL, NULL, &error);
  IS(CL_INVALID_DEVICE, error);
  clLinkProgram(context, 1, &device, NULL, 0, NULL, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clLinkProgram(context, 1, &device, NULL, 0, all, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clLinkProgram(context, 1, &device, NULL, 1, all, NULL, &error, &error);
  IS(CL_INVALID_VALUE, error);
  clLinkProgram(context, 1, &device, "-lm", 1, all, NULL, NULL, &error);
  IS(CL_INVALID_LINKER_OPTIONS, error);
  clLinkProgram(context, 1, &device, "-enable-link-options", 1, all, NULL, NULL, &error);
  IS(CL_INVALID_LINKER_OPTIONS, error);
  all[1] = header;  // nothing was compiled
  clLinkProgram(context, 1, &device, NULL, 2, all, NULL, NULL, &error);
  IS(CL_INVALID_OPERATION, error);
  all[1] = executable;
  clLinkProgram(context, 1, &device, NULL, 2, all, NULL, NULL, &error);
  IS(CL_INVALID_OPERATION, error);
  all[1] = NULL;
  clLinkProgram(context, 1, &device, NULL, 2, all, NULL, NULL, &error);
  IS(CL_INVALID_PROGRAM, error);
}

// Bytes that are no binary, and those of one that was cut off: found at once, or when it is linked.
static void check_broken(cl_program object) {
  const char* rubbish = "// Duet OpenCL object 1:\nrubbish";
  size_t bytes = strlen(rubbish);
  cl_int error;
  clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char**)&rubbish, NULL, &error);
  IS(CL_INVALID_BINARY, error);
  OK(clGetProgramInfo(object, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
  unsigned char* binary = malloc(bytes);
  OK(clGetProgramInfo(object, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  bytes /= 2;
  cl_program half =
      clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char**)&binary, NULL, &error);
  OK(error);
  clLinkProgram(context, 1, &device, NULL, 1, &half, NULL, NULL, &error);
  IS(CL_LINK_PROGRAM_FAILURE, error);
  IS(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(half, 1, &device, NULL, NULL, NULL));
  free(binary);
}

// Where the link fails there is a program, which says why.
static void fails(const char* what, cl_program first, cl_program second) {
  const cl_program all[] = {first, second};
  cl_int error;
  cl_program failed =
      clLinkProgram(context, 1, &device, NULL, second != NULL ? 2 : 1, all, NULL, NULL, &error);
  IS(CL_LINK_PROGRAM_FAILURE, error);
  TRUE_THAT(failed != NULL && status_of(failed) == CL_BUILD_ERROR);
  char log[4096];
  OK(clGetProgramBuildInfo(failed, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
  TRUE_THAT(strstr(log, what) != NULL);
  clCreateKernel(failed, "scaled", &error);
  IS(CL_INVALID_PROGRAM_EXECUTABLE, error);
  OK(clReleaseProgram(failed));
}

int main(void) {
  open_device();
  cl_command_queue queue = queue_with(0);
  cl_bool available = CL_FALSE;
  OK(clGetDeviceInfo(device, CL_DEVICE_LINKER_AVAILABLE, sizeof available, &available, NULL));
  TRUE_THAT(available == CL_TRUE);

  cl_program main_part = from(kMain), header = from(kHeader);
  const char* name = "sizes/scale.h";
  int calls = 0;
  OK(clCompileProgram(main_part, 1, &device, "-Werror", 1, &header, &name, on_end, &calls));
  await(queue, &calls, 1);
  TRUE_THAT(told == main_part);
  TRUE_THAT(type_of(main_part) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  TRUE_THAT(status_of(main_part) == CL_BUILD_SUCCESS);
  cl_int error;
  size_t kernels;
  IS(CL_INVALID_PROGRAM_EXECUTABLE,
     clGetProgramInfo(main_part, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  clCreateKernel(main_part, "scaled", &error);
  IS(CL_INVALID_PROGRAM_EXECUTABLE, error);

  cl_program helper = compiled(kHelper, "-D FACTOR=100");
  cl_program executable = linked("", main_part, helper);
  TRUE_THAT(type_of(executable) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  OK(clGetProgramInfo(executable, CL_PROGRAM_NUM_KERNELS, sizeof kernels, &kernels, NULL));
  TRUE_THAT(kernels == 2);
  runs(queue, executable);

  // What was linked stays when a part is compiled again, and what is linked then is new.
  OK(clCompileProgram(helper, 1, &device, "-D FACTOR=0", 0, NULL, NULL, NULL, NULL));
  runs(queue, executable);
  OK(clCompileProgram(helper, 1, &device, "-D FACTOR=100", 0, NULL, NULL, NULL, NULL));

  cl_program library = linked("-create-library -enable-link-options", helper, NULL);
  TRUE_THAT(type_of(library) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
  runs(queue, linked("-cl-fast-relaxed-math", main_part, library));
  runs(queue, linked("", reloaded(main_part), reloaded(library)));
  cl_program again = reloaded(linked("", library, reloaded(main_part)));
  OK(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
  runs(queue, again);

  // An object of its own is built like a source.
  cl_program alone = reloaded(helper);
  OK(clBuildProgram(alone, 1, &device, NULL, NULL, NULL));
  TRUE_THAT(type_of(alone) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
  OK(clReleaseKernel(kernel_of(alone, "other")));

  const cl_program both[] = {main_part, library};
  calls = 0;
  cl_program notified = clLinkProgram(context, 0, NULL, NULL, 2, both, on_end, &calls, &error);
  OK(error);
  await(queue, &calls, 1);
  TRUE_THAT(told == notified);

  // While a kernel is there its program stays as it is.
  cl_program whole = built(kHelper, "-D FACTOR=1");
  cl_kernel held = kernel_of(whole, "other");
  IS(CL_INVALID_OPERATION, clCompileProgram(whole, 1, &device, "-D FACTOR=1", 0, NULL, NULL, NULL, NULL));
  OK(clReleaseKernel(held));
  OK(clCompileProgram(whole, 1, &device, "-D FACTOR=1", 0, NULL, NULL, NULL, NULL));
  TRUE_THAT(type_of(whole) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
  check_errors(helper, executable);
  check_broken(helper);
  fails("helper", main_part, NULL);
  fails("multiply defined", helper, library);
  OK(clReleaseProgram(main_part));
  OK(clReleaseProgram(helper));
  runs(queue, executable);
  return finished("linking");
}
