// NVIDIA's NVRTC where this machine has it.
#pragma once

namespace duet::nvrtc {

// The address of the function in libnvrtc.so.MAJOR of a folder of LD_LIBRARY_PATH, of the loader's cache
// (ldconfig) or of /usr/local/cuda/lib64, looked for once; null when there is none but Duet's, and with
// DUET_NVRTC=own in the environment.
void* installed_function(int major, const char* name);

// The same with the type of Duet's own function.
template <typename Function>
Function* installed(Function* /*own*/, int major, const char* name) {
  return reinterpret_cast<Function*>(installed_function(major, name));
}

}  // namespace duet::nvrtc
