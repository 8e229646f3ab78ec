// Locks and queues that threads on several cores share, each with a way to tell that it has failed.
// Usage: locks NAME THREADS ROUNDS. Prints how often something was wrong, and ends with 1 if it was.
// Sources: Peterson, "Myths About the Mutual Exclusion Problem", Information Processing Letters 1981; Mellor-Crummey and Scott,
// "Algorithms for Scalable Synchronization", TOCS 1991 (ticket lock); The RISC-V Instruction Set Manual, volume I, version 20191213,
// appendix A (spin locks); Lamport, "Concurrent Reading and Writing", CACM 1977 (what seqlocks and rings build on).
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostThreads = 4, kRing = 8, kWords = 6 };

typedef void Body(long me);

static long threads, rounds;
static _Alignas(128) volatile long counter;
static _Alignas(128) volatile long wrong;

static void pause_a_little(uint64_t* state) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  for (uint64_t left = *state >> 56; left != 0; --left) __asm__ volatile("");
}

// ---- Peterson's lock, for two threads ----
static _Alignas(128) volatile long flag_0;
static _Alignas(128) volatile long flag_1;
static _Alignas(128) volatile long turn;
static volatile long* const flags[2] = {&flag_0, &flag_1};

static inline void peterson(long me, int with_fence) {
  uint64_t state = (uint64_t)me + 1;
  for (long i = 0; i < rounds; ++i) {
    *flags[me] = 1;
    __asm__ volatile("fence w, w" ::: "memory");
    turn = !me;
    if (with_fence) __asm__ volatile("fence w, r" ::: "memory");
    while (*flags[!me] && turn != me) {
    }
    __asm__ volatile("fence r, rw" ::: "memory");
    counter = counter + 1;
    __asm__ volatile("fence rw, w" ::: "memory");
    *flags[me] = 0;
    pause_a_little(&state);
  }
}
static void peterson_fenced(long me) { peterson(me, 1); }
static void peterson_bare(long me) { peterson(me, 0); }

// ---- a spin lock with LR and SC ----
static _Alignas(128) volatile int spin;

static void spin_lock(long me) {
  uint64_t state = (uint64_t)me + 1;
  for (long i = 0; i < rounds; ++i) {
    int held, one = 1;
    __asm__ volatile(
        "1: lr.w.aq %0, (%1)\n"
        "bnez %0, 1b\n"
        "sc.w %0, %2, (%1)\n"
        "bnez %0, 1b\n"
        : "=&r"(held)
        : "r"(&spin), "r"(one)
        : "memory");
    counter = counter + 1;
    __asm__ volatile("fence rw, w" ::: "memory");
    spin = 0;
    pause_a_little(&state);
  }
}

// ---- an addition with LR and SC alone ----
static void add_conditionally(long me) {
  (void)me;
  for (long i = 0; i < rounds; ++i) {
    long value, failed;
    __asm__ volatile(
        "1: lr.d %0, (%2)\n"
        "addi %0, %0, 1\n"
        "sc.d %1, %0, (%2)\n"
        "bnez %1, 1b\n"
        : "=&r"(value), "=&r"(failed)
        : "r"(&counter)
        : "memory");
  }
}

// ---- a ticket lock with AMO ----
static _Alignas(128) volatile long next_ticket;
static _Alignas(128) volatile long serving;

static void ticket_lock(long me) {
  uint64_t state = (uint64_t)me + 1;
  for (long i = 0; i < rounds; ++i) {
    long mine;
    __asm__ volatile("amoadd.d %0, %1, (%2)" : "=r"(mine) : "r"(1L), "r"(&next_ticket) : "memory");
    while (serving != mine) {
    }
    __asm__ volatile("fence r, rw" ::: "memory");
    counter = counter + 1;
    __asm__ volatile("fence rw, w" ::: "memory");
    serving = mine + 1;
    pause_a_little(&state);
  }
}

// ---- a seqlock: thread 0 writes, the others read ----
static _Alignas(128) volatile long version;
static struct {
  _Alignas(64) volatile long word;
} data[kWords];

