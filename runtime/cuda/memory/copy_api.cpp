// Copies and fills: CUDA's arguments for core/copies.h.
#include <algorithm>

#include "cuda/device/device_description.h"
#include "cuda/images/arrays.h"
#include "cuda/memory/copies.h"
#include "cuda/session/session.h"
#include "cuda/streams/capture.h"

using duet::VirtualAddress;
using duet::core::Direction;
using duet::cuda::CallKind;
using duet::cuda::copy;
using duet::cuda::copy_linear;
using duet::cuda::CopyShape;
using duet::cuda::CopySide;
using duet::cuda::error_of;
using duet::cuda::FullEmptyUse;
using duet::cuda::Session;
using duet::cuda::StreamUse;
using duet::cuda::ThreadState;
using duet::driver::Command;

namespace {

Direction direction_of(cudaMemcpyKind kind) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return Direction::HostToHost;
    case cudaMemcpyHostToDevice:
      return Direction::HostToDevice;
    case cudaMemcpyDeviceToHost:
      return Direction::DeviceToHost;
    case cudaMemcpyDeviceToDevice:
      return Direction::DeviceToDevice;
    case cudaMemcpyDefault:
      break;
  }
  return Direction::Any;
}

cudaError_t prepare(Session& session, const CopySide& to, const CopySide& from, const CopyShape& shape,
                    cudaMemcpyKind kind, const FullEmptyUse& full_empty, Command& command) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) return cudaErrorInvalidMemcpyDirection;
  return error_of(
      duet::core::prepare_copy(session.core(), to, from, shape, direction_of(kind), full_empty, command));
}

// A node has no place for full/empty bits.
cudaError_t capture_copy(const StreamUse& use, const CopySide& to, const CopySide& from,
                         const CopyShape& shape, cudaMemcpyKind kind, const FullEmptyUse& full_empty) {
  if (full_empty.any()) return duet::cuda::refuse_capture(use, cudaErrorStreamCaptureUnsupported);
  const auto pitched = [&](const CopySide& side) {
    const size_t pitch = std::max<size_t>(side.pitch, 1);
    return cudaPitchedPtr{const_cast<void*>(side.pointer), side.pitch, shape.width, side.slice_pitch / pitch};
  };
  cudaMemcpy3DParms parms{};
  parms.dstPtr = pitched(to);
  parms.srcPtr = pitched(from);
  parms.extent = {shape.width, shape.rows, shape.slices};
  parms.kind = kind;
  return duet::cuda::capture(use, duet::cuda::CopyWork{parms});
}

}  // namespace

cudaError_t duet::cuda::copy(Session& session, ThreadState& thread, const CopySide& to, const CopySide& from,
                             const CopyShape& shape, cudaMemcpyKind kind, cudaStream_t stream,
                             bool asynchronous, const FullEmptyUse& full_empty) {
  StreamUse use;
  if (const cudaError_t error = enter(session, thread, stream, asynchronous, use); error != cudaSuccess)
    return error;
  Command command;
  if (const cudaError_t error = prepare(session, to, from, shape, kind, full_empty, command);
      error != cudaSuccess)
    return error;
  if (command.copy.bytes() == 0) return cudaSuccess;
  if (use.capture != nullptr) return capture_copy(use, to, from, shape, kind, full_empty);
  command.stream = use.id;
  core::submit_copy(session.core(), *thread.host, to, from, shape, std::move(command), asynchronous);
  return cudaSuccess;
}

cudaError_t duet::cuda::symbol_range(Session& session, const void* symbol, size_t offset, size_t count,
                                     VirtualAddress& address) {
  Bytes bytes = 0;
  address = session.symbol_address(symbol, bytes);
  if (!address) return cudaErrorInvalidSymbol;
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  address += offset;
  return cudaSuccess;
}

cudaError_t duet::cuda::copy_linear(Session& session, ThreadState& thread, void* to, const void* from,
                                    size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous,
                                    const FullEmptyUse& full_empty) {
  return copy(session, thread, {to, bytes, bytes}, {from, bytes, bytes}, {bytes, 1, 1}, kind, stream,
              asynchronous, full_empty);
}

