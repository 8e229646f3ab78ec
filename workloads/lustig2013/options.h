// Command line of the seven benchmarks of lustig2013 Table 3: what every one of them accepts, and the options
// that one program adds. Which variant does what stands in offload.h.
#pragma once

#include "../common/check.h"

namespace lustig2013 {

// lustig2013 section 5 and Figure 7.
enum class Variant { kBaseline, kOverlapStart, kOverlapFinish, kFullOverlap };

// A number that only one benchmark takes.
struct ExtraOption {
  const char* name;  // null: there is none
  const char* help;
  unsigned default_value;
  unsigned min_value;
  unsigned max_value;
};

const int kMostExtras = 3;

struct Spec {
  const char* program;
  const char* size_help;
  unsigned default_size;
  unsigned min_size;
  unsigned max_size;
  unsigned multiple_of;
  ExtraOption extras[kMostExtras];
};

struct Options {
  unsigned size;
  unsigned extra[kMostExtras];  // in the order of the spec
  unsigned long long seed = 1;
  Variant variant = Variant::kBaseline;
  unsigned long long gap_ns = 100000;  // between what is issued in advance and "data ready"
  unsigned long long late_ns = 0;      // between two copies in
  size_t chunk_bytes = 0;              // of one copy in; 0: an array is one copy
  bool combined = false;               // all arrays of one direction are one copy
  bool stream_each = false;            // every array has a stream of its own
  bool bits = true;
  bool advance = true;       // false: nothing is issued before the data are ready
  size_t granule_bytes = 4;  // that one bit of the machine tracks
  unsigned repeat = 1;
  unsigned warm_ups = 1;  // offloads before the first that is measured

  bool overlaps_start() const {
    return variant == Variant::kOverlapStart || variant == Variant::kFullOverlap;
  }
  bool overlaps_finish() const {
    return variant == Variant::kOverlapFinish || variant == Variant::kFullOverlap;
  }
};

inline void print_help(const Spec& spec) {
  printf(
      "usage: %s [OPTION VALUE]...\n"
      "  --size N       %s, %u to %u (default %u)\n"
      "  --seed S       of the generated input (default 1)\n"
      "  --variant V    baseline (default), overlap-start, overlap-finish or full-overlap\n"
      "  --gap NS       work of the host between what is issued in advance and \"data ready\" (default "
      "100000)\n"
      "  --chunk BYTES  inputs arrive in copies of that many bytes, a multiple of 4 (default 0: whole "
      "arrays)\n"
      "  --late NS      work of the host between two copies in (default 0)\n"
      "  --copies C     each: one command an array (default); one: one for all arrays of a direction\n"
      "  --streams S    three: for kernels, copies in, copies out (default); each: one for every array "
      "copied\n"
      "  --bits B       on (default); off: the same commands without full/empty bits, with wrong results\n"
      "  --advance A    on (default); off: what is issued in advance is issued first when the data are "
      "ready\n"
      "  --granule BYTES  tracked arrays consist of whole granules of that many bytes (default 4)\n"
      "  --repeat R     offloads one after the other, each with inputs of its own (default 1)\n"
      "  --warm-ups N   offloads before them, checked but not marked: caches are warm (default 1)\n",
      spec.program, spec.size_help, spec.min_size, spec.max_size, spec.default_size);
  for (const ExtraOption& extra : spec.extras)
    if (extra.name != nullptr)
      printf("  %-14s %s, %u to %u (default %u)\n", extra.name, extra.help, extra.min_value, extra.max_value,
             extra.default_value);
}

// The index of `text` among the words; a usage error when it is none of them.
template <size_t kCount>
unsigned parse_word(const Spec& spec, const char* name, const char* text,
                    const char* const (&words)[kCount]) {
  for (size_t i = 0; i < kCount; i++)
    if (strcmp(text, words[i]) == 0) return static_cast<unsigned>(i);
  workload::usage_error(spec.program, name, text);
}

[[noreturn]] inline void not_a_multiple(const Spec& spec, const char* name, unsigned of, const char* text) {
  fprintf(stderr, "%s: %s must be a multiple of %u, not '%s'\n", spec.program, name, of, text);
  exit(2);
}

// False when the option is unknown. `text` is null when nothing follows the name.
inline bool parse_option(const Spec& spec, const char* name, const char* text, Options& options) {
  static const char* const kVariants[] = {"baseline", "overlap-start", "overlap-finish", "full-overlap"};
  static const char* const kCopies[] = {"each", "one"};
  static const char* const kStreams[] = {"three", "each"};
  static const char* const kBits[] = {"off", "on"};
  const auto is = [&](const char* option) {
    if (strcmp(name, option) != 0) return false;
    if (text == nullptr) workload::usage_error(spec.program, "no value after", name);
    return true;
  };
  const auto number = [&](unsigned long long low, unsigned long long high) {
    return workload::parse_number(spec.program, name, text, low, high);
  };
  const unsigned long long longest_ns = 1000000000000ull;
  if (is("--size")) {
    options.size = static_cast<unsigned>(number(spec.min_size, spec.max_size));
    if (options.size % spec.multiple_of != 0) not_a_multiple(spec, name, spec.multiple_of, text);
  } else if (is("--seed")) {
    options.seed = number(0, ~0ull);
  } else if (is("--variant")) {
    options.variant = static_cast<Variant>(parse_word(spec, "unknown variant", text, kVariants));
  } else if (is("--gap")) {
    options.gap_ns = number(0, longest_ns);
  } else if (is("--late")) {
    options.late_ns = number(0, longest_ns);
  } else if (is("--chunk")) {
    options.chunk_bytes = number(0, 1u << 30);
    if (options.chunk_bytes % 4 != 0) not_a_multiple(spec, name, 4, text);
  } else if (is("--granule")) {
    options.granule_bytes = number(4, 4096);
    if (options.granule_bytes % 4 != 0) not_a_multiple(spec, name, 4, text);
  } else if (is("--copies")) {
    options.combined = parse_word(spec, "copies are each or one, not", text, kCopies) == 1;
  } else if (is("--streams")) {
    options.stream_each = parse_word(spec, "streams are three or each, not", text, kStreams) == 1;
  } else if (is("--bits")) {
    options.bits = parse_word(spec, "bits are on or off, not", text, kBits) == 1;
  } else if (is("--advance")) {
    options.advance = parse_word(spec, "advance is on or off, not", text, kBits) == 1;
  } else if (is("--repeat")) {
    options.repeat = static_cast<unsigned>(number(1, 1000));
  } else if (is("--warm-ups")) {
    options.warm_ups = static_cast<unsigned>(number(0, 1000));
  } else {
    for (int i = 0; i < kMostExtras; i++) {
      const ExtraOption& extra = spec.extras[i];
      if (extra.name == nullptr || !is(extra.name)) continue;
      options.extra[i] = static_cast<unsigned>(number(extra.min_value, extra.max_value));
      return true;
    }
    return false;
  }
  return true;
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
    const char* text = i + 1 < argc ? argv[i + 1] : nullptr;
    if (!parse_option(spec, name, text, options)) workload::usage_error(spec.program, "unknown option", name);
  }
#ifndef __DUET__
  if (options.variant != Variant::kBaseline && options.bits)
    workload::usage_error(spec.program, "without Duet there are no full/empty bits: --variant", "baseline");
#endif
  return options;
}

}  // namespace lustig2013
