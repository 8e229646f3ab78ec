// Programs and kernels: what they say of themselves, binaries, groups at a border, offsets, printf.
#include "common.h"

static const char* kSource =
    "__kernel __attribute__((reqd_work_group_size(8, 4, 1)))\n"
    "void fixed(__global int* restrict to, const int add, __local float2* room) {\n"
    "  to[get_global_id(1) * get_global_size(0) + get_global_id(0)] = ADD + add;\n"
    "}\n"
    "__kernel void place(__global ulong* to) {\n"
    "  size_t first[3] = {get_global_offset(0), get_global_offset(1), get_global_offset(2)};\n"
    "  size_t i = get_global_id(0) - first[0], j = get_global_id(1) - first[1], k = get_global_id(2) - "
    "first[2];\n"
    "  ulong sum = get_global_id(0) + 100 * get_global_id(1) + 10000 * get_global_id(2);\n"
    "  sum += 1000000ul * get_group_id(0) + 100000000ul * get_local_id(0) + 10000000000ul * get_work_dim();\n"
    "  sum += 100000000000ul * get_local_size(0) + 100000000000000ul * get_num_groups(0);\n"
    "  to[(k * get_global_size(1) + j) * get_global_size(0) + i] = sum;\n"
    "}\n"
    "__kernel void say(int n) { if (get_global_id(0) == 0) printf(\"n is %d and %.2f\\n\", n, 0.5f * n); }\n";

static const char* kLanguage =
    "__kernel void pair(__global int* to, char2 a, uchar2 b) {\n"
    "  to[0] = a.x; to[1] = a.y; to[2] = b.x; to[3] = b.y;\n"
    "}\n"
    "__kernel void inner(__global int* to, int n) { for (int i = 0; i < n; i++) to[i] += i; }\n"
    "__kernel __attribute__((vec_type_hint(float4)))\n"
    "void outer(__global int* to, int n) { for (int i = 0; i < n; i++) inner(to, 4); }\n"
    "__kernel void crooked(__global uchar* to, int by) { vstore16(vload16(0, to + by), 0, to); }\n"
    "__kernel void three(__global int3* to, __local int3* t) {\n"
    "  t[get_local_id(0)] = (int3)(1, 2, 3) * (int)get_local_id(0);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  event_t e = async_work_group_copy(to, t, get_local_size(0), 0);\n"
    "  wait_group_events(1, &e);\n"
    "}\n"
    "__kernel void compare(__global short2* a) {\n"
    "  size_t i = get_global_id(0);\n"
    "  a[i + 4] = a[i] < a[i + 2];\n"
    "  a[i + 6] = as_ushort2(a[i]) >= as_ushort2(a[i + 2]);\n"
    "  a[i + 8] = a[i] == (short)5 ? a[i + 2] : a[i];\n"
    "}\n";
static const char* kMany =
    "uint last(uint d) { return get_group_id(d) + 1 == get_num_groups(d); }\n"
    "__kernel void many(__global uint* to) {\n"
    "  if (!last(0) || !last(1) || get_local_id(0) != 1) return;\n"
    "  to[0] = get_group_id(0); to[1] = get_num_groups(0); to[2] = get_global_id(0); to[3] = "
    "get_global_size(0);\n"
    "  to[4] = get_global_offset(0); to[5] = get_global_id(1); to[6] = get_num_groups(1); to[7] = "
    "get_work_dim();\n"
    "}\n";

