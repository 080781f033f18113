// orrery link: one causal graph out of host and device traces.
#include <fmt/format.h>

#include <filesystem>

#include "base/io/output_file.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/workloads/link_inputs.h"
#include "cli/workloads/link_report.h"
#include "formats/chakra/converter.h"
#include "formats/pytorch_et/reader.h"
#include "job/pairs/linked_files.h"
#include "job/read/registry.h"
#include "job/write/astra_export.h"

namespace orrery::cli {
namespace {

using job::LinkTarget;
using job::TracePair;

std::uint64_t total_bytes(const std::vector<TracePair>& pairs) {
  std::uint64_t total = 0;
  for (const TracePair& pair : pairs) {
    std::error_code ignored;
    if (const auto size = std::filesystem::file_size(pair.device, ignored); !ignored) total += size;
  }
  return total;
}

LinkTarget target_of(const Invocation& invocation, std::size_t ranks) {
  const std::string path = invocation.has("output") ? invocation.text("output") : invocation.text("output-file");
  return job::link_target(path, invocation.has("output-file"), ranks);
}

std::optional<UsageError> check_target(const LinkTarget& target, std::size_t ranks) {
  if (ranks < 2 || !is_standard_output(target.path)) return std::nullopt;
  return UsageError{"several ranks are several files, which standard output is not",
                    "-o PREFIX for PREFIX.0.et, PREFIX.1.et, ..."};
}

ExitCode link_default(Invocation& invocation, const std::vector<TracePair>& pairs) {
  const LinkTarget target = target_of(invocation, pairs.size());
  if (const auto problem = check_target(target, pairs.size())) return invocation.fail_usage(*problem);
  Progress progress = invocation.progress("linking", total_bytes(pairs));
  job::LinkJobOptions options;
  options.salvage = invocation.has("salvage");
  // What is no trace of any kind is left to the reader of Kineto traces, which says what is wrong with it.
  if (const auto format = job::detect(pairs.front().device); format && (*format)->read_traces != nullptr)
    options.format = *format;
  options.on_progress = [&](std::uint64_t bytes) { progress.add(bytes); };
  options.link.least_coverage_percent = invocation.number("least-coverage");
  // Chakra's unit is a microsecond; rounding each time by itself would add up to another step.
  options.link.whole_microseconds = target.form == LinkTarget::Form::chakra;
  if (invocation.has("rank")) options.rank = invocation.integer("rank");
  auto job = job::link_job(pairs, options, invocation.diagnostics());
  progress.finish();
  if (!job) return invocation.fail(job.error());
  if (invocation.has("for"))
    job->workload = job::workload_for_astra(std::move(job->workload), invocation.diagnostics());
  if (const Status written = job::write_linked(target, *job); !written) return invocation.fail(written.error());
  report_link(invocation, *job);
  return ExitCode::ok;
}

void report_files(Invocation& invocation, const std::vector<std::string>& files) {
  if (!invocation.json()) {
    for (const std::string& file : files) invocation.text() += fmt::format("wrote {}\n", file);
    return;
  }
  invocation.data().key("files").begin_array();
  for (const std::string& file : files) invocation.data().value(file);
  invocation.data().end_array();
}

ExitCode link_as_chakra(Invocation& invocation, const std::vector<TracePair>& pairs) {
  const LinkTarget target = target_of(invocation, pairs.size());
  if (const auto problem = check_target(target, pairs.size())) return invocation.fail_usage(*problem);
  if (target.form == LinkTarget::Form::none)
    return invocation.fail_usage(
        {"--compat chakra needs a file to write to", "-o linked.json for chakra_trace_link, -o x.et for both tools"});
  for (const TracePair& pair : pairs) {
    if (pair.host.empty()) return invocation.fail(Error{"no host trace belongs to this profiler trace", pair.device});
  }
  job::LinkJobOptions options;
  options.salvage = invocation.has("salvage");
  if (invocation.has("rank")) options.rank = invocation.integer("rank");
  auto job = job::read_pairs(pairs, options, invocation.diagnostics());
  if (!job) return invocation.fail(job.error());
  if (const Status written = job::write_linked_as_chakra(target, *job, invocation.diagnostics()); !written)
    return invocation.fail(written.error());
  std::vector<std::string> files;
  for (const trace::RankTrace& rank : job->trace.ranks) files.push_back(job::target_file(target, rank.rank));
  report_files(invocation, files);
  return ExitCode::ok;
}

// chakra_converter PyTorch --input linked.json --output x.et
ExitCode convert_linked(Invocation& invocation) {
  const std::string input = invocation.text("input");
  if (!invocation.has("output")) return invocation.fail_usage({"--input needs a file to write to", "--output x.et"});
  for (const std::string& operand : invocation.operands()) {
    // chakra_converter PyTorch --input ...: the name of the converter stands where traces stand.
    if (operand != "PyTorch") return invocation.fail_usage({"give --input or traces, not both"});
  }
  if (const Status added = invocation.add_input(input); !added) return invocation.fail(added.error());
  Interner strings;
  const auto linked = pytorch_et::read_host_trace(input, strings, invocation.diagnostics());
  if (!linked) return invocation.fail(linked.error());
  const auto bytes = chakra::convert_linked_trace(*linked, strings);
  if (!bytes) return invocation.fail(bytes.error());
  if (const Status written = write_whole_file(invocation.text("output"), *bytes); !written)
    return invocation.fail(written.error());
  report_files(invocation, {invocation.text("output")});
  return ExitCode::ok;
}

ExitCode run_link(Invocation& invocation) {
  if (invocation.has("input")) return convert_linked(invocation);
  const auto pairs = find_pairs(invocation);
  if (!pairs) return invocation.fail(pairs.error());
  return invocation.has("compat") ? link_as_chakra(invocation, *pairs) : link_default(invocation, *pairs);
}

}  // namespace

const Verb& link_verb() {
  static const Verb verb = {
      .name = "link",
      .summary = "one causal graph out of host and device traces",
      .description =
          "Brings together the PyTorch execution trace (operators, shapes, tensors) and the profiler trace (times, "
          "kernels) of each rank, "
          "and "
          "makes the graph that a simulator needs: host and device activities with real starts, delays, collectives "
          "with type, size and "
          "group, "
          "and dependencies that replay to the measured time. The residual of that replay is printed with every "
          "link.\n\n"
          "With --compat chakra, what chakra_trace_link and chakra_converter 1.0.0 make of the same files: an "
          "execution trace (.et) byte "
          "for byte, a linked "
          "host trace (.json) value for value, with other white space and order of members.",
      .operands = {.name = "[TRACE...]",
                   .help = "files, folders or globs with both kinds of traces (x.et.json and x.kineto.json); several "
                           "are several ranks",
                   .min = 0,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          Flag{.name = "host",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "host trace (PyTorch execution trace)",
               .repeatable = true},
          Flag{.name = "device",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "profiler trace (Kineto)",
               .repeatable = true},
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "of one pair: the rank it is; of several: only this one"},
          csv_flag(),
          Flag{.name = "compat",
               .value_name = "TOOL",
               .help = "reproduce the answer of TOOL exactly, defects included",
               .choices = "chakra"},
          Flag{.name = "for", .value_name = "READER", .help = job::kForHelp, .choices = "astra"},
          Flag{.name = "least-coverage",
               .value_name = "PERCENT",
               .kind = ValueKind::number,
               .help = "refuse a host trace of which less was found in the profiler trace: it is of another run",
               .default_text = "10"},
          Flag{.name = "chakra-host-trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --host",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "chakra-device-trace",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "the same as --device",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "output-file",
               .value_name = "FILE",
               .kind = ValueKind::output,
               .help = "the same as -o; a linked host trace unless FILE ends in .et",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "log-level",
               .value_name = "LEVEL",
               .help = "accepted, and ignored",
               .group = "Flags of chakra_trace_link"},
          Flag{.name = "input",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "a linked host trace, to be written to --output as chakra_converter PyTorch does",
               .group = "Flags of chakra_converter"},
          Flag{.name = "simulate",
               .help = "accepted, and ignored: see orrery replay",
               .group = "Flags of chakra_converter"},
          Flag{.name = "log-filename",
               .value_name = "FILE",
               .kind = ValueKind::file,
               .help = "accepted, and ignored",
               .group = "Flags of chakra_converter"},
      }),
      .examples = {{"orrery link --host x.et.json.gz --device x.kineto.json.gz -o x.et",
                    "one rank, as a Chakra execution trace"},
                   {"orrery link traces/ -o job", "every rank of a folder: job.0.et, job.1.et, ..."},
                   {"orrery link --host x.et.json --device x.kineto.json --compat chakra -o linked.json",
                    "what chakra_trace_link writes"}},
      .output_help =
          "FILE.et: Chakra execution trace; FILE.json: linked host trace; else what the ranks' files begin with "
          "(NAME.0.et)",
      .run = run_link,
  };
  return verb;
}

}  // namespace orrery::cli
