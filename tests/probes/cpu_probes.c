// What a program can measure of the core that it runs on, with rdcycle. `cpu_probes NAME ARGUMENTS` prints one
// figure, or several; cpu.py runs it on timed cores and compares them with the machine file.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

typedef uint64_t u64;

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

u64 scratch[64] __attribute__((aligned(128)));

// Cycles of SHORT and of LONG repetitions of an instruction; the last of three rounds, when it is in the caches.
enum { SHORT = 240, LONG = 720 };
#define TIMED(count, body)                                                                                   \
  ({                                                                                                         \
    u64 before, after;                                                                                       \
    asm volatile(                                                                                            \
        "li a3, 1\nli a4, 1\nla t3, scratch\nfcvt.d.l fa3, a3\nfcvt.d.l fa2, a3\nfcvt.d.l fa4, zero\n"         \
        "li a2, 1\nrdcycle %0\n.rept " TEXT(count) "\n" body "\n.endr\nrdcycle %1"                            \
        : "=&r"(before), "=&r"(after)                                                                        \
        :                                                                                                    \
        : "a2", "a3", "a4", "a5", "a6", "a7", "t3", "fa2", "fa3", "fa4", "fa5", "memory");                   \
    after - before;                                                                                          \
  })
#define PROBE(name, body)                                              \
  static void name(void) {                                             \
    u64 few = 0, many = 0;                                             \
    for (int round = 0; round < 3; ++round) {                          \
      few = TIMED(240, body);                                          \
      many = TIMED(720, body);                                         \
    }                                                                  \
    printf("%.4f\n", (double)(many - few) / (LONG - SHORT));           \
  }

PROBE(chain_integer, "add a2, a2, a3")
PROBE(chain_multiply, "mul a2, a2, a3")
PROBE(chain_divide, "div a2, a2, a3")
PROBE(chain_float_add, "fadd.d fa2, fa2, fa4")
PROBE(chain_float_multiply, "fmul.d fa2, fa2, fa3")
PROBE(chain_float_fused, "fmadd.d fa2, fa2, fa3, fa4")
PROBE(chain_float_divide, "fdiv.d fa2, fa2, fa3")
PROBE(chain_float_square_root, "fsqrt.d fa2, fa2")
PROBE(chain_float_move, "fsgnj.d fa2, fa2, fa3")
PROBE(chain_float_convert, "fcvt.s.d fa2, fa2\nfcvt.d.s fa2, fa2")
PROBE(many_integer, "add a2, a3, a4")
PROBE(many_multiply, "mul a2, a3, a4")
PROBE(many_divide, "div a2, a3, a4")
PROBE(many_float_add, "fadd.d fa2, fa3, fa4")
PROBE(many_float_multiply, "fmul.d fa2, fa3, fa4")
PROBE(many_float_fused, "fmadd.d fa2, fa3, fa3, fa4")
PROBE(many_float_divide, "fdiv.d fa2, fa4, fa3")
PROBE(many_float_square_root, "fsqrt.d fa2, fa3")
PROBE(many_float_move, "fsgnj.d fa2, fa3, fa4")
PROBE(many_float_convert, "fcvt.s.d fa2, fa3\nfcvt.s.d fa5, fa3")
PROBE(many_branch, "bne zero, zero, 1f\n1:")
PROBE(many_load, "ld a2, 0(t3)")
PROBE(many_store, "sd a3, 0(t3)")
PROBE(forwarding, "sd a2, 0(t3)\nld a2, 0(t3)")
// Two integer operations, a multiplication and a load: no kind of unit has to start four in a cycle.
PROBE(mixed, "add a2, a3, a4\nmul a5, a3, a4\nadd a6, a3, a4\nld a7, 0(t3)")

// A ring of lines `stride` apart, over a buffer whose pages were touched in their order.
static char* buffer;
static void touch(u64 bytes) {
  buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (buffer == MAP_FAILED) exit(2);
  for (u64 at = 0; at < bytes; at += 4096) buffer[at] = 0;
}
static char* ring(char* base, u64 stride, u64 lines) {
  for (u64 i = 0; i < lines; ++i) *(char**)(base + i * stride) = base + (i + 1) % lines * stride;
  return base;
}
__attribute__((noinline)) static u64 chase(char** at, u64 rounds) {
  u64 before, after;
  char* from = *at;
  asm volatile(
      "rdcycle %0\n1:\n.rept 16\nld %2, 0(%2)\n.endr\naddi %3, %3, -1\nbnez %3, 1b\nrdcycle %1"
      : "=&r"(before), "=&r"(after), "+&r"(from), "+&r"(rounds)
      :
      : "memory");
  *at = from;
  return after - before;
}
static double step(char* base, u64 stride, u64 lines) {
  char* at = ring(base, stride, lines);
  chase(&at, 8);
  u64 least = ~0ul;  // of three: a line of somebody else's may have been in the way
  for (int round = 0; round < 3; ++round) {
    const u64 few = chase(&at, 8), taken = chase(&at, 40) - few;
    if (taken < least) least = taken;
  }
  return (double)least / (32 * 16);
}

