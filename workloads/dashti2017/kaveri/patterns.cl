// Adds `by` to each word: `passes` times, each pass as if it knew nothing of the others.
kernel void add(global uint* words, uint by, uint passes) {
  const size_t own = get_global_id(0);
  for (uint pass = 0; pass < passes; pass++) ((volatile global uint*)words)[own] += by;
}
