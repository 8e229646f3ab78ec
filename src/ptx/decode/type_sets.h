// Common sets of types of PTX instructions.
#pragma once

#include "ptx/decode/opcode_table.h"

namespace duet::ptx {

inline constexpr TypeSet k32{Type::U32, Type::S32}, k64{Type::U64, Type::S64};
inline constexpr TypeSet kIntegers = TypeSet{Type::U16, Type::S16} | k32 | k64;
inline constexpr TypeSet kIntegerPairs{Type::U16x2, Type::S16x2};
inline constexpr TypeSet kSigned32{Type::S32}, kSigned{Type::S16, Type::S32, Type::S64};
inline constexpr TypeSet kBits32{Type::B32}, kBits32Or64{Type::B32, Type::B64};
inline constexpr TypeSet kBits{Type::B16, Type::B32, Type::B64};
inline constexpr TypeSet kPredicate{Type::Pred};
inline constexpr TypeSet kSingle{Type::F32}, kFloats{Type::F32, Type::F64}, kSinglePairs{Type::F32x2};
inline constexpr TypeSet kHalves{Type::F16, Type::F16x2};
inline constexpr TypeSet kAllHalves = kHalves | TypeSet{Type::BF16, Type::BF16x2};
inline constexpr TypeSet kAllFloats = kFloats | kAllHalves | kSinglePairs;

}  // namespace duet::ptx
