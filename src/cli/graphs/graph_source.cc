#include "cli/graphs/graph_source.h"

#include <algorithm>
#include <functional>
#include <span>

#include "base/numbers.h"
#include "base/team/process_team.h"
#include "causal/rank_file.h"
#include "cli/frame/hosting.h"
#include "cli/frame/load.h"
#include "job/streamed_job.h"

namespace orrery::cli {
namespace {

constexpr DiagnosticKind kNothingJoins{
    "J811", Severity::error, "no communication between these ranks was matched",
    "ask for one rank, by its file alone; what was recorded of communication: orrery check --causality"};

constexpr DiagnosticKind kReduced{
    "J819", Severity::note, "of each rank only a reduced graph was kept",
    "waits and blame are exact; times of ideal jobs may be too short: --reduce never keeps everything"};

/// A job of this size takes about ten times as much in memory if all of it is kept.
constexpr std::uint64_t kLargeJobBytes = std::uint64_t{256} << 20;
/// What packed traces grow by when they are inflated.
constexpr std::uint64_t kPackedBy = 12;

bool wants_reduced(const Invocation& invocation, const job::Source& source, RankDetail detail) {
  const std::string when = invocation.text("reduce");
  if (when != "auto") return when == "always";
  // Several processes read whole traces side by side, but do not send whole graphs to one another.
  if (detail == RankDetail::graph && process_team() != nullptr) return false;
  std::uint64_t bytes = 0;
  for (const std::string& file : source.files)
    bytes += total_bytes({file}) * (file.ends_with(".gz") || file.ends_with(".zst") ? kPackedBy : 1);
  return bytes > kLargeJobBytes;
}

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
Result<causal::CausalGraph> stream_job_graph(Invocation& invocation, const job::Source& source,
                                             const job::JobWindowRequest& request, const causal::JoinOptions& options,
                                             causal::Reduction reduction, std::optional<analyze::StepSpread>* spread) {
  Progress progress = invocation.progress("reading", total_bytes(source.files));
  const job::Reading reading = reading_of(invocation, progress);
  std::vector<TimePs> spans;
  Result<causal::CausalGraph> job =
      job::stream_job(source, clock_choice(invocation), request, options, reading, reduction, &spans);
  if (!job || spread == nullptr) return job;
  Diagnostics repeated;
  const job::Reading again{.diagnostics = repeated, .salvage = reading.salvage, .ranks = reading.ranks};
  *spread = described_spread(spans, [&](std::size_t place) {
    return job::stream_job(source, clock_choice(invocation), request_of_step(place), options, again, reduction);
  });
  return job;
}

/// Reads the rank asked for, or restores it, and makes the graph of the window. A saved one does not know how much its
/// steps differ.
Result<causal::RankGraph> load_rank_graph(Invocation& invocation, const std::vector<std::string>& operands,
                                          const Instances& instances, std::optional<analyze::StepSpread>* spread) {
  if (invocation.has("restore")) {
    const std::string file = invocation.text("restore");
    if (const Status added = invocation.add_input(file); !added) return added.error();
    return causal::load_rank_graph(file);
  }
  const auto job = load_job(invocation, operands, {.one_rank = true});
  if (!job) return job.error();
  causal::WindowRequest request;
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  request.first_instance = instances.first;
  request.last_instance = instances.last;
  const trace::RankTrace& rank = (*job)->ranks.front();
  Result<causal::RankGraph> step = causal::make_rank_graph(**job, rank, request, invocation.diagnostics());
  if (step && spread != nullptr && !request.annotation) *spread = analyze::find_step_spread(**job, rank);
  return step;
}

}  // namespace

std::vector<Flag> with_window_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "rank",
                       .value_name = "N",
                       .kind = ValueKind::integer,
                       .help = "analyse this rank (default: the lowest)",
                       .group = "Window"});
  flags.push_back(
      Flag{.name = "annotation",
           .value_name = "TEXT",
           .help = "events whose name contains TEXT; '' is the whole trace (default: a typical profiler step)",
           .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  flags.push_back(Flag{.name = "restore",
                       .value_name = "FILE",
                       .kind = ValueKind::file,
                       .help = "take the step from a file written by path --save instead of a trace",
                       .group = "Input"});
  return with_input_flags(std::move(flags));
}

std::optional<UsageError> parse_instances(const Invocation& invocation, Instances& out) {
  if (!invocation.has("instance")) return std::nullopt;
  const std::string text = invocation.text("instance");
  const UsageError error{"--instance takes a number or a range", "like 3 or 0:3, counting from 0", text, 0};
  std::string_view rest = text;
  std::size_t first = 0;
  if (!take_number(rest, first)) return error;
  std::size_t last = first;
  // 3:1 selects nothing; that it was meant the other way round is a guess.
  if (!rest.empty() && (!rest.starts_with(':') || !parse_number(rest.substr(1), last) || last < first)) return error;
  out = {first, last};
  return std::nullopt;
}

Flag clock_flag() {
  return {.name = "clock",
          .value_name = "HOW",
          .help =
              "auto: estimate how the ranks' clocks differ, and correct what exceeds the estimate's band; one: they "
              "are on one clock; "
              "align: always correct",
          .default_text = "auto",
          .choices = "auto one align",
          .group = "Input"};
}

job::ClockChoice clock_choice(const Invocation& invocation) {
  const std::string how = invocation.text("clock");
  if (how == "one") return job::ClockChoice::one;
  return how == "align" ? job::ClockChoice::align : job::ClockChoice::automatic;
}

std::vector<Flag> with_job_flags(std::vector<Flag> flags) {
  flags.push_back(Flag{.name = "annotation",
                       .value_name = "TEXT",
                       .help = "events whose name contains TEXT; '' is the whole trace (default: the profiler's steps)",
                       .group = "Window"});
  flags.push_back(Flag{.name = "instance",
                       .value_name = "N[:M]",
                       .help = "which of them, counting from 0; N:M spans several",
                       .group = "Window"});
  flags.push_back(clock_flag());
  return with_input_flags(std::move(flags));
}

bool asks_whole_job(const Invocation& invocation, const std::vector<std::string>& operands) {
  const bool restores = find_flag(invocation.verb().flags, "restore") != nullptr && invocation.has("restore");
  if (invocation.has("rank") || restores || operands.empty()) return false;
  const auto is_whole = [](const job::Source& source) {
    return source.format->content == formats::Content::trace && source.files.size() > 1;
  };
  if (const auto opened = invocation.hosting() == nullptr ? nullptr : invocation.hosting()->find(operands))
    return is_whole(opened->source);
  Diagnostics unused;
  const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, unused);
  return source && is_whole(*source);
}

