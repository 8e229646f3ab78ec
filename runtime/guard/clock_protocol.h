// The protocol between the preloaded library, whose functions answer the program's questions for the time,
// and the CUDA library with the simulated machine's time. Times are picoseconds of the process: 0 when it
// began. The CUDA library refers to the functions weakly: without the preloaded library they are null.
#pragma once

#include <cstdint>

extern "C" {

// A session of the CUDA library, as the preloaded library asks it. `own` is how far the calling thread has
// come as far as the preloaded library knows. Each returns how far it has come then.
struct duet_clock_session {
  // The thread spends `cost`.
  std::uint64_t (*spend)(std::uint64_t own, std::uint64_t cost);
  // The thread has waited until `time`.
  std::uint64_t (*reach)(std::uint64_t own, std::uint64_t time);
  // Whether another thread is inside a CUDA call and the machine runs for it.
  bool (*busy)();
};

// The CUDA library is in the process. Its clock is the simulated one from here on.
__attribute__((weak)) void duet_clock_join();
// The session begins. Returns how far the calling thread has come, which is the session's time 0.
__attribute__((weak)) std::uint64_t duet_clock_begin(const duet_clock_session* session);
// How far the calling thread has come by what the preloaded library knows alone.
__attribute__((weak)) std::uint64_t duet_clock_own();
// While the calling thread's level is above 0, it has the host's clock. Sets the level and returns the old
// one.
__attribute__((weak)) int duet_clock_host_level(int level);

}  // extern "C"
