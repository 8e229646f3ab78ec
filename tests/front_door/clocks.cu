// What a program sees of time. Prints one line an observation, which clock_test.py judges: an interval in
// nanoseconds, or a count. The first argument says what to do.
#include <cuda_runtime.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/times.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <future>
#include <mutex>
#include <thread>

__global__ void busy_for(int* data, int rounds) {
  int value = data[threadIdx.x];
  for (int i = 0; i < rounds; ++i) value = value * 1664525 + 1013904223;
  data[threadIdx.x] = value;
}
__global__ void set_flag(volatile int* flag) { *flag = 1; }

namespace {

using Nanoseconds = long long;

Nanoseconds of(clockid_t clock) {
  timespec time;
  clock_gettime(clock, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}
Nanoseconds monotonic() { return of(CLOCK_MONOTONIC); }
template <typename Clock>
Nanoseconds chrono() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

void say(const char* what, Nanoseconds value) { std::printf("%s %lld\n", what, value); }

struct Reader {
  const char* name;
  std::function<Nanoseconds()> now;
};
const Reader kReaders[] = {
    {"clock_gettime_realtime", [] { return of(CLOCK_REALTIME); }},
    {"clock_gettime_monotonic", [] { return of(CLOCK_MONOTONIC); }},
    {"clock_gettime_raw", [] { return of(CLOCK_MONOTONIC_RAW); }},
    {"clock_gettime_process", [] { return of(CLOCK_PROCESS_CPUTIME_ID); }},
    {"gettimeofday",
     [] {
       timeval time;
       gettimeofday(&time, nullptr);
       return time.tv_sec * 1000000000LL + time.tv_usec * 1000LL;
     }},
    {"time", [] { return time(nullptr) * 1000000000LL; }},
    {"clock", [] { return clock() * (1000000000LL / CLOCKS_PER_SEC); }},
    {"times",
     [] {
       tms used;
       return times(&used) * (1000000000LL / sysconf(_SC_CLK_TCK));
     }},
    {"getrusage",
     [] {
       rusage usage;
       getrusage(RUSAGE_SELF, &usage);
       return usage.ru_utime.tv_sec * 1000000000LL + usage.ru_utime.tv_usec * 1000LL;
     }},
    {"timespec_get",
     [] {
       timespec time;
       timespec_get(&time, TIME_UTC);
       return time.tv_sec * 1000000000LL + time.tv_nsec;
     }},
    {"chrono_steady", chrono<std::chrono::steady_clock>},
    {"chrono_system", chrono<std::chrono::system_clock>},
};

// The same kernel, timed by events and by every clock.
void readers() {
  int* data;
  cudaMalloc(&data, 128);
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (const Reader& reader : kReaders) {
    const Nanoseconds from = reader.now();
    cudaEventRecord(begin);
    busy_for<<<1, 32>>>(data, 20000);
    cudaEventRecord(end);
    cudaDeviceSynchronize();
    const Nanoseconds to = reader.now();
    float milliseconds;
    cudaEventElapsedTime(&milliseconds, begin, end);
    say(reader.name, to - from);
    say("events", static_cast<Nanoseconds>(milliseconds * 1e6f));
  }
  say("date", time(nullptr));
}

// Every way to sleep, for 20 ms.
void sleeps() {
  const timespec duration{0, 20000000};
  const std::pair<const char*, std::function<void()>> ways[] = {
      {"nanosleep", [&] { nanosleep(&duration, nullptr); }},
      {"clock_nanosleep", [&] { clock_nanosleep(CLOCK_MONOTONIC, 0, &duration, nullptr); }},
      {"clock_nanosleep_until",
       [&] {
         timespec end;
         clock_gettime(CLOCK_REALTIME, &end);
         end.tv_nsec += 20000000;
         if (end.tv_nsec >= 1000000000) end.tv_nsec -= 1000000000, ++end.tv_sec;
         clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &end, nullptr);
       }},
      {"usleep", [] { usleep(20000); }},
      {"thrd_sleep", [&] { thrd_sleep(&duration, nullptr); }},
      {"poll", [] { poll(nullptr, 0, 20); }},
      {"select",
       [] {
         timeval limit{0, 20000};
         select(0, nullptr, nullptr, nullptr, &limit);
       }},
      {"sleep_for", [] { std::this_thread::sleep_for(std::chrono::milliseconds(20)); }},
      {"sleep_until",
       [] {
         std::this_thread::sleep_until(std::chrono::system_clock::now() + std::chrono::milliseconds(20));
       }},
      {"long_sleep", [] { sleep(3600); }},
  };
  for (const auto& [name, way] : ways) {
    const Nanoseconds from = monotonic();
    way();
    say(name, monotonic() - from);
  }
}

// Loops that end by the clock, or by what the GPU writes into mapped memory.
void spins() {
  Nanoseconds from = monotonic();
  while (monotonic() - from < 10000000) {
  }
  say("spin", monotonic() - from);
  int *flag, *device;
  cudaHostAlloc(&flag, 4, cudaHostAllocMapped);
  cudaHostGetDevicePointer(&device, flag, 0);
  for (const bool sleeps : {true, false}) {
    *flag = 0;
    from = monotonic();
    set_flag<<<1, 1>>>(device);
    while (*static_cast<volatile int*>(flag) == 0 && monotonic() - from < 1000000000)
      if (sleeps) usleep(10);
    say(sleeps ? "flag_sleeping" : "flag_reading", monotonic() - from);
    cudaDeviceSynchronize();
  }
}

// Waits that nobody ends, for 30 ms; each says that it has timed out.
void timeouts() {
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable condition;
  std::timed_mutex timed;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) return;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_t by_monotonic, by_date;
  pthread_cond_init(&by_monotonic, &attributes);
  pthread_cond_init(&by_date, nullptr);
  const auto in_30_ms = [](clockid_t clock) {
    const Nanoseconds end = of(clock) + 30000000;
    return timespec{static_cast<time_t>(end / 1000000000), static_cast<long>(end % 1000000000)};
  };
  const auto wait = [&](pthread_cond_t* with, clockid_t clock) {
    pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&held);
    const timespec end = in_30_ms(clock);
    return pthread_cond_timedwait(with, &held, &end) == ETIMEDOUT;
  };
  std::mutex held_by_another;
  std::unique_lock hold(held_by_another);
  std::atomic<bool> holds{false};
  std::thread holder([&] {
    timed.lock();
    pthread_rwlock_wrlock(&lock);
    holds = true;
    std::unique_lock lock(held_by_another);
    timed.unlock();
  });
  while (!holds) std::this_thread::yield();
  const std::pair<const char*, std::function<bool()>> ways[] = {
      {"wait_for",
       [&] {
         std::unique_lock lock(mutex);
         return !condition.wait_for(lock, 30ms, [] { return false; });
       }},
      {"wait_until",
       [&] {
         std::unique_lock lock(mutex);
         return !condition.wait_until(lock, std::chrono::system_clock::now() + 30ms, [] { return false; });
       }},
      {"cond_monotonic", [&] { return wait(&by_monotonic, CLOCK_MONOTONIC); }},
      {"cond_date", [&] { return wait(&by_date, CLOCK_REALTIME); }},
      {"try_lock_for", [&] { return !timed.try_lock_for(30ms); }},
      {"future_for", [&] { return future.wait_for(30ms) == std::future_status::timeout; }},
      {"future_until",
       [&] {
         return future.wait_until(std::chrono::system_clock::now() + 30ms) == std::future_status::timeout;
       }},
      {"sem_timedwait",
       [&] {
         const timespec end = in_30_ms(CLOCK_REALTIME);
         return sem_timedwait(&semaphore, &end) != 0 && errno == ETIMEDOUT;
       }},
      {"rwlock",
       [&] {
         const timespec end = in_30_ms(CLOCK_REALTIME);
         return pthread_rwlock_timedrdlock(&lock, &end) != 0;
       }},
      {"poll_pipe",
       [&] {
         pollfd file{pipe_ends[0], POLLIN, 0};
         return poll(&file, 1, 30) == 0;
       }},
  };
  for (const auto& [name, way] : ways) {
    const Nanoseconds from = monotonic();
    const bool timed_out = way();
    say(name, timed_out ? monotonic() - from : -1);
  }
  hold.unlock();
  holder.join();
}

