// What a program reads of its core's counters: two passes through memory in a shuffled order, and branches
// that nobody can predict.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define READ(number)                                               \
  ({                                                               \
    uint64_t value;                                                \
    __asm__ volatile("csrr %0, " #number : "=r"(value)::"memory"); \
    value;                                                         \
  })

enum { kLine = 64, kEvents = 21 };
static const char* const kNames[kEvents] = {
    "branches",         "mispredictions", "loads",           "stores",
    "atomics",          "l1_hits",        "l1_misses",       "instruction_misses",
    "l2_hits",          "l2_misses",      "l3_hits",         "lines_from_memory",
    "lines_from_cores", "upgrades",       "requests",        "prefetches",
    "prefetches_used",  "squashed",       "data_tlb_misses", "instruction_tlb_misses",
    "page_walks"};

static void read_events(uint64_t* to) {
  to[0] = READ(hpmcounter3), to[1] = READ(hpmcounter4), to[2] = READ(hpmcounter5), to[3] = READ(hpmcounter6);
  to[4] = READ(hpmcounter7), to[5] = READ(hpmcounter8), to[6] = READ(hpmcounter9), to[7] = READ(hpmcounter10);
  to[8] = READ(hpmcounter11), to[9] = READ(hpmcounter12), to[10] = READ(hpmcounter13);
  to[11] = READ(hpmcounter14), to[12] = READ(hpmcounter15), to[13] = READ(hpmcounter16);
  to[14] = READ(hpmcounter17), to[15] = READ(hpmcounter18), to[16] = READ(hpmcounter19);
  to[17] = READ(hpmcounter20), to[18] = READ(hpmcounter21), to[19] = READ(hpmcounter22);
  to[20] = READ(hpmcounter23);
}

static uint64_t before[kEvents], after[kEvents];
static void begin(void) { read_events(before); }
static void end(const char* what) {
  read_events(after);
  for (int i = 0; i < kEvents; ++i) printf("%s %s %lu\n", what, kNames[i], after[i] - before[i]);
}

// A ring through all lines of `bytes`, in a shuffled order.
static void** shuffled_ring(char* memory, size_t bytes) {
  const size_t lines = bytes / kLine;
  uint32_t* const order = malloc(lines * sizeof *order);
  uint32_t random = 1;
  for (size_t i = 0; i < lines; ++i) order[i] = i;
  for (size_t i = lines - 1; i != 0; --i) {
    random = random * 1664525u + 1013904223u;
    const size_t other = (random >> 8) % (i + 1);
    const uint32_t swapped = order[i];
    order[i] = order[other], order[other] = swapped;
  }
  for (size_t i = 0; i < lines; ++i)
    *(void**)(memory + order[i] * kLine) = memory + order[(i + 1) % lines] * kLine;
  return (void**)memory;
}

static void** chase(void** place, size_t steps) {
  while (steps-- != 0) place = *place;
  return place;
}

int main(int argc, char** argv) {
  const size_t bytes = (size_t)1 << 20, lines = bytes / kLine;  // more than L2, less than L3
  char* const memory = aligned_alloc(4096, bytes);
  void** place = shuffled_ring(memory, bytes);
  begin();
  place = chase(place, lines);
  end("chase");

  uint32_t random = argc, taken = 0;
  begin();
  for (int i = 0; i < 20000; ++i) {
    random = random * 1664525u + 1013904223u;
    if (random >> 31) __asm__ volatile("addiw %0, %0, 1" : "+r"(taken));
  }
  end("branches");

  begin();
  end("nothing");
  const uint64_t first = READ(cycle), second = READ(cycle);
  printf("read cycles %lu\n", second - first);
  printf("read hpmcounter24 %lu\n", READ(hpmcounter24));
  return place == NULL || taken == 0 || argv == NULL;
}
