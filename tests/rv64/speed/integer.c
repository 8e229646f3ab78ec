/* Integer work of the kinds that CoreMark has: linked lists, small matrices, a state machine, CRC. */
#include "start.h"

struct node {
  struct node* next;
  short key, value;
};

static struct node nodes[256];
static short left[1024], right[1024];
static int product[1024];
static char text[2048];
static const char kinds[] = ",0123.+-e5";

static unsigned short crc(unsigned short sum, unsigned short value) {
  for (int i = 0; i < 16; i++) {
    const int bit = (sum ^ value) & 1;
    sum >>= 1;
    value >>= 1;
    if (bit) sum ^= 0xa001;
  }
  return sum;
}

static struct node* reverse(struct node* list) {
  struct node* previous = 0;
  while (list) {
    struct node* next = list->next;
    list->next = previous;
    previous = list;
    list = next;
  }
  return previous;
}

static struct node* find(struct node* list, short key) {
  while (list && list->key != key) list = list->next;
  return list;
}

static int multiply(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      int value = 0;
      for (int k = 0; k < n; k++) value += left[i * n + k] * right[k * n + j];
      product[i * n + j] = value;
      sum += value >> 3;
    }
  return sum;
}

/* Numbers and what is none, separated by commas. */
static int count_states(const char* s, int n) {
  int counts[6] = {0}, state = 0;
  for (int i = 0; i < n; i++) {
    const char c = s[i];
    switch (state) {
      case 0: state = c >= '0' && c <= '9' ? 1 : c == '+' || c == '-' ? 2 : c == ',' ? 0 : 5; break;
      case 1: state = c == '.' ? 3 : c == ',' ? 0 : c < '0' || c > '9' ? 5 : 1; break;
      case 2: state = c >= '0' && c <= '9' ? 1 : 5; break;
      case 3: state = c == 'e' ? 4 : c == ',' ? 0 : 3; break;
      default: state = c == ',' ? 0 : state; break;
    }
    counts[state]++;
  }
  return counts[0] * 7 + counts[1] * 5 + counts[3] * 3 + counts[5];
}

long run(long rounds) {
  unsigned seed = 1;
  for (int i = 0; i < 256; i++) nodes[i] = (struct node){i < 255 ? &nodes[i + 1] : 0, i, i * 37};
  for (int i = 0; i < 1024; i++) left[i] = i * 7, right[i] = i * 13;
  for (int i = 0; i < 2048; i++) {
    seed = seed * 1103515245 + 12345;
    text[i] = kinds[(seed >> 16) % 10];
  }
  unsigned short sum = 0;
  struct node* head = nodes;
  for (long r = 0; r < rounds; r++) {
    head = reverse(head);
    for (int k = 0; k < 16; k++) sum = crc(sum, find(head, (seed + k * 13) & 255)->value);
    sum = crc(sum, multiply(16));
    sum = crc(sum, count_states(text, 2048));
    text[seed & 2047] = kinds[seed % 10];
    seed = seed * 1103515245 + 12345;
  }
  return sum;
}
