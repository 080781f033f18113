#include "llm/engine/cache_blocks.h"

#include <algorithm>
#include <cassert>

namespace orrery::llm {

BlockIdentities::BlockIdentities(const Requests& requests, std::uint32_t block_tokens, std::uint32_t prefix_tokens)
    : requests_(requests), block_tokens_(block_tokens), blocks_per_piece_(prefix_tokens / block_tokens) {
  if (blocks_per_piece_ == 0 || requests.piece_ends.empty()) return;
  // A piece needs as many identities as blocks of it lie inside some prompt.
  std::vector<std::uint32_t> inside(requests.different_pieces, 0);
  for (RequestIndex request = 0; request < requests.size(); ++request) {
    std::uint32_t blocks = requests.prompt[request] / block_tokens;
    for (const std::uint32_t piece : requests.pieces_of(request)) {
      const std::uint32_t here = std::min(blocks, blocks_per_piece_);
      inside[piece] = std::max(inside[piece], here);
      blocks -= here;
    }
  }
  first_of_piece_.assign(1, 0);
  for (const std::uint32_t blocks : inside) first_of_piece_.push_back(first_of_piece_.back() + blocks);
}

BlockIdentity BlockIdentities::of(RequestIndex request, std::uint32_t block) const {
  if (!first_of_piece_.empty() && block < requests_.prompt[request] / block_tokens_) {
    const auto pieces = requests_.pieces_of(request);
    const std::uint32_t piece = block / blocks_per_piece_;
    // From 1 on, as 0 is nothing.
    if (piece < pieces.size()) return first_of_piece_[pieces[piece]] + block % blocks_per_piece_ + 1;
  }
  return kOwn | (BlockIdentity{request} << 31) | block;
}

CacheBlocks::CacheBlocks(std::uint32_t count, const BlockIdentities& identities, bool keeps_identities)
    : count_(count), identities_(identities), keeps_identities_(keeps_identities), free_(count) {
  if (keeps_identities) holders_.assign(identities.shared() + 1, kNoBlock);
}

bool CacheBlocks::has(RequestIndex, std::uint32_t block, const HeldBlocks& held, BlockIdentity identity) const {
  if (BlockIdentities::is_shared(identity)) return holders_[identity] != kNoBlock;
  // What is a request's own can only be where it was before.
  return block < held.before.size() && held.before[block] != kNoBlock && blocks_[held.before[block]].holds == identity;
}

void CacheBlocks::find(RequestIndex request, const HeldBlocks& held, std::uint32_t full_blocks,
                       std::vector<BlockIndex>& found) const {
  found.clear();
  if (!keeps_identities_) return;
  for (std::uint32_t block = 0; block < full_blocks; ++block) {
    const BlockIdentity identity = identities_.of(request, block);
    if (!has(request, block, held, identity)) return;
    found.push_back(BlockIdentities::is_shared(identity) ? holders_[identity] : held.before[block]);
  }
}

void CacheBlocks::share(BlockIndex block, HeldBlocks& held) {
  if (blocks_[block].users++ == 0) --free_;
  held.blocks.push_back(block);
}

void CacheBlocks::take(std::uint32_t wanted, HeldBlocks& held) {
  assert(wanted <= free_);
  for (; wanted > 0; --wanted) {
    const BlockIndex block = take_first();
    blocks_[block].users = 1;
    held.blocks.push_back(block);
  }
}

void CacheBlocks::enter(BlockIndex block, BlockIdentity identity) {
  blocks_[block].holds = identity;
  if (BlockIdentities::is_shared(identity)) holders_[identity] = block;
}

void CacheBlocks::forget(BlockIndex block) {
  BlockIdentity& holds = blocks_[block].holds;
  if (holds == kNothingHeld) return;
  if (BlockIdentities::is_shared(holds)) holders_[holds] = kNoBlock;
  holds = kNothingHeld;
}

void CacheBlocks::keep(RequestIndex request, std::uint32_t full_blocks, HeldBlocks& held) {
  if (!keeps_identities_) return;
  const auto enters = [&](std::uint32_t at) {
    const BlockIndex block = held.blocks[at];
    // It was found, with its identity.
    if (blocks_[block].holds != kNothingHeld) return true;
    const BlockIdentity identity = identities_.of(request, at);
    if (has(request, at, held, identity)) return false;
    enter(block, identity);
    return true;
  };
  if (!held.stood_out.empty()) std::erase_if(held.stood_out, enters);
  for (; held.looked_at < full_blocks; ++held.looked_at) {
    if (!enters(held.looked_at)) held.stood_out.push_back(held.looked_at);
  }
}

void CacheBlocks::give_back(HeldBlocks& held) {
  for (auto block = held.blocks.rbegin(); block != held.blocks.rend(); ++block) {
    if (--blocks_[*block].users > 0) continue;
    put_last(*block);
    ++free_;
  }
  // Where a full block's own identity stood before, it may still stand.
  for (std::size_t at = 0; at < held.before.size(); ++at) {
    const bool is_in =
        at < held.looked_at && std::find(held.stood_out.begin(), held.stood_out.end(), at) == held.stood_out.end();
    if (at >= held.blocks.size()) held.blocks.push_back(held.before[at]);
    else if (!is_in) held.blocks[at] = held.before[at];
  }
  held.before = std::move(held.blocks);
  held.blocks.clear();
  held.stood_out.clear();
  held.looked_at = 0;
}

BlockIndex CacheBlocks::take_first() {
  assert(free_ > 0);
  --free_;
  if (blocks_.size() < count_) {
    blocks_.emplace_back();
    return static_cast<BlockIndex>(blocks_.size() - 1);
  }
  // Blocks are taken in no order of memory: those that come soon are fetched ahead.
  constexpr std::size_t kAhead = 8;
  while (true) {
    if (queue_.size() > kAhead) __builtin_prefetch(&blocks_[queue_[kAhead]], 1);
    const BlockIndex block = queue_.front();
    queue_.pop_front();
    const bool is_here = blocks_[block].place == first_place_++ && blocks_[block].users == 0;
    if (!is_here) continue;
    forget(block);
    return block;
  }
}

void CacheBlocks::put_last(BlockIndex block) {
  blocks_[block].place = first_place_ + static_cast<std::uint32_t>(queue_.size());
  queue_.push_back(block);
}

}  // namespace orrery::llm
