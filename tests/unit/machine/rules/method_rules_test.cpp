// Rows of [[method]] that cannot be are refused by a line that names the key.
#include "machine/rules/method_rules.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace duet::machine {
namespace {

std::string method_refusal(const std::string& set, const char* machine = "gtx580") {
  try {
    check_methods(config::load_machine(machine, DUET_SOURCE_DIRECTORY "/machines", {set}));
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(MethodRules, NameTheKey) {
  struct Wrong {
    const char *set, *line;
  };
  for (
      const Wrong& wrong :
      {Wrong{
           "method[1].name=host alloc",
           "--set: method[1].name = \"host alloc\" cannot be: a method's name is its own, of letters, digits "
           "and '-', as hostalloc"},
       {"method[1].name=device",
        "--set: method[1].name = \"device\" cannot be: a method's name is its own, of letters, digits and "
        "'-', "
        "as hostalloc"},
       {"method[1].calls=cudaHostAlloc malloc",
        "--set: method[1].calls = \"cudaHostAlloc malloc\" names 'malloc', which allocates no memory: known "
        "are "
        "cudaMalloc, cudaHostAlloc, cudaHostAllocWriteCombined, cudaMallocManaged, cudaHostRegister, "
        "duetSharedAlloc, clSVMAlloc, clSVMAllocFineGrain, clSVMAllocAtomics, hsaCoarseGrained, "
        "hsaFineGrained"},
       {"method[1].calls=cudaHostAllocWriteCombined cudaHostAlloc",
        "--set: method[2].calls = \"cudaHostAllocWriteCombined\" names cudaHostAllocWriteCombined, as mapped "
        "does"},
       {"method[0].cpu=uncached",
        "--set: method[0].cpu = \"uncached\" must be \"none\": the host does not reach memory of cudaMalloc"},
       {"method[1].cpu=none",
        "--set: method[1].cpu = \"none\" cannot be: the host reaches memory of cudaHostAlloc"},
       {"method[1].cpu=uncached",
        "--set: method[1].cpu = \"uncached\" must be \"write-back\": cudaHostRegister is given the program's "
        "own "
        "pages"},
       {"method[0].route=link",
        "--set: method[0].route = \"link\" must be \"memory\": cudaMalloc gives the GPU's own"},
       {"method[2].route=memory",
        "--set: method[2].route = \"memory\" must be \"link\": memory of cudaHostAllocWriteCombined lies in "
        "the "
        "host's DRAM, and there is no [memory_fabric]"},
       {"method[1].gpu_l2=true",
        "--set: method[1].gpu_l2 = true cannot be with method[1].route = \"link\": no cache of the GPU holds "
        "what comes across the link where there is no [memory_fabric]"},
       {"method[1].gpu_l1=true",
        "--set: method[1].gpu_l1 = true cannot be with method[1].route = \"link\" and method[1].gpu_l2 = "
        "false: L2 is before the link"}}) {
    std::string line = method_refusal(wrong.set);
    if (const auto at = line.find("gtx580.toml"); at != std::string::npos)
      line = "--set" + line.substr(line.find(": ", at));
    EXPECT_EQ(line, wrong.line);
  }
  for (const char* const right :
       {"method[1].coalesced=false", "method[2].cpu=write-back", "method[0].gpu_l2=false",
        "method[0].calls=", "method[1].calls=cudaMallocManaged"})
    EXPECT_EQ(method_refusal(right), "");
}

// What the driver does with caches, on a machine on which it has to.
TEST(MethodRules, OfMaintenanceNameTheKey) {
  struct Wrong {
    const char *set, *end, *machine = "tk1";
  };
  for (const Wrong& wrong :
       {Wrong{"method[3].at_launch=clean-cpu flush",
              "method[3].at_launch = \"clean-cpu flush\" has the word 'flush': known are clean-cpu, "
              "invalidate-cpu, clean-gpu, invalidate-gpu, whole"},
        {"method[3].at_end=clean-cpu",
         "method[3].at_end = \"clean-cpu\" cannot have 'clean-cpu': no core is told of a kernel's end"},
        {"method[4].unsafe=false",
         "method[4].unsafe = false must be true: caches of both sides may hold it, and nothing at copies, "
         "launches and synchronizations keeps them right"},
        {"method[1].at_end=",
         "method[1].unsafe = false must be true: L2 may hold it, and it is not given up (invalidate-gpu) at "
         "launches and written back (clean-gpu) at their end or at synchronizations",
         "kaveri"}}) {
    const std::string line = method_refusal(wrong.set, wrong.machine);
    EXPECT_EQ(line.substr(std::min(line.size(), line.find("method["))), wrong.end);
  }
  for (const char* const right :
       {"method[3].at_end=clean-gpu invalidate-gpu whole", "method[1].route=link", "method[3].route=link",
        "method[1].cpu=write-back", "method[1].gpu_l2=true", "method[2].gpu_l2=true"})
    EXPECT_EQ(method_refusal(right, "tk1"), "") << right;
}

TEST(MethodRules, OneMethodForAllIsOneOfTheMachines) {
  const auto refused = [](const char* machine, const char* name) -> std::string {
    try {
      check_method(config::load_machine(machine, DUET_SOURCE_DIRECTORY "/machines", {}).machine, name);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refused("tk1", ""), "");
  EXPECT_EQ(refused("tk1", "hostalloc-cache"), "");
  EXPECT_EQ(refused("tk1", "hostaloc"),
            "--method hostaloc: tk1 has default, hostalloc, hostalloc-cache, managed, sharedalloc");
  EXPECT_EQ(refused("gtx580", "managed"), "--method managed: gtx580 has device, mapped, write-combined");
}

}  // namespace
}  // namespace duet::machine
