// dashti2017 Figures 13 and 14: each work-item increments an entry of 8 bytes of its own, in an array of 64
// MB; entries lie side by side, or are padded to some bytes. With --every 2 work-items with an even number do
// alone.
//   lines --method svm-fine --bytes 67108864 --entry 32 --every 2 --code FOLDER
// Prints the kernel's time, the smallest of its launches.
#include "frameworks.h"

int main(int argc, char** argv) {
  open_framework(&argc, argv, "lines");
  const size_t bytes = number(&argc, argv, "bytes", 1 << 20);
  const size_t entry = number(&argc, argv, "entry", 8);
  const uint32_t every = (uint32_t)number(&argc, argv, "every", 1);
  const unsigned long launches = number(&argc, argv, "launches", 2);
  const unsigned long group = number(&argc, argv, "group", 256);
  no_more(argc, argv);
  const uint64_t stride = entry / 8;
  if (entry % 8 != 0 || entry == 0 || every == 0 || bytes / entry % group != 0) {
    fprintf(stderr,
            "lines: entries are of a multiple of 8 bytes, and those of the array are in groups of %lu\n",
            group);
    return 2;
  }
  const size_t threads = bytes / entry;
  struct shared data = new_shared(bytes);
  uint64_t* const words = data.host;
  for (size_t i = 0; i < bytes / 8; i++) words[i] = i;
  to_gpu(&data);
  double best = 0;
  for (unsigned long i = 0; i < launches; i++) {
    launch("increment", threads, group, 3,
           (struct argument[]){{.memory = &data},
                               {.value = &stride, .bytes = sizeof stride},
                               {.value = &every, .bytes = sizeof every}});
    wait_for_gpu();
    const double own = kernel_ns();
    if (i == 0 || own < best) best = own;
  }
  to_host(&data);
  for (size_t i = 0; i < bytes / 8; i++) {
    const uint64_t expected = i + (i % stride == 0 && i / stride % every == 0 ? launches : 0);
    if (words[i] != expected) {
      fprintf(stderr, "lines: word %zu is %llu, expected %llu\n", i, (unsigned long long)words[i],
              (unsigned long long)expected);
      return 1;
    }
  }
  if (prints_times) printf("kernel_ns %.0f\n", best);
  return 0;
}
