// Images without kernels: copies of boxes between images, buffers and the host, patterns, mapping, and what
// clGetImageInfo says of them. Then kernels that read and write one image, and images on a buffer's memory.
#include "image_help.h"

enum { kMost = 6 * 5 * 4 };
static cl_command_queue queue;
static cl_uint all[kMost], back[kMost], other[kMost];

static size_t place(const Shape* shape, const size_t at[3]) {
  size_t region[3];
  region_of(shape, region);
  return (at[2] * region[1] + at[1]) * region[0] + at[0];
}

// A box that leaves a border on each side that has room for it.
static void middle(const Shape* shape, size_t origin[3], size_t region[3]) {
  region_of(shape, region);
  for (int k = 0; k < 3; k++) {
    origin[k] = region[k] > 2 ? 1 : 0;
    region[k] -= region[k] > 2 ? 2 : 0;
  }
}

// Of each texel: whether `a` has `inside` in the box and `outside` elsewhere.
static void compare(const Shape* shape, const char* what, const size_t origin[3], const size_t region[3],
                    const cl_uint* a, const cl_uint* inside, const cl_uint* outside) {
  size_t size[3], at[3];
  region_of(shape, size);
  for (at[2] = 0; at[2] < size[2]; at[2]++)
    for (at[1] = 0; at[1] < size[1]; at[1]++)
      for (at[0] = 0; at[0] < size[0]; at[0]++) {
        int in = 1;
        for (int k = 0; k < 3; k++) in &= at[k] >= origin[k] && at[k] < origin[k] + region[k];
        const size_t i = place(shape, at);
        const cl_uint expected = in ? inside[i] : outside[i];
        if (a[i] != expected) {
          printf("%s %s: texel %zu,%zu,%zu is %x, expected %x\n", shape->name, what, at[0], at[1], at[2],
                 a[i], expected);
          failures++;
          return;
        }
      }
}

static size_t size_info(cl_mem image, cl_image_info what) {
  size_t value = 0;
  OK(clGetImageInfo(image, what, sizeof value, &value, NULL));
  return value;
}

