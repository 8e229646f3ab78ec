// Thread block clusters of one block: directives, special registers, the cluster's barrier, addresses of
// shared memory in it; launched with its dimension as attribute. Larger ones are refused by name.
#include "driver_expect.h"
#include "expect.h"

static const char kModule[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry one(.param .u64 to) .explicitcluster .reqnctapercluster 1, 1, 1
{
  .reg .pred %p, %q;
  .reg .b32 %r<24>;
  .reg .b64 %d<9>;
  .shared .align 4 .b8 cells[512];
  ld.param.u64 %d1, [to];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mad.lo.u32 %r2, %r1, 128, %r0;
  mul.wide.u32 %d2, %r2, 4;
  add.u64 %d1, %d1, %d2;
  mov.u32 %r3, cells;
  shl.b32 %r4, %r0, 2;
  add.u32 %r3, %r3, %r4;
  mov.u32 %r5, %cluster_ctarank;
  mapa.shared::cluster.u32 %r6, %r3, %r5;
  st.shared::cluster.u32 [%r6], %r2;
  barrier.cluster.arrive.release.aligned;
  barrier.cluster.wait.acquire.aligned;
  mov.u32 %r7, %nclusterid.x;
  mov.u32 %r8, %clusterid.x;
  mad.lo.u32 %r9, %r7, 1000, %r8;
  mov.u32 %r10, %cluster_nctaid.x;
  mov.u32 %r11, %cluster_nctarank;
  mov.u32 %r12, %cluster_ctaid.y;
  add.u32 %r10, %r10, %r11;
  add.u32 %r10, %r10, %r12;
  mov.pred %p, %is_explicit_cluster;
  selp.u32 %r13, 8, 0, %p;
  mov.u32 %r14, cells;
  cvta.shared.u64 %d3, cells;
  mapa.u64 %d4, %d3, %r5;
  getctarank.u64 %r15, %d4;
  getctarank.shared::cluster.u32 %r16, %r14;
  isspacep.shared::cluster %q, %d4;
  selp.u32 %r17, 16, 0, %q;
  sub.u32 %r18, 508, %r4;
  cvt.u64.u32 %d5, %r18;
  add.u64 %d4, %d4, %d5;
  ld.u32 %r19, [%d4];
  add.u32 %r20, %r10, %r13;
  add.u32 %r20, %r20, %r15;
  add.u32 %r20, %r20, %r16;
  add.u32 %r20, %r20, %r17;
  mad.lo.u32 %r20, %r20, 100000, %r9;
  mad.lo.u32 %r20, %r19, 10000000, %r20;
  st.global.u32 [%d1], %r20;
  ret;
}
// Warp 0 arrives and goes on to wake warp 1, which has not arrived; then it arrives by lanes.
.visible .entry split(.param .u64 to)
{
  .reg .pred %p, %q;
  .reg .b32 %r<24>;
  .reg .b64 %d<9>;
  .shared .align 4 .u32 flag;
  .shared .align 4 .u32 second;
  ld.param.u64 %d1, [to];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %d2, %r0, 4;
  add.u64 %d1, %d1, %d2;
  setp.eq.u32 %p, %r0, 0;
  @%p st.shared.u32 [flag], 0;
  @%p st.shared.u32 [second], 0;
  bar.sync 0;
  setp.ge.u32 %p, %r0, 32;
  @%p bra LATE;
  barrier.cluster.arrive.aligned;
  st.volatile.shared.u32 [flag], 1;
  barrier.cluster.wait.aligned;
  ld.volatile.shared.u32 %r1, [second];
  bra.uni JOIN;
LATE:
  ld.volatile.shared.u32 %r2, [flag];
  setp.eq.u32 %q, %r2, 0;
  @%q bra LATE;
  st.volatile.shared.u32 [second], 21;
  barrier.cluster.arrive.relaxed.aligned;
  barrier.cluster.wait.aligned;
  mov.u32 %r1, 21;
JOIN:
  and.b32 %r3, %r0, 1;
  setp.eq.u32 %p, %r3, 0;
  @%p bra EVEN;
  add.u32 %r1, %r1, 1;
  barrier.cluster.arrive;
  barrier.cluster.wait;
  bra.uni DONE;
EVEN:
  add.u32 %r1, %r1, 2;
  barrier.cluster.arrive;
  barrier.cluster.wait;
DONE:
  setp.lt.u32 %p, %r0, 96;
  barrier.cluster.arrive;
  @!%p bra LEAVE;
  barrier.cluster.wait;
  add.u32 %r1, %r1, 100;
LEAVE:
  st.global.u32 [%d1], %r1;
  ret;
}
.visible .entry two(.param .u64 to) .reqnctapercluster 2, 1, 1 { ret; }
)";

static __global__ void plain(int* to) { to[blockIdx.x] = static_cast<int>(blockIdx.x) + 3; }

static cudaError_t launch_in_clusters(int* to, unsigned blocks) {
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(4);
  config.blockDim = dim3(1);
  config.attrs = &attribute;
  config.numAttrs = 1;
  void* arguments[] = {&to};
  return cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(plain), arguments);
}

static int refused(CUmodule module) {
  expect::Array<int> blocks(4);
  REQUIRE_STATUS(launch_in_clusters(blocks.device(), 2), cudaErrorNotSupported);
  CUfunction function;
  CU(cuModuleGetFunction(&function, module, "two"));
  int* to = blocks.device();
  void* parameters[] = {&to};
  CU_STATUS(cuLaunchKernel(function, 2, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr),
            CUDA_ERROR_NOT_SUPPORTED);
  return 0;
}

int main(int count, char**) {
  constexpr unsigned kBlocks = 3, kThreads = 128;
  expect::Array<unsigned> out(kBlocks * kThreads);
  CUmodule module;
  CU(cuModuleLoadData(&module, kModule));
  CUfunction function;
  if (count > 1) return refused(module);
  CU(cuModuleGetFunction(&function, module, "one"));
  unsigned* to = out.device();
  void* parameters[] = {&to};
  CU(cuLaunchKernel(function, kBlocks, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  out.fetch();
  for (unsigned i = 0; i < kBlocks * kThreads; i++) {
    const unsigned block = i / kThreads, other = block * kThreads + (kThreads - 1 - i % kThreads);
    expect::equal("one", i, out.host[i], other * 10000000u + 26 * 100000 + kBlocks * 1000 + block);
  }

  CU(cuModuleGetFunction(&function, module, "split"));
  CU(cuLaunchKernel(function, 1, 1, 1, kThreads, 1, 1, 0, nullptr, parameters, nullptr));
  out.fetch();
  for (unsigned i = 0; i < kThreads; i++)
    expect::equal("split", i, out.host[i], 21 + (i % 2 ? 1 : 2) + (i < 96 ? 100u : 0u));

  expect::Array<int> blocks(4);
  CHECK(launch_in_clusters(blocks.device(), 1));
  blocks.fetch();
  for (int i = 0; i < 4; i++) expect::equal("block", i, blocks.host[i], i + 3);
  puts("PASS single_block_clusters");
}