// More groups than a grid of some GPUs has along x, from an offset on.
static void check_many(cl_command_queue queue, const char* options) {
  cl_uint got[8] = {0};
  cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof got, got);
  const size_t offset[2] = {7, 3}, global[2] = {140002, 2}, local[2] = {2, 1};
  cl_kernel many = kernel_of(built(kMany, options), "many");
  OK(clSetKernelArg(many, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, many, 2, offset, global, local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  TRUE_THAT(got[0] == 70000 && got[1] == 70001 && got[2] == 140008 && got[3] == 140002);
  TRUE_THAT(got[4] == 7 && got[5] == 4 && got[6] == 2 && got[7] == 2);
}

static void check_language(cl_command_queue queue) {
  cl_program program = built(kLanguage, "-cl-no-subgroup-ifp");
  static int got[64];
  cl_mem buffer = buffer_of(CL_MEM_READ_WRITE, sizeof got, NULL);
  const signed char a[2] = {-3, -4};
  const unsigned char b[2] = {200, 201};
  const size_t one = 1, four = 4;
  cl_kernel pair = kernel_of(program, "pair"), outer = kernel_of(program, "outer"),
            crooked = kernel_of(program, "crooked"), three = kernel_of(program, "three"),
            compare = kernel_of(program, "compare");
  OK(clSetKernelArg(pair, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(pair, 1, sizeof a, a));
  OK(clSetKernelArg(pair, 2, sizeof b, b));
  OK(clEnqueueNDRangeKernel(queue, pair, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  TRUE_THAT(got[0] == -3 && got[1] == -4 && got[2] == 200 && got[3] == 201);
  const int twice = 2;
  OK(clSetKernelArg(outer, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(outer, 1, sizeof twice, &twice));
  OK(clEnqueueNDRangeKernel(queue, outer, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  TRUE_THAT(got[0] == -3 && got[1] == -2 && got[2] == 204 && got[3] == 207);
  char attributes[64];
  OK(clGetKernelInfo(outer, CL_KERNEL_ATTRIBUTES, sizeof attributes, attributes, NULL));
  TRUE_THAT(strcmp(attributes, "vec_type_hint(float4)") == 0);
  const int by = 3;
  unsigned char bytes[32];
  for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
  OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
  OK(clSetKernelArg(crooked, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(crooked, 1, sizeof by, &by));
  OK(clEnqueueNDRangeKernel(queue, crooked, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
  for (int i = 0; i < 16; i++) TRUE_THAT(bytes[i] == i + 3);
  OK(clSetKernelArg(three, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(three, 1, 64, NULL));
  OK(clEnqueueNDRangeKernel(queue, three, 1, NULL, &four, &four, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  for (int i = 0; i < 12; i++) TRUE_THAT(got[i / 3 * 4 + i % 3] == (i % 3 + 1) * (i / 3));
  const short left[4] = {-1, 5, 3, -7}, right[4] = {1, 5, -3, -8};
  OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof left, left, 0, NULL, NULL));
  OK(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, sizeof left, sizeof right, right, 0, NULL, NULL));
  OK(clSetKernelArg(compare, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, compare, 1, NULL, &(size_t){2}, NULL, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
  const short* answers = (const short*)got;
  for (int i = 0; i < 4; i++) {
    TRUE_THAT(answers[8 + i] == (left[i] < right[i] ? -1 : 0));
    TRUE_THAT(answers[12 + i] == ((unsigned short)left[i] >= (unsigned short)right[i] ? -1 : 0));
    TRUE_THAT(answers[16 + i] == (left[i] == 5 ? right[i] : left[i]));
  }
}

// Of three dimensions, from offsets on; the group of the first has `group` work-items, those at the border
// fewer.
static void check_places(cl_command_queue queue, cl_program program, cl_uint dimensions, const size_t* offset,
                         const size_t* global, const size_t* local) {
  size_t first[3] = {0, 0, 0}, size[3] = {1, 1, 1};
  for (cl_uint d = 0; d < dimensions; d++) first[d] = offset[d], size[d] = global[d];
  const size_t count = size[0] * size[1] * size[2];
  cl_ulong* got = malloc(count * sizeof *got);
  cl_mem buffer = buffer_of(CL_MEM_READ_WRITE, count * sizeof *got, NULL);
  cl_kernel place = kernel_of(program, "place");
  OK(clSetKernelArg(place, 0, sizeof buffer, &buffer));
  OK(clEnqueueNDRangeKernel(queue, place, dimensions, offset, global, local, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof *got, got, 0, NULL, NULL));
  for (size_t k = 0; k < size[2]; k++)
    for (size_t j = 0; j < size[1]; j++)
      for (size_t i = 0; i < size[0]; i++) {
        const size_t full = size[0] / local[0], group = i / local[0],
                     threads = group < full ? local[0] : size[0] % local[0];
        const size_t groups = (size[0] + local[0] - 1) / local[0];
        const cl_ulong wanted = (i + first[0]) + 100 * (j + first[1]) + 10000 * (k + first[2]) +
                                1000000ul * group + 100000000ul * (i % local[0]) +
                                10000000000ul * dimensions + 100000000000ul * threads +
                                100000000000000ul * groups;
        if (got[(k * size[1] + j) * size[0] + i] != wanted && failures++ < 3)
          printf("%zu %zu %zu: %lu, not %lu\n", i, j, k, (unsigned long)got[(k * size[1] + j) * size[0] + i],
                 (unsigned long)wanted);
      }
  OK(clReleaseKernel(place));
  OK(clReleaseMemObject(buffer));
  free(got);
}

int main(void) {
  cl_int error;
  open_device();
  cl_command_queue queue = queue_with(0);
  cl_program program = built(kSource, "-cl-std=CL2.0 -D ADD=7 -cl-kernel-arg-info");
  size_t number;
  char text[256];
  OK(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof number, &number, NULL));
  OK(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof text, text, NULL));
  TRUE_THAT(number == 3 && strstr(text, "place") != NULL && strchr(text, ';') != NULL);
  cl_kernel all[3];
  cl_uint kernels;
  OK(clCreateKernelsInProgram(program, 3, all, &kernels));
  for (cl_uint i = 0; i < kernels; i++) OK(clReleaseKernel(all[i]));

  cl_kernel fixed = kernel_of(program, "fixed");
  size_t group[3], most;
  OK(clGetKernelWorkGroupInfo(fixed, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof group, group, NULL));
  TRUE_THAT(group[0] == 8 && group[1] == 4 && group[2] == 1);
  OK(clGetKernelWorkGroupInfo(kernel_of(program, "place"), device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most,
                              &most, NULL));
  TRUE_THAT(most >= 64);
  OK(clGetKernelArgInfo(fixed, 0, CL_KERNEL_ARG_NAME, sizeof text, text, NULL));
  TRUE_THAT(strcmp(text, "to") == 0);
  OK(clGetKernelArgInfo(fixed, 2, CL_KERNEL_ARG_TYPE_NAME, sizeof text, text, NULL));
  TRUE_THAT(strcmp(text, "float2*") == 0);
  cl_kernel_arg_address_qualifier space;
  OK(clGetKernelArgInfo(fixed, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
  TRUE_THAT(space == CL_KERNEL_ARG_ADDRESS_LOCAL);
  cl_kernel_arg_type_qualifier qualifier;
  OK(clGetKernelArgInfo(fixed, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier, NULL));
  TRUE_THAT(qualifier == CL_KERNEL_ARG_TYPE_RESTRICT);

  // A required group is whole, and sizes have 32 bits.
  const int nothing = 0;
  cl_mem small = buffer_of(CL_MEM_READ_WRITE, 64, NULL);
  OK(clSetKernelArg(fixed, 0, sizeof small, &small));
  OK(clSetKernelArg(fixed, 1, sizeof nothing, &nothing));
  OK(clSetKernelArg(fixed, 2, 64, NULL));
  const size_t cut[2] = {12, 4}, whole[2] = {8, 4}, large[2] = {(size_t)1 << 32, 4};
  IS(CL_INVALID_WORK_GROUP_SIZE, clEnqueueNDRangeKernel(queue, fixed, 2, NULL, cut, whole, 0, NULL, NULL));
  IS(CL_INVALID_GLOBAL_WORK_SIZE, clEnqueueNDRangeKernel(queue, fixed, 2, NULL, large, whole, 0, NULL, NULL));

  // From its binary it does the same.
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof number, &number, NULL));
  unsigned char* binary = malloc(number);
  OK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
  cl_int of_binary;
  cl_program again = clCreateProgramWithBinary(context, 1, &device, &number, (const unsigned char**)&binary,
                                               &of_binary, &error);
  OK(error);
  OK(of_binary);
  OK(clBuildProgram(again, 1, &device, "", NULL, NULL));
  static int result[32];
  cl_mem buffer = buffer_of(CL_MEM_READ_WRITE, sizeof result, NULL);
  cl_kernel copy = kernel_of(again, "fixed");
  const int add = 5;
  OK(clSetKernelArg(copy, 0, sizeof buffer, &buffer));
  OK(clSetKernelArg(copy, 1, sizeof add, &add));
  OK(clSetKernelArg(copy, 2, 64, NULL));
  const size_t eight[2] = {8, 4};
  OK(clEnqueueNDRangeKernel(queue, copy, 2, NULL, eight, eight, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL));
  for (int i = 0; i < 32; i++) TRUE_THAT(result[i] == 12);

  const size_t offset[3] = {3, 5, 7}, even[3] = {64, 4, 3}, odd[3] = {50, 7, 3}, local[3] = {16, 2, 2},
               one[3] = {16, 1, 1};
  check_places(queue, program, 1, offset, even, local);
  check_places(queue, program, 3, offset, even, one);
  check_places(queue, program, 2, offset, odd, local);
  check_places(queue, program, 3, offset, odd, local);

  check_language(queue);
  check_many(queue, "");
  check_many(queue, "-cl-std=CL2.0");

  cl_kernel say = kernel_of(program, "say");
  const size_t few = 32;
  OK(clSetKernelArg(say, 0, sizeof add, &add));
  OK(clEnqueueNDRangeKernel(queue, say, 1, NULL, &few, NULL, 0, NULL, NULL));
  OK(clFinish(queue));
  return finished("kernels");
}
