#include "ask/workloads/motif.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/schedule/motif_drawing.h"
#include "analyze/schedule/motif_sheets.h"
#include "base/io/output_file.h"
#include "job/shipped/motif_models.h"
#include "job/write/motif_manifest.h"
#include "motif/motif_yaml.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

constexpr std::size_t kShownPlots = 3;

/// Plots of the transitions that take most of the time, against the runs of the manifest.
Status tell_plots(report::Answer& answer, Context& context, const std::string& manifest, const motif::Motif& motif,
                  const motif::Prediction& prediction) {
  if (auto added = context.add_input(manifest); !added) return added;
  const auto runs = job::read_motif_manifest(manifest, context.diagnostics());
  if (!runs) return runs.error();
  std::vector<motif::TransitionUse> uses = prediction.transitions;
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.times * a.time_us > b.times * b.time_us; });
  uses.resize(std::min(uses.size(), kShownPlots));
  answer.facts().key("plots").begin_array();
  for (const motif::TransitionUse& use : uses) {
    answer.facts().begin_object().field("src", use.from).field("dst", use.to);
    answer.gap().line(fmt::format("{} -> {}", use.from, use.to));
    answer.table(analyze::motif_fit_sheet(motif, runs->observations.classes.front().runs, {use.from, use.to}));
    answer.facts().end_object();
  }
  answer.facts().end_array();
  return {};
}

}  // namespace

Result<report::Answer> run(const MotifFitRequest& request, Context& context) {
  if (!request.manifest)
    return misuse("motif fit needs a manifest", "orrery motif fit --manifest RUNS.csv -o FILE.motif");
  const std::string& manifest = *request.manifest;
  if (auto added = context.add_input(manifest); !added) return added.error();
  auto runs = job::read_motif_manifest(manifest, context.diagnostics());
  if (!runs) return runs.error();
  for (const std::string& file : runs->files) {
    if (auto added = context.add_input(file); !added) return added.error();
  }
  auto outcome = motif::fit::fit_motif(runs->observations);
  if (!outcome) {
    if (outcome.error().file.empty()) outcome.error().file = manifest;
    return outcome.error();
  }
  if (request.output) {
    const auto written = motif::write_motif(outcome->motif, *request.output);
    if (!written) return written.error();
  }
  if (request.models) {
    const auto written = job::write_published_models(runs->observations, *request.models);
    if (!written) return written.error();
  }
  const motif::Motif& motif = outcome->motif;
  report::Answer answer = context.answer();
  answer.headline(fmt::format(
      "{} of {}: {}, {}, {}; totals of the runs are met within {:.1f} %, of runs left out of the fit within {:.1f} %",
      report::counted(motif.fit.runs, "run"), motif.program, report::counted(motif.classes.size(), "rank program"),
      report::counted(motif.sites.size(), "call site"), report::counted(motif.transitions.size(), "transition"),
      motif.fit.error_pct, motif.fit.left_out_error_pct));
  report::Facts& facts = answer.facts();
  facts.field("program", motif.program).field("runs", motif.fit.runs).field("classes", motif.classes.size());
  facts.field("callsites", motif.sites.size()).field("transitions", motif.transitions.size());
  facts.field("error_pct", motif.fit.error_pct).field("left_out_error_pct", motif.fit.left_out_error_pct);
  answer.gap().table(analyze::motif_family_sheet(*outcome));
  answer.gap().table(analyze::motif_bytes_sheet(*outcome),
                     {.view = {.rows = report::kShownRows, .rest = "call sites"}});
  return answer;
}

Result<report::Answer> run(const MotifShowRequest& request, Context& context) {
  if (request.file.empty())
    return misuse("motif show takes one motif file", "orrery motif show FILE.motif -o flow.svg");
  const auto motif = motif::read_motif(request.file);
  if (!motif) return motif.error();
  if (auto added = context.add_input(request.file); !added) return added.error();
  // Without a run of its own: the largest that the motif knows.
  const motif::RunParameters run{
      .nodes = std::max(1.0, request.nodes.value_or(motif->fit.most_nodes)),
      .size = request.size ? std::max(1e-9, *request.size) : std::max(1.0, motif->fit.largest_size)};
  const motif::Prediction prediction = motif::predict(*motif, run);
  if (request.output) {
    const auto written =
        write_whole_file(*request.output, request.output->ends_with(".svg") ? analyze::motif_svg(*motif, prediction)
                                                                            : analyze::motif_dot(*motif, prediction));
    if (!written) return written.error();
  }
  report::Answer answer = context.answer();
  const std::string flow = analyze::motif_flow_text(*motif, run);
  answer.headline(fmt::format("{} at {}, size {}: {:.4g} ms, {:.0f} calls; times as {}", motif->program,
                              report::counted(run.nodes, "node"), run.size, prediction.total_us / 1000,
                              prediction.calls, motif->fit.times_family));
  answer.gap().text(flow);
  answer.facts().field("program", motif->program).field("flow", flow);
  answer.facts().field("dot", analyze::motif_dot(*motif, prediction));
  if (request.manifest) {
    if (Status told = tell_plots(answer, context, *request.manifest, *motif, prediction); !told) return told.error();
  }
  return answer;
}

}  // namespace orrery::ask
