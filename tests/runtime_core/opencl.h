// The part of OpenCL that tests/runtime_core has: names and numbers of the Khronos headers, version 1.2.
#pragma once

#include <cstddef>
#include <cstdint>

using cl_int = std::int32_t;
using cl_uint = std::uint32_t;
using cl_bool = cl_uint;
using cl_ulong = std::uint64_t;
using cl_platform_id = struct _cl_platform_id*;
using cl_device_id = struct _cl_device_id*;
using cl_context = struct _cl_context*;
using cl_command_queue = struct _cl_command_queue*;
using cl_mem = struct _cl_mem*;
using cl_program = struct _cl_program*;
using cl_kernel = struct _cl_kernel*;
using cl_event = struct _cl_event*;

enum : cl_int {
  CL_SUCCESS = 0,
  CL_MEM_OBJECT_ALLOCATION_FAILURE = -4,
  CL_OUT_OF_RESOURCES = -5,
  CL_BUILD_PROGRAM_FAILURE = -11,
  CL_INVALID_VALUE = -30,
  CL_INVALID_CONTEXT = -34,
  CL_INVALID_COMMAND_QUEUE = -36,
  CL_INVALID_MEM_OBJECT = -38,
  CL_INVALID_BINARY = -42,
  CL_INVALID_PROGRAM = -44,
  CL_INVALID_KERNEL_NAME = -46,
  CL_INVALID_KERNEL = -48,
  CL_INVALID_ARG_INDEX = -49,
  CL_INVALID_ARG_SIZE = -51,
  CL_INVALID_KERNEL_ARGS = -52,
  CL_INVALID_WORK_DIMENSION = -53,
  CL_INVALID_WORK_GROUP_SIZE = -54,
  CL_INVALID_OPERATION = -59
};

extern "C" {
cl_int clGetPlatformIDs(cl_uint room, cl_platform_id* platforms, cl_uint* count);
cl_context clCreateContext(const std::intptr_t* properties, cl_uint count, const cl_device_id* devices, void*,
                           void*, cl_int* error);
cl_command_queue clCreateCommandQueue(cl_context context, cl_device_id device, cl_ulong properties,
                                      cl_int* error);
cl_mem clCreateBuffer(cl_context context, cl_ulong flags, std::size_t bytes, void* host, cl_int* error);
cl_int clReleaseMemObject(cl_mem buffer);
cl_program clCreateProgramWithBinary(cl_context context, cl_uint count, const cl_device_id* devices,
                                     const std::size_t* bytes, const unsigned char** code, cl_int* status,
                                     cl_int* error);
cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void*, void*);
cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error);
cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, std::size_t bytes, const void* value);
cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                            std::size_t bytes, const void* from, cl_uint, const cl_event*, cl_event*);
cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, std::size_t offset,
                           std::size_t bytes, void* to, cl_uint, const cl_event*, cl_event*);
cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions,
                              const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                              cl_uint, const cl_event*, cl_event*);
cl_int clFinish(cl_command_queue queue);
}
