#include "analyze/hang/waits.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace orrery::analyze {
namespace {

/// The messages of one direction of a pair of ranks of a group: who sends, who receives.
struct Channel {
  std::uint32_t group = 0;
  std::int64_t from = 0, to = 0;
  auto operator<=>(const Channel&) const = default;
};

/// What one side of a channel has called, in order.
struct ChannelSide {
  std::vector<std::uint32_t> calls;
  std::size_t done = 0;
};

using ChannelSides = std::map<Channel, ChannelSide>;

Channel channel_of(const RankCalls& rank, const RecordedCall& call) {
  return call.is_send ? Channel{call.group, rank.rank, call.peer} : Channel{call.group, call.peer, rank.rank};
}

/// Sends and receives of one rank: of a channel it is on one side only, unless it sends to itself.
ChannelSides sides_of(const RankCalls& rank, bool sends) {
  ChannelSides sides;
  for (std::uint32_t c = 0; c < rank.calls.size(); ++c) {
    const RecordedCall& call = rank.calls[c];
    if (!call.is_message || call.is_send != sends || call.peer < 0) continue;
    ChannelSide& side = sides[channel_of(rank, call)];
    side.calls.push_back(c);
    side.done += call.state == CallState::done ? 1 : 0;
  }
  return sides;
}

class ArrowFinder {
 public:
  explicit ArrowFinder(const JobCalls& job) : job_(job), arrows_(job.ranks.size()) {}

  std::vector<std::vector<Arrow>> find() {
    for (std::uint32_t g = 0; g < job_.groups.size(); ++g) find_in_group(g);
    find_in_messages();
    for (std::vector<Arrow>& of_rank : arrows_) {
      std::sort(of_rank.begin(), of_rank.end(),
                [](const Arrow& a, const Arrow& b) { return std::tie(a.target, a.call) < std::tie(b.target, b.call); });
    }
    return std::move(arrows_);
  }

 private:
  void find_in_group(std::uint32_t g) {
    // Who has not come is the same for all who are inside the same collective.
    std::map<std::int64_t, std::vector<std::uint32_t>> absent;
    for (const MemberCalls& member : job_.members[g]) {
      const std::vector<RecordedCall>& calls = job_.ranks[member.rank].calls;
      for (const std::uint32_t c : member.calls) {
        if (calls[c].state != CallState::inside) continue;
        const auto [at, is_new] = absent.try_emplace(calls[c].number);
        if (is_new) at->second = absent_from(g, calls[c].number);
        for (const std::uint32_t other : at->second) {
          if (other != member.rank) arrows_[member.rank].push_back({other, c});
        }
      }
    }
  }

  [[nodiscard]] std::vector<std::uint32_t> absent_from(std::uint32_t g, std::int64_t number) const {
    std::vector<std::uint32_t> absent;
    for (const MemberCalls& member : job_.members[g]) {
      const RecordedCall* const call = job_.find(member, number);
      if (call == nullptr ? !job_.has_passed(member, number) : call->state == CallState::queued)
        absent.push_back(member.rank);
    }
    return absent;
  }

  void find_in_messages() {
    const bool any = std::any_of(job_.ranks.begin(), job_.ranks.end(), [](const RankCalls& rank) {
      return std::any_of(rank.calls.begin(), rank.calls.end(),
                         [](const RecordedCall& call) { return call.is_message; });
    });
    if (!any) return;
    std::vector<ChannelSides> sends, receives;
    for (const RankCalls& rank : job_.ranks) {
      sends.push_back(sides_of(rank, true));
      receives.push_back(sides_of(rank, false));
    }
    for (std::uint32_t r = 0; r < job_.ranks.size(); ++r) {
      for (const auto& [channel, side] : sends[r]) add_arrows(r, channel.to, channel, side, receives);
      for (const auto& [channel, side] : receives[r]) add_arrows(r, channel.from, channel, side, sends);
    }
  }

  void add_arrows(std::uint32_t r, std::int64_t peer, const Channel& channel, const ChannelSide& side,
                  const std::vector<ChannelSides>& others) {
    const std::uint32_t target = job_.place_of(peer);
    const auto other = others[target].find(channel);
    const bool is_cut = job_.ranks[r].is_cut || job_.ranks[target].is_cut;
    for (std::size_t i = 0; i < side.calls.size(); ++i) {
      if (job_.ranks[r].calls[side.calls[i]].state != CallState::inside) continue;
      // Where the first are not recorded any more, the first that is not done is the common place to count from.
      std::optional<std::size_t> at = i;
      if (is_cut && other != others[target].end())
        at = i + other->second.done >= side.done ? std::optional(i + other->second.done - side.done) : std::nullopt;
      if (!at) continue;
      const bool is_there = other != others[target].end() && *at < other->second.calls.size();
      const bool is_queued = is_there && job_.ranks[target].calls[other->second.calls[*at]].state == CallState::queued;
      if ((!is_there || is_queued) && target != r) arrows_[r].push_back({target, side.calls[i]});
    }
  }

