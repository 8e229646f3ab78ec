// Parts of the explanation's text (text.cpp puts them together).
#pragma once

#include <string>

#include "explain/explanation.h"

namespace duet::explain {

std::string many(std::uint64_t count, const char* one);  // "3 blocks"
void heading(std::string& out, const char* title, const char* sections, const std::string& what);
void block_paths(std::string& out, const Explanation& explanation, const Launch& launch);
// `launch`: the followed one; null: none.
void schedule(std::string& out, const Explanation& explanation, const Launch* launch);
void data_movement(std::string& out, const Explanation& explanation, const Launch* launch);

}  // namespace duet::explain
