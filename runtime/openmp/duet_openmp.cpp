// What clang's code for OpenMP calls (__kmpc_*, LLVM's OpenMP runtime interface), on top of GCC's libgomp,
// which Debian has for every processor that `duet cc` compiles for, while LLVM's libomp is there for the
// native one alone:
//
//   #pragma omp parallel      __kmpc_fork_call(where, 2, body, &a, &b)  ->  GOMP_parallel(call_body, ...)
//   #pragma omp for           __kmpc_for_static_init_4(...)             ->  computed here
//   schedule(dynamic)         __kmpc_dispatch_next_4(...)               ->  GOMP_loop_dynamic_next(...)
//
// Linked into programs of `duet cc -fopenmp`. Left out: teams and target, taskloop, reductions of tasks,
// copyprivate, cancellation, doacross loops: the linker names the function that is missing.
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

extern "C" {
int omp_get_thread_num();
int omp_get_num_threads();
void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags);
void GOMP_barrier();
void GOMP_critical_name_start(void** name);
void GOMP_critical_name_end(void** name);
bool GOMP_single_start();
void GOMP_ordered_start();
void GOMP_ordered_end();
using Bounds = bool(unsigned long long*, unsigned long long*);
using Start = bool(bool up, unsigned long long first, unsigned long long end, unsigned long long step,
                   unsigned long long chunk, unsigned long long*, unsigned long long*);
using RuntimeStart = bool(bool up, unsigned long long first, unsigned long long end, unsigned long long step,
                          unsigned long long*, unsigned long long*);
Start GOMP_loop_ull_static_start, GOMP_loop_ull_dynamic_start, GOMP_loop_ull_guided_start,
    GOMP_loop_ull_ordered_static_start, GOMP_loop_ull_ordered_dynamic_start,
    GOMP_loop_ull_ordered_guided_start;
RuntimeStart GOMP_loop_ull_runtime_start, GOMP_loop_ull_ordered_runtime_start;
Bounds GOMP_loop_ull_static_next, GOMP_loop_ull_dynamic_next, GOMP_loop_ull_guided_next,
    GOMP_loop_ull_runtime_next, GOMP_loop_ull_ordered_static_next, GOMP_loop_ull_ordered_dynamic_next,
    GOMP_loop_ull_ordered_guided_next, GOMP_loop_ull_ordered_runtime_next;
void GOMP_loop_end_nowait();
void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*), long bytes, long alignment,
               bool deferred, unsigned flags, void** depend, int priority, void* detach);
void GOMP_taskwait();
void GOMP_taskwait_depend(void** depend);
void GOMP_taskyield();
void GOMP_taskgroup_start();
void GOMP_taskgroup_end();
}

namespace {

struct Place;  // ident_t: where in the source; not read
using Body = void (*)(std::int32_t* thread, std::int32_t* bound, ...);

// A region that runs on its own thread alone (if(false)) binds no other thread's loops and barriers.
thread_local int serialized = 0;
thread_local std::int32_t wanted_threads = 0;

std::int32_t thread_here() { return serialized != 0 ? 0 : omp_get_thread_num(); }
std::int32_t threads_here() { return serialized != 0 ? 1 : omp_get_num_threads(); }

constexpr int kMostShared = 64;
struct Region {
  Body body;
  void* shared[kMostShared];
};

// A callee takes as many pointers as it knows; further ones lie where nobody looks.
void call_body(void* data) {
  const auto& r = *static_cast<const Region*>(data);
  void* const* s = r.shared;
  const int outer = serialized;
  serialized = 0;
  std::int32_t thread = omp_get_thread_num(), bound = 0;
  r.body(&thread, &bound, s[0], s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12],
         s[13], s[14], s[15], s[16], s[17], s[18], s[19], s[20], s[21], s[22], s[23], s[24], s[25], s[26],
         s[27], s[28], s[29], s[30], s[31], s[32], s[33], s[34], s[35], s[36], s[37], s[38], s[39], s[40],
         s[41], s[42], s[43], s[44], s[45], s[46], s[47], s[48], s[49], s[50], s[51], s[52], s[53], s[54],
         s[55], s[56], s[57], s[58], s[59], s[60], s[61], s[62], s[63]);
  serialized = outer;
}

// Schedules as clang passes them (enum sched_type of LLVM's runtime), without the bits of modifiers.
enum Schedule : std::int32_t { kStaticChunks = 33, kStatic, kDynamic, kGuided, kRuntime, kAuto };
constexpr std::int32_t kOrdered = 32;  // added to these
constexpr std::int32_t kModifiers = (1 << 29) | (1 << 30);

