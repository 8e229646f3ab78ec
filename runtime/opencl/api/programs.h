// What the calls for programs do once their arguments are right: from source or binary to a loaded image.
//
//   made->source = ...;
//   if (const cl_int error = compile(session, *made, "-DN=4", {}); error != CL_SUCCESS) return error;
//   link(session, *executable, "", {made});     // both have the status, the log and the type of binary
//
// A binary is PTX (an executable) or bitcode (an object, a library) behind a line that says which, and
// whether groups may be partial.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "opencl/session/session.h"

namespace duet::opencl::api {

// From its source; from an object or a library; or from PTX, which is only loaded.
cl_int build(Session& session, _cl_program& program, const std::string& options);
// Its source to an object.
cl_int compile(Session& session, _cl_program& program, const std::string& options,
               std::vector<std::pair<std::string, std::string>> headers);
bool is_linkable(const _cl_program& program);
// An executable, or a library, of programs that are linkable.
cl_int link(Session& session, _cl_program& program, const std::string& options,
            const std::vector<cl_program>& inputs);

// The kernel in a form whose grids may be parts of the work, made on first use: programs without partial
// groups take a grid for the whole. Null where there is none, which standard error says.
core::Function* function_for_parts(Session& session, _cl_kernel& kernel);

// Empty: there is none yet.
std::string binary_of(const _cl_program& program);
// False: it is no binary. PTX by other compilers is one.
bool take_binary(_cl_program& program, std::string_view binary);

}  // namespace duet::opencl::api