static void test_info(const Shape* shape, cl_mem image) {
  cl_image_format format;
  cl_mem_object_type type;
  OK(clGetImageInfo(image, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
  OK(clGetMemObjectInfo(image, CL_MEM_TYPE, sizeof type, &type, NULL));
  TRUE_THAT(format.image_channel_order == CL_RGBA && format.image_channel_data_type == CL_UNSIGNED_INT8);
  TRUE_THAT(type == shape->type);
  TRUE_THAT(size_info(image, CL_IMAGE_ELEMENT_SIZE) == 4);
  TRUE_THAT(size_info(image, CL_IMAGE_WIDTH) == shape->width);
  TRUE_THAT(size_info(image, CL_IMAGE_HEIGHT) == (shape->dimensions >= 2 ? shape->height : 0));
  TRUE_THAT(size_info(image, CL_IMAGE_DEPTH) == (shape->dimensions == 3 ? shape->depth : 0));
  TRUE_THAT(size_info(image, CL_IMAGE_ARRAY_SIZE) == (shape->layered ? shape->depth : 0));
  TRUE_THAT(size_info(image, CL_IMAGE_ROW_PITCH) >= shape->width * 4);
  TRUE_THAT((size_info(image, CL_IMAGE_SLICE_PITCH) != 0) == (shape->dimensions == 3 || shape->layered));
}

static void test_map(const Shape* shape, cl_mem image, const size_t origin[3], const size_t region[3],
                     const cl_uint* before) {
  cl_int error;
  size_t row, slice = 0, at[3];
  cl_event event;
  char* first = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, region, &row,
                                  &slice, 0, NULL, &event, &error);
  OK(error);
  cl_command_type type;
  OK(clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
  TRUE_THAT(type == CL_COMMAND_MAP_IMAGE);
  OK(clReleaseEvent(event));
  memcpy(other, before, sizeof other);
  const size_t rows_apart = shape->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? slice : row;
  for (at[2] = 0; at[2] < region[2]; at[2]++)
    for (at[1] = 0; at[1] < region[1]; at[1]++)
      for (at[0] = 0; at[0] < region[0]; at[0]++) {
        cl_uint* const texel = (cl_uint*)(first + at[2] * slice + at[1] * rows_apart) + at[0];
        const size_t global[3] = {at[0] + origin[0], at[1] + origin[1], at[2] + origin[2]};
        TRUE_THAT(*texel == before[place(shape, global)]);
        other[place(shape, global)] = *texel += 0x01010101;
      }
  OK(clEnqueueUnmapMemObject(queue, image, first, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, image, first, 0, NULL, NULL));
  read_all(queue, image, shape, back);
  compare(shape, "map", origin, region, back, other, before);
}

static void test_shape(const Shape* shape) {
  const size_t count = texels_of(shape);
  size_t whole[3], origin[3], region[3];
  region_of(shape, whole);
  middle(shape, origin, region);
  for (size_t i = 0; i < kMost; i++) all[i] = (cl_uint)(i * 0x01234567 + 99);
  static cl_uint zeros[kMost];
  cl_mem image = image_of(shape, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, CL_RGBA, CL_UNSIGNED_INT8, all);
  cl_mem second = image_of(shape, CL_MEM_READ_WRITE, CL_RGBA, CL_UNSIGNED_INT8, NULL);
  test_info(shape, image);
  read_all(queue, image, shape, back);
  compare(shape, "read", kOrigin, whole, back, all, all);

  // Between images, and from there through rows of the host that are further apart.
  OK(clEnqueueWriteImage(queue, second, CL_FALSE, kOrigin, whole, 0, 0, zeros, 0, NULL, NULL));
  OK(clEnqueueCopyImage(queue, image, second, origin, origin, region, 0, NULL, NULL));
  read_all(queue, second, shape, back);
  compare(shape, "copy", origin, region, back, all, zeros);
  static char wide[64 * 8 * 8];
  const int sliced = shape->dimensions == 3 || shape->layered;
  OK(clEnqueueReadImage(queue, second, CL_TRUE, origin, region, 64, sliced ? 64 * 8 : 0, wide, 0, NULL,
                        NULL));
  OK(clEnqueueWriteImage(queue, second, CL_TRUE, kOrigin, whole, 0, 0, zeros, 0, NULL, NULL));
  OK(clEnqueueWriteImage(queue, second, CL_TRUE, origin, region, 64, sliced ? 64 * 8 : 0, wide, 0, NULL,
                         NULL));
  read_all(queue, second, shape, back);
  compare(shape, "write", origin, region, back, all, zeros);

  // Through a buffer, whose rows are dense.
  cl_mem buffer = buffer_of(0, 256 + count * 4, NULL);
  OK(clEnqueueCopyImageToBuffer(queue, image, buffer, origin, region, 256, 0, NULL, NULL));
  OK(clEnqueueWriteImage(queue, second, CL_FALSE, kOrigin, whole, 0, 0, zeros, 0, NULL, NULL));
  OK(clEnqueueCopyBufferToImage(queue, buffer, second, 256, origin, region, 0, NULL, NULL));
  read_all(queue, second, shape, back);
  compare(shape, "buffer", origin, region, back, all, zeros);
  OK(clReleaseMemObject(buffer));

  // A colour, as integers; and of 16 bytes a texel as floats.
  const cl_uint colour[4] = {1, 300, 3, 4};
  static cl_uint filled[kMost];
  for (size_t i = 0; i < kMost; i++) filled[i] = 0x0403ff01;
  OK(clEnqueueFillImage(queue, second, colour, origin, region, 0, NULL, NULL));
  read_all(queue, second, shape, back);
  compare(shape, "fill", origin, region, back, filled, back);
  OK(clEnqueueWriteImage(queue, second, CL_TRUE, kOrigin, whole, 0, 0, all, 0, NULL, NULL));
  OK(clEnqueueFillImage(queue, second, colour, origin, region, 0, NULL, NULL));
  read_all(queue, second, shape, back);
  compare(shape, "fill beside", origin, region, back, filled, all);
  cl_mem floats = image_of(shape, 0, CL_RGBA, CL_FLOAT, NULL);
  const float grey[4] = {0.5f, 0.25f, -1, 1};
  static float of_floats[kMost][4];
  OK(clEnqueueFillImage(queue, floats, grey, kOrigin, whole, 0, NULL, NULL));
  read_all(queue, floats, shape, of_floats);
  for (size_t i = 0; i < count; i++) TRUE_THAT(memcmp(of_floats[i], grey, sizeof grey) == 0);
  OK(clReleaseMemObject(floats));

  test_map(shape, image, origin, region, all);
  static cl_uint own[kMost];
  memcpy(own, all, sizeof own);
  cl_mem on_host = image_of(shape, CL_MEM_USE_HOST_PTR, CL_RGBA, CL_UNSIGNED_INT8, own);
  void* pointer;
  OK(clGetMemObjectInfo(on_host, CL_MEM_HOST_PTR, sizeof pointer, &pointer, NULL));
  TRUE_THAT(pointer == own);
  test_map(shape, on_host, origin, region, all);
  OK(clEnqueueMigrateMemObjects(queue, 1, &on_host, 0, 0, NULL, NULL));
  OK(clReleaseMemObject(on_host));
  OK(clReleaseMemObject(image));
  OK(clReleaseMemObject(second));
}

// Within one image, and by the calls of 1.1.
static void test_moves(void) {
  cl_int error;
  const cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
  for (size_t i = 0; i < kMost; i++) all[i] = (cl_uint)i;
  cl_mem image = clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &format, 8, 6, 0, all, &error);
  OK(error);
  const size_t to[3] = {4, 2, 0}, region[3] = {3, 3, 1}, near_by[3] = {2, 2, 0};
  IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, kOrigin, near_by, region, 0, NULL, NULL));
  OK(clEnqueueCopyImage(queue, image, image, kOrigin, to, region, 0, NULL, NULL));
  const size_t whole[3] = {8, 6, 1};
  OK(clEnqueueReadImage(queue, image, CL_TRUE, kOrigin, whole, 0, 0, back, 0, NULL, NULL));
  for (size_t y = 0; y < 6; y++)
    for (size_t x = 0; x < 8; x++) {
      const int moved = x >= 4 && x < 7 && y >= 2 && y < 5;
      TRUE_THAT(back[y * 8 + x] == (moved ? (y - 2) * 8 + x - 4 : y * 8 + x));
    }
  // A plane becomes a slice.
  cl_mem solid = clCreateImage3D(context, 0, &format, 8, 6, 2, 0, 0, NULL, &error);
  OK(error);
  const size_t slice[3] = {0, 0, 1};
  OK(clEnqueueCopyImage(queue, image, solid, kOrigin, slice, whole, 0, NULL, NULL));
  OK(clEnqueueReadImage(queue, solid, CL_TRUE, slice, whole, 0, 0, other, 0, NULL, NULL));
  TRUE_THAT(memcmp(other, back, sizeof(cl_uint) * 48) == 0);
  OK(clReleaseMemObject(solid));
  OK(clReleaseMemObject(image));
}

