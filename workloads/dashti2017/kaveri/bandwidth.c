// dashti2017 Figure 11: the bandwidth at which the GPU writes an array, a work-item an entry of 8 bytes; the
// array is written anew by each launch. Figure 12: work-items write entry 0 alone (--threads N, one word).
//   bandwidth --method hsa-fine --bytes 67108864 --launches 3 --code FOLDER
// Prints the time of a launch as the host sees it and the kernel's, the smallest of all; and of all launches.
// Table 2 counts what the host does meanwhile.
#include "frameworks.h"

int main(int argc, char** argv) {
  open_framework(&argc, argv, "bandwidth");
  const size_t bytes = number(&argc, argv, "bytes", 1 << 20);
  const size_t words = number(&argc, argv, "threads", 0);
  const unsigned long launches = number(&argc, argv, "launches", 4);
  const unsigned long group = number(&argc, argv, "group", 256);
  no_more(argc, argv);
  const size_t threads = words != 0 ? words : bytes / 8;
  if (threads == 0 || threads % group != 0) {
    fprintf(stderr, "bandwidth: %zu entries are not in groups of %lu\n", threads, group);
    return 2;
  }
  struct shared data = new_shared(words != 0 ? 8 : bytes);
  uint64_t* const entries = data.host;
  memset(entries, 0, data.bytes);
  to_gpu(&data);
  double launch_ns = 0, best_kernel_ns = 0, all_ns = 0;
  for (unsigned long i = 0; i < launches; i++) {
    const uint64_t first = 1000 * (i + 1);
    const double start = host_ns();
    launch(words != 0 ? "write_word" : "write_entries", threads, group, 2,
           (struct argument[]){{.memory = &data}, {.value = &first, .bytes = sizeof first}});
    wait_for_gpu();
    const double whole = host_ns() - start, own = kernel_ns();
    all_ns += whole;
    if (i == 0 || whole < launch_ns) launch_ns = whole;
    if (i == 0 || own < best_kernel_ns) best_kernel_ns = own;
  }
  to_host(&data);
  const uint64_t last = 1000 * launches;
  if (words != 0 && entries[0] - last >= threads) {
    fprintf(stderr, "bandwidth: the word is %llu, expected one from %llu on\n",
            (unsigned long long)entries[0], (unsigned long long)last);
    return 1;
  }
  for (size_t i = 0; words == 0 && i < threads; i++)
    if (entries[i] != last + i) {
      fprintf(stderr, "bandwidth: entry %zu is %llu, expected %llu\n", i, (unsigned long long)entries[i],
              (unsigned long long)(last + i));
      return 1;
    }
  if (!prints_times) return 0;
  printf("launch_ns %.0f\nall_ns %.0f\nkernel_ns %.0f\ngb_per_s %.3f\n", launch_ns, all_ns, best_kernel_ns,
         8.0 * (double)threads / launch_ns);
  return 0;
}