// chase STRIDE LINES: cycles a step.
static void chase_ring(u64 stride, u64 lines) {
  touch(stride * lines + 4096);
  printf("%.4f\n", step(buffer, stride, lines));
}

// ways STRIDE MOST LIMIT: the most lines of a ring whose steps take no longer than LIMIT.
static void ways(u64 stride, u64 most, double limit) {
  touch(stride * most + 4096);
  u64 lines = 1;
  while (lines < most && step(buffer, stride, lines + 1) <= limit) ++lines;
  printf("%lu\n", lines);
}

// sets LINES MOST LIMIT: the smallest stride, a power of two, at which a ring's steps take longer than LIMIT.
static void sets(u64 lines, u64 most, double limit) {
  touch(most * lines + 4096);
  u64 stride = 32;
  while (stride < most && step(buffer, stride, lines) <= limit) stride *= 2;
  printf("%lu\n", stride);
}

// line HIT: the smallest distance, a power of two, at which a second load finds another line. Nobody has touched either
// before; a first round, elsewhere, is for the code.
static void line(u64 hit) {
  touch(64 * 4096);
  u64 distance = 8;
  for (; distance < 2048; distance *= 2) {
    u64 taken = 0;
    for (u64 round = 0; round < 2; ++round) {
      const char* const first = buffer + (__builtin_ctzl(distance) * 2 + round) * 4096 + 2048;
      u64 before, after;
      asm volatile("ld t0, 0(%2)\nadd t0, t0, %3\nrdcycle %0\nld t1, 0(t0)\nrdcycle %1"
                   : "=&r"(before), "=&r"(after)
                   : "r"(first), "r"(first + distance)
                   : "t0", "t1", "memory");
      taken = after - before;
    }
    if (taken > hit + 8) break;
  }
  printf("%lu\n", distance);
}

// window KIND STRIDE LINES: how many instructions of a kind go between two misses that overlap. Two rings, and
// after each step `n` of 1024 such instructions.
#define WINDOW(name, first, second)                                                                              \
  __attribute__((noinline)) static double name(char** x, char** y, u64 n, u64 rounds) {                                                    \
    u64 before, after;                                                                                           \
    char *a = *x, *b = *y;                                                                                       \
    const u64 skipped = (1024 - n) * 4;                                                                          \
    asm volatile(                                                                                                \
        ".option push\n.option norvc\nla t3, scratch\nla t4, 2f\nadd t4, t4, %5\nla t5, 3f\nadd t5, t5, %5\n"    \
        "rdcycle %0\n1:\nld %2, 0(%2)\njr t4\n2:\n.rept 1024\n" first "\n.endr\nld %3, 0(%3)\njr t5\n3:\n"        \
        ".rept 1024\n" second "\n.endr\naddi %4, %4, -1\nbeqz %4, 4f\nj 1b\n4:\nrdcycle %1\n.option pop"          \
        : "=&r"(before), "=&r"(after), "+&r"(a), "+&r"(b), "+&r"(rounds)                                         \
        : "r"(skipped)                                                                                           \
        : "t1", "t3", "t4", "t5", "memory");                                                                     \
    *x = a;                                                                                                      \
    *y = b;                                                                                                      \
    return (double)(after - before);                                                                             \
  }
WINDOW(window_any, "nop", "nop")
WINDOW(window_load, "ld t1, 0(t3)", "ld t1, 0(t3)")
WINDOW(window_store, "sd t1, 0(t3)", "sd t1, 0(t3)")
WINDOW(window_waiting, "add t1, %2, %2", "add t1, %3, %3")

static void window(const char* kind, u64 stride, u64 lines) {
  double (*measure)(char**, char**, u64, u64) = window_any;
  if (strcmp(kind, "load") == 0) measure = window_load;
  if (strcmp(kind, "store") == 0) measure = window_store;
  if (strcmp(kind, "waiting") == 0) measure = window_waiting;
  touch(stride * lines + 65536);
  char *x = ring(buffer, stride, lines), *y = ring(buffer + 8192 + 1024, stride, lines);
  double overlapped = 0;
  u64 low = 0, high = 1000;  // overlaps; does not
  for (int round = 0; round < 2; ++round) overlapped = measure(&x, &y, 0, 40);
  while (high - low > 1) {
    const u64 middle = (low + high) / 2;
    measure(&x, &y, middle, 10);
    if (measure(&x, &y, middle, 40) > 1.5 * overlapped)
      high = middle;
    else
      low = middle;
  }
  printf("%lu\n", low);
}

