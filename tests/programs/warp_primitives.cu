// Warp shuffles in all four modes and with a width, 64-bit and float shuffles, votes, a reduction and a scan;
// a divergent half-warp with its own member mask.
#include "expect.h"

__global__ void shuffles(int* out) {
  const unsigned all = 0xffffffffu;
  int lane = threadIdx.x % 32, value = lane * lane + 5;
  int* row = out + threadIdx.x * 8;
  row[0] = __shfl_sync(all, value, (lane * 7) % 32);
  row[1] = __shfl_up_sync(all, value, 3);
  row[2] = __shfl_down_sync(all, value, 5);
  row[3] = __shfl_xor_sync(all, value, 9);
  row[4] = __shfl_sync(all, value, 2, 8);
  row[5] = __shfl_up_sync(all, value, 2, 16);
  row[6] = __shfl_down_sync(all, value, 1, 4);
  row[7] = __shfl_xor_sync(all, value, 4, 8);
}

__global__ void wide(double* reals, long long* integers) {
  int lane = threadIdx.x;
  reals[lane] = __shfl_xor_sync(0xffffffffu, lane * 1.0e100 + 0.5, 31);
  integers[lane] = __shfl_down_sync(0xffffffffu, lane * 10000000001ll, 16);
}

__global__ void votes(unsigned* out) {
  const unsigned all = 0xffffffffu;
  int i = threadIdx.x;
  out[i * 4] = __ballot_sync(all, i % 3 == 0);
  out[i * 4 + 1] = __any_sync(all, i == 40);
  out[i * 4 + 2] = __all_sync(all, i < 32);
  if (i % 32 < 16)
    out[i * 4 + 3] = __ballot_sync(0x0000ffffu, i % 2 == 0);
  else
    out[i * 4 + 3] = __ballot_sync(0xffff0000u, i % 4 == 0);
}

__global__ void reduce_and_scan(const int* in, int* sums, int* scans) {
  int lane = threadIdx.x % 32, sum = in[threadIdx.x], scan = sum;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
  for (int offset = 1; offset < 32; offset *= 2) {
    int below = __shfl_up_sync(0xffffffffu, scan, offset);
    if (lane >= offset) scan += below;
  }
  if (lane == 0) sums[threadIdx.x / 32] = sum;
  scans[threadIdx.x] = scan;
}

int value_of(int lane) { return lane * lane + 5; }

// The first lane of a warp takes a ticket for all; the others have not written what they pass.
template <class T>
__device__ T one_for_all(unsigned* taken) {
  T ticket;
  if (threadIdx.x % 32 == 0) ticket = static_cast<T>(atomicAdd(taken, 1u));
  return __shfl_sync(~0u, ticket, 0);
}
__global__ void tickets(unsigned* taken, unsigned* out) {
  out[threadIdx.x] = one_for_all<unsigned>(taken) + static_cast<unsigned>(one_for_all<double>(taken + 1)) +
                     static_cast<unsigned>(one_for_all<float>(taken + 2));
}

int main() {
  expect::Array<int> out(64 * 8);
  shuffles<<<1, 64>>>(out.device());
  CHECK_LAUNCH();
  out.fetch();
  for (int i = 0; i < 64; i++) {
    int lane = i % 32;
    const int sources[8] = {
        (lane * 7) % 32,  lane < 3 ? lane : lane - 3,      lane > 26 ? lane : lane + 5,     lane ^ 9,
        lane / 8 * 8 + 2, lane % 16 < 2 ? lane : lane - 2, lane % 4 == 3 ? lane : lane + 1, lane ^ 4};
    for (int k = 0; k < 8; k++)
      expect::equal("shuffle", i * 8 + k, out.host[i * 8 + k], value_of(sources[k]));
  }

  expect::Array<double> reals(32);
  expect::Array<long long> integers(32);
  wide<<<1, 32>>>(reals.device(), integers.device());
  CHECK_LAUNCH();
  reals.fetch();
  integers.fetch();
  for (int i = 0; i < 32; i++) {
    expect::equal("reals", i, reals.host[i], (31 - i) * 1.0e100 + 0.5);
    expect::equal("integers", i, integers.host[i], (i < 16 ? i + 16 : i) * 10000000001ll);
  }

  expect::Array<unsigned> ballots(64 * 4);
  votes<<<1, 64>>>(ballots.device());
  CHECK_LAUNCH();
  ballots.fetch();
  for (int i = 0; i < 64; i++) {
    unsigned thirds = 0;
    for (int lane = 0; lane < 32; lane++) thirds |= ((i / 32 * 32 + lane) % 3 == 0 ? 1u : 0u) << lane;
    expect::equal("ballot", i, ballots.host[i * 4], thirds);
    expect::equal("any", i, ballots.host[i * 4 + 1], i >= 32 ? 1u : 0u);
    expect::equal("all", i, ballots.host[i * 4 + 2], i < 32 ? 1u : 0u);
    expect::equal("half ballot", i, ballots.host[i * 4 + 3], i % 32 < 16 ? 0x00005555u : 0x11110000u);
  }

  std::vector<int> values(64);
  for (int i = 0; i < 64; i++) values[i] = i * 37 % 101 - 40;
  expect::Array<int> in(values), sums(2), scans(64);
  reduce_and_scan<<<1, 64>>>(in.device(), sums.device(), scans.device());
  CHECK_LAUNCH();
  sums.fetch();
  scans.fetch();
  for (int warp = 0, i = 0; warp < 2; warp++) {
    int sum = 0;
    for (int lane = 0; lane < 32; lane++, i++) {
      sum += values[i];
      expect::equal("scan", i, scans.host[i], sum);
    }
    expect::equal("sum", warp, sums.host[warp], sum);
  }

  expect::Array<unsigned> taken(3), shared(256);
  tickets<<<1, 256>>>(taken.device(), shared.device());
  CHECK_LAUNCH();
  taken.fetch();
  shared.fetch();
  for (int i = 0; i < 3; i++) expect::equal("tickets", i, taken.host[i], 8u);
  for (int i = 0; i < 256; i++) expect::equal("shared ticket", i, shared.host[i], shared.host[i / 32 * 32]);
  return expect::pass("warp_primitives");
}
