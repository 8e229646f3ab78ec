// Copies and fills of the driver interface. Where a copy goes is known from its name, from the memory types
// of its structure, or, with unified addresses, from the pointers.
#include "cuda/images/arrays.h"
#include "cuda/memory/copies.h"
#include "cuda/streams/capture.h"
#include "cuda_driver/driver_api.h"

using duet::cuda::array_of;
using duet::cuda::copy_linear;
using duet::cuda::CopySide;
using duet::cuda::pointer_of;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;

namespace {

// One side of a structure of a copy.
struct Corner {
  CUmemorytype type;
  const void* host;
  CUdeviceptr device;
  CUarray array;
  size_t x_bytes, y, z;
  size_t pitch, height;
};

cudaError_t side_of(const Corner& at, size_t width, size_t rows, size_t slices, CopySide& side) {
  if (at.type == CU_MEMORYTYPE_ARRAY)
    return duet::cuda::array_side(array_of(at.array), at.x_bytes, at.y, at.z, width, rows, slices, side);
  if (at.type != CU_MEMORYTYPE_HOST && at.type != CU_MEMORYTYPE_DEVICE && at.type != CU_MEMORYTYPE_UNIFIED)
    return cudaErrorInvalidValue;
  const void* base = at.type == CU_MEMORYTYPE_HOST ? at.host : pointer_of(at.device);
  const size_t pitch = at.pitch != 0 ? at.pitch : at.x_bytes + width;
  const size_t slice = pitch * (at.height != 0 ? at.height : at.y + rows);
  if (base == nullptr || pitch < at.x_bytes + width) return cudaErrorInvalidValue;
  side = {static_cast<const std::byte*>(base) + at.z * slice + at.y * pitch + at.x_bytes, pitch, slice};
  return cudaSuccess;
}

// A device address must be one.
cudaError_t check_type(Session& session, const Corner& at) {
  return at.type == CU_MEMORYTYPE_DEVICE && session.space().find(duet::VirtualAddress(at.device)) == nullptr
             ? cudaErrorInvalidValue
             : cudaSuccess;
}

cudaError_t copy(Session& session, ThreadState& thread, const Corner& to, const Corner& from, size_t width,
                 size_t rows, size_t slices, CUstream stream, bool asynchronous) {
  if (width == 0 || rows == 0 || slices == 0) return cudaSuccess;
  CopySide target{}, source{};
  cudaError_t error = check_type(session, to);
  if (error == cudaSuccess) error = check_type(session, from);
  if (error == cudaSuccess) error = side_of(to, width, rows, slices, target);
  if (error == cudaSuccess) error = side_of(from, width, rows, slices, source);
  if (error != cudaSuccess) return error;
  return duet::cuda::copy(session, thread, target, source, {width, rows, slices}, cudaMemcpyDefault, stream,
                          asynchronous);
}

cudaError_t copy_2d(Session& session, ThreadState& thread, const CUDA_MEMCPY2D* p, CUstream stream,
                    bool asynchronous) {
  if (p == nullptr) return cudaErrorInvalidValue;
  return copy(
      session, thread,
      {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY, 0, p->dstPitch, 0},
      {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY, 0, p->srcPitch, 0},
      p->WidthInBytes, p->Height, 1, stream, asynchronous);
}

cudaError_t copy_3d(Session& session, ThreadState& thread, const CUDA_MEMCPY3D* p, CUstream stream,
                    bool asynchronous) {
  if (p == nullptr || p->srcLOD != 0 || p->dstLOD != 0) return cudaErrorInvalidValue;
  return copy(session, thread,
              {p->dstMemoryType, p->dstHost, p->dstDevice, p->dstArray, p->dstXInBytes, p->dstY, p->dstZ,
               p->dstPitch, p->dstHeight},
              {p->srcMemoryType, p->srcHost, p->srcDevice, p->srcArray, p->srcXInBytes, p->srcY, p->srcZ,
               p->srcPitch, p->srcHeight},
              p->WidthInBytes, p->Height, p->Depth, stream, asynchronous);
}

Corner in_array(CUarray array, size_t offset) {
  return {CU_MEMORYTYPE_ARRAY, nullptr, 0, array, offset, 0, 0, 0, 0};
}
Corner at_device(CUdeviceptr address) {
  return {CU_MEMORYTYPE_DEVICE, nullptr, address, nullptr, 0, 0, 0, 0, 0};
}
Corner at_host(const void* host) { return {CU_MEMORYTYPE_HOST, host, 0, nullptr, 0, 0, 0, 0, 0}; }

// `width` elements in a row.
cudaError_t fill(Session& session, ThreadState& thread, CUdeviceptr to, size_t pitch, unsigned value,
                 unsigned element_bytes, size_t width, size_t rows, CUstream stream, bool asynchronous) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter(session, thread, stream, asynchronous, use);
      error != cudaSuccess)
    return error;
  if (width == 0 || rows == 0) return cudaSuccess;
  return duet::cuda::submit_fill(session, thread, use,
                                 {pointer_of(to), pitch, value, element_bytes, width, rows});
}

}  // namespace

DUET_CU_DO(cuMemcpy, MemcpySync, Context, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, nullptr,
                       false))
DUET_CU_DO(cuMemcpyAsync, MemcpyAsync, Context,
           (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDefault, stream,
                       true))
DUET_CU_DO(cuMemcpyHtoD_v2, MemcpySync, Context, (CUdeviceptr to, const void* from, size_t bytes),
           copy_linear(session, thread, pointer_of(to), from, bytes, cudaMemcpyHostToDevice, nullptr, false))
