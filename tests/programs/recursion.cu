// Recursive device functions: one and two calls in a body, mutual, through pointers and virtual functions,
// with arrays and structures of their own in every activation; to another depth in every lane.
#include "expect.h"

__host__ __device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__host__ __device__ bool is_odd(unsigned n);
__host__ __device__ bool is_even(unsigned n) { return n == 0 || is_odd(n - 1); }
__host__ __device__ bool is_odd(unsigned n) { return n != 0 && is_even(n - 1); }

__host__ __device__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0) return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__host__ __device__ void quicksort(int* values, int first, int last) {
  if (first >= last) return;
  int pivot = values[(first + last) / 2], low = first, high = last;
  while (low <= high) {
    while (values[low] < pivot) low++;
    while (values[high] > pivot) high--;
    if (low > high) break;
    int kept = values[low];
    values[low++] = values[high];
    values[high--] = kept;
  }
  quicksort(values, first, high);
  quicksort(values, low, last);
}

struct Node {
  int left, right, value;
};
__host__ __device__ long long walk(const Node* nodes, int at, int depth) {
  if (at < 0) return 0;
  const Node node = nodes[at];
  return walk(nodes, node.left, depth + 1) + 3 * walk(nodes, node.right, depth + 1) + node.value * depth;
}

struct Digits {
  int digit[6];
  double weight;
};
// Every activation writes its own array, and reads it again after the inner ones have returned.
__host__ __device__ Digits permute(Digits digits, int n) {
  int own[6];
  for (int i = 0; i < 6; i++) own[i] = digits.digit[i] * (n + 1) + i;
  if (n > 0) {
    digits.digit[own[n] % 6] += n;
    digits.weight += n * 0.5;
    Digits inner = permute(digits, n - 1);
    for (int i = 0; i < 6; i++) digits.digit[i] = inner.digit[i] + own[(i * n) % 6] % 17;
    digits.weight = inner.weight * 0.75 + digits.weight;
  }
  return digits;
}

typedef int (*Step)(int, int);
__device__ int down(int n, int sum);
__device__ int jump(int n, int sum);
__device__ Step steps[2] = {down, jump};
__device__ __noinline__ int down(int n, int sum) { return n <= 0 ? sum : steps[n % 2](n - 1, sum + n); }
__device__ __noinline__ int jump(int n, int sum) {
  return n <= 0 ? sum - 1 : steps[n % 3 == 0](n - 2, 2 * sum);
}
int host_jump(int n, int sum);
int host_down(int n, int sum) {
  return n <= 0 ? sum : n % 2 ? host_jump(n - 1, sum + n) : host_down(n - 1, sum + n);
}
int host_jump(int n, int sum) {
  return n <= 0 ? sum - 1 : n % 3 == 0 ? host_jump(n - 2, 2 * sum) : host_down(n - 2, 2 * sum);
}

struct Expression {
  __device__ virtual int value(int x) const = 0;
};
struct Leaf : Expression {
  int factor;
  __device__ explicit Leaf(int f) : factor(f) {}
  __device__ int value(int x) const override { return factor * x; }
};
struct Sum : Expression {
  const Expression *a, *b;
  __device__ Sum(const Expression* l, const Expression* r) : a(l), b(r) {}
  __device__ int value(int x) const override { return a->value(x) + 2 * b->value(x + 1); }
};

__global__ void simple(int* fibonaccis, int* parities, unsigned* ackermanns) {
  int i = threadIdx.x;
  fibonaccis[i] = fibonacci(i % 11);
  __syncthreads();
  parities[i] = is_even(i % 14) + 2 * is_odd(fibonaccis[(i + 1) % blockDim.x] % 9);
  ackermanns[i] = i % 5 == 4 ? 0 : ackermann(i % 3, i % 4);
}
__global__ void sort(int* values, int each) {
  __shared__ int staged[32 * 16];
  int* own = &staged[threadIdx.x * each];
  for (int i = 0; i < each; i++) own[i] = values[threadIdx.x * each + i];
  quicksort(own, 0, each - 1);
  for (int i = 0; i < each; i++) values[threadIdx.x * each + i] = own[i];
  // Lanes that took different paths have met again.
  int least = own[0];
  for (int offset = 16; offset > 0; offset /= 2)
    least = min(least, __shfl_xor_sync(0xffffffffu, least, offset));
  if (threadIdx.x == 0) values[32 * each] = least;
}
__global__ void trees(const Node* nodes, int count, long long* out) {
  out[threadIdx.x] = walk(nodes, threadIdx.x % count, 1);
}
__global__ void digits(Digits* out) {
  Digits start;
  for (int i = 0; i < 6; i++) start.digit[i] = (threadIdx.x * 7 + i * 3) % 10;
  start.weight = threadIdx.x;
  out[threadIdx.x] = permute(start, threadIdx.x % 5);
}
__global__ void pointers(int* out) { out[threadIdx.x] = steps[threadIdx.x % 2](threadIdx.x % 12, 1); }
__global__ void expressions(int* out) {
  const Leaf one(1), three(3);
  const Sum inner(&one, &three), outer(&three, &inner), whole(&outer, &inner);
  const Expression* choices[4] = {&one, &inner, &outer, &whole};
  out[threadIdx.x] = choices[threadIdx.x % 4]->value(threadIdx.x);
}
__global__ void deep(unsigned* out, unsigned n) { out[threadIdx.x] = is_even(n + threadIdx.x) ? 7 : 9; }

