/* As chase.cu, for a core: pointers through BYTES of memory, a line of 64 bytes after the other in random
   order, after one round. riscv64-linux-gnu-gcc -O2 -static chase.c -o chase && duet run --host simulated
   --machine mi300a ./chase 262144 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t cycles(void) {
  uint64_t value;
  __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
  return value;
}

int main(int count, char** words) {
  const size_t line = 64, bytes = count > 1 ? strtoul(words[1], NULL, 10) : 16384, lines = bytes / line;
  const int loads = 2000;
  char* memory = aligned_alloc(4096, bytes);
  size_t* order = malloc(lines * sizeof *order);
  for (size_t i = 0; i < lines; i++) order[i] = i;
  uint32_t random = 1;
  for (size_t i = lines - 1; i > 0; i--) {
    random = random * 1664525u + 1013904223u;
    const size_t other = (random >> 4) % (i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
  for (size_t i = 0; i < lines; i++)
    *(void**)(memory + line * order[i]) = memory + line * order[(i + 1) % lines];
  void** at = (void**)(memory + line * order[0]);
  for (size_t i = 0; i < lines; i++) at = *at;
  const uint64_t begin = cycles();
  for (int i = 0; i < loads; i++) at = *at;
  const uint64_t end = cycles();
  printf("%zu bytes, %.1f cycles a load\n", bytes, (end - begin) / (double)loads);
  return at == NULL;
}
