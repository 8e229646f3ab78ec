// CUDA's runtime inside a program: its functions become Duet's (static_runtime.cpp).
#pragma once

namespace duet::guard {

// Before the program's own constructors, which register its kernels. Nothing where there is no such runtime.
void redirect_static_runtimes();

}  // namespace duet::guard
