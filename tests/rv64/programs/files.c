// Files: folders, mappings that are shared, vectors, pipes and waiting for them. Prints what Linux does.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void content(const char* what, const char* path) {
  char text[64] = {0};
  const int file = open(path, O_RDONLY);
  const long bytes = read(file, text, 63);
  printf("%s: %ld %s\n", what, bytes, text);
  close(file);
}

static void folders(void) {
  char start[PATH_MAX], text[PATH_MAX];
  getcwd(start, sizeof start);
  printf("mkdir %d\n", mkdir("sub", 0777));
  printf("chdir %d\n", chdir("sub"));
  const int file = open("a.txt", O_CREAT | O_RDWR | O_TRUNC, 0644);
  printf("wrote %ld\n", (long)write(file, "hello world", 11));
  getcwd(text, sizeof text);
  printf("in %s\n", text + strlen(start));
  const int here = open(".", O_RDONLY | O_DIRECTORY);
  printf("chdir .. %d, to a file %d %d\n", chdir(".."), chdir("sub/a.txt"), errno == ENOTDIR);
  content("from above", "sub/a.txt");
  content("through ..", "sub/../sub/./a.txt");
  printf("fchdir %d\n", fchdir(here));
  content("inside", "a.txt");
  printf("openat %d\n", openat(here, "a.txt", O_RDONLY) >= 0);
  printf("no folder %d %d\n", open("a.txt/b", O_RDONLY), errno == ENOTDIR);
  printf("nothing %d %d\n", open("none/b", O_RDONLY), errno == ENOENT);
  printf("slash %d %d\n", open("a.txt/", O_RDONLY), errno == ENOTDIR);
  chdir("..");
  struct statx found;
  printf("statx %d", statx(AT_FDCWD, "sub/a.txt", 0, STATX_BASIC_STATS, &found));
  printf(" size %d mode %o links %u\n", (int)found.stx_size, found.stx_mode, found.stx_nlink);
  printf("statx of a descriptor %d", statx(file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &found));
  printf(" %d; bad %d\n", (int)found.stx_size, statx(AT_FDCWD, "none", 0, STATX_SIZE, &found));
  close(file);
}

