// Each way for a program to end, by its first argument.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int* nowhere = (int*)0x123458;

__attribute__((noinline)) int innermost(int value) {
  *nowhere = value;
  return value + 1;
}
__attribute__((noinline)) int middle(int value) { return innermost(value) * 3; }

static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static void* lock_both(void* first) {
  pthread_mutex_lock(&locks[first != NULL]);
  sleep(1);
  pthread_mutex_lock(&locks[first == NULL]);
  return NULL;
}
static pthread_mutex_t robust;
static void* leaves_lock(void* first) {
  pthread_mutex_lock(&robust);
  if (first != NULL) usleep(1000);  // until the other one waits
  return NULL;
}
static void* end_process(void* status) {
  if (status == NULL) middle(1);
  exit((int)(long)status);
}

static int number_of(const char* text) { return (int)strtol(text, NULL, 0); }

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  pthread_t other;
  if (!strcmp(way, "exit")) return number_of(argv[2]);
  if (!strcmp(way, "_exit")) _exit(number_of(argv[2]));
  if (!strcmp(way, "abort")) abort();
  if (!strcmp(way, "raise")) raise(number_of(argv[2]));
  if (!strcmp(way, "segfault")) return middle(argc);
  if (!strcmp(way, "read-only")) *(volatile char*)way = *(volatile char*)main = 1;
  if (!strcmp(way, "jump")) ((void (*)(void))0x5550)();
  if (!strcmp(way, "illegal")) __asm__ volatile(".word 0xffffffff");
  if (!strcmp(way, "break")) __asm__ volatile("ebreak");
  if (!strcmp(way, "misaligned")) __asm__ volatile("lr.w t0, (%0)" ::"r"((char*)argv + 1) : "t0");
  if (!strcmp(way, "unknown"))
    printf("%ld %d %ld\n", syscall(number_of(argv[2])), errno, syscall(number_of(argv[2])));
  if (!strcmp(way, "futex")) syscall(SYS_futex, &argc, number_of(argv[2]), 1, NULL);
  if (!strcmp(way, "deadlock")) {
    int word = 5;
    printf("%ld\n", syscall(SYS_futex, &word, FUTEX_WAIT, 4, NULL));
    fflush(stdout);
    syscall(SYS_futex, &word, FUTEX_WAIT, 5, NULL);
  }
  if (!strcmp(way, "deadlock-threads")) {
    pthread_create(&other, NULL, lock_both, argv);
    lock_both(NULL);
  }
  if (!strcmp(way, "deadlock-pipe")) {
    int ends[2];
    char byte;
    if (pipe(ends) == 0) return (int)read(ends[0], &byte, 1);
  }
  if (!strcmp(way, "deadlock-pause")) pause();
  if (!strcmp(way, "robust")) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    for (int waits = 0; waits < 2; ++waits) {
      pthread_create(&other, NULL, leaves_lock, waits ? argv : NULL);
      if (!waits) pthread_join(other, NULL);
      usleep(100);
      const int result = pthread_mutex_lock(&robust);
      const int consistent = pthread_mutex_consistent(&robust);
      printf("%d %d %d\n", result == EOWNERDEAD, consistent, pthread_mutex_unlock(&robust));
      if (waits) pthread_join(other, NULL);
    }
  }
  if (!strcmp(way, "exit-thread") || !strcmp(way, "segfault-thread")) {
    pthread_create(&other, NULL, end_process, argc > 2 ? (void*)(long)number_of(argv[2]) : NULL);
    pthread_join(other, NULL);
  }
  if (!strcmp(way, "fork")) {
    const int child = fork();
    printf("%d %s\n", child, strerror(errno));
  }
  if (!strcmp(way, "loop"))
    for (;;) *(volatile int*)&argc = 1;
  if (!strcmp(way, "open")) {
    const int file = open(argv[2], O_CREAT | O_WRONLY, 0666);
    printf("%s\n", file < 0 ? strerror(errno) : "opened");
  }
  if (!strcmp(way, "read")) {
    char text[64] = {0};
    const int file = open(argv[2], O_RDONLY);
    printf("%ld %s\n", (long)read(file, text, 63), text);
  }
  if (!strcmp(way, "list")) {
    struct stat found;
    for (int i = 2; i < argc; ++i)
      printf("%s ", stat(argv[i], &found) == 0 ? "there" : strerror(errno));
    puts("");
  }
  if (!strcmp(way, "remove")) printf("%s\n", unlink(argv[2]) == 0 ? "removed" : strerror(errno));
  if (!strcmp(way, "rename")) printf("%s\n", rename(argv[2], argv[3]) == 0 ? "renamed" : strerror(errno));
  if (!strcmp(way, "open-in")) {
    const int moved = chdir(argv[2]), file = open(argv[3], O_CREAT | O_WRONLY, 0666);
    printf("%d %s\n", moved, file < 0 ? strerror(errno) : "opened");
  }
  if (!strcmp(way, "time")) {
    struct timespec now, later;
    unsigned long words[2];
    clock_gettime(CLOCK_REALTIME, &now);
    const struct timespec pause = {3600, 0};
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_REALTIME, &later);
    printf("%ld.%09ld %ld\n", (long)now.tv_sec, now.tv_nsec, (long)(later.tv_sec - now.tv_sec));
    syscall(SYS_getrandom, words, sizeof words, 0);
    printf("%lx %lx %d\n", words[0], words[1], getpid());
  }
  return 0;
}
