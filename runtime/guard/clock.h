// The clock of a program of `duet run` (--clock). With the simulated one, each thread has a clock of its own.
// It moves by the thread's CUDA calls, by its sleeps, by kReadCost at each read, and not by other host code
// (--host-time real adds it). A process linked with the CUDA library has it from its beginning; a process
// that loads the library later has it from then on. Others never have it: shells and their tools keep the
// host's clock.
//
// Left out, with the host's clock: statically linked programs, rdtsc, raw system calls for reads or sleeps,
// alarms and timers, and timed waits of message queues and asynchronous input and output.
#pragma once

#include <sys/time.h>
#include <time.h>

#include <cerrno>
#include <cstdint>

namespace duet::guard {

using Time = std::uint64_t;  // picoseconds since the process began

constexpr Time kNanosecond = 1000, kMicrosecond = 1000 * kNanosecond, kSecond = 1'000'000 * kMicrosecond;
// Reading the clock costs as much as on Linux x86-64, where it is no system call (vdso(7)): some 20 to 30 ns.
constexpr Time kReadCost = 25 * kNanosecond;
// Longer than this is for ever.
constexpr Time kForever = 1'000'000 * kSecond;

// Whether the calling thread has the simulated clock, now.
bool simulated();
// Whether the simulated clock answers for this one of Linux's.
bool is_simulated(clockid_t clock);

// The calling thread's clock; a program's read has spent kReadCost.
Time now();
Time read_clock();
// The calling thread waits until then: nothing but its clock moves.
void reach(Time time);
// The calling thread has waited for the end of another one.
void joined();
// It sleeps.
void sleep_for(Time duration);
// Another thread is inside a CUDA call, and time passes only with it.
bool busy();

timespec shown(clockid_t clock, Time time);
// An absolute time of the clock as a Time; before the process began it is 0.
Time time_of(clockid_t clock, const timespec& shown);
Time duration_of(const timespec& duration);
timespec timespec_of(Time duration);

// The host's clock and the host's sleep.
timespec host_now(clockid_t clock);
void host_sleep(Time duration);

}  // namespace duet::guard
