// OpenMP of a program's host part: every kind of loop, sum and order, the same whoever compiles it. One line each.
#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

template <typename T>
static void loops(const char* name, T first, T end, T step) {
  std::vector<int> seen(200);
  const auto visit = [&](T i) {
#pragma omp atomic
    ++seen[static_cast<std::size_t>(i - std::min(first, end) + 4)];
  };
  const auto say = [&](const char* schedule) {
    long sum = 0, twice = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      sum += seen[i] * static_cast<long>(i + 1);
      twice += seen[i] > 1;
    }
    std::printf("%s %s %ld %ld\n", name, schedule, sum, twice);
    std::fill(seen.begin(), seen.end(), 0);
  };
#define LOOP(schedule)                                            \
  _Pragma("omp parallel num_threads(3)") {                        \
    _Pragma(schedule) for (T i = first; i < end; i += step) visit(i); \
  }                                                               \
  say(schedule);
  LOOP("omp for")
  LOOP("omp for schedule(static, 2)")
  LOOP("omp for schedule(dynamic)")
  LOOP("omp for schedule(dynamic, 7) nowait")
  LOOP("omp for schedule(guided, 2)")
  LOOP("omp for schedule(runtime)")
  LOOP("omp for schedule(auto)")
#undef LOOP
}

static long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0, b = 0;
#pragma omp task shared(a) if (n > 5)
  a = fibonacci(n - 1);
#pragma omp task shared(b)
  b = fibonacci(n - 2);
#pragma omp taskwait
  return a + b;
}

int main() {
  loops<int>("int", -20, 100, 3);
  loops<unsigned>("unsigned", 5, 100, 1);
  loops<std::int64_t>("int64", -60, 60, 7);
  loops<std::uint64_t>("uint64", 10, 11, 1);
  loops<int>("empty", 3, 3, 1);

  long down = 0, last = -1;
#pragma omp parallel for num_threads(4) reduction(+ : down) lastprivate(last) schedule(dynamic, 3)
  for (int i = 50; i > -50; i -= 4) {
    down = down + 3 * i + 1;
    last = i;
  }
  std::printf("down %ld last %ld\n", down, last);

  int most = 0, singles = 0, masters = 0, critical = 0;
  double product = 1;
#pragma omp parallel num_threads(5) reduction(max : most) reduction(* : product)
  {
    most = omp_get_thread_num() + 10 * omp_get_num_threads();
    product *= 2;
#pragma omp single
    ++singles;
#pragma omp master
    ++masters;
#pragma omp barrier
    for (int i = 0; i < 100; ++i) {
#pragma omp critical(adding)
      ++critical;
    }
#pragma omp barrier
#pragma omp sections
    {
#pragma omp section
#pragma omp atomic
      critical += 1000;
#pragma omp section
#pragma omp atomic
      critical += 10000;
    }
  }
  std::printf("most %d product %g singles %d masters %d critical %d\n", most, product, singles, masters, critical);

  std::vector<int> order;
#pragma omp parallel for ordered num_threads(4) schedule(dynamic, 1)
  for (int i = 0; i < 20; ++i) {
#pragma omp ordered
    order.push_back(i);
  }
  std::printf("ordered %d %zu\n", std::is_sorted(order.begin(), order.end()), order.size());

  int alone = 0;
#pragma omp parallel if (order.empty()) num_threads(4)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 10; ++i) alone += i;
#pragma omp barrier
#pragma omp single
    alone += 1000;
  }
  std::printf("alone %d\n", alone);

  long number = 0;
  int chain = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    number = fibonacci(12);
    for (int i = 0; i < 8; ++i) {
#pragma omp task depend(inout : chain) firstprivate(i)
      chain = 3 * chain + i;
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task shared(chain)
      ++chain;
    }
  }
  std::printf("tasks %ld %d\n", number, chain);

  omp_lock_t lock;
  omp_nest_lock_t nest;
  omp_init_lock(&lock);
  omp_init_nest_lock(&nest);
  int locked = 0, nested = 0, level = 0;
#pragma omp parallel num_threads(4)
  {
    omp_set_lock(&lock);
    ++locked;
    omp_unset_lock(&lock);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    ++nested;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
#pragma omp single
    level = omp_get_level();
  }
  omp_destroy_nest_lock(&nest);
  omp_destroy_lock(&lock);
  std::printf("locked %d %d level %d outside %d\n", locked, nested, level, omp_in_parallel());
}