  const JobCalls& job_;
  std::vector<std::vector<Arrow>> arrows_;
};

}  // namespace

std::vector<std::vector<Arrow>> find_arrows(const JobCalls& job) { return ArrowFinder(job).find(); }

std::vector<ChainStep> longest_chain(const std::vector<std::vector<Arrow>>& arrows,
                                     const std::vector<std::uint8_t>& ends) {
  constexpr std::uint32_t kNoWay = 0;  // to any of the ends
  struct Way {
    std::uint32_t length = 0;
    std::uint32_t arrow = 0;
  };
  std::vector<Way> best(arrows.size());
  // From the ends backwards: a rank is looked at when all that it waits for have been. Those in circles never are.
  std::vector<std::uint32_t> open(arrows.size(), 0);
  std::vector<std::vector<std::uint32_t>> waiters(arrows.size());
  std::vector<std::uint32_t> ready;
  for (std::uint32_t r = 0; r < arrows.size(); ++r) {
    std::uint32_t last = ~std::uint32_t{0};
    for (const Arrow& arrow : arrows[r]) {
      if (arrow.target == last) continue;
      last = arrow.target;
      ++open[r];
      waiters[arrow.target].push_back(r);
    }
    if (open[r] == 0) ready.push_back(r);
  }
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const std::uint32_t r = ready[i];
    for (std::uint32_t a = 0; a < arrows[r].size(); ++a) {
      const std::uint32_t target = arrows[r][a].target;
      const bool leads = ends[target] != 0 || best[target].length != kNoWay;
      if (leads && best[target].length + 1 > best[r].length) best[r] = {best[target].length + 1, a};
    }
    for (const std::uint32_t waiter : waiters[r]) {
      if (--open[waiter] == 0) ready.push_back(waiter);
    }
  }
  std::uint32_t first = 0;
  for (std::uint32_t r = 1; r < best.size(); ++r) {
    if (best[r].length > best[first].length) first = r;
  }
  std::vector<ChainStep> chain;
  for (std::uint32_t r = first; r < best.size() && best[r].length != kNoWay;) {
    const Arrow& arrow = arrows[r][best[r].arrow];
    chain.push_back({r, arrow.target, arrow.call});
    r = arrow.target;
  }
  return chain;
}

std::vector<std::uint8_t> waited_for(const std::vector<std::vector<Arrow>>& arrows) {
  std::vector<std::uint8_t> reached(arrows.size(), 0);
  for (const std::vector<Arrow>& of_rank : arrows) {
    for (const Arrow& arrow : of_rank) reached[arrow.target] = 1;
  }
  return reached;
}

std::vector<std::uint32_t> ranks_in_circles(const std::vector<std::vector<Arrow>>& arrows) {
  // Tarjan (1972), without recursion: ranks of one strongly connected part wait for one another.
  constexpr std::uint32_t kNew = 0;
  struct Visit {
    std::uint32_t number = kNew, low = 0;
    bool is_open = false;
  };
  struct Step {
    std::uint32_t rank;
    std::size_t next = 0;
  };
  std::vector<Visit> visits(arrows.size());
  std::vector<std::uint32_t> open, in_circles;
  std::vector<Step> way;
  std::uint32_t next_number = 0;
  const auto enter = [&](std::uint32_t rank) {
    visits[rank] = {++next_number, next_number, true};
    open.push_back(rank);
    way.push_back({rank});
  };
  for (std::uint32_t root = 0; root < arrows.size(); ++root) {
    if (visits[root].number != kNew) continue;
    enter(root);
    while (!way.empty()) {
      Step& step = way.back();
      const std::uint32_t rank = step.rank;
      if (step.next < arrows[rank].size()) {
        const std::uint32_t target = arrows[rank][step.next++].target;
        if (visits[target].number == kNew) enter(target);
        else if (visits[target].is_open) visits[rank].low = std::min(visits[rank].low, visits[target].number);
        continue;
      }
      way.pop_back();
      if (!way.empty()) visits[way.back().rank].low = std::min(visits[way.back().rank].low, visits[rank].low);
      if (visits[rank].low != visits[rank].number) continue;
      const auto part = std::find(open.begin(), open.end(), rank);
      if (open.end() - part > 1) in_circles.insert(in_circles.end(), part, open.end());
      for (auto at = part; at != open.end(); ++at) visits[*at].is_open = false;
      open.erase(part, open.end());
    }
  }
  std::sort(in_circles.begin(), in_circles.end());
  return in_circles;
}

}  // namespace orrery::analyze
