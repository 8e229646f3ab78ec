// Lines on standard error about what the machine is too small for: each is said, and said once.
#include "core/notes.h"

#include "unit/runtime/cuda/runtime_rig.h"

namespace duet::core {
namespace {

class Notes : public cuda::RuntimeTest {
 protected:
  template <typename Act>
  static std::string said(Act&& act) {
    testing::internal::CaptureStderr();
    act();
    return testing::internal::GetCapturedStderr();
  }
};

TEST_F(Notes, AFailedLaunchIsToldOncePerKernelAndReason) {
  ptx::Kernel first, second;
  first.name = "first";
  second.name = "second";
  const auto fails = [&](const ptx::Kernel& kernel, const std::string& reason) {
    return said([&] {
      const Status status = launch_fails(session().core(), kernel, Reason::InvalidConfiguration, reason);
      EXPECT_EQ(status.reason, Reason::InvalidConfiguration);
      EXPECT_EQ(status.text, reason);
    });
  };
  EXPECT_EQ(fails(first, "too many threads"),
            "duet: kernel 'first' is not launched (cudaErrorInvalidConfiguration): too many threads (machine "
            "gtx580)\n");
  EXPECT_EQ(fails(first, "too many threads"), "");
  EXPECT_NE(fails(first, "too few threads"), "");
  EXPECT_NE(fails(second, "too many threads"), "");
}

TEST_F(Notes, AnAllocationThatDoesNotFitIsToldOnceWithItsKey) {
  const Bytes too_much = session().space().device_bytes_free() + 1;
  const auto allocate = [&](Bytes bytes) {
    return said([&] { EXPECT_EQ(allocate_device(session().core(), bytes), nullptr); });
  };
  const std::string text = allocate(too_much);
  EXPECT_NE(text.find(std::to_string(too_much) + " bytes fails (cudaErrorMemoryAllocation)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("gpu.dram.bytes of machine gtx580"), std::string::npos) << text;
  EXPECT_EQ(allocate(too_much + 1), "");
}

TEST_F(Notes, AnAllocationThatFitsSaysNothing) {
  EXPECT_EQ(said([&] { EXPECT_NE(allocate_device(session().core(), 1), nullptr); }), "");
}

}  // namespace
}  // namespace duet::core
