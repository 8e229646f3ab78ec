// Matrices in double and single precision: products, a decomposition, a relaxation. Prints digits and bits of the results.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { kSize = 24, kGrid = 34 };

static double a[kSize][kSize], b[kSize][kSize], c[kSize][kSize];
static float grid[2][kGrid][kGrid];

static uint64_t bits(double value) {
  uint64_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static void fill(void) {
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      a[i][j] = sin(i * 7 + j) + (i == j ? 4 : 0);
      b[i][j] = 1.0 / (i + j + 1);
    }
}

static void multiply(void) {
  for (int i = 0; i < kSize; ++i)
    for (int k = 0; k < kSize; ++k)
      for (int j = 0; j < kSize; ++j) c[i][j] += a[i][k] * b[k][j];
}

// In place; returns the determinant.
static double decompose(double m[kSize][kSize]) {
  double determinant = 1;
  for (int k = 0; k < kSize; ++k) {
    int pivot = k;
    for (int i = k + 1; i < kSize; ++i)
      if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
    if (pivot != k) {
      determinant = -determinant;
      for (int j = 0; j < kSize; ++j) {
        const double kept = m[k][j];
        m[k][j] = m[pivot][j];
        m[pivot][j] = kept;
      }
    }
    determinant *= m[k][k];
    for (int i = k + 1; i < kSize; ++i) {
      const double factor = m[i][k] /= m[k][k];
      for (int j = k + 1; j < kSize; ++j) m[i][j] -= factor * m[k][j];
    }
  }
  return determinant;
}

static float relax(void) {
  for (int i = 0; i < kGrid; ++i) grid[0][0][i] = grid[1][0][i] = 100;
  for (int step = 0; step < 20; ++step)
    for (int i = 1; i + 1 < kGrid; ++i)
      for (int j = 1; j + 1 < kGrid; ++j) {
        float(*const from)[kGrid] = grid[step % 2];
        grid[1 - step % 2][i][j] = 0.25f * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
      }
  float sum = 0;
  for (int i = 0; i < kGrid; ++i)
    for (int j = 0; j < kGrid; ++j) sum += grid[0][i][j];
  return sum;
}

int main(void) {
  fill();
  multiply();
  double trace = 0;
  for (int i = 0; i < kSize; ++i) trace += c[i][i];
  printf("trace %.15g %016lx\n", trace, bits(trace));
  const double determinant = decompose(a);
  printf("determinant %.15g %016lx\n", determinant, bits(determinant));
  printf("relaxed %.7g\n", relax());
  double root = 2;
  for (int i = 0; i < 200; ++i) root = sqrt(root * exp(-root) + 1.5) + fmod(root, 0.3);
  printf("root %016lx\n", bits(root));
  return 11;
}
