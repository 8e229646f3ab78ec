// Command line of the nine benchmarks of yang2012 Table 1: what every one of them accepts, and what one
// program adds. `VecAdd --size 4096 --memory mapped --repeat 2`. Leaves out what only one benchmark means by
// a number.
#pragma once

#include "../common/array.h"

namespace yang2012 {

using workload::Memory;  // where the arrays of a kernel lie

// By how many bytes each array lies behind where it would lie, times its number from 0: so they move against
// each other, and against the pieces that DRAM channels take in turn. A property of the process (--offset).
inline unsigned& offset_of_arrays() {
  static unsigned bytes = 0;
  return bytes;
}
const unsigned kOffsetUnit = 256;  // as cudaMalloc aligns

// What the caches hold when the kernel begins.
enum class Start { kWarm, kCold };

// A number that only one benchmark takes.
struct ExtraOption {
  const char* name;  // null: there is none
  const char* help;
  unsigned default_value;
  unsigned min_value;
  unsigned max_value;
};

const int kMostExtras = 2;

struct Spec {
  const char* program;
  const char* size_help;
  unsigned default_size;  // that of Table 1
  unsigned min_size;
  unsigned max_size;
  unsigned multiple_of;
  ExtraOption extras[kMostExtras];
  const char* forms[2];  // of the kernel, the default first; null: there is only one
};

struct Options {
  unsigned size;
  unsigned extra[kMostExtras];  // in the order of the spec
  unsigned form = 0;            // index into the spec's
  Memory memory = Memory::kDevice;
  unsigned repeat = 1;
  unsigned long long seed = 1;
  Start start = Start::kWarm;
  unsigned scratch = 8u << 20;  // bytes that a cold start reads
};

inline void print_help(const Spec& spec) {
  printf(
      "usage: %s [OPTION VALUE]...\n"
      "  --size N       %s, %u to %u (default %u, as in Table 1)\n"
      "  --memory M     device (default): cudaMalloc and copies; managed: cudaMallocManaged; mapped: "
      "page-locked\n"
      "                 host memory that the kernel reads and writes\n"
      "  --offset B     bytes, a multiple of 256, by which the n-th array lies n times behind its place "
      "(default 0)\n"
      "  --repeat K     times that the kernel runs on the same input (default 1)\n"
      "  --seed S       of the generated input (default 1)\n"
      "  --start S      warm (default): caches hold what the copies left; cold: none of it, because a "
      "kernel\n"
      "                 cold_stream has read other memory before\n"
      "  --scratch B    bytes that cold_stream reads, at least twice the last cache (default 8388608)\n",
      spec.program, spec.size_help, spec.min_size, spec.max_size, spec.default_size);
  if (spec.forms[0] != nullptr)
    printf("  --form F       of the kernel: %s (default) or %s\n", spec.forms[0], spec.forms[1]);
  for (const ExtraOption& extra : spec.extras)
    if (extra.name != nullptr)
      printf("  %-14s %s, %u to %u (default %u)\n", extra.name, extra.help, extra.min_value, extra.max_value,
             extra.default_value);
}

// The index of `text` among the words; a usage error when it is none of them.
inline unsigned parse_word(const Spec& spec, const char* what, const char* text, const char* const* words,
                           unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (words[i] != nullptr && strcmp(text, words[i]) == 0) return i;
  workload::usage_error(spec.program, what, text);
}

// False when the option is unknown.
inline bool parse_option(const Spec& spec, const char* name, const char* text, Options& options) {
  static const char* const kMemories[] = {"device", "managed", "mapped"};
  static const char* const kStarts[] = {"warm", "cold"};
  const auto number = [&](unsigned long long low, unsigned long long high) {
    return workload::parse_number(spec.program, name, text, low, high);
  };
  if (strcmp(name, "--size") == 0) {
    options.size = static_cast<unsigned>(number(spec.min_size, spec.max_size));
  } else if (strcmp(name, "--memory") == 0) {
    options.memory = static_cast<Memory>(parse_word(spec, "unknown memory", text, kMemories, 3));
  } else if (strcmp(name, "--offset") == 0) {
    offset_of_arrays() = static_cast<unsigned>(number(0, 1u << 20));
  } else if (strcmp(name, "--repeat") == 0) {
    options.repeat = static_cast<unsigned>(number(1, 1000000));
  } else if (strcmp(name, "--seed") == 0) {
    options.seed = number(0, ~0ull);
  } else if (strcmp(name, "--start") == 0) {
    options.start = static_cast<Start>(parse_word(spec, "unknown start", text, kStarts, 2));
  } else if (strcmp(name, "--scratch") == 0) {
    options.scratch = static_cast<unsigned>(number(1u << 10, 1u << 30));
  } else if (spec.forms[0] != nullptr && strcmp(name, "--form") == 0) {
    options.form = parse_word(spec, "unknown form", text, spec.forms, 2);
  } else {
    for (int i = 0; i < kMostExtras; i++) {
      const ExtraOption& extra = spec.extras[i];
      if (extra.name == nullptr || strcmp(name, extra.name) != 0) continue;
      options.extra[i] = static_cast<unsigned>(number(extra.min_value, extra.max_value));
      return true;
    }
    return false;
  }
  return true;
}

inline void require_multiple(const Spec& spec, const char* name, unsigned value, unsigned of) {
  if (value % of == 0) return;
  fprintf(stderr, "%s: %s must be a multiple of %u, not %u\n", spec.program, name, of, value);
  exit(2);
}

inline void require_power_of_two(const Spec& spec, const char* name, unsigned value) {
  if ((value & (value - 1)) == 0) return;
  fprintf(stderr, "%s: %s must be a power of two, not %u\n", spec.program, name, value);
  exit(2);
}

inline Options parse_options(int argc, char** argv, const Spec& spec) {
  Options options;
  options.size = spec.default_size;
  for (int i = 0; i < kMostExtras; i++) options.extra[i] = spec.extras[i].default_value;
  for (int i = 1; i < argc; i += 2) {
    const char* name = argv[i];
    if (strcmp(name, "--help") == 0) {
      print_help(spec);
      exit(0);
    }
    if (name[0] != '-' || name[1] != '-') workload::usage_error(spec.program, "unexpected word", name);
    if (i + 1 == argc) workload::usage_error(spec.program, "unknown option, or no value after", name);
    if (!parse_option(spec, name, argv[i + 1], options))
      workload::usage_error(spec.program, "unknown option", name);
  }
  require_multiple(spec, "--size", options.size, spec.multiple_of);
  require_multiple(spec, "--offset", offset_of_arrays(), kOffsetUnit);
  return options;
}

}  // namespace yang2012
