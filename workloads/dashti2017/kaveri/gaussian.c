// dashti2017 Figure 15, gaussian: linear equations, solved by elimination, as ../gaussian.cu has it. For each column a kernel makes the
// multipliers of the rows below it, a second one subtracts the row from all of them; the host solves the triangle that is left.
//   gaussian --method svm-fine --size 128 --code FOLDER
#include "application.h"

enum { kTile = 16 };

// The diagonal is larger than the rest of a row.
static float element(struct random* random, int size, int row, int column) {
  const float value = uniform(random);
  return row == column ? (float)size + value : value;
}

int main(int argc, char** argv) {
  begin();
  open_framework(&argc, argv, "gaussian");
  const int size = size_option(&argc, argv, "size", 32, 2, 4096);
  no_more(argc, argv);

  const size_t row_bytes = (size_t)size * sizeof(float);
  struct shared a = new_shared(row_bytes * (size_t)size), multipliers = new_shared(row_bytes * (size_t)size), b = new_shared(row_bytes);
  float *const matrix = a.host, *const right = b.host;
  struct random random = random_of(1);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++) matrix[size * row + column] = element(&random, size, row, column);
    right[row] = 1;
  }
  memset(multipliers.host, 0, multipliers.bytes);
  to_gpu(&multipliers);
  to_gpu(&a);
  to_gpu(&b);
  const size_t tiles = (size_t)((size + kTile - 1) / kTile * kTile);
  for (int column = 0; column < size - 1; column++) {
    run("make_multipliers", (size_t)size, kGroup, 4, (struct argument[]){MEMORY(multipliers), MEMORY(a), VALUE(size), VALUE(column)});
    run_2d("subtract", (const size_t[2]){tiles, tiles}, (const size_t[2]){kTile, kTile}, 5,
           (struct argument[]){MEMORY(multipliers), MEMORY(a), MEMORY(b), VALUE(size), VALUE(column)});
  }
  to_host(&multipliers);
  to_host(&a);
  to_host(&b);
  float* const x = malloc(row_bytes);
  for (int row = size - 1; row >= 0; row--) {
    float left = right[row];
    for (int column = size - 1; column > row; column--) left -= matrix[size * row + column] * x[column];
    x[row] = left / matrix[size * row + row];
  }
  end();

  // Each equation holds, and the multipliers bring each row back: row = triangle's row + multipliers * those above it.
  const float* const multiplier = multipliers.host;
  struct random again = random_of(1);
  for (int row = 0; row < size; row++) {
    double sum = 0;
    for (int column = 0; column < size; column++) {
      const double value = element(&again, size, row, column);
      sum += value * x[column];
      // Of a column each: all of them would be as much work as the elimination.
      if (column != row * 7 % size) continue;
      double product = column >= row ? matrix[size * row + column] : 0;
      for (int k = 0; k < row && k <= column; k++) product += (double)multiplier[size * row + k] * matrix[size * k + column];
      if (!close_to(product, value, 1e-4)) return wrong("gaussian", "a product of row", row, product, value);
    }
    if (!close_to(sum, 1, 1e-4)) return wrong("gaussian", "the left side of equation", row, sum, 1);
  }
  return report();
}
