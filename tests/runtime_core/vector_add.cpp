// An OpenCL program: adds two vectors, and makes the mistakes that programs make. 0 when all of it is right.
#include <cstdio>
#include <cstring>
#include <vector>

#include "opencl.h"

namespace {

const char* const kPtx = R"(.version 7.0
.target sm_20
.address_size 64
.visible .entry add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {
.reg .pred %p<2>;
.reg .b32 %r<6>;
.reg .b64 %d<8>;
.reg .f32 %f<4>;
mov.u32 %r1, %ctaid.x;
mov.u32 %r2, %ntid.x;
mov.u32 %r3, %tid.x;
mad.lo.s32 %r4, %r1, %r2, %r3;
ld.param.u32 %r5, [n];
setp.ge.u32 %p1, %r4, %r5;
@%p1 bra done;
ld.param.u64 %d1, [a];
ld.param.u64 %d2, [b];
ld.param.u64 %d3, [c];
mul.wide.u32 %d4, %r4, 4;
add.s64 %d5, %d1, %d4;
add.s64 %d6, %d2, %d4;
add.s64 %d7, %d3, %d4;
ld.global.f32 %f1, [%d5];
ld.global.f32 %f2, [%d6];
add.f32 %f3, %f1, %f2;
st.global.f32 [%d7], %f3;
done:
ret;
}
)";

int wrong = 0;

void expect(const char* what, cl_int found, cl_int wanted = CL_SUCCESS) {
  if (found == wanted) return;
  std::printf("%s: %d and not %d\n", what, found, wanted);
  ++wrong;
}

cl_program program_of(cl_context context, const char* code, cl_int built) {
  cl_int error = CL_SUCCESS;
  const std::size_t bytes = std::strlen(code);
  const auto* binary = reinterpret_cast<const unsigned char*>(code);
  cl_program program = clCreateProgramWithBinary(context, 1, nullptr, &bytes, &binary, nullptr, &error);
  expect("clCreateProgramWithBinary", error);
  expect("clBuildProgram", clBuildProgram(program, 0, nullptr, "", nullptr, nullptr), built);
  return program;
}

cl_mem buffer_of(cl_context context, std::size_t bytes, cl_int wanted = CL_SUCCESS) {
  cl_int error = CL_SUCCESS;
  cl_mem buffer = clCreateBuffer(context, 0, bytes, nullptr, &error);
  expect("clCreateBuffer", error, wanted);
  return buffer;
}

}  // namespace

int main() {
  constexpr cl_uint kElements = 1000;
  constexpr std::size_t kBytes = kElements * sizeof(float), kGlobal = 1024, kLocal = 128;

  cl_uint platforms = 0;
  expect("clGetPlatformIDs", clGetPlatformIDs(0, nullptr, &platforms));
  expect("platforms", static_cast<cl_int>(platforms), 1);
  cl_int error = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, nullptr, nullptr, nullptr, &error);
  expect("clCreateContext", error);
  cl_command_queue queue = clCreateCommandQueue(context, nullptr, 0, &error);
  expect("clCreateCommandQueue", error);

  std::vector<float> a(kElements), b(kElements), c(kElements);
  for (cl_uint i = 0; i < kElements; ++i) {
    a[i] = static_cast<float>(i);
    b[i] = 2 * static_cast<float>(i);
  }
  cl_mem buffers[] = {buffer_of(context, kBytes), buffer_of(context, kBytes), buffer_of(context, kBytes)};
  const auto write = [&](cl_mem to, const std::vector<float>& from) {
    return clEnqueueWriteBuffer(queue, to, 0, 0, kBytes, from.data(), 0, nullptr, nullptr);
  };
  expect("clEnqueueWriteBuffer", write(buffers[0], a));
  expect("clEnqueueWriteBuffer", write(buffers[1], b));

  cl_program program = program_of(context, kPtx, CL_SUCCESS);
  cl_kernel kernel = clCreateKernel(program, "add", &error);
  expect("clCreateKernel", error);
  const auto launch = [&](std::size_t local) {
    return clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &kGlobal, &local, 0, nullptr, nullptr);
  };
  expect("a launch without arguments", launch(kLocal), CL_INVALID_KERNEL_ARGS);
  for (cl_uint i = 0; i < 3; ++i)
    expect("clSetKernelArg", clSetKernelArg(kernel, i, sizeof(cl_mem), &buffers[i]));
  expect("an argument of another size", clSetKernelArg(kernel, 3, 8, &a[0]), CL_INVALID_ARG_SIZE);
  expect("clSetKernelArg", clSetKernelArg(kernel, 3, sizeof kElements, &kElements));
  expect("clEnqueueNDRangeKernel", launch(kLocal));
  expect("clEnqueueReadBuffer",
         clEnqueueReadBuffer(queue, buffers[2], 1, 0, kBytes, c.data(), 0, nullptr, nullptr));
  expect("clFinish", clFinish(queue));
  for (cl_uint i = 0; i < kElements; ++i)
    if (c[i] != 3 * static_cast<float>(i)) ++wrong;

  clCreateKernel(program, "subtract", &error);
  expect("a kernel that is not there", error, CL_INVALID_KERNEL_NAME);
  program_of(context, "no PTX", CL_BUILD_PROGRAM_FAILURE);
  buffer_of(context, std::size_t{1} << 40, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  expect("clReleaseMemObject", clReleaseMemObject(buffers[0]));
  expect("a buffer that has gone", write(buffers[0], a), CL_INVALID_MEM_OBJECT);
  std::printf(wrong == 0 ? "right\n" : "%d wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
