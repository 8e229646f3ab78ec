// What is published of processors, measured in the same way: `published triad BYTES` and `published chase
// BYTES PATTERN` print one figure. published.py puts them beside the published ones. By the clock that any
// program has, with the machine's prefetchers and translations.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * now.tv_sec + now.tv_nsec;
}

static uint32_t random_word(void) {
  static uint64_t state = 88172645463325252u;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32);
}

// MB/s of a = b + s c over three arrays of BYTES each, by the rules of STREAM (McCalpin): a million bytes are
// an MB, a store counts once, the first of several passes does not count and the best one of the others does.
// Arrays must be four times as large as the last cache, which is the caller's to see to.
static double triad(uint64_t bytes) {
  const uint64_t n = bytes / sizeof(double);
  double *const a = malloc(bytes), *const b = malloc(bytes), *const c = malloc(bytes);
  if (a == NULL || b == NULL || c == NULL) exit(2);
  for (uint64_t i = 0; i < n; ++i) {
    a[i] = 1;
    b[i] = 2;
    c[i] = 0.5;
  }
  double best = 0;
  for (int pass = 0; pass < 3; ++pass) {
    const double factor = 3 + pass, before = now_ns();
    for (uint64_t i = 0; i < n; ++i) a[i] = b[i] + factor * c[i];
    const double rate = 24e3 * n / (now_ns() - before);
    if (pass > 0 && rate > best) best = rate;
    for (uint64_t i = 0; i < n; i += n / 16)
      if (a[i] != 2 + factor * 0.5) exit(1);
  }
  return best;
}

// MB/s of memcpy, as tinymembench counts: a byte that is copied counts once.
static double copy(uint64_t bytes) {
  char *const from = malloc(bytes), *const to = malloc(bytes);
  if (from == NULL || to == NULL) exit(2);
  memset(from, 1, bytes);
  memset(to, 2, bytes);
  double best = 0;
  for (int pass = 0; pass < 2; ++pass) {
    const double before = now_ns();
    memcpy(to, from, bytes);
    const double rate = 1e3 * bytes / (now_ns() - before);
    if (rate > best) best = rate;
    if (to[bytes - 1] != 1) exit(1);
  }
  return best;
}

// A ring through all lines of 64 bytes. "random": in random order. "page": page by page, in random order
// within each, so that a translation serves 64 loads ("in-page random" of SiSoft Sandra).
static char* ring(char* base, uint64_t lines, int within_pages) {
  const uint64_t block = within_pages ? 64 : lines;
  uint32_t* const order = calloc(lines, sizeof *order);
  if (order == NULL) exit(2);
  for (uint64_t i = 0; i < lines; ++i) order[i] = (uint32_t)i;
  for (uint64_t first = 0; first < lines; first += block)
    for (uint64_t i = (first + block < lines ? block : lines - first) - 1; i > 0; --i) {
      const uint64_t other = (uint64_t)random_word() * (i + 1) >> 32;
      const uint32_t kept = order[first + i];
      order[first + i] = order[first + other];
      order[first + other] = kept;
    }
  for (uint64_t i = 0; i < lines; ++i)
    *(char**)(base + 64ull * order[i]) = base + 64ull * order[(i + 1) % lines];
  char* const first_written = base + 64ull * order[0];
  free(order);
  return first_written;
}

// ns of a load whose address the one before has loaded, as lat_mem_rd of lmbench has it.
static double chase(uint64_t bytes, int within_pages) {
  const uint64_t lines = bytes / 64;
  char* const base = aligned_alloc(4096, bytes);
  if (base == NULL) exit(2);
  char* at = ring(base, lines, within_pages);
  uint64_t steps = lines < 1000    ? 1000
                   : lines > 60000 ? 60000
                                   : lines;  // a ring that caches hold is walked once before
  if (steps >= lines)
    for (uint64_t i = 0; i < lines; ++i) at = *(char**)at;
  const double before = now_ns();
  for (uint64_t i = 0; i < steps; i += 8) {
    at = *(char**)at, at = *(char**)at, at = *(char**)at, at = *(char**)at;
    at = *(char**)at, at = *(char**)at, at = *(char**)at, at = *(char**)at;
  }
  const double taken = now_ns() - before;
  if (at == NULL) exit(1);
  return taken / steps;
}

int main(int argc, char** argv) {
  if (argc == 3 && strcmp(argv[1], "triad") == 0)
    printf("%.1f\n", triad(strtoull(argv[2], NULL, 10)));
  else if (argc == 3 && strcmp(argv[1], "copy") == 0)
    printf("%.1f\n", copy(strtoull(argv[2], NULL, 10)));
  else if (argc == 4 && strcmp(argv[1], "chase") == 0)
    printf("%.3f\n", chase(strtoull(argv[2], NULL, 10), strcmp(argv[3], "page") == 0));
  else
    return 2;
}
