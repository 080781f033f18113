#include "cli/workloads/motif_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "cli/graphs/run_page.h"
#include "cli/workloads/motif_predict.h"
#include "cli/workloads/network_flags.h"
#include "cli/workloads/simulate_inputs.h"
#include "cli/workloads/simulate_run.h"
#include "job/shipped/bfs_motif.h"
#include "job/write/workload_export.h"
#include "motif/motif_yaml.h"
#include "motif/patterns/catalog.h"
#include "motif/patterns/fitted_pattern.h"
#include "motif/patterns/jobs_yaml.h"
#include "motif/patterns/pattern_source.h"
#include "motif/predict.h"
#include "report/counted.h"
#include "report/sheet.h"
#include "report/sheet_json.h"
#include "simulate/run.h"

namespace orrery::cli {
namespace {

using Source = std::unique_ptr<workload::WorkloadSource>;

/// "nx=100" from each --set.
Result<motif::Settings> settings_of(const Invocation& invocation) {
  motif::Settings settings;
  for (const std::string& text : invocation.texts("set")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0)
      return Error{.message = fmt::format("--set {}: a parameter and its value are wanted", text),
                   .hint = "--set nx=100"};
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

constexpr DiagnosticKind kAssumed{"S130", Severity::warning, "the motif does not say all that a run needs",
                                  "the part is as the message says; edit the motif file where it is known better"};

Result<std::uint32_t> nodes_of(const Invocation& invocation, const std::optional<machine::Machine>& machine) {
  const double most = static_cast<double>(machine ? machine->devices.count : motif::kMostRanks);
  const double nodes = invocation.has("nodes") ? invocation.number("nodes") : most;
  if (nodes < 1 || nodes > motif::kMostRanks || nodes != std::floor(nodes))
    return Error{
        fmt::format("{}: a whole number from 1 to {} can be made", report::counted(nodes, "node"), motif::kMostRanks)};
  if (nodes > most)
    return Error{fmt::format("{} wanted, and the machine '{}' has {}", report::counted(nodes, "node is", "nodes are"),
                             machine->name, most)};
  return static_cast<std::uint32_t>(nodes);
}

Result<Source> open_jobs(const Invocation& invocation, const std::string& path, const std::string& text,
                         std::uint32_t nodes) {
  if (invocation.has("set"))
    return Error{.message = "--set is for a motif that is named; in a file its parameters are there", .file = path};
  auto jobs = motif::parse_jobs(text, path, nodes, job::motif_catalog());
  if (!jobs) return jobs.error();
  return motif::pattern_source(std::move(*jobs), nodes);
}

Result<Source> open_fitted(Invocation& invocation, const std::string& path, const std::string& text,
                           std::uint32_t nodes) {
  if (!invocation.has("size")) return Error{.message = "of which problem size?", .file = path, .hint = "--size S"};
  const auto fitted = motif::parse_motif(text, path);
  if (!fitted) return fitted.error();
  motif::RunParameters run;
  run.nodes = nodes;
  run.size = invocation.number("size");
  if (const Status near = motif::check_extrapolation(*fitted, run); !near) {
    Error error = near.error();
    error.file = path;
    return error;
  }
  note_extrapolation(*fitted, run, invocation.diagnostics());
  const auto seed = static_cast<std::uint64_t>(invocation.integer("seed"));
  invocation.set_seed(seed);
  auto made = motif::fitted_pattern(*fitted, run, seed);
  if (!made) return made.error();
  for (const std::string& note : made->notes) invocation.diagnostics().add(kAssumed, [&] { return note; });
  return motif::pattern_source(std::move(made->pattern));
}

Result<Source> open_file(Invocation& invocation, const std::string& path, std::uint32_t nodes) {
  if (const Status added = invocation.add_input(path); !added) return added.error();
  const auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  if (motif::looks_like_jobs(*text)) return open_jobs(invocation, path, *text, nodes);
  if (text->substr(0, 4096).find("orrery.motif/") != std::string::npos)
    return open_fitted(invocation, path, *text, nodes);
  return Error{.message = "neither a fitted motif nor a file of jobs", .file = path, .hint = "docs/MOTIF_RUN.md"};
}

/// What a fitted motif says of the run by itself, beside what the machine makes of it.
void add_own_prediction(Invocation& invocation, const std::string& path, std::uint32_t nodes) {
  std::error_code ignored;
  if (motif::find_pattern(path, job::motif_catalog()) != nullptr || !std::filesystem::is_regular_file(path, ignored))
    return;
  const auto fitted = motif::read_motif(path);
  if (!fitted) return;  // a file of jobs
  motif::RunParameters run;
  run.nodes = nodes;
  run.size = invocation.number("size");
  const motif::Prediction own = motif::predict(*fitted, run);
  JsonWriter& json = invocation.data();
  json.key("motif").begin_object().field("total_us", own.total_us).field("compute_us", own.compute_us);
  json.key("interval_us").begin_array().value(own.low_us).value(own.high_us).end_array();
  json.key("simulated_interval_us")
      .begin_array()
      .value(own.simulated_low_us)
      .value(own.simulated_high_us)
      .end_array()
      .end_object();
  if (invocation.csv()) return;
  const std::string said = fmt::format(
      "\nThe motif by itself says {} of such a run, nine of ten times between {} and {}. {}",
      motif_time_text(own.total_us), motif_time_text(own.low_us), motif_time_text(own.high_us), simulated_words(own));
  const std::size_t next = invocation.text().find("\nNext: ");
  invocation.text().insert(next == std::string::npos ? invocation.text().size() : next, said);
}

ExitCode export_motif(Invocation& invocation, workload::WorkloadSource& source,
                      const std::optional<machine::Machine>& machine) {
  // A machine that is given says how it does collectives, for GOAL, which has none.
  const auto collectives = machine ? simulate::loggops::options_of(machine->communication.collective_algorithm)
                                   : simulate::loggops::CollectiveOptions{};
  const auto written = job::export_workload(source, invocation.text("export"), invocation.text("output"), collectives);
  if (!written) return invocation.fail(written.error());
  report::Sheet sheet("workloads");
  sheet.add({.name = "prefix"})
      .add({.name = "ranks", .type = report::Type::integer})
      .add({.name = "nodes", .type = report::Type::integer});
  sheet.add_row({written->prefix, written->ranks, written->nodes});
  write_sheet(invocation.data(), sheet);
  invocation.text() = fmt::format("{}: {}, {}\n", written->prefix, report::counted(written->ranks, "rank"),
                                  report::counted(written->nodes, "node"));
  return ExitCode::ok;
}

std::string_view kind_text(motif::ParameterKind kind) {
  switch (kind) {
    case motif::ParameterKind::count: return "count";
    case motif::ParameterKind::number: return "number";
    case motif::ParameterKind::flag: return "flag";
    case motif::ParameterKind::text: return "text";
  }
  return "";
}

}  // namespace

bool is_motif(const std::string& what) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(what, ignored))
    return motif::find_pattern(what, job::motif_catalog()) != nullptr && !std::filesystem::exists(what, ignored);
  if (std::filesystem::file_size(what, ignored) > kMaxYamlBytes || ignored) return false;
  const auto text = read_whole_file(what, kMaxYamlBytes);
  return text && (motif::looks_like_jobs(*text) || text->substr(0, 4096).find("orrery.motif/") != std::string::npos);
}

