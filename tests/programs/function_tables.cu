// Function pointers wherever they may lie: tables in global and constant memory, structures, kernel arguments
// that the host has read from a symbol, memory that another kernel wrote, arguments of device functions.
#include "expect.h"

typedef int (*Operation)(int, int);
typedef float (*Curve)(float);
struct Vector {
  double x, y, z;
};
typedef Vector (*Motion)(Vector, float);
struct Entry {
  Operation function;
  int factor;
  char letter;
};

__device__ __noinline__ int add(int a, int b) { return a + b; }
__device__ __noinline__ int subtract(int a, int b) { return a - b; }
__device__ __noinline__ int power(int a, int b) {
  int result = 1;
  for (int i = 0; i < b % 5; i++) result *= a;
  return result;
}
__device__ __noinline__ float half_of(float x) { return x / 2; }
__device__ __noinline__ float square(float x) { return x * x; }
__device__ __noinline__ Vector shifted(Vector v, float by) { return {v.x + by, v.y, v.z - by}; }
__device__ __noinline__ Vector turned(Vector v, float by) { return {v.y * by, v.z * by, v.x * by}; }

__device__ Entry entries[4] = {{add, 1, 'a'}, {subtract, 10, 'b'}, {power, 100, 'c'}, {nullptr, 7, 'd'}};
__constant__ Operation constants[3] = {power, add, subtract};
__device__ Curve curve = square;
__device__ Motion motions[2] = {shifted, turned};
__device__ Operation written[64];

__device__ __noinline__ int fold(const int* values, int count, Operation operation) {
  int result = values[0];
  for (int i = 1; i < count; i++) result = operation(result, values[i]);
  return result;
}

__global__ void from_tables(int* out) {
  int i = threadIdx.x;
  const Entry& entry = entries[i % 4];
  int value = entry.function != nullptr ? entry.function(i, 3) * entry.factor : -entry.letter;
  out[i] = value + constants[i % 3](i, i % 7);
}
__global__ void from_argument(float* out, Curve given) {
  out[threadIdx.x] = given(threadIdx.x) + curve(3.0f);
}
__global__ void write(int seed) {
  written[threadIdx.x] = (threadIdx.x + seed) % 3 == 0   ? power
                         : (threadIdx.x + seed) % 3 == 1 ? add
                                                         : subtract;
}
__global__ void from_memory(int* out) {
  int values[4];
  for (int j = 0; j < 4; j++) values[j] = threadIdx.x + j;
  out[threadIdx.x] = fold(values, 4, written[threadIdx.x]);
}
__global__ void structures(Vector* out) {
  int i = threadIdx.x;
  Vector v = {i + 0.5, 2.0 * i, -3.0};
  for (int j = 0; j < i % 4; j++) v = motions[(i + j) % 2](v, j + 1.0f);
  out[i] = v;
}

int host_power(int a, int b) {
  int result = 1;
  for (int i = 0; i < b % 5; i++) result *= a;
  return result;
}
int host(int which, int a, int b) { return which == 0 ? host_power(a, b) : which == 1 ? a + b : a - b; }

int main() {
  constexpr int kCount = 64;
  expect::Array<int> out(kCount);
  from_tables<<<1, kCount>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < kCount; i++) {
    int entry = i % 4 == 0 ? i + 3 : i % 4 == 1 ? (i - 3) * 10 : i % 4 == 2 ? i * i * i * 100 : -'d';
    expect::equal("from_tables", i, out.host[i], entry + host(i % 3, i, i % 7));
  }

  expect::Array<float> curves(kCount);
  Curve given = nullptr;
  CHECK(cudaMemcpyFromSymbol(&given, curve, sizeof given));
  REQUIRE(given != nullptr);
  from_argument<<<1, kCount>>>(curves.device(), given);
  CHECK_LAUNCH();
  curves.fetch();
  for (int i = 0; i < kCount; i++) expect::equal("from_argument", i, curves.host[i], float(i * i + 9));

  write<<<1, kCount>>>(1);
  from_memory<<<1, kCount>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < kCount; i++) {
    int result = i;
    for (int j = 1; j < 4; j++) result = host((i + 1) % 3, result, i + j);
    expect::equal("from_memory", i, out.host[i], result);
  }

  expect::Array<Vector> vectors(kCount);
  structures<<<1, kCount>>>(vectors.device());
  CHECK_LAUNCH();
  vectors.fetch();
  for (int i = 0; i < kCount; i++) {
    Vector v = {i + 0.5, 2.0 * i, -3.0};
    for (int j = 0; j < i % 4; j++) {
      double by = j + 1.0f;
      v = (i + j) % 2 == 0 ? Vector{v.x + by, v.y, v.z - by} : Vector{v.y * by, v.z * by, v.x * by};
    }
    expect::equal("x", i, vectors.host[i].x, v.x);
    expect::equal("y", i, vectors.host[i].y, v.y);
    expect::equal("z", i, vectors.host[i].z, v.z);
  }
  return expect::pass("function_tables");
}
