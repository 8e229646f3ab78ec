// Modules that a program loads while it runs: PTX text or a fat binary, from memory or from a file. A module
// of the driver interface, a library of either interface and the result of cuLinkComplete are the same thing.
// Left out: machine code, and giving back the memory of variables when a module is unloaded.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "cuda/session/session.h"

struct CUctx_st;

struct CUmod_st {
  duet::cuda::Image* image = nullptr;
  CUctx_st* context = nullptr;
};

namespace duet::cuda {

using Module = CUmod_st;

// The PTX text of cuModuleLoadData's argument: text with a final zero, a fat binary, or its wrapper. Throws
// duet::Error with one line when there is none in it, core::MachineCodeOnly where machine code is.
std::string ptx_of_image(Session& session, const void* image, const std::string& name);
// The same of `bytes` bytes.
std::string ptx_of_bytes(Session& session, const void* image, std::size_t bytes, const std::string& name);

// The device's, as 10 * major + minor.
unsigned compute_capability(Session& session);

// A failed load has a text, for cuModuleLoadDataEx and cuLinkCreate; standard error gets it as well. No
// kernel of the module gets more than `most_registers` a thread.
core::Status load_module(Session& session, ThreadState& thread, const void* image, Module** module,
                         std::uint32_t most_registers = ~0u);
core::Status load_module_file(Session& session, ThreadState& thread, const char* path, Module** module);
void unload_module(Session& session, Module* module);
void unload_modules_of(Session& session, const CUctx_st* context);
bool valid_module(const Module* module);
// The module of a function from one; null otherwise.
Module* module_of(const Image* image);

}  // namespace duet::cuda
