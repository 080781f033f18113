#include "formats/step_logs/format.h"

#include <algorithm>

#include "formats/step_logs/mllog.h"
#include "formats/step_logs/step_log.h"
#include "trace/names/rank_numbers.h"

namespace orrery::step_logs {
namespace {

/// Each is a run of its own: a log has nothing to match it with another by.
Result<trace::Trace> read_mllogs(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                 const formats::TraceOptions&) {
  std::vector<trace::ReadRank> runs(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    Result<trace::RankTrace> run = read_mllog(paths[i], runs[i].strings, runs[i].diagnostics);
    if (!run) return run.error();
    runs[i].rank = std::move(*run);
  }
  const auto numbering = trace::number_ranks(paths, std::vector<trace::ToldRank>(paths.size()), runs);
  if (!numbering) return numbering.error();
  trace::Trace job;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    diagnostics.merge(runs[i].diagnostics);
    if (!trace::add_run(job, std::move(runs[i].rank), runs[i].strings))
      return Error{"its times do not fit those of the other logs", paths[i]};
  }
  return job;
}

Result<trace::Trace> read_step_logs(const std::vector<std::string>& paths, Diagnostics& diagnostics,
                                    const formats::TraceOptions&) {
  if (paths.size() == 1) return read_step_log(paths.front(), diagnostics);
  // Each rank may have written a log of its own.
  trace::Trace job;
  for (const std::string& path : paths) {
    Result<trace::Trace> part = read_step_log(path, diagnostics);
    if (!part) return part.error();
    for (trace::RankTrace& rank : part->ranks) {
      const auto same = std::find_if(job.ranks.begin(), job.ranks.end(),
                                     [&](const trace::RankTrace& known) { return known.rank == rank.rank; });
      if (same != job.ranks.end())
        return Error{"rank " + std::to_string(rank.rank) + " is in " + same->source.path + ", too", path,
                     Error::kNoOffset, "name the logs of one run"};
      if (!trace::add_rank(job, std::move(rank), part->strings))
        return Error{"its steps are more than 26 days away from those of the other logs", path, Error::kNoOffset,
                     "do the logs belong to one job?"};
    }
  }
  std::stable_sort(job.ranks.begin(), job.ranks.end(),
                   [](const trace::RankTrace& a, const trace::RankTrace& b) { return a.rank < b.rank; });
  for (trace::RankTrace& rank : job.ranks) rank.source.world_size = static_cast<std::int64_t>(job.ranks.size());
  return job;
}

}  // namespace

const formats::Format kMllogFormat{.name = "mllog",
                                   .title = "an MLPerf log",
                                   .content = formats::Content::trace,
                                   .priority = 12,  // its mark is nobody else's, and may stand in a line of any log
                                   .sniff = [](const formats::Head& head) { return is_mllog(head.bytes); },
                                   .read_traces = read_mllogs};

const formats::Format kStepLogFormat{.name = "step_log",
                                     .title = "a log of steps",
                                     .content = formats::Content::trace,
                                     .priority = 13,  // before those that take any JSON
                                     .sniff = [](const formats::Head& head) { return is_step_log(head.bytes); },
                                     .read_traces = read_step_logs};

}  // namespace orrery::step_logs