static void shared(void) {
  const int file = open("sub/a.txt", O_RDWR);
  char* at = mmap(NULL, 11, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  memcpy(at, "HELLO", 5);
  content("mapped", "sub/a.txt");
  printf("msync %d\n", msync(at, 11, MS_SYNC));
  pwrite(file, "WORLD", 5, 6);
  printf("sees %.11s\n", at);
  memcpy(at, "again", 5);
  at[20] = 'x';  // behind the file's end: lost
  printf("munmap %d\n", munmap(at, 11));
  content("unmapped", "sub/a.txt");
  const int read_only = open("sub/a.txt", O_RDONLY);
  printf("not for writing: %d %d\n", mmap(NULL, 11, PROT_WRITE, MAP_SHARED, read_only, 0) == MAP_FAILED,
         errno == EACCES);
  at = mmap(NULL, 11, PROT_READ, MAP_SHARED, read_only, 0);
  printf("nor later: %d %d\n", mprotect(at, 11, PROT_READ | PROT_WRITE), errno == EACCES);
  ftruncate(file, 8192);
  at = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  memcpy(at + 4096, "left", 5);
  munmap(at, 4096);
  char text[8] = {0};
  pread(file, text, 5, 4096);
  printf("second page: %s\n", text);
  char* pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  char* two = mmap(pages, 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
  printf("unaligned %d %d\n", munmap(two + 5, 4096), errno == EINVAL);
  char* moved = mremap(two, 4096, 4096, MREMAP_MAYMOVE | MREMAP_FIXED, pages + 8192);
  memcpy(moved, "MOVED", 5);
  memcpy(two + 4096, "stays", 5);
  munmap(two + 4096, 8192);
  pread(file, text, 5, 0);
  printf("first page: %s", text);
  pread(file, text, 5, 4096);
  printf(", second page: %s\n", text);
  memcpy(at + 4096, "rest", 5);  // goes into the file when the process ends
}

static void vectors(void) {
  int ends[2];
  char a[4], b[4];
  struct iovec parts[3] = {{"one ", 4}, {NULL, 0}, {"two", 3}};
  if (pipe(ends) != 0) return;
  printf("writev %ld\n", (long)writev(ends[1], parts, 3));
  struct iovec places[2] = {{a, 4}, {b, 4}};
  printf("readv %ld %.4s %.3s\n", (long)readv(ends[0], places, 2), a, b);
  const long too_many = syscall(SYS_writev, ends[1], parts, 1025);
  printf("none %ld, too many %ld %d\n", (long)writev(ends[1], parts, 0), too_many, errno == EINVAL);
  printf("no descriptor %ld %d\n", (long)writev(77, parts, 1), errno == EBADF);
  const long nowhere = syscall(SYS_writev, ends[1], 8, 2);
  printf("no vector %ld %d\n", nowhere, errno == EFAULT);
  parts[2].iov_len = (size_t)-1;
  printf("too long %ld %d\n", (long)writev(ends[1], parts, 3), errno == EINVAL);
  printf("nothing to read %ld\n", (long)read(ends[0], a, 0));
}

static int ends[2];
static void* writes_later(void* bytes) {
  usleep(10000);
  static char block[300000];
  memset(block, 'b', sizeof block);
  if (write(ends[1], block, (size_t)bytes) != (long)bytes) perror("write");
  return NULL;
}
static void handler(int signal) { (void)signal; }
static void pipes(void) {
  pthread_t other;
  char text[1000];
  if (pipe(ends) != 0) return;
  pthread_create(&other, NULL, writes_later, (void*)5);
  printf("waited for %ld\n", (long)read(ends[0], text, sizeof text));
  pthread_join(other, NULL);
  pthread_create(&other, NULL, writes_later, (void*)300000);
  long sum = 0;
  for (long bytes; sum < 300000 && (bytes = read(ends[0], text, sizeof text)) > 0;) sum += bytes;
  pthread_join(other, NULL);
  printf("more than fits: %ld\n", sum);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  printf("without waiting %ld %d\n", (long)read(ends[0], text, 1), errno == EAGAIN);
  fcntl(ends[0], F_SETFL, 0);
  struct pollfd files[3] = {{ends[0], POLLIN, 0}, {ends[1], POLLOUT, 0}, {99, POLLIN, 0}};
  printf("poll %d:", poll(files, 3, 0));
  printf(" %x %x %x\n", files[0].revents, files[1].revents, files[2].revents);
  printf("timeout %d\n", poll(files, 1, 20));
  pthread_create(&other, NULL, writes_later, (void*)3);
  printf("poll %d", poll(files, 1, -1));
  printf(" %x\n", files[0].revents);
  pthread_join(other, NULL);
  fd_set readable, writable;
  FD_ZERO(&readable);
  FD_ZERO(&writable);
  FD_SET(ends[0], &readable);
  FD_SET(ends[1], &writable);
  printf("select %d", select(20, &readable, &writable, NULL, NULL));
  printf(" %d %d\n", FD_ISSET(ends[0], &readable), FD_ISSET(ends[1], &writable));
  printf("emptied %ld\n", (long)read(ends[0], text, sizeof text));
  FD_SET(ends[0], &readable);
  struct timeval soon = {0, 10000};
  printf("select %d", select(20, &readable, NULL, NULL, &soon));
  printf(" %d\n", FD_ISSET(ends[0], &readable));
  // A small number: Linux looks at no descriptor that its table has no room for.
  const int closed = dup(ends[0]);
  close(closed);
  FD_SET(closed, &readable);
  printf("bad %d %d\n", select(closed + 1, &readable, NULL, NULL, NULL), errno == EBADF);
  // A signal that is blocked but for the wait.
  sigset_t blocked, none;
  sigemptyset(&none);
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  signal(SIGUSR1, handler);
  raise(SIGUSR1);
  printf("ppoll %d %d\n", ppoll(files, 1, NULL, &none), errno == EINTR);
  close(ends[1]);
  printf("end %ld, poll %d", (long)read(ends[0], text, 1), poll(files, 1, -1));
  printf(" %x\n", files[0].revents);
}

static void odds_and_ends(void) {
  char name[16];
  prctl(PR_SET_NAME, "a name that is too long");
  prctl(PR_GET_NAME, name);
  printf("name %s\n", name);
  struct rusage usage;
  printf("getrusage %d %d, %d\n", getrusage(RUSAGE_SELF, &usage), getrusage(RUSAGE_CHILDREN, &usage),
         getrusage((enum __rusage_who)5, &usage));
  printf("priorities %d %d %d\n", sched_get_priority_max(SCHED_FIFO), sched_get_priority_min(SCHED_RR),
         sched_get_priority_max(SCHED_OTHER));
  struct sched_param parameters;
  printf("scheduler %d %d %d\n", sched_getscheduler(0), sched_getparam(0, &parameters),
         parameters.sched_priority);
  printf("getcpu %d\n", sched_getcpu() >= 0);
}

int main(void) {
  folders();
  shared();
  vectors();
  pipes();
  odds_and_ends();
  return 0;
}
