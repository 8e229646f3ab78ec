// The order between the accesses of a grid's blocks: clocks of the blocks' clocks. A strong access at the
// scope of the device passes on, at its address, the accesses before a fence of its warp, of its own block
// and of others that the warp knew then. A block without strong accesses knows nothing of the others.
//   GridOrder order(grid); GridOrder::Block block; block.start(order, 3, warps);
//   block.fence(warp, order_of_block); block.pass(warp, address, access, order_of_block);
// Left out: in a grid of more than kMostBlocks blocks, a block is ordered behind all once it has taken
// anything over, as the clocks would grow with the square of the blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "check/block_order.h"

namespace duet::check {

class GridOrder {
 public:
  using Stamp = BlockOrder::Stamp;
  using Row = std::shared_ptr<const std::vector<Stamp>>;  // of a block, by warp
  static constexpr std::uint64_t kMostBlocks = 4096;
  struct Rows {
    bool all = false;  // of every block
    std::vector<Row> by_block;
    bool covers(std::uint32_t block, unsigned warp, Stamp stamp) const {
      return all ||
             (block < by_block.size() && by_block[block] != nullptr && stamp <= (*by_block[block])[warp]);
    }
  };
  using Clock = std::shared_ptr<const Rows>;

  explicit GridOrder(std::uint64_t blocks) : blocks_(blocks) {}

  // The warps of one block.
  class Block {
   public:
    void start(GridOrder& grid, std::uint32_t number, unsigned warps);
    // Behind the same of `own`.
    void fence(unsigned warp, const BlockOrder& own);
    // Before the same of `own`.
    void pass(unsigned warp, std::uint64_t address, const StrongAccess& access, const BlockOrder& own);
    void met(const std::vector<unsigned>& warps);
    // Whether an access of another block comes before the warp's present.
    bool ordered(std::uint32_t block, unsigned of, Stamp stamp, unsigned warp, bool strong) const;

   private:
    struct Warp {
      Clock known, pending;  // of other blocks
      Clock fenced;          // of these, at the last fence
      Row own;               // of its block, at the last fence
    };
    void release(Clock& to, const Clock& known, const Row& own) const;
    GridOrder* grid_ = nullptr;
    std::uint32_t number_ = 0;
    std::vector<Warp> warps_;
  };

 private:
  const std::uint64_t blocks_;
  std::unordered_map<std::uint64_t, Clock> passed_on_;  // by address
};

}  // namespace duet::check
