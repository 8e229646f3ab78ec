// The objects behind OpenCL's handles. Each begins with the loader's table (cl_khr_icd), and is counted
// twice: by the program (clRetain*, clRelease*), and by other objects that need it (Ref). A handle is valid
// while the program's count is not zero; the object goes with the last of both.
//
//   _cl_mem* buffer = make_object<_cl_mem>();      // for the program
//   const Ref<_cl_mem> used(buffer);               // by a command
//   if (find<_cl_mem>(handle) == nullptr) return CL_INVALID_MEM_OBJECT;
#pragma once

#include <CL/cl_icd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/runtime.h"
#include "opencl/compiler/compiler.h"
#include "opencl/session/images.h"

namespace duet::opencl {

extern const cl_icd_dispatch kDispatch;

enum class Kind : std::uint8_t { Platform, Device, Context, Queue, Memory, Sampler, Program, Kernel, Event };

struct Work;  // work.h

struct Object {
  const cl_icd_dispatch* dispatch = &kDispatch;  // the loader reads it there
  Kind kind;
  cl_uint references = 1;  // the program's
  unsigned holders = 1;    // Refs, and one for all of the program's

  explicit Object(Kind own) : kind(own) {}
  Object(const Object&) = delete;
  Object& operator=(const Object&) = delete;
};

// Whether the program may name it: made, and not yet released for the last time.
bool is_live(const void* handle, Kind kind);
void object_made(Object* object);
void object_released(Object* object);

// The memory of an object that is gone. The loader still reads the table of a handle that was released too
// often: of the last ones it is there.
void bury(void* memory);

template <typename T>
void let_go(T* object) {
  if (--object->holders != 0) return;
  object->~T();
  bury(object);
}

template <typename T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) : object_(object) {
    if (object_ != nullptr) ++object_->holders;
  }
  Ref(const Ref& other) : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr) let_go(object_);
  }
  T* get() const { return object_; }
  T* operator->() const { return object_; }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

template <typename T, typename... Values>
T* make_object(Values&&... values) {
  T* const object = new T(std::forward<Values>(values)...);
  object_made(object);
  return object;
}

// Null: the program may not name it.
template <typename T>
T* find(T* handle) {
  return is_live(handle, T::kKind) ? handle : nullptr;
}

// clRetain*, clRelease*.
template <typename T>
cl_int retain(T* handle, cl_int invalid) {
  if (find(handle) == nullptr) return invalid;
  ++handle->references;
  return CL_SUCCESS;
}
template <typename T>
cl_int release(T* handle, cl_int invalid) {
  if (find(handle) == nullptr) return invalid;
  if (--handle->references != 0) return CL_SUCCESS;
  object_released(handle);
  let_go(handle);
  return CL_SUCCESS;
}

}  // namespace duet::opencl

struct _cl_platform_id : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Platform;
  _cl_platform_id() : Object(kKind) {}
};

struct _cl_device_id : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Device;
  _cl_device_id() : Object(kKind) {}
};

struct _cl_context : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Context;
  _cl_context() : Object(kKind) {}
  ~_cl_context();
  std::vector<cl_context_properties> properties;  // with the zero behind, as the program gave them
  std::vector<std::function<void()>> destructors;
};

struct _cl_mem : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Memory;
  _cl_mem() : Object(kKind) {}
  ~_cl_mem();

  duet::opencl::Ref<_cl_context> context;
  duet::opencl::Ref<_cl_mem> parent;  // of a sub-buffer, or of an image that is a buffer's memory
  std::size_t origin = 0;             // in the parent
  cl_mem_flags flags = 0;
  std::size_t bytes = 0;                           // as the host sees it
  void* host_pointer = nullptr;                    // the program's, with CL_MEM_USE_HOST_PTR
  std::unique_ptr<duet::opencl::ImageData> image;  // null: it is a buffer
  std::vector<cl_mem_properties> properties;

  duet::VirtualAddress address;  // for kernels
  bool in_host_memory = false;   // pages for both sides: mapping copies nothing
  std::byte* shadow = nullptr;   // where the host sees it while it is mapped; made by the first map
  bool shadow_is_own = false;    // pinned pages; otherwise the program's, or the buffer itself
  cl_uint maps = 0;              // now
  struct Map {
    duet::core::CopySide host, device;
    duet::core::CopyShape shape;
    cl_map_flags flags;
  };
  std::vector<Map> mapped;
  std::vector<std::function<void()>> destructors;

  // The object whose memory it is.
  _cl_mem& whole() { return parent ? parent->whole() : *this; }
  bool is_svm = false;  // memory of clSVMAlloc, which is not the buffer's
};

