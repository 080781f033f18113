// orrery align: put the traces of many nodes on one clock.
#include <fmt/format.h>

#include <set>
#include <vector>

#include "align/alignment.h"
#include "base/io/output_file.h"
#include "base/io/output_set.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/causality_report.h"
#include "formats/clock_sources/reader.h"
#include "formats/xspace/merge.h"
#include "job/alignment_sheets.h"
#include "job/read/inputs.h"
#include "job/read/probes_beside.h"
#include "job/write/aligned_files.h"
#include "job/write/trace_export.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_text.h"
#include "trace/columns.h"

namespace orrery::cli {
namespace {

using align::Alignment;
using job::NodeCorrection;

constexpr DiagnosticKind kForced{"A721", Severity::warning, "uncalibrated traces were copied because --force was given",
                                 "their times are as recorded; do not compare nodes"};

constexpr DiagnosticKind kFoundBeside{"A733", Severity::note,
                                      "measurements of clocks that lie beside the traces were used",
                                      "name others with --probes, --probe-windows or --offsets to go by those instead"};

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

/// What is named, or else what the recorder of the traces left beside them.
Result<trace::ClockSources> load_sources(Invocation& invocation, const trace::Trace& job) {
  trace::ClockSources sources;
  bool is_named = false;
  for (const SourceFlag& flag : kSourceFlags) {
    for (const std::string& path : invocation.texts(flag.name)) {
      is_named = true;
      if (const Status added = invocation.add_input(path); !added) return added.error();
      if (const Status read = clock_sources::read(path, flag.kind, sources, invocation.diagnostics()); !read)
        return read.error();
    }
  }
  const std::optional<std::string> beside = is_named ? std::nullopt : job::probes_beside(job);
  if (!beside) return sources;
  if (const Status added = invocation.add_input(*beside); !added) return added.error();
  const Status read = clock_sources::read(*beside, clock_sources::Kind::probes, sources, invocation.diagnostics());
  if (!read) return read.error();
  invocation.diagnostics().add(kFoundBeside, [&] { return *beside; });
  return sources;
}

void write_causality_as(JsonWriter& json, std::string_view key, const trace::Trace& job,
                        const align::CausalityReport& report) {
  json.key(key).begin_object();
  write_causality(json, job, report);
  json.end_object();
}

/// One line: before, after the estimate, after the logical clock.
std::string causality_line(const Alignment& alignment, bool has_logical_clock) {
  const auto say = [](const align::CausalityReport& report, std::string_view when) {
    const std::string largest =
        report.violated == 0 ? "" : fmt::format(" (by up to {:.3f} µs)", to_us(report.largest_ps()));
    return fmt::format("{} violated {}{}", format_count(report.violated), when, largest);
  };
  std::string line =
      fmt::format("\nHappens-before, over {} and messages: {}, ",
                  report::counted(alignment.before.checked, "collective"), say(alignment.before, "before"));
  if (!has_logical_clock) return line + say(alignment.after, "after") + ".\n";
  return line + say(alignment.estimated, "after") + ", " + say(alignment.after, "after the logical clock") + ".\n";
}

void write_alignment(Invocation& invocation, const trace::Trace& job, const Alignment& alignment,
                     const report::Sheet& nodes) {
  JsonWriter& json = invocation.data();
  json.field("status", alignment.calibrated ? "aligned" : "uncalibrated").field("calibrated", alignment.calibrated);
  json.key("sources").begin_array();
  for (const std::string& source : alignment.sources) json.value(source);
  json.end_array();
  json.field("collectives_matched", alignment.exchanges.all.size());
  json.field("mispaired", alignment.exchanges.mispaired.size());
  write_causality_as(json, "before", job, alignment.before);
  if (invocation.has("clc")) write_causality_as(json, "estimated", job, alignment.estimated);
  write_causality_as(json, "after", job, alignment.after);
  json.key("nodes").begin_array();
  for (std::size_t node = 0; node < nodes.rows(); ++node) job::write_node(json, nodes, alignment, node);
  json.end_array();
}

std::string alignment_text(const Invocation& invocation, const Alignment& alignment, const report::Sheet& nodes) {
  std::string sources;
  for (const std::string& source : alignment.sources) sources += (sources.empty() ? "" : ", ") + source;
  std::set<std::int64_t> hosts;
  for (const align::NodeAlignment& node : alignment.nodes) hosts.insert(node.node);
  const std::string ranks = hosts.size() < alignment.nodes.size()
                                ? fmt::format("{} of ", report::counted(alignment.nodes.size(), "rank"))
                                : "";
  std::string text = fmt::format("{}{} on one clock, from {}.\n\n", ranks, report::counted(hosts.size(), "node"),
                                 sources.empty() ? "nothing" : sources);
  text += to_text(nodes, invocation.view());
  // Without anything to check, "0 violated" would say that nothing is.
  if (alignment.before.checked > 0) text += causality_line(alignment, invocation.has("clc"));
  if (invocation.has("clc"))
    text += "\nWhat the logical clock cost:\n\n" + to_text(job::logical_clock_sheet(alignment), invocation.view());
  return text;
}

void report_alignment(Invocation& invocation, const trace::Trace& job, const Alignment& alignment,
                      const std::vector<NodeCorrection>& corrections) {
  std::vector<report::Sheet> sheets;
  sheets.push_back(job::aligned_nodes_sheet(alignment, corrections));
  if (invocation.json()) return write_alignment(invocation, job, alignment, sheets.front());
  if (!invocation.csv()) {
    invocation.text() = alignment_text(invocation, alignment, sheets.front());
    return;
  }
  sheets.push_back(job::clock_steps_sheet(alignment));
  invocation.text() = report::to_csv(sheets);
}

ExitCode undo(Invocation& invocation) {
  if (!invocation.has("output")) return invocation.fail_usage({"where to write to is missing", "give -o FOLDER"});
  if (invocation.operands().empty()) return invocation.fail_usage({"there are no files", "name the aligned files"});
  const Result<std::vector<std::string>> files = job::expand_inputs(invocation.operands());
  if (!files) return invocation.fail(files.error());
  for (const std::string& file : *files) {
    if (const Status added = invocation.add_input(file); !added) return invocation.fail(added.error());
  }
  const std::string folder = invocation.text("output");
  if (const Status undone = job::undo_alignment(*files, folder); !undone) return invocation.fail(undone.error());
  invocation.data().field("restored", files->size());
  invocation.text() = fmt::format("{} before the alignment, in {}\n",
                                  report::counted(files->size(), "file as it was", "files as they were"), folder);
  return ExitCode::ok;
}

/// Only XSpaces can be joined into one file of their own format.
Status check_mergeable(const trace::Trace& job) {
  for (const trace::RankTrace& rank : job.ranks) {
    if (rank.source.format != "xspace")
      return Error{"--merge joins XSpace profiles, and this is none", rank.source.path, Error::kNoOffset,
                   "--perfetto FILE writes all nodes as one timeline"};
  }
  return {};
}

ExitCode uncalibrated(Invocation& invocation, const trace::Trace& job) {
  invocation.data().field("status", "uncalibrated").field("calibrated", false).field("nodes", job.ranks.size());
  invocation.text() = fmt::format(
      "uncalibrated: nothing tells how the clocks of {} relate, so nothing was written.\n"
      "Give --probes, --probe-windows or --offsets, or traces with collectives; --force copies the files as "
      "they "
      "are.\n",
      report::counted(job.ranks.size(), "node"));
  return ExitCode::check_failed;
}

ExitCode run_align(Invocation& invocation) {
  if (!invocation.has("output") && !invocation.has("dry-run"))
    return invocation.fail_usage({"where to write to is missing", "give -o FOLDER"});
  if (invocation.has("output") && is_standard_output(invocation.text("output")))
    return invocation.fail_usage({"aligned traces go to a folder, not to standard output", "give -o FOLDER"});
  if (invocation.has("dry-run") && invocation.has("merge"))
    return invocation.fail_usage(
        {"--dry-run writes nothing, so there is nothing to merge", "leave out one of the two"});
  if (invocation.has("undo")) return undo(invocation);
  std::vector<std::string> operands = invocation.operands();
  for (const std::string& trace : invocation.texts("trace")) operands.push_back(trace);
  if (operands.empty()) return invocation.fail_usage({"there are no traces", "name the files of all nodes"});
  auto job = load_own_job(invocation, operands, {.positions = false, .far_clocks = true});
  if (!job) return invocation.fail(job.error());
  // Where clocks are years apart the reader has moved them together; the times of the reference must stay as recorded.
  align::take_era_of(invocation.integer("reference"), *job);
  if (invocation.has("merge")) {
    if (const Status mergeable = check_mergeable(*job); !mergeable) return invocation.fail(mergeable.error());
  }
  const auto sources = load_sources(invocation, *job);
  if (!sources) return invocation.fail(sources.error());
  const std::optional<std::int64_t> reference =
      invocation.has("reference") ? std::optional(invocation.integer("reference")) : std::nullopt;
  if (invocation.has("ranks-per-node") && invocation.integer("ranks-per-node") < 1)
    return invocation.fail_usage(
        {"--ranks-per-node must be at least 1", "8 says that ranks 0 to 7 ran on the first node"});
  align::AlignOptions options{.reference_rank = reference, .logical_clock = invocation.has("clc")};
  if (invocation.has("ranks-per-node")) options.ranks_per_node = invocation.integer("ranks-per-node");
  const auto alignment = align::align(*job, *sources, options, invocation.diagnostics());
  if (!alignment) return invocation.fail(alignment.error());
  if (!alignment->calibrated && !invocation.has("force")) return uncalibrated(invocation, *job);
  if (!alignment->calibrated) invocation.diagnostics().add(kForced);
  std::vector<NodeCorrection> corrections = job::describe_corrections(*job, *alignment);
  const std::int64_t origin = job::common_origin(*job, *alignment);
  if (invocation.has("perfetto")) {
    align::apply(*alignment, *job);
    if (const Status exported = job::export_trace(*job, invocation.text("perfetto")); !exported)
      return invocation.fail(exported.error());
  }
  // The files are written from the files; the events, which may take more memory than those, are not needed any more.
  for (trace::RankTrace& rank : job->ranks) trace::forget_events(rank);
  if (!invocation.has("dry-run")) {
    const job::AlignedTarget target = job::aligned_target(invocation.text("output"), job->ranks.size());
    const Status written = job::write_aligned(*job, *alignment, origin, target, corrections, invocation.diagnostics());
    if (!written) return invocation.fail(written.error());
  }
  if (invocation.has("merge")) {
    std::vector<xspace::MergeInput> inputs;
    for (std::size_t i = 0; i < corrections.size(); ++i)
      inputs.push_back({OutputSet::place_of(corrections[i].file),
                        alignment->nodes[i].rank});  // they appear when the verb has succeeded
    if (const Status merged = xspace::merge(inputs, invocation.text("merge")); !merged)
      return invocation.fail(merged.error());
  }
  report_alignment(invocation, *job, *alignment, corrections);
  return ExitCode::ok;
}

}  // namespace

const Verb& align_verb() {
  static const Verb verb = {
      .name = "align",
      .summary = "put these nodes on one clock",
      .description =
          "Every node stamps its trace with its own clocks. This finds how they relate, from probes, offsets, snapshot "
          "pairs of device and "
          "host clocks or, with nothing else, from the collectives in the traces, and writes the traces again on the "
          "clock of one node, "
          "with "
          "the uncertainty of every correction.\n\n"
          "Without any source nothing is written and the verb ends with 1.",
      .operands = {.name = "TRACE...",
                   .help = "XSpace (*.xplane.pb), Kineto (*.json) or liborrery_mpi (*.mpitrace) files, or folders of "
                           "them; one file per node or rank",
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
          Flag{.name = "reference",
               .value_name = "NODE",
               .kind = ValueKind::count,
               .help = "whose host clock to use",
               .default_text = "0"},
          Flag{.name = "ranks-per-node",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "ranks 0 to N-1 share the clock of node 0, and so on; files named as PyTorch's profiler names "
                       "them say it themselves"},
          Flag{.name = "merge",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "also write all nodes into one file (XSpace)"},
          Flag{.name = "perfetto",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "also write all nodes as one timeline for Perfetto"},
          Flag{.name = "clc",
               .help = "as a last resort bend the clocks until no collective contradicts happens-before, and say what "
                       "it cost"},
          Flag{.name = "force", .help = "copy the traces even if nothing tells how their clocks relate"},
          csv_flag(),
          Flag{.name = "dry-run", .help = "say what would be done, write nothing"},
          Flag{.name = "undo", .help = "restore files that were aligned before"},
      }),
      .examples = {{"orrery align run/*.xplane.pb -o aligned", "traces of one job, from their own collectives"},
                   {"orrery align run/*.xplane.pb --probes probes.0.jsonl --probes probes.1.jsonl -o aligned",
                    "the same, from measured packets"}},
      .output_help = "the folder for the aligned files; of one trace also the file",
      .run = run_align,
  };
  return verb;
}

}  // namespace orrery::cli
