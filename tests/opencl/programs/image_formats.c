// Every format that the device has, and every shape: a kernel writes texels, which are compared with the
// conversions of section "Conversion Rules" of OpenCL C, byte by byte; then a kernel reads them.
#include <math.h>

#include "image_help.h"

static const char* kSource =
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "#define AT const size_t i = get_global_id(0); \\\n"
    "  const int4 at = (int4)(i % width, i / width % height, i / (width * height), 0)\n"
    "#define BOTH(T, letter) \\\n"
    "  __kernel void write_##letter(write_only IMAGE image, __global const T##4* values, int width, int "
    "height) { \\\n"
    "    AT; write_image##letter(image, INTS, values[i]); } \\\n"
    "  __kernel void read_##letter(read_only IMAGE image, __global T##4* values, int width, int height) { "
    "\\\n"
    "    AT; values[i] = read_image##letter(image, INTS); }\n"
    "BOTH(float, f) BOTH(int, i) BOTH(uint, ui)\n";

typedef union {
  float f[4];
  cl_int i[4];
  cl_uint ui[4];
} Values;
enum { kMost = 6 * 5 * 4 * 2 };
static cl_command_queue queue;
static Values values[kMost], back[kMost];

typedef struct {
  cl_channel_type type;
  size_t bytes;
  char kind;  // f, i, u: what kernels read and write
  const char* name;
} Type;
static const Type kTypes[] = {{CL_SNORM_INT8, 1, 'f', "snorm8"},     {CL_SNORM_INT16, 2, 'f', "snorm16"},
                              {CL_UNORM_INT8, 1, 'f', "unorm8"},     {CL_UNORM_INT16, 2, 'f', "unorm16"},
                              {CL_SIGNED_INT8, 1, 'i', "int8"},      {CL_SIGNED_INT16, 2, 'i', "int16"},
                              {CL_SIGNED_INT32, 4, 'i', "int32"},    {CL_UNSIGNED_INT8, 1, 'u', "uint8"},
                              {CL_UNSIGNED_INT16, 2, 'u', "uint16"}, {CL_UNSIGNED_INT32, 4, 'u', "uint32"},
                              {CL_HALF_FLOAT, 2, 'f', "half"},       {CL_FLOAT, 4, 'f', "float"}};

typedef struct {
  cl_channel_order order;
  const char* name;
  const char* stored;  // the channels of a texel in memory
  const char* read;    // what a kernel reads: one of them, or 0 or 1
} Order;
static const Order kOrders[] = {{CL_R, "R", "r", "r001"},
                                {CL_Rx, "Rx", "r", "r001"},
                                {CL_A, "A", "a", "000a"},
                                {CL_RG, "RG", "rg", "rg01"},
                                {CL_RGx, "RGx", "rg", "rg01"},
                                {CL_RA, "RA", "ra", "r00a"},
                                {CL_RGBA, "RGBA", "rgba", "rgba"},
                                {CL_BGRA, "BGRA", "bgra", "rgba"},
                                {CL_ARGB, "ARGB", "argb", "rgba"},
                                {CL_ABGR, "ABGR", "abgr", "rgba"},
                                {CL_INTENSITY, "INTENSITY", "r", "rrrr"},
                                {CL_LUMINANCE, "LUMINANCE", "r", "rrr1"}};

static double clamped(double value, double low, double high) {
  return !(value > low) ? low : value > high ? high : value;
}

static void store(const Type* type, const Values* from, int channel, void* to) {
  const float f = from->f[channel];
  const cl_int i = from->i[channel];
  const cl_uint u = from->ui[channel];
  cl_uint bits = 0;
  switch (type->type) {
    case CL_SNORM_INT8:
      bits = (cl_uint)(cl_int)clamped(rintf(f * 127), -128, 127);
      break;
    case CL_SNORM_INT16:
      bits = (cl_uint)(cl_int)clamped(rintf(f * 32767), -32768, 32767);
      break;
    case CL_UNORM_INT8:
      bits = (cl_uint)clamped(rintf(f * 255), 0, 255);
      break;
    case CL_UNORM_INT16:
      bits = (cl_uint)clamped(rintf(f * 65535), 0, 65535);
      break;
    case CL_SIGNED_INT8:
      bits = (cl_uint)(cl_int)clamped(i, -128, 127);
      break;
    case CL_SIGNED_INT16:
      bits = (cl_uint)(cl_int)clamped(i, -32768, 32767);
      break;
    case CL_UNSIGNED_INT8:
      bits = (cl_uint)clamped(u, 0, 255);
      break;
    case CL_UNSIGNED_INT16:
      bits = (cl_uint)clamped(u, 0, 65535);
      break;
    case CL_HALF_FLOAT: {
      const _Float16 half = (_Float16)f;
      memcpy(&bits, &half, sizeof half);
      break;
    }
    default:
      bits = u;
  }
  memcpy(to, &bits, type->bytes);
}

static void load(const Type* type, const void* from, Values* to, int channel) {
  cl_uint u = 0;
  memcpy(&u, from, type->bytes);
  const cl_int s = type->bytes == 1 ? (cl_char)u : type->bytes == 2 ? (cl_short)u : (cl_int)u;
  switch (type->type) {
    case CL_SNORM_INT8:
      to->f[channel] = (float)fmax(-1, s / 127.0);
      break;
    case CL_SNORM_INT16:
      to->f[channel] = (float)fmax(-1, s / 32767.0);
      break;
    case CL_UNORM_INT8:
      to->f[channel] = (float)(u / 255.0);
      break;
    case CL_UNORM_INT16:
      to->f[channel] = (float)(u / 65535.0);
      break;
    case CL_HALF_FLOAT: {
      _Float16 half;
      memcpy(&half, &u, sizeof half);
      to->f[channel] = (float)half;
      break;
    }
    default:
      to->ui[channel] = type->kind == 'i' ? (cl_uint)s : u;
  }
}

