// The effect of a signal: it wakes a thread, ends the process, or sends a thread into its handler. A signal
// is delivered when its thread runs next, and at the end of a thread's own system call. Left out: stopping
// and continuing (no other process would continue this one), and core files.
#include <fmt/format.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <span>

#include "base/error.h"
#include "rv64/process/linux_constants.h"
#include "rv64/process/system_calls.h"

namespace duet::rv64 {
namespace {

bool stops_by_default(unsigned signal) {
  return signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
}

// The si_code and the address, as arch/riscv/kernel/traps.c and mm/fault.c have them.
SignalInfo info_of(const Trap& trap, std::uint64_t pc) {
  SignalInfo info;
  info.signal = SystemCalls::signal_of(trap);
  std::uint64_t address = pc;
  switch (info.signal) {
    case SIGILL:
      info.code = ILL_ILLOPC;
      break;
    case SIGTRAP:
      info.code = TRAP_BRKPT;
      break;
    case SIGBUS:
      info.code = BUS_ADRALN;
      break;
    default:
      info.code = trap.fault.mapped ? SEGV_ACCERR : SEGV_MAPERR;
      address = trap.fault.address;
  }
  info.fields[0] = address;
  return info;
}

}  // namespace

int SystemCalls::signal_of(const Trap& trap) {
  switch (trap.cause) {
    case TrapCause::IllegalInstruction:
      return SIGILL;
    case TrapCause::Breakpoint:
      return SIGTRAP;
    default:
      return trap.fault.misaligned ? SIGBUS : SIGSEGV;
  }
}

bool SystemCalls::is_ignored_by_default(unsigned signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

bool SystemCalls::is_ignored(unsigned signal) const {
  const std::uint64_t handler = actions_[signal].handler;
  return handler == kIgnored || (handler == kDefault && is_ignored_by_default(signal));
}

SignalInfo SystemCalls::from_this_process(unsigned signal, int code, std::uint64_t value) const {
  SignalInfo info;
  info.signal = static_cast<std::int32_t>(signal);
  info.code = code;
  info.fields[0] = kUser << 32 | kProcess;
  info.fields[1] = value;
  return info;
}

void SystemCalls::act_by_default(unsigned signal) {
  if (stops_by_default(signal))
    throw Deadlock(fmt::format("{}: signal {} ({}) has stopped it, and nothing is there that continues it",
                               program_, signal, ::strsignal(static_cast<int>(signal))));
  end_ = ProcessEnd{0, static_cast<int>(signal)};
}

std::uint64_t SystemCalls::deliverable(const Thread& thread) const {
  return (thread.pending.bits() | pending_.bits()) & ~thread.mask;
}

// The signal is pending for the thread.
void SystemCalls::notify(Thread& thread, unsigned signal) {
  if (thread.wait && (thread.wait->signals & bit_of(signal)) != 0) {
    thread.wait.reset();  // it calls again, and takes the signal
  } else if ((thread.mask & bit_of(signal)) == 0) {
    if (actions_[signal].handler == kDefault)
      act_by_default(signal);
    else if (thread.wait && !thread.wait->outside)
      interrupt(thread);
  }
}

std::int64_t SystemCalls::send(Thread* thread, const SignalInfo& info) {
  const auto signal = static_cast<unsigned>(info.signal);
  const bool waited_for = thread->wait && (thread->wait->signals & bit_of(signal)) != 0;
  if (is_ignored(signal) && !waited_for && (thread->mask & bit_of(signal)) == 0) return 0;
  if (!thread->pending.add(info)) return -EAGAIN;
  notify(*thread, signal);
  return 0;
}

// To the first thread that waits for it or does not block it; otherwise it stays with the process.
std::int64_t SystemCalls::send_to_process(const SignalInfo& info) {
  const auto signal = static_cast<unsigned>(info.signal);
  Thread* taker = nullptr;
  for (const auto& thread : threads_.all())
    if ((thread->mask & bit_of(signal)) == 0 ||
        (thread->wait && (thread->wait->signals & bit_of(signal)) != 0)) {
      taker = thread.get();
      break;
    }
  if (taker != nullptr) return send(taker, info);
  return pending_.add(info) ? 0 : -EAGAIN;
}

void SystemCalls::interrupt(Thread& thread) {
  const Thread::Wait wait = *thread.wait;
  thread.wait.reset();
  if (wait.remaining != 0 && wait.deadline)
    put(wait.remaining, timespec_of(std::max<std::int64_t>(0, *wait.deadline - now())));
  if (!wait.repeats) {
    thread.hart.pc -= 4;
    thread.hart.x[kArgument0] = wait.argument0;
  } else if (thread.progress.done != 0) {
    return_from_wait(thread, static_cast<std::int64_t>(thread.progress.done));
    return;
  }
  thread.interrupted = wait.restart;
}

// An interrupted call answers EINTR, or is made again: with SA_RESTART, and where there is no handler after
// all.
void SystemCalls::deliver(Thread& thread) {
  while (!end_) {
    auto info = thread.pending.take(~thread.mask);
    if (!info) info = pending_.take(~thread.mask);
    if (!info) break;
    const auto signal = static_cast<unsigned>(info->signal);
    if (is_ignored(signal)) continue;
    if (actions_[signal].handler == kDefault) return act_by_default(signal);
    if (thread.interrupted) {
      if (*thread.interrupted == Thread::Restart::Never || (actions_[signal].flags & SA_RESTART) == 0)
        return_from_wait(thread, -EINTR);
      thread.interrupted.reset();
    }
    if (enter_handler(thread, *info)) continue;
    // As Linux does where it cannot write the frame.
    SignalInfo no_stack;
    no_stack.signal = SIGSEGV;
    no_stack.code = SI_KERNEL;
    if (signal == SIGSEGV || actions_[SIGSEGV].handler <= kIgnored || (thread.mask & bit_of(SIGSEGV)) != 0 ||
        !enter_handler(thread, no_stack))
      act_by_default(SIGSEGV);
  }
  thread.interrupted.reset();
}

bool SystemCalls::enter_handler(Thread& thread, const SignalInfo& info) {
  const auto signal = static_cast<unsigned>(info.signal);
  Action& action = actions_[signal];
  Registers& registers = thread.hart;
  Thread::AlternateStack& other = thread.alternate_stack;
  SignalFrame frame;
  frame.info = info;
  frame.stack = other;
  frame.mask = thread.saved_mask.value_or(thread.mask);
  frame.save(registers);
  std::uint64_t pointer = registers.x[kStackPointer];
  const bool is_there = other.holds(pointer);
  // An overflow of the alternate stack.
  if (is_there && !other.holds(pointer - sizeof frame)) return false;
  if ((action.flags & SA_ONSTACK) != 0 && other.bytes != 0 && !is_there)
    pointer = other.address + other.bytes;
  pointer = (pointer - sizeof frame) & ~std::uint64_t{15};
  if (!put(pointer, frame)) return false;
  registers.pc = action.handler;
  registers.x[kReturnAddress] = AddressSpace::kSignalReturn;
  registers.x[kStackPointer] = pointer;
  registers.x[kArgument0] = signal;
  registers.x[kArgument0 + 1] = pointer;
  registers.x[kArgument0 + 2] = pointer + offsetof(SignalFrame, flags);
  thread.saved_mask.reset();
  thread.mask |= action.mask;
  if ((action.flags & SA_NODEFER) == 0) thread.mask |= bit_of(signal);
  if ((action.flags & SA_RESETHAND) != 0) action.handler = kDefault;
  constexpr std::uint32_t kAutoDisarm = 1u << 31;
  if ((other.flags & kAutoDisarm) != 0) other = {};
  return true;
}

bool SystemCalls::enter_fault_handler(const Trap& trap) {
  Thread& thread = threads_.current();
  const SignalInfo info = info_of(trap, thread.hart.pc);
  const auto signal = static_cast<unsigned>(info.signal);
  if (actions_[signal].handler <= kIgnored || (thread.mask & bit_of(signal)) != 0) return false;
  return enter_handler(thread, info);
}

// The frame is at the stack pointer. Its contents are the program's, and may be nonsense.
std::int64_t SystemCalls::rt_sigreturn(const Arguments&) {
  Thread& thread = threads_.current();
  SignalFrame frame;
  if (!get(thread.hart.x[kStackPointer], frame)) {
    act_by_default(SIGSEGV);
    return kRegistersSet;
  }
  frame.restore(thread.hart);
  thread.mask = frame.mask & ~kNeverBlocked;
  thread.alternate_stack = frame.stack;
  return kRegistersSet;
}

}  // namespace duet::rv64
