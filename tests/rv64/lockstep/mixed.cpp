// Work of many kinds, as many rounds as the first argument says: libm, sorting, strings, maps, formatted
// numbers, conversions with every rounding mode, memory that grows and moves, atomics. It ends with a
// checksum on stdout.
#include <algorithm>
#include <atomic>
#include <cfenv>
#include <cinttypes>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

std::uint64_t sum = 0;

void add(const void* data, std::size_t bytes) {
  const unsigned char* at = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; ++i) sum = (sum ^ at[i]) * 0x100000001b3;
}
template <typename T>
void add(T value) {
  add(&value, sizeof value);
}

std::mt19937_64 next(7);

void elementary_functions() {
  std::uniform_real_distribution<double> any(-30, 30);
  for (int i = 0; i < 2000; ++i) {
    const double x = any(next), y = any(next);
    add(std::sin(x) + std::cos(y) * std::tan(x / 31));
    add(std::exp(x) / (1 + std::exp(y)));
    add(std::log(std::fabs(x) + 1e-9) + std::pow(std::fabs(x), y / 10));
    add(std::atan2(x, y) + std::sinh(x / 5) + std::cbrt(x) + std::hypot(x, y));
    add(std::fma(x, y, -x * y) + std::sqrt(std::fabs(x)) + std::fmod(x, y) + std::remainder(x, y));
    add(std::erf(x / 9) + std::tgamma(std::fabs(x) / 8 + 0.5) + std::lgamma(std::fabs(y) + 0.1));
    add(std::sin(static_cast<float>(x)) * std::exp(static_cast<float>(y / 4)));
    add(static_cast<float>(
        std::abs(std::exp(std::complex<float>(static_cast<float>(x / 9), static_cast<float>(y))))));
  }
}

void rounding() {
  for (const int mode : {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD}) {
    std::fesetround(mode);
    std::feclearexcept(FE_ALL_EXCEPT);
    for (int i = 0; i < 500; ++i) {
      const auto bits = next();
      double d;
      float f;
      std::memcpy(&d, &bits, 8);
      std::memcpy(&f, &bits, 4);
      volatile double product = d * 1.1, quotient = d / 3, narrow = static_cast<float>(d);
      volatile float product_f = f * 1.1f, root = std::sqrt(std::fabs(f)), difference = f - 1e-3f;
      add(double(product)), add(double(quotient)), add(double(narrow));
      add(float(product_f)), add(float(root)), add(float(difference));
      add(std::llrint(static_cast<double>(static_cast<std::int64_t>(bits) >> 12) / 7));
      add(static_cast<double>(bits)), add(static_cast<float>(static_cast<std::int32_t>(bits)));
      add(static_cast<int>(std::fpclassify(d)));
    }
    add(std::fetestexcept(FE_ALL_EXCEPT));
  }
  std::fesetround(FE_TONEAREST);
}

void sorting() {
  std::vector<std::uint32_t> numbers(20000);
  for (auto& number : numbers) number = static_cast<std::uint32_t>(next());
  auto stable = numbers;
  std::sort(numbers.begin(), numbers.end());
  std::stable_sort(stable.begin(), stable.end(), [](auto a, auto b) { return a % 1000 < b % 1000; });
  add(numbers.data(), 4000), add(stable.data(), 4000);
  std::vector<double> heap;
  for (int i = 0; i < 3000; ++i) heap.push_back(std::ldexp(static_cast<double>(numbers[i]), i % 60 - 30));
  std::make_heap(heap.begin(), heap.end());
  std::sort_heap(heap.begin(), heap.end());
  add(heap[1500]);
}

void texts() {
  std::map<std::string, int> ordered;
  std::unordered_map<std::string, int> hashed;
  std::string all;
  for (int i = 0; i < 3000; ++i) {
    char text[80];
    std::snprintf(text, sizeof text, "%d:%s:%.6g:%a", i % 700, i % 3 != 0 ? "odd" : "even",
                  std::sqrt(i) * 1e5, 1.0 / (i + 1));
    ++ordered[text];
    ++hashed[std::string(text).substr(0, 5)];
    all += text;
    add(std::strtod(std::strrchr(text, ':') + 1, nullptr));
  }
  for (const auto& [text, count] : ordered) add(text.size() + static_cast<std::size_t>(count));
  add(hashed.size());
  std::reverse(all.begin(), all.end());
  add(std::strlen(all.c_str()) + all.find("neve"));
  add(std::memcmp(all.data(), all.data() + 1, 1000) < 0);
  std::istringstream words("12 0.5 -7e3 text 0x1f");
  double value = 0;
  while (words >> value) add(value);
  const std::regex pattern("([a-z]+):([0-9.]+)");
  std::smatch found;
  if (std::regex_search(*std::next(ordered.begin(), 5) == *ordered.begin() ? all : ordered.rbegin()->first,
                        found, pattern))
    add(found.str(2).size());
}

void memory() {
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < 40; ++i) {
    blocks.emplace_back(static_cast<std::size_t>(1) << (i % 19), static_cast<char>(i));
    if (i % 3 == 0) blocks.erase(blocks.begin() + i / 4);
  }
  char* grown = nullptr;
  for (std::size_t bytes = 100; bytes < 600000; bytes = bytes * 3 / 2) {
    grown = static_cast<char*>(std::realloc(grown, bytes));
    std::memset(grown + bytes / 2, static_cast<int>(bytes), bytes / 3);
  }
  std::memmove(grown + 3, grown, 100000);
  add(grown, 2000);
  std::free(grown);
  std::atomic<std::uint64_t> atomic{1};
  std::atomic<std::int32_t> small{-5};
  for (int i = 0; i < 500; ++i) {
    atomic += next();
    atomic ^= static_cast<std::uint64_t>(small.fetch_sub(3));
    std::uint64_t expected = atomic;
    atomic.compare_exchange_strong(expected, expected * 3);
  }
  add(atomic.load()), add(small.load());
}

void exceptions() {
  for (int i = 0; i < 30; ++i) {
    try {
      if (i % 3 == 0) throw std::runtime_error("third");
      add(std::string("abc").at(static_cast<std::size_t>(i)));
    } catch (const std::out_of_range& error) {
      add(std::strlen(error.what()));
    } catch (const std::exception& error) {
      add(error.what()[0]);
    }
  }
}

}  // namespace

int main(int count, char** words) {
  const int rounds = count > 1 ? std::atoi(words[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    elementary_functions();
    rounding();
    sorting();
    texts();
    memory();
    exceptions();
  }
  std::printf("%016" PRIx64 "\n", sum);
  return 0;
}
