// The rules for messages.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "report/counted.h"
#include "workload/agreement.h"
#include "workload/matching.h"

namespace orrery::workload {

/// Holds every channel against the one that faces it on the other rank.
class MessageRules {
 public:
  explicit MessageRules(Matching& matching) : matching_(matching), workload_(matching.workload()) {}

  Status match() {
    if (Status status = check_peers(); !status) return status;
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
        return Error{.message = workload_.describe(rank, lines.nameless) +
                                " does not say which rank it exchanges a message with"};
      for (const Channel& channel : lines.channels) {
        const std::uint32_t i = channel.activities.front();
        if (channel.key.role != 0 && workload_.find_role(channel.key.role) == nullptr) {
          return Error{.message = fmt::format("{} counts ranks in role \"{}\", which is not known",
                                              workload_.describe(rank, i), workload_.strings.text(channel.key.role))};
        }
        const std::int64_t peer = workload_.peer_rank(rank, i);
        const bool any = peer == kAnyPeer && !channel.key.is_send;
        if (any || (peer >= 0 && static_cast<std::size_t>(peer) < workload_.rank_count())) continue;
        return Error{.message = fmt::format("{} names rank {}, but the job has {}", workload_.describe(rank, i), peer,
                                            report::counted(workload_.rank_count(), "rank"))};
      }
    }
    return {};
  }

  // Of a channel of sends all that can be wrong; of one of receives only what nobody sends, so that each pair is looked
  // at once.
  Status check_channel(std::uint32_t rank, const Channel& channel) {
    const Membership& membership = matching_.membership();
    const std::uint32_t first = channel.activities.front(), other = membership.peer(rank, channel.key);
    if (other == Membership::kNoRank || membership.takes_as_posted(channel.key.is_send ? other : rank)) return {};
    if (channel.key.role != 0 &&
        !seen_.emplace(channel.key, workload_.program_of_rank[rank], workload_.program_of_rank[other]).second)
      return {};  // the same two programs in the same role: checked on other ranks
    const std::uint32_t line = membership.facing(rank, channel.key);
    if (line == kNoLine) return unmatched(rank, first, channel.key, other);
    const Channel* const facing = &matching_.lines(other).channels[line];
    if (!channel.key.is_send) return {};
    for (std::size_t i = 0; i < std::min(channel.activities.size(), facing->activities.size()); ++i) {
      const Side send{rank, &workload_.program(rank), channel.activities[i]},
          recv{other, &workload_.program(other), facing->activities[i]};
      if (Status status = check_sizes_agree(workload_, send, recv); !status) return status;
    }
    if (channel.activities.size() > facing->activities.size())
      return unmatched(rank, channel.activities[facing->activities.size()], channel.key, other);
    if (channel.activities.size() < facing->activities.size())
      return unmatched(other, facing->activities[channel.activities.size()], facing->key, rank);
    return {};
  }

  [[nodiscard]] Error unmatched(std::uint32_t rank, std::uint32_t activity, const ChannelKey& key,
                                std::uint32_t other) const {
    return {.message = fmt::format("{} waits for a {} rank {} with tag {} that rank {} never issues",
                                   workload_.describe(rank, activity), key.is_send ? "recv by" : "send by", other,
                                   key.tag, other)};
  }

  Matching& matching_;
  const Workload& workload_;
  std::set<std::tuple<ChannelKey, std::uint32_t, std::uint32_t>> seen_;  // of roles: with the two programs
};

Status match_messages(Matching& matching) { return MessageRules(matching).match(); }

}  // namespace orrery::workload
