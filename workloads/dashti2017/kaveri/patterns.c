// How a program's host and GPU share an array, and what each way to allocate it then costs.
//   patterns --pattern exchange --method svm-fine --bytes 1048576 --rounds 8 --code FOLDER
//
//   exchange   each round: the host writes all of it, a kernel changes all of it, the host reads all of it
//   stays      the host writes all of it once, kernels change all of it in each round, the host reads it at
//   the end again      as exchange, and the kernel reads and writes each word eight times a word     the host
//   writes one word and reads one word in each round, the kernel changes all of it
// Prints the time of all rounds. With copies (cl-1.2) only what the other side needs is copied.
#include "frameworks.h"

enum pattern { kExchange, kStays, kAgain, kWord, kPatterns };
static const char* const pattern_names[kPatterns] = {"exchange", "stays", "again", "word"};

static void fill(uint32_t* words, size_t count, uint32_t from) {
  for (size_t i = 0; i < count; i++) words[i] = from + (uint32_t)i;
}
static uint32_t sum_of(const uint32_t* words, size_t count) {
  uint32_t sum = 0;
  for (size_t i = 0; i < count; i++) sum += words[i];
  return sum;
}

int main(int argc, char** argv) {
  open_framework(&argc, argv, "patterns");
  const char* const name = option(&argc, argv, "pattern", pattern_names[0]);
  const size_t bytes = number(&argc, argv, "bytes", 1 << 20);
  const unsigned long rounds = number(&argc, argv, "rounds", 8);
  no_more(argc, argv);
  unsigned pattern = 0;
  while (pattern < kPatterns && strcmp(name, pattern_names[pattern]) != 0) pattern++;
  if (pattern == kPatterns || bytes % 1024 != 0 || bytes == 0) {
    fprintf(stderr, "patterns: --pattern exchange, stays, again or word; --bytes in steps of 1024\n");
    return 2;
  }
  const size_t count = bytes / sizeof(uint32_t);
  struct shared all = new_shared(bytes);
  struct shared word = all;
  word.bytes = sizeof(uint32_t);
  const struct shared* const given = pattern == kWord ? &word : &all;
  uint32_t* const words = all.host;
  const uint32_t by = 3, passes = pattern == kAgain ? 8 : 1;
  uint32_t found = 0, expected = 0;
  const double start = host_ns();
  fill(words, count, 0);
  if (pattern == kStays || pattern == kWord) to_gpu(&all);
  for (uint32_t round = 0; round < rounds; round++) {
    if (pattern == kExchange || pattern == kAgain) fill(words, count, round);
    if (pattern == kWord) words[0] = round;
    if (pattern != kStays) to_gpu(given);
    launch("add", count, 256, 3,
           (struct argument[]){{.memory = &all},
                               {.value = &by, .bytes = sizeof by},
                               {.value = &passes, .bytes = sizeof passes}});
    wait_for_gpu();
    if (pattern != kStays) to_host(given);
    if (pattern == kWord) {
      found += words[0];
      expected += round + by;
    } else if (pattern != kStays) {
      found += sum_of(words, count);
      expected += (uint32_t)(count * (count - 1) / 2 + count * (round + by * passes));
    }
  }
  if (pattern == kStays) {
    to_host(&all);
    found = sum_of(words, count);
    expected = (uint32_t)(count * (count - 1) / 2 + count * (by * rounds));
  }
  const double whole = host_ns() - start;
  if (found != expected) {
    fprintf(stderr, "patterns: the sum is %u, expected %u\n", found, expected);
    return 1;
  }
  if (prints_times) printf("whole_ns %.0f\n", whole);
  return 0;
}
