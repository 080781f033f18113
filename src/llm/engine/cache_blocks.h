// The paged cache of keys and values of one replica (Kwon et al.: Efficient memory management for large language model
// serving with PagedAttention, 2023): blocks of so many tokens, shared by requests that begin alike.
//
// Free blocks stand in a queue, at the start 0, 1, 2, ...; one is taken from its front and then forgets what it held. A
// block that nobody uses any more goes to its end and keeps what it holds until then, so that the least recently used
// is forgotten first.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "llm/engine/requests.h"

namespace orrery::llm {

using BlockIndex = std::uint32_t;
inline constexpr BlockIndex kNoBlock = ~BlockIndex{0};

/// What stands in a block. Tokens of a prompt that its pieces name are the same for all who have the piece; everything
/// else belongs to one request, which finds it again after a preemption.
using BlockIdentity = std::uint64_t;
inline constexpr BlockIdentity kNothingHeld = 0;

/// Which identity each block of each request has: the same for all replicas.
class BlockIdentities {
 public:
  /// Pieces are of `prefix_tokens` tokens, a multiple of `block_tokens`; 0: none are looked at.
  BlockIdentities(const Requests& requests, std::uint32_t block_tokens, std::uint32_t prefix_tokens);

  [[nodiscard]] BlockIdentity of(RequestIndex request, std::uint32_t block) const;
  /// Of shared ones; they are 1 to this number.
  [[nodiscard]] std::uint64_t shared() const { return first_of_piece_.empty() ? 0 : first_of_piece_.back(); }
  static bool is_shared(BlockIdentity identity) { return (identity & kOwn) == 0; }

 private:
  static constexpr BlockIdentity kOwn = BlockIdentity{1} << 63;

  const Requests& requests_;
  std::uint32_t block_tokens_;
  std::uint32_t blocks_per_piece_;
  std::vector<std::uint64_t> first_of_piece_;  // by piece, and the end; empty: no pieces
};

/// The blocks that one request holds in one replica, in the order of its tokens.
struct HeldBlocks {
  std::vector<BlockIndex> blocks = {};
  std::vector<BlockIndex> before = {};        ///< those that it held before it was preempted
  std::vector<std::uint32_t> stood_out = {};  ///< full ones whose identity another block had when they were looked at
  std::uint32_t looked_at = 0;                ///< full blocks that were
};

class CacheBlocks {
 public:
  CacheBlocks(std::uint32_t count, const BlockIdentities& identities, bool keeps_identities);

  [[nodiscard]] std::uint32_t free_blocks() const { return free_; }
  [[nodiscard]] std::uint32_t count() const { return count_; }

  /// The first blocks of a request that are there already: the longest run among its first `full_blocks`.
  void find(RequestIndex request, const HeldBlocks& held, std::uint32_t full_blocks,
            std::vector<BlockIndex>& found) const;
  [[nodiscard]] bool is_free(BlockIndex block) const { return blocks_[block].users == 0; }

  /// Takes part in a block that find() named.
  void share(BlockIndex block, HeldBlocks& held);
  /// So many free blocks; there must be as many.
  void take(std::uint32_t wanted, HeldBlocks& held);
  /// The first `full_blocks` of the request are computed: others find them from now on. A second block with an identity
  /// that is there stays out until the first is forgotten.
  void keep(RequestIndex request, std::uint32_t full_blocks, HeldBlocks& held);
  /// The last one first.
  void give_back(HeldBlocks& held);

 private:
  struct Block {
    BlockIdentity holds = kNothingHeld;
    std::uint32_t place = 0;  ///< of a free one: in the queue, whose places are counted from 0 again after 2^32
    std::uint32_t users = 0;
  };

  [[nodiscard]] bool has(RequestIndex request, std::uint32_t block, const HeldBlocks& held,
                         BlockIdentity identity) const;
  void enter(BlockIndex block, BlockIdentity identity);
  void forget(BlockIndex block);
  BlockIndex take_first();
  void put_last(BlockIndex block);

  const std::uint32_t count_;
  const BlockIdentities& identities_;
  const bool keeps_identities_;
  std::uint32_t free_;
  std::vector<Block> blocks_;  // those that were taken once; the others stand at the front of the queue, in order
  // Free blocks in order. One that is shared again stays where it is, and no longer has that place.
  std::deque<BlockIndex> queue_;
  std::uint32_t first_place_ = 0;
  std::vector<BlockIndex> holders_;  // by shared identity
};

}  // namespace orrery::llm
