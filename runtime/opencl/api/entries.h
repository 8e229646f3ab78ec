// Functions of OpenCL that programs reach through the loader's table, by their names in the specification.
#pragma once

#include "opencl/session/session.h"

namespace duet::opencl::api {

#define DUET_CL_NAMES(X)                      \
  X(clGetPlatformIDs)                         \
  X(clGetPlatformInfo)                        \
  X(clGetDeviceIDs)                           \
  X(clGetDeviceInfo)                          \
  X(clCreateContext)                          \
  X(clCreateContextFromType)                  \
  X(clRetainContext)                          \
  X(clReleaseContext)                         \
  X(clGetContextInfo)                         \
  X(clCreateCommandQueue)                     \
  X(clRetainCommandQueue)                     \
  X(clReleaseCommandQueue)                    \
  X(clGetCommandQueueInfo)                    \
  X(clSetCommandQueueProperty)                \
  X(clCreateBuffer)                           \
  X(clRetainMemObject)                        \
  X(clReleaseMemObject)                       \
  X(clGetSupportedImageFormats)               \
  X(clGetMemObjectInfo)                       \
  X(clCreateSampler)                          \
  X(clRetainSampler)                          \
  X(clReleaseSampler)                         \
  X(clGetSamplerInfo)                         \
  X(clCreateProgramWithSource)                \
  X(clCreateProgramWithBinary)                \
  X(clRetainProgram)                          \
  X(clReleaseProgram)                         \
  X(clBuildProgram)                           \
  X(clUnloadCompiler)                         \
  X(clGetProgramInfo)                         \
  X(clGetProgramBuildInfo)                    \
  X(clCreateKernel)                           \
  X(clCreateKernelsInProgram)                 \
  X(clRetainKernel)                           \
  X(clReleaseKernel)                          \
  X(clSetKernelArg)                           \
  X(clGetKernelInfo)                          \
  X(clGetKernelWorkGroupInfo)                 \
  X(clWaitForEvents)                          \
  X(clGetEventInfo)                           \
  X(clRetainEvent)                            \
  X(clReleaseEvent)                           \
  X(clGetEventProfilingInfo)                  \
  X(clFlush)                                  \
  X(clFinish)                                 \
  X(clEnqueueReadBuffer)                      \
  X(clEnqueueWriteBuffer)                     \
  X(clEnqueueCopyBuffer)                      \
  X(clEnqueueMapBuffer)                       \
  X(clEnqueueUnmapMemObject)                  \
  X(clEnqueueNDRangeKernel)                   \
  X(clEnqueueTask)                            \
  X(clEnqueueNativeKernel)                    \
  X(clEnqueueMarker)                          \
  X(clEnqueueWaitForEvents)                   \
  X(clEnqueueBarrier)                         \
  X(clGetExtensionFunctionAddress)            \
  X(clSetEventCallback)                       \
  X(clCreateSubBuffer)                        \
  X(clSetMemObjectDestructorCallback)         \
  X(clCreateUserEvent)                        \
  X(clSetUserEventStatus)                     \
  X(clEnqueueReadBufferRect)                  \
  X(clEnqueueWriteBufferRect)                 \
  X(clEnqueueCopyBufferRect)                  \
  X(clCreateSubDevices)                       \
  X(clRetainDevice)                           \
  X(clReleaseDevice)                          \
  X(clCompileProgram)                         \
  X(clLinkProgram)                            \
  X(clUnloadPlatformCompiler)                 \
  X(clGetKernelArgInfo)                       \
  X(clEnqueueFillBuffer)                      \
  X(clEnqueueMigrateMemObjects)               \
  X(clEnqueueMarkerWithWaitList)              \
  X(clEnqueueBarrierWithWaitList)             \
  X(clGetExtensionFunctionAddressForPlatform) \
  X(clCreateCommandQueueWithProperties)       \
  X(clSVMAlloc)                               \
  X(clSVMFree)                                \
  X(clEnqueueSVMFree)                         \
  X(clEnqueueSVMMemcpy)                       \
  X(clEnqueueSVMMemFill)                      \
  X(clEnqueueSVMMap)                          \
  X(clEnqueueSVMUnmap)                        \
  X(clCreateSamplerWithProperties)            \
  X(clSetKernelArgSVMPointer)                 \
  X(clSetKernelExecInfo)                      \
  X(clCloneKernel)                            \
  X(clEnqueueSVMMigrateMem)                   \
  X(clGetDeviceAndHostTimer)                  \
  X(clGetHostTimer)                           \
  X(clCreateBufferWithProperties)             \
  X(clCreateImage2D)                          \
  X(clCreateImage3D)                          \
  X(clGetImageInfo)                           \
  X(clEnqueueReadImage)                       \
  X(clEnqueueWriteImage)                      \
  X(clEnqueueCopyImage)                       \
  X(clEnqueueCopyImageToBuffer)               \
  X(clEnqueueCopyBufferToImage)               \
  X(clEnqueueMapImage)                        \
  X(clCreateImage)                            \
  X(clEnqueueFillImage)                       \
  X(clCreateImageWithProperties)              \
  X(clSetContextDestructorCallback)

// Those that Duet does not have: a call names itself and fails.
#define DUET_CL_MISSING(X)             \
  X(clCreateFromGLBuffer)              \
  X(clCreateFromGLTexture2D)           \
  X(clCreateFromGLTexture3D)           \
  X(clCreateFromGLRenderbuffer)        \
  X(clGetGLObjectInfo)                 \
  X(clGetGLTextureInfo)                \
  X(clEnqueueAcquireGLObjects)         \
  X(clEnqueueReleaseGLObjects)         \
  X(clGetGLContextInfoKHR)             \
  X(clCreateSubDevicesEXT)             \
  X(clRetainDeviceEXT)                 \
  X(clReleaseDeviceEXT)                \
  X(clCreateEventFromGLsyncKHR)        \
  X(clCreateProgramWithBuiltInKernels) \
  X(clCreateFromGLTexture)             \
  X(clCreateFromEGLImageKHR)           \
  X(clEnqueueAcquireEGLObjectsKHR)     \
  X(clEnqueueReleaseEGLObjectsKHR)     \
  X(clCreateEventFromEGLSyncKHR)       \
  X(clCreatePipe)                      \
  X(clGetPipeInfo)                     \
  X(clGetKernelSubGroupInfoKHR)        \
  X(clCreateProgramWithIL)             \
  X(clGetKernelSubGroupInfo)           \
  X(clSetDefaultDeviceCommandQueue)    \
  X(clSetProgramReleaseCallback)       \
  X(clSetProgramSpecializationConstant)

#define DUET_CL_DECLARE(name) extern decltype(::name) name;
DUET_CL_NAMES(DUET_CL_DECLARE)
#undef DUET_CL_DECLARE

}  // namespace duet::opencl::api
