/* A program without an operating system but its exit: _start calls run(ROUNDS) and ends with its value. */
long run(long rounds);

void _start(void) {
  register long status __asm__("a0") = run(ROUNDS) & 127;
  register long number __asm__("a7") = 93;
  __asm__ volatile("ecall" ::"r"(status), "r"(number));
  __builtin_unreachable();
}
