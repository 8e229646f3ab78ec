// Pinned memory, watched while a command that the host has not waited for may write it: the program's pages
// are closed, and its first touch opens them and is told.
//   pages.allocate(bytes, whole, backing);                    // two views (memory/two_views.h)
//   pages.written_by(command, address, bytes);                // an asynchronous copy to the host
//   pages.touched(address, 1, {writes})                       // from the handler of SIGSEGV; false: it is
//   not watched
// By CUDA's order and not by time: pages open again when the host learns that the command is complete
// (driver/command_order.h). Left out: memory that the program has registered; writes of kernels; a page with
// bytes that the command leaves alone. A system call on closed pages answers EFAULT.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "driver/driver.h"
#include "memory/two_views.h"

namespace duet::machine {

struct Touch {
  bool writes = false;
  bool in_call = false;        // by a call of the API, which reads its arguments
  const void* from = nullptr;  // the instruction, in a handler of its signal
};

class HostPages {
 public:
  // Called for the program's first touch of what a command may still be writing.
  using Told = std::function<void(driver::CommandId, VirtualAddress, const Touch&)>;
  HostPages(driver::Driver& driver, Told told);
  HostPages(const HostPages&) = delete;

  // The program's view of `bytes` bytes in `whole` bytes of pages; null where there are no more.
  std::byte* allocate(Bytes bytes, Bytes whole, std::byte*& backing);
  // False when it was not allocated here.
  bool release(VirtualAddress base);
  // The simulator's place of a byte; null when it is none of these.
  std::byte* backing(const std::byte* host) const;

  void written_by(driver::CommandId id, VirtualAddress first, Bytes bytes);
  // Somebody touches memory, which is open then. False: it is not watched.
  bool touched(VirtualAddress first, Bytes bytes, const Touch& touch);
  // A host function in a stream comes behind commands of which the host has not learnt.
  void around_host_function(const std::function<void()>& function);
  // Nothing is closed any more: the child of a fork makes no calls, and nobody is told of it.
  void open_all();

 private:
  struct Range {
    memory::TwoViews views;
    Bytes bytes = 0, whole = 0;
  };
  struct Closed {
    driver::CommandId id;
    VirtualAddress first;
    Bytes bytes;  // whole pages
  };
  using Ranges = std::map<VirtualAddress, Range>;
  Ranges::const_iterator range_of(VirtualAddress address) const;
  template <typename F>
  void open_if(const F& f);

  driver::Driver& driver_;
  const Told told_;
  Ranges ranges_;
  std::vector<Closed> closed_;
};

}  // namespace duet::machine
