// The errors that the specification lists for images and samplers, one call each.
#include "image_help.h"

static const char* kSource =
    "__kernel void both(read_only image2d_t a, write_only image2d_t b, sampler_t s, __global int* out) {\n"
    "  write_imagef(b, (int2)(0, 0), read_imagef(a, s, (float2)(0, 0)));\n"
    "  out[0] = 1;\n"
    "}\n";
static cl_command_queue queue;

static cl_int making(cl_mem_flags flags, const cl_image_format* format, const cl_image_desc* desc,
                     void* from) {
  cl_int error = 1;
  cl_mem image = clCreateImage(context, flags, format, desc, from, &error);
  TRUE_THAT((image == NULL) == (error != CL_SUCCESS));
  if (image != NULL) OK(clReleaseMemObject(image));
  return error;
}

static void test_making(void) {
  const cl_image_format rgba = {CL_RGBA, CL_UNORM_INT8}, no_order = {7, CL_UNORM_INT8},
                        no_pair = {CL_BGRA, CL_FLOAT}, elsewhere = {CL_RGB, CL_UNORM_SHORT_565};
  static cl_uchar4 texels[64 * 64];
  const cl_image_desc good = desc_of(&kShapes[2]);
  cl_image_desc desc = good;
  cl_int error;
  clCreateImage(NULL, 0, &rgba, &desc, NULL, &error);
  IS(CL_INVALID_CONTEXT, error);
  IS(CL_INVALID_VALUE, making(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, &rgba, &desc, NULL));
  IS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, making(0, NULL, &desc, NULL));
  IS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, making(0, &no_order, &desc, NULL));
  IS(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, making(0, &no_pair, &desc, NULL));
  IS(CL_IMAGE_FORMAT_NOT_SUPPORTED, making(0, &elsewhere, &desc, NULL));
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, NULL, NULL));
  desc.image_type = CL_MEM_OBJECT_BUFFER;
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, &desc, NULL));
  desc = good;
  desc.num_mip_levels = 2;
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, &desc, NULL));
  desc = good;
  desc.image_row_pitch = 64;  // of what?
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, &desc, NULL));
  desc.image_row_pitch = 40;  // of 11 texels
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(CL_MEM_COPY_HOST_PTR, &rgba, &desc, texels));
  desc.image_row_pitch = 46;  // not of whole ones
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(CL_MEM_COPY_HOST_PTR, &rgba, &desc, texels));
  desc.image_row_pitch = 48;
  IS(CL_SUCCESS, making(CL_MEM_COPY_HOST_PTR, &rgba, &desc, texels));
  desc = good;
  desc.image_width = 0;
  IS(CL_INVALID_IMAGE_SIZE, making(0, &rgba, &desc, NULL));
  size_t most;
  OK(clGetDeviceInfo(device, CL_DEVICE_IMAGE2D_MAX_WIDTH, sizeof most, &most, NULL));
  desc.image_width = most + 1;
  IS(CL_INVALID_IMAGE_SIZE, making(0, &rgba, &desc, NULL));
  IS(CL_INVALID_HOST_PTR, making(CL_MEM_COPY_HOST_PTR, &rgba, &good, NULL));
  IS(CL_INVALID_HOST_PTR, making(0, &rgba, &good, texels));
  desc = good;
  desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;  // of which buffer?
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, &desc, NULL));
  cl_mem buffer = buffer_of(CL_MEM_READ_ONLY, 40, NULL);
  desc.buffer = buffer;
  IS(CL_INVALID_IMAGE_SIZE, making(CL_MEM_READ_ONLY, &rgba, &desc, NULL));
  desc.image_width = 10;
  IS(CL_SUCCESS, making(CL_MEM_READ_ONLY, &rgba, &desc, NULL));
  IS(CL_INVALID_VALUE, making(CL_MEM_WRITE_ONLY, &rgba, &desc, NULL));
  desc.image_type = CL_MEM_OBJECT_IMAGE3D;
  IS(CL_INVALID_IMAGE_DESCRIPTOR, making(0, &rgba, &desc, NULL));
  OK(clReleaseMemObject(buffer));
  const cl_mem_properties properties[] = {1, 1, 0};
  clCreateImageWithProperties(context, properties, 0, &rgba, &good, NULL, &error);
  IS(CL_INVALID_PROPERTY, error);
  clCreateImage2D(context, 0, &rgba, 4, 4, 64, NULL, &error);
  IS(CL_INVALID_IMAGE_SIZE, error);
  clCreateImage3D(context, 0, &rgba, 4, 0, 4, 0, 0, NULL, &error);
  IS(CL_INVALID_IMAGE_SIZE, error);
  cl_uint count;
  IS(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
  IS(CL_INVALID_CONTEXT, clGetSupportedImageFormats(NULL, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
}

static void test_samplers(void) {
  cl_int error;
  clCreateSampler(context, CL_TRUE, 7, CL_FILTER_NEAREST, &error);
  IS(CL_INVALID_VALUE, error);
  clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 7, &error);
  IS(CL_INVALID_VALUE, error);
  clCreateSampler(NULL, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
  IS(CL_INVALID_CONTEXT, error);
  const cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                         CL_FILTER_LINEAR, 0},
                              unknown[] = {1, 1, 0}, linear[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, 0};
  clCreateSamplerWithProperties(context, twice, &error);
  IS(CL_INVALID_VALUE, error);
  clCreateSamplerWithProperties(context, unknown, &error);
  IS(CL_INVALID_VALUE, error);
  cl_sampler sampler = clCreateSamplerWithProperties(context, linear, &error);
  OK(error);
  cl_bool normalized;
  cl_addressing_mode mode;
  cl_filter_mode filter;
  cl_uint references;
  OK(clRetainSampler(sampler));
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_NORMALIZED_COORDS, sizeof normalized, &normalized, NULL));
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_FILTER_MODE, sizeof filter, &filter, NULL));
  OK(clGetSamplerInfo(sampler, CL_SAMPLER_REFERENCE_COUNT, sizeof references, &references, NULL));
  TRUE_THAT(normalized == CL_TRUE && mode == CL_ADDRESS_CLAMP && filter == CL_FILTER_LINEAR &&
            references == 2);
  IS(CL_INVALID_VALUE, clGetSamplerInfo(sampler, 1, 0, NULL, NULL));
  OK(clReleaseSampler(sampler));
  OK(clReleaseSampler(sampler));
  IS(CL_INVALID_SAMPLER, clReleaseSampler(sampler));
  IS(CL_INVALID_SAMPLER, clGetSamplerInfo(NULL, CL_SAMPLER_FILTER_MODE, 0, NULL, NULL));
}

