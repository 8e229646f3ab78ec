// The runtime library inside a test: its session on a machine of `machines/`, as `duet run` would start it,
// and PTX kernels to keep that machine busy. CTest runs every test in a process of its own, so each one meets
// a session that nobody has used.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/loader.h"
#include "cuda/session/session.h"
#include "machine/run_options.h"

namespace duet::cuda {

class RuntimeTest : public testing::Test {
 protected:
  explicit RuntimeTest(const std::string& machine = "gtx580") {
    std::string folder = testing::TempDir() + "duet-runtime-XXXXXX";
    EXPECT_NE(mkdtemp(folder.data()), nullptr);
    const std::string machines = std::string(DUET_SOURCE_DIRECTORY) + "/machines";
    std::ofstream(folder + "/machine.toml")
        << config::to_toml(config::load_machine(machine, machines).values);
    std::ofstream(folder + "/run_options.json") << machine::to_text({});
    setenv("DUET_JOURNAL", folder.c_str(), 1);
    session_ = &Session::get();
    std::filesystem::remove_all(folder);  // the journal stays mapped
    EXPECT_EQ(cudaFree(nullptr), cudaSuccess);
  }

  Session& session() { return *session_; }
  static cudaStream_t stream(unsigned flags = cudaStreamDefault) {
    cudaStream_t made = nullptr;
    EXPECT_EQ(cudaStreamCreateWithFlags(&made, flags), cudaSuccess);
    return made;
  }
  // A kernel of one thread that takes some tens of microseconds.
  static void launch_slow_kernel(cudaStream_t stream) {
    static const char* const ptx = R"(.version 7.0
.target sm_20
.address_size 64
.visible .entry slow() {
.reg .pred %p<2>;
.reg .b32 %r<3>;
mov.u32 %r1, 0;
again:
add.u32 %r1, %r1, 1;
setp.lt.u32 %p1, %r1, 2000;
@%p1 bra again;
ret;
}
)";
    CUmodule module = nullptr;
    CUfunction function = nullptr;
    ASSERT_EQ(cuModuleLoadData(&module, ptx), CUDA_SUCCESS);
    ASSERT_EQ(cuModuleGetFunction(&function, module, "slow"), CUDA_SUCCESS);
    ASSERT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr), CUDA_SUCCESS);
  }

 private:
  Session* session_;
};

}  // namespace duet::cuda
