// dashti2017 Figure 15, bfs: the distance of each node of a graph from the first one, as ../bfs.cu has it.
// Per level a kernel walks the edges of the nodes in a mask, a second one makes the next mask and says by a
// flag whether there is one; the host clears and reads the flag.
//   bfs --method svm-fine --nodes 16384 --code FOLDER
#include "application.h"

struct node {
  int first, edges;
};
enum { kMostEdges = 10 };

// Distances by a queue, without the GPU.
static void distances(const struct node* nodes, const int* edges, int count, int* cost) {
  int* const queue = malloc((size_t)count * sizeof *queue);
  for (int i = 0; i < count; i++) cost[i] = -1;
  cost[0] = queue[0] = 0;
  for (int done = 0, known = 1; done < known; done++)
    for (int i = 0; i < nodes[queue[done]].edges; i++) {
      const int other = edges[nodes[queue[done]].first + i];
      if (cost[other] >= 0) continue;
      cost[other] = cost[queue[done]] + 1;
      queue[known++] = other;
    }
  free(queue);
}

int main(int argc, char** argv) {
  begin();
  open_framework(&argc, argv, "bfs");
  const int count = size_option(&argc, argv, "nodes", 1024, 2, 1 << 22);
  no_more(argc, argv);

  const size_t bytes = (size_t)count;
  struct shared nodes = new_shared(bytes * sizeof(struct node)),
                edges = new_shared(bytes * kMostEdges * sizeof(int));
  struct shared cost = new_shared(bytes * sizeof(int)), mask = new_shared(bytes), next = new_shared(bytes),
                visited = new_shared(bytes), more = new_shared(1);
  struct node* const node = nodes.host;
  int* const edge = edges.host;
  int* const distance = cost.host;
  struct random random = random_of(1);
  int all = 0;
  for (int i = 0; i < count; i++) {
    node[i] = (struct node){all, 1 + below(&random, kMostEdges)};
    for (int j = 0; j < node[i].edges; j++) edge[all++] = below(&random, count);
    distance[i] = -1;
  }
  memset(mask.host, 0, bytes);
  memset(next.host, 0, bytes);
  memset(visited.host, 0, bytes);
  *(uint8_t*)mask.host = *(uint8_t*)visited.host = 1;
  distance[0] = 0;
  const struct shared* const inputs[] = {&nodes, &edges, &cost, &mask, &next, &visited};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) to_gpu(inputs[i]);
  volatile uint8_t* const flag = more.host;
  do {
    *flag = 0;
    to_gpu(&more);
    run("walk", bytes, kGroup, 7,
        (struct argument[]){MEMORY(nodes), MEMORY(edges), MEMORY(mask), MEMORY(next), MEMORY(visited),
                            MEMORY(cost), VALUE(count)});
    run("advance", bytes, kGroup, 5,
        (struct argument[]){MEMORY(mask), MEMORY(next), MEMORY(visited), MEMORY(more), VALUE(count)});
    to_host(&more);
  } while (*flag != 0);
  to_host(&cost);
  int* const result = malloc(bytes * sizeof *result);
  memcpy(result, distance, bytes * sizeof *result);
  end();

  int* const expected = malloc(bytes * sizeof *expected);
  distances(node, edge, count, expected);
  for (int i = 0; i < count; i++)
    if (result[i] != expected[i]) return wrong("bfs", "the distance of node", i, result[i], expected[i]);
  return report();
}
