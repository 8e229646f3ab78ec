/* A TCG plugin for qemu-riscv64: counts executed instructions in a file that is mapped shared, so that another
   process can read how many there were when qemu stands. Argument: count=FILE (8 bytes or more).
   Source of the interface: QEMU's documentation, "QEMU TCG Plugins", version 1 of the interface; declared here, because
   distributions do not install its header. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct qemu_plugin_tb;
enum operation { ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t id, struct qemu_plugin_tb*));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb*);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb*, enum operation, void* to, uint64_t value);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t* count;

/* A block is executed whole, but where an instruction in it faults: those programs are not for this plugin. */
static void translated(uint64_t id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(block, ADD_U64, count, qemu_plugin_tb_n_insns(block));
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void* info, int argc, char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "count=", 6) != 0) continue;
    const int file = open(argv[i] + 6, O_RDWR);
    void* place = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0 && place != MAP_FAILED) count = place;
  }
  if (count == NULL) {
    fprintf(stderr, "rv64_count_plugin: give count=FILE\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  return 0;
}
