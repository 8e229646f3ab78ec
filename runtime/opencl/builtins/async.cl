// libclc's copies of a group, of vectors with three elements: they are as large as those with four.
#define COPIES(T, to, from)                                                                                      \
  event_t OVERLOAD_TOGETHER async_work_group_copy(to T##4*, const from T##4*, size_t, event_t);                  \
  event_t OVERLOAD_TOGETHER async_work_group_strided_copy(to T##4*, const from T##4*, size_t, size_t, event_t);  \
  event_t OVERLOAD_TOGETHER async_work_group_copy(to T##3* target, const from T##3* source, size_t count,        \
                                                  event_t event) {                                               \
    return async_work_group_copy((to T##4*)target, (const from T##4*)source, count, event);                      \
  }                                                                                                              \
  event_t OVERLOAD_TOGETHER async_work_group_strided_copy(to T##3* target, const from T##3* source,              \
                                                          size_t count, size_t stride, event_t event) {          \
    return async_work_group_strided_copy((to T##4*)target, (const from T##4*)source, count, stride, event);      \
  }
#define COPY(T) COPIES(T, __local, __global) COPIES(T, __global, __local)
COPY(char)
COPY(uchar)
COPY(short)
COPY(ushort)
COPY(int)
COPY(uint)
COPY(long)
COPY(ulong)
COPY(float)
COPY(double)

// clang-19 loads 16 bytes at once, even where they are not aligned.
#define LOAD(T, space)                                                                    \
  T##8 OVERLOAD_EFFECT vload8(size_t offset, const space T* p);                           \
  T##16 OVERLOAD_EFFECT vload16(size_t offset, const space T* p) {                        \
    return (T##16)(vload8(2 * offset, p), vload8(2 * offset + 1, p));                     \
  }
#define LOADS(T) LOAD(T, __global) LOAD(T, __local) LOAD(T, __constant) LOAD(T, __private)
LOADS(char)
LOADS(uchar)
