#include "ask/graphs/causal_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <span>

#include "base/numbers.h"
#include "base/team/process_team.h"
#include "causal/causal_graph_file.h"
#include "job/read/inside.h"
#include "job/streamed_job.h"

namespace orrery::ask {
namespace {

constexpr DiagnosticKind kNothingJoins{
    "J811", Severity::error, "no communication between these ranks was matched",
    "ask for one rank, by its file alone; what was recorded of communication: orrery check --causality"};

constexpr DiagnosticKind kNoTimes{
    "J822", Severity::error, "lengths are recorded here, but no times: there is no path through them",
    "orrery blame says who waited for whom; NCCL_INSPECTOR_DUMP_VERBOSE=1 records times as well"};

constexpr DiagnosticKind kReduced{
    "J819", Severity::note, "of each rank only a reduced graph was kept",
    "waits and blame are exact; times of ideal jobs may be too short: --reduce never keeps everything"};

/// A job of this size takes about ten times as much in memory if all of it is kept.
constexpr std::uint64_t kLargeJobBytes = std::uint64_t{256} << 20;
/// What packed traces grow by when they are inflated.
constexpr std::uint64_t kPackedBy = 12;

bool wants_reduced(Reduce when, const job::Source& source, RankDetail detail) {
  if (when != Reduce::automatic) return when == Reduce::always;
  // Several processes read whole traces side by side, but do not send whole graphs to one another.
  if (detail == RankDetail::graph && process_team() != nullptr) return false;
  std::uint64_t bytes = 0;
  for (const std::string& file : source.files)
    bytes += total_bytes({file}) * (file.ends_with(".gz") || file.ends_with(".zst") ? kPackedBy : 1);
  return bytes > kLargeJobBytes;
}

/// Whether something joins the ranks.
bool are_joined(const causal::CausalGraph& job) { return job.ranks.size() == 1 || !job.operations.empty(); }

/// The one step of this place among those in common.
job::JobWindowRequest request_of_step(std::size_t place) {
  return {.first_instance = place, .last_instance = place, .typical = true};
}

std::optional<analyze::StepSpread> described_spread(
    std::span<const TimePs> spans, const std::function<Result<causal::CausalGraph>(std::size_t)>& graph_of) {
  std::optional<analyze::StepSpread> spread = analyze::spread_of(spans);
  if (!spread || !spread->long_step) return spread;
  if (const Result<causal::CausalGraph> step = graph_of(*spread->long_step)) describe_long_step(*step, *spread);
  return spread;
}

/// Reads the ranks again if a long step is to be looked at, which was not kept.
Result<causal::CausalGraph> stream_job_graph(Context& context, const GraphRequest& request, const job::Source& source,
                                             const job::JobWindowRequest& window, const causal::JoinOptions& options,
                                             causal::Reduction reduction, std::optional<analyze::StepSpread>* spread) {
  Progress progress = context.progress("reading", total_bytes(source.files));
  const job::Reading reading = reading_of(context, request.recording, progress);
  std::vector<TimePs> spans;
  Result<causal::CausalGraph> job = job::stream_job(source, request.clock, window, options, reading, reduction, &spans);
  if (!job || spread == nullptr) return job;
  Diagnostics repeated;
  const job::Reading again{.diagnostics = repeated,
                           .salvage = reading.salvage,
                           .ranks = reading.ranks,
                           .rules = reading.rules,
                           .counters = reading.counters};
  *spread = described_spread(spans, [&](std::size_t place) {
    return job::stream_job(source, request.clock, request_of_step(place), options, again, reduction);
  });
  return job;
}

/// Whoever asks for a graph takes off of it what recording cost (take_profiler_off): once.
RecordingRequest as_recorded(RecordingRequest request) {
  request.without_profiler = false;
  return request;
}

/// Reads the rank asked for and makes the graph of the window.
Result<causal::CausalGraph> load_rank_graph(Context& context, const GraphRequest& request,
                                            std::optional<analyze::StepSpread>* spread, const Learn& learn) {
  const auto job =
      load_trace(context, as_recorded(request.recording), {.operands = learn != nullptr, .one_rank = true});
  if (!job) return job.error();
  const causal::WindowRequest window{.annotation = request.window.annotation,
                                     .first_instance = request.window.instances.first,
                                     .last_instance = request.window.instances.last};
  const trace::RankTrace& rank = (*job)->ranks.front();
  Result<causal::CausalGraph> step = causal::make_causal_graph(**job, rank, window, context.diagnostics());
  if (step && rank.source.relative_times) step->clock = causal::ClockSource::relative;
  if (step && spread != nullptr && !window.annotation) *spread = analyze::find_step_spread(**job, rank);
  if (step && learn) {
    if (const Status learnt = learn(**job, *step); !learnt) return learnt.error();
  }
  return step;
}

}  // namespace

Status parse_instances(std::string_view text, Instances& out) {
  const Error error = misuse("--instance takes a number or a range", "like 3 or 0:3, counting from 0");
  std::string_view rest = text;
  std::size_t first = 0;
  if (!take_number(rest, first)) return error;
  std::size_t last = first;
  // 3:1 selects nothing; that it was meant the other way round is a guess.
  if (!rest.empty() && (!rest.starts_with(':') || !parse_number(rest.substr(1), last) || last < first)) return error;
  out = {first, last};
  return {};
}

std::string typed(const WindowChoice& window) {
  std::string flags;
  if (window.annotation) flags += fmt::format(" --annotation {}", report::shell_quote(*window.annotation));
  if (const auto& [first, last] = window.instances; first)
    flags += *first == *last ? fmt::format(" --instance {}", *first) : fmt::format(" --instance {}:{}", *first, *last);
  return flags;
}

std::string typed(job::ClockChoice clock) {
  for (const auto& [word, meant] : kClockWords) {
    if (meant == clock && clock != job::ClockChoice::automatic) return fmt::format(" --clock {}", word);
  }
  return {};
}

bool asks_whole_job(const Context& context, const GraphRequest& request) {
  const RecordingRequest& recording = request.recording;
  if (recording.rank || request.restore || recording.files.empty()) return false;
  const auto is_whole = [](const job::Source& source) {
    if (source.format->content != formats::Content::trace) return false;
    return source.files.size() > 1 || job::holds_job(*source.format, source.files.front());
  };
  if (const auto opened = context.find_opened(recording.files)) return is_whole(opened->source);
  Diagnostics unused;
  const Result<job::Source> source = job::find_source(recording.files, {.may_miss_ranks = true}, unused);
  return source && is_whole(*source);
}

Result<job::RecordedJob> load_recorded_job(Context& context, const RecordingRequest& request, job::ClockChoice clock,
                                           bool operands) {
  Result<trace::Trace> trace = load_own_trace(
      context, request, {.far_clocks = true, .operands = operands, .one_rank = request.rank.has_value()});
  if (!trace) return trace.error();
  // Of one rank there is nothing to put on a common clock.
  const bool is_alone = trace->ranks.size() == 1;
  return job::RecordedJob::make(std::move(*trace), is_alone ? job::ClockChoice::one : clock, context.diagnostics());
}

Result<causal::CausalGraph> load_job_graph(Context& context, const GraphRequest& request, bool typical,
                                           const causal::JoinOptions& options, RankDetail detail,
                                           std::optional<analyze::StepSpread>* spread, const Learn& learn) {
  const RecordingRequest recording = as_recorded(request.recording);
  const job::JobWindowRequest wanted{.annotation = request.window.annotation,
                                     .first_instance = request.window.instances.first,
                                     .last_instance = request.window.instances.last,
                                     .typical = typical};
  const bool is_open = context.find_opened(recording.files) != nullptr;
  if (detail != RankDetail::whole && !is_open && !recording.rank && !learn) {
    Diagnostics found;
    const Result<job::Source> source = job::find_source(recording.files, {.may_miss_ranks = true}, found);
    if (source && wants_reduced(request.reduce, *source, detail) && job::can_be_streamed(*source)) {
      context.diagnostics().merge(found);
      if (detail == RankDetail::as_needed) context.diagnostics().add(kReduced);
      return stream_job_graph(context, request, *source, wanted, options,
                              detail == RankDetail::graph ? causal::Reduction::none : causal::Reduction::reduced,
                              spread);
    }
  }
  const Result<job::RecordedJob> job = load_recorded_job(context, recording, request.clock, learn != nullptr);
  if (!job) return job.error();
  const Result<job::JobWindow> window = job->window(wanted, context.diagnostics());
  if (!window) return window.error();
  if (spread != nullptr) *spread = find_step_spread(*job, *window);
  Result<causal::CausalGraph> graph = job->graph(*window, options, context.diagnostics());
  if (graph && learn) {
    if (const Status learnt = learn(job->trace(), *graph); !learnt) return learnt.error();
  }
  return graph;
}

Result<causal::CausalGraph> load_causal_graph(Context& context, const GraphRequest& request,
                                              std::optional<analyze::StepSpread>* spread, const Learn& learn) {
  // A saved one does not know how much its steps differ.
  if (request.restore) {
    if (const Status added = context.add_input(*request.restore); !added) return added.error();
  }
  Result<causal::CausalGraph> job = request.restore ? causal::load_causal_graph(*request.restore)
                                    : asks_whole_job(context, request)
                                        ? load_job_graph(context, request, true, {}, RankDetail::graph, spread, learn)
                                        : load_rank_graph(context, request, spread, learn);
  if (!job || !request.save) return job;
  // Whoever asked refuses such a graph (has_path), and an older file stays.
  if (!are_joined(*job) || job->clock == causal::ClockSource::relative) return job;
  if (const Status saved = causal::save_causal_graph(*job, *request.save); !saved) return saved.error();
  return job;
}

std::optional<analyze::StepSpread> find_step_spread(const job::RecordedJob& job, const job::JobWindow& window) {
  return described_spread(window.step_spans, [&](std::size_t place) -> Result<causal::CausalGraph> {
    Diagnostics repeated;  // whatever there is to remark is remarked for the step that is shown
    const Result<job::JobWindow> step = job.window(request_of_step(place), repeated);
    if (!step) return step.error();
    return job.graph(*step, {}, repeated);
  });
}

bool has_path(Context& context, const causal::CausalGraph& job) {
  if (job.clock != causal::ClockSource::relative) return is_joined(context, job);
  context.diagnostics().add(kNoTimes);
  return false;
}

bool is_joined(Context& context, const causal::CausalGraph& job) {
  if (are_joined(job)) return true;
  context.diagnostics().add(kNothingJoins);
  return false;
}

}  // namespace orrery::ask