// This thread's part of lower to upper, both inclusive. Chunks of one thread are `stride` apart.
template <typename T>
void static_part(std::int32_t schedule, std::int32_t* last, T* lower, T* upper, std::make_signed_t<T>* stride,
                 std::make_signed_t<T> step, std::make_signed_t<T> chunk) {
  using U = std::make_unsigned_t<T>;
  const bool up = step > 0;
  if (last != nullptr) *last = 0;
  if (up ? *upper < *lower : *lower < *upper) {
    *stride = step;
    return;
  }
  const U apart =
      up ? static_cast<U>(*upper) - static_cast<U>(*lower) : static_cast<U>(*lower) - static_cast<U>(*upper);
  const U size = up ? static_cast<U>(step) : U{0} - static_cast<U>(step);
  const U count = apart / size + 1;
  const U threads = static_cast<U>(threads_here()), thread = static_cast<U>(thread_here());
  const U by = static_cast<U>(step);  // modulo 2^n: a negative step counts down
  if ((schedule & ~kModifiers) == kStaticChunks) {
    const U each = chunk < 1 ? U{1} : static_cast<U>(chunk);
    *stride = static_cast<std::make_signed_t<T>>(each * by * threads);
    *lower = static_cast<T>(static_cast<U>(*lower) + each * by * thread);
    *upper = static_cast<T>(static_cast<U>(*lower) + each * by - by);
    if (last != nullptr) *last = thread == (count - 1) / each % threads;
    return;
  }
  const U each = count / threads, more = count % threads;
  const U first = each * thread + (thread < more ? thread : more), own = each + (thread < more ? 1 : 0);
  *stride = static_cast<std::make_signed_t<T>>(count * by);
  if (own == 0) {  // an empty part
    *lower = static_cast<T>(static_cast<U>(*upper) + by);
    return;
  }
  *lower = static_cast<T>(static_cast<U>(*lower) + first * by);
  *upper = static_cast<T>(static_cast<U>(*lower) + (own - 1) * by);
  if (last != nullptr) *last = first + own == count;
}

// A loop whose parts are given out as threads ask for them. libgomp counts in 64 bits without a sign: signed
// bounds are moved up by 2^63.
struct Loop {
  std::int32_t schedule = 0;
  bool is_signed = false, begun = false, done = false;
  unsigned long long first = 0, end = 0, step = 0, chunk = 0;
};
thread_local Loop loop;
constexpr unsigned long long kMoved = 1ull << 63;

template <typename T>
void dispatch(std::int32_t schedule, T lower, T upper, std::make_signed_t<T> step,
              std::make_signed_t<T> chunk) {
  loop = {};
  loop.schedule = schedule & ~kModifiers;
  loop.is_signed = std::is_signed_v<T>;
  const auto wide = [](T value) {
    return std::is_signed_v<T> ? static_cast<unsigned long long>(static_cast<long long>(value)) + kMoved
                               : static_cast<unsigned long long>(value);
  };
  loop.first = wide(lower);
  loop.step = static_cast<unsigned long long>(static_cast<long long>(step));
  loop.end = wide(upper) + (step > 0 ? 1 : ~0ull);
  loop.chunk = chunk < 1 ? 1 : static_cast<unsigned long long>(chunk);
}

bool next_part(unsigned long long* from, unsigned long long* to) {
  const bool up = static_cast<long long>(loop.step) > 0;
  if (serialized != 0) {
    *from = loop.first;
    *to = loop.end;
    return !loop.begun && (up ? loop.first < loop.end : loop.end < loop.first);
  }
  const bool ordered = loop.schedule >= kStaticChunks + kOrdered;
  const std::int32_t kind = ordered ? loop.schedule - kOrdered : loop.schedule;
  struct Functions {
    Start* start;
    Bounds* next;
  };
  const Functions fixed =
      ordered ? Functions{GOMP_loop_ull_ordered_static_start, GOMP_loop_ull_ordered_static_next}
              : Functions{GOMP_loop_ull_static_start, GOMP_loop_ull_static_next};
  const Functions asked =
      ordered ? Functions{GOMP_loop_ull_ordered_dynamic_start, GOMP_loop_ull_ordered_dynamic_next}
              : Functions{GOMP_loop_ull_dynamic_start, GOMP_loop_ull_dynamic_next};
  const Functions guided =
      ordered ? Functions{GOMP_loop_ull_ordered_guided_start, GOMP_loop_ull_ordered_guided_next}
              : Functions{GOMP_loop_ull_guided_start, GOMP_loop_ull_guided_next};
  if (kind == kRuntime) {
    if (loop.begun)
      return (ordered ? GOMP_loop_ull_ordered_runtime_next : GOMP_loop_ull_runtime_next)(from, to);
    return (ordered ? GOMP_loop_ull_ordered_runtime_start : GOMP_loop_ull_runtime_start)(
        up, loop.first, loop.end, loop.step, from, to);
  }
  const Functions& of = kind == kDynamic ? asked : kind == kGuided ? guided : fixed;
  if (loop.begun) return of.next(from, to);
  const bool whole = kind == kStatic || kind == kAuto;  // a part a thread
  return of.start(up, loop.first, loop.end, loop.step, whole ? 0 : loop.chunk, from, to);
}

