#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <limits>

#include "simulate/engine/job_plan.h"

namespace orrery::simulate {
namespace {

/// One side of a message. The order of members is the order of matching.
struct Side {
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  std::int64_t tag = 0;
  std::uint32_t place = 0;  ///< among the messages of its rank, in program order
  std::uint32_t rank = 0;
  std::uint32_t activity = 0;

  auto operator<=>(const Side&) const = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0 in it
  /// What both sides of a message have in common.
  [[nodiscard]] auto key() const { return std::tuple(source, target, tag); }
};

Status collect(const workload::Workload& workload, const JobPlan& plan, std::vector<Side>& sends, std::vector<Side>& recvs) {
  for (std::uint32_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    const ProgramPlan& planned = plan.programs[workload.program_of_rank[rank]];
    for (std::uint32_t place = 0; place < planned.messages.size(); ++place) {
      const std::uint32_t i = planned.messages[place];
      const std::int32_t peer = program.peers[i];
      if (!program.has(i, workload::activity::kHasPeer))
        return Error{.message = workload.describe(rank, i) + " does not say which rank it exchanges a message with"};
      if (peer < 0 || static_cast<std::size_t>(peer) >= workload.rank_count()) {
        return Error{.message =
                         fmt::format("{} names rank {}, but there are {} ranks", workload.describe(rank, i), peer, workload.rank_count())};
      }
      const auto other = static_cast<std::uint32_t>(peer);
      if (planned.activities[i].resource == Resource::send) sends.push_back({rank, other, program.tags[i], place, rank, i});
      else recvs.push_back({other, rank, program.tags[i], place, rank, i});
    }
  }
  std::sort(sends.begin(), sends.end());
  std::sort(recvs.begin(), recvs.end());
  return {};
}

Error unmatched(const workload::Workload& workload, const Side& side) {
  const bool is_send = side.rank == side.source && workload.program(side.rank).kinds[side.activity] == workload::ActivityKind::send;
  const std::uint32_t other = is_send ? side.target : side.source;
  return {.message = fmt::format("{} waits for a {} rank {} with tag {} that rank {} never issues",
                                 workload.describe(side.rank, side.activity), is_send ? "recv by" : "send by", other, side.tag, other)};
}

Status check_sizes(const workload::Workload& workload, const Side& send, const Side& recv) {
  const workload::Program& receiver = workload.program(recv.rank);
  const std::int64_t sent = workload.program(send.rank).bytes[send.activity], expected = receiver.bytes[recv.activity];
  if (sent == expected || !receiver.has(recv.activity, workload::activity::kHasBytes)) return {};
  return Error{.message = fmt::format("{} sends {} bytes but {} expects {}", workload.describe(send.rank, send.activity), sent,
                                      workload.describe(recv.rank, recv.activity), expected)};
}

}  // namespace

Status match_messages(const workload::Workload& workload, JobPlan& plan) {
  std::vector<Side> sends, recvs;
  if (Status status = collect(workload, plan, sends, recvs); !status) return status;
  if (sends.size() >= std::numeric_limits<std::uint32_t>::max()) return Error{.message = "there are more than 2^32 messages"};
  plan.message_numbers.assign(plan.first_message.back(), kNone);
  plan.messages.reserve(sends.size());
  for (std::size_t m = 0; m < std::max(sends.size(), recvs.size()); ++m) {
    if (m == recvs.size() || (m < sends.size() && sends[m].key() < recvs[m].key())) return unmatched(workload, sends[m]);
    if (m == sends.size() || recvs[m].key() < sends[m].key()) return unmatched(workload, recvs[m]);
    if (Status status = check_sizes(workload, sends[m], recvs[m]); !status) return status;
    for (const Side& side : {sends[m], recvs[m]})
      plan.message_numbers[plan.first_message[side.rank] + side.place] = static_cast<std::uint32_t>(m);
    plan.messages.push_back(
        {sends[m].source, sends[m].target, sends[m].activity, recvs[m].activity, workload.program(sends[m].rank).bytes[sends[m].activity]});
  }
  return {};
}

}  // namespace orrery::simulate