static void write_sequence(void) {
  uint64_t state = 1;
  for (long i = 1; i <= rounds; ++i) {
    version = 2 * i - 1;
    __asm__ volatile("fence w, w" ::: "memory");
    for (int word = 0; word < kWords; ++word) data[word].word = i;
    __asm__ volatile("fence w, w" ::: "memory");
    version = 2 * i;
    for (int pauses = 0; pauses < 20; ++pauses) pause_a_little(&state);
  }
}

static void read_sequence(void) {
  for (long last = 0; last < rounds;) {
    const long before = version;
    __asm__ volatile("fence r, r" ::: "memory");
    long words[kWords];
    for (int word = kWords; word-- > 0;) words[word] = data[word].word;
    __asm__ volatile("fence r, r" ::: "memory");
    if (before % 2 != 0 || version != before) continue;
    for (int word = 0; word < kWords; ++word)
      if (words[word] != before / 2) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    if (before / 2 < last) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
    last = before / 2;
  }
}

static void seqlock(long me) {
  if (me == 0)
    write_sequence();
  else
    read_sequence();
  __atomic_fetch_add(&counter, rounds, __ATOMIC_RELAXED);
}

// ---- rings: thread 2n writes what thread 2n+1 reads ----
static struct {
  _Alignas(128) volatile long head;
  _Alignas(128) volatile long tail;
  _Alignas(128) volatile long slots[kRing];
} rings[kMostThreads / 2];

static void ring(long me) {
  uint64_t state = (uint64_t)me + 1;
  for (long i = 0; i < rounds; ++i) {
    if (me % 2 == 0) {
      while (i - rings[me / 2].head == kRing) {
      }
      __asm__ volatile("fence r, w" ::: "memory");
      rings[me / 2].slots[i % kRing] = i + 1;
      __asm__ volatile("fence w, w" ::: "memory");
      rings[me / 2].tail = i + 1;
    } else {
      while (rings[me / 2].tail == i) {
      }
      __asm__ volatile("fence r, r" ::: "memory");
      if (rings[me / 2].slots[i % kRing] != i + 1) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
      __asm__ volatile("fence r, w" ::: "memory");
      rings[me / 2].head = i + 1;
    }
    pause_a_little(&state);
  }
  __atomic_fetch_add(&counter, rounds, __ATOMIC_RELAXED);
}

// ---- stores over the border of two lines, by all threads at once ----
static _Alignas(128) char border[256];

static void misaligned_stores(long me) {
  for (long i = 0; i < rounds; ++i) {
    const long value = (me + 1) * 0x0101010101010101;
    long taken;
    __asm__ volatile("sd %1, 0(%2)\nld %0, 0(%2)" : "=&r"(taken) : "r"(value), "r"(border + 124) : "memory");
    for (int byte = 0; byte < 8; ++byte)
      if ((taken >> 8 * byte & 255) == 0 || (taken >> 8 * byte & 255) > threads) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
  }
  __atomic_fetch_add(&counter, rounds, __ATOMIC_RELAXED);
}

static const struct {
  const char* name;
  Body* body;
} programs[] = {{"peterson", peterson_fenced}, {"peterson-without-fence", peterson_bare}, {"spin-lock", spin_lock},
                {"add-conditionally", add_conditionally}, {"ticket-lock", ticket_lock}, {"seqlock", seqlock},
                {"ring", ring}, {"misaligned-stores", misaligned_stores}};
static Body* body;
static _Alignas(128) long begun;

static void* run(void* argument) {
  __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&begun, __ATOMIC_RELAXED) != threads) {
  }
  body((long)argument);
  return NULL;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  for (unsigned i = 0; i < sizeof programs / sizeof *programs; ++i)
    if (strcmp(programs[i].name, words[1]) == 0) body = programs[i].body;
  threads = atol(words[2]);
  rounds = atol(words[3]);
  if (body == NULL || threads < 2 || threads > kMostThreads) return 2;
  pthread_t made[kMostThreads];
  for (long i = 1; i < threads; ++i) pthread_create(&made[i], NULL, run, (void*)i);
  run((void*)0);
  for (long i = 1; i < threads; ++i) pthread_join(made[i], NULL);
  const long lost = threads * rounds - counter;
  printf("%ld lost, %ld wrong\n", lost, wrong);
  return lost != 0 || wrong != 0;
}
