// What the cache keeps of a compilation: its result, what the intermediate text says of kernels, and the
// files that it included, each with a hash: one that has changed since makes it void.
//
//   cache.keep(key, kept_form(compiled, intermediate, files_of_rule(rule, folder)));
//   if (const auto kept = cache.recall(key)) compiled = from_kept(*kept);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "opencl/compiler/compiler.h"

namespace duet::opencl {

// Behind its length: parts of a key, or of what is kept.
void add_part(std::string& text, std::string_view part);

std::string kept_form(const Compiled& compiled, const std::string& intermediate,
                      const std::vector<std::string>& files);
std::optional<Compiled> from_kept(std::string_view text);

// The files of a rule of make's, "device.ptx: a.cl inc/b\ c.h \", without those below `folder`.
std::vector<std::string> files_of_rule(const std::string& rule, const std::string& folder);

}  // namespace duet::opencl