static void test_transfers(void) {
  static char host[4096];
  cl_int error;
  const Shape *plane = &kShapes[2], *solid = &kShapes[4];
  cl_mem image = image_of(plane, 0, CL_RGBA, CL_UNORM_INT8, NULL),
         other = image_of(plane, 0, CL_R, CL_FLOAT, NULL),
         hidden = image_of(plane, CL_MEM_HOST_NO_ACCESS, CL_RGBA, CL_UNORM_INT8, NULL),
         slices = image_of(solid, 0, CL_RGBA, CL_UNORM_INT8, NULL), buffer = buffer_of(0, 64, NULL);
  const size_t region[3] = {11, 7, 1}, wide[3] = {12, 7, 1}, deep[3] = {11, 7, 2}, empty[3] = {0, 7, 1},
               second[3] = {1, 0, 0};
  const size_t all[3] = {5, 4, 3};
  IS(CL_INVALID_COMMAND_QUEUE,
     clEnqueueReadImage(NULL, image, 1, kOrigin, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT, clEnqueueReadImage(queue, buffer, 1, kOrigin, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, wide, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, second, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, deep, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, empty, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, region, 43, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, region, 44, 44 * 7, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, slices, 1, kOrigin, all, 20, 79, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, NULL, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, 1, kOrigin, region, 0, 0, NULL, 0, NULL, NULL));
  IS(CL_INVALID_OPERATION, clEnqueueReadImage(queue, hidden, 1, kOrigin, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_OPERATION, clEnqueueWriteImage(queue, hidden, 1, kOrigin, region, 0, 0, host, 0, NULL, NULL));
  IS(CL_INVALID_EVENT_WAIT_LIST,
     clEnqueueWriteImage(queue, image, 1, kOrigin, region, 0, 0, host, 1, NULL, NULL));
  IS(CL_IMAGE_FORMAT_MISMATCH,
     clEnqueueCopyImage(queue, image, other, kOrigin, kOrigin, region, 0, NULL, NULL));
  IS(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, kOrigin, kOrigin, region, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueCopyImage(queue, image, hidden, kOrigin, second, region, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueCopyImageToBuffer(queue, image, buffer, kOrigin, region, 0, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT,
     clEnqueueCopyImageToBuffer(queue, image, other, kOrigin, region, 0, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueCopyBufferToImage(queue, buffer, image, 0, kOrigin, region, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, NULL, kOrigin, region, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, host, kOrigin, wide, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, image, CL_TRUE, 0, 4, host, 0, NULL, NULL));
  IS(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
  IS(CL_INVALID_VALUE, clGetImageInfo(image, 1, 0, NULL, NULL));
  size_t row;
  clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, kOrigin, region, NULL, NULL, 0, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clEnqueueMapImage(queue, slices, CL_TRUE, CL_MAP_READ, kOrigin, all, &row, NULL, 0, NULL, NULL, &error);
  IS(CL_INVALID_VALUE, error);
  clEnqueueMapImage(queue, hidden, CL_TRUE, CL_MAP_READ, kOrigin, region, &row, NULL, 0, NULL, NULL, &error);
  IS(CL_INVALID_OPERATION, error);
  const cl_buffer_region part = {0, 4};
  clCreateSubBuffer(image, 0, CL_BUFFER_CREATE_TYPE_REGION, &part, &error);
  IS(CL_INVALID_MEM_OBJECT, error);
}

static void test_arguments(void) {
  cl_int error;
  const Shape* plane = &kShapes[2];
  cl_kernel both = kernel_of(built(kSource, "-cl-kernel-arg-info"), "both");
  cl_kernel_arg_access_qualifier access;
  OK(clGetKernelArgInfo(both, 1, CL_KERNEL_ARG_ACCESS_QUALIFIER, sizeof access, &access, NULL));
  TRUE_THAT(access == CL_KERNEL_ARG_ACCESS_WRITE_ONLY);
  cl_mem image = image_of(plane, 0, CL_RGBA, CL_UNORM_INT8, NULL),
         read_only = image_of(plane, CL_MEM_READ_ONLY, CL_RGBA, CL_UNORM_INT8, NULL),
         write_only = image_of(plane, CL_MEM_WRITE_ONLY, CL_RGBA, CL_UNORM_INT8, NULL),
         solid = image_of(&kShapes[4], 0, CL_RGBA, CL_UNORM_INT8, NULL), buffer = buffer_of(0, 64, NULL);
  cl_sampler sampler = clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_LINEAR, &error);
  OK(error);
  IS(CL_INVALID_ARG_SIZE, clSetKernelArg(both, 0, 4, &image));
  IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(both, 0, sizeof image, NULL));
  IS(CL_INVALID_MEM_OBJECT, clSetKernelArg(both, 0, sizeof sampler, &sampler));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 0, sizeof buffer, &buffer));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 0, sizeof solid, &solid));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 0, sizeof write_only, &write_only));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 1, sizeof read_only, &read_only));
  IS(CL_INVALID_SAMPLER, clSetKernelArg(both, 2, sizeof image, &image));
  IS(CL_INVALID_ARG_SIZE, clSetKernelArg(both, 2, 4, &sampler));
  IS(CL_INVALID_ARG_VALUE, clSetKernelArg(both, 3, sizeof image, &image));
  OK(clSetKernelArg(both, 0, sizeof read_only, &read_only));
  OK(clSetKernelArg(both, 1, sizeof write_only, &write_only));
  OK(clSetKernelArg(both, 3, sizeof buffer, &buffer));
  const size_t one = 1;
  IS(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, both, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clSetKernelArg(both, 2, sizeof sampler, &sampler));
  OK(clEnqueueNDRangeKernel(queue, both, 1, NULL, &one, NULL, 0, NULL, NULL));
  OK(clFinish(queue));
}

int main(void) {
  open_device();
  queue = queue_with(0);
  test_making();
  test_samplers();
  test_transfers();
  test_arguments();
  return finished("image_errors");
}
