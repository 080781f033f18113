// The paged cache: which blocks are taken, who shares them, and what is found again.
#include "llm/engine/cache_blocks.h"

#include "llm/served.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

using Blocks = std::vector<BlockIndex>;

Blocks found_in(const CacheBlocks& cache, RequestIndex request, std::uint32_t full, const HeldBlocks& held = {}) {
  Blocks found;
  cache.find(request, held, full, found);
  return found;
}

// Requests of 16 tokens in blocks of 4, and pieces of 8: all begin alike, the last one goes on by itself.
Requests alike_requests() { return requests_of({{0, 16, 1, {0, 1}}, {0, 16, 1, {0, 1}}, {0, 16, 1, {0, 2}}}); }

}  // namespace

TEST_CASE("free blocks stand in a queue, and come back last one first") {
  const Requests requests = requests_of({{}, {}, {}});
  const BlockIdentities identities(requests, 4, 0);
  CacheBlocks cache(4, identities, true);
  HeldBlocks first, second, third;
  cache.take(2, first);
  cache.take(1, second);
  CHECK(first.blocks == Blocks{0, 1});
  CHECK(second.blocks == Blocks{2});
  CHECK(cache.free_blocks() == 1);
  cache.give_back(first);
  CHECK(cache.free_blocks() == 3);
  CHECK(first.blocks.empty());
  cache.take(3, third);
  CHECK(third.blocks == Blocks{3, 1, 0});
  CHECK(cache.free_blocks() == 0);
}

TEST_CASE("prompts that begin alike share blocks, each until its last user leaves") {
  const Requests requests = alike_requests();
  const BlockIdentities identities(requests, 4, 8);
  CacheBlocks cache(8, identities, true);
  HeldBlocks first, other;
  cache.take(4, first);
  CHECK(found_in(cache, 1, 4).empty());
  cache.keep(0, 4, first);
  CHECK(found_in(cache, 1, 4) == Blocks{0, 1, 2, 3});
  CHECK(found_in(cache, 1, 3) == Blocks{0, 1, 2});
  CHECK(found_in(cache, 2, 4) == Blocks{0, 1});
  for (const BlockIndex block : Blocks{0, 1}) cache.share(block, other);
  CHECK(cache.free_blocks() == 4);
  cache.give_back(first);
  CHECK(cache.free_blocks() == 6);
  CHECK_FALSE(cache.is_free(0));
  CHECK(cache.is_free(2));
  // A block that nobody uses keeps what it holds until it is taken.
  CHECK(found_in(cache, 1, 4) == Blocks{0, 1, 2, 3});
  HeldBlocks third;
  cache.take(5, third);
  CHECK(third.blocks == Blocks{4, 5, 6, 7, 3});
  CHECK(found_in(cache, 1, 4) == Blocks{0, 1, 2});
}

TEST_CASE("a second block with an identity stays out, and enters when the first is forgotten") {
  const Requests requests = alike_requests();
  const BlockIdentities identities(requests, 4, 8);
  CacheBlocks cache(8, identities, true);
  HeldBlocks first, second, taker;
  cache.take(4, first);
  cache.take(4, second);
  cache.keep(0, 4, first);
  cache.keep(1, 4, second);
  CHECK(second.stood_out.size() == 4);
  CHECK(found_in(cache, 2, 2) == Blocks{0, 1});
  cache.give_back(first);
  cache.take(4, taker);
  CHECK(taker.blocks == Blocks{3, 2, 1, 0});
  CHECK(found_in(cache, 2, 2).empty());
  cache.keep(1, 4, second);
  CHECK(second.stood_out.empty());
  CHECK(found_in(cache, 2, 2) == Blocks{4, 5});
}

TEST_CASE("what is a request's own only it finds again, as far as nobody took it") {
  const Requests requests = requests_of({{0, 12, 1}, {0, 12, 1}});
  const BlockIdentities identities(requests, 4, 0);
  CacheBlocks cache(4, identities, true);
  HeldBlocks mine, other;
  cache.take(3, mine);
  cache.keep(0, 3, mine);
  cache.give_back(mine);
  CHECK(found_in(cache, 0, 3, mine) == Blocks{0, 1, 2});
  CHECK(found_in(cache, 1, 3).empty());
  cache.take(2, other);
  CHECK(other.blocks == Blocks{3, 2});
  CHECK(found_in(cache, 0, 3, mine) == Blocks{0, 1});
}

TEST_CASE("without a prefix cache nothing is found") {
  const Requests requests = alike_requests();
  const BlockIdentities identities(requests, 4, 0);
  CacheBlocks cache(8, identities, false);
  HeldBlocks mine;
  cache.take(4, mine);
  cache.keep(0, 4, mine);
  cache.give_back(mine);
  CHECK(found_in(cache, 0, 4, mine).empty());
  CHECK(found_in(cache, 1, 4).empty());
}