Result<Source> open_motif(Invocation& invocation, const std::string& what, std::uint32_t nodes) {
  std::error_code ignored;
  const auto& catalog = job::motif_catalog();
  if (motif::find_pattern(what, catalog) == nullptr && std::filesystem::is_regular_file(what, ignored))
    return open_file(invocation, what, nodes);
  const auto settings = settings_of(invocation);
  if (!settings) return settings.error();
  auto pattern = motif::make_pattern(what, *settings, nodes, catalog);
  if (!pattern) return pattern.error();
  return motif::pattern_source(std::move(*pattern));
}

ExitCode run_motif_run(Invocation& invocation) {
  if (invocation.operands().size() < 2)
    return invocation.fail_usage({"no motif given", "orrery motif list names them"});
  if (const auto error = prepare_run_page(invocation)) return invocation.fail_usage(*error);
  const bool exports = invocation.has("export");
  if (!exports && !invocation.has("machine"))
    return invocation.fail_usage({"no machine given", "--machine FILE.yaml, or the name of one that is shipped"});
  if (exports && !invocation.has("output")) return invocation.fail_usage({"no name for the files", "-o PREFIX"});
  std::optional<machine::Machine> machine;
  if (invocation.has("machine")) {
    auto loaded = load_machine(invocation);
    if (!loaded) return invocation.fail(loaded.error());
    machine = std::move(*loaded);
  } else if (!invocation.has("nodes")) {
    return invocation.fail_usage({"how many ranks?", "--nodes N, or --machine FILE.yaml for as many as it has"});
  }
  const auto nodes = nodes_of(invocation, machine);
  if (!nodes) return invocation.fail(nodes.error());
  const auto source = open_motif(invocation, invocation.operands()[1], *nodes);
  if (!source) return invocation.fail(source.error());
  if (exports) return export_motif(invocation, **source, machine);
  auto priced_by = chosen_pricing(invocation, *machine);
  if (!priced_by) return invocation.fail(priced_by.error());
  priced_by->pricing.placement =
      simulate::loggops::Placement::as_given;  // an MPI process computes and communicates on one processor
  SimulationRun run{*machine, std::move(*priced_by), simulate::engine_options(*machine)};
  run.shows_phases = true;
  const ExitCode code = run_source(invocation, std::move(run), **source);
  if (code == ExitCode::ok) add_own_prediction(invocation, invocation.operands()[1], *nodes);
  return code;
}

