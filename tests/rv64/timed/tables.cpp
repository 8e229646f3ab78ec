// Hash tables of strings and of numbers, that grow and shrink, and a list through memory.
#include <cstdint>
#include <cstdio>
#include <string>
#include <unordered_map>
#include <vector>

namespace {

// Open addressing with linear probing.
class Numbers {
 public:
  explicit Numbers(unsigned bits) : slots_(std::size_t{1} << bits), shift_(64 - bits) {}
  void add(std::uint64_t key, long value) {
    std::size_t at = (key * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) % slots_.size();
    slots_[at].key = key;
    slots_[at].sum += value;
  }
  long sum_of(std::uint64_t key) const {
    std::size_t at = (key * 0x9e3779b97f4a7c15u) >> shift_;
    while (slots_[at].key != 0 && slots_[at].key != key) at = (at + 1) % slots_.size();
    return slots_[at].sum;
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    long sum = 0;
  };
  std::vector<Slot> slots_;
  unsigned shift_;
};

struct Node {
  Node* next;
  unsigned value;
};

unsigned walk(std::vector<Node>& nodes) {
  unsigned place = 0, state = 3;
  for (std::size_t i = 0; i < nodes.size(); ++i) nodes[i] = {nullptr, static_cast<unsigned>(i)};
  std::vector<unsigned> order(nodes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<unsigned>(i);
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    state = state * 1664525 + 1013904223;
    std::swap(order[i], order[(state >> 8) % (i + 1)]);
  }
  for (std::size_t i = 0; i + 1 < order.size(); ++i) nodes[order[i]].next = &nodes[order[i + 1]];
  unsigned sum = 0;
  for (const Node* node = &nodes[order[0]]; node != nullptr; node = node->next) sum += node->value * ++place;
  return sum;
}

}  // namespace

int main() {
  std::unordered_map<std::string, int> words;
  for (int i = 0; i < 1500; ++i) ++words["word " + std::to_string(i * i % 700)];
  int most = 0, erased = 0;
  for (const auto& [word, count] : words) most = count > most ? count : most;
  for (int i = 0; i < 700; i += 3) erased += static_cast<int>(words.erase("word " + std::to_string(i)));
  std::printf("%zu words, %d erased, most %d\n", words.size(), erased, most);
  Numbers numbers(10);
  for (std::uint64_t i = 1; i < 8000; ++i) numbers.add(i * i % 613 + 1, static_cast<long>(i));
  long sum = 0;
  for (std::uint64_t i = 1; i <= 613; ++i) sum = sum * 31 + numbers.sum_of(i);
  std::printf("sum %ld\n", sum);
  std::vector<Node> nodes(2000);
  std::printf("walk %u\n", walk(nodes));
  return 0;
}
