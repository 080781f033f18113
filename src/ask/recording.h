// From the files that a question names to a Trace: what every question about recorded time does first.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyze/capture/join_captures.h"
#include "ask/context.h"
#include "ask/fields.h"
#include "base/result.h"
#include "job/read/rank_answers.h"
#include "job/read/reading.h"
#include "job/read/source.h"
#include "job/read/trace_input.h"
#include "trace/trace.h"

namespace orrery::ask {

/// A recording, or one rank of it.
struct RecordingRequest {
  std::vector<std::string> files = {};    ///< files, folders or globs; several are several ranks
  std::optional<std::int64_t> rank = {};  ///< alone
  bool salvage = false;                   ///< read a damaged file up to the damage instead of refusing it
  bool without_profiler = false;          ///< the run as it would be if nobody had recorded it
  /// Recordings of captures or eager runs of the same program: what its graphs consist of (analyze/capture).
  std::vector<std::string> captures = {};
  /// Where captures are told that fit nothing of it, for whoever tries them on several recordings; none: remarked upon.
  std::vector<analyze::UnfittingCapture>* unfitting = nullptr;
  std::vector<std::string> rules = {};     ///< files that say how names are read, before the shipped rules
  std::vector<std::string> counters = {};  ///< tables of GPU counters; none: those beside the traces
};
template <typename Visitor>
void fields(RecordingRequest& request, Visitor&& visit) {
  visit("rank", request.rank);
  visit("salvage", request.salvage);
  visit("without-profiler", request.without_profiler);
  visit("capture", request.captures);
  visit("rules", request.rules);
}

/// " --without-profiler --capture FILE --rules FILE --counters FILE", as one could type it again.
std::string typed(const RecordingRequest& request);

/// How the files are read: remarks, inputs recorded, progress on stderr, at the times that are asked for. `progress`
/// and the context must outlive it. Of the request, all but files and rank is looked at.
job::Reading reading_of(Context& context, const RecordingRequest& request, Progress& progress);

/// The bytes of all files, for progress.
std::uint64_t total_bytes(const std::vector<std::string>& files);

/// Finds the files and reads them, whatever they are, with progress on stderr. With `wanted.one_rank`, the rank asked
/// for or the lowest, and a remark on those that were not looked at. A job that was opened before is not read again but
/// shared.
Result<std::shared_ptr<const trace::Trace>> load_trace(Context& context, const RecordingRequest& request,
                                                       const job::TraceRequest& wanted = {});
/// The same for whoever changes it.
Result<trace::Trace> load_own_trace(Context& context, const RecordingRequest& request, const job::TraceRequest& wanted);

/// What every rank of it answers by itself. Its events are looked at where they are read, and not kept.
Result<job::RankAnswers> ask_ranks(Context& context, const RecordingRequest& request,
                                   const job::RankQuestion& question);

/// "rank 3"; "run 3" of one that lies beside others (trace/names/rank_numbers.h).
std::string what_it_is(const trace::RankTrace& rank);

/// The rank asked for, or the lowest; an Error lists what there is.
Result<const trace::RankTrace*> choose_rank(const trace::Trace& job, std::optional<std::int64_t> wanted);

}  // namespace orrery::ask
