// The single- and double-precision functions that programs use most, against the host's, within the errors
// that CUDA documents (a few units in the last place; here with room for another implementation of the same
// quality).
#include <math.h>

#include "expect.h"

const int kFunctions = 12;

__global__ void run_float(const float* in, float* out) {
  float x = in[threadIdx.x];
  float* row = out + threadIdx.x * kFunctions;
  row[0] = sinf(x);
  row[1] = cosf(x);
  row[2] = expf(x * 0.25f);
  row[3] = logf(fabsf(x) + 0.01f);
  row[4] = sqrtf(fabsf(x));
  row[5] = powf(fabsf(x) + 0.5f, 1.75f);
  row[6] = floorf(x) + ceilf(x * 1.5f);
  row[7] = fmodf(x, 1.25f);
  row[8] = tanhf(x);
  row[9] = fminf(x, 0.5f) + fmaxf(x, -3.0f);
  row[10] = rintf(x) + truncf(x) + roundf(x);
  row[11] = exp2f(x * 0.5f) + log2f(fabsf(x) + 1.0f);
}

__global__ void run_double(const double* in, double* out) {
  double x = in[threadIdx.x];
  double* row = out + threadIdx.x * kFunctions;
  row[0] = sin(x);
  row[1] = cos(x);
  row[2] = exp(x * 0.25);
  row[3] = log(fabs(x) + 0.01);
  row[4] = sqrt(fabs(x));
  row[5] = pow(fabs(x) + 0.5, 1.75);
  row[6] = floor(x) + ceil(x * 1.5);
  row[7] = fmod(x, 1.25);
  row[8] = tanh(x);
  row[9] = fmin(x, 0.5) + fmax(x, -3.0);
  row[10] = rint(x) + trunc(x) + round(x);
  row[11] = exp2(x * 0.5) + log2(fabs(x) + 1.0);
}

void reference(double x, double* row) {
  row[0] = sin(x);
  row[1] = cos(x);
  row[2] = exp(x * 0.25);
  row[4] = sqrt(fabs(x));
  row[5] = pow(fabs(x) + 0.5, 1.75);
  row[6] = floor(x) + ceil(x * 1.5);
  row[7] = fmod(x, 1.25);
  row[8] = tanh(x);
  row[9] = fmin(x, 0.5) + fmax(x, -3.0);
  row[10] = rint(x) + trunc(x) + round(x);
  row[11] = exp2(x * 0.5) + log2(fabs(x) + 1.0);
}

int main() {
  const int n = 64;
  expect::Array<float> f_in(n), f_out(n * kFunctions);
  expect::Array<double> d_in(n), d_out(n * kFunctions);
  for (int i = 0; i < n; i++) {
    f_in.host[i] = (i - 31.5f) * 0.3125f;
    d_in.host[i] = (i - 31.5) * 0.3125;
  }
  CHECK(cudaMemcpy(f_in.device(), f_in.host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(d_in.device(), d_in.host.data(), n * sizeof(double), cudaMemcpyHostToDevice));
  run_float<<<1, n>>>(f_in.device(), f_out.device());
  CHECK_LAUNCH();
  run_double<<<1, n>>>(d_in.device(), d_out.device());
  CHECK_LAUNCH();
  f_out.fetch();
  d_out.fetch();
  for (int i = 0; i < n; i++) {
    double expected[kFunctions];
    double x = d_in.host[i];  // exact in both precisions
    reference(x, expected);
    for (int k = 0; k < kFunctions; k++) {
      // The float kernel adds 0.01f, not 0.01.
      if (k == 3) expected[3] = log(static_cast<double>(fabsf(f_in.host[i]) + 0.01f));
      expect::near("float", i * kFunctions + k, f_out.host[i * kFunctions + k], expected[k],
                   1e-6 * (1 + fabs(expected[k])));
      if (k == 3) expected[3] = log(fabs(x) + 0.01);
      expect::near("double", i * kFunctions + k, d_out.host[i * kFunctions + k], expected[k],
                   1e-14 * (1 + fabs(expected[k])));
    }
  }
  return expect::pass("math_functions");
}
