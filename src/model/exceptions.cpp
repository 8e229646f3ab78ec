#include "model/exceptions.h"

namespace duet::model {

const std::vector<Exception>& exceptions() {
  static const std::vector<Exception> kAll = {
      {"PE_D", Rule::Locality,
       "data transfer engines and LSU arrays reach the memory of the level above: a move is asked which "
       "engine makes "
       "it, and not where its data lies",
       "hu2016, section 2.5: the exception of hardware components that break the locality rule"},
      {"push buffer", Rule::Locality,
       "the task buffer of level 1 that holds the host's script is software and lies in host memory: the "
       "GigaThread "
       "engine fetches it over the link, and its order is asked about when it is decoded",
       "hu2016, section 3.2: an exception of the component unit"},
      {"global atomics", Rule::Locality,
       "blocks meet in global memory at the L2 slices, which perform atomics: accesses of instances are not "
       "events, "
       "and duet run --check races looks at them instead",
       "hu2016, section 3.5 (atomic operation in the L2); section 3.2 has inter-block interaction not "
       "allowed"},
      {"grid synchronization", Rule::Locality,
       "blocks of a cooperative kernel meet in global memory: all of them are dispatched before one ends, "
       "which the "
       "places and resources of the SMs have to allow",
       "not in hu2016; section 3.1 has kernel-scoped blocks independent"},
      {"full/empty bits between streams", Rule::InPosition,
       "a kernel may start before its data is there, and waits for it word by word: the copy is in another "
       "stream, so "
       "no order is asked for; a copy in the kernel's own stream has to have ended",
       "not in hu2016; lustig2013, section 4"},
      {"full/empty bits at a kernel's end", Rule::Atomicity,
       "a launch may move (change bits) behind its blocks: the group ends when these moves have, not when "
       "WaitRefCnt "
       "has",
       "not in hu2016; lustig2013, section 4"},
      {"cache maintenance before a kernel", Rule::Atomicity,
       "where caches of cores and GPU are not coherent a launch may move (write back or give up lines of L2) "
       "before its blocks, and behind them: the group begins with the first of these moves, and its blocks "
       "wait for them",
       "not in hu2016; dashti2017, section 3"},
      {"programmatic launches", Rule::Synchronization,
       "a kernel that may overlap the one before it does not: Duet starts it when that has ended, so the "
       "rule is asked "
       "as of any other",
       "not in hu2016"},
      {"host functions", Rule::Synchronization,
       "they run above the GPU, and when they end only the host is told: like records of events and waits "
       "for them "
       "they pass on what they come after",
       "hu2016, section 3: heterogeneous computation is beyond the scope of the article"},
      {"instructions", Rule::Fifo,
       "the instructions of a warp are not told one by one: all of them are one group, from the warp's "
       "launch to its "
       "last instruction, and their number is not compared",
       "hu2016, section 3.4: a warp is a logical channel"},
      {"warps without time", Rule::Capacity,
       "with --functional, and of fast-forwarded kernels, no warp is told of: level 0 is not asked about",
       "not in hu2016"},
      {"blocks on cores", Rule::Locality,
       "blocks that cores execute (--cpu-blocks) are not told of: --check model refuses such runs",
       "hu2016, section 3: general-purpose computation is undertaken by the GPU"},
      {"faults", Rule::Synchronization,
       "behind the first fault blocks are dropped and commands skipped: groups may end without all of their "
       "instances",
       "not in hu2016"},
      {"kernels from kernels", Rule::Locality,
       "the work distributor's recursive workload: a kernel that a kernel launches reaches it beside "
       "channels and "
       "stream queues, its blocks and warps are told under a number of its own and are not followed; its "
       "parent ends after it",
       "hu2016, section 3.2"}};
  return kAll;
}

}  // namespace duet::model
