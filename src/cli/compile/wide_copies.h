// Copies of whole vectors in device code. clang leaves `to[i] = from[i]` of float4 to its code generator as a
// copy of bytes, and that one knows no access wider than 64 bits: two loads and two stores, each of every
// second word, where nvcc makes one of four words each.
//
//   with_wide_copies("  call void @llvm.memcpy.p0.p0.i64(ptr align 16 %a, ptr align 16 %b, i64 16, i1
//   false)\n")
//   == "  %wide0 = load <4 x i32>, ptr %b, align 16\n"
//      "  store <4 x i32> %wide0, ptr %a, align 16\n"
#pragma once

#include <string>

namespace duet::cli {

// LLVM's text of a module, with copies of up to 128 bytes between places aligned to 16 as vectors. Others,
// and volatile ones, stay.
std::string with_wide_copies(const std::string& ir);

}  // namespace duet::cli
