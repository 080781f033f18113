#include "simulate/loggops/channels.h"

#include <algorithm>
#include <bit>
#include <vector>

namespace orrery::simulate::loggops {
namespace {

using Kind = Operation::Kind;

/// One side of a channel, as its receiver sees it.
struct End {
  OpIndex op;
  std::int64_t tag;
  std::uint32_t sender;
};

/// Numbers the pairs of sender and tag of one receiver, from 0. Forgets them at no cost when the next begins.
class PairNumbers {
 public:
  void begin(std::size_t pairs) {
    const std::size_t slots = std::bit_ceil(2 * pairs + 1);
    if (slots > table_.size()) table_.assign(slots, {});
    mask_ = table_.size() - 1;
    ++round_;
    count_ = 0;
  }
  std::uint32_t number(std::uint32_t sender, std::int64_t tag) {
    std::uint64_t hash = (static_cast<std::uint64_t>(tag) * 0xc2b2ae3d27d4eb4fu ^ sender) * 0x9e3779b97f4a7c15u;
    for (hash ^= hash >> 32;; ++hash) {
      Entry& entry = table_[hash & mask_];
      if (entry.round != round_) entry = {tag, sender, count_++, round_};
      if (entry.tag == tag && entry.sender == sender) return entry.number;
    }
  }
  [[nodiscard]] std::uint32_t count() const { return count_; }

 private:
  struct Entry {
    std::int64_t tag = 0;
    std::uint32_t sender = 0, number = 0;
    std::uint64_t round = 0;  // of begin(): older ones are free
  };
  std::vector<Entry> table_;
  std::size_t mask_ = 0;
  std::uint64_t round_ = 0;
  std::uint32_t count_ = 0;
};

/// The messages to each rank, in the order of the operations.
struct SendsByReceiver {
  std::vector<std::uint64_t> first;  // by rank, and the total
  Column<End> ends;

  explicit SendsByReceiver(const Operations& operations) : first(operations.rank_count() + 1, 0) {
    for (std::size_t rank = 0; rank < operations.rank_count(); ++rank)
      first[rank + 1] = first[rank] + operations.messages_to()[rank];
    ends.resize_uninitialized(first.back());
    std::vector<std::uint64_t> next(first.begin(), first.end() - 1);
    for (OpIndex i = 0; i < operations.size(); ++i) {
      const Operation& op = operations[i];
      if (op.kind == Kind::send) ends[next[op.peer]++] = {i, operations.tag(i), op.rank};
    }
  }
};

}  // namespace

workload::Envelope envelope_of(const Operations& operations, OpIndex message) {
  const Operation& op = operations[message];
  const bool is_send = op.kind == Kind::send;
  return {is_send ? op.peer : op.rank, is_send ? op.rank : op.peer, 0, operations.tag(message)};
}

void number_channels(Operations& operations, workload::MessageMatcher& matcher) {
  const SendsByReceiver sends(operations);
  PairNumbers numbers;
  std::vector<End> ends;
  for (std::uint32_t rank = 0; rank < operations.rank_count(); ++rank) {
    ends.assign(sends.ends.begin() + sends.first[rank], sends.ends.begin() + sends.first[rank + 1]);
    for (OpIndex i = operations.first(rank); i < operations.first(rank + 1); ++i)
      if (operations[i].kind == Kind::recv) ends.push_back({i, operations.tag(i), operations[i].peer});
    const bool wild = std::any_of(ends.begin(), ends.end(), [](const End& end) {
      return end.sender == kAnyPeer || end.tag == workload::kAnyTag;
    });
    if (wild) {
      matcher.expect_wildcards(rank);
      for (const End& end : ends) operations[end.op].channel = kNoChannel;
      continue;
    }
    numbers.begin(ends.size());
    const std::uint32_t first = matcher.add_channels(0);
    for (const End& end : ends) operations[end.op].channel = first + numbers.number(end.sender, end.tag);
    matcher.add_channels(numbers.count());
  }
}

}  // namespace orrery::simulate::loggops
