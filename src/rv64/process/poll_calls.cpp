// System calls that wait for files: ppoll and pselect6. A pipe of the program has its own state; every other
// file counts as ready always, as a regular one is, so a run does not depend on the time of the host's input.
#include <poll.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <span>
#include <vector>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {

// Begins such a call: its limit of time, at `timeout`, and its mask, at `mask`; 0: without. It comes here
// again when it was woken.
std::int64_t SystemCalls::begin_poll(std::uint64_t timeout, std::uint64_t mask) {
  Thread& thread = threads_.current();
  if (thread.progress.began) return 0;
  if (timeout != 0) {
    Timespec limit;
    if (!get(timeout, limit)) return -EFAULT;
    const auto time = nanoseconds_of(limit);
    if (!time) return -EINVAL;
    thread.progress.deadline = now() + *time;
  }
  if (mask != 0) {
    std::uint64_t wanted = 0;
    if (!get(mask, wanted)) return -EFAULT;
    thread.saved_mask = thread.mask;
    thread.mask = wanted & ~kNeverBlocked;
  }
  thread.progress.began = true;
  return 0;
}

short SystemCalls::poll_now(std::int64_t descriptor, short events) {
  const auto file = files_.find(static_cast<std::uint64_t>(descriptor));
  if (file == nullptr) return POLLNVAL;
  if (!file->is_pipe) return static_cast<short>(events & (POLLIN | POLLOUT | POLLRDNORM | POLLWRNORM));
  pollfd host{file->host, events, 0};
  ::poll(&host, 1, 0);
  return host.revents;
}

// kAgainLater where none of these is ready and time is left; otherwise `ready`.
std::int64_t SystemCalls::end_poll(std::int64_t ready, const std::vector<pollfd>& files,
                                   std::uint64_t timeout) {
  Thread& thread = threads_.current();
  const auto deadline = thread.progress.deadline;
  if (ready == 0 && (!deadline || *deadline > now())) {
    Thread::Wait wait;
    wait.repeats = true;
    wait.deadline = deadline;
    wait.remaining = timeout;
    for (const pollfd& file : files) {
      const auto open = files_.find(static_cast<std::uint32_t>(file.fd));
      if (file.fd >= 0 && open != nullptr && open->is_pipe) wait.files.push_back({open->host, file.events});
    }
    threads_.wait(wait);
    return kAgainLater;
  }
  if (deadline) put(timeout, timespec_of(std::max<std::int64_t>(0, *deadline - now())));
  if (thread.saved_mask) thread.mask = *thread.saved_mask;
  thread.saved_mask.reset();
  return ready;
}

std::int64_t SystemCalls::ppoll(const Arguments& a) {
  if (a[1] > 1024 || (a[3] != 0 && a[4] != sizeof(std::uint64_t))) return -EINVAL;
  std::vector<pollfd> files(a[1]);
  if (space_.memory().read(VirtualAddress(a[0]), std::as_writable_bytes(std::span(files)))) return -EFAULT;
  if (const std::int64_t error = begin_poll(a[2], a[3])) return error;
  std::int64_t ready = 0;
  for (pollfd& file : files) {
    file.revents = file.fd < 0 ? short{0} : poll_now(file.fd, file.events);
    ready += file.revents != 0;
  }
  const std::int64_t answer = end_poll(ready, files, a[2]);
  if (answer < 0) return answer;
  return space_.memory().write(VirtualAddress(a[0]), std::as_bytes(std::span(files))) ? -EFAULT : answer;
}

std::int64_t SystemCalls::pselect6(const Arguments& a) {
  constexpr std::uint64_t kMost = 1024, kBits = 64;
  const auto count = static_cast<std::int32_t>(a[0]);
  if (count < 0) return -EINVAL;
  const std::uint64_t words = (std::min<std::uint64_t>(a[0], kMost) + kBits - 1) / kBits;
  std::vector<std::uint64_t> sets[3];  // to read, to write, exceptions
  for (unsigned i = 0; i < 3; ++i) {
    sets[i].resize(words);
    if (a[i + 1] != 0 &&
        space_.memory().read(VirtualAddress(a[i + 1]), std::as_writable_bytes(std::span(sets[i]))))
      return -EFAULT;
  }
  struct {
    std::uint64_t address = 0, bytes = sizeof(std::uint64_t);
  } mask;
  if (a[5] != 0 && !get(a[5], mask)) return -EFAULT;
  if (mask.address != 0 && mask.bytes != sizeof(std::uint64_t)) return -EINVAL;
  std::vector<pollfd> files;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(a[0], kMost); ++i) {
    const auto is_in = [&](unsigned set) { return (sets[set][i / kBits] >> i % kBits & 1) != 0; };
    if (!is_in(0) && !is_in(1) && !is_in(2)) continue;
    if (files_.host(i) < 0) return -EBADF;
    files.push_back(
        {static_cast<int>(i), static_cast<short>((is_in(0) ? POLLIN : 0) | (is_in(1) ? POLLOUT : 0)), 0});
  }
  if (const std::int64_t error = begin_poll(a[4], mask.address)) return error;
  std::vector<std::uint64_t> found[3];
  for (auto& set : found) set.resize(words);
  std::int64_t ready = 0;
  for (const pollfd& file : files) {
    const short events = poll_now(file.fd, file.events);
    const std::uint64_t word = static_cast<std::uint64_t>(file.fd) / kBits;
    const std::uint64_t bit = std::uint64_t{1} << static_cast<std::uint64_t>(file.fd) % kBits;
    if ((file.events & POLLIN) != 0 && (events & (POLLIN | POLLHUP | POLLERR)) != 0)
      found[0][word] |= bit, ++ready;
    if ((file.events & POLLOUT) != 0 && (events & (POLLOUT | POLLERR)) != 0) found[1][word] |= bit, ++ready;
  }
  const std::int64_t answer = end_poll(ready, files, a[4]);
  if (answer < 0) return answer;
  for (unsigned i = 0; i < 3; ++i)
    if (a[i + 1] != 0 && space_.memory().write(VirtualAddress(a[i + 1]), std::as_bytes(std::span(found[i]))))
      return -EFAULT;
  return answer;
}

}  // namespace duet::rv64
