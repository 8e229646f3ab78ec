#include "machine/time_models/fast_forward.h"

#include "base/error.h"

namespace duet::machine {

FastForward::FastForward(const Options& options) : options_(options) {
  if (options.kernels.empty()) return;
  try {
    kernels_.emplace(options.kernels);
  } catch (const std::regex_error& error) {
    throw Error("--kernels: '" + options.kernels + "' is no regular expression: " + error.what());
  }
}

void FastForward::check(const config::Gpu& gpu) {
  if (gpu.full_empty.granule_bytes != 0 && gpu.full_empty.tracked != "asked")
    throw Error(
        "fast-forwarded kernels know no full/empty bits: set gpu.full_empty.tracked = \"asked\", or leave "
        "out "
        "--skip-kernels, --kernels, --count-kernels and --sample");
}

bool FastForward::next(const std::string& name) {
  if (kernels_ && !std::regex_search(name, *kernels_)) return true;
  const std::uint64_t number = matching_++;
  return number < options_.skip || (options_.count != 0 && number - options_.skip >= options_.count);
}

}  // namespace duet::machine
