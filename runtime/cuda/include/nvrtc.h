/* NVRTC's interface (CUDA's manual, "NVRTC"), for programs that are compiled without a toolkit. Duet's
   libnvrtc.so.13 asks the machine's NVRTC; where there is none, and with DUET_NVRTC=own in the environment,
   it compiles with clang-19, by way of `duet cc`:

     nvrtcProgram program;
     nvrtcCreateProgram(&program, "extern \"C\" __global__ void k(int* p) { *p = 7; }", "k.cu", 0, 0, 0);
     const char* options[] = {"--gpu-architecture=compute_75"};
     nvrtcCompileProgram(program, 1, options);  // nvrtcGetProgramLog: what the compiler says
     nvrtcGetPTXSize(program, &bytes);          // bytes with the 0 at the end
     nvrtcGetPTX(program, ptx);                 // for cuModuleLoadData

   A cubin, for options that name a GPU (sm_75), is the same PTX: cuModuleLoadData takes either. Not
   there with clang-19: LTO and OptiX forms (size 0), precompiled headers. */
#ifndef DUET_NVRTC_H
#define DUET_NVRTC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
  NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
  NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
  NVRTC_ERROR_PCH_CREATE = 15,
  NVRTC_ERROR_CANCELLED = 16,
  NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17
} nvrtcResult;

typedef struct _nvrtcProgram* nvrtcProgram;

const char* nvrtcGetErrorString(nvrtcResult result);
nvrtcResult nvrtcVersion(int* major, int* minor);
nvrtcResult nvrtcGetNumSupportedArchs(int* count);
nvrtcResult nvrtcGetSupportedArchs(int* architectures);
nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char* name, int header_count,
                               const char* const* headers, const char* const* include_names);
nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program);
nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char* const* options);
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetPTX(nvrtcProgram program, char* ptx);
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin);
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetLTOIR(nvrtcProgram program, char* code);
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram program, char* code);
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log);
nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char* expression);
nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char* expression, const char** name);
nvrtcResult nvrtcGetPCHHeapSize(size_t* bytes);
nvrtcResult nvrtcSetPCHHeapSize(size_t bytes);
nvrtcResult nvrtcGetPCHCreateStatus(nvrtcProgram program);
nvrtcResult nvrtcGetPCHHeapSizeRequired(nvrtcProgram program, size_t* bytes);
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void*, void*), void* data);

#ifdef __cplusplus
}
#endif

#endif
