#include "workload/message_matcher.h"

#include <algorithm>

namespace orrery::workload {
namespace {

bool fits(const Envelope& message, const Envelope& wanted) {
  const bool same_tag = message.tag == wanted.tag || message.tag == kAnyTag || wanted.tag == kAnyTag;
  return same_tag && message.role == wanted.role && (wanted.sender == Envelope::kAnySender || wanted.sender == message.sender);
}

}  // namespace

std::size_t MessageMatcher::EnvelopeHash::operator()(const Envelope& envelope) const {
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

MessageMatcher::Handle MessageMatcher::meet(Handle handle, const Envelope& envelope, bool is_send) {
  const std::uint32_t place = wildcard_of_[envelope.receiver];
  if (place == kNone) return meet(handle, channel(envelope), is_send);
  std::vector<Waiting>& others = is_send ? lists_[place].posted : lists_[place].kept;
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
  const bool empty = queue.next == queue.waiting.size();
  if (!empty && queue.of_sends != is_send) return queue.waiting[queue.next++];
  if (empty) {
    queue.waiting.clear();
    queue.next = 0;
    queue.of_sends = is_send;
  }
  queue.waiting.push_back(handle);
  return kNobody;
}

std::vector<MessageMatcher::Handle> MessageMatcher::kept_messages() const {
  std::vector<Handle> sends;
  for (const Queue& queue : channels_) {
    if (queue.of_sends) sends.insert(sends.end(), queue.waiting.begin() + static_cast<std::ptrdiff_t>(queue.next), queue.waiting.end());
  }
  for (const Lists& lists : lists_) {
    for (const Waiting& kept : lists.kept) sends.push_back(kept.handle);
  }
  std::sort(sends.begin(), sends.end());
  return sends;
}

}  // namespace orrery::workload
