// Of the rows below `column`.
kernel void make_multipliers(global float* multipliers, global const float* a, int size, int column) {
  const int own = get_global_id(0);
  if (own >= size - 1 - column) return;
  const int row = own + column + 1;
  multipliers[size * row + column] = a[size * row + column] / a[size * column + column];
}

// Neighbours are rows, so accesses of a wavefront lie rows apart.
kernel void subtract(global const float* multipliers, global float* a, global float* b, int size, int column) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= size - 1 - column || y >= size - column) return;
  const int row = x + column + 1;
  a[size * row + y + column] -= multipliers[size * row + column] * a[size * column + y + column];
  if (y == 0) b[row] -= multipliers[size * row + column] * b[column];
}
