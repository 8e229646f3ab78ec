// Signals: each part prints what Linux does, and nothing that differs from run to run.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int count, last;
static void counts(int signal) {
  ++count;
  last = signal;
}
static void set(int signal, void (*handler)(int), int flags) {
  struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  if (sigaction(signal, &action, NULL) != 0) perror("sigaction");
}
static void set_info(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = flags | SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  if (sigaction(signal, &action, NULL) != 0) perror("sigaction");
}

// ---- registers come back, and what the handler writes into them holds ----
static void changes_registers(int signal, siginfo_t* info, void* context) {
  ucontext_t* c = context;
  printf("handler of %d: code %d, own process %d, a0 %ld\n", signal, info->si_code, info->si_pid == getpid(),
         (long)c->uc_mcontext.__gregs[10]);
  volatile double spoiled = 1.5;
  for (int i = 0; i < 10; ++i) spoiled = spoiled * 1.25 + i;
}
static void registers(void) {
  set_info(SIGUSR1, changes_registers, 0);
  register long s5 __asm__("s5") = 12345;
  register double f __asm__("fs3") = 2.75;
  __asm__ volatile("" : "+r"(s5), "+f"(f));
  raise(SIGUSR1);
  __asm__ volatile("" : "+r"(s5), "+f"(f));
  printf("registers %ld %g\n", s5, f);
}

// ---- faults ----
static char* page;
static void repairs(int signal, siginfo_t* info, void* context) {
  (void)context;
  printf("fault %d: code %d, offset %ld\n", signal, info->si_code, (long)((char*)info->si_addr - page));
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
}
static sigjmp_buf back;
static void jumps(int signal, siginfo_t* info, void* context) {
  const ucontext_t* c = context;
  printf("fault %d: code %d, address %d, at pc %d\n", signal, info->si_code, info->si_addr == (void*)0x5550,
         (void*)c->uc_mcontext.__gregs[0] == info->si_addr);
  siglongjmp(back, signal);
}
static void steps_over(int signal, siginfo_t* info, void* context) {
  ucontext_t* c = context;
  printf("signal %d: code %d, at pc %d\n", signal, info->si_code,
         (void*)c->uc_mcontext.__gregs[0] == info->si_addr);
  c->uc_mcontext.__gregs[0] += signal == SIGILL ? 4 : 2;
  c->uc_mcontext.__gregs[11] = 99;
}
static void faults(void) {
  page = mmap(NULL, 8192, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  set_info(SIGSEGV, repairs, 0);
  page[100] = 7;
  printf("stored %d\n", page[100]);
  set_info(SIGSEGV, jumps, SA_NODEFER);
  if (sigsetjmp(back, 1) == 0) *(volatile int*)0x5550 = 1;
  if (sigsetjmp(back, 1) == 0) ((void (*)(void))0x5550)();
  set_info(SIGILL, steps_over, 0);
  register long a1 __asm__("a1") = 1;
  __asm__ volatile(".word 0xffffffff" : "+r"(a1));
  printf("a1 %ld\n", a1);
  set_info(SIGTRAP, steps_over, 0);
  a1 = 2;
  __asm__ volatile("c.ebreak" : "+r"(a1));
  printf("a1 %ld\n", a1);
}

// ---- masks ----
static volatile int depth, deepest;
static void nests(int signal) {
  if (++depth > deepest) deepest = depth;
  if (deepest < 3) raise(signal);
  --depth;
}
static void masks(void) {
  set(SIGUSR2, nests, SA_NODEFER);
  raise(SIGUSR2);
  printf("with SA_NODEFER %d deep\n", deepest);
  deepest = 0;
  set(SIGUSR2, counts, 0);
  sigset_t block, pending;
  sigemptyset(&block);
  sigaddset(&block, SIGUSR2);
  sigaddset(&block, SIGRTMIN + 3);
  sigprocmask(SIG_BLOCK, &block, NULL);
  set(SIGRTMIN + 3, counts, 0);
  count = 0;
  for (int i = 0; i < 3; ++i) raise(SIGUSR2), raise(SIGRTMIN + 3);
  sigpending(&pending);
  printf("blocked: %d calls, pending %d %d\n", count, sigismember(&pending, SIGUSR2),
         sigismember(&pending, SIGUSR1));
  sigprocmask(SIG_UNBLOCK, &block, NULL);
  printf("unblocked: %d calls\n", count);
  set(SIGUSR2, counts, SA_RESETHAND);
  raise(SIGUSR2);
  struct sigaction now;
  sigaction(SIGUSR2, NULL, &now);
  printf("reset: %d\n", now.sa_handler == SIG_DFL);
  sigprocmask(SIG_BLOCK, &block, NULL);
  set(SIGUSR2, SIG_IGN, 0);
  raise(SIGUSR2);
  set(SIGUSR2, counts, 0);
  count = 0;
  kill(getpid(), SIGUSR2);
  sigset_t none;
  sigemptyset(&none);
  printf("sigsuspend %d %d, calls %d\n", sigsuspend(&none), errno, count);
  sigprocmask(SIG_BLOCK, NULL, &none);
  printf("mask after it %d\n", sigismember(&none, SIGUSR2));
}

// ---- waiting for signals, and values with them ----
static volatile int had_value;
static void with_value(int signal, siginfo_t* info, void* context) {
  (void)context;
  had_value = 1;
  printf("%d: code %d, value %d\n", signal - SIGRTMIN, info->si_code, info->si_value.sival_int);
}
static void values(void) {
  sigset_t wanted;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGRTMIN + 1);
  sigaddset(&wanted, SIGUSR1);
  sigprocmask(SIG_BLOCK, &wanted, NULL);
  for (int i = 0; i < 3; ++i) sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 40 + i});
  kill(getpid(), SIGUSR1);
  siginfo_t info;
  const struct timespec soon = {0, 1000000};
  int found;
  while ((found = sigtimedwait(&wanted, &info, &soon)) > 0)
    printf("taken %d: code %d, value %d\n", found == SIGUSR1 ? 0 : found - SIGRTMIN, info.si_code,
           found == SIGUSR1 ? 0 : info.si_value.sival_int);
  printf("none left: %d\n", errno == EAGAIN);
  set_info(SIGRTMIN + 1, with_value, 0);
  for (int i = 0; i < 2; ++i) sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = i});
  sigprocmask(SIG_UNBLOCK, &wanted, NULL);
}

