// For OpenCL programs about images: an image of a shape, and its texels by reading.
#pragma once
#include "common.h"

typedef struct {
  cl_mem_object_type type;
  const char *name, *floats, *ints;  // in OpenCL C: the type, and its coordinates from the vector `at`
  size_t width, height, depth;       // of arrays the depth is the number of layers; 1: there is no such size
  int dimensions, layered;
} Shape;

static const Shape kShapes[] = {
    {CL_MEM_OBJECT_IMAGE1D, "image1d_t", "at.x", "at.x", 13, 1, 1, 1, 0},
    {CL_MEM_OBJECT_IMAGE1D_ARRAY, "image1d_array_t", "at.xz", "at.xz", 9, 1, 3, 1, 1},
    {CL_MEM_OBJECT_IMAGE2D, "image2d_t", "at.xy", "at.xy", 11, 7, 1, 2, 0},
    {CL_MEM_OBJECT_IMAGE2D_ARRAY, "image2d_array_t", "at", "at", 6, 5, 4, 2, 1},
    {CL_MEM_OBJECT_IMAGE3D, "image3d_t", "at", "at", 5, 4, 3, 3, 0},
};
enum { kShapeCount = sizeof kShapes / sizeof kShapes[0] };

static inline size_t texels_of(const Shape* shape) { return shape->width * shape->height * shape->depth; }

// Origins and regions have the layers of rows second.
static inline void region_of(const Shape* shape, size_t region[3]) {
  region[0] = shape->width;
  region[1] = shape->height;
  region[2] = shape->depth;
  if (shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
    region[1] = shape->depth;
    region[2] = 1;
  }
}

static inline cl_image_desc desc_of(const Shape* shape) {
  cl_image_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.image_type = shape->type;
  desc.image_width = shape->width;
  desc.image_height = shape->height;
  desc.image_depth = shape->layered ? 1 : shape->depth;
  desc.image_array_size = shape->layered ? shape->depth : 1;
  return desc;
}

static inline cl_mem image_of(const Shape* shape, cl_mem_flags flags, cl_channel_order order,
                              cl_channel_type type, void* from) {
  cl_int error;
  const cl_image_format format = {order, type};
  const cl_image_desc desc = desc_of(shape);
  cl_mem image = clCreateImage(context, flags, &format, &desc, from, &error);
  OK(error);
  return image;
}

static const size_t kOrigin[3] = {0, 0, 0};
static inline void read_all(cl_command_queue queue, cl_mem image, const Shape* shape, void* to) {
  size_t region[3];
  region_of(shape, region);
  OK(clEnqueueReadImage(queue, image, CL_TRUE, kOrigin, region, 0, 0, to, 0, NULL, NULL));
}

// A kernel over `count` items with its arguments set.
static inline void run_items(cl_command_queue queue, cl_kernel kernel, size_t count) {
  OK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL));
}
