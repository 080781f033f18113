#include "simulate/loggops/loggops.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/counted.h"
#include "simulate/deadlock.h"
#include "simulate/loggops/engine.h"

namespace orrery::simulate::loggops {
namespace {

using workload::ActivityKind;
using workload::Program;

constexpr std::uint64_t kMostLines = std::uint64_t{1} << 24;  // ranks x processors x interfaces: 1 GB

TimePs recorded(const Program& program, std::size_t activity) { return program.duration_ps(activity); }

std::uint8_t cpu_by_kind(const Program& program, std::size_t activity) {
  switch (program.kinds[activity]) {
    case ActivityKind::send:
    case ActivityKind::recv:
    case ActivityKind::collective: return 1;
    case ActivityKind::memory_load:
    case ActivityKind::memory_store: return 2;
    default: return 0;
  }
}

bool has_collectives(const workload::Workload& workload) {
  return std::any_of(workload.programs.begin(), workload.programs.end(), [](const Program& program) {
    return std::find(program.kinds.begin(), program.kinds.end(), ActivityKind::collective) != program.kinds.end();
  });
}

/// "rank 3, node 17 (recv)" for the numbers of a workload's activities.
DescribeOp describe_in(const workload::Workload& workload) {
  return [&workload, first = workload.first_activities()](OpIndex op) {
    const auto rank = static_cast<std::size_t>(std::upper_bound(first.begin(), first.end(), op) - first.begin()) - 1;
    return workload.describe(rank, op - first[rank]);
  };
}

constexpr std::size_t kShown = 3;

std::string tag_text(std::int64_t tag) { return tag == -1 ? "any tag" : fmt::format("tag {}", tag); }

std::string waiting_text(const Operations& operations, OpIndex recv, const DescribeOp& describe) {
  const std::uint32_t peer = operations[recv].peer;
  const std::string source = peer == kAnyPeer ? "any rank" : fmt::format("rank {}", peer);
  return fmt::format("{} waits for a message from {} with {}", describe(recv), source, tag_text(operations.tag(recv)));
}

/// For an engine that is not all_done(): names the first receives that got no message, the first messages that nobody
/// received, and how many operations were not done.
Error explain_stall(const Engine& engine, const Operations& operations, const DescribeOp& describe) {
  std::vector<std::string> reasons;
  std::size_t waiting = 0;
  for (OpIndex i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != Operation::Kind::recv || !engine.is_waiting(i)) continue;
    if (++waiting <= kShown) reasons.push_back(waiting_text(operations, i, describe));
  }
  if (waiting > kShown) reasons.push_back(fmt::format("{} more receives wait", waiting - kShown));
  const std::vector<std::uint64_t> all_kept = engine.matcher().kept_messages();
  const std::vector<OpIndex> kept(all_kept.begin(), all_kept.end());
  for (std::size_t k = 0; k < std::min(kept.size(), kShown); ++k) {
    reasons.push_back(fmt::format("the message of {} to rank {} with {} is never received", describe(kept[k]),
                                  operations[kept[k]].peer, tag_text(operations.tag(kept[k]))));
  }
  if (kept.size() > kShown) reasons.push_back(fmt::format("{} more messages are never received", kept.size() - kShown));
  const std::string reason = fmt::format("{}", fmt::join(reasons, "; "));
  const std::uint64_t all = operations.size(), done = all - engine.undone();
  // Where every operation is done, messages are left over: nobody waits.
  Error error = done < all ? deadlock(engine.now(), done, all, "operations", reason) : Error{.message = reason};
  error.hint = "receives and messages match by rank and tag, in order";
  return error;
}

Result<Simulation> run(const workload::Workload& workload, const Options& options, const DurationOf& duration_of,
                       const DescribeOp& describe) {
  Result<Operations> operations = Operations::lay_out(workload, duration_of, describe);
  if (!operations) return std::move(operations.error());
  const std::uint64_t lines =
      std::uint64_t{operations->cpu_count()} * operations->nic_count() * operations->rank_count();
  if (lines > kMostLines) {
    return Error{fmt::format("{} with {} processors and {} interfaces each are too many",
                             report::counted(operations->rank_count(), "rank"), operations->cpu_count(),
                             operations->nic_count())};
  }
  Engine engine(*operations, options.parameters, options.compat_loggopsim);
  if (const Status ran = engine.run(); !ran) return ran.error();
  if (!engine.all_done()) return explain_stall(engine, *operations, describe);
  return Simulation{engine.schedule(), engine.event_count()};
}

Result<Simulation> run_expanded(const workload::Workload& workload, const Options& options,
                                const DurationOf& duration_of) {
  const CpuOf as_given = [](const Program& program, std::size_t activity) { return program.cpus[activity]; };
  const Result<Expansion> expansion =
      replace_collectives(workload, options.collectives,
                          options.placement == Placement::by_kind ? CpuOf(cpu_by_kind) : as_given, duration_of);
  if (!expansion) return expansion.error();
  const DescribeOp describe = describe_in(workload);
  Result<Simulation> inner =
      run(expansion->workload, options, recorded, [&](OpIndex op) { return describe(expansion->origin[op]); });
  if (!inner) return inner;
  Simulation outer{Schedule(expansion->enters.size(), 0), inner->events};
  // An activity starts with the first of the operations that stand for it and ends with the last.
  for (std::size_t i = 0; i < expansion->enters.size(); ++i) {
    outer.schedule.start_ps[i] = inner->schedule.start_ps[expansion->enters[i]];
    outer.schedule.end_ps[i] = inner->schedule.end_ps[expansion->leaves[i]];
  }
  return outer;
}

}  // namespace

Result<Simulation> simulate(const workload::Workload& workload, const Options& options) {
  if (const Status checked = options.parameters.check(); !checked) return checked.error();
  const DurationOf duration_of = options.duration_of ? options.duration_of : DurationOf(recorded);
  // Placement by kind is written into the copy that the expansion makes, even where there are no collectives.
  if (options.placement == Placement::by_kind || has_collectives(workload))
    return run_expanded(workload, options, duration_of);
  return run(workload, options, duration_of, describe_in(workload));
}

}  // namespace orrery::simulate::loggops