namespace duet::opencl {

// A text that lines of PTX name. The PTX of several programs may.
struct SourceText {
  std::string name, text;
  std::string kept;  // the file that reports read; empty until something of it is loaded
};

}  // namespace duet::opencl

struct _cl_sampler : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Sampler;
  _cl_sampler() : Object(kKind) {}

  duet::opencl::Ref<_cl_context> context;
  cl_bool normalized = CL_TRUE;
  cl_addressing_mode addressing = CL_ADDRESS_CLAMP;
  cl_filter_mode filter = CL_FILTER_NEAREST;
  std::vector<cl_sampler_properties> properties;
};

struct _cl_program : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Program;
  _cl_program() : Object(kKind) {}
  ~_cl_program();

  duet::opencl::Ref<_cl_context> context;
  std::shared_ptr<duet::opencl::SourceText> source;  // all that was given; null: a binary, or linked
  std::string object;                                // bitcode of an object or a library
  std::string ptx;                                   // once built, or from a binary
  std::string name;                                  // in reports
  std::vector<std::shared_ptr<duet::opencl::SourceText>> texts;  // of its own and of what it was linked from
  std::string options, log;
  cl_build_status status = CL_BUILD_NONE;
  cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;  // of `object` or `ptx`
  duet::core::Image* image = nullptr;                         // null until it is built
  duet::core::Image* parts_image =
      nullptr;                  // the same for grids that are parts of the work; null until needed
  bool partial_groups = false;  // as OpenCL C 2.0 has them, unless options say otherwise
  std::vector<duet::opencl::KernelInfo> infos;  // of a program from source
  unsigned kernels = 0;                         // attached
};

struct _cl_kernel : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Kernel;
  _cl_kernel() : Object(kKind) {}
  ~_cl_kernel();

  duet::opencl::Ref<_cl_program> program;
  duet::core::Function* function = nullptr;
  duet::opencl::KernelInfo info;  // empty where the program is from a binary
  struct Argument {
    bool given = false;
    std::size_t local_bytes = 0;  // of __local memory
    cl_mem memory = nullptr;      // not retained, as the specification asks: it may be released by now
  };
  std::vector<Argument> arguments;
  std::vector<std::byte> parameters;  // as the kernel takes them, but for local memory
};

struct _cl_command_queue : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Queue;
  _cl_command_queue() : Object(kKind) {}
  ~_cl_command_queue();

  duet::opencl::Ref<_cl_context> context;
  cl_command_queue_properties flags = 0;
  std::vector<cl_queue_properties> properties;  // as given, with the zero behind
  int priority = 0;
  bool in_order() const { return (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0; }

  // In order one; otherwise as many as commands were in flight at a time.
  std::vector<duet::driver::StreamId> streams;
  duet::driver::EventId marker = 0;  // of records that mark a place
  // Commands that wait for a user event, and those behind them; the others are with the driver.
  std::deque<std::shared_ptr<duet::opencl::Work>> held;
  duet::opencl::Ref<_cl_event> barrier;  // out of order: later commands come after it
  // Out of order: those that are not known to have ended; looked through when they are twice as many.
  std::vector<duet::opencl::Ref<_cl_event>> outstanding;
  std::size_t looked_through_at = 64;
};

struct _cl_event : duet::opencl::Object {
  static constexpr auto kKind = duet::opencl::Kind::Event;
  _cl_event() : Object(kKind) {}

  duet::opencl::Ref<_cl_context> context;
  duet::opencl::Ref<_cl_command_queue> queue;  // null: a user event
  cl_command_type type = CL_COMMAND_USER;
  // CL_QUEUED: it waits for a user event, in the API. CL_SUBMITTED: the driver has it, also while it runs.
  // Then CL_COMPLETE, or an error, which is negative. A user event begins as CL_SUBMITTED.
  cl_int status = CL_QUEUED;
  bool all_submitted = false;         // no more commands will belong to it
  unsigned commands = 0;              // with the driver
  duet::driver::CommandId last = 0;   // of them
  duet::driver::StreamId stream = 0;  // theirs
  duet::Picoseconds queued_ps = 0, submitted_ps = 0, start_ps = 0, end_ps = 0;
  struct Callback {
    cl_int at;  // CL_SUBMITTED, CL_RUNNING, CL_COMPLETE
    std::function<void(cl_int)> function;
  };
  std::vector<Callback> callbacks;
  std::vector<duet::opencl::Ref<_cl_mem>> uses;  // until it has ended

  bool is_user() const { return type == CL_COMMAND_USER; }
  bool ended() const { return status <= CL_COMPLETE; }
  // It cannot be named to the driver yet.
  bool open() const { return is_user() ? !ended() : status == CL_QUEUED; }
};
