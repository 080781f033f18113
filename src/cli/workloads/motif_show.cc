#include "cli/workloads/motif_show.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/schedule/motif_drawing.h"
#include "analyze/schedule/motif_sheets.h"
#include "base/io/output_file.h"
#include "job/write/motif_manifest.h"
#include "motif/motif_yaml.h"
#include "motif/predict.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

constexpr std::size_t kShownPlots = 3;

/// Plots of the transitions that take most of the time, against the runs of the manifest.
Status add_plots(Invocation& invocation, const motif::Motif& motif, const motif::Prediction& prediction) {
  const std::string manifest = invocation.text("manifest");
  if (auto added = invocation.add_input(manifest); !added) return added;
  const auto runs = job::read_motif_manifest(manifest, invocation.diagnostics());
  if (!runs) return runs.error();
  std::vector<motif::TransitionUse> uses = prediction.transitions;
  std::stable_sort(uses.begin(), uses.end(),
                   [](const auto& a, const auto& b) { return a.times * a.time_us > b.times * b.time_us; });
  uses.resize(std::min(uses.size(), kShownPlots));
  invocation.data().key("plots").begin_array();
  for (const motif::TransitionUse& use : uses) {
    const report::Sheet sheet =
        analyze::motif_fit_sheet(motif, runs->observations.classes.front().runs, {use.from, use.to});
    invocation.text() += fmt::format("\n{} -> {}\n{}", use.from, use.to, to_text(sheet, invocation.view()));
    invocation.data().begin_object().field("src", use.from).field("dst", use.to);
    write_sheet(invocation.data(), sheet);
    invocation.data().end_object();
  }
  invocation.data().end_array();
  return {};
}

}  // namespace

ExitCode run_motif_show(Invocation& invocation) {
  if (invocation.operands().size() != 2)
    return invocation.fail_usage(
        {.message = "motif show takes one motif file", .hint = "orrery motif show FILE.motif -o flow.svg"});
  const std::string& path = invocation.operands()[1];
  const auto motif = motif::read_motif(path);
  if (!motif) return invocation.fail(motif.error());
  if (auto added = invocation.add_input(path); !added) return invocation.fail(added.error());
  // Without a run of its own: the largest that the motif knows.
  motif::RunParameters run{.nodes = std::max(1.0, motif->fit.most_nodes),
                           .size = std::max(1.0, motif->fit.largest_size)};
  if (invocation.has("nodes")) run.nodes = std::max(1.0, invocation.number("nodes"));
  if (invocation.has("size")) run.size = std::max(1e-9, invocation.number("size"));
  const motif::Prediction prediction = motif::predict(*motif, run);
  if (invocation.has("output")) {
    const std::string output = invocation.text("output");
    const bool svg = output.ends_with(".svg");
    const auto written =
        write_whole_file(output, svg ? analyze::motif_svg(*motif, prediction) : analyze::motif_dot(*motif, prediction));
    if (!written) return invocation.fail(written.error());
  }
  invocation.text() = fmt::format("{} at {}, size {}: {:.4g} ms, {:.0f} calls; times as {}\n\n{}", motif->program,
                                  report::counted(run.nodes, "node"), run.size, prediction.total_us / 1000,
                                  prediction.calls, motif->fit.times_family, analyze::motif_flow_text(*motif, run));
  invocation.data().field("program", motif->program).field("flow", analyze::motif_flow_text(*motif, run));
  invocation.data().field("dot", analyze::motif_dot(*motif, prediction));
  if (invocation.has("manifest")) {
    if (Status status = add_plots(invocation, *motif, prediction); !status) return invocation.fail(status.error());
  }
  return ExitCode::ok;
}

}  // namespace orrery::cli
