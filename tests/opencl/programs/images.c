// Reads by every sampler and of every shape, as section "Image Addressing and Filtering" of OpenCL C defines
// them, computed once more on the host.
#include <math.h>

#include "image_help.h"

static const char* kSource =
    "__kernel void sampled(read_only IMAGE image, sampler_t sampler, __global const float4* places,\n"
    "                      __global float4* out) {\n"
    "  const float4 at = places[get_global_id(0)];\n"
    "  out[get_global_id(0)] = read_imagef(image, sampler, FLOATS);\n"
    "}\n"
    "__constant sampler_t literal = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | "
    "CLK_FILTER_LINEAR;\n"
    "__kernel void by_literal(read_only IMAGE image, __global const float4* places, __global float4* out) {\n"
    "  const float4 at = places[get_global_id(0)];\n"
    "  out[get_global_id(0)] = read_imagef(image, literal, FLOATS);\n"
    "}\n"
    "__kernel void by_integers(read_only IMAGE image, sampler_t sampler, __global const int4* places,\n"
    "                          __global float4* out, __global float4* alone) {\n"
    "  const int4 at = places[get_global_id(0)];\n"
    "  out[get_global_id(0)] = read_imagef(image, sampler, INTS);\n"
    "  if (at.x >= 0 && at.x < get_image_width(image)) alone[get_global_id(0)] = read_imagef(image, INTS);\n"
    "}\n";

enum { kPlaces = 192 };
static cl_command_queue queue;
static float texels[6 * 5 * 4 * 4 + 1024];

// Numbers that look random, the same in every run.
static unsigned next_number(void) {
  static unsigned state = 1;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}
static float between(float low, float high) {
  return low + (high - low) * (float)(next_number() & 0xffff) / 65536;
}

// A texel's channel, or the border's; `i` are numbers within the image, or outside of it.
static float texel(const Shape* shape, const int i[3], int channel) {
  if (i[0] < 0 || i[1] < 0 || i[2] < 0 || i[0] >= (int)shape->width || i[1] >= (int)shape->height ||
      i[2] >= (int)shape->depth)
    return 0;
  return texels[4 * ((i[2] * (int)shape->height + i[1]) * (int)shape->width + i[0]) + channel];
}

static int addressed(int i, int size, cl_addressing_mode mode) {
  switch (mode) {
    case CL_ADDRESS_REPEAT:
      return ((i % size) + size) % size;
    case CL_ADDRESS_CLAMP:
      return i < -1 ? -1 : i > size ? size : i;
    default:
      return i < 0 ? 0 : i >= size ? size - 1 : i;
  }
}

// The place along one dimension, in texels.
static double unnormalized(double at, size_t size, cl_bool normalized, cl_addressing_mode mode) {
  if (!normalized) return at;
  if (mode == CL_ADDRESS_REPEAT) return (at - floor(at)) * (double)size;
  if (mode == CL_ADDRESS_MIRRORED_REPEAT) return fabs(at - 2 * rint(0.5 * at)) * (double)size;
  return at * (double)size;
}

static void reference(const Shape* shape, const float at[4], cl_bool normalized, cl_addressing_mode mode,
                      int linear, float out[4]) {
  const size_t sizes[3] = {shape->width, shape->height, shape->depth};
  int first[3] = {0, 0, 0};
  double weight[3] = {0, 0, 0};
  for (int k = 0; k < shape->dimensions; k++) {
    const double place = unnormalized(at[k], sizes[k], normalized, mode) - (linear ? 0.5 : 0);
    first[k] = (int)floor(place);
    weight[k] = linear ? place - floor(place) : 0;
  }
  if (shape->layered) {
    const int layer = (int)rintf(at[2]), last = (int)shape->depth - 1;
    first[2] = layer < 0 ? 0 : layer > last ? last : layer;
  }
  for (int channel = 0; channel < 4; channel++) {
    double sum = 0;
    for (int corner = 0; corner < 8; corner++) {
      double part = 1;
      int i[3] = {first[0], first[1], first[2]};
      for (int k = 0; k < 3; k++) {
        part *= (corner >> k & 1) ? weight[k] : 1 - weight[k];
        if (k < shape->dimensions) i[k] = addressed(first[k] + (corner >> k & 1), (int)sizes[k], mode);
      }
      if (part != 0) sum += part * texel(shape, i, channel);
    }
    out[channel] = (float)sum;
  }
}

// Weights of hardware have 8 fractional bits.
static void compare(const Shape* shape, const char* what, unsigned mode, int linear, const float* got,
                    const float* expected, int place) {
  const float allowed = linear ? 0.004f * (float)shape->dimensions : 0;
  for (int channel = 0; channel < 4; channel++)
    if (!(fabsf(got[channel] - expected[channel]) <= allowed)) {
      printf("%s %s, mode %x, linear %d, place %d, channel %d: %g, expected %g\n", shape->name, what, mode,
             linear, place, channel, got[channel], expected[channel]);
      failures++;
      return;
    }
}

// Along a dimension a place that is not on a border of texels, where rounding would decide.
static float place_along(size_t size, cl_bool normalized, int far) {
  const int range = far ? 2 * (int)size : 2;
  const int number = (int)(next_number() % (unsigned)((int)size + 2 * range)) - range;
  const float in_texels = (float)number + between(0.1f, 0.4f) + (next_number() % 2 ? 0.5f : 0);
  return normalized ? in_texels / (float)size : in_texels;
}

