#include "core/managed_guard.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>

#include "core/runtime.h"
#include "memory/two_views.h"
#include "process/access_fault.h"

namespace duet::core {

namespace {

const ManagedGuard* guard = nullptr;  // the first one to allocate; set once

}  // namespace

ManagedGuard::ManagedGuard(Runtime& runtime) : runtime_(runtime) {}

void ManagedGuard::add(VirtualAddress base, Range range) {
  if (guard == nullptr) {
    guard = this;
    process::explain_faults_by([](VirtualAddress address, char* text, std::size_t size) {
      return guard->explain(address, text, size);
    });
  }
  range.number = ++allocations_;
  apply(base, ranges_[base] = range);
}

void ManagedGuard::watch(void* first, Bytes bytes) {
  Range range;
  range.bytes = bytes;
  add(duet::virtual_address(first), range);
}

std::byte* ManagedGuard::allocate(Bytes bytes, std::byte*& backing) {
  const memory::TwoViews views = memory::map_two_views("managed", bytes);
  if (views.program == nullptr) return nullptr;
  backing = views.simulator;
  Range range;
  range.backing = backing;
  range.bytes = bytes;
  add(duet::virtual_address(views.program), range);
  return views.program;
}

void ManagedGuard::attach(VirtualAddress base, Attachment attachment, driver::StreamId stream) {
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return;
  found->second.attachment = attachment;
  found->second.stream = stream;
  apply(base, found->second);
}

bool ManagedGuard::release(VirtualAddress base) {
  const auto found = ranges_.find(base);
  if (found == ranges_.end()) return false;
  if (found->second.backing == nullptr) {
    if (found->second.is_protected) hide(base, found->second.bytes, false);
    ranges_.erase(found);
    return false;
  }
  memory::unmap({static_cast<std::byte*>(duet::pointer_of(base)), found->second.backing},
                found->second.bytes);
  ranges_.erase(found);
  return true;
}

std::byte* ManagedGuard::backing(const std::byte* host) const {
  const auto address = duet::virtual_address(host);
  const auto after = ranges_.upper_bound(address);
  if (after != ranges_.begin()) {
    const auto& [base, range] = *std::prev(after);
    if (address - base < range.bytes) return range.backing + (address - base);
  }
  return const_cast<std::byte*>(host);
}

// The latest of a stream stands for earlier ones.
void ManagedGuard::launched(driver::CommandId id, driver::StreamId stream, const std::string& kernel) {
  // What is launched while a host function is at work is taken to be behind it.
  std::vector<Running>& some = host_functions_ != 0 ? queued_ : running_;
  std::erase_if(some, [&](const Running& one) { return one.stream == stream; });
  some.push_back({id, stream, kernel});
  apply();
}

void ManagedGuard::around_host_function(const std::function<void()>& function) {
  host_function_begins();
  function();
  host_function_ended();
}

void ManagedGuard::host_function_begins() {
  if (host_functions_++ != 0) return;
  bool busy = false;
  runtime_.driver().for_each_running_kernel([&](const driver::CommandRecord&) { busy = true; });
  if (!busy) queued_.swap(running_);
  apply();
}

void ManagedGuard::host_function_ended() {
  if (--host_functions_ != 0) return;
  running_.insert(running_.begin(), queued_.begin(), queued_.end());
  queued_.clear();
  apply();
}

void ManagedGuard::synchronized() {
  if (running_.empty() && queued_.empty()) return;
  for (std::vector<Running>* const some : {&running_, &queued_})
    std::erase_if(*some, [&](const Running& one) { return runtime_.driver().has_completed(one.id); });
  apply();
}

const ManagedGuard::Running* ManagedGuard::user_of(const Range& range) const {
  if (range.attachment == Attachment::Host) return nullptr;
  const bool single = range.attachment == Attachment::Single;
  const auto user = std::find_if(running_.begin(), running_.end(),
                                 [&](const Running& one) { return !single || one.stream == range.stream; });
  return user == running_.end() ? nullptr : &*user;
}

void ManagedGuard::hide(VirtualAddress base, Bytes bytes, bool hidden) {
  if (process::ProgramSide* const side = runtime_.program().side())
    side->hide(duet::pointer_of(base), bytes, hidden);
  else
    mprotect(duet::pointer_of(base), bytes, hidden ? PROT_NONE : PROT_READ | PROT_WRITE);
}

void ManagedGuard::apply(VirtualAddress base, Range& range) {
  const bool wanted = user_of(range) != nullptr;
  if (wanted == range.is_protected) return;
  hide(base, range.bytes, wanted);
  range.is_protected = wanted;
}

void ManagedGuard::apply() {
  for (auto& [base, range] : ranges_) apply(base, range);
}

bool ManagedGuard::explain(VirtualAddress address, char* text, std::size_t bytes) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return false;
  const auto& [base, range] = *std::prev(after);
  if (address - base >= range.bytes || !range.is_protected) return false;
  const Running* user = user_of(range);
  std::snprintf(
      text, bytes,
      "duet: the program touches managed memory at %#llx (byte %llu of allocation %zu of managed memory) "
      "while kernel '%s' may run, and %s has no concurrent access: synchronize before, attach the memory "
      "to a stream or the host (%s), or set gpu.concurrent_managed_access = true\n",
      static_cast<unsigned long long>(address.value()), static_cast<unsigned long long>(address - base),
      range.number, user != nullptr ? user->kernel.c_str() : "?", runtime_.config().gpu.name.c_str(),
      runtime_.words().attach_call);
  return true;
}

}  // namespace duet::core