Flag reduce_flag(RankDetail detail) {
  return {.name = "reduce",
          .value_name = "WHEN",
          .help = detail == RankDetail::graph ? "read rank by rank, and keep of each only the graph of the window; "
                                                "auto: if the files are larger than 256 MB together, "
                                                "as far as that can be told before they are read"
                                              : "read rank by rank, and keep of each only what others can tell of it; "
                                                "auto: if the files are larger than 256 MB "
                                                "together, as far as that can be told before they are read",
          .default_text = "auto",
          .choices = "auto always never",
          .group = "Input",
          .former_name = "skeletons"};
}

Result<job::RecordedJob> load_recorded_job(Invocation& invocation, const std::vector<std::string>& operands) {
  // Of one rank there is nothing to put on a common clock.
  const bool one_rank = find_flag(invocation.verb().flags, "rank") != nullptr && invocation.has("rank");
  Result<trace::Trace> trace = load_own_job(invocation, operands, {.far_clocks = true, .one_rank = one_rank});
  if (!trace) return trace.error();
  if (trace->ranks.size() == 1)
    return job::RecordedJob::make(std::move(*trace), job::ClockChoice::one, invocation.diagnostics());
  return job::RecordedJob::make(std::move(*trace), clock_choice(invocation), invocation.diagnostics());
}

Result<causal::CausalGraph> load_job_graph(Invocation& invocation, const std::vector<std::string>& operands,
                                           const Instances& instances, bool typical, const causal::JoinOptions& options,
                                           RankDetail detail, std::optional<analyze::StepSpread>* spread) {
  job::JobWindowRequest request{.first_instance = instances.first, .last_instance = instances.last, .typical = typical};
  if (invocation.has("annotation")) request.annotation = invocation.text("annotation");
  const bool is_open = invocation.hosting() != nullptr && invocation.hosting()->find(operands) != nullptr;
  const bool one_rank = find_flag(invocation.verb().flags, "rank") != nullptr && invocation.has("rank");
  if (detail != RankDetail::whole && !is_open && !one_rank) {
    Diagnostics found;
    const Result<job::Source> source = job::find_source(operands, {.may_miss_ranks = true}, found);
    if (source && wants_reduced(invocation, *source, detail) && job::can_be_streamed(*source)) {
      invocation.diagnostics().merge(found);
      if (detail == RankDetail::as_needed) invocation.diagnostics().add(kReduced);
      return stream_job_graph(invocation, *source, request, options,
                              detail == RankDetail::graph ? causal::Reduction::none : causal::Reduction::skeleton,
                              spread);
    }
  }
  const Result<job::RecordedJob> job = load_recorded_job(invocation, operands);
  if (!job) return job.error();
  const Result<job::JobWindow> window = job->window(request, invocation.diagnostics());
  if (!window) return window.error();
  if (spread != nullptr) *spread = find_step_spread(*job, *window);
  return job->graph(*window, options, invocation.diagnostics());
}

Result<causal::CausalGraph> load_causal_graph(Invocation& invocation, const std::vector<std::string>& operands,
                                              const Instances& instances, std::optional<analyze::StepSpread>* spread) {
  if (asks_whole_job(invocation, operands))
    return load_job_graph(invocation, operands, instances, true, {}, RankDetail::graph, spread);
  Result<causal::RankGraph> rank = load_rank_graph(invocation, operands, instances, spread);
  if (!rank) return rank.error();
  if (find_flag(invocation.verb().flags, "save") != nullptr && invocation.has("save")) {
    if (const Status saved = causal::save_rank_graph(*rank, invocation.text("save")); !saved) return saved.error();
  }
  return causal::causal_graph_of(std::move(*rank));
}

std::optional<analyze::StepSpread> find_step_spread(const job::RecordedJob& job, const job::JobWindow& window) {
  return described_spread(window.step_spans, [&](std::size_t place) -> Result<causal::CausalGraph> {
    Diagnostics repeated;  // whatever there is to remark is remarked for the step that is shown
    const Result<job::JobWindow> step = job.window(request_of_step(place), repeated);
    if (!step) return step.error();
    return job.graph(*step, {}, repeated);
  });
}

bool is_joined(Invocation& invocation, const causal::CausalGraph& job) {
  if (job.ranks.size() == 1 || !job.operations.empty()) return true;
  invocation.diagnostics().add(kNothingJoins);
  return false;
}

}  // namespace orrery::cli
