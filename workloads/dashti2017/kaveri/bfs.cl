struct node {
  int first, edges;
};

// The edges of the nodes in the mask.
kernel void walk(global const struct node* nodes, global const int* edges, global uchar* mask, global uchar* next, global const uchar* visited,
                 global int* cost, int count) {
  const int own = get_global_id(0);
  if (own >= count || !mask[own]) return;
  mask[own] = 0;
  for (int i = nodes[own].first; i < nodes[own].first + nodes[own].edges; i++) {
    const int other = edges[i];
    if (visited[other]) continue;
    cost[other] = cost[own] + 1;
    next[other] = 1;
  }
}

// The next mask, and whether there is one.
kernel void advance(global uchar* mask, global uchar* next, global uchar* visited, global uchar* more, int count) {
  const int own = get_global_id(0);
  if (own >= count || !next[own]) return;
  mask[own] = 1;
  visited[own] = 1;
  *more = 1;
  next[own] = 0;
}
