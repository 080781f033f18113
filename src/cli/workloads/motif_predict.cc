#include "cli/workloads/motif_predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/schedule/motif_sheets.h"
#include "base/time_text.h"
#include "base/units.h"
#include "formats/isb_bfs/model_file.h"
#include "motif/motif_yaml.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

/// The run that was asked about; an Error if a number makes no sense.
Result<motif::RunParameters> run_of(const Invocation& invocation) {
  motif::RunParameters run;
  for (const std::string_view flag : {"nodes", "size"}) {
    if (!invocation.has(flag))
      return Error{.message = fmt::format("--{} is missing: of which run?", flag), .kind = Error::Kind::misuse};
  }
  run.nodes = invocation.number("nodes");
  run.size = invocation.number("size");
  run.ranks_per_node = invocation.number("ranks-per-node");
  // Of runs, the flag is their parameter; that it also bounds the workers of this process changes no result.
  if (invocation.has("threads") && invocation.integer("threads") > 0)
    run.threads = static_cast<double>(invocation.integer("threads"));
  if (run.nodes < 1 || run.size <= 0 || run.ranks_per_node < 1)
    return Error{.message = "nodes and ranks per node must be 1 or more, and the size above 0",
                 .kind = Error::Kind::misuse};
  return run;
}

void write_prediction(JsonWriter& json, const motif::Motif& motif, const motif::RunParameters& run,
                      const motif::Prediction& prediction) {
  json.field("total_us", prediction.total_us)
      .key("interval_us")
      .begin_array()
      .value(prediction.low_us)
      .value(prediction.high_us)
      .end_array();
  const motif::Extrapolation outside = motif::extrapolation(motif, run);
  json.key("outside_fit")
      .begin_object()
      .field("size_times", outside.size)
      .field("nodes_times", outside.nodes)
      .end_object();
  json.field("compute_us", prediction.compute_us);
  json.key("simulated_interval_us")
      .begin_array()
      .value(prediction.simulated_low_us)
      .value(prediction.simulated_high_us)
      .end_array();
  json.field("calls", prediction.calls).key("per_rank").begin_object();
  for (const motif::FunctionUse& use : prediction.functions)
    json.key(use.operation).begin_object().field("calls", use.calls).field("bytes", use.bytes).end_object();
  json.end_object();
  write_sheet(json, analyze::motif_transition_sheet(prediction));
  write_sheet(json, analyze::motif_site_sheet(motif, prediction));
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
      "when "
      "the traces were taken: a simulated run lies between {} (calls that cost nothing) and {}.\n",
      motif_time_text(prediction.compute_us), motif_time_text(prediction.simulated_low_us),
      motif_time_text(prediction.simulated_high_us));
}

ExitCode run_motif_predict(Invocation& invocation) {
  if (invocation.operands().size() != 2)
    return invocation.fail_usage({.message = "motif predict takes one motif file",
                                  .hint = "orrery motif predict FILE.motif --nodes N --size S"});
  const std::string& path = invocation.operands()[1];
  const auto run = run_of(invocation);
  if (!run) return invocation.fail_usage({.message = run.error().message});
  const auto motif = motif::read_motif(path);
  if (!motif) return invocation.fail(motif.error());
  if (auto added = invocation.add_input(path); !added) return invocation.fail(added.error());
  if (const Status near = motif::check_extrapolation(*motif, *run); !near) {
    Error error = near.error();
    error.file = path;
    return invocation.fail(error);
  }
  note_extrapolation(*motif, *run, invocation.diagnostics());
  const motif::Prediction prediction = motif::predict(*motif, *run);
  write_prediction(invocation.data(), *motif, *run, prediction);
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.rest = "transitions";
  invocation.text() = fmt::format(
      "{} at {}, size {}: {} in the mean over the ranks, nine of ten times between {} and {}; {}\n{}\n{}\n{}",
      motif->program, report::counted(run->nodes, "node"), run->size, motif_time_text(prediction.total_us),
      motif_time_text(prediction.low_us), motif_time_text(prediction.high_us),
      report::counted(static_cast<std::size_t>(std::llround(prediction.calls)), "call"), simulated_words(prediction),
      to_text(analyze::motif_function_sheet(prediction), invocation.view()),
      to_text(analyze::motif_transition_sheet(prediction), view));
  return ExitCode::ok;
}

ExitCode run_motif_eval(Invocation& invocation) {
  if (!invocation.has("exec") && !invocation.has("msg"))
    return invocation.fail_usage(
        {.message = "motif eval needs model files", .hint = "--exec FILE, --msg FILE, or both"});
  const auto run = run_of(invocation);
  if (!run) return invocation.fail_usage({.message = run.error().message});
  JsonWriter& json = invocation.data();
  for (const auto& [flag, content] :
       {std::pair{"exec", isb_bfs::Content::exec}, std::pair{"msg", isb_bfs::Content::msg}}) {
    json.key(flag).begin_array();
    if (invocation.has(flag)) {
      const std::string path = invocation.text(flag);
      const auto file = isb_bfs::read_model_file(path, content);
      if (!file) return invocation.fail(file.error());
      if (auto added = invocation.add_input(path); !added) return invocation.fail(added.error());
      invocation.text() += content == isb_bfs::Content::exec ? "src dst us\n" : "callsite bytes\n";
      for (const isb_bfs::Model& model : file->models) {
        if (model.threads != static_cast<std::uint32_t>(run->threads)) continue;
        json.begin_object();
        if (content == isb_bfs::Content::exec) {
          const double us = evaluate(*file, model, run->nodes, run->size);
          json.field("src", model.source).field("dst", model.destination).field("us", us);
          json.field("ns", evaluate_scaled(*file, model, run->nodes, run->size));
          invocation.text() += fmt::format("{} {} {}\n", model.source, model.destination, us);
        } else {
          const double bytes = evaluate_scaled(*file, model, run->nodes, run->size);
          json.field("callsite", model.source).field("bytes", bytes);
          invocation.text() += fmt::format("{} {}\n", model.source, bytes);
        }
        json.end_object();
      }
    }
    json.end_array();
  }
  return ExitCode::ok;
}

}  // namespace orrery::cli
