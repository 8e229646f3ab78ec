// The clock that a program of `duet run` sees (--clock). With the simulated one, each thread has a clock of
// its own. It moves by what the thread's CUDA calls take, by what it sleeps, by kReadCost whenever it is
// read, and not by anything else that host code does (--host-time real adds that). A process has it from its
// beginning when it is linked with the CUDA library, from when it loads that library otherwise, and never
// when it does not: shells and their tools keep the host's clock.
//
// Left out: programs that are linked statically, rdtsc, raw system calls that read or sleep, alarms and
// timers, and timed waits of message queues and asynchronous input and output, which all have the host's.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

namespace duet::guard {

using Time = std::uint64_t;  // picoseconds since the process began

constexpr Time kNanosecond = 1000, kMicrosecond = 1000 * kNanosecond, kSecond = 1'000'000 * kMicrosecond;
// Reading the clock costs what it does on Linux x86-64, where it is no system call (vdso(7)): some 20 to 30
// ns.
constexpr Time kReadCost = 25 * kNanosecond;
// Longer than this is for ever.
constexpr Time kForever = 1'000'000 * kSecond;

// Whether the calling thread has the simulated clock, now.
bool simulated();
// Whether the simulated clock answers for this one of Linux's.
bool is_simulated(clockid_t clock);

// What the calling thread's clock shows; a program that asks has spent kReadCost.
Time now();
Time read_clock();
// The calling thread waits until then: nothing but its clock moves.
void reach(Time time);
// The calling thread has waited for another one, which has ended.
void joined();
// It sleeps.
void sleep_for(Time duration);
// Another thread is inside a CUDA call, and time passes only with it.
bool busy();

timespec shown(clockid_t clock, Time time);
// When an absolute time of the clock is; one that lies before the process began is 0.
Time time_of(clockid_t clock, const timespec& shown);
Time duration_of(const timespec& duration);
timespec timespec_of(Time duration);

// A function of the C library that a function of the same name here stands before. `version` names the one
// that programs get by default, where the C library has several.
void* next_function(const char* name, const char* version = nullptr);

// The host's clock and the host's sleep.
timespec host_now(clockid_t clock);
void host_sleep(Time duration);

}  // namespace duet::guard

// The C library's own `name`, looked up once.
#define DUET_NEXT(name)                                           \
  ([]() -> decltype(&name) {                                      \
    static void* const found = duet::guard::next_function(#name); \
    return reinterpret_cast<decltype(&name)>(found);              \
  }())