// ---- the alternate stack ----
static char* other_stack;
static void on_other_stack(int signal) {
  char here;
  stack_t now;
  sigaltstack(NULL, &now);
  printf("on the alternate stack: %d, %d", &here > other_stack && &here < other_stack + 65536,
         now.ss_flags == SS_ONSTACK);
  const stack_t none = {.ss_flags = SS_DISABLE};
  printf(", change %d %d\n", sigaltstack(&none, NULL), errno == EPERM);
  if (signal == SIGSEGV) siglongjmp(back, 1);
}
static int overflows(int n) {
  volatile char room[8192];
  room[n % 8192] = 1;
  return n == 0 ? 0 : overflows(n + 1) + room[5];
}
static void alternate_stack(void) {
  other_stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const stack_t small = {.ss_sp = other_stack, .ss_size = 100};
  printf("too small: %d %d\n", sigaltstack(&small, NULL), errno == ENOMEM);
  const stack_t stack = {.ss_sp = other_stack, .ss_size = 65536};
  sigaltstack(&stack, NULL);
  set(SIGUSR1, on_other_stack, SA_ONSTACK);
  raise(SIGUSR1);
  set(SIGSEGV, on_other_stack, SA_ONSTACK);
  if (sigsetjmp(back, 1) == 0) printf("%d\n", overflows(1));
  stack_t now;
  sigaltstack(NULL, &now);
  printf("after it: flags %d\n", now.ss_flags);
}

// ---- calls that wait ----
static pthread_t main_thread;
static int ends[2];
static volatile int finished;
// Again and again, since on a busy machine the other thread may not wait yet.
static void* disturbs(void* write_too) {
  for (int i = 0; !finished; ++i) {
    usleep(20000);
    pthread_kill(main_thread, SIGUSR1);
    if (write_too != NULL && i == 2 && write(ends[1], "x", 1) != 1) perror("write");
  }
  return NULL;
}
static pthread_t disturbed_from_now_on(void* write_too) {
  pthread_t other;
  finished = count = 0;
  pthread_create(&other, NULL, disturbs, write_too);
  return other;
}
static void end(pthread_t other) {
  finished = 1;
  pthread_join(other, NULL);
}
static void waits(void) {
  main_thread = pthread_self();
  char byte;
  if (pipe(ends) != 0) perror("pipe");
  set(SIGUSR1, counts, 0);
  pthread_t other = disturbed_from_now_on(NULL);
  long result = read(ends[0], &byte, 1);
  printf("read %ld, EINTR %d, called %d\n", result, errno == EINTR, count > 0);
  end(other);
  set(SIGUSR1, counts, SA_RESTART);
  other = disturbed_from_now_on(ends);
  result = read(ends[0], &byte, 1);
  printf("read again %ld, called %d\n", result, count > 0);
  end(other);
  other = disturbed_from_now_on(NULL);
  struct timespec long_time = {1000, 0}, left = {0, 0};
  result = nanosleep(&long_time, &left);
  printf("sleep %ld, EINTR %d, left %d\n", result, errno == EINTR, left.tv_sec > 900);
  end(other);
}

