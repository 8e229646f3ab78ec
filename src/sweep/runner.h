// Makes runs: here, or by Slurm. Each ends in the folder's finished/, whoever made it.
#pragma once

#include <memory>
#include <set>

#include "sweep/execution.h"

namespace duet::sweep {

// How often one command begins a run again that was ended from outside.
inline constexpr unsigned kAttempts = 3;

struct Progress {
  std::function<void(std::size_t done, std::size_t of)> show;
};

struct Outcome {
  int signal = 0;                     // the signal that ended the command before the runs were done
  std::vector<const Work*> given_up;  // ended from outside too often for this command
};

Outcome run_local(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
                  unsigned jobs, const Progress& progress);

struct SlurmOptions {
  unsigned at_once = 0;  // 0: no limit
  Strings words;         // for sbatch
};
Outcome run_slurm(const Folder& folder, const std::string& duet, const std::vector<const Work*>& works,
                  const SlurmOptions& options, const Progress& progress);
// Whether tasks of an earlier command wait or run there. Throws duet::Error where nobody can say.
bool slurm_goes_on(const Folder& folder);

}  // namespace duet::sweep
