// Brings messages and receives together as MPI does: in the order of arrival and posting, by sender, role and tag.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "workload/workload.h"

namespace orrery::workload {

/// What a message says on its outside, and what a receive asks for.
struct Envelope {
  static constexpr std::uint32_t kAnySender = ~std::uint32_t{0};

  std::uint32_t receiver = 0;
  std::uint32_t sender = 0;  ///< of a receive: kAnySender for any
  StringId role = 0;
  std::int64_t tag = 0;  ///< kAnyTag fits any

  friend bool operator==(const Envelope&, const Envelope&) = default;
  [[nodiscard]] bool is_wildcard() const { return sender == kAnySender || tag == kAnyTag; }
};

/// Sends and receives are named by handles of the caller's. Every (receiver, sender, role, tag) is a channel: matching
/// is the head of a queue, however many receives are posted. Only receivers that were told to use wildcards search a
/// list from its front, which is where wildcards find their match. What is matched is forgotten.
class MessageMatcher {
 public:
  using Handle = std::uint64_t;
  using ChannelNumber = std::uint32_t;
  static constexpr Handle kNobody = ~Handle{0};

  explicit MessageMatcher(std::size_t rank_count) : wildcard_of_(rank_count, kNone) {}
  /// Before any message to `receiver` or receive of it: it has wildcards, or gets a message with any tag.
  void expect_wildcards(std::uint32_t receiver);
  [[nodiscard]] bool expects_wildcards(std::uint32_t receiver) const { return wildcard_of_[receiver] != kNone; }

  /// For receivers without wildcards: the channel of an envelope, the same for the same envelope.
  ChannelNumber channel(const Envelope& envelope);
  /// For a caller that tells envelopes apart itself: the first of `count` channels that nobody else uses.
  ChannelNumber add_channels(std::size_t count);
  /// Tells the processor that the channel is needed soon.
  void prefetch(ChannelNumber channel) const { __builtin_prefetch(&channels_[channel], 1); }
  /// Who waits first on the channel, on either side; kNobody if nobody does.
  [[nodiscard]] Handle first_waiting(ChannelNumber channel) const { return channels_[channel].first; }

  /// The first posted receive that fits the message, which is then no longer posted; or kNobody, and the message is
  /// kept.
  Handle message_arrives(Handle send, const Envelope& envelope) { return meet(send, envelope, true); }
  /// The first kept message that fits the receive, which is then no longer kept; or kNobody, and the receive is posted.
  Handle recv_is_posted(Handle recv, const Envelope& envelope) { return meet(recv, envelope, false); }
  /// The same where the channel is known.
  Handle message_arrives(Handle send, ChannelNumber channel) { return meet(send, channel, true); }
  Handle recv_is_posted(Handle recv, ChannelNumber channel) { return meet(recv, channel, false); }

  /// Sends whose messages are kept, in ascending order.
  [[nodiscard]] std::vector<Handle> kept_messages() const;

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct EnvelopeHash {
    std::size_t operator()(const Envelope& envelope) const;
  };
  /// Holds sends only, or receives only; nearly always one. Taken from the front.
  struct Queue {
    Handle first = kNobody;      // kNobody: empty
    std::uint32_t last = kNone;  // of those behind the first, whose ring begins after it; kNone: there are none
    bool of_sends = false;
  };
  struct Behind {
    Handle handle;
    std::uint32_t next;
  };
  struct Waiting {
    Envelope envelope;
    Handle handle;
  };
  /// Of a receiver with wildcards.
  struct Lists {
    std::vector<Waiting> kept, posted;
  };

  Handle meet(Handle handle, const Envelope& envelope, bool is_send);
  Handle meet(Handle handle, ChannelNumber channel, bool is_send);
  void append(Queue& queue, Handle handle);
  void drop_first(Queue& queue);

  std::unordered_map<Envelope, ChannelNumber, EnvelopeHash> numbers_;
  std::vector<Queue> channels_;
  std::vector<Behind> behind_;              // those who wait behind the first of their queues
  std::uint32_t unused_ = kNone;            // of behind_: a list
  std::vector<std::uint32_t> wildcard_of_;  // by rank: place in lists_, or kNone
  std::vector<Lists> lists_;
};

}  // namespace orrery::workload
