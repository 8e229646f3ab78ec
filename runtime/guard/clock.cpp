#include "guard/clock.h"

#include <dlfcn.h>
#include <link.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "guard/clock_protocol.h"
#include "guard/library.h"

namespace duet::guard {

namespace {

// 2000-01-01 00:00:00 UTC, on a machine switched on 1000 s before.
constexpr std::int64_t kEpochSeconds = 946'684'800, kBootedSeconds = 1000;
constexpr Time kUnset = ~Time{0};

enum class State { Unknown, Host, Simulated };
std::atomic<State> state{State::Unknown};
std::int64_t epoch_seconds = kEpochSeconds, booted_seconds = kBootedSeconds;
std::atomic<const duet_clock_session*> session{nullptr};
std::atomic<Time> latest{0};  // how far any thread has come
thread_local Time own = kUnset;
thread_local int host_level = 0;

bool wanted() {
  const char* clock = std::getenv("DUET_CLOCK");
  return clock != nullptr && std::strcmp(clock, "simulated") == 0;
}

int is_own_cuda(dl_phdr_info* info, std::size_t, void*) {
  const char* folder = own_cuda_folder();
  return folder[0] != '\0' && std::strncmp(info->dlpi_name, folder, std::strlen(folder)) == 0 &&
         std::strncmp(file_name(info->dlpi_name), "libcudart.so", 12) == 0;
}

State first_look() {
  const bool linked = wanted() && dl_iterate_phdr(is_own_cuda, nullptr) != 0;
  State expected = State::Unknown;
  state.compare_exchange_strong(expected, linked ? State::Simulated : State::Host);
  return state.load();
}

// A new thread is where the process is.
Time own_time() {
  if (own == kUnset) own = latest.load(std::memory_order_relaxed);
  return own;
}

Time come_to(Time time) {
  own = time;
  Time old = latest.load(std::memory_order_relaxed);
  while (old < time && !latest.compare_exchange_weak(old, time, std::memory_order_relaxed)) {
  }
  return time;
}

Time spend(Time cost) {
  const duet_clock_session* with = session.load(std::memory_order_acquire);
  return come_to(with != nullptr ? with->spend(own_time(), cost) : own_time() + cost);
}

bool is_date(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

std::int64_t seconds_at_start(clockid_t clock) {
  if (is_date(clock)) return epoch_seconds;
  return clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID ? 0 : booted_seconds;
}

}  // namespace

bool simulated() {
  if (host_level > 0) return false;
  State is = state.load(std::memory_order_relaxed);
  if (is == State::Unknown) is = first_look();
  return is == State::Simulated;
}

bool is_simulated(clockid_t clock) {
  // Others are of devices, or of another process or thread.
  return simulated() && clock >= CLOCK_REALTIME && clock <= CLOCK_TAI;
}

Time now() { return spend(0); }
Time read_clock() { return spend(kReadCost); }

void reach(Time time) {
  const duet_clock_session* with = session.load(std::memory_order_acquire);
  come_to(with != nullptr ? with->reach(own_time(), time) : std::max(own_time(), time));
}

void joined() { reach(latest.load(std::memory_order_relaxed)); }

bool busy() {
  const duet_clock_session* with = session.load(std::memory_order_acquire);
  return with != nullptr && with->busy();
}

// A single thread waits for no other, and only its clock moves. Otherwise it may wait for another thread's
// computation, in the host's time, or for another thread's CUDA call, in the machine's.
void sleep_for(Time duration) {
  if (duration >= kForever) return host_sleep(duration);
  const Time end = now() + duration;
  const bool alone = __libc_single_threaded;
  if (!alone) host_sleep(duration);
  while (!alone && busy() && now() < end) host_sleep(1000 * kMicrosecond);
  reach(end);
}

timespec shown(clockid_t clock, Time time) {
  timespec result = timespec_of(time);
  result.tv_sec += seconds_at_start(clock);
  return result;
}

Time time_of(clockid_t clock, const timespec& shown) {
  const std::int64_t start = seconds_at_start(clock);
  if (shown.tv_sec < start) return 0;
  return duration_of({shown.tv_sec - start, shown.tv_nsec});
}

Time duration_of(const timespec& duration) {
  if (duration.tv_sec < 0) return 0;
  if (static_cast<Time>(duration.tv_sec) >= kForever / kSecond) return kForever;
  return static_cast<Time>(duration.tv_sec) * kSecond + static_cast<Time>(duration.tv_nsec) * kNanosecond;
}

timespec timespec_of(Time duration) {
  return {static_cast<time_t>(duration / kSecond), static_cast<long>(duration % kSecond / kNanosecond)};
}

timespec host_now(clockid_t clock) {
  timespec time{};
  DUET_NEXT(clock_gettime)(clock, &time);
  return time;
}

void host_sleep(Time duration) {
  const timespec time = timespec_of(duration);
  DUET_NEXT(clock_nanosleep)(CLOCK_MONOTONIC, 0, &time, nullptr);
}

}  // namespace duet::guard

using namespace duet::guard;

// The clock must not go back. It goes on from a whole second: differences are the same in every run, also as
// floating-point numbers.
DUET_INTERPOSED void duet_clock_join() {
  if (state.load() == State::Unknown) first_look();
  if (!wanted() || state.load() == State::Simulated) return;
  epoch_seconds = host_now(CLOCK_REALTIME).tv_sec + 1;
  booted_seconds = host_now(CLOCK_MONOTONIC).tv_sec + 1;
  state.store(State::Simulated);
}

DUET_INTERPOSED std::uint64_t duet_clock_begin(const duet_clock_session* begun) {
  session.store(begun, std::memory_order_release);
  return own_time();
}

DUET_INTERPOSED std::uint64_t duet_clock_own() { return own_time(); }

DUET_INTERPOSED int duet_clock_host_level(int level) {
  const int before = host_level;
  host_level = level;
  return before;
}