int main() {
  expect::Array<int> fibonaccis(64), parities(64);
  expect::Array<unsigned> ackermanns(64);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  simple<<<1, 64>>>(fibonaccis.device(), parities.device(), ackermanns.device());
  CHECK_LAUNCH();
  fibonaccis.fetch();
  parities.fetch();
  ackermanns.fetch();
  for (int i = 0; i < 64; i++) {
    expect::equal("fibonacci", i, fibonaccis.host[i], fibonacci(i % 11));
    expect::equal("parity", i, parities.host[i],
                  is_even(i % 14) + 2 * is_odd(fibonacci((i + 1) % 64 % 11) % 9));
    expect::equal("ackermann", i, ackermanns.host[i], i % 5 == 4 ? 0 : ackermann(i % 3, i % 4));
  }

  constexpr int kEach = 16;
  std::vector<int> values(32 * kEach + 1), sorted;
  for (int i = 0; i < 32 * kEach; i++) values[i] = (i * 7919 + i / 3 * 104729) % 1009 - 300;
  sorted = values;
  expect::Array<int> unsorted(values);
  sort<<<1, 32>>>(unsorted.device(), kEach);
  CHECK_LAUNCH();
  unsorted.fetch();
  int least = sorted[0];
  for (int i = 0; i < 32; i++)
    quicksort(&sorted[i * kEach], 0, kEach - 1), least = std::min(least, sorted[i * kEach]);
  sorted[32 * kEach] = least;
  for (int i = 0; i <= 32 * kEach; i++) expect::equal("sorted", i, unsorted.host[i], sorted[i]);

  std::vector<Node> nodes(40);
  for (int i = 0; i < 40; i++)
    nodes[i] = {2 * i + 1 < 40 && i % 7 != 3 ? 2 * i + 1 : -1, i % 2 == 0 && i + 3 < 40 ? i + 3 : -1,
                i * 5 - 20};
  expect::Array<Node> tree(nodes);
  expect::Array<long long> sums(64);
  trees<<<1, 64>>>(tree.device(), 40, sums.device());
  CHECK_LAUNCH();
  sums.fetch();
  for (int i = 0; i < 64; i++) expect::equal("walk", i, sums.host[i], walk(nodes.data(), i % 40, 1));

  expect::Array<Digits> permuted(64);
  digits<<<1, 64>>>(permuted.device());
  CHECK_LAUNCH();
  permuted.fetch();
  for (int i = 0; i < 64; i++) {
    Digits start;
    for (int j = 0; j < 6; j++) start.digit[j] = (i * 7 + j * 3) % 10;
    start.weight = i;
    const Digits expected = permute(start, i % 5);
    for (int j = 0; j < 6; j++)
      expect::equal("digit", i * 6 + j, permuted.host[i].digit[j], expected.digit[j]);
    expect::equal("weight", i, permuted.host[i].weight, expected.weight);
  }

  expect::Array<int> out(64);
  pointers<<<1, 64>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++)
    expect::equal("pointers", i, out.host[i], i % 2 ? host_jump(i % 12, 1) : host_down(i % 12, 1));
  expressions<<<1, 64>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) {
    auto inner = [](int x) { return x + 2 * 3 * (x + 1); };
    auto outer = [&](int x) { return 3 * x + 2 * inner(x + 1); };
    expect::equal("expressions", i, out.host[i],
                  i % 4 == 0   ? i
                  : i % 4 == 1 ? inner(i)
                  : i % 4 == 2 ? outer(i)
                               : outer(i) + 2 * inner(i + 1));
  }

  expect::Array<unsigned> parity(32);
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 32768));
  deep<<<1, 32>>>(parity.device(), 500);
  CHECK_LAUNCH();
  parity.fetch();
  for (unsigned i = 0; i < 32; i++) expect::equal("deep", i, parity.host[i], i % 2 == 0 ? 7u : 9u);
  return expect::pass("recursion");
}
