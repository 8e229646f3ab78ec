// Contexts and command queues.
#include <algorithm>

#include "opencl/api/entries.h"
#include "opencl/session/work.h"

namespace duet::opencl::api {

namespace {

cl_int make_context(Session& session, const cl_context_properties* properties, cl_context& made) {
  for (const cl_context_properties* one = properties; one != nullptr && *one != 0; one += 2) {
    for (const cl_context_properties* before = properties; before != one; before += 2)
      if (*before == *one) return CL_INVALID_PROPERTY;
    if (*one == CL_CONTEXT_PLATFORM) {
      if (reinterpret_cast<cl_platform_id>(one[1]) != session.platform()) return CL_INVALID_PLATFORM;
    } else if (*one != CL_CONTEXT_INTEROP_USER_SYNC || (one[1] != CL_FALSE && one[1] != CL_TRUE)) {
      return CL_INVALID_PROPERTY;
    }
  }
  made = make_object<_cl_context>();
  made->properties = properties_of(properties);
  return CL_SUCCESS;
}

constexpr cl_command_queue_properties kQueueFlags =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;

cl_int make_queue(cl_context context, cl_device_id device, cl_command_queue_properties flags,
                  const cl_queue_properties* properties, cl_command_queue& made) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (find(device) == nullptr) return CL_INVALID_DEVICE;
  int priority = 0;
  for (const cl_queue_properties* one = properties; one != nullptr && *one != 0; one += 2) {
    if (*one == CL_QUEUE_PROPERTIES)
      flags = one[1];
    else if (*one == CL_QUEUE_PRIORITY_KHR)
      priority = one[1] == CL_QUEUE_PRIORITY_HIGH_KHR ? -1 : 0;
    else if (*one == CL_QUEUE_SIZE)
      return CL_INVALID_QUEUE_PROPERTIES;
    else
      return CL_INVALID_VALUE;
  }
  constexpr cl_command_queue_properties kOnDevice = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;
  if ((flags & ~(kQueueFlags | kOnDevice)) != 0) return CL_INVALID_VALUE;
  if ((flags & kOnDevice) != 0) return CL_INVALID_QUEUE_PROPERTIES;
  made = make_object<_cl_command_queue>();
  made->context = Ref<_cl_context>(context);
  made->flags = flags;
  made->properties = properties_of(properties);
  made->priority = priority;
  return CL_SUCCESS;
}

}  // namespace

DUET_CL_MAKE(cl_context, clCreateContext, Other,
             (const cl_context_properties* properties, cl_uint count, const cl_device_id* devices,
              void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user_data,
              cl_int* error)) {
  if (devices == nullptr || count == 0 || (notify == nullptr && user_data != nullptr))
    return CL_INVALID_VALUE;
  for (cl_uint i = 0; i < count; ++i)
    if (find(devices[i]) == nullptr) return CL_INVALID_DEVICE;
  return make_context(session, properties, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_context, clCreateContextFromType, Other,
             (const cl_context_properties* properties, cl_device_type type,
              void(CL_CALLBACK* notify)(const char*, const void*, size_t, void*), void* user_data,
              cl_int* error)) {
  if (notify == nullptr && user_data != nullptr) return CL_INVALID_VALUE;
  if (type == 0) return CL_INVALID_DEVICE_TYPE;
  if ((type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT)) == 0) return CL_DEVICE_NOT_FOUND;
  return make_context(session, properties, made);
}
DUET_CL_END

DUET_CL(clRetainContext, Other, (cl_context context)) { return retain(context, CL_INVALID_CONTEXT); }
DUET_CL_END
DUET_CL(clReleaseContext, Other, (cl_context context)) { return release(context, CL_INVALID_CONTEXT); }
DUET_CL_END

