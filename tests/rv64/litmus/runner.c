// Runs litmus tests (tests.py writes their assembly) on threads with cores of their own, many rounds, and prints how often each
// outcome came: lines "NAME: OUTCOME COUNT", the values of the loads in their order, then of the locations.
// Usage: runner PASSES SEED STRIDE DISTANCE TYPES: bytes from one round's x to the next one's, and from x to y; the memory types of
// x and of y, "ww", "uu", "uw", ...: write-back, uncached, device. Two types need a DISTANCE of half the memory. Tests with atomics
// are left out where a type is not write-back.
// Between two barriers a thread makes kRounds rounds, each with the others at once but for a random delay, on locations of their own. Before, threads take
// lines of some rounds into their caches, to read or to write, so that accesses hit, miss, and wait for others.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { kThreads = 4, kRounds = 64, kOutcomes = 256 };

typedef void Kernel(volatile int64_t* x, volatile int64_t* y, int64_t* results);
struct Test {
  const char* name;
  Kernel* kernels[kThreads];
  int64_t loads[kThreads];
};
extern const struct Test litmus_tests[];

static long passes, stride, distance;
static uint64_t seed;
static int cached;  // x and y
static _Alignas(4096) char memory[1 << 17];
static _Alignas(128) int64_t results[kThreads][kRounds][8];
// Of one test.
static unsigned outcomes;
static struct {
  unsigned key;
  long count;
} seen[kOutcomes];


static _Alignas(128) int arrived;
static _Alignas(128) volatile int sense;

static void barrier(int* mine) {
  *mine = !*mine;
  if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == kThreads) {
    arrived = 0;
    __atomic_store_n(&sense, *mine, __ATOMIC_SEQ_CST);
  } else {
    while (__atomic_load_n(&sense, __ATOMIC_ACQUIRE) != *mine) {
    }
  }
}

// Those that take part in a round begin it together.
static struct {
  _Alignas(128) volatile long rounds;
} begun[kThreads];

static void meet(const struct Test* test, long me, long round) {
  begun[me].rounds = round;
  for (int other = 0; other < kThreads; ++other)
    while (test->kernels[other] != NULL && begun[other].rounds < round) {
    }
}

static uint64_t random_bits(uint64_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return *state;
}

static volatile int64_t* x_of(long round) { return (volatile int64_t*)(memory + round * stride); }
static volatile int64_t* y_of(long round) { return (volatile int64_t*)(memory + round * stride + distance); }

static void take_lines(uint64_t* state) {
  for (long round = 0; round < kRounds; ++round) {
    const uint64_t how = random_bits(state) >> 20 & 15;
    if (how & 1) (void)*x_of(round);
    if (how & 2) (void)*y_of(round);
    if (!cached) continue;
    if (how == 4) __atomic_fetch_add(x_of(round), 0, __ATOMIC_RELAXED);
    if (how == 8) __atomic_fetch_add(y_of(round), 0, __ATOMIC_RELAXED);
  }
}

static void count_outcomes(const struct Test* test) {
  for (long round = 0; round < kRounds; ++round) {
    unsigned key = 0;
    for (int thread = 0; thread < kThreads; ++thread)
      for (long i = 0; i < test->loads[thread]; ++i) key = key << 2 | (results[thread][round][i] & 3);
    key = key << 4 | (*x_of(round) & 3) << 2 | (*y_of(round) & 3);
    unsigned at = 0;
    while (at < outcomes && seen[at].key != key) ++at;
    if (at == outcomes) {
      if (++outcomes > kOutcomes) abort();
      seen[at].key = key;
      seen[at].count = 0;
    }
    ++seen[at].count;
  }
}

static void print_outcomes(const struct Test* test) {
  int values = 2;
  for (int thread = 0; thread < kThreads; ++thread) values += test->loads[thread];
  for (unsigned at = 0; at < outcomes; ++at) {
    printf("%s:", test->name);
    for (int i = values; i-- > 0;) printf(" %u", seen[at].key >> 2 * i & 3);
    printf(" %ld\n", seen[at].count);
  }
  outcomes = 0;
}

static void* run(void* argument) {
  const long me = (long)argument;
  int mine = 0;
  long met = 0;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 77 * me + 1;
  for (const struct Test* test = litmus_tests; test->name != NULL; ++test) {
    if (!cached && (strstr(test->name, "/amo") != NULL || strstr(test->name, "/lr/sc") != NULL)) continue;
    for (long pass = 0; pass < passes; ++pass) {
      if (me == pass % kThreads)
        for (long round = 0; round < kRounds; ++round) *x_of(round) = *y_of(round) = 0;
      barrier(&mine);
      take_lines(&state);
      const uint64_t reach = pass % 3 == 0 ? 7 : pass % 3 == 1 ? 15 : 63;
      barrier(&mine);
      if (test->kernels[me] != NULL)
        for (long round = 0; round < kRounds; ++round) {
          meet(test, me, met + round + 1);
          for (uint64_t delay = random_bits(&state) >> 30 & reach; delay != 0; --delay) __asm__ volatile("");
          test->kernels[me](x_of(round), y_of(round), results[me][round]);
        }
      met += kRounds;
      barrier(&mine);
      if (me == 0) count_outcomes(test);
      barrier(&mine);
    }
    if (me == 0) print_outcomes(test);
  }
  return NULL;
}

int main(int count, char** words) {
  if (count != 6 || strlen(words[5]) != 2) return 2;
  passes = atol(words[1]);
  seed = strtoull(words[2], NULL, 0);
  stride = atol(words[3]);
  distance = atol(words[4]);
  if (kRounds * stride + distance > (long)sizeof memory) return 2;
  cached = strcmp(words[5], "ww") == 0;
  for (int half = 0; half < 2; ++half) {
    static const char names[] = "wud";
    const char* const type = strchr(names, words[5][half]);
    if (type == NULL || madvise(memory + half * (sizeof memory / 2), sizeof memory / 2, 0x44550000 + (int)(type - names)) != 0) return 2;
  }
  pthread_t threads[kThreads];
  for (long i = 1; i < kThreads; ++i) pthread_create(&threads[i], NULL, run, (void*)i);
  run((void*)0);
  for (int i = 1; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return 0;
}