static void test_shape(const Shape* shape) {
  char options[256];
  snprintf(options, sizeof options, "-DIMAGE=%s -DFLOATS=%s -DINTS=%s", shape->name, shape->floats,
           shape->ints);
  cl_program program = built(kSource, options);
  cl_kernel sampled = kernel_of(program, "sampled"), by_literal = kernel_of(program, "by_literal"),
            by_integers = kernel_of(program, "by_integers");
  for (size_t i = 0; i < 4 * texels_of(shape); i++) texels[i] = between(-1, 1);
  cl_mem image = image_of(shape, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_FLOAT, texels);
  static float places[kPlaces][4], out[kPlaces][4], expected[4];
  cl_mem at = buffer_of(CL_MEM_READ_ONLY, sizeof places, NULL), result = buffer_of(0, sizeof out, NULL);
  OK(clSetKernelArg(sampled, 0, sizeof image, &image));
  OK(clSetKernelArg(sampled, 2, sizeof at, &at));
  OK(clSetKernelArg(sampled, 3, sizeof result, &result));
  for (cl_bool normalized = 0; normalized < 2; normalized++)
    for (cl_addressing_mode mode = CL_ADDRESS_CLAMP_TO_EDGE; mode <= CL_ADDRESS_MIRRORED_REPEAT; mode++)
      for (int linear = 0; linear < 2; linear++) {
        if (!normalized && mode >= CL_ADDRESS_REPEAT) continue;  // not defined
        cl_int error;
        cl_sampler sampler =
            clCreateSampler(context, normalized, mode, linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
        OK(error);
        for (int i = 0; i < kPlaces; i++) {
          const size_t sizes[3] = {shape->width, shape->height, shape->depth};
          for (int k = 0; k < 3; k++) places[i][k] = place_along(sizes[k], normalized, i % 2);
          if (shape->layered) places[i][2] = between(-2, (float)shape->depth + 1);
        }
        OK(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof places, places, 0, NULL, NULL));
        OK(clSetKernelArg(sampled, 1, sizeof sampler, &sampler));
        run_items(queue, sampled, kPlaces);
        OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
        for (int i = 0; i < kPlaces; i++) {
          reference(shape, places[i], normalized, mode, linear, expected);
          compare(shape, normalized ? "normalized" : "texels", mode, linear, out[i], expected, i);
        }
        OK(clReleaseSampler(sampler));
      }

  // The places of the last sampler, which was the same as the literal.
  OK(clSetKernelArg(by_literal, 0, sizeof image, &image));
  OK(clSetKernelArg(by_literal, 1, sizeof at, &at));
  OK(clSetKernelArg(by_literal, 2, sizeof result, &result));
  run_items(queue, by_literal, kPlaces);
  OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  for (int i = 0; i < kPlaces; i++) {
    reference(shape, places[i], CL_TRUE, CL_ADDRESS_MIRRORED_REPEAT, 1, expected);
    compare(shape, "literal", CL_ADDRESS_MIRRORED_REPEAT, 1, out[i], expected, i);
  }

  // Integers, of which the first may lie outside.
  cl_int error;
  cl_sampler border = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
  OK(error);
  static cl_int numbers[kPlaces][4];
  static float alone[kPlaces][4];
  for (int i = 0; i < kPlaces; i++) {
    numbers[i][0] = (int)(next_number() % (shape->width + 6)) - 3;
    numbers[i][1] = (int)(next_number() % shape->height);
    numbers[i][2] = (int)(next_number() % shape->depth);
  }
  memset(alone, 0, sizeof alone);
  cl_mem second = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof alone, alone);
  OK(clEnqueueWriteBuffer(queue, at, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
  OK(clSetKernelArg(by_integers, 0, sizeof image, &image));
  OK(clSetKernelArg(by_integers, 1, sizeof border, &border));
  OK(clSetKernelArg(by_integers, 2, sizeof at, &at));
  OK(clSetKernelArg(by_integers, 3, sizeof result, &result));
  OK(clSetKernelArg(by_integers, 4, sizeof second, &second));
  run_items(queue, by_integers, kPlaces);
  OK(clEnqueueReadBuffer(queue, result, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
  OK(clEnqueueReadBuffer(queue, second, CL_TRUE, 0, sizeof alone, alone, 0, NULL, NULL));
  for (int i = 0; i < kPlaces; i++) {
    for (int channel = 0; channel < 4; channel++) expected[channel] = texel(shape, numbers[i], channel);
    compare(shape, "integers", CL_ADDRESS_CLAMP, 0, out[i], expected, i);
    compare(shape, "no sampler", CL_ADDRESS_NONE, 0, alone[i], expected, i);
  }
  OK(clReleaseMemObject(second));
  OK(clReleaseSampler(border));
  OK(clReleaseMemObject(at));
  OK(clReleaseMemObject(result));
  OK(clReleaseMemObject(image));
  OK(clReleaseKernel(sampled));
  OK(clReleaseKernel(by_literal));
  OK(clReleaseKernel(by_integers));
  OK(clReleaseProgram(program));
}

int main(void) {
  open_device();
  cl_bool images = CL_FALSE;
  OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof images, &images, NULL));
  TRUE_THAT(images);
  queue = queue_with(0);
  for (int i = 0; i < kShapeCount; i++) test_shape(&kShapes[i]);
  return finished("images");
}
