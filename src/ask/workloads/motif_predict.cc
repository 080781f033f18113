#include "ask/workloads/motif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/schedule/motif_sheets.h"
#include "base/time_text.h"
#include "base/units.h"
#include "formats/isb_bfs/model_file.h"
#include "motif/motif_yaml.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

/// The run that was asked about; a misuse if a number makes no sense.
Result<motif::RunParameters> run_of(const MotifScale& scale) {
  for (const auto& [name, is_given] : {std::pair{"nodes", scale.nodes.has_value()}, {"size", scale.size.has_value()}}) {
    if (!is_given) return misuse(fmt::format("--{} is missing: of which run?", name));
  }
  motif::RunParameters run;
  run.nodes = *scale.nodes;
  run.size = *scale.size;
  run.ranks_per_node = scale.ranks_per_node;
  if (scale.threads.value_or(0) > 0) run.threads = static_cast<double>(*scale.threads);
  if (run.nodes < 1 || run.size <= 0 || run.ranks_per_node < 1)
    return misuse("nodes and ranks per node must be 1 or more, and the size above 0");
  return run;
}

void tell_prediction_facts(report::Facts& facts, const motif::Motif& motif, const motif::RunParameters& run,
                           const motif::Prediction& prediction) {
  const auto interval = [&](std::string_view name, double low, double high) {
    facts.key(name).begin_array().value(low).value(high).end_array();
  };
  facts.field("total_us", prediction.total_us);
  interval("interval_us", prediction.low_us, prediction.high_us);
  const motif::Extrapolation outside = motif::extrapolation(motif, run);
  facts.key("outside_fit").begin_object().field("size_times", outside.size).field("nodes_times", outside.nodes);
  facts.end_object().field("compute_us", prediction.compute_us);
  interval("simulated_interval_us", prediction.simulated_low_us, prediction.simulated_high_us);
  facts.field("calls", prediction.calls).key("per_rank").begin_object();
  for (const motif::FunctionUse& use : prediction.functions)
    facts.key(use.operation).begin_object().field("calls", use.calls).field("bytes", use.bytes).end_object();
  facts.end_object();
}

/// The models of one file, of runs on so many threads.
Status tell_models(report::Answer& answer, Context& context, const std::string& path, isb_bfs::Content content,
                   const motif::RunParameters& run) {
  const auto file = isb_bfs::read_model_file(path, content);
  if (!file) return file.error();
  if (auto added = context.add_input(path); !added) return added;
  answer.line(content == isb_bfs::Content::exec ? "src dst us" : "callsite bytes");
  report::Facts& facts = answer.facts();
  for (const isb_bfs::Model& model : file->models) {
    if (model.threads != static_cast<std::uint32_t>(run.threads)) continue;
    facts.begin_object();
    if (content == isb_bfs::Content::exec) {
      const double us = evaluate(*file, model, run.nodes, run.size);
      facts.field("src", model.source).field("dst", model.destination).field("us", us);
      facts.field("ns", evaluate_scaled(*file, model, run.nodes, run.size));
      answer.line(fmt::format("{} {} {}", model.source, model.destination, us));
    } else {
      const double bytes = evaluate_scaled(*file, model, run.nodes, run.size);
      facts.field("callsite", model.source).field("bytes", bytes);
      answer.line(fmt::format("{} {}", model.source, bytes));
    }
    facts.end_object();
  }
  return {};
}

constexpr DiagnosticKind kFarOutside{
    "S131", Severity::warning, "the run is far outside of what the motif was fitted to",
    "laws are followed there, and the interval is the wider the farther; fit runs that are nearer"};

}  // namespace