// memory INTEGER: cycles of a load of a line that nobody has touched. Two integer operations lie between two loads.
static void memory(u64 integer) {
  enum { kPages = 40 };
  touch(kPages * 4096);
  u64 before, after;
  double taken[2];
  for (int round = 0; round < 3; ++round)  // the first one is for the code
    for (u64 count = 0; count < 2; ++count) {
      char* at = buffer + (round + 1) * 1024 + count * 512;
      u64 left = count == 0 ? 8 : 40;
      asm volatile(
          "rdcycle %0\n1:\nld t0, 0(%2)\nadd %2, %2, t0\nadd %2, %2, %4\naddi %3, %3, -1\nbnez %3, 1b\nrdcycle %1"
          : "=&r"(before), "=&r"(after), "+&r"(at), "+&r"(left)
          : "r"(4096ul)
          : "t0", "memory");
      taken[count] = (double)(after - before);
    }
  printf("%.4f\n", (taken[1] - taken[0]) / 32 - 2.0 * (double)integer);
}

// misses LATENCY: how many are in flight at a time. Independent loads of lines that nobody has touched.
static void misses(u64 latency) {
  enum { kMost = 40, kRounds = 3 };
  touch(kMost * 4096 * 4);
  u64 last = 0, number = 0, fresh = 0;
  for (u64 count = 1; count <= kMost; ++count) {
    u64 taken = 0;
    for (int round = 0; round < kRounds; ++round, ++fresh) {
      char* from = buffer + fresh / 31 * kMost * 4096 + (1 + fresh % 31) * 128;
      u64 before, after;
      asm volatile(
          ".option push\n.option norvc\nmv t0, %2\nla t4, 2f\nadd t4, t4, %4\nfence\nrdcycle %0\njr t4\n2:\n.rept 64\n"
          "ld t1, 0(t0)\nadd t0, t0, %3\n.endr\nrdcycle %1\n.option pop"
          : "=&r"(before), "=&r"(after)
          : "r"(from), "r"(4096ul), "r"((64 - count) * 8)
          : "t0", "t1", "t4", "memory");
      taken = after - before;
    }
    if (count > 1 && taken > last + latency / 3) break;
    last = taken;
    number = count;
  }
  printf("%lu\n", number);
}

// capacity BYTES LINE: cycles a step through so many bytes, again and again.
static void capacity(u64 bytes, u64 line_bytes) {
  touch(bytes);
  char* at = ring(buffer, line_bytes, bytes / line_bytes);
  const u64 rounds = bytes / line_bytes / 16;
  chase(&at, rounds);
  printf("%.4f\n", (double)chase(&at, rounds) / (double)(16 * rounds));
}

// Jumps that alternate between two targets, less those that do not: cycles a jump.
__attribute__((noinline)) static double jumps(u64 alternate) {
  u64 before, after, rounds = 2000;
  asm volatile(
      ".option push\n.option norvc\n.balign 64\nla t0, 1f\nla t1, 2f\nxor t1, t1, t0\nbnez %3, 3f\nli t1, 0\n3:\nrdcycle %0\n"
      "1:\naddi %2, %2, -1\nbeqz %2, 4f\nxor t0, t0, t1\njr t0\n"
      ".balign 64\n2:\naddi %2, %2, -1\nbeqz %2, 4f\nxor t0, t0, t1\njr t0\n4:\nrdcycle %1\n.option pop"
      : "=&r"(before), "=&r"(after), "+&r"(rounds)
      : "r"(alternate)
      : "t0", "t1", "memory");
  return (double)(after - before);
}
static void misprediction(void) {
  double all = 0;
  for (int round = 0; round < 3; ++round) all = jumps(1);
  printf("%.2f\n", all / 2000);
}

