#include "machine/time_models/fast_forward.h"

#include <optional>
#include <regex>

#include "base/error.h"
#include "base/readable_name.h"
#include "machine/feature.h"
#include "machine/run_options.h"
#include "machine/time_models/fast_forwarded_gpu.h"

namespace duet::machine {

namespace {

std::optional<std::regex> expression_of(const std::string& kernels) try {
  return kernels.empty() ? std::nullopt : std::optional<std::regex>(kernels);
} catch (const std::regex_error& error) {
  throw Error("--kernels: '" + kernels + "' is no regular expression: " + error.what());
}

class FastForward final : public Feature {
 public:
  explicit FastForward(const FastForwardOptions& options)
      : options_(options), kernels_(expression_of(options.kernels)) {}

  const char* option() const override { return "--skip-kernels, --kernels and --count-kernels"; }
  void plan(MachinePlan& plan) override { plan_fast_forwarding(plan, nullptr, option()); }
  void attach(System& system, report::JournalWriter*) override {
    if (!system.functional()) gpu_.emplace(system);
  }
  // It counts the host's launches; what a kernel launches goes on as the kernel does.
  void grid_made(gpu::Grid& grid) override {
    if (grid.parent == nullptr) grid.fast_forward = skips(readable_name(grid.kernel->name));
  }
  void fast_forwards(const gpu::Grid& grid) override { gpu_->fast_forwards(grid); }
  void resumes() override { gpu_->resumes(); }

 private:
  // The next launch, of a kernel of this name.
  bool skips(const std::string& name) {
    if (kernels_ && !std::regex_search(name, *kernels_)) return true;
    const std::uint64_t number = matching_++;
    return number < options_.skip || (options_.count != 0 && number - options_.skip >= options_.count);
  }

  const FastForwardOptions options_;
  const std::optional<std::regex> kernels_;
  std::optional<FastForwardedGpu> gpu_;
  std::uint64_t matching_ = 0;
};

}  // namespace

void FastForwardOptions::check() const { static_cast<void>(expression_of(kernels)); }

void plan_fast_forwarding(MachinePlan& plan, gpu::BlockPolicy* policy, const char* option) {
  const config::FullEmpty& bits = plan.machine.gpu.full_empty;
  if (bits.granule_bytes != 0 && bits.tracked != "asked")
    throw Error(
        "fast-forwarded kernels know no full/empty bits: set gpu.full_empty.tracked = \"asked\", or leave "
        "out --skip-kernels, --kernels, --count-kernels and --sample");
  plan.decide(policy, option);
  plan.fast_forwards = !plan.functional;
  plan.no_full_empty =
      "fast-forwarded kernels know no full/empty bits, and this program has some: leave out --skip-kernels, "
      "--kernels, --count-kernels and --sample";
}

std::vector<OptionField> FastForwardOptions::fields() {
  return {{.key = "skip_kernels",
           .place = &skip,
           .word = "--skip-kernels",
           .text = "fast-forward the first N launches: right results and a simple time; the others are "
                   "simulated in time (docs/use/sample.md)",
           .type_name = "N"},
          {.key = "kernels",
           .place = &kernels,
           .word = "--kernels",
           .text = "simulate only kernels in time whose names this regular expression matches, anywhere; the "
                   "others are fast-forwarded, and --skip-kernels and --count-kernels do not count them",
           .type_name = "REGEX"},
          {.key = "count_kernels",
           .place = &count,
           .word = "--count-kernels",
           .text = "simulate so many launches in time; those behind them are fast-forwarded",
           .type_name = "N",
           .least = 1,
           .most = 0x1p62}};
}

std::unique_ptr<Feature> FastForwardOptions::feature(const RunOptions&) const {
  return any() ? std::make_unique<FastForward>(*this) : nullptr;
}

}  // namespace duet::machine
