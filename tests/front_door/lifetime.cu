// A CUDA program for tests of how runs begin and end. It makes one offload, and then does what its first
// argument says.
#include <duet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "offload.h"

__global__ void spin() {
  for (;;) asm volatile("");
}

static void wait_for(const char* file) {
  while (access(file, F_OK) != 0) usleep(10000);
}

int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "return";
  if (!strcmp(how, "fork") && argc > 2) {
    // Before the first call: as many children as the argument says, and this process, each with the device.
    for (int i = 0; i < atoi(argv[2]); ++i)
      if (fork() == 0) return offload() == 0 && offload() == 0 ? 0 : 1;
    for (int status; wait(&status) > 0;)
      if (status != 0) return 76;
  }
  if (!strcmp(how, "late") && argc > 2) {
    // Before the first call, until the file is there, and a while.
    wait_for(argv[2]);
    usleep(300000);
    return offload();
  }
  if (offload() != 0) return 77;
  if (!strcmp(how, "fork") || !strcmp(how, "return")) return 0;
  if (!strcmp(how, "until") && argc > 2) {
    printf("ready\n");
    fflush(stdout);
    wait_for(argv[2]);
    return offload();
  }
  if (!strcmp(how, "loop") && argc > 2) {
    // Says after each offload how many there were, until the file is there.
    for (int offloads = 1;; ++offloads) {
      printf("%d\n", offloads);
      fflush(stdout);
      if (access(argv[2], F_OK) == 0) return 0;
      usleep(200000);
      if (offload() != 0) return 78;
    }
  }
  if (!strcmp(how, "endless")) {
    spin<<<1, 32>>>();
    printf("ready\n");
    fflush(stdout);
    cudaDeviceSynchronize();
    return 3;
  }
  if (!strcmp(how, "mark")) {
    duetMark("\xff first");
    return 0;
  }
  if (!strcmp(how, "descriptors") && argc > 2) {
    // Closes all files but its streams, as daemons do, and has a file of its own under each number instead.
    const int mine = open(argv[2], O_CREAT | O_TRUNC | O_RDWR, 0644);
    for (int file = 3; file < 256; ++file)
      if (file != mine) dup2(mine, file);
    for (int i = 0; i < 400; ++i)
      if (offload() != 0) return 78;
    return 0;
  }
  fprintf(stderr, "lifetime: unknown way '%s'\n", how);
  return 2;
}