// Within a format's range, at its ends, between its steps, and beyond.
static void choose(char kind, size_t count) {
  static const float kFloats[] = {0, 1, -1, 0.5f, -0.25f, 0.1f, 1.5f, -3, 0.998f, 1e-6f, 70000, 65519};
  static const cl_int kInts[] = {0, 1, -1, 127, 128, -128, -129, 32767, 32768, -32768, -32769, 2147483647};
  for (size_t i = 0; i < 4 * count; i++) {
    const size_t at = (5 * i + i / 12) % 12;
    if (kind == 'f') values[i / 4].f[i % 4] = kFloats[at] + (at == 3 ? (float)i / 512 : 0);
    if (kind != 'f') values[i / 4].i[i % 4] = kInts[at] + (at == 3 ? (cl_int)i : 0);
  }
}

static int as_expected(const Type* type, const Values* a, const Values* b) {
  for (int c = 0; c < 4; c++) {
    // A division by 255 and the like may be off by an ulp and a half.
    const int steps = type->kind == 'f' && type->type != CL_FLOAT && type->type != CL_HALF_FLOAT;
    if (steps ? fabsf(a->f[c] - b->f[c]) > 2e-7f : a->ui[c] != b->ui[c]) return 0;
  }
  return 1;
}

static void test_format(const Shape* shape, cl_program program, const Order* order, const Type* type) {
  const size_t count = texels_of(shape), channels = strlen(order->stored), bytes = channels * type->bytes;
  const char letter[] = {type->kind, type->kind == 'u' ? 'i' : '\0', '\0'};
  char writes[16], reads[16];
  snprintf(writes, sizeof writes, "write_%s", letter);
  snprintf(reads, sizeof reads, "read_%s", letter);
  cl_kernel write = kernel_of(program, writes), read = kernel_of(program, reads);
  cl_mem image = image_of(shape, CL_MEM_READ_WRITE, order->order, type->type, NULL);
  choose(type->kind, count);
  cl_mem buffer = buffer_of(CL_MEM_COPY_HOST_PTR, count * sizeof(Values), values);
  const cl_int width = (cl_int)shape->width, height = (cl_int)shape->height;
  for (int k = 0; k < 2; k++) {
    cl_kernel kernel = k == 0 ? write : read;
    OK(clSetKernelArg(kernel, 0, sizeof image, &image));
    OK(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    OK(clSetKernelArg(kernel, 2, sizeof width, &width));
    OK(clSetKernelArg(kernel, 3, sizeof height, &height));
    run_items(queue, kernel, count);
  }
  static unsigned char raw[kMost * 16];
  read_all(queue, image, shape, raw);
  OK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, count * sizeof(Values), back, 0, NULL, NULL));
  for (size_t i = 0; i < count; i++) {
    unsigned char expected[16];
    Values read_back;
    for (size_t c = 0; c < channels; c++)
      store(type, &values[i], (int)(strchr("rgba", order->stored[c]) - "rgba"), expected + c * type->bytes);
    for (int c = 0; c < 4; c++) {
      const char* stored = strchr(order->stored, order->read[c]);
      if (stored != NULL)
        load(type, expected + (stored - order->stored) * (long)type->bytes, &read_back, c);
      else if (order->read[c] == '1' && type->kind == 'f')
        read_back.f[c] = 1;
      else
        read_back.i[c] = order->read[c] - '0';
    }
    if (memcmp(expected, raw + i * bytes, bytes) != 0 || !as_expected(type, &back[i], &read_back)) {
      printf("%s %s %s, texel %zu: written %02x %02x, expected %02x %02x; read %g (%d), expected %g (%d)\n",
             shape->name, order->name, type->name, i, raw[i * bytes], raw[i * bytes + 1], expected[0],
             expected[1], back[i].f[0], back[i].i[0], read_back.f[0], read_back.i[0]);
      failures++;
      break;
    }
  }
  OK(clReleaseMemObject(buffer));
  OK(clReleaseMemObject(image));
  OK(clReleaseKernel(write));
  OK(clReleaseKernel(read));
}

int main(void) {
  open_device();
  queue = queue_with(0);
  size_t formats = 0;
  for (int s = 0; s < kShapeCount; s++) {
    const Shape* shape = &kShapes[s];
    char options[256];
    snprintf(options, sizeof options, "-DIMAGE=%s -DINTS=%s", shape->name, shape->ints);
    cl_program program = built(kSource, options);
    cl_uint count;
    static cl_image_format all[256];
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, shape->type, 0, NULL, &count));
    OK(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, shape->type, 256, all, NULL));
    for (cl_uint i = 0; i < count; i++)
      for (size_t o = 0; o < sizeof kOrders / sizeof kOrders[0]; o++)
        for (size_t t = 0; t < sizeof kTypes / sizeof kTypes[0]; t++)
          if (all[i].image_channel_order == kOrders[o].order &&
              all[i].image_channel_data_type == kTypes[t].type) {
            // All formats of planes, and one of each type in other shapes.
            if (shape->type == CL_MEM_OBJECT_IMAGE2D || kOrders[o].order == CL_RGBA)
              test_format(shape, program, &kOrders[o], &kTypes[t]);
            formats++;
          }
    OK(clReleaseProgram(program));
  }
  TRUE_THAT(formats >= 5 * 12);
  return finished("image_formats");
}
