// orrery align: put the traces of many nodes on one clock.
#include <fmt/format.h>

#include <filesystem>

#include "align/alignment.h"
#include "analyze/aligned_files.h"
#include "analyze/trace_export.h"
#include "cli/load.h"
#include "cli/verbs.h"
#include "formats/clock_sources/reader.h"
#include "formats/xspace/merge.h"
#include "formats/xspace/rewriter.h"
#include "report/table.h"

namespace orrery::cli {
namespace {

using align::Alignment;
using analyze::NodeCorrection;
using report::Align;

constexpr DiagnosticKind kForced{"A721", Severity::warning, "uncalibrated traces were copied because --force was given",
                                 "their times are as recorded; do not compare nodes"};

struct SourceFlag {
  std::string_view name;
  clock_sources::Kind kind;
};

// The second of a kind is what other tools call it.
constexpr SourceFlag kSourceFlags[] = {{"probes", clock_sources::Kind::probes},
                                       {"probe-windows", clock_sources::Kind::probe_windows},
                                       {"offsets", clock_sources::Kind::offsets},
                                       {"snapshots", clock_sources::Kind::snapshots},
                                       {"snapshot_pairs", clock_sources::Kind::snapshots}};

Result<trace::ClockSources> load_sources(Invocation& invocation) {
  trace::ClockSources sources;
  for (const SourceFlag& flag : kSourceFlags) {
    for (const std::string& path : invocation.texts(flag.name)) {
      if (const Status added = invocation.add_input(path); !added) return added.error();
      if (const Status read = clock_sources::read(path, flag.kind, sources, invocation.diagnostics()); !read) return read.error();
    }
  }
  return sources;
}

std::string microseconds(TimePs ps) { return fmt::format("{:.3f}", static_cast<double>(ps) / 1e6); }

void write_causality(JsonWriter& json, std::string_view key, const align::CausalityReport& report) {
  json.key(key).begin_object().field("collectives", report.checked).field("violated", report.violated);
  json.field("largest_us", report.violations.empty() ? 0.0 : static_cast<double>(report.violations.front().by_ps) / 1e6).end_object();
}

void describe(Invocation& invocation, const Alignment& alignment, const std::vector<NodeCorrection>& corrections) {
  JsonWriter& json = invocation.data();
  json.field("status", alignment.calibrated ? "aligned" : "uncalibrated")
      .field("calibrated", alignment.calibrated)
      .key("sources")
      .begin_array();
  for (const std::string& source : alignment.sources) json.value(source);
  json.end_array();
  json.field("collectives_matched", alignment.collectives.collectives.size());
  write_causality(json, "before", alignment.before);
  write_causality(json, "after", alignment.after);
  json.key("nodes").begin_array();
  report::Table table({{"node", Align::right},
                       {"median correction us", Align::right},
                       {"range us", Align::right},
                       {"uncertainty us", Align::right},
                       {"observations", Align::right},
                       {"rejected", Align::right},
                       {"steps", Align::right}});
  for (std::size_t i = 0; i < alignment.nodes.size(); ++i) {
    const align::NodeAlignment& node = alignment.nodes[i];
    const NodeCorrection& correction = corrections[i];
    json.begin_object();
    analyze::write_node_statistics(json, node, correction);
    json.end_object();
    table.add_row({std::to_string(node.rank), microseconds(correction.median_ps),
                   fmt::format("{} .. {}", microseconds(correction.least_ps), microseconds(correction.most_ps)),
                   "+-" + microseconds(correction.median_uncertainty_ps), format_count(node.observations), format_count(node.rejected),
                   std::to_string(node.steps.size())},
                  node.calibrated ? report::Tone::plain : report::Tone::warning);
  }
  json.end_array();
  if (invocation.json()) return;
  std::string& text = invocation.text();
  std::string sources;
  for (const std::string& source : alignment.sources) sources += (sources.empty() ? "" : ", ") + source;
  text = fmt::format("{} nodes on one clock, from {}.\n\n", alignment.nodes.size(), sources.empty() ? "nothing" : sources);
  text += table.render(invocation.columns(), invocation.style());
  if (alignment.before.checked > 0) {
    const auto largest = [](const align::CausalityReport& report) {
      return report.violations.empty() ? TimePs{0} : report.violations.front().by_ps;
    };
    text += fmt::format("\nHappens-before, over {} collectives: {} violated before (by up to {} us), {} after (by up to {} us).\n",
                        alignment.before.checked, alignment.before.violated, microseconds(largest(alignment.before)),
                        alignment.after.violated, microseconds(largest(alignment.after)));
  }
}

ExitCode undo(Invocation& invocation) {
  const std::string folder = invocation.text("output");
  std::error_code failed;
  const bool is_new = std::filesystem::create_directories(folder, failed);
  for (const std::string& file : invocation.operands()) {
    const std::string target = (std::filesystem::path(folder) / std::filesystem::path(file).filename()).string();
    if (const Status undone = xspace::undo(file, target); !undone) {
      if (is_new) std::filesystem::remove(folder, failed);  // only if nothing was written: a folder with files stays
      return invocation.fail(undone.error());
    }
  }
  invocation.data().field("restored", invocation.operands().size());
  invocation.text() = fmt::format("{} files as they were before the alignment, in {}\n", invocation.operands().size(), folder);
  return ExitCode::ok;
}

ExitCode uncalibrated(Invocation& invocation, const trace::Trace& job) {
  invocation.data().field("status", "uncalibrated").field("calibrated", false).field("nodes", job.ranks.size());
  invocation.text() = fmt::format(
      "uncalibrated: nothing tells how the clocks of these {} nodes relate, so nothing was written.\n"
      "Give --probes, --probe-windows or --offsets, or traces with collectives that carry sequence numbers; --force copies the files as "
      "they "
      "are.\n",
      job.ranks.size());
  return ExitCode::check_failed;
}

ExitCode run_align(Invocation& invocation) {
  if (!invocation.has("output") && !invocation.has("dry-run"))
    return invocation.fail_usage({"where to write to is missing", "give -o FOLDER"});
  if (invocation.has("dry-run") && invocation.has("merge"))
    return invocation.fail_usage({"--dry-run writes nothing, so there is nothing to merge", "leave out one of the two"});
  if (invocation.has("undo")) return undo(invocation);
  std::vector<std::string> operands = invocation.operands();
  for (const std::string& trace : invocation.texts("trace")) operands.push_back(trace);
  if (operands.empty()) return invocation.fail_usage({"there are no traces", "name the files of all nodes"});
  auto job = load_job(invocation, operands, true);
  if (!job) return invocation.fail(job.error());
  align::take_era_of(invocation.integer("reference"), *job);
  const auto sources = load_sources(invocation);
  if (!sources) return invocation.fail(sources.error());
  const auto alignment = align::align(*job, *sources, {.reference_rank = invocation.integer("reference")}, invocation.diagnostics());
  if (!alignment) return invocation.fail(alignment.error());
  if (!alignment->calibrated && !invocation.has("force")) return uncalibrated(invocation, *job);
  if (!alignment->calibrated) invocation.diagnostics().add(kForced);
  std::vector<NodeCorrection> corrections = analyze::describe_corrections(*job, *alignment);
  if (!invocation.has("dry-run")) {
    const Status written = analyze::write_aligned(*job, *alignment, invocation.text("output"), corrections);
    if (!written) return invocation.fail(written.error());
  }
  if (invocation.has("merge")) {
    std::vector<xspace::MergeInput> inputs;
    for (std::size_t i = 0; i < corrections.size(); ++i) inputs.push_back({corrections[i].file, alignment->nodes[i].rank});
    if (const Status merged = xspace::merge(inputs, invocation.text("merge")); !merged) return invocation.fail(merged.error());
  }
  if (invocation.has("perfetto")) {
    align::apply(*alignment, *job);
    if (const Status exported = analyze::export_trace(*job, invocation.text("perfetto")); !exported)
      return invocation.fail(exported.error());
  }
  describe(invocation, *alignment, corrections);
  return ExitCode::ok;
}

}  // namespace

const Verb& align_verb() {
  static const Verb verb = {
      .name = "align",
      .summary = "put these nodes on one clock",
      .description =
          "Every node stamps its trace with its own clocks. This finds how they relate, from probes, offsets, snapshot pairs of device and "
          "host clocks or, with nothing else, from the collectives in the traces, and writes the traces again on the clock of one node, "
          "with "
          "the uncertainty of every correction.\n\n"
          "Without any source nothing is written and the verb ends with 1.",
      .operands = {.name = "TRACE...",
                   .help = "XSpace files (*.xplane.pb) or run folders; one file per node",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "probes",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "exchanges of packets between nodes (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "probe-windows",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "fits per window and pair of nodes (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "offsets",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "offsets against node 0 per round (JSON lines)",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "snapshots",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "pairs of readings of a node's device and host clocks",
               .repeatable = true,
               .group = "Sources"},
          Flag{.name = "snapshot_pairs",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --snapshots",
               .repeatable = true,
               .group = "Flags of xprof_trace_align"},
          Flag{.name = "trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "a trace, as an operand",
               .repeatable = true,
               .group = "Flags of xprof_trace_align"},
          Flag{.name = "reference", .value_name = "NODE", .kind = ValueKind::count, .help = "whose host clock to use", .default_text = "0"},
          Flag{.name = "merge", .value_name = "FILE", .kind = ValueKind::file, .help = "also write all nodes into one file"},
          Flag{.name = "perfetto",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "also write all nodes as one timeline for Perfetto"},
          Flag{.name = "force", .help = "copy the traces even if nothing tells how their clocks relate"},
          Flag{.name = "dry-run", .help = "say what would be done, write nothing"},
          Flag{.name = "undo", .help = "restore files that were aligned before"},
      }),
      .examples = {{"orrery align run/*.xplane.pb -o aligned", "traces of one job, from their own collectives"},
                   {"orrery align run/*.xplane.pb --probes probes.0.jsonl --probes probes.1.jsonl -o aligned",
                    "the same, from measured packets"}},
      .output_help = "the folder for the aligned files",
      .run = run_align,
  };
  return verb;
}

}  // namespace orrery::cli
