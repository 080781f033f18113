#include "workload/message_matcher.h"

#include <algorithm>

namespace orrery::workload {
namespace {

bool fits(const Envelope& message, const Envelope& wanted) {
  const bool same_tag = message.tag == wanted.tag || message.tag == kAnyTag || wanted.tag == kAnyTag;
  return same_tag && message.role == wanted.role &&
         (wanted.sender == Envelope::kAnySender || wanted.sender == message.sender);
}

}  // namespace

std::size_t MessageMatcher::EnvelopeHash::operator()(const Envelope& envelope) const {
  // Multiplication by odd constants spreads neighbouring ranks and tags over all bits.
  std::uint64_t hash = (std::uint64_t{envelope.receiver} << 32 | envelope.sender) * 0x9e3779b97f4a7c15u;
  hash ^= (static_cast<std::uint64_t>(envelope.tag) + envelope.role * 0x632be59bd9b4e019u) * 0xc2b2ae3d27d4eb4fu;
  return hash ^ hash >> 29;
}

void MessageMatcher::expect_wildcards(std::uint32_t receiver) {
  if (wildcard_of_[receiver] != kNone) return;
  wildcard_of_[receiver] = static_cast<std::uint32_t>(lists_.size());
  lists_.emplace_back();
}

MessageMatcher::ChannelNumber MessageMatcher::channel(const Envelope& envelope) {
  const auto [it, fresh] = numbers_.emplace(envelope, static_cast<ChannelNumber>(channels_.size()));
  if (fresh) channels_.emplace_back();
  return it->second;
}

MessageMatcher::ChannelNumber MessageMatcher::add_channels(std::size_t count) {
  const auto first = static_cast<ChannelNumber>(channels_.size());
  channels_.resize(channels_.size() + count);
  return first;
}

MessageMatcher::Handle MessageMatcher::meet(Handle handle, const Envelope& envelope, bool is_send) {
  // Without wildcards at the receiver, equal envelopes are all that can meet: a queue per envelope is enough.
  const std::uint32_t place = wildcard_of_[envelope.receiver];
  if (place == kNone) return meet(handle, channel(envelope), is_send);
  std::vector<Waiting>& others = is_send ? lists_[place].posted : lists_[place].kept;
  // The first in the order of arrival or posting, as MPI demands of messages that overtake nobody.
  const auto found = std::find_if(others.begin(), others.end(), [&](const Waiting& other) {
    return is_send ? fits(envelope, other.envelope) : fits(other.envelope, envelope);
  });
  if (found == others.end()) {
    (is_send ? lists_[place].kept : lists_[place].posted).push_back({envelope, handle});
    return kNobody;
  }
  const Handle partner = found->handle;
  others.erase(found);
  return partner;
}

MessageMatcher::Handle MessageMatcher::meet(Handle handle, ChannelNumber number, bool is_send) {
  Queue& queue = channels_[number];
  if (queue.first == kNobody) {
    queue.first = handle;
    queue.of_sends = is_send;
    return kNobody;
  }
  // A queue has sends or receives, never both: those would have met.
  if (queue.of_sends == is_send) {
    append(queue, handle);
    return kNobody;
  }
  const Handle partner = queue.first;
  drop_first(queue);
  return partner;
}

void MessageMatcher::append(Queue& queue, Handle handle) {
  if (unused_ == kNone) {
    unused_ = static_cast<std::uint32_t>(behind_.size());
    behind_.push_back({kNobody, kNone});
  }
  const std::uint32_t place = unused_;
  unused_ = behind_[place].next;
  behind_[place] = {handle, place};
  // `last` points to the last of a ring, whose next is the first: one number per queue for both ends.
  if (queue.last != kNone) {  // into the ring, behind its last
    behind_[place].next = behind_[queue.last].next;
    behind_[queue.last].next = place;
  }
  queue.last = place;
}

void MessageMatcher::drop_first(Queue& queue) {
  if (queue.last == kNone) {
    queue.first = kNobody;
    return;
  }
  const std::uint32_t second = behind_[queue.last].next;
  queue.first = behind_[second].handle;
  if (second == queue.last) queue.last = kNone;
  else behind_[queue.last].next = behind_[second].next;
  behind_[second].next = unused_;
  unused_ = second;
}

std::vector<MessageMatcher::Handle> MessageMatcher::kept_messages() const {
  std::vector<Handle> sends;
  for (const Queue& queue : channels_) {
    if (!queue.of_sends || queue.first == kNobody) continue;
    sends.push_back(queue.first);
    if (queue.last == kNone) continue;
    for (std::uint32_t place = behind_[queue.last].next;; place = behind_[place].next) {
      sends.push_back(behind_[place].handle);
      if (place == queue.last) break;
    }
  }
  for (const Lists& lists : lists_) {
    for (const Waiting& kept : lists.kept) sends.push_back(kept.handle);
  }
  // By handle, so that the order does not depend on that of a hash table.
  std::sort(sends.begin(), sends.end());
  return sends;
}

}  // namespace orrery::workload