namespace {

// cudaDeviceProp::memPitch, of the copies with a pitch that the program chose.
bool too_far_apart(Session& session, size_t pitch, size_t rows) {
  int most = 0;
  return rows > 1 && duet::cuda::attribute_value(session, cudaDevAttrMaxPitch, most) == cudaSuccess &&
         pitch > static_cast<size_t>(most);
}

cudaError_t copy_2d(Session& session, ThreadState& thread, void* to, size_t to_pitch, const void* from,
                    size_t from_pitch, size_t width, size_t height, cudaMemcpyKind kind, cudaStream_t stream,
                    bool asynchronous) {
  if (too_far_apart(session, std::max(to_pitch, from_pitch), height)) return cudaErrorInvalidPitchValue;
  return copy(session, thread, {to, to_pitch, to_pitch * height}, {from, from_pitch, from_pitch * height},
              {width, height, 1}, kind, stream, asynchronous);
}

CopySide side_of(const cudaPitchedPtr& pointer, const cudaPos& at) {
  const size_t slice = pointer.pitch * pointer.ysize;
  return {static_cast<const std::byte*>(pointer.ptr) + at.z * slice + at.y * pointer.pitch + at.x,
          pointer.pitch, slice};
}

cudaError_t read_3d(const cudaMemcpy3DParms& p, CopySide& to, CopySide& from, CopyShape& shape) {
  const bool to_array = p.dstArray != nullptr, from_array = p.srcArray != nullptr;
  if ((to_array && p.dstPtr.ptr != nullptr) || (from_array && p.srcPtr.ptr != nullptr))
    return cudaErrorInvalidValue;
  if (to_array && from_array && duet::cuda::texel_bytes(p.dstArray) != duet::cuda::texel_bytes(p.srcArray))
    return cudaErrorInvalidValue;
  // The extent counts an array's texels, or bytes where there is none.
  shape = {p.extent.width, p.extent.height, p.extent.depth};
  if ((to_array || from_array) &&
      __builtin_mul_overflow(shape.width, duet::cuda::texel_bytes(to_array ? p.dstArray : p.srcArray),
                             &shape.width))
    return cudaErrorInvalidValue;
  const auto side = [&](cudaArray_t array, const cudaPitchedPtr& pointer, const cudaPos& at,
                        CopySide& result) {
    if (array != nullptr)
      return duet::cuda::array_side(array, at.x * duet::cuda::texel_bytes(array), at.y, at.z, shape.width,
                                    shape.rows, shape.slices, result);
    result = side_of(pointer, at);
    return cudaSuccess;
  };
  const cudaError_t error = side(p.dstArray, p.dstPtr, p.dstPos, to);
  return error == cudaSuccess ? side(p.srcArray, p.srcPtr, p.srcPos, from) : error;
}

cudaError_t copy_3d(Session& session, ThreadState& thread, const cudaMemcpy3DParms* p, cudaStream_t stream,
                    bool asynchronous) {
  if (p == nullptr) return cudaErrorInvalidValue;
  const size_t rows = p->extent.height * p->extent.depth;
  if ((p->dstArray == nullptr && too_far_apart(session, p->dstPtr.pitch, rows)) ||
      (p->srcArray == nullptr && too_far_apart(session, p->srcPtr.pitch, rows)))
    return cudaErrorInvalidPitchValue;
  CopySide to{}, from{};
  CopyShape shape{};
  if (const cudaError_t error = read_3d(*p, to, from, shape); error != cudaSuccess) return error;
  return copy(session, thread, to, from, shape, p->kind, stream, asynchronous);
}

cudaError_t to_symbol(Session& session, ThreadState& thread, const void* symbol, const void* from,
                      size_t count, size_t offset, cudaMemcpyKind kind, cudaStream_t stream,
                      bool asynchronous) {
  VirtualAddress address;
  if (const cudaError_t error = duet::cuda::symbol_range(session, symbol, offset, count, address);
      error != cudaSuccess)
    return error;
  if (kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return copy_linear(session, thread, duet::pointer_of(address), from, count, kind, stream, asynchronous);
}

cudaError_t from_symbol(Session& session, ThreadState& thread, void* to, const void* symbol, size_t count,
                        size_t offset, cudaMemcpyKind kind, cudaStream_t stream, bool asynchronous) {
  VirtualAddress address;
  if (const cudaError_t error = duet::cuda::symbol_range(session, symbol, offset, count, address);
      error != cudaSuccess)
    return error;
  if (kind == cudaMemcpyHostToDevice || kind == cudaMemcpyHostToHost) return cudaErrorInvalidMemcpyDirection;
  return copy_linear(session, thread, to, duet::pointer_of(address), count, kind, stream, asynchronous);
}

cudaError_t fill(Session& session, ThreadState& thread, void* to, size_t pitch, int value, size_t width,
                 size_t rows, cudaStream_t stream, bool asynchronous) {
  StreamUse use;
  if (const cudaError_t error = duet::cuda::enter(session, thread, stream, asynchronous, use);
      error != cudaSuccess)
    return error;
  if (width == 0 || rows == 0) return cudaSuccess;
  return duet::cuda::submit_fill(session, thread, use,
                                 {to, pitch, static_cast<unsigned>(value) & 0xff, 1, width, rows});
}

cudaError_t fill_3d(Session& session, ThreadState& thread, cudaPitchedPtr to, int value, cudaExtent extent,
                    cudaStream_t stream, bool asynchronous) {
  // Slices lie pitch * ysize apart; with ysize equal to the extent's height they are simply more rows.
  if (to.ysize == extent.height)
    return fill(session, thread, to.ptr, to.pitch, value, extent.width, extent.height * extent.depth, stream,
                asynchronous);
  for (size_t z = 0; z < extent.depth; ++z) {
    const cudaError_t error = fill(session, thread, static_cast<std::byte*>(to.ptr) + z * to.pitch * to.ysize,
                                   to.pitch, value, extent.width, extent.height, stream, asynchronous);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace

cudaError_t duet::cuda::copy_command(Session& session, const cudaMemcpy3DParms& p, Command& command) {
  CopySide to{}, from{};
  CopyShape shape{};
  if (const cudaError_t error = read_3d(p, to, from, shape); error != cudaSuccess) return error;
  command.cost = &session.cost(CallKind::MemcpyAsync);
  const cudaError_t error = prepare(session, to, from, shape, p.kind, {}, command);
  if (command.copy.bytes() == 0) command.cost = nullptr;  // a copy of nothing
  return error;
}

cudaError_t duet::cuda::fill_command(Session& session, const cudaMemsetParams& p, Command& command) {
  return error_of(core::prepare_fill(session.core(),
                                     {p.dst, p.pitch, p.value, p.elementSize, p.width, p.height}, command));
}

cudaError_t duet::cuda::submit_fill(Session& session, ThreadState& thread, const StreamUse& use,
                                    const cudaMemsetParams& parms) {
  Command command;
  if (const cudaError_t error = fill_command(session, parms, command); error != cudaSuccess) return error;
  if (use.capture != nullptr) return capture(use, FillWork{parms});
  command.stream = use.id;
  thread.host->submit(std::move(command));
  return cudaSuccess;
}

DUET_API_SYNC(cudaMemcpy, MemcpySync, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind)) {
  return copy_linear(session, thread, to, from, bytes, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyAsync, MemcpyAsync,
         (void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)) {
  return copy_linear(session, thread, to, from, bytes, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyPeer, MemcpySync,
              (void* to, int to_device, const void* from, int from_device, size_t bytes)) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return copy_linear(session, thread, to, from, bytes, cudaMemcpyDefault, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyPeerAsync, MemcpyAsync,
         (void* to, int to_device, const void* from, int from_device, size_t bytes, cudaStream_t stream)) {
  if (to_device != 0 || from_device != 0) return cudaErrorInvalidDevice;
  return copy_linear(session, thread, to, from, bytes, cudaMemcpyDefault, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy2D, MemcpySync,
              (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
               cudaMemcpyKind kind)) {
  return copy_2d(session, thread, to, to_pitch, from, from_pitch, width, height, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy2DAsync, MemcpyAsync,
         (void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
          cudaMemcpyKind kind, cudaStream_t stream)) {
  return copy_2d(session, thread, to, to_pitch, from, from_pitch, width, height, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpy3D, MemcpySync, (const cudaMemcpy3DParms* p)) {
  return copy_3d(session, thread, p, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpy3DAsync, MemcpyAsync, (const cudaMemcpy3DParms* p, cudaStream_t stream)) {
  return copy_3d(session, thread, p, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyToSymbol, MemcpySync,
              (const void* symbol, const void* from, size_t count, size_t offset, cudaMemcpyKind kind)) {
  return to_symbol(session, thread, symbol, from, count, offset, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyToSymbolAsync, MemcpyAsync,
         (const void* symbol, const void* from, size_t count, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return to_symbol(session, thread, symbol, from, count, offset, kind, stream, true);
}
DUET_END
DUET_API_SYNC(cudaMemcpyFromSymbol, MemcpySync,
              (void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind)) {
  return from_symbol(session, thread, to, symbol, count, offset, kind, nullptr, false);
}
DUET_END
DUET_API(cudaMemcpyFromSymbolAsync, MemcpyAsync,
         (void* to, const void* symbol, size_t count, size_t offset, cudaMemcpyKind kind,
          cudaStream_t stream)) {
  return from_symbol(session, thread, to, symbol, count, offset, kind, stream, true);
}
DUET_END

DUET_API(cudaMemset, Memset, (void* to, int value, size_t count)) {
  return fill(session, thread, to, count, value, count, 1, nullptr, false);
}
DUET_END
DUET_API(cudaMemsetAsync, Memset, (void* to, int value, size_t count, cudaStream_t stream)) {
  return fill(session, thread, to, count, value, count, 1, stream, true);
}
DUET_END
DUET_API(cudaMemset2D, Memset, (void* to, size_t pitch, int value, size_t width, size_t height)) {
  return fill(session, thread, to, pitch, value, width, height, nullptr, false);
}
DUET_END
DUET_API(cudaMemset2DAsync, Memset,
         (void* to, size_t pitch, int value, size_t width, size_t height, cudaStream_t stream)) {
  return fill(session, thread, to, pitch, value, width, height, stream, true);
}
DUET_END
DUET_API(cudaMemset3D, Memset, (cudaPitchedPtr to, int value, cudaExtent extent)) {
  return fill_3d(session, thread, to, value, extent, nullptr, false);
}
DUET_END
DUET_API(cudaMemset3DAsync, Memset, (cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream)) {
  return fill_3d(session, thread, to, value, extent, stream, true);
}
DUET_END