DUET_CL(clGetContextInfo, Query,
        (cl_context context, cl_context_info what, size_t room, void* to, size_t* needed)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_CONTEXT_REFERENCE_COUNT:
      return answer.value(context->references);
    case CL_CONTEXT_NUM_DEVICES:
      return answer.value(cl_uint{1});
    case CL_CONTEXT_DEVICES:
      return answer.value(static_cast<cl_device_id>(session.device()));
    case CL_CONTEXT_PROPERTIES:
      return answer.list(context->properties);
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

DUET_CL(clSetContextDestructorCallback, Other,
        (cl_context context, void(CL_CALLBACK* notify)(cl_context, void*), void* user_data)) {
  if (find(context) == nullptr) return CL_INVALID_CONTEXT;
  if (notify == nullptr) return CL_INVALID_VALUE;
  context->destructors.push_back([=] { call_program(notify, context, user_data); });
  expect_calls();
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL_MAKE(cl_command_queue, clCreateCommandQueue, Other,
             (cl_context context, cl_device_id device, cl_command_queue_properties flags, cl_int* error)) {
  return make_queue(context, device, flags, nullptr, made);
}
DUET_CL_END

DUET_CL_MAKE(cl_command_queue, clCreateCommandQueueWithProperties, Other,
             (cl_context context, cl_device_id device, const cl_queue_properties* properties,
              cl_int* error)) {
  return make_queue(context, device, 0, properties, made);
}
DUET_CL_END

DUET_CL(clRetainCommandQueue, Other, (cl_command_queue queue)) {
  return retain(queue, CL_INVALID_COMMAND_QUEUE);
}
DUET_CL_END
// Its commands still run. They hold the queue, and none comes behind them any more.
DUET_CL(clReleaseCommandQueue, Other, (cl_command_queue queue)) {
  if (find(queue) != nullptr && queue->references == 1) {
    queue->barrier = {};
    queue->outstanding.clear();
  }
  return release(queue, CL_INVALID_COMMAND_QUEUE);
}
DUET_CL_END

DUET_CL(clGetCommandQueueInfo, Query,
        (cl_command_queue queue, cl_command_queue_info what, size_t room, void* to, size_t* needed)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  const Answer answer{room, to, needed};
  switch (what) {
    case CL_QUEUE_CONTEXT:
      return answer.value(static_cast<cl_context>(queue->context.get()));
    case CL_QUEUE_DEVICE:
      return answer.value(static_cast<cl_device_id>(session.device()));
    case CL_QUEUE_REFERENCE_COUNT:
      return answer.value(queue->references);
    case CL_QUEUE_PROPERTIES:
      return answer.value(queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
      return answer.list(queue->properties);
    case CL_QUEUE_DEVICE_DEFAULT:
      return answer.value(cl_command_queue{nullptr});
    case CL_QUEUE_SIZE:
      return CL_INVALID_COMMAND_QUEUE;
    default:
      return CL_INVALID_VALUE;
  }
}
DUET_CL_END

// Deprecated since 1.0; what has been enqueued keeps its order.
DUET_CL(clSetCommandQueueProperty, Other,
        (cl_command_queue queue, cl_command_queue_properties flags, cl_bool enable,
         cl_command_queue_properties* before)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  if (flags == 0 || (flags & ~kQueueFlags) != 0) return CL_INVALID_VALUE;
  if (before != nullptr) *before = queue->flags;
  if (((flags ^ (enable ? queue->flags : ~queue->flags)) & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    finish(session, host, *queue);
  queue->flags = enable ? queue->flags | flags : queue->flags & ~flags;
  return CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clFlush, Other, (cl_command_queue queue)) {  // commands are submitted when they are enqueued
  return find(queue) == nullptr ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
}
DUET_CL_END

DUET_CL(clFinish, StreamSynchronize, (cl_command_queue queue)) {
  if (find(queue) == nullptr) return CL_INVALID_COMMAND_QUEUE;
  const Ref<_cl_command_queue> kept(queue);
  finish(session, host, *queue);
  return CL_SUCCESS;
}
DUET_CL_END

}  // namespace duet::opencl::api
