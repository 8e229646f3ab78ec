// NVRTC's options as those of `duet cc` (CUDA's manual, "NVRTC", Supported Compile Options).
#pragma once

#include <deque>
#include <string>
#include <vector>

namespace duet::nvrtc {

struct Options {
  std::vector<std::string> flags;           // for `duet cc`
  std::string architecture = "compute_75";  // NVRTC's default
  bool default_device = false;              // functions without a mark are the device's
  bool source_folder = true;                // headers are looked for beside the source, too
  std::string error;  // a line that names the option which nobody knows; empty: all are known
};

// --gpu-architecture=compute_75, "-D N=4", "-I", "dir", ...: a value may stand in the next string.
Options read_options(int count, const char* const* options);

// The same options with PTX in place of machine code: -arch=sm_90 becomes -arch=compute_90. Nothing else
// changes; `pointers` are into the caller's strings or into `changed`.
struct PtxOptions {
  PtxOptions(int count, const char* const* options);
  PtxOptions(const PtxOptions&) = delete;
  PtxOptions& operator=(const PtxOptions&) = delete;
  bool names_a_gpu = false;
  std::vector<const char*> pointers;
  std::deque<std::string> changed;
};

// 50, 52, ...: what the compiler makes PTX for.
const std::vector<int>& architectures();

}  // namespace duet::nvrtc
