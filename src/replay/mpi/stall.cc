#include "replay/mpi/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "report/counted.h"

namespace orrery::replay {
namespace {

using workload::ActivityKind;
using workload::Communicator;

constexpr std::size_t kNamedRanks = 8;

std::string list_ranks(const std::vector<std::uint32_t>& ranks) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < ranks.size() && i < kNamedRanks; ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
  if (ranks.size() > kNamedRanks) text += fmt::format(" and {} more", ranks.size() - kNamedRanks);
  return text;
}

class StallWords {
 public:
  StallWords(const ReplayPlan& plan, std::span<const OrreryReplayStall> stalls)
      : matching_(plan.matching()), job_(plan.workload()), stalls_(stalls) {}

  [[nodiscard]] std::string tell() const {
    for (const OrreryReplayStall& stall : stalls_) {
      for (std::uint32_t w = 0; w < stall.waiting_count; ++w) {
        const auto rank = static_cast<std::uint32_t>(stall.rank);
        const std::vector<std::uint32_t> missing = missing_in(rank, stall.waiting[w]);
        if (missing.empty()) continue;
        std::string text =
            fmt::format("{} was never reached by {}", describe(rank, stall.waiting[w]), list_ranks(missing));
        for (std::size_t m = 0; m < missing.size() && m < 3; ++m) text += "; " + why(missing[m]);
        return text;
      }
    }
    std::vector<std::uint32_t> silent;
    for (const OrreryReplayStall& stall : stalls_) {
      if (stall.is_known == 0) silent.push_back(static_cast<std::uint32_t>(stall.rank));
    }
    if (!silent.empty()) return list_ranks(silent) + (silent.size() == 1 ? " does not answer" : " do not answer");
    for (const OrreryReplayStall& stall : stalls_) {
      if (stall.waiting_count > 0)
        return why(static_cast<std::uint32_t>(stall.rank)) + ", which all of its sides reached";
    }
    return "all ranks are at the end of their programs";
  }

 private:
  [[nodiscard]] const OrreryReplayStall* stall_of(std::uint32_t rank) const {
    const auto at = std::find_if(stalls_.begin(), stalls_.end(), [&](const OrreryReplayStall& stall) {
      return stall.rank == static_cast<std::int32_t>(rank);
    });
    return at == stalls_.end() || at->is_known == 0 ? nullptr : &*at;
  }

  /// Whether a rank issued an activity. Lines are streams, then channels (plan_rank.cc).
  [[nodiscard]] bool has_reached(std::uint32_t rank, std::uint32_t activity) const {
    const OrreryReplayStall* const stall = stall_of(rank);
    const workload::LinePlace here = matching_.place(rank, activity);
    const bool is_collective = job_.program(rank).kinds[activity] == ActivityKind::collective;
    const std::size_t line = here.line + (is_collective ? 0 : matching_.lines(rank).streams.size());
    return stall != nullptr && line < stall->line_count && stall->line_ahead[line] > here.place;
  }

  [[nodiscard]] std::vector<std::uint32_t> missing_in(std::uint32_t rank, std::uint32_t activity) const {
    std::vector<std::uint32_t> missing;
    if (job_.program(rank).kinds[activity] == ActivityKind::collective) {
      const Communicator& communicator = matching_.communicator(rank, activity);
      const std::uint64_t place = matching_.place(rank, activity).place;
      for (const std::uint32_t member : communicator.ranks) {
        if (!has_reached(member, matching_.activity_of(communicator, member, place))) missing.push_back(member);
      }
    } else if (const auto message = matching_.message(rank, activity)) {
      const bool is_send = job_.program(rank).kinds[activity] == ActivityKind::send;
      const std::uint32_t other = is_send ? message->target : message->source;
      if (!has_reached(other, is_send ? message->recv : message->send)) missing.push_back(other);
    }
    return missing;
  }

  [[nodiscard]] std::string describe(std::uint32_t rank, std::uint32_t activity) const {
    const workload::Program& program = job_.program(rank);
    if (program.kinds[activity] == ActivityKind::collective) {
      const workload::LinePlace here = matching_.place(rank, activity);
      return fmt::format("{} number {} of {} ({}), in which rank {} waits,",
                         workload::to_string(program.collectives[activity]), here.place + 1,
                         matching_.membership().name_of(matching_.communicator(rank, activity)),
                         job_.describe(rank, activity), rank);
    }
    return fmt::format("the other side of {}", job_.describe(rank, activity));
  }

  [[nodiscard]] std::string why(std::uint32_t rank) const {
    const OrreryReplayStall* const stall = stall_of(rank);
    if (stall == nullptr) return fmt::format("rank {} does not answer", rank);
    if (stall->waiting_count == 0) return fmt::format("rank {} waits for nothing", rank);
    return fmt::format("rank {} waits in {}", rank, job_.describe(rank, stall->waiting[0]));
  }

  const workload::Matching& matching_;
  const workload::Workload& job_;
  std::span<const OrreryReplayStall> stalls_;
};

}  // namespace

std::string describe_stall(const ReplayPlan* plan, std::span<const OrreryReplayStall> stalls, double timeout_s) {
  const std::string head = fmt::format("no rank got on for {:g} s: ", timeout_s);
  if (plan != nullptr) return head + StallWords(*plan, stalls).tell();
  std::string text = head;
  for (const OrreryReplayStall& stall : stalls)
    text +=
        fmt::format("rank {} waits in {}, the first of them node number {}", stall.rank,
                    report::counted(stall.waiting_count, "operation"), stall.waiting_count > 0 ? stall.waiting[0] : 0);
  return text;
}

}  // namespace orrery::replay