ExitCode run_motif_list(Invocation& invocation) {
  report::Sheet sheet("motifs");
  sheet.add({.name = "motif"})
      .add({.name = "parameter"})
      .add({.name = "kind"})
      .add({.name = "default"})
      .add({.name = "help"});
  std::string& text = invocation.text();
  for (const motif::PatternInfo& info : job::motif_catalog()) {
    text += fmt::format("{}{}: {}\n", text.empty() ? "" : "\n",
                        invocation.style().paint(report::Tone::strong, info.name), info.sentence);
    for (const motif::Parameter& parameter : info.parameters) {
      sheet.add_row({info.name, parameter.name, kind_text(parameter.kind), parameter.default_text, parameter.help});
      const std::string name = parameter.default_text.empty()
                                   ? std::string(parameter.name)
                                   : fmt::format("{}={}", parameter.name, parameter.default_text);
      text += fmt::format("  {:<28} {}\n", name, parameter.help);
    }
  }
  write_sheet(invocation.data(), sheet);
  return ExitCode::ok;
}

std::vector<Flag> motif_run_flags() {
  std::vector<Flag> flags =
      with_network_flags(with_run_flags({
                             Flag{.name = "seed",
                                  .value_name = "N",
                                  .kind = ValueKind::count,
                                  .help = "of run: of the branches that chance decides in a fitted motif",
                                  .default_text = "1"},
                             Flag{.name = "set",
                                  .value_name = "NAME=VALUE",
                                  .help = "of run: a parameter of a built-in motif",
                                  .repeatable = true},
                             Flag{.name = "machine",
                                  .value_name = "FILE",
                                  .kind = ValueKind::file,
                                  .help = "of run: where it runs; a file, or the name of a machine that is shipped"},
                             Flag{.name = "export",
                                  .value_name = "FORMAT",
                                  .help = "of run: write it for another simulator instead, as -o PREFIX",
                                  .choices = job::kExportFormats},
                         }),
                         "of run: how communication is timed; as the machine says if left out");
  for (Flag& flag : flags) {
    if (flag.name == "network-model") flag.former_name = "model";
  }
  return flags;
}

}  // namespace orrery::cli