// Calls within calls, 100 functions that each call the next one: the deepest whose returns are all predicted.
__attribute__((noinline)) static u64 calls(u64 depth) {
  u64 before, after;
  asm volatile(
      ".option push\n.option norvc\nla t0, 1f\nadd t0, t0, %2\nrdcycle %0\njalr t0\nj 3f\n"
      "1:\n.rept 100\naddi sp, sp, -16\nsd ra, 0(sp)\njal 2f\nld ra, 0(sp)\naddi sp, sp, 16\nret\n2:\n.endr\nret\n"
      "3:\nrdcycle %1\n.option pop"
      : "=&r"(before), "=&r"(after)
      : "r"((101 - depth) * 24)
      : "t0", "ra", "memory");
  return after - before;
}
static void returns(u64 penalty) {
  enum { kMost = 80 };
  u64 taken[kMost + 1];
  for (u64 depth = 1; depth <= kMost; ++depth)
    for (int round = 0; round < 4; ++round) taken[depth] = calls(depth);
  u64 depth = 1;
  for (; depth + 3 <= kMost; ++depth) {
    int dear = 0;
    for (u64 more = depth; more < depth + 3; ++more) dear += taken[more + 1] > taken[more] + penalty / 2;
    if (dear == 3) break;
  }
  printf("%lu\n", depth);
}

// stream BYTES: bytes a cycle that are read, a load for each 8 bytes.
static void stream(u64 bytes) {
  touch(bytes);
  u64 before, after;
  char *at = buffer, *end = buffer + bytes;
  asm volatile(
      "rdcycle %0\n1:\nld t0, 0(%2)\nld t1, 8(%2)\nld t2, 16(%2)\nld t3, 24(%2)\naddi %2, %2, 32\nbne %2, %3, 1b\nrdcycle %1"
      : "=&r"(before), "=&r"(after), "+&r"(at)
      : "r"(end)
      : "t0", "t1", "t2", "t3", "memory");
  printf("%.4f\n", (double)bytes / (double)(after - before));
}

// transfer LINES STRIDE: cycles of a load whose line another core has written.
static char* written;
static u64 transfer_lines, transfer_stride;
static volatile int done;
static void* writer(void* unused) {
  ring(written, transfer_stride, transfer_lines);
  __sync_synchronize();
  done = 1;
  return unused;
}
static void transfer(u64 lines, u64 stride) {
  touch(lines * stride + 8192);
  written = buffer + 4096;
  transfer_lines = lines;
  transfer_stride = stride;
  pthread_t other;
  if (pthread_create(&other, NULL, writer, NULL) != 0) exit(2);
  while (!done)
    for (int i = 0; i < 200; ++i) asm volatile("nop");
  char* at = written;
  const u64 few = chase(&at, 1);
  printf("%.4f\n", (double)(chase(&at, 3) - few) / 32);
  pthread_join(other, NULL);
}

static const struct {
  const char* name;
  void (*probe)(void);
} probes[] = {
#define ONE(name) {#name, name},
    ONE(chain_integer) ONE(chain_multiply) ONE(chain_divide) ONE(chain_float_add) ONE(chain_float_multiply)
    ONE(chain_float_fused) ONE(chain_float_divide) ONE(chain_float_square_root) ONE(chain_float_move)
    ONE(chain_float_convert) ONE(many_integer) ONE(many_multiply) ONE(many_divide) ONE(many_float_add)
    ONE(many_float_multiply) ONE(many_float_fused) ONE(many_float_divide) ONE(many_float_square_root)
    ONE(many_float_move) ONE(many_float_convert) ONE(many_branch) ONE(many_load) ONE(many_store) ONE(forwarding)
    ONE(mixed) ONE(misprediction)};

int main(int count, char** words) {
  const char* name = count > 1 ? words[1] : "";
  const u64 a = count > 2 ? strtoull(words[2], NULL, 0) : 0, b = count > 3 ? strtoull(words[3], NULL, 0) : 0;
  if (strcmp(name, "units") == 0) {  // all that take no arguments
    for (unsigned i = 0; i < sizeof probes / sizeof *probes; ++i) {
      printf("%s ", probes[i].name);
      probes[i].probe();
    }
    return 0;
  }
  if (strcmp(name, "chase") == 0) return chase_ring(a, b), 0;
  if (strcmp(name, "ways") == 0) return ways(a, b, strtod(words[4], NULL)), 0;
  if (strcmp(name, "sets") == 0) return sets(a, b, strtod(words[4], NULL)), 0;
  if (strcmp(name, "line") == 0) return line(a), 0;
  if (strcmp(name, "window") == 0) return window(words[2], b, strtoull(words[4], NULL, 0)), 0;
  if (strcmp(name, "misses") == 0) return misses(a), 0;
  if (strcmp(name, "memory") == 0) return memory(a), 0;
  if (strcmp(name, "capacity") == 0) return capacity(a, b), 0;
  if (strcmp(name, "returns") == 0) return returns(a), 0;
  if (strcmp(name, "stream") == 0) return stream(a), 0;
  if (strcmp(name, "transfer") == 0) return transfer(a, b), 0;
  fprintf(stderr, "cpu_probes: no probe is called '%s'\n", name);
  return 1;
}