void note_extrapolation(const motif::Motif& motif, const motif::RunParameters& run, Diagnostics& diagnostics) {
  const motif::Extrapolation outside = motif::extrapolation(motif, run);
  const auto note = [&](double factor, std::string_view what, double least, double most) {
    if (factor <= motif::kFarTimes && factor >= 1 / motif::kFarTimes) return;
    diagnostics.add(kFarOutside, [&] {
      const std::string times =
          factor >= 1000 ? format_count(static_cast<std::uint64_t>(factor)) : fmt::format("{:.3g}", factor);
      return fmt::format("{} times the {} of the {} run that was fitted ({} to {})", times, what,
                         factor > 1 ? "largest" : "smallest", least, most);
    });
  };
  note(outside.size, "data", motif.fit.smallest_size, motif.fit.largest_size);
  note(outside.nodes, "nodes", motif.fit.fewest_nodes, motif.fit.most_nodes);
}

std::string motif_time_text(double us) {
  // Years do not fit into picoseconds.
  return us * 1e6 < 9e18 ? format_duration(static_cast<TimePs>(us * 1e6))
                         : fmt::format("{:.3g} years", us / 3.15576e13);
}

std::string simulated_words(const motif::Prediction& prediction) {
  return fmt::format(
      "{} of it is local work. Simulated are that and the calls on the network of a machine, not the waiting for ranks "
      "that were slower "
      "when the traces were taken: a simulated run lies between {} (calls that cost nothing) and {}.\n",
      motif_time_text(prediction.compute_us), motif_time_text(prediction.simulated_low_us),
      motif_time_text(prediction.simulated_high_us));
}

Result<report::Answer> run(const MotifPredictRequest& request, Context& context) {
  if (request.file.empty())
    return misuse("motif predict takes one motif file", "orrery motif predict FILE.motif --nodes N --size S");
  const auto run = run_of(request.scale);
  if (!run) return run.error();
  const auto motif = motif::read_motif(request.file);
  if (!motif) return motif.error();
  if (auto added = context.add_input(request.file); !added) return added.error();
  if (const Status near = motif::check_extrapolation(*motif, *run); !near) {
    Error error = near.error();
    error.file = request.file;
    return error;
  }
  note_extrapolation(*motif, *run, context.diagnostics());
  const motif::Prediction prediction = motif::predict(*motif, *run);
  report::Answer answer = context.answer();
  tell_prediction_facts(answer.facts(), *motif, *run, prediction);
  answer.headline(
      fmt::format("{} at {}, size {}: {} in the mean over the ranks, nine of ten times between {} and {}; {}",
                  motif->program, report::counted(run->nodes, "node"), run->size, motif_time_text(prediction.total_us),
                  motif_time_text(prediction.low_us), motif_time_text(prediction.high_us),
                  report::counted(static_cast<std::size_t>(std::llround(prediction.calls)), "call")));
  answer.text(simulated_words(prediction)).gap();
  // Programs look a function up by its name, among the facts.
  answer.table(analyze::motif_function_sheet(prediction), {.readers = report::Readers::people_and_tables}).gap();
  answer.table(analyze::motif_transition_sheet(prediction),
               {.view = {.rows = report::kShownRows, .rest = "transitions"}});
  answer.table([&] { return analyze::motif_site_sheet(*motif, prediction); },
               {.readers = report::Readers::programs_and_tables});
  return answer;
}

Result<report::Answer> run(const MotifEvalRequest& request, Context& context) {
  if (!request.exec && !request.msg) return misuse("motif eval needs model files", "--exec FILE, --msg FILE, or both");
  const auto run = run_of(request.scale);
  if (!run) return run.error();
  report::Answer answer = context.answer();
  const auto tell = [&](std::string_view name, const std::optional<std::string>& path, isb_bfs::Content content) {
    answer.facts().key(name).begin_array();
    const Status told = path ? tell_models(answer, context, *path, content, *run) : Status();
    answer.facts().end_array();
    return told;
  };
  if (const Status told = tell("exec", request.exec, isb_bfs::Content::exec); !told) return told.error();
  if (const Status told = tell("msg", request.msg, isb_bfs::Content::msg); !told) return told.error();
  return answer;
}

}  // namespace orrery::ask
