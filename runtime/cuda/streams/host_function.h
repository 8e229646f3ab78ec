// A host function in a stream: it runs in simulated time and must not call CUDA; its calls are refused.
#pragma once

#include <functional>

#include "cuda/session/session.h"

namespace duet::cuda {

driver::Command host_function_command(Session& session, std::function<void()> function);

}  // namespace duet::cuda
