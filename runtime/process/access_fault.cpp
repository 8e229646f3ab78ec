#include "process/access_fault.h"

#include <dlfcn.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "machine/watch/host_pages.h"
#include "process/program.h"

namespace duet::process {

namespace {

Program* watched = nullptr;
FaultExplainer api_explainer = nullptr;
struct sigaction before;
__attribute__((tls_model("initial-exec"))) thread_local const HostAccess* current = nullptr;

unsigned long long number(std::uint64_t value) { return value; }

const char* verb(const void* context) {
#ifdef __x86_64__
  constexpr greg_t kWrite = 2;  // of the processor's error code
  return (static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_ERR] & kWrite) != 0 ? "writes"
                                                                                             : "reads";
#else
  return "touches";
#endif
}

const void* instruction([[maybe_unused]] const void* context) {
#ifdef __x86_64__
  const auto at = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP];
  return pointer_of(VirtualAddress(static_cast<std::uint64_t>(at)));
#else
  return nullptr;
#endif
}

bool explain_copy(const siginfo_t& info, char* text, std::size_t bytes) {
  const VirtualAddress address = virtual_address(info.si_addr);
  if (current == nullptr || address - current->first >= current->bytes) return false;
  std::snprintf(text, bytes,
                "duet: %s %s %llu bytes of host memory at %#llx, but byte %llu (%#llx) may not be %s: %s: "
                "check the pointer and the size\n",
                current->call, current->writes ? "writes" : "reads", number(current->bytes),
                number(current->first.value()), number(address - current->first), number(address.value()),
                current->writes ? "written" : "read",
                info.si_code == SEGV_ACCERR ? "its pages forbid it" : "nothing is mapped there");
  return true;
}

// Nothing here allocates: the program may have been inside malloc.
bool explain_device(const memory::AddressSpace& space, VirtualAddress address, const char* does, char* text,
                    std::size_t bytes) {
  if (!space.in_device_region(address)) return false;
  const memory::Allocation* nearest = space.nearest(address);
  char place[200] = "where nothing is allocated any more";
  if (nearest != nullptr) {
    const bool ahead = address < nearest->base;
    const Bytes offset = ahead ? nearest->base - address : address - nearest->base;
    const bool inside = !ahead && offset < nearest->bytes;
    const bool by_call = nearest->call != nullptr;
    std::snprintf(place, sizeof place, "%s%llu%s %s #%u (%llu bytes at %#llx)", inside ? "byte " : "",
                  number(ahead || inside ? offset : offset - nearest->bytes),
                  inside  ? " of"
                  : ahead ? " bytes before"
                          : " bytes past the end of",
                  by_call ? nearest->call : memory::allocation_kind_name(nearest->kind),
                  by_call ? nearest->call_number : nearest->id, number(nearest->bytes),
                  number(nearest->base.value()));
  }
  std::snprintf(text, bytes,
                "duet: the host program %s %#llx, which is device memory, %s: only kernels and copies reach "
                "it: copy it with cudaMemcpy, or allocate it with cudaMallocManaged\n",
                does, number(address.value()), place);
  return true;
}

// Another thread may be changing the allocations. It is given a second.
bool lock(std::unique_lock<std::recursive_mutex>& lock) {
  for (int i = 0; i < 100; ++i) {
    if (lock = watched->try_lock(); lock.owns_lock()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void explain(const siginfo_t& info, const void* context) {
  char text[700];
  if (!explain_copy(info, text, sizeof text)) {
    std::unique_lock<std::recursive_mutex> guard;
    if (!lock(guard)) return;
    const VirtualAddress address = virtual_address(info.si_addr);
    if ((api_explainer == nullptr || !api_explainer(address, text, sizeof text)) &&
        !explain_device(watched->space(), address, verb(context), text, sizeof text))
      return;
  }
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) return;
}

bool in_call() {
  const Thread* const thread = Program::known_thread();
  return thread != nullptr && thread->calls_inside != 0;
}

// Memory that a check has closed to the program (machine/watch/host_pages.h): open then. Its touches are
// outside of malloc, so that a finding may be written.
bool opens(const siginfo_t& info, const void* context) {
  machine::HostPages* const pages = watched->machine().host_pages();
  if (pages == nullptr) return false;
  const auto guard = watched->lock();
  const bool writes = std::strcmp(verb(context), "writes") == 0;
  return pages->touched(virtual_address(info.si_addr), 1, {writes, in_call(), instruction(context)});
}

// The program is about to hand bytes of its memory to Linux (guard/system_calls.cpp).
void use_memory(const void* first, std::size_t bytes, int writes) {
  if (Program::forked()) return;  // nobody may give the lock back there
  const auto guard = watched->lock();
  watched->machine().host_pages()->touched(virtual_address(first), bytes, {writes != 0, in_call()});
}

// Returning runs the instruction again.
void on_fault(int signal, siginfo_t* info, void* context) {
  const bool by_an_instruction = info->si_code > 0;
  if (info->si_code == SEGV_ACCERR && opens(*info, context)) return;
  if (by_an_instruction) explain(*info, context);
  if ((before.sa_flags & SA_SIGINFO) != 0) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  if (!by_an_instruction && before.sa_handler == SIG_IGN) return;
  sigaction(signal, &before, nullptr);
  if (!by_an_instruction) raise(signal);
}

}  // namespace

void watch_faults(Program& program) {
  watched = &program;
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &before);
  using Tell = void (*)(void (*)(const void*, std::size_t, int));
  if (program.machine().host_pages() == nullptr) return;
  if (const auto tell = reinterpret_cast<Tell>(dlsym(RTLD_DEFAULT, "duet_tell_of_memory")); tell != nullptr)
    tell(use_memory);
}

void explain_faults_by(FaultExplainer explainer) { api_explainer = explainer; }

bool explain_fault(Program& program, VirtualAddress address, bool writes) {
  char text[1024];
  if ((api_explainer == nullptr || !api_explainer(address, text, sizeof text)) &&
      !explain_device(program.space(), address, writes ? "writes" : "reads", text, sizeof text))
    return false;
  std::fputs(text, stderr);
  return true;
}

HostAccess::HostAccess(const char* by, const void* at, Bytes count, bool is_write)
    : call(by), first(virtual_address(at)), bytes(count), writes(is_write), outer_(current) {
  const bool known = outer_ != nullptr && first - outer_->first < outer_->bytes;
  if (!known) current = this;
}
HostAccess::~HostAccess() { current = outer_; }

}  // namespace duet::process
