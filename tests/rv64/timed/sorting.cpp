// Sorts the same numbers in five ways, and looks them up.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::uint32_t state = 12345;
  for (std::uint32_t& value : values) value = state = state * 1664525 + 1013904223;
  return values;
}

static std::uint64_t digest(const std::vector<std::uint32_t>& values) {
  std::uint64_t sum = 14695981039346656037u;
  for (const std::uint32_t value : values) sum = (sum ^ value) * 1099511628211u;
  return sum;
}

static void by_digits(std::vector<std::uint32_t>& values) {
  std::vector<std::uint32_t> other(values.size());
  for (unsigned shift = 0; shift < 32; shift += 8) {
    std::size_t places[257] = {};
    for (const std::uint32_t value : values) ++places[(value >> shift & 255) + 1];
    std::partial_sum(places, places + 257, places);
    for (const std::uint32_t value : values) other[places[value >> shift & 255]++] = value;
    values.swap(other);
  }
}

static int compare(const void* a, const void* b) {
  const std::uint32_t left = *static_cast<const std::uint32_t*>(a),
                      right = *static_cast<const std::uint32_t*>(b);
  return left < right ? -1 : left > right;
}

int main() {
  const std::vector<std::uint32_t> from = numbers(3000);
  std::vector<std::uint32_t> values = from;
  std::sort(values.begin(), values.end());
  std::printf("sort %016lx\n", digest(values));
  const std::vector<std::uint32_t> sorted = values;
  values = from;
  std::stable_sort(values.begin(), values.end(), [](auto a, auto b) { return a % 1000 < b % 1000; });
  std::printf("stable_sort %016lx\n", digest(values));
  values = from;
  std::make_heap(values.begin(), values.end());
  std::sort_heap(values.begin(), values.end());
  std::printf("heap %d\n", values == sorted);
  values = from;
  by_digits(values);
  std::printf("digits %d\n", values == sorted);
  values = from;
  std::qsort(values.data(), values.size(), sizeof values[0], compare);
  std::printf("qsort %d\n", values == sorted);
  unsigned found = 0;
  for (std::uint32_t value = 0; value < 2000; ++value)
    found += std::binary_search(sorted.begin(), sorted.end(), value % 2 != 0 ? from[value] : value);
  std::printf("found %u\n", found);
  return 7;
}
