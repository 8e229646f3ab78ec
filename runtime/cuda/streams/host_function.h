// A host function in a stream: it runs in simulated time and must not call CUDA; its calls are refused.
#pragma once

#include <functional>

#include "cuda/session/session.h"
#include "process/program_side.h"

namespace duet::cuda {

// `there` is `here`'s function in a program outside this process; called when the stream gets there.
driver::Command host_function_command(Session& session, std::function<void()> here,
                                      std::function<process::ProgramSide::Function()> there);
driver::Command host_function_command(Session& session, cudaHostFn_t function, void* data);

}  // namespace duet::cuda
