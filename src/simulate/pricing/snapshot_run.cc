#include "simulate/pricing/snapshot_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "simulate/pricing/recording.h"

// A fixed-point iteration: run, price what overlapped, run with those prices, until starts and overlaps settle or the
// passes are used up. Fabrics that share no links may be priced apart; where they do share some, that is remarked on.

namespace orrery::simulate {
namespace {

/// Of a schedule whose activities may have gone to a sink.
TimePs last_finish_ps(const Schedule& schedule) {
  TimePs last = 0;
  for (const RankUse& rank : schedule.ranks) last = std::max(last, rank.finish_ps);
  return last;
}

std::string group_of(const RecordedOp& op, const std::vector<std::string>& names) {
  if (op.kind == CommOp::Kind::message) return "messages";
  return op.flow < names.size() ? names[op.flow] : "collectives";
}

double inflation_of(TimePs price, TimePs isolated) {
  // What takes no time alone cannot be inflated.
  return isolated > 0 ? static_cast<double>(price) / static_cast<double>(isolated) : 1;
}

/// By how much time grows, over all of some operations.
struct Growth {
  std::uint64_t operations = 0;
  double isolated = 0, priced = 0, max = 1;

  void add(TimePs isolated_ps, TimePs price_ps) {
    ++operations;
    isolated += static_cast<double>(isolated_ps);
    priced += static_cast<double>(price_ps);
    max = std::max(max, inflation_of(price_ps, isolated_ps));
  }
  [[nodiscard]] double mean() const { return isolated > 0 ? priced / isolated : 1; }
};

void report_inflation(const Recording& recording, const PricedOperations& priced, const std::vector<std::string>& names,
                      PricingReport& report) {
  Growth all;
  std::map<std::string, Growth> by_group;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    all.add(priced.isolated_ps[i], priced.price_ps[i]);
    by_group[group_of(recording.ops[i], names)].add(priced.isolated_ps[i], priced.price_ps[i]);
  }
  report.operations = all.operations;
  report.max_inflation = all.max;
  report.mean_inflation = all.mean();
  for (const auto& [name, growth] : by_group)
    report.groups.push_back({name, growth.operations, growth.max, growth.mean()});
  // Groups of equal growth stay in the order of their names.
  std::stable_sort(report.groups.begin(), report.groups.end(),
                   [](const GroupInflation& a, const GroupInflation& b) { return a.mean > b.mean; });
}

void report_snapshots(const PricedOperations& priced, PricingReport& report) {
  report.snapshots = priced.intervals.size();
  std::vector<SnapshotSummary> all;
  for (const SnapshotInterval& interval : priced.intervals) {
    if (interval.failed) ++report.failed_snapshots;
    SnapshotSummary summary{interval.start_ps, interval.end_ps, static_cast<std::uint32_t>(interval.members.size())};
    for (const SnapshotMember& member : interval.members)
      summary.inflation = std::max(summary.inflation, member.inflation);
    all.push_back(summary);
  }
  const std::size_t kept = std::min(all.size(), PricingReport::kSlowest);
  const auto worse = [](const SnapshotSummary& a, const SnapshotSummary& b) {
    // Of equals the earlier, so that the list is the same every time.
    if (a.inflation != b.inflation) return a.inflation > b.inflation;
    return a.start_ps < b.start_ps;
  };
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), worse);
  all.resize(kept);
  report.slowest = std::move(all);
}

SnapshotManifest manifest_of(Recording recording, PricedOperations priced, const std::vector<std::string>& names,
                             std::uint32_t pass) {
  SnapshotManifest manifest;
  manifest.pass = pass;
  for (std::size_t i = 0; i < recording.ops.size(); ++i) {
    const RecordedOp& op = recording.ops[i];
    manifest.operations.push_back({.id = op.id,
                                   .kind = op.kind,
                                   .collective = op.collective,
                                   .bytes = op.bytes,
                                   .group = group_of(op, names),
                                   .rank_set = op.rank_set,
                                   .start_ps = op.start_ps,
                                   .end_ps = op.end_ps,
                                   .isolated_ps = priced.isolated_ps[i],
                                   .price_ps = priced.price_ps[i]});
  }
  manifest.rank_sets = std::move(recording.rank_sets);
  manifest.intervals = std::move(priced.intervals);
  return manifest;
}

void warn(const PricedOperations& priced, const PricingReport& report, Diagnostics& diagnostics) {
  if (report.failed_snapshots > 0) diagnostics.add_many(kFailedSnapshot, report.failed_snapshots, priced.first_failure);
  // Possible, as in all schedules of this kind: a delay in one place may order another better.
  if (report.makespan_ps < report.isolated_makespan_ps) {
    diagnostics.add(kFasterThanIsolated, [&] {
      return fmt::format("{} ps with sharing, {} ps without", report.makespan_ps, report.isolated_makespan_ps);
    });
  }
}

}  // namespace

Result<SnapshotOutcome> run_snapshots(const SnapshotRun& run, SnapshotPricer& pricer, Lowering& lowering,
                                      const PricingOptions& options, Diagnostics& diagnostics) {
  RecordingModel recorder(pricer.model());
  Result<Schedule> schedule = run.execute(recorder, false);
  if (!schedule) return schedule.error();
  SnapshotOutcome outcome;
  PricingReport& report = outcome.report;
  report.isolated_makespan_ps = last_finish_ps(*schedule);
  Recording recording = recorder.take();
  SnapshotSettings settings{.merge_ps = std::llround(options.merge_us * static_cast<double>(kPsPerUs)),
                            .threshold = options.reprice_threshold};
  for (std::uint32_t pass = 1;; ++pass) {
    std::vector<std::uint32_t> fabrics;
    if (options.partition_by_fabric) {
      fabrics = fabrics_of(recording, lowering.network());
      const auto shared = links_of_several_fabrics(recording, fabrics, lowering);
      if (!shared) return shared.error();
      // The links do not change from pass to pass, so one remark is enough.
      if (pass == 1 && !shared->empty())
        diagnostics.add_many(kUnsafePartition, shared->size(), lowering.network().link_name((*shared)[0]));
    }
    settings.fabric_of = fabrics;
    Result<PricedOperations> priced = pricer.price(recording, settings);
    if (!priced) return priced.error();
    pricer.apply(recording, *priced);
    recorder.restart();
    schedule = run.execute(recorder, true);
    if (!schedule) return schedule.error();
    Recording next = recorder.take();
    report.passes = pass;
    report.makespan_ps = last_finish_ps(*schedule);
    const bool may_repeat = pass < options.passes;
    // Who overlaps whom takes a while to find, and is found only where somebody will look at it.
    if (may_repeat || run.keep) report.overlap_mismatch = overlap_mismatch(recording, next);
    // A second pass pays where the prices moved what they were taken from: starts, or who met whom.
    const double allowed_ps = options.second_pass_share * static_cast<double>(report.makespan_ps);
    const bool settled = static_cast<double>(largest_shift_ps(recording, next)) <= allowed_ps &&
                         report.overlap_mismatch <= options.second_pass_share;
    if (!settled && may_repeat) {
      recording = std::move(next);
      continue;
    }
    outcome.schedule = std::move(*schedule);
    report.fallbacks = priced->fallbacks;
    if (!run.keep) return outcome;
    report.coalesced = priced->coalesced;
    report_inflation(recording, *priced, run.group_names, report);
    report_snapshots(*priced, report);
    warn(*priced, report, diagnostics);
    outcome.manifest = manifest_of(std::move(recording), std::move(*priced), run.group_names, pass);
    return outcome;
  }
}

}  // namespace orrery::simulate