template <typename T>
std::int32_t next(std::int32_t* last, T* lower, T* upper, std::make_signed_t<T>* step) {
  unsigned long long from = 0, to = 0;
  if (loop.done) return 0;
  const bool more = next_part(&from, &to);
  loop.begun = true;
  if (!more) {
    loop.done = true;
    if (serialized == 0) GOMP_loop_end_nowait();
    return 0;
  }
  const unsigned long long moved = loop.is_signed ? kMoved : 0;
  const bool up = static_cast<long long>(loop.step) > 0;
  *lower = static_cast<T>(from - moved);
  *upper = static_cast<T>(to - moved - (up ? 1 : ~0ull));
  *step = static_cast<std::make_signed_t<T>>(loop.step);
  if (last != nullptr) *last = up ? to >= loop.end : to <= loop.end;
  return 1;
}

// kmp_task_t, as clang lays it out: what follows is the code's own.
struct Task {
  void* shared;
  std::int32_t (*routine)(std::int32_t thread, Task* task);
  std::int32_t part;
};
struct Dependence {
  std::intptr_t address;
  std::size_t bytes;
  unsigned char flags;  // 1: in, 2: out
};
constexpr unsigned kGompDepend = 8;

void run_task(void* data) {
  Task* const task = *static_cast<Task**>(data);
  task->routine(omp_get_thread_num(), task);
  std::free(task);
}

// As libgomp reads them: their number, the number of those that write, and these first.
void** depend_list(std::int32_t count, const Dependence* list) {
  auto** const all = static_cast<void**>(std::calloc(static_cast<std::size_t>(count) + 2, sizeof(void*)));
  std::size_t at = 2, writers = 0;
  for (int writes = 1; writes >= 0; --writes)
    for (std::int32_t i = 0; i < count; ++i)
      if (((list[i].flags & 2) != 0) == (writes != 0)) {
        all[at++] = reinterpret_cast<void*>(list[i].address);
        writers += static_cast<std::size_t>(writes);
      }
  all[0] = reinterpret_cast<void*>(static_cast<std::size_t>(count));
  all[1] = reinterpret_cast<void*>(writers);
  return all;
}

void** name_of(void* critical) { return static_cast<void**>(critical); }

}  // namespace

extern "C" {

std::int32_t __kmpc_global_thread_num(Place*) { return omp_get_thread_num(); }
void __kmpc_push_num_threads(Place*, std::int32_t, std::int32_t threads) { wanted_threads = threads; }
void __kmpc_push_proc_bind(Place*, std::int32_t, int) {}

void __kmpc_fork_call(Place*, std::int32_t count, Body body, ...) {
  if (count > kMostShared) {
    std::fprintf(
        stderr,
        "duet: an OpenMP region shares %d variables, and Duet's runtime takes %d: put some into a struct\n",
        count, kMostShared);
    std::abort();
  }
  Region region{body, {}};
  va_list arguments;
  va_start(arguments, body);
  for (std::int32_t i = 0; i < count; ++i) region.shared[i] = va_arg(arguments, void*);
  va_end(arguments);
  const auto threads = static_cast<unsigned>(wanted_threads);
  wanted_threads = 0;
  GOMP_parallel(call_body, &region, threads, 0);
}
void __kmpc_serialized_parallel(Place*, std::int32_t) {
  ++serialized;
  wanted_threads = 0;
}
void __kmpc_end_serialized_parallel(Place*, std::int32_t) { --serialized; }

void __kmpc_barrier(Place*, std::int32_t) {
  if (serialized == 0) GOMP_barrier();
}
void __kmpc_flush(Place*) { __sync_synchronize(); }
std::int32_t __kmpc_master(Place*, std::int32_t) { return thread_here() == 0; }
void __kmpc_end_master(Place*, std::int32_t) {}
std::int32_t __kmpc_masked(Place*, std::int32_t, std::int32_t filter) { return thread_here() == filter; }
void __kmpc_end_masked(Place*, std::int32_t) {}
std::int32_t __kmpc_single(Place*, std::int32_t) { return serialized != 0 || GOMP_single_start(); }
void __kmpc_end_single(Place*, std::int32_t) {}
void __kmpc_ordered(Place*, std::int32_t) {
  if (serialized == 0) GOMP_ordered_start();
}
void __kmpc_end_ordered(Place*, std::int32_t) {
  if (serialized == 0) GOMP_ordered_end();
}
void __kmpc_critical(Place*, std::int32_t, void* name) { GOMP_critical_name_start(name_of(name)); }
void __kmpc_critical_with_hint(Place*, std::int32_t, void* name, std::uint32_t) {
  GOMP_critical_name_start(name_of(name));
}
void __kmpc_end_critical(Place*, std::int32_t, void* name) { GOMP_critical_name_end(name_of(name)); }
// 1: the caller adds its own values, one thread after the other.
std::int32_t __kmpc_reduce(Place*, std::int32_t, std::int32_t, std::size_t, void*, void (*)(void*, void*),
                           void* lock) {
  GOMP_critical_name_start(name_of(lock));
  return 1;
}
void __kmpc_end_reduce(Place* place, std::int32_t thread, void* lock) {
  GOMP_critical_name_end(name_of(lock));
  __kmpc_barrier(place, thread);
}
std::int32_t __kmpc_reduce_nowait(Place*, std::int32_t, std::int32_t, std::size_t, void*,
                                  void (*)(void*, void*), void* lock) {
  GOMP_critical_name_start(name_of(lock));
  return 1;
}
void __kmpc_end_reduce_nowait(Place*, std::int32_t, void* lock) { GOMP_critical_name_end(name_of(lock)); }

#define DUET_OMP_LOOPS(suffix, type)                                                                      \
  void __kmpc_for_static_init_##suffix(Place*, std::int32_t, std::int32_t schedule, std::int32_t* last,   \
                                       type* lower, type* upper, std::make_signed_t<type>* stride,        \
                                       std::make_signed_t<type> step, std::make_signed_t<type> chunk) {   \
    static_part(schedule, last, lower, upper, stride, step, chunk);                                       \
  }                                                                                                       \
  void __kmpc_dispatch_init_##suffix(Place*, std::int32_t, std::int32_t schedule, type lower, type upper, \
                                     std::make_signed_t<type> step, std::make_signed_t<type> chunk) {     \
    dispatch(schedule, lower, upper, step, chunk);                                                        \
  }                                                                                                       \
  std::int32_t __kmpc_dispatch_next_##suffix(Place*, std::int32_t, std::int32_t* last, type* lower,       \
                                             type* upper, std::make_signed_t<type>* step) {               \
    return next(last, lower, upper, step);                                                                \
  }                                                                                                       \
  void __kmpc_dispatch_fini_##suffix(Place*, std::int32_t) {}
