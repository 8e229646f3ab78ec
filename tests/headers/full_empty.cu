// Loads and stores that name full/empty bits: the whole matrix, for values of 4 and 8 bytes.
#include <duet_full_empty.h>

struct Pair {
  float a;
  int b;
};

template <class T>
__device__ void all(T* p, T* out) {
  out[0] = duetLoadNow(p);
  out[1] = duetLoadFull(p);
  out[2] = duetLoadEmpty(p);
  out[3] = duetLoadFill(p);
  out[4] = duetLoadFullFill(p);
  out[5] = duetLoadEmptyFill(p);
  out[6] = duetLoadNowEmpty(p);
  out[7] = duetLoadFullEmpty(p);
  out[8] = duetLoadEmptyEmpty(p);
  duetStoreNow(p, out[0]);
  duetStoreFull(p, out[0]);
  duetStoreEmpty(p, out[0]);
  duetStoreFill(p, out[0]);
  duetStoreFullFill(p, out[0]);
  duetStoreEmptyFill(p, out[0]);
  duetStoreNowEmpty(p, out[0]);
  duetStoreFullEmpty(p, out[0]);
  duetStoreEmptyEmpty(p, out[0]);
}

__global__ void kernel(int* i, float* f, double* d, unsigned long long* l, Pair* s) {
  all(i, i + 9);
  all(f, f + 9);
  all(d, d + 9);
  all(l, l + 9);
  all(s, s + 9);
}
