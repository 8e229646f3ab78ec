// System calls for reading and writing files, with their waits.
#include <poll.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <vector>

#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

constexpr std::uint64_t kTransferBytes = 64_KiB;  // at once
constexpr std::uint64_t kMostBytes = 0x7ffff000;  // in one call, as Linux
constexpr std::int64_t kHere = -1;                // an offset: where the file stands

bool is_regular(int host) {
  struct stat found;
  return ::fstat(host, &found) == 0 && S_ISREG(found.st_mode);
}

ssize_t transfer_once(bool write, int host, std::span<std::byte> part, std::int64_t offset) {
  ssize_t count = 0;
  do {
    count = write ? (offset == kHere ? ::write(host, part.data(), part.size())
                                     : ::pwrite(host, part.data(), part.size(), offset))
                  : (offset == kHere ? ::read(host, part.data(), part.size())
                                     : ::pread(host, part.data(), part.size(), offset));
  } while (count < 0 && errno == EINTR);
  return count;
}

}  // namespace

// How many bytes could be copied between the buffer and the guest's places, from `skipped` bytes behind their
// beginning on.
std::uint64_t SystemCalls::copy_parts(bool to_guest, std::span<const Part> parts, std::uint64_t skipped,
                                      std::span<std::byte> buffer) {
  std::uint64_t copied = 0;
  for (const Part& part : parts) {
    if (skipped >= part.bytes) {
      skipped -= part.bytes;
      continue;
    }
    const auto span = buffer.subspan(copied, std::min(part.bytes - skipped, buffer.size() - copied));
    // By pages: bytes before a fault count.
    for (std::uint64_t done = 0; done < span.size();) {
      const std::uint64_t address = part.address + skipped + done;
      const auto piece =
          span.subspan(done, std::min<std::uint64_t>(span.size() - done, kPageBytes - address % kPageBytes));
      Memory& memory = space_.memory();
      if (to_guest ? memory.write(VirtualAddress(address), piece)
                   : memory.read(VirtualAddress(address), piece))
        return copied + done;
      done += piece.size();
    }
    copied += span.size();
    skipped = 0;
    if (copied == buffer.size()) break;
  }
  return copied;
}

// A piece at a time. Bytes before an error count, as in Linux.
std::int64_t SystemCalls::transfer(bool write, std::uint64_t descriptor, std::span<const Part> parts,
                                   std::int64_t offset) {
  const int host = files_.host(descriptor);
  if (host < 0) return host;
  std::uint64_t total = 0;
  for (const Part& part : parts) {
    if (part.bytes > static_cast<std::uint64_t>(INT64_MAX) - total) return -EINVAL;
    total += part.bytes;
  }
  total = std::min(total, kMostBytes);
  Thread& thread = threads_.current();
  std::uint64_t& done = thread.progress.done;  // a call goes on from there after a wait
  const auto ends = [&done](std::int64_t error) {
    return done != 0 ? static_cast<std::int64_t>(done) : error;
  };
  mappings_.write_back_file(host);
  std::vector<std::byte> buffer(std::min(total, kTransferBytes));
  do {
    auto piece = std::span(buffer).first(std::min<std::uint64_t>(total - done, buffer.size()));
    if (write) {
      const std::uint64_t there = copy_parts(false, parts, done, piece);
      if (there == 0 && !piece.empty()) return ends(-EFAULT);
      piece = piece.first(there);
    }
    const ssize_t count =
        transfer_once(write, host, piece, offset == kHere ? kHere : offset + static_cast<std::int64_t>(done));
    if (count < 0) {
      const std::int64_t error = -errno;
      if (error == -EPIPE && write) send(&thread, from_this_process(SIGPIPE, SI_USER));
      if (error != -EAGAIN || (done != 0 && !write)) return ends(error);
      const std::int64_t answer = wait_for_file(descriptor, write ? POLLOUT : POLLIN);
      return answer == kAgainLater ? answer : ends(answer);
    }
    const auto bytes = static_cast<std::uint64_t>(count);
    if (!write) {
      const std::uint64_t there = copy_parts(true, parts, done, piece.first(bytes));
      done += there;
      if (there < bytes) return ends(-EFAULT);
      if (bytes < piece.size() || !is_regular(host)) break;
    } else {
      done += bytes;
      mappings_.read_again(host);
      if (bytes < piece.size() && !files_.may_wait(descriptor)) break;
    }
    if (bytes == 0) break;
  } while (done < total);
  return static_cast<std::int64_t>(done);
}

std::int64_t SystemCalls::transfer_vector(bool write, const Arguments& a, std::int64_t offset) {
  if (files_.host(a[0]) < 0) return -EBADF;
  if (a[2] > IOV_MAX) return -EINVAL;
  std::vector<Part> parts(a[2]);
  if (space_.memory().read(VirtualAddress(a[1]), std::as_writable_bytes(std::span(parts)))) return -EFAULT;
  return transfer(write, a[0], parts, offset);
}

std::int64_t SystemCalls::read(const Arguments& a) {
  const Part part{a[1], a[2]};
  return transfer(false, a[0], {&part, 1}, kHere);
}
std::int64_t SystemCalls::write(const Arguments& a) {
  const Part part{a[1], a[2]};
  return transfer(true, a[0], {&part, 1}, kHere);
}
std::int64_t SystemCalls::readv(const Arguments& a) { return transfer_vector(false, a, kHere); }
std::int64_t SystemCalls::writev(const Arguments& a) { return transfer_vector(true, a, kHere); }
std::int64_t SystemCalls::pread64(const Arguments& a) {
  const Part part{a[1], a[2]};
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer(false, a[0], {&part, 1}, offset);
}
std::int64_t SystemCalls::pwrite64(const Arguments& a) {
  const Part part{a[1], a[2]};
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer(true, a[0], {&part, 1}, offset);
}
std::int64_t SystemCalls::preadv(const Arguments& a) {
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer_vector(false, a, offset);
}
std::int64_t SystemCalls::pwritev(const Arguments& a) {
  const auto offset = static_cast<std::int64_t>(a[3]);
  return offset < 0 ? -EINVAL : transfer_vector(true, a, offset);
}

}  // namespace duet::rv64