DUET_OMP_LOOPS(4, std::int32_t)
DUET_OMP_LOOPS(4u, std::uint32_t)
DUET_OMP_LOOPS(8, std::int64_t)
DUET_OMP_LOOPS(8u, std::uint64_t)
void __kmpc_for_static_fini(Place*, std::int32_t) {}
void __kmpc_dispatch_deinit(Place*, std::int32_t) {}

Task* __kmpc_omp_task_alloc(Place*, std::int32_t, std::int32_t, std::size_t bytes, std::size_t shared_bytes,
                            std::int32_t (*routine)(std::int32_t, Task*)) {
  const std::size_t own = (bytes + 15) / 16 * 16;
  auto* const memory = static_cast<char*>(std::calloc(1, own + shared_bytes));
  auto* const task = reinterpret_cast<Task*>(memory);
  task->shared = memory + own;
  task->routine = routine;
  return task;
}
std::int32_t __kmpc_omp_task(Place*, std::int32_t, Task* task) {
  GOMP_task(run_task, &task, nullptr, sizeof(Task*), alignof(Task*), true, 0, nullptr, 0, nullptr);
  return 0;
}
std::int32_t __kmpc_omp_task_with_deps(Place*, std::int32_t, Task* task, std::int32_t count, Dependence* list,
                                       std::int32_t, Dependence*) {
  void** const depend = depend_list(count, list);
  GOMP_task(run_task, &task, nullptr, sizeof(Task*), alignof(Task*), true, kGompDepend, depend, 0, nullptr);
  std::free(depend);
  return 0;
}
void __kmpc_omp_wait_deps(Place*, std::int32_t, std::int32_t count, Dependence* list, std::int32_t,
                          Dependence*) {
  void** const depend = depend_list(count, list);
  GOMP_taskwait_depend(depend);
  std::free(depend);
}
void __kmpc_omp_task_begin_if0(Place*, std::int32_t, Task*) {}
void __kmpc_omp_task_complete_if0(Place*, std::int32_t, Task* task) { std::free(task); }
std::int32_t __kmpc_omp_taskwait(Place*, std::int32_t) {
  GOMP_taskwait();
  return 0;
}
std::int32_t __kmpc_omp_taskyield(Place*, std::int32_t, int) {
  GOMP_taskyield();
  return 0;
}
void __kmpc_taskgroup(Place*, std::int32_t) { GOMP_taskgroup_start(); }
void __kmpc_end_taskgroup(Place*, std::int32_t) { GOMP_taskgroup_end(); }

}  // extern "C"