// ---- timers ----
static void timers(void) {
  set(SIGALRM, counts, 0);
  count = 0;
  alarm(1);
  pause();
  printf("alarm: %d calls of %d\n", count, last);
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  while (count < 4) pause();
  setitimer(ITIMER_REAL, &never, NULL);
  printf("interval: %d\n", count >= 4);
  set(SIGVTALRM, counts, 0);
  setitimer(ITIMER_VIRTUAL, &often, NULL);
  while (last != SIGVTALRM) {
  }
  setitimer(ITIMER_VIRTUAL, &never, NULL);
  timer_t timer;
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
  event.sigev_value.sival_int = 77;
  if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) perror("timer_create");
  const struct itimerspec once = {{0, 0}, {0, 3000000}};
  had_value = 0;
  timer_settime(timer, 0, &once, NULL);
  while (!had_value) usleep(1000);
  struct itimerspec now;
  timer_gettime(timer, &now);
  printf("over: %ld, overruns %d, delete %d\n", now.it_value.tv_nsec, timer_getoverrun(timer),
         timer_delete(timer));
}

// ---- a handler anywhere in a computation, on either stack, changes nothing of it ----
static volatile double of_handler;
static void computes(int signal) {
  double x = signal;
  for (int i = 0; i < 20; ++i) x = x * 1.0625 + i / 3.0;
  of_handler = x;
  errno = 5;
  ++count;
}
__attribute__((noipa)) static unsigned long checksum(void) {
  __asm__ volatile("" ::: "memory");  // each call computes
  unsigned long sum = 1;
  double x = 0.5;
  float y = 3;
  for (int i = 0; i < 2000000; ++i) {
    x = x * 3.7 * (1 - x);
    y = y * 0.75f + (float)x;
    sum = (sum ^ (unsigned long)(x * 1e9)) * 0x100000001b3 + (sum >> 7) + (unsigned long)(y * 16);
  }
  return sum;
}
static void disturbed(void) {
  const unsigned long alone = checksum();
  const struct itimerval often = {{0, 40}, {0, 40}}, never = {{0, 0}, {0, 0}};
  for (int flags = 0; flags < 2; ++flags) {
    set(SIGALRM, computes, flags ? SA_ONSTACK : 0);
    count = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    const unsigned long sum = checksum();
    setitimer(ITIMER_REAL, &never, NULL);
    printf("disturbed %d, equal %d, %lx\n", count > 20, sum == alone, sum);
  }
}

// ---- threads ----
static pthread_barrier_t ready;
static void* is_cancelled(void* unused) {
  (void)unused;
  pthread_barrier_wait(&ready);
  while (pause() != 0) {
  }
  return NULL;
}
static void* takes_it(void* unused) {
  (void)unused;
  sigset_t wanted;
  int signal = 0;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigwait(&wanted, &signal);
  return (void*)(long)signal;
}
static void threads(void) {
  pthread_t other;
  void* result;
  sigset_t block;
  sigemptyset(&block);
  sigaddset(&block, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &block, NULL);
  pthread_create(&other, NULL, takes_it, NULL);
  usleep(10000);
  kill(getpid(), SIGTERM);
  pthread_join(other, &result);
  printf("sigwait in a thread: %ld\n", (long)result);
  pthread_barrier_init(&ready, NULL, 2);
  pthread_create(&other, NULL, is_cancelled, NULL);
  pthread_barrier_wait(&ready);
  pthread_cancel(other);
  pthread_join(other, &result);
  printf("cancelled: %d\n", result == PTHREAD_CANCELED);
  printf("nobody: %d %d\n", kill(12345678, 0), errno == ESRCH);
}

static void tells_pipe(int signal) { printf("signal %d, ", signal == SIGPIPE); }

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  registers();
  faults();
  masks();
  values();
  alternate_stack();
  waits();
  timers();
  disturbed();
  threads();
  if (pipe(ends) != 0) return 1;
  close(ends[0]);
  set(SIGPIPE, tells_pipe, 0);
  const long result = write(ends[1], "x", 1);
  printf("write %ld, EPIPE %d\n", result, errno == EPIPE);
  set(SIGPIPE, SIG_DFL, 0);
  if (argc > 1) kill(getpid(), (int)strtol(argv[1], NULL, 0));
  return write(ends[1], "x", 1) == 1;
}