// Waits of a day that another thread ends: they must end then.
void woken() {
  using namespace std::chrono_literals;
  int* data;
  cudaMalloc(&data, 128);
  std::mutex mutex;
  std::condition_variable condition;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  bool ready = false;
  const Nanoseconds from = monotonic();
  std::thread worker([&] {
    for (int i = 0; i < 2; ++i) {
      busy_for<<<1, 32>>>(data, 20000);
      cudaDeviceSynchronize();
      if (i == 0) {
        const std::lock_guard lock(mutex);
        ready = true;
        condition.notify_all();
      } else {
        promise.set_value(1);
      }
    }
  });
  {
    std::unique_lock lock(mutex);
    say("condition", condition.wait_for(lock, 24h, [&] { return ready; }));
  }
  say("future", future.wait_for(24h) == std::future_status::ready);
  worker.join();
  say("elapsed", monotonic() - from);
}

// A limit of simulated time on another thread's call, which takes the simulator much longer than that.
void long_call() {
  using namespace std::chrono_literals;
  int* data;
  cudaMalloc(&data, 1 << 20);
  std::promise<void> launched;
  std::promise<int> promise;
  std::future<int> future = promise.get_future();
  std::thread worker([&] {
    busy_for<<<64, 512>>>(data, 2000);
    launched.set_value();
    cudaDeviceSynchronize();
    promise.set_value(1);
  });
  launched.get_future().wait();
  say("in_time", future.wait_for(20ms) == std::future_status::ready);
  worker.join();
}

// The time goes on in a function that a stream calls, and never back.
void callback() {
  int* data;
  cudaMalloc(&data, 128);
  static Nanoseconds inside;
  const Nanoseconds from = monotonic();
  busy_for<<<1, 32>>>(data, 20000);
  cudaLaunchHostFunc(
      nullptr, [](void*) { inside = monotonic(); }, nullptr);
  cudaDeviceSynchronize();
  say("inside", inside - from);
  say("after", monotonic() - inside);
}

}  // namespace

int main(int, char** arguments) {
  const std::pair<const char*, void (*)()> modes[] = {
      {"readers", readers}, {"sleeps", sleeps},       {"spins", spins},      {"timeouts", timeouts},
      {"woken", woken},     {"long_call", long_call}, {"callback", callback}};
  for (const auto& [name, run] : modes)
    if (std::strcmp(name, arguments[1]) == 0) return run(), 0;
  return 1;
}
