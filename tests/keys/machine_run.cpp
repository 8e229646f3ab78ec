#include "keys/machine_run.h"

#include <cuda_runtime_api.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "config/loader.h"
#include "cuda/session/session.h"
#include "machine/rules/value_rules.h"
#include "machine/run_options.h"

namespace duet::keys {

namespace {

constexpr char kEndOfPart = '\1';

// Where the runtime library finds its machine; removed with the object.
class Folder {
 public:
  Folder(const std::string& machine, const std::vector<std::string>& sets, bool functional) {
    const config::ResolvedMachine resolved =
        config::load_machine(machine, DUET_SOURCE_DIRECTORY "/machines", sets);
    machine::check_values(resolved, functional);
    const std::string text = config::to_toml(resolved.values);
    const char* const temporary = std::getenv("TMPDIR");
    path_ = std::string(temporary != nullptr ? temporary : "/tmp") + "/duet-keys-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for temporary files");
    std::ofstream(path_ + "/machine.toml") << text;
    machine::RunOptions options;
    options.functional = functional;
    std::ofstream(path_ + "/run_options.json") << machine::to_text(options);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void tell_properties(Told& told) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  const auto* bytes = reinterpret_cast<const unsigned char*>(&properties);
  std::ostringstream text;
  for (std::size_t i = 0; i < sizeof properties; ++i) text << static_cast<int>(bytes[i]) << ' ';
  for (int attribute = 1; attribute < cudaDevAttrMax; ++attribute) {
    int value = 0;
    cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(attribute), 0);
    text << value << ' ';
  }
  std::size_t free = 0, total = 0;
  cudaMemGetInfo(&free, &total);
  text << free << ' ' << total;
  told.say(text.str());
}

std::string statistics_text(cuda::Session& session) {
  sim::Statistics& statistics = session.process().system().statistics();
  const sim::Statistics::Values values = statistics.totals();
  std::ostringstream text;
  text << "clock " << session.thread().host->clock() << '\n';
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0) text << statistics.declared()[i].name << ' ' << values[i] << '\n';
  return text.str();
}

// The child's side.
std::string seen(const Folder& folder, Workload workload) {
  setenv("DUET_JOURNAL", folder.path().c_str(), 1);
  cuda::Session& session = cuda::Session::get();
  Told told;
  workload(told);
  const std::string time = told.clocks() + statistics_text(session);
  tell_properties(told);
  return time + kEndOfPart + told.text() + kEndOfPart;
}

}  // namespace

void Told::note_clock() { clocks_ += std::to_string(cuda::Session::get().thread().host->clock()) + '\n'; }

Outcome run(const std::string& machine, const std::vector<std::string>& sets, bool functional,
            Workload workload) {
  std::unique_ptr<Folder> folder;
  try {
    folder = std::make_unique<Folder>(machine, sets, functional);
  } catch (const std::exception& error) {
    return {{}, {}, error.what()};
  }
  int answer[2], errors[2];
  if (pipe(answer) != 0 || pipe(errors) != 0) return {{}, {}, "no pipe"};
  const pid_t child = fork();
  if (child == 0) {
    close(answer[0]);
    dup2(errors[1], STDERR_FILENO);
    const std::string text = seen(*folder, workload);
    std::size_t sent = 0;
    while (sent < text.size()) {
      const ssize_t bytes = write(answer[1], text.data() + sent, text.size() - sent);
      if (bytes <= 0) break;
      sent += static_cast<std::size_t>(bytes);
    }
    _exit(0);
  }
  close(answer[1]);
  close(errors[1]);
  const auto all_of = [](int file) {
    std::string text;
    char part[65536];
    for (ssize_t bytes; (bytes = read(file, part, sizeof part)) > 0;)
      text.append(part, static_cast<std::size_t>(bytes));
    close(file);
    return text;
  };
  const std::string text = all_of(answer[0]), lines = all_of(errors[0]);
  int status = 0;
  waitpid(child, &status, 0);
  const std::size_t first = text.find(kEndOfPart), second = text.find(kEndOfPart, first + 1);
  if (second == std::string::npos)
    return {{}, {}, lines.empty() ? "ended with status " + std::to_string(status) : lines};
  return {text.substr(0, first), text.substr(first + 1, second - first - 1), {}};
}

}  // namespace duet::keys
