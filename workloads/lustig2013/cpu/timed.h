// What the programs of this folder share: they run without a GPU, as a processor's side of lustig2013 Figures 1
// and 12. Options come in pairs, as those of the CUDA programs; a wrong one is a line and status 2. Each prints
// "runtime_ns N" of what it measures, by the processor's clock.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace lustig2013 {

[[noreturn]] inline void usage(const char* text, const char* wrong) {
  std::fprintf(stderr, "'%s' is not accepted; usage: %s\n", wrong, text);
  std::exit(2);
}

inline unsigned long number(const char* text, unsigned long least, unsigned long most, const char* help) {
  char* end = nullptr;
  const unsigned long value = std::strtoul(text, &end, 10);
  if (end == text || *end != '\0' || value < least || value > most) usage(help, text);
  return value;
}

inline long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

inline int report(long long runtime_ns) {
  std::printf("runtime_ns %lld\n", runtime_ns);
  return 0;
}

}  // namespace lustig2013
