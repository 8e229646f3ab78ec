kernel void write_entries(global ulong* data, ulong first) {
  const size_t i = get_global_id(0);
  data[i] = first + i;
}

// All work-items write one word.
kernel void write_word(global ulong* data, ulong first) { data[0] = first + get_global_id(0); }
