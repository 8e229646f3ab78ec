// Stream-ordered allocation: values of programs that free before their kernels have run, reuse in a stream at
// once and across streams only when it is safe, what pools tell of themselves, and thresholds.
#include "expect.h"

constexpr int kCount = 4096;
constexpr size_t kBytes = kCount * sizeof(int);

__global__ void slow_fill(int* data, int value, int steps) {
  unsigned noise = threadIdx.x;
  for (int i = 0; i < steps; i++) noise = noise * 1664525u + 1013904223u;
  for (int i = threadIdx.x; i < kCount; i += blockDim.x)
    data[i] = value + (noise == 0x12345678u && steps == -1 ? 1 : 0);
}
__global__ void add(int* to, const int* from, int steps) {
  unsigned noise = threadIdx.x;
  for (int i = 0; i < steps; i++) noise = noise * 1664525u + 1013904223u;
  for (int i = threadIdx.x; i < kCount; i += blockDim.x)
    to[i] += from[i] + (noise == 0x12345678u && steps == -1 ? 1 : 0);
}

unsigned long long attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  unsigned long long value = 0;
  CHECK(cudaMemPoolGetAttribute(pool, which, &value));
  return value;
}

int* allocate(cudaStream_t stream) {
  int* p = nullptr;
  CHECK(cudaMallocAsync(reinterpret_cast<void**>(&p), kBytes, stream));
  return p;
}

// Freed while the kernels that use it have not run; another stream must not get it meanwhile.
void freed_early(cudaStream_t first, cudaStream_t second) {
  expect::Array<int> sums(kCount, 0), others(kCount, 0);
  for (int round = 0; round < 4; round++) {
    int* p = allocate(first);
    slow_fill<<<1, 128, 0, first>>>(p, 10 + round, 500);
    add<<<1, 128, 0, first>>>(sums.device(), p, 3000);
    CHECK(cudaFreeAsync(p, first));
    int* q = allocate(second);
    if (cudaStreamQuery(first) == cudaErrorNotReady) REQUIRE(q != p);
    slow_fill<<<1, 128, 0, second>>>(q, -1, 1);
    add<<<1, 128, 0, second>>>(others.device(), q, 1);
    CHECK(cudaFreeAsync(q, second));
  }
  CHECK(cudaDeviceSynchronize());
  sums.fetch();
  others.fetch();
  for (int i = 0; i < kCount; i++) {
    expect::equal("first stream", i, sums.host[i], 10 + 11 + 12 + 13);
    expect::equal("second stream", i, others.host[i], -4);
  }
}

