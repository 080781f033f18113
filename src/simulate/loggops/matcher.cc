#include "simulate/loggops/matcher.h"

#include <algorithm>
#include <utility>

namespace orrery::simulate::loggops {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr std::int64_t kAnyTag = -1;

struct Key {
  std::uint64_t ranks;  ///< receiver and sender
  std::int64_t tag;
  bool operator==(const Key&) const = default;
};

/// Numbers distinct keys in order of first appearance: an open-addressing table of numbers.
class Numbering {
 public:
  explicit Numbering(std::size_t most_keys) {
    std::size_t slots = 16;
    while (slots < 2 * most_keys) slots *= 2;
    slots_.assign(slots, kNone);
  }
  std::uint32_t number(const Key& key) {
    std::uint64_t hash = key.ranks * 0x9e3779b97f4a7c15u ^ static_cast<std::uint64_t>(key.tag) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 29;
    for (std::size_t slot = hash & (slots_.size() - 1);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == kNone) {
        slots_[slot] = static_cast<std::uint32_t>(keys_.size());
        keys_.push_back(key);
      }
      if (keys_[slots_[slot]] == key) return slots_[slot];
    }
  }
  [[nodiscard]] std::size_t size() const { return keys_.size(); }

 private:
  std::vector<std::uint32_t> slots_;
  std::vector<Key> keys_;
};

std::uint32_t receiver_of(const Operation& op) { return op.kind == Operation::Kind::send ? op.peer : op.rank; }

}  // namespace

Matcher::Matcher(Operations& operations)
    : operations_(operations), next_(operations.size(), kNoOp), wildcard_of_(operations.rank_count(), kNone) {
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    const Operation& op = operations_[i];
    if (op.kind == Operation::Kind::compute || (op.peer != kAnyPeer && operations_.tag(i) != kAnyTag)) continue;
    std::uint32_t& place = wildcard_of_[receiver_of(op)];
    if (place != kNone) continue;
    place = static_cast<std::uint32_t>(posted_.size());
    posted_.emplace_back();
  }
  kept_.resize(posted_.size());
  number_channels();
}

void Matcher::number_channels() {
  Numbering numbering(operations_.size());
  for (OpIndex i = 0; i < operations_.size(); ++i) {
    Operation& op = operations_[i];
    if (op.kind == Operation::Kind::compute || wildcard_of_[receiver_of(op)] != kNone) continue;
    const bool is_send = op.kind == Operation::Kind::send;
    const std::uint64_t receiver = is_send ? op.peer : op.rank, sender = is_send ? op.rank : op.peer;
    op.channel = numbering.number({receiver << 32 | sender, operations_.tag(i)});
  }
  channels_.resize(numbering.size());
}

void Matcher::append(Queue& queue, OpIndex op) {
  next_[op] = kNoOp;
  (queue.head == kNoOp ? queue.head : next_[queue.tail]) = op;
  queue.tail = op;
}

OpIndex Matcher::take_first(Queue& queue) {
  const OpIndex op = queue.head;
  queue.head = next_[op];
  return op;
}

bool Matcher::fits(OpIndex send, OpIndex recv) const {
  const std::uint32_t source = operations_[recv].peer;
  const std::int64_t sent = operations_.tag(send), wanted = operations_.tag(recv);
  return (source == kAnyPeer || source == operations_[send].rank) && (sent == wanted || sent == kAnyTag || wanted == kAnyTag);
}

OpIndex Matcher::take_fitting(Queue& queue, OpIndex op) {
  const bool is_send = operations_[op].kind == Operation::Kind::send;
  OpIndex before = kNoOp;
  for (OpIndex it = queue.head; it != kNoOp; before = std::exchange(it, next_[it])) {
    if (!(is_send ? fits(op, it) : fits(it, op))) continue;
    (before == kNoOp ? queue.head : next_[before]) = next_[it];
    if (queue.tail == it) queue.tail = before;
    return it;
  }
  return kNoOp;
}

OpIndex Matcher::message_arrives(OpIndex send) {
  const std::uint32_t place = wildcard_of_[operations_[send].peer];
  if (place != kNone) {
    const OpIndex recv = take_fitting(posted_[place], send);
    if (recv == kNoOp) append(kept_[place], send);
    return recv;
  }
  Queue& channel = channels_[operations_[send].channel];
  if (channel.head != kNoOp && operations_[channel.head].kind == Operation::Kind::recv) return take_first(channel);
  append(channel, send);
  return kNoOp;
}

OpIndex Matcher::recv_is_posted(OpIndex recv) {
  const std::uint32_t place = wildcard_of_[operations_[recv].rank];
  if (place != kNone) {
    const OpIndex send = take_fitting(kept_[place], recv);
    if (send == kNoOp) append(posted_[place], recv);
    return send;
  }
  Queue& channel = channels_[operations_[recv].channel];
  if (channel.head != kNoOp && operations_[channel.head].kind == Operation::Kind::send) return take_first(channel);
  append(channel, recv);
  return kNoOp;
}

std::vector<OpIndex> Matcher::kept_messages() const {
  std::vector<OpIndex> sends;
  const auto collect = [&](const Queue& queue) {
    for (OpIndex it = queue.head; it != kNoOp; it = next_[it]) {
      if (operations_[it].kind == Operation::Kind::send) sends.push_back(it);
    }
  };
  for (const Queue& queue : channels_) collect(queue);
  for (const Queue& queue : kept_) collect(queue);
  std::sort(sends.begin(), sends.end());
  return sends;
}

}  // namespace orrery::simulate::loggops
