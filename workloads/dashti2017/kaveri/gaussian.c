// dashti2017 Figure 15, gaussian: linear equations, solved by elimination, as ../gaussian.cu has it. For each
// column a kernel makes the multipliers of the rows below it, a second one subtracts the row from all of
// them; the host solves the triangle that is left. With --columns the first ones alone, which are the
// longest, and nothing is solved.
//   gaussian --method svm-fine --size 256 --columns 16 --code FOLDER
#include "application.h"

enum { kTile = 16 };

// As in Rodinia's own inputs an element depends on how far from the diagonal it is. The diagonal is larger
// than the rest of a row.
static float* elements(int size) {
  float* const by_distance = malloc((size_t)size * sizeof *by_distance);
  struct random random = random_of(1);
  for (int i = 0; i < size; i++) by_distance[i] = uniform(&random) + (i == 0 ? (float)size : 0);
  return by_distance;
}

// The unknowns of a triangle.
static void solve(const float* matrix, const float* right, int size, float* x) {
  for (int row = size - 1; row >= 0; row--) {
    float left = right[row];
    for (int column = size - 1; column > row; column--) left -= matrix[size * row + column] * x[column];
    x[row] = left / matrix[size * row + row];
  }
}

// What the multipliers took from an element, or from the right side (`apart` is 1), put back.
static double before(const float* values, int apart, const float* multipliers, int size, int columns, int row,
                     int column) {
  double value = values[apart * row + column];
  for (int k = 0; k < row && k < columns; k++)
    value += (double)multipliers[size * row + k] * values[apart * k + column];
  return value;
}

int main(int argc, char** argv) {
  begin();
  open_framework(&argc, argv, "gaussian");
  const int size = size_option(&argc, argv, "size", 32, 2, 4096);
  const int columns = size_option(&argc, argv, "columns", size - 1, 1, size - 1);
  no_more(argc, argv);

  const size_t row_bytes = (size_t)size * sizeof(float);
  struct shared a = new_shared(row_bytes * (size_t)size), multipliers = new_shared(row_bytes * (size_t)size),
                b = new_shared(row_bytes);
  float *const matrix = a.host, *const right = b.host;
  const float* const by_distance = elements(size);
  for (int row = 0; row < size; row++) {
    for (int column = 0; column < size; column++)
      matrix[size * row + column] = by_distance[abs(row - column)];
    right[row] = 1;
  }
  memset(multipliers.host, 0, multipliers.bytes);
  to_gpu(&multipliers);
  to_gpu(&a);
  to_gpu(&b);
  const size_t tiles = (size_t)((size + kTile - 1) / kTile * kTile);
  for (int column = 0; column < columns; column++) {
    run("make_multipliers", (size_t)size, kGroup, 4,
        (struct argument[]){MEMORY(multipliers), MEMORY(a), VALUE(size), VALUE(column)});
    run_2d("subtract", (const size_t[2]){tiles, tiles}, (const size_t[2]){kTile, kTile}, 5,
           (struct argument[]){MEMORY(multipliers), MEMORY(a), MEMORY(b), VALUE(size), VALUE(column)});
  }
  to_host(&multipliers);
  to_host(&a);
  to_host(&b);
  float* const x = calloc((size_t)size, sizeof *x);
  if (columns == size - 1) solve(matrix, right, size, x);
  end();

  // An element of each row and the right sides as they were; and that the equations hold.
  for (int row = 0; row < size; row++) {
    const int column = row * 7 % size;
    const double element_before = before(matrix, size, multipliers.host, size, columns, row, column);
    if (!close_to(element_before, by_distance[abs(row - column)], 1e-4))
      return wrong("gaussian", "an element of row", row, element_before, by_distance[abs(row - column)]);
    const double right_before = before(right, 1, multipliers.host, size, columns, row, 0);
    if (!close_to(right_before, 1, 1e-4))
      return wrong("gaussian", "the right side of row", row, right_before, 1);
    double sum = 0;
    for (int i = 0; i < size; i++) sum += (double)by_distance[abs(row - i)] * x[i];
    if (columns == size - 1 && !close_to(sum, 1, 1e-4))
      return wrong("gaussian", "the left side of row", row, sum, 1);
  }
  return report();
}
