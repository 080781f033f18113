#include "cli/workloads/motif_fit.h"

#include <fmt/format.h>

#include "analyze/schedule/motif_sheets.h"
#include "job/shipped/motif_models.h"
#include "job/write/motif_manifest.h"
#include "motif/motif_yaml.h"
#include "report/counted.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {

ExitCode run_motif_fit(Invocation& invocation) {
  if (!invocation.has("manifest") || invocation.operands().size() != 1)
    return invocation.fail_usage(
        {.message = "motif fit needs a manifest", .hint = "orrery motif fit --manifest RUNS.csv -o FILE.motif"});
  const std::string manifest = invocation.text("manifest");
  if (auto added = invocation.add_input(manifest); !added) return invocation.fail(added.error());
  auto runs = job::read_motif_manifest(manifest, invocation.diagnostics());
  if (!runs) return invocation.fail(runs.error());
  for (const std::string& file : runs->files) {
    if (auto added = invocation.add_input(file); !added) return invocation.fail(added.error());
  }
  auto outcome = motif::fit::fit_motif(runs->observations);
  if (!outcome) {
    if (outcome.error().file.empty()) outcome.error().file = manifest;
    return invocation.fail(outcome.error());
  }
  if (invocation.has("output")) {
    const auto written = motif::write_motif(outcome->motif, invocation.text("output"));
    if (!written) return invocation.fail(written.error());
  }
  if (invocation.has("models")) {
    const auto written = job::write_published_models(runs->observations, invocation.text("models"));
    if (!written) return invocation.fail(written.error());
  }
  const motif::Motif& motif = outcome->motif;
  const report::Sheet families = analyze::motif_family_sheet(*outcome), laws = analyze::motif_bytes_sheet(*outcome);
  JsonWriter& data = invocation.data();
  data.field("program", motif.program).field("runs", motif.fit.runs).field("classes", motif.classes.size());
  data.field("callsites", motif.sites.size()).field("transitions", motif.transitions.size());
  data.field("error_pct", motif.fit.error_pct).field("left_out_error_pct", motif.fit.left_out_error_pct);
  write_sheet(data, families);
  write_sheet(data, laws);
  report::SheetView view = invocation.view();
  view.rows = report::kShownRows;
  view.rest = "call sites";
  invocation.text() = fmt::format(
      "{} of {}: {}, {}, {}; totals of the runs are met within {:.1f} %, of runs left out of the fit within {:.1f} "
      "%\n\n{}\n{}",
      report::counted(motif.fit.runs, "run"), motif.program, report::counted(motif.classes.size(), "rank program"),
      report::counted(motif.sites.size(), "call site"), report::counted(motif.transitions.size(), "transition"),
      motif.fit.error_pct, motif.fit.left_out_error_pct, to_text(families, invocation.view()), to_text(laws, view));
  return ExitCode::ok;
}

}  // namespace orrery::cli
