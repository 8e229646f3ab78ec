// Text on standard error. Unlike fmt::print() it throws nothing where the reader has gone.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace duet {

template <typename... T>
void say(fmt::format_string<T...> format, T&&... values) {
  std::fputs(fmt::format(format, std::forward<T>(values)...).c_str(), stderr);
}

}  // namespace duet
