#include "simulate/astra/transport.h"

#include <fmt/format.h>

// Without rendezvous a send goes at once and a receive waits for it. With it the receiver sends a request first, and
// the send waits for that as if it were a receive. Numbers of messages and of what is deferred are used again, from
// free lists.

namespace orrery::simulate::astra {
namespace {

constexpr std::int64_t kRequestBytes = 8192;
constexpr std::int64_t kRequestTag = 1'000'000'000;  // added to the tag of the message that is asked for

MatchKey request_for(const MatchKey& key) { return {key.tag + kRequestTag, kRequestBytes, key.target, key.source}; }

}  // namespace

Transport::Transport(const machine::AstraSystem& system, const Grid& grid, Queue& queue, Dispatcher& dispatcher,
                     bool contended, const Fold* fold)
    : queue_(queue), dispatcher_(dispatcher), fold_(fold), rendezvous_(system.rendezvous), unaware_(system, grid) {
  if (contended) aware_.emplace(system, grid, queue, fold != nullptr);
}

void Transport::send(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag,
                     const Action& when_sent) {
  const MatchKey key{tag, size, source, target};
  if (rendezvous_) post(request_for(key), {ActionKind::send_granted, defer(key, when_sent)});
  else transmit(key, when_sent);
}

void Transport::receive(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag,
                        const Action& when_received) {
  const MatchKey key{tag, size, source, target};
  if (rendezvous_) transmit(request_for(key), {ActionKind::receive_requested, defer(key, when_received)});
  else post(key, when_received);
}

void Transport::send_granted(std::uint32_t number) {
  const Deferred deferred = deferred_[number];
  free_deferred_.push_back(number);
  transmit(deferred.key, deferred.action);
}

void Transport::receive_requested(std::uint32_t number) {
  const Deferred deferred = deferred_[number];
  free_deferred_.push_back(number);
  post(deferred.key, deferred.action);
}

std::uint32_t Transport::defer(const MatchKey& key, const Action& action) {
  if (free_deferred_.empty()) {
    deferred_.push_back({key, action});
    return static_cast<std::uint32_t>(deferred_.size() - 1);
  }
  const std::uint32_t number = free_deferred_.back();
  free_deferred_.pop_back();
  deferred_[number] = {key, action};
  return number;
}

void Transport::post(const MatchKey& key, const Action& when_received) {
  if (!matches_.post(key, when_received)) return;
  Action now = when_received;
  now.value = queue_.now();
  queue_.push(queue_.now(), now);
}

void Transport::transmit(const MatchKey& key, const Action& when_sent) {
  if (key.size <= 0) {
    return dispatcher_.fail(
        {fmt::format("rank {} would send a message of {} bytes to rank {}", key.source, key.size, key.target),
         {},
         Error::kNoOffset,
         "the collective is too small to be split like this: fewer splits or a larger size"});
  }
  if (key.source == key.target) return dispatcher_.fail({fmt::format("rank {} sends a message to itself", key.source)});
  std::uint32_t number = free_message_;
  if (number == ~0u) {
    number = static_cast<std::uint32_t>(messages_.size());
    messages_.emplace_back();
  } else {
    free_message_ = messages_[number].next;
  }
  messages_[number] = {key.tag, key.size, key.source, key.target, when_sent, key.source, ~0u, false};
  if (aware_) return aware_->go_on(messages_, number);
  queue_.push(queue_.now() + unaware_.delay_ns(key.source, key.target, key.size),
              {ActionKind::arrival, number, key.target, queue_.now()});
}

void Transport::arrival(std::uint32_t number) {
  const Message& message = messages_[number];
  if (aware_ && (message.at_switch || message.at != message.target)) return aware_->go_on(messages_, number);
  MatchKey key{message.tag, message.size, message.source, message.target};
  if (fold_ != nullptr) {  // what the representative sends, another rank sends to it
    key.source = fold_->inverse(message.target);
    key.target = Fold::kRepresentative;
  }
  const Action when_sent = message.when_sent;
  messages_[number].next = free_message_;
  free_message_ = number;
  Action waiter;
  // The sender is told before the receiver: what both cause is queued in that order.
  if (matches_.take_waiter(key, waiter)) {
    if (when_sent.kind != ActionKind::none) dispatcher_.run(when_sent);
    dispatcher_.run(waiter);
    return;
  }
  if (when_sent.kind != ActionKind::none) dispatcher_.run(when_sent);
  matches_.keep_arrival(key);
}

}  // namespace orrery::simulate::astra
