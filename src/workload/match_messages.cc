// The rules for messages.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "workload/matching.h"

namespace orrery::workload {

/// Holds every channel against the one that faces it on the other rank.
class MessageRules {
 public:
  explicit MessageRules(Matching& matching) : matching_(matching), workload_(matching.workload()) {}

  Status match() {
    if (Status status = check_peers(); !status) return status;
    find_wildcards();
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      for (const Channel& channel : matching_.lines(rank).channels) {
        if (Status status = check_channel(rank, channel); !status) return status;
      }
    }
    return {};
  }

 private:
  Status check_peers() const {
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      const ProgramLines& lines = matching_.lines(rank);
      if (lines.nameless != kNoLine)
        return Error{.message = workload_.describe(rank, lines.nameless) + " does not say which rank it exchanges a message with"};
      for (const Channel& channel : lines.channels) {
        const std::uint32_t i = channel.activities.front();
        if (channel.key.role != 0 && workload_.find_role(channel.key.role) == nullptr) {
          return Error{.message = fmt::format("{} counts ranks in role \"{}\", which is not known", workload_.describe(rank, i),
                                              workload_.strings.text(channel.key.role))};
        }
        const std::int64_t peer = workload_.peer_rank(rank, i);
        const bool any = peer == kAnyPeer && !channel.key.is_send;
        if (any || (peer >= 0 && static_cast<std::size_t>(peer) < workload_.rank_count())) continue;
        return Error{
            .message = fmt::format("{} names rank {}, but there are {} ranks", workload_.describe(rank, i), peer, workload_.rank_count())};
      }
    }
    return {};
  }

  void find_wildcards() {
    matching_.takes_as_posted_.assign(workload_.rank_count(), false);
    for (std::uint32_t rank = 0; rank < workload_.rank_count(); ++rank) {
      if (!matching_.lines(rank).has_wildcards) continue;
      for (const Channel& channel : matching_.lines(rank).channels) {
        if (!channel.key.is_wildcard()) continue;
        matching_.takes_as_posted_[channel.key.is_send ? matching_.peer(rank, channel.activities.front()) : rank] = true;
        matching_.has_wildcards_ = true;
      }
    }
  }

  // Of a channel of sends all that can be wrong; of one of receives only what nobody sends, so that each pair is looked at once.
  Status check_channel(std::uint32_t rank, const Channel& channel) {
    const std::uint32_t first = channel.activities.front(), other = matching_.peer(rank, first);
    if (other == Matching::kNoRank || matching_.takes_as_posted(channel.key.is_send ? other : rank)) return {};
    if (channel.key.role != 0 && !seen_.emplace(channel.key, workload_.program_of_rank[rank], workload_.program_of_rank[other]).second)
      return {};  // the same two programs in the same role: checked on other ranks
    const Channel* const facing = facing_channel(rank, other, channel);
    if (facing == nullptr) return unmatched(rank, first, channel.key, other);
    if (!channel.key.is_send) return {};
    for (std::size_t i = 0; i < std::min(channel.activities.size(), facing->activities.size()); ++i) {
      if (Status status = check_sizes(rank, channel.activities[i], other, facing->activities[i]); !status) return status;
    }
    if (channel.activities.size() > facing->activities.size())
      return unmatched(rank, channel.activities[facing->activities.size()], channel.key, other);
    if (channel.activities.size() < facing->activities.size())
      return unmatched(other, facing->activities[channel.activities.size()], facing->key, rank);
    return {};
  }

  [[nodiscard]] const Channel* facing_channel(std::uint32_t rank, std::uint32_t other, const Channel& channel) const {
    ChannelKey key = channel.key;
    key.is_send = !key.is_send;
    if (key.role == 0) {
      key.peer = rank;
    } else {
      const std::int64_t size = workload_.find_role(key.role)->size();
      key.peer = (size - key.peer) % size;
    }
    const ProgramLines& lines = matching_.lines(other);
    const std::uint32_t line = lines.find_channel(key);
    return line == kNoLine ? nullptr : &lines.channels[line];
  }

  [[nodiscard]] Error unmatched(std::uint32_t rank, std::uint32_t activity, const ChannelKey& key, std::uint32_t other) const {
    return {.message = fmt::format("{} waits for a {} rank {} with tag {} that rank {} never issues", workload_.describe(rank, activity),
                                   key.is_send ? "recv by" : "send by", other, key.tag, other)};
  }

  [[nodiscard]] Status check_sizes(std::uint32_t source, std::uint32_t send, std::uint32_t target, std::uint32_t recv) const {
    const Program& receiver = workload_.program(target);
    const std::int64_t sent = workload_.program(source).bytes[send], expected = receiver.bytes[recv];
    if (sent == expected || !receiver.has(recv, activity::kHasBytes)) return {};
    return Error{.message = fmt::format("{} sends {} bytes but {} expects {}", workload_.describe(source, send), sent,
                                        workload_.describe(target, recv), expected)};
  }

  Matching& matching_;
  const Workload& workload_;
  std::set<std::tuple<ChannelKey, std::uint32_t, std::uint32_t>> seen_;  // of roles: with the two programs
};

Status match_messages(Matching& matching) { return MessageRules(matching).match(); }

}  // namespace orrery::workload
