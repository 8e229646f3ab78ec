#include "ptx/passes/system_functions.h"

namespace duet::ptx {

const SystemSignature* system_function(const std::string& name) {
  using F = SystemFunction;
  constexpr Type kWide = Type::U64, kWord = Type::U32;
  static const std::vector<SystemSignature> kFunctions = {
      {"vprintf", F::Vprintf, 2, {{0, 0, kWide}, {1, 0, kWide}}, kWord},
      {"__assertfail",
       F::AssertFail,
       5,
       {{0, 0, kWide}, {1, 0, kWide}, {2, 0, kWord}, {3, 0, kWide}, {4, 0, kWide}},
       Type::None},
      {"malloc", F::Malloc, 1, {{0, 0, kWide}}, kWide},
      {"free", F::Free, 1, {{0, 0, kWide}}, Type::None},
      {"__cudaCDP2GetParameterBufferV2",
       F::ParameterBuffer,
       4,
       {{0, 0, kWide},
        {1, 0, kWord},
        {1, 4, kWord, true},
        {1, 8, kWord},
        {2, 0, kWord},
        {2, 4, kWord, true},
        {2, 8, kWord},
        {3, 0, kWord, true}},
       kWide,
       false,
       false,
       true},
      {"__cudaCDP2LaunchDeviceV2",
       F::LaunchDevice,
       2,
       {{0, 0, kWide}, {1, 0, kWide}},
       kWord,
       false,
       false,
       true},
      {"__cudaCDP2StreamCreateWithFlags", F::StreamCreate, 2, {{1, 0, kWord}}, kWide, true, false, true},
      {"__cudaCDP2StreamDestroy", F::StreamDestroy, 1, {{0, 0, kWide}}, kWord, false, false, true},
      {"__cudaCDP2Malloc", F::Malloc, 2, {{1, 0, kWide}}, kWide, true, false, true},
      {"__cudaCDP2Free", F::Free, 1, {{0, 0, kWide}}, Type::None, false, true, true},
      {"__cudaCDP2MemcpyAsync",
       F::MemcpyAsync,
       5,
       {{0, 0, kWide}, {1, 0, kWide}, {2, 0, kWide}, {3, 0, kWord}, {4, 0, kWide}},
       kWord,
       false,
       false,
       true},
      {"__cudaCDP2GetLastError", F::GetLastError, 0, {}, kWord, false, false, true},
      {"__cudaCDP2PeekAtLastError", F::PeekAtLastError, 0, {}, kWord, false, false, true}};
  for (const auto& f : kFunctions)
    if (name == f.name) return &f;
  return nullptr;
}

}  // namespace duet::ptx
