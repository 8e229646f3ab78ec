/* NVIDIA's tools extension (NVTX): marks and ranges that a program names for a profiler. `duet run` shows them
 * in timeline.pftrace, at the thread's simulated time, of which they take none; on simulated cores they cost
 * the instructions and the system call of any call. duet.h has marks with the machine's statistics. Source: the
 * documentation of NVTX version 3, its C interface.
 */
#ifndef DUET_NVTX3_NVTOOLSEXT_H
#define DUET_NVTX3_NVTOOLSEXT_H

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

#if defined(__cplusplus)
#define DUET_NVTX static inline
extern "C++" {
#else
#define DUET_NVTX static inline __attribute__((unused))
#endif

#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
#define NVTX_NO_PUSH_POP_TRACKING ((int)-2)

typedef uint64_t nvtxRangeId_t;
typedef struct nvtxDomainRegistration_st* nvtxDomainHandle_t;
typedef struct nvtxStringRegistration_st* nvtxStringHandle_t;

typedef enum nvtxColorType_t { NVTX_COLOR_UNKNOWN = 0, NVTX_COLOR_ARGB = 1 } nvtxColorType_t;
typedef enum nvtxMessageType_t {
  NVTX_MESSAGE_UNKNOWN = 0,
  NVTX_MESSAGE_TYPE_ASCII = 1,
  NVTX_MESSAGE_TYPE_UNICODE = 2,
  NVTX_MESSAGE_TYPE_REGISTERED = 3
} nvtxMessageType_t;
typedef enum nvtxPayloadType_t {
  NVTX_PAYLOAD_UNKNOWN = 0,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT64 = 1,
  NVTX_PAYLOAD_TYPE_INT64 = 2,
  NVTX_PAYLOAD_TYPE_DOUBLE = 3,
  NVTX_PAYLOAD_TYPE_UNSIGNED_INT32 = 4,
  NVTX_PAYLOAD_TYPE_INT32 = 5,
  NVTX_PAYLOAD_TYPE_FLOAT = 6
} nvtxPayloadType_t;

typedef union nvtxMessageValue_t {
  const char* ascii;
  const wchar_t* unicode;
  nvtxStringHandle_t registered;
} nvtxMessageValue_t;

typedef struct nvtxEventAttributes_v2 {
  uint16_t version;
  uint16_t size;
  uint32_t category;
  int32_t colorType;
  uint32_t color;
  int32_t payloadType;
  int32_t reserved0;
  union payload_t {
    uint64_t ullValue;
    int64_t llValue;
    double dValue;
    uint32_t uiValue;
    int32_t iValue;
    float fValue;
  } payload;
  int32_t messageType;
  nvtxMessageValue_t message;
} nvtxEventAttributes_t;

#if defined(__DUET__)
#if defined(__cplusplus)
extern "C"
#else
extern
#endif
    __attribute__((weak)) unsigned long long
    duetRange(unsigned what, const char* message, unsigned long long id);
/* 0 a mark, 1 push, 2 pop, 3 start, 4 end. Without Duet's library nobody listens. */
DUET_NVTX unsigned long long duetNvtx(unsigned what, const char* message, unsigned long long id) {
  return duetRange ? duetRange(what, message, id) : 0;
}
#else
DUET_NVTX unsigned long long duetNvtx(unsigned what, const char* message, unsigned long long id) {
  return (void)what, (void)message, (void)id, 0;
}
#endif
/* What is no ASCII becomes '?'; the first 255 characters count. */
DUET_NVTX unsigned long long duetNvtxW(unsigned what, const wchar_t* message) {
  char text[256];
  size_t i = 0;
  for (; message && message[i] && i + 1 < sizeof text; ++i)
    text[i] = message[i] > 0 && message[i] < 128 ? (char)message[i] : '?';
  text[i] = 0;
  return duetNvtx(what, text, 0);
}
DUET_NVTX unsigned long long duetNvtxEx(unsigned what, const nvtxEventAttributes_t* event) {
  if (!event) return duetNvtx(what, 0, 0);
  if (event->messageType == NVTX_MESSAGE_TYPE_UNICODE) return duetNvtxW(what, event->message.unicode);
  if (event->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
    return duetNvtx(what, (const char*)event->message.registered, 0);
  return duetNvtx(what, event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : 0, 0);
}

/* Levels of nested ranges are not returned: push and pop say what they say when nobody listens. */
DUET_NVTX void nvtxInitialize(const void* reserved) { (void)reserved; }
DUET_NVTX void nvtxMarkA(const char* message) { duetNvtx(0, message, 0); }
DUET_NVTX void nvtxMarkW(const wchar_t* message) { duetNvtxW(0, message); }
DUET_NVTX void nvtxMarkEx(const nvtxEventAttributes_t* event) { duetNvtxEx(0, event); }
DUET_NVTX int nvtxRangePushA(const char* message) {
  return duetNvtx(1, message, 0), NVTX_NO_PUSH_POP_TRACKING;
}
DUET_NVTX int nvtxRangePushW(const wchar_t* message) {
  return duetNvtxW(1, message), NVTX_NO_PUSH_POP_TRACKING;
}
DUET_NVTX int nvtxRangePushEx(const nvtxEventAttributes_t* event) {
  return duetNvtxEx(1, event), NVTX_NO_PUSH_POP_TRACKING;
}
DUET_NVTX int nvtxRangePop(void) { return duetNvtx(2, 0, 0), NVTX_NO_PUSH_POP_TRACKING; }
DUET_NVTX nvtxRangeId_t nvtxRangeStartA(const char* message) { return duetNvtx(3, message, 0); }
DUET_NVTX nvtxRangeId_t nvtxRangeStartW(const wchar_t* message) { return duetNvtxW(3, message); }
DUET_NVTX nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t* event) { return duetNvtxEx(3, event); }
DUET_NVTX void nvtxRangeEnd(nvtxRangeId_t id) { duetNvtx(4, 0, id); }
DUET_NVTX void nvtxNameCategoryA(uint32_t category, const char* name) { (void)category, (void)name; }
DUET_NVTX void nvtxNameCategoryW(uint32_t category, const wchar_t* name) { (void)category, (void)name; }
DUET_NVTX void nvtxNameOsThreadA(uint32_t thread, const char* name) { (void)thread, (void)name; }
DUET_NVTX void nvtxNameOsThreadW(uint32_t thread, const wchar_t* name) { (void)thread, (void)name; }

DUET_NVTX nvtxDomainHandle_t nvtxDomainCreateA(const char* name) { return (void)name, (nvtxDomainHandle_t)0; }
DUET_NVTX nvtxDomainHandle_t nvtxDomainCreateW(const wchar_t* name) {
  return (void)name, (nvtxDomainHandle_t)0;
}
DUET_NVTX void nvtxDomainDestroy(nvtxDomainHandle_t domain) { (void)domain; }
/* The handle is the string itself, which stays the program's. */
DUET_NVTX nvtxStringHandle_t nvtxDomainRegisterStringA(nvtxDomainHandle_t domain, const char* string) {
  return (void)domain, (nvtxStringHandle_t)string;
}
DUET_NVTX void nvtxDomainMarkEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  (void)domain, nvtxMarkEx(event);
}
DUET_NVTX int nvtxDomainRangePushEx(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* event) {
  return (void)domain, nvtxRangePushEx(event);
}
DUET_NVTX int nvtxDomainRangePop(nvtxDomainHandle_t domain) { return (void)domain, nvtxRangePop(); }
DUET_NVTX nvtxRangeId_t nvtxDomainRangeStartEx(nvtxDomainHandle_t domain,
                                               const nvtxEventAttributes_t* event) {
  return (void)domain, nvtxRangeStartEx(event);
}
DUET_NVTX void nvtxDomainRangeEnd(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
  (void)domain, nvtxRangeEnd(id);
}

#if defined(__cplusplus)
}
#endif

#if defined(UNICODE)
#define nvtxMark nvtxMarkW
#define nvtxRangePush nvtxRangePushW
#define nvtxRangeStart nvtxRangeStartW
#define nvtxNameCategory nvtxNameCategoryW
#define nvtxNameOsThread nvtxNameOsThreadW
#define nvtxDomainCreate nvtxDomainCreateW
#else
#define nvtxMark nvtxMarkA
#define nvtxRangePush nvtxRangePushA
#define nvtxRangeStart nvtxRangeStartA
#define nvtxNameCategory nvtxNameCategoryA
#define nvtxNameOsThread nvtxNameOsThreadA
#define nvtxDomainCreate nvtxDomainCreateA
#define nvtxDomainRegisterString nvtxDomainRegisterStringA
#endif

#undef DUET_NVTX
#endif
