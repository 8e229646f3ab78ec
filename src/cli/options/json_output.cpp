#include "cli/options/json_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/file.h"
#include "cli/usage.h"

namespace duet::cli {

namespace {

constexpr int kAboveStandardStreams = 3;

void write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) throw Error(fmt::format("--json -: cannot write: {}", std::strerror(errno)));
    done += static_cast<std::size_t>(count);
  }
}

}  // namespace

JsonOutput::JsonOutput(std::string path, Rest rest) : path_(std::move(path)) {
  std::error_code ignored;
  if (wanted() && std::filesystem::is_regular_file(path_, ignored) && access(path_.c_str(), X_OK) == 0)
    throw UsageError(
        fmt::format("--json takes a file, and {0} is a program: write --json - for standard output", path_));
  if (!on_standard_output()) return;
  std::fflush(stdout);
  output_ = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, kAboveStandardStreams);
  const int other = rest == Rest::StandardError ? STDERR_FILENO : open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (output_ < 0 || other < 0 || dup2(other, STDOUT_FILENO) < 0)
    throw Error(fmt::format("--json -: {}", std::strerror(errno)));
  if (other != STDERR_FILENO) close(other);
}

JsonOutput::~JsonOutput() {
  if (output_ < 0) return;
  std::fflush(stdout);
  dup2(output_, STDOUT_FILENO);
  close(output_);
}

void JsonOutput::write(const std::string& text) const {
  if (!wanted()) return;
  const std::string whole = text.ends_with('\n') ? text : text + "\n";
  if (on_standard_output())
    write_all(output_, whole);
  else
    write_file(path_, whole);
}

void JsonOutput::write(const std::vector<std::string>& texts) const {
  if (texts.size() == 1) return write(texts[0]);
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "[" : ",\n") + text;
  write(all.empty() ? "null" : all + "]");
}

CLI::Option* add_json_option(CLI::App& app, std::string& place, const std::string& what) {
  return app
      .add_option(
          "--json", place,
          "write " + what + " as JSON to this file; -: to standard output, which then has nothing else")
      ->type_name("FILE|-");
}

}  // namespace duet::cli
