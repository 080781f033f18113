#include "match/messages.h"

#include <algorithm>
#include <tuple>

// Sides are sorted into channels of sender, receiver, group and tag. In each, equal sequence numbers pair them if both
// sides count alike; otherwise the order does, and only if as many were sent as received.

namespace orrery::match {
namespace {

/// One side with its channel: places of nodes.
struct Post {
  std::uint32_t source = 0;
  std::uint32_t destination = 0;
  TimePs start = 0;
  MessageSide side;

  [[nodiscard]] auto channel() const { return std::tuple(source, destination, side.group, side.tag); }
};

/// Channel by channel: sends, then receives, each by time. What is left alike keeps the order of the sides, which is
/// one of content.
void sort_by_channel(const Interner& strings, std::vector<Post>& posts) {
  // Groups by their texts: the numbers of texts follow the file's order.
  const auto order = [&](const Post& post) {
    return std::tuple(post.source, post.destination, strings.text(post.side.group), post.side.tag, !post.side.is_send,
                      post.start);
  };
  std::stable_sort(posts.begin(), posts.end(), [&](const Post& a, const Post& b) { return order(a) < order(b); });
}

using Posts = std::vector<Post>;

bool has_distinct_numbers(const Posts& posts) {
  for (std::size_t i = 0; i < posts.size(); ++i) {
    // A number that occurs twice was reused, and tells nothing.
    if (posts[i].side.sequence == kNoNumber || (i > 0 && posts[i].side.sequence == posts[i - 1].side.sequence))
      return false;
  }
  return !posts.empty();
}

/// Those with a number in [low, high], of `posts` that are sorted by number.
Posts between(const Posts& posts, std::int64_t low, std::int64_t high) {
  Posts kept;
  std::copy_if(posts.begin(), posts.end(), std::back_inserter(kept),
               [&](const Post& post) { return post.side.sequence >= low && post.side.sequence <= high; });
  return kept;
}

/// Leaves in both lists what belongs together by number, in that order. False, and no change, if the numbers of the two
/// sides are not the same over the range that both have: each side may count its own operations.
bool keep_equal_numbers(Posts& sends, Posts& receives) {
  const auto by_number = [](const Post& a, const Post& b) { return a.side.sequence < b.side.sequence; };
  Posts s = sends, r = receives;
  std::stable_sort(s.begin(), s.end(), by_number);
  std::stable_sort(r.begin(), r.end(), by_number);
  if (!has_distinct_numbers(s) || !has_distinct_numbers(r)) return false;
  const std::int64_t low = std::max(s.front().side.sequence, r.front().side.sequence);
  const std::int64_t high = std::min(s.back().side.sequence, r.back().side.sequence);
  s = between(s, low, high);
  r = between(r, low, high);
  const auto same = [](const Post& a, const Post& b) { return a.side.sequence == b.side.sequence; };
  if (s.empty() || !std::equal(s.begin(), s.end(), r.begin(), r.end(), same)) return false;
  sends = std::move(s);
  receives = std::move(r);
  return true;
}

/// A side is there from the moment when it was asked for: what a host sends is on its way before the interval of the
/// send begins.
TimePs arrival(const trace::Trace& trace, const MessageSide& side) {
  const trace::RankTrace& rank = trace.ranks[side.node];
  return side.call == kNoCall ? rank.start[side.event] : std::min(rank.start[side.call], rank.start[side.event]);
}

Participation participation_of(const trace::Trace& trace, const MessageSide& side) {
  Participation part = participation(trace, side.node, side.event);
  part.start_ps = arrival(trace, side);
  part.call = side.call;
  return part;
}

void match_channel(const trace::Trace& trace, Posts sends, Posts receives, Exchanges& out) {
  const std::size_t sides = sends.size() + receives.size();
  if (sends.empty() || receives.empty()) {
    out.messages_unmatched += sides;
    return;
  }
  // Messages of one channel do not overtake each other, so that their order pairs them; but only if none is missing.
  if (!keep_equal_numbers(sends, receives) && sends.size() != receives.size()) {
    out.messages_ambiguous += sides;
    return;
  }
  out.messages_unmatched += sides - sends.size() - receives.size();
  for (std::size_t i = 0; i < sends.size(); ++i) {
    const MessageSide& from = sends[i].side;
    const MessageSide& to = receives[i].side;
    const StringId name = trace.ranks[from.node].name[from.event];
    add_message(name, from.sequence == kNoNumber ? static_cast<std::int64_t>(i) : from.sequence,
                participation_of(trace, from), participation_of(trace, to), out);
  }
}

}  // namespace

Participation participation(const trace::Trace& trace, std::uint32_t node, trace::EventIndex event) {
  const trace::RankTrace& rank = trace.ranks[node];
  return {node, event, rank.start[event], rank.end(event), kNoCall, rank.lanes[rank.lane[event]].clock};
}

void add_message(StringId name, std::int64_t sequence, const Participation& sender, const Participation& receiver,
                 Exchanges& out) {
  Exchange message;
  message.name = name;
  message.sequence = sequence;
  message.ordering = Ordering::message;
  message.first = static_cast<std::uint32_t>(out.parts.size());
  message.count = 2;
  out.parts.push_back(sender);
  out.parts.push_back(receiver);
  out.all.push_back(message);
}

void match_messages(const trace::Trace& trace, const std::vector<MessageSide>& sides, Exchanges& out) {
  const NodeOfRank nodes(trace);
  Posts posts;
  for (const MessageSide& side : sides) {
    // Whose message a receive from any source took is not recorded, and clocks that are yet to be aligned cannot tell.
    if (side.peer == kNoNumber || side.peer == workload::kAnyPeer) {
      ++out.peers_unknown;
      continue;
    }
    const std::uint32_t peer = nodes.find(side.peer);
    // The other rank was not recorded, or it is a message to itself, which orders nothing between two.
    if (peer == NodeOfRank::kNone || peer == side.node) {
      ++out.messages_unmatched;
      continue;
    }
    posts.push_back({side.is_send ? side.node : peer, side.is_send ? peer : side.node, arrival(trace, side), side});
  }
  sort_by_channel(trace.strings, posts);
  for (auto begin = posts.begin(); begin != posts.end();) {
    const auto end =
        std::find_if(begin, posts.end(), [&](const Post& post) { return post.channel() != begin->channel(); });
    const auto receives = std::find_if(begin, end, [](const Post& post) { return !post.side.is_send; });
    match_channel(trace, Posts(begin, receives), Posts(receives, end), out);
    begin = end;
  }
}

}  // namespace orrery::match