DUET_CU_DO(cuMemcpyDtoH_v2, MemcpySync, Context, (void* to, CUdeviceptr from, size_t bytes),
           copy_linear(session, thread, to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, nullptr, false))
DUET_CU_DO(cuMemcpyDtoD_v2, MemcpySync, Context, (CUdeviceptr to, CUdeviceptr from, size_t bytes),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                       nullptr, false))
DUET_CU_DO(cuMemcpyHtoDAsync_v2, MemcpyAsync, Context,
           (CUdeviceptr to, const void* from, size_t bytes, CUstream stream),
           copy_linear(session, thread, pointer_of(to), from, bytes, cudaMemcpyHostToDevice, stream, true))
DUET_CU_DO(cuMemcpyDtoHAsync_v2, MemcpyAsync, Context,
           (void* to, CUdeviceptr from, size_t bytes, CUstream stream),
           copy_linear(session, thread, to, pointer_of(from), bytes, cudaMemcpyDeviceToHost, stream, true))
DUET_CU_DO(cuMemcpyDtoDAsync_v2, MemcpyAsync, Context,
           (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                       stream, true))
DUET_CU_DO(cuMemcpyPeer, MemcpySync, Context,
           (CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                       nullptr, false))
DUET_CU_DO(cuMemcpyPeerAsync, MemcpyAsync, Context,
           (CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext, size_t bytes, CUstream stream),
           copy_linear(session, thread, pointer_of(to), pointer_of(from), bytes, cudaMemcpyDeviceToDevice,
                       stream, true))

DUET_CU_BODY(cuMemcpy2D_v2, MemcpySync, Context, (const CUDA_MEMCPY2D* p)) {
  return copy_2d(session, thread, p, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpy2DUnaligned_v2, MemcpySync, Context, (const CUDA_MEMCPY2D* p)) {
  return copy_2d(session, thread, p, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpy2DAsync_v2, MemcpyAsync, Context, (const CUDA_MEMCPY2D* p, CUstream stream)) {
  return copy_2d(session, thread, p, stream, true);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpy3D_v2, MemcpySync, Context, (const CUDA_MEMCPY3D* p)) {
  return copy_3d(session, thread, p, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpy3DAsync_v2, MemcpyAsync, Context, (const CUDA_MEMCPY3D* p, CUstream stream)) {
  return copy_3d(session, thread, p, stream, true);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyDtoA_v2, MemcpySync, Context,
             (CUarray to, size_t offset, CUdeviceptr from, size_t bytes)) {
  return copy(session, thread, in_array(to, offset), at_device(from), bytes, 1, 1, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyAtoD_v2, MemcpySync, Context,
             (CUdeviceptr to, CUarray from, size_t offset, size_t bytes)) {
  return copy(session, thread, at_device(to), in_array(from, offset), bytes, 1, 1, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyHtoA_v2, MemcpySync, Context,
             (CUarray to, size_t offset, const void* from, size_t bytes)) {
  return copy(session, thread, in_array(to, offset), at_host(from), bytes, 1, 1, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyAtoH_v2, MemcpySync, Context, (void* to, CUarray from, size_t offset, size_t bytes)) {
  return copy(session, thread, at_host(to), in_array(from, offset), bytes, 1, 1, nullptr, false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyAtoA_v2, MemcpySync, Context,
             (CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t bytes)) {
  return copy(session, thread, in_array(to, to_offset), in_array(from, from_offset), bytes, 1, 1, nullptr,
              false);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyHtoAAsync_v2, MemcpyAsync, Context,
             (CUarray to, size_t offset, const void* from, size_t bytes, CUstream stream)) {
  return copy(session, thread, in_array(to, offset), at_host(from), bytes, 1, 1, stream, true);
}
DUET_CU_END
DUET_CU_BODY(cuMemcpyAtoHAsync_v2, MemcpyAsync, Context,
             (void* to, CUarray from, size_t offset, size_t bytes, CUstream stream)) {
  return copy(session, thread, at_host(to), in_array(from, offset), bytes, 1, 1, stream, true);
}
DUET_CU_END

#define DUET_CU_FILLS(bits, type)                                                                          \
  DUET_CU_BODY(cuMemsetD##bits##_v2, Memset, Context, (CUdeviceptr to, type value, size_t count)) {        \
    return fill(session, thread, to, count * (bits / 8), value, bits / 8, count, 1, nullptr, false);       \
  }                                                                                                        \
  DUET_CU_END                                                                                              \
  DUET_CU_BODY(cuMemsetD##bits##Async, Memset, Context,                                                    \
               (CUdeviceptr to, type value, size_t count, CUstream stream)) {                              \
    return fill(session, thread, to, count * (bits / 8), value, bits / 8, count, 1, stream, true);         \
  }                                                                                                        \
  DUET_CU_END                                                                                              \
  DUET_CU_BODY(cuMemsetD2D##bits##_v2, Memset, Context,                                                    \
               (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height)) {                  \
    return fill(session, thread, to, pitch, value, bits / 8, width, height, nullptr, false);               \
  }                                                                                                        \
  DUET_CU_END                                                                                              \
  DUET_CU_BODY(cuMemsetD2D##bits##Async, Memset, Context,                                                  \
               (CUdeviceptr to, size_t pitch, type value, size_t width, size_t height, CUstream stream)) { \
    return fill(session, thread, to, pitch, value, bits / 8, width, height, stream, true);                 \
  }                                                                                                        \
  DUET_CU_END

DUET_CU_FILLS(8, unsigned char)
DUET_CU_FILLS(16, unsigned short)
DUET_CU_FILLS(32, unsigned)
