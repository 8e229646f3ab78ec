// Order: queues in order and out of order, events of other queues and of the program, callbacks, markers.
#include "common.h"

static const char* kSource =
    "__kernel void turn(__global int* data, int from, int to, int turns) {\n"
    "  int sum = data[from];\n"
    "  for (int i = 0; i < turns; i++) sum = sum * 3 + 1;\n"
    "  if (get_global_id(0) == 0) data[to] = sum;\n"
    "}\n";

static cl_kernel turn;
static cl_mem data;

static int after(int value, int turns) {
  for (int i = 0; i < turns; i++) value = (int)((unsigned)value * 3u + 1u);
  return value;
}

static void run(cl_command_queue queue, int from, int to, int turns, cl_uint count, const cl_event* list,
                cl_event* event) {
  const size_t one = 32;
  OK(clSetKernelArg(turn, 0, sizeof data, &data));
  OK(clSetKernelArg(turn, 1, sizeof from, &from));
  OK(clSetKernelArg(turn, 2, sizeof to, &to));
  OK(clSetKernelArg(turn, 3, sizeof turns, &turns));
  OK(clEnqueueNDRangeKernel(queue, turn, 1, NULL, &one, &one, count, list, event));
}

static int at(cl_command_queue queue, int place) {
  int value = 0;
  OK(clEnqueueReadBuffer(queue, data, CL_TRUE, place * sizeof(int), sizeof(int), &value, 0, NULL, NULL));
  return value;
}

static cl_int status_of(cl_event event) {
  cl_int status;
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
  return status;
}

static cl_ulong time_of(cl_event event, cl_profiling_info what) {
  cl_ulong time;
  OK(clGetEventProfilingInfo(event, what, sizeof time, &time, NULL));
  return time;
}

static volatile int called;
static void CL_CALLBACK count_call(cl_event event, cl_int status, void* user_data) {
  (void)event;
  if (status == *(int*)user_data) called++;
}
static void CL_CALLBACK set_other(cl_event event, cl_int status, void* other) {
  (void)event;
  (void)status;
  OK(clSetUserEventStatus(*(cl_event*)other, CL_COMPLETE));
}

int main(void) {
  cl_int error;
  open_device();
  cl_command_queue first = queue_with(CL_QUEUE_PROFILING_ENABLE),
                   second = queue_with(CL_QUEUE_PROFILING_ENABLE);
  cl_command_queue loose = queue_with(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
  turn = kernel_of(built(kSource, NULL), "turn");
  data = buffer_of(CL_MEM_READ_WRITE, 64 * sizeof(int), NULL);
  const int zero = 0;
  OK(clEnqueueFillBuffer(first, data, &zero, sizeof zero, 0, 64 * sizeof(int), 0, NULL, NULL));
  OK(clFinish(first));

  // In order, and behind an event of another queue, but not behind what is later there.
  cl_event a, b, c, behind;
  run(first, 0, 1, 200, 0, NULL, &a);
  run(first, 1, 2, 50000, 0, NULL, &behind);
  run(second, 1, 3, 10, 1, &a, &b);
  OK(clWaitForEvents(1, &b));
  TRUE_THAT(status_of(a) == CL_COMPLETE && status_of(behind) > CL_COMPLETE);
  OK(clFinish(first));
  TRUE_THAT(at(second, 3) == after(after(0, 200), 10) && at(second, 2) == after(after(0, 200), 50000));
  TRUE_THAT(time_of(a, CL_PROFILING_COMMAND_END) <= time_of(b, CL_PROFILING_COMMAND_START));
  OK(clReleaseEvent(a));
  OK(clReleaseEvent(b));
  OK(clReleaseEvent(behind));

  // Out of order: two that have nothing to do with each other run together, a third comes behind both.
  cl_event both[2];
  run(loose, 0, 4, 20000, 0, NULL, &both[0]);
  run(loose, 0, 5, 20000, 0, NULL, &both[1]);
  run(loose, 5, 6, 10, 2, both, &c);
  OK(clWaitForEvents(1, &c));
  TRUE_THAT(time_of(both[1], CL_PROFILING_COMMAND_START) < time_of(both[0], CL_PROFILING_COMMAND_END));
  TRUE_THAT(time_of(c, CL_PROFILING_COMMAND_START) >= time_of(both[0], CL_PROFILING_COMMAND_END));
  TRUE_THAT(at(loose, 6) == after(after(0, 20000), 10));
  OK(clReleaseEvent(c));
  // A barrier, and a marker of all before it.
  cl_event marker;
  run(loose, 0, 7, 20000, 0, NULL, NULL);
  OK(clEnqueueMarkerWithWaitList(loose, 0, NULL, &marker));
  OK(clEnqueueBarrierWithWaitList(loose, 0, NULL, NULL));
  run(loose, 7, 8, 5, 0, NULL, &c);
  OK(clWaitForEvents(1, &c));
  TRUE_THAT(status_of(marker) == CL_COMPLETE && at(loose, 8) == after(after(0, 20000), 5));
  OK(clReleaseEvent(c));
  OK(clReleaseEvent(marker));
  OK(clReleaseEvent(both[0]));
  OK(clReleaseEvent(both[1]));

  // An event of the program holds what waits for it, and what is behind that, in other queues too.
  cl_event user = clCreateUserEvent(context, &error);
  OK(error);
  run(first, 0, 9, 3, 1, &user, &a);
  run(first, 9, 10, 4, 0, NULL, &b);
  run(second, 10, 11, 5, 1, &b, &c);
  run(loose, 0, 12, 6, 0, NULL, NULL);
  OK(clFinish(loose));
  TRUE_THAT(status_of(a) == CL_QUEUED && status_of(c) == CL_QUEUED && at(loose, 9) == 0);
  OK(clSetUserEventStatus(user, CL_COMPLETE));
  IS(CL_INVALID_OPERATION, clSetUserEventStatus(user, CL_COMPLETE));
  OK(clFinish(second));
  TRUE_THAT(at(second, 11) == after(after(after(0, 3), 4), 5));
  OK(clReleaseEvent(user));
  OK(clReleaseEvent(a));
  OK(clReleaseEvent(b));
  OK(clReleaseEvent(c));
  // An error reaches what waits for it.
  user = clCreateUserEvent(context, &error);
  OK(error);
  run(first, 0, 13, 3, 1, &user, &a);
  OK(clSetUserEventStatus(user, -5));
  IS(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &a));
  TRUE_THAT(status_of(a) < 0);
  OK(clFinish(first));
  TRUE_THAT(at(first, 13) == 0);
  OK(clReleaseEvent(user));
  OK(clReleaseEvent(a));

  // A callback may set the event that the program waits for.
  user = clCreateUserEvent(context, &error);
  OK(error);
  run(first, 0, 14, 3, 0, NULL, &a);
  run(second, 14, 15, 3, 1, &user, &b);
  int complete = CL_COMPLETE;
  OK(clSetEventCallback(a, CL_COMPLETE, set_other, &user));
  OK(clSetEventCallback(b, CL_COMPLETE, count_call, &complete));
  OK(clFinish(second));
  OK(clFlush(second));
  await(second, &called, 1);
  TRUE_THAT(at(second, 15) == after(after(0, 3), 3));
  OK(clSetEventCallback(b, CL_COMPLETE, count_call, &complete));  // long since so
  await(second, &called, 2);
  OK(clReleaseEvent(user));
  OK(clReleaseEvent(a));
  OK(clReleaseEvent(b));
  return finished("queues");
}
