#include "replay/torch/build/emitted_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "replay/torch/build/operation_builder.h"
#include "replay/torch/edits/edit_outcomes.h"
#include "replay/torch/source/scrubbed_source.h"
#include "report/counted.h"

namespace orrery::replay::torch {
namespace {

// Ranks number their groups for themselves; the job has each once.
std::vector<std::vector<std::int64_t>> join_groups(std::vector<RankSource>& sources) {
  std::vector<std::vector<std::int64_t>> all;
  for (RankSource& source : sources) {
    std::vector<std::uint32_t> number;
    for (const std::vector<std::int64_t>& group : source.groups) {
      // Groups are equal if their members are, in order: then they are one communicator.
      const auto at = std::find(all.begin(), all.end(), group);
      number.push_back(static_cast<std::uint32_t>(at - all.begin()));
      if (at == all.end()) all.push_back(group);
    }
    for (auto& [row, hint] : source.hints) hint.group = number[hint.group];
  }
  // All ranks get all groups, because making one is a call that every rank takes part in.
  for (RankSource& source : sources) source.groups = all;
  return all;
}

// What was replaced, over all ranks, the longest first.
void remark_on_replaced(EmittedJob& job) {
  std::map<std::string, ReplacedWork> all;
  for (const OperationList& rank : job.ranks) {
    for (const auto& [name, work] : rank.replaced) all[name].count += work.count, all[name].duration += work.duration;
  }
  std::vector<std::pair<std::string, ReplacedWork>> sorted(all.begin(), all.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.duration > b.second.duration; });
  const bool is_edited =
      std::any_of(job.edits.begin(), job.edits.end(), [](const EditOutcome& edit) { return edit.count.works > 0; });
  for (const auto& [name, work] : sorted)
    job.remarks.push_back(fmt::format("{} of {} cannot be called: device work{} stands for {}, {} in all",
                                      format_count(work.count), name, is_edited ? "" : " of the recorded duration",
                                      work.count == 1 ? "it" : "them", format_duration(work.duration)));
}

// What is not the recording's word.
void remark_on_waits(EmittedJob& job) {
  std::uint64_t waits = 0;
  for (const OperationList& rank : job.ranks) waits += rank.waits_from_data;
  if (waits == 0) return;
  job.remarks.push_back(
      fmt::format("{} {} between streams from the data: the recording does not say for which event it was waited",
                  format_count(waits), waits == 1 ? "wait" : "waits"));
}

// Each rank is scaled for itself: what they do together has to have changed alike.
Status check_scaled_alike(const EmittedJob& job) {
  for (const OperationList& rank : job.ranks) {
    const std::uint64_t here = rank.scaled.collectives, there = job.ranks.front().scaled.collectives;
    if (here != there)
      return Error{fmt::format("{} of rank {} would be scaled, and {} of rank {}: they would not fit together",
                               report::counted(here, "collective"), rank.rank, there, job.ranks.front().rank)};
  }
  return {};
}

void remark_on_scaling(const ScaleRequest& request, EmittedJob& job) {
  for (const OperationList& rank : job.ranks) {
    if (rank.scaled.size_before == 0) continue;
    job.remarks.push_back(
        fmt::format("{}: rank {} has {} instead of {}, which changed {} of its {} and {} of its {} storages",
                    request.text, rank.rank, rank.scaled.size_after, rank.scaled.size_before,
                    format_count(rank.scaled.calls), report::counted(rank.calls, "operation"),
                    format_count(rank.scaled.storages), format_count(rank.storages.size())));
  }
}

}  // namespace

Status settle_edits(const EmitOptions& options, EmittedJob& job) {
  if (options.edits.empty()) return {};
  if (const Status alike = check_edited_alike(options.edits, job.ranks, job.groups); !alike) return alike;
  job.edits = outcomes_of(options.edits, job.ranks);
  for (std::size_t i = 0; i < job.edits.size(); ++i) job.remarks.push_back(remark_on(options.edits[i], job.edits[i]));
  return {};
}

Result<EmittedJob> emit_ranks(std::vector<RankSource> sources, const std::vector<trace::HostArguments>& arguments,
                              const EmitOptions& options) {
  if (const Status possible = check_edits(options); !possible) return possible.error();
  EmittedJob job;
  job.groups = join_groups(sources);
  // The first group is that of all ranks.
  job.world_size = static_cast<std::int64_t>(job.groups.front().size());
  std::vector<std::optional<Result<OperationList>>> built(sources.size());
  // Ranks are independent here; results are taken in order below, so that the first error is always the same.
  parallel_for(sources.size(), [&](std::size_t r) { built[r] = build_operations(sources[r], arguments[r], options); });
  for (auto& rank : built) {
    if (!*rank) return rank->error();
    job.ranks.push_back(std::move(**rank));
  }
  if (options.scale) {
    if (const Status alike = check_scaled_alike(job); !alike) return alike.error();
    remark_on_scaling(*options.scale, job);
  }
  if (const Status settled = settle_edits(options, job); !settled) return settled.error();
  if (lacks_scrubbed_operators(sources)) job.remarks.emplace_back(kScrubbedRemark);
  remark_on_replaced(job);
  remark_on_waits(job);
  return job;
}

}  // namespace orrery::replay::torch