static const char* kSource =
    "__kernel void twice(read_write image2d_t image) {\n"
    "  int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "  for (int k = 0; k < 3; k++) {\n"
    "    uint4 v = read_imageui(image, at);\n"
    "    write_imageui(image, at, 2 * v + k);\n"
    "    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);\n"
    "  }\n"
    "}\n"
    "__kernel void queries(read_only image2d_array_t a, write_only image3d_t b, read_only image1d_array_t "
    "c,\n"
    "                      read_only image1d_buffer_t d, __global int* out) {\n"
    "  int2 size = get_image_dim(a);\n"
    "  int4 solid = get_image_dim(b);\n"
    "  int all[] = {get_image_width(a), get_image_height(a), (int)get_image_array_size(a), size.x, size.y,\n"
    "               get_image_channel_order(a) == CLK_RGBA, get_image_channel_data_type(a) == "
    "CLK_UNSIGNED_INT8,\n"
    "               get_image_width(b), get_image_height(b), get_image_depth(b), solid.x, solid.y, solid.z, "
    "solid.w,\n"
    "               get_image_width(c), (int)get_image_array_size(c), get_image_width(d)};\n"
    "  for (int i = 0; i < 17; i++) out[i] = all[i];\n"
    "}\n"
    "__kernel void buffer_add(read_only image1d_buffer_t from, write_only image1d_buffer_t to) {\n"
    "  int i = get_global_id(0);\n"
    "  write_imageui(to, i, read_imageui(from, i) + (uint4)(10, 20, 30, 40));\n"
    "}\n"
    "__kernel void transpose(read_only image2d_t from, __global uint* to) {\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  to[x * get_image_height(from) + y] = read_imageui(from, (int2)(x, y)).x;\n"
    "}\n";

static void test_kernels(void) {
  cl_int error;
  cl_program program = built(kSource, "-cl-std=CL2.0");
  cl_kernel twice = kernel_of(program, "twice"), queries = kernel_of(program, "queries"),
            buffer_add = kernel_of(program, "buffer_add"), transpose = kernel_of(program, "transpose");
  const Shape *plane = &kShapes[2], *planes = &kShapes[3], *solid = &kShapes[4], *rows = &kShapes[1];
  for (size_t i = 0; i < kMost; i++) all[i] = (cl_uint)i;
  cl_mem image = image_of(plane, CL_MEM_COPY_HOST_PTR, CL_R, CL_UNSIGNED_INT32, all);
  OK(clSetKernelArg(twice, 0, sizeof image, &image));
  const size_t size[2] = {plane->width, plane->height};
  OK(clEnqueueNDRangeKernel(queue, twice, 2, NULL, size, NULL, 0, NULL, NULL));
  read_all(queue, image, plane, back);
  for (size_t i = 0; i < texels_of(plane); i++) TRUE_THAT(back[i] == 8 * i + 4);

  cl_mem a = image_of(planes, 0, CL_RGBA, CL_UNSIGNED_INT8, NULL),
         b = image_of(solid, 0, CL_R, CL_FLOAT, NULL), c = image_of(rows, 0, CL_R, CL_FLOAT, NULL);
  cl_mem memory = buffer_of(CL_MEM_COPY_HOST_PTR, sizeof all, all),
         out = buffer_of(0, 17 * sizeof(int), NULL);
  const cl_image_format four = {CL_RGBA, CL_UNSIGNED_INT32}, one = {CL_R, CL_UNSIGNED_INT32};
  cl_image_desc desc;
  memset(&desc, 0, sizeof desc);
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
  desc.image_width = kMost / 4;
  desc.buffer = memory;
  cl_mem d = clCreateImage(context, 0, &four, &desc, NULL, &error);
  OK(error);
  cl_mem parent;
  OK(clGetMemObjectInfo(d, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof parent, &parent, NULL));
  TRUE_THAT(parent == memory);
  OK(clGetImageInfo(d, CL_IMAGE_BUFFER, sizeof parent, &parent, NULL));
  TRUE_THAT(parent == memory);
  const cl_mem arguments[] = {a, b, c, d, out};
  for (cl_uint i = 0; i < 5; i++) OK(clSetKernelArg(queries, i, sizeof(cl_mem), &arguments[i]));
  run_items(queue, queries, 1);
  int answers[17];
  const int expected[17] = {6, 5, 4, 6, 5, 1, 1, 5, 4, 3, 5, 4, 3, 0, 9, 3, kMost / 4};
  OK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof answers, answers, 0, NULL, NULL));
  TRUE_THAT(memcmp(answers, expected, sizeof expected) == 0);

  // What a kernel writes to the image is in the buffer.
  cl_mem target = buffer_of(0, sizeof all, NULL);
  desc.buffer = target;
  cl_mem e = clCreateImage(context, 0, &four, &desc, NULL, &error);
  OK(error);
  OK(clReleaseMemObject(target));  // the image keeps it
  OK(clSetKernelArg(buffer_add, 0, sizeof d, &d));
  OK(clSetKernelArg(buffer_add, 1, sizeof e, &e));
  run_items(queue, buffer_add, kMost / 4);
  const size_t row[3] = {kMost / 4, 1, 1};
  OK(clEnqueueReadImage(queue, e, CL_TRUE, kOrigin, row, 0, 0, back, 0, NULL, NULL));
  for (size_t i = 0; i < kMost; i++) TRUE_THAT(back[i] == i + 10 * (i % 4 + 1));
  OK(clReleaseMemObject(e));

  // A plane of 5 x 4 on the buffer, in rows of 16 texels.
  desc.image_type = CL_MEM_OBJECT_IMAGE2D;
  desc.image_width = 5;
  desc.image_height = 4;
  desc.image_row_pitch = 16 * sizeof(cl_uint);
  desc.buffer = memory;
  cl_mem on_buffer = clCreateImage(context, CL_MEM_READ_ONLY, &one, &desc, NULL, &error);
  OK(error);
  cl_mem turned = buffer_of(0, 20 * sizeof(cl_uint), NULL);
  const size_t small[2] = {5, 4};
  // From the source, and from the binary of a program that was built without optimisation: it does not say
  // which of its arguments are images.
  for (int from_binary = 0; from_binary < 2; from_binary++) {
    if (from_binary) {
      cl_program plain = built(kSource, "-cl-std=CL2.0 -cl-opt-disable");
      size_t bytes;
      OK(clGetProgramInfo(plain, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
      unsigned char* binary = malloc(bytes);
      OK(clGetProgramInfo(plain, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
      cl_program again = clCreateProgramWithBinary(context, 1, &device, &bytes,
                                                   (const unsigned char**)&binary, NULL, &error);
      OK(error);
      OK(clBuildProgram(again, 1, &device, NULL, NULL, NULL));
      transpose = kernel_of(again, "transpose");
      free(binary);
    }
    OK(clSetKernelArg(transpose, 0, sizeof on_buffer, &on_buffer));
    OK(clSetKernelArg(transpose, 1, sizeof turned, &turned));
    memset(back, 0, sizeof back);
    OK(clEnqueueWriteBuffer(queue, turned, CL_TRUE, 0, 20 * sizeof(cl_uint), back, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, transpose, 2, NULL, small, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, turned, CL_TRUE, 0, 20 * sizeof(cl_uint), back, 0, NULL, NULL));
    for (size_t x = 0; x < 5; x++)
      for (size_t y = 0; y < 4; y++) TRUE_THAT(back[x * 4 + y] == y * 16 + x);
  }
}

int main(void) {
  open_device();
  queue = queue_with(0);
  for (int i = 0; i < kShapeCount; i++) test_shape(&kShapes[i]);
  test_moves();
  test_kernels();
  return finished("image_transfers");
}