void reuse(cudaMemPool_t pool, cudaStream_t first, cudaStream_t second) {
  unsigned long long keep = ~0ull;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  REQUIRE(attribute(pool, cudaMemPoolAttrReleaseThreshold) == keep);
  int* p = allocate(first);
  slow_fill<<<1, 128, 0, first>>>(p, 1, 3000);
  REQUIRE(attribute(pool, cudaMemPoolAttrUsedMemCurrent) >= kBytes);
  CHECK(cudaFreeAsync(p, first));
  REQUIRE(attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  REQUIRE(allocate(first) == p);
  CHECK(cudaFreeAsync(p, first));
  REQUIRE_STATUS(cudaFreeAsync(p, first), cudaErrorInvalidValue);
  CHECK(cudaStreamSynchronize(first));
  REQUIRE(allocate(second) == p);  // the free has passed
  CHECK(cudaFree(p));
  REQUIRE_STATUS(cudaFree(p), cudaErrorInvalidValue);
  REQUIRE(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= kBytes);
  REQUIRE(attribute(pool, cudaMemPoolAttrReservedMemHigh) >= kBytes);
  CHECK(cudaMemPoolTrimTo(pool, 0));
  REQUIRE(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0);

  keep = 0;
  CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
  p = allocate(first);
  CHECK(cudaFreeAsync(p, first));
  REQUIRE(attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= kBytes);
  CHECK(cudaStreamSynchronize(first));
  REQUIRE(attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
  cudaGetLastError();
}

void own_pool(cudaStream_t stream) {
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice;
  props.location.id = 0;
  props.maxSize = 4 << 20;
  cudaMemPool_t pool, current;
  CHECK(cudaMemPoolCreate(&pool, &props));
  int follow = -1;
  CHECK(cudaMemPoolGetAttribute(pool, cudaMemPoolReuseFollowEventDependencies, &follow));
  REQUIRE(follow == 1);
  int *p, *q;
  CHECK(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&p), kBytes, pool, stream));
  REQUIRE(attribute(pool, cudaMemPoolAttrUsedMemCurrent) >= kBytes);
  REQUIRE_STATUS(cudaMallocFromPoolAsync(reinterpret_cast<void**>(&q), 8 << 20, pool, stream),
                 cudaErrorMemoryAllocation);
  cudaGetLastError();
  CHECK(cudaDeviceSetMemPool(0, pool));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  REQUIRE(current == pool);
  cudaMemPool_t of_device, by_location;
  CHECK(cudaDeviceGetDefaultMemPool(&of_device, 0));
  CHECK(cudaMemGetDefaultMemPool(&by_location, &props.location, cudaMemAllocationTypePinned));
  REQUIRE(by_location == of_device);
  CHECK(cudaMemGetMemPool(&by_location, &props.location, cudaMemAllocationTypePinned));
  REQUIRE(by_location == pool);
  CHECK(cudaMemSetMemPool(&props.location, cudaMemAllocationTypePinned, of_device));
  CHECK(cudaMemGetMemPool(&by_location, &props.location, cudaMemAllocationTypePinned));
  REQUIRE(by_location == of_device);
  CHECK(cudaMemSetMemPool(&props.location, cudaMemAllocationTypePinned, pool));
  cudaMemLocation elsewhere{};
  elsewhere.type = cudaMemLocationTypeDevice;
  elsewhere.id = 1;
  REQUIRE_STATUS(cudaMemGetMemPool(&by_location, &elsewhere, cudaMemAllocationTypePinned),
                 cudaErrorInvalidDevice);
  elsewhere.type = cudaMemLocationTypeInvalid;
  REQUIRE_STATUS(cudaMemGetMemPool(&by_location, &elsewhere, cudaMemAllocationTypePinned),
                 cudaErrorInvalidValue);
  REQUIRE_STATUS(cudaMemGetMemPool(&by_location, nullptr, cudaMemAllocationTypePinned),
                 cudaErrorInvalidValue);
  elsewhere.type = cudaMemLocationTypeHost;
  REQUIRE_STATUS(cudaMemGetMemPool(&by_location, &elsewhere, cudaMemAllocationTypePinned),
                 cudaErrorNotSupported);
  cudaGetLastError();
  q = allocate(stream);
  slow_fill<<<1, 128, 0, stream>>>(q, 5, 1);
  CHECK(cudaMemcpyAsync(p, q, kBytes, cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaFreeAsync(q, stream));
  CHECK(cudaMemPoolDestroy(pool));  // what is used stays
  std::vector<int> host(kCount);
  CHECK(cudaMemcpyAsync(host.data(), p, kBytes, cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  for (int i = 0; i < kCount; i++) expect::equal("own pool", i, host[i], 5);
  CHECK(cudaFreeAsync(p, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaDeviceGetMemPool(&current, 0));
  REQUIRE(current != pool);
}

// More than the device has, but never at one time.
void more_than_there_is(cudaStream_t first, cudaStream_t second) {
  size_t free = 0, total = 0;
  CHECK(cudaMemGetInfo(&free, &total));
  const size_t most = free / 5 * 3;
  for (int round = 0; round < 4; round++) {
    int* p = nullptr;
    cudaStream_t stream = round % 2 ? second : first;
    CHECK(cudaMallocAsync(reinterpret_cast<void**>(&p), most, stream));
    slow_fill<<<1, 128, 0, stream>>>(p, round, 1000);
    CHECK(cudaFreeAsync(p, stream));
  }
  int *p = nullptr, *q = nullptr;
  CHECK(cudaMallocAsync(reinterpret_cast<void**>(&p), most, first));
  REQUIRE_STATUS(cudaMallocAsync(reinterpret_cast<void**>(&q), most, first), cudaErrorMemoryAllocation);
  cudaGetLastError();
  CHECK(cudaFreeAsync(p, first));
  // Memory of cudaMalloc may be freed in stream order as well.
  CHECK(cudaMalloc(reinterpret_cast<void**>(&q), kBytes));
  slow_fill<<<1, 128, 0, first>>>(q, 1, 1000);
  CHECK(cudaFreeAsync(q, first));
  CHECK(cudaDeviceSynchronize());
  size_t free_now = 0;
  CHECK(cudaMemGetInfo(&free_now, &total));
  REQUIRE(free_now == free);
}

int main() {
  int supported = 0;
  CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, 0));
  REQUIRE(supported == 1);
  cudaStream_t first, second;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaMemPool_t pool;
  CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
  freed_early(first, second);
  reuse(pool, first, second);
  own_pool(first);
  more_than_there_is(first, second);
  return expect::pass("memory_pools");
}
