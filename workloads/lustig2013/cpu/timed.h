// What the programs of this folder share: they run without a GPU, as a processor's side of lustig2013 Figures
// 1 and 12 and of section 7.1, on the inputs of the CUDA programs beside them, and check every element of the
// result. Options come in pairs; a wrong one is a line and status 2.
//
//   $ duet run --host simulated --machine xeon-e3-1245 ./matrixMul --size 64
//   fresh_ns 149623      the inputs have just been written, from end to end, as an offload finds them
//   warm_ns 149401       the same work has been done just before
//   cold_ns 151838       other memory has been written since, twice as much as the last cache holds
//   (--flush-bytes)
//
// by the processor's clock. As in the CUDA programs the work has been done once, with other inputs of the
// same size, before anything is measured. With --threads N it is shared by N threads of OpenMP, 0: there are
// none. Then nothing is done before: the first time contains the making of the threads.
#pragma once

#include <omp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>

namespace lustig2013 {

struct Options {
  unsigned long size, threads = 0, flush_bytes = 16ul << 20, extra = 0;
};

// One option beside those that every program has; null: none.
struct Extra {
  const char* name = nullptr;
  unsigned long default_value = 0, least = 0, most = 0;
};

struct Program {
  const char* name;
  const char* size_of;
  unsigned long default_size, least_size, most_size, multiple_of = 1;
  Extra extra = {};

  [[noreturn]] void refuse(const char* wrong) const {
    std::fprintf(stderr, "%s: '%s' is not accepted; usage: %s [--size %s, %lu to %lu", name, wrong, name,
                 size_of, least_size, most_size);
    if (multiple_of != 1) std::fprintf(stderr, ", a multiple of %lu", multiple_of);
    std::fprintf(stderr, "] [--threads N] [--flush-bytes N]");
    if (extra.name != nullptr) std::fprintf(stderr, " [%s %lu to %lu]", extra.name, extra.least, extra.most);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }

  unsigned long number(const char* text, unsigned long least, unsigned long most) const {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most) refuse(text);
    return value;
  }

  Options parse(int argc, char** argv) const {
    Options options{default_size};
    options.extra = extra.default_value;
    for (int i = 1; i < argc; i += 2) {
      if (i + 1 == argc) refuse(argv[i]);
      const char* const text = argv[i + 1];
      if (std::strcmp(argv[i], "--size") == 0) {
        options.size = number(text, least_size, most_size);
        if (options.size % multiple_of != 0) refuse(text);
      } else if (std::strcmp(argv[i], "--threads") == 0) {
        options.threads = number(text, 0, 256);
      } else if (std::strcmp(argv[i], "--flush-bytes") == 0) {
        options.flush_bytes = number(text, 0, 1ul << 30);
      } else if (extra.name != nullptr && std::strcmp(argv[i], extra.name) == 0) {
        options.extra = number(text, extra.least, extra.most);
      } else {
        refuse(argv[i]);
      }
    }
    return options;
  }

  // The exit status of a wrong result.
  int wrong(const char* what, std::size_t index, double got, double expected) const {
    std::fprintf(stderr, "%s: %s %zu is %.9g, expected %.9g\n", name, what, index, got, expected);
    return 1;
  }
};

// part(first, last) of [0, count): all of it, or a share a thread.
template <typename Part>
void in_parts(const Options& options, std::size_t count, Part&& part) {
  if (options.threads == 0) {
    part(std::size_t{0}, count);
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(options.threads))
  {
    const std::size_t thread = omp_get_thread_num(), threads = omp_get_num_threads();
    part(count * thread / threads, count * (thread + 1) / threads);
  }
}

inline long long now_ns() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1'000'000'000ll + now.tv_nsec;
}

// fill(seed) writes the inputs, work() does what is measured.
template <typename Fill, typename Work>
void measure(const Options& options, Fill&& fill, Work&& work) {
  now_ns();
  if (options.threads == 0) {
    fill(2);
    work();
  }
  fill(1);
  const auto time = [&](const char* state) {
    const long long begin = now_ns();
    work();
    const long long end = now_ns();
    std::printf("%s_ns %lld\n", state, end - begin);
  };
  time("fresh");
  time("warm");
  const std::unique_ptr<char[]> other(new char[options.flush_bytes]);
  for (volatile char *line = other.get(), *end = line + options.flush_bytes; line < end; line += 64)
    *line = 1;
  time("cold");
}

}  // namespace lustig2013
