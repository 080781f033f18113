#include "ask/workloads/motif_run.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "ask/workloads/motif.h"
#include "ask/workloads/run_page.h"
#include "ask/workloads/simulation_inputs.h"
#include "base/io/file_content.h"
#include "base/limits.h"
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
#include "simulate/run.h"

namespace orrery::ask {
namespace {

using Source = std::unique_ptr<workload::WorkloadSource>;

/// "nx=100" from each --set.
Result<motif::Settings> settings_of(const MotifChoice& motif) {
  motif::Settings settings;
  for (const std::string& text : motif.set) {
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

Result<std::uint32_t> nodes_of(std::optional<double> wanted, const std::optional<machine::Machine>& machine) {
  const double most = static_cast<double>(machine ? machine->devices.count : motif::kMostRanks);
  const double nodes = wanted.value_or(most);
  if (nodes < 1 || nodes > motif::kMostRanks || nodes != std::floor(nodes))
    return Error{
        fmt::format("{}: a whole number from 1 to {} can be made", report::counted(nodes, "node"), motif::kMostRanks)};
  if (nodes > most)
    return Error{fmt::format("{} wanted, and the machine '{}' has {}", report::counted(nodes, "node is", "nodes are"),
                             machine->name, most)};
  return static_cast<std::uint32_t>(nodes);
}

Result<Source> open_jobs(const MotifChoice& motif, const std::string& text, std::uint32_t nodes) {
  const std::string& path = motif.what;
  if (!motif.set.empty())
    return Error{.message = "--set is for a motif that is named; in a file its parameters are there", .file = path};
  auto jobs = motif::parse_jobs(text, path, nodes, job::motif_catalog());
  if (!jobs) return jobs.error();
  return motif::pattern_source(std::move(*jobs), nodes);
}

Result<Source> open_fitted(Context& context, const MotifChoice& motif, const std::string& text, std::uint32_t nodes) {
  const std::string& path = motif.what;
  if (!motif.size) return Error{.message = "of which problem size?", .file = path, .hint = "--size S"};
  const auto fitted = motif::parse_motif(text, path);
  if (!fitted) return fitted.error();
  motif::RunParameters run;
  run.nodes = nodes;
  run.size = *motif.size;
  if (const Status near = motif::check_extrapolation(*fitted, run); !near) {
    Error error = near.error();
    error.file = path;
    return error;
  }
  note_extrapolation(*fitted, run, context.diagnostics());
  context.set_seed(motif.seed);
  auto made = motif::fitted_pattern(*fitted, run, motif.seed);
  if (!made) return made.error();
  for (const std::string& note : made->notes) context.diagnostics().add(kAssumed, [&] { return note; });
  return motif::pattern_source(std::move(made->pattern));
}

Result<Source> open_motif_file(Context& context, const MotifChoice& motif, std::uint32_t nodes) {
  const std::string& path = motif.what;
  if (const Status added = context.add_input(path); !added) return added.error();
  const auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  if (motif::looks_like_jobs(*text)) return open_jobs(motif, *text, nodes);
  if (text->substr(0, 4096).find("orrery.motif/") != std::string::npos)
    return open_fitted(context, motif, *text, nodes);
  return Error{.message = "neither a fitted motif nor a file of jobs", .file = path, .hint = "docs/MOTIF_RUN.md"};
}

/// What a fitted motif says of the run by itself, beside what the machine makes of it.
void tell_own_prediction(report::Answer& answer, const MotifChoice& chosen, std::uint32_t nodes) {
  std::error_code ignored;
  const std::string& path = chosen.what;
  if (motif::find_pattern(path, job::motif_catalog()) != nullptr || !std::filesystem::is_regular_file(path, ignored))
    return;
  const auto fitted = motif::read_motif(path);
  if (!fitted) return;  // a file of jobs
  motif::RunParameters run;
  run.nodes = nodes;
  run.size = chosen.size.value_or(0);
  const motif::Prediction own = motif::predict(*fitted, run);
  report::Facts& facts = answer.facts();
  facts.key("motif").begin_object().field("total_us", own.total_us).field("compute_us", own.compute_us);
  facts.key("interval_us").begin_array().value(own.low_us).value(own.high_us).end_array();
  facts.key("simulated_interval_us").begin_array().value(own.simulated_low_us).value(own.simulated_high_us);
  facts.end_array().end_object();
  answer.gap().text(fmt::format("The motif by itself says {} of such a run, nine of ten times between {} and {}. {}",
                                motif_time_text(own.total_us), motif_time_text(own.low_us),
                                motif_time_text(own.high_us), simulated_words(own)));
}

Result<report::Answer> export_motif(Context& context, const MotifRunRequest& request, workload::WorkloadSource& source,
                                    const std::optional<machine::Machine>& machine) {
  // A machine that is given says how it does collectives, for GOAL, which has none.
  const auto collectives = machine ? simulate::loggops::options_of(machine->communication.collective_algorithm)
                                   : simulate::loggops::CollectiveOptions{};
  const auto written = job::export_workload(source, *request.to_format, *request.run.output, collectives);
  if (!written) return written.error();
  report::Sheet sheet("workloads");
  sheet.add({.name = "prefix"})
      .add({.name = "ranks", .type = report::Type::integer})
      .add({.name = "nodes", .type = report::Type::integer});
  sheet.add_row({written->prefix, written->ranks, written->nodes});
  report::Answer answer = context.answer();
  answer.line(fmt::format("{}: {}, {}", written->prefix, report::counted(written->ranks, "rank"),
                          report::counted(written->nodes, "node")));
  answer.table(std::move(sheet), {.readers = report::Readers::programs_and_tables});
  return answer;
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

Result<Source> open_motif(Context& context, const MotifChoice& motif, std::uint32_t nodes) {
  std::error_code ignored;
  const auto& catalog = job::motif_catalog();
  if (motif::find_pattern(motif.what, catalog) == nullptr && std::filesystem::is_regular_file(motif.what, ignored))
    return open_motif_file(context, motif, nodes);
  const auto settings = settings_of(motif);
  if (!settings) return settings.error();
  auto pattern = motif::make_pattern(motif.what, *settings, nodes, catalog);
  if (!pattern) return pattern.error();
  return motif::pattern_source(std::move(*pattern));
}

Result<report::Answer> run(const MotifRunRequest& request, Context& context) {
  if (request.motif.what.empty()) return misuse("no motif given", "orrery motif list names them");
  if (const Status ready = prepare_run_page(context, request.run.report); !ready) return ready.error();
  if (!request.to_format && !request.machine)
    return misuse("no machine given", "--machine FILE.yaml, or the name of one that is shipped");
  if (request.to_format && !request.run.output) return misuse("no name for the files", "-o PREFIX");
  std::optional<machine::Machine> machine;
  if (request.machine) {
    auto loaded = load_machine(context, *request.machine);
    if (!loaded) return loaded.error();
    machine = std::move(*loaded);
  } else if (!request.nodes) {
    return misuse("how many ranks?", "--nodes N, or --machine FILE.yaml for as many as it has");
  }
  const auto nodes = nodes_of(request.nodes, machine);
  if (!nodes) return nodes.error();
  const auto source = open_motif(context, request.motif, *nodes);
  if (!source) return source.error();
  if (request.to_format) return export_motif(context, request, **source, machine);
  auto priced_by = chosen_pricing(context, request.run.network, *machine);
  if (!priced_by) return priced_by.error();
  priced_by->pricing.placement =
      simulate::loggops::Placement::as_given;  // an MPI process computes and communicates on one processor
  SimulationRun run{"motif", *machine, std::move(*priced_by), simulate::engine_options(*machine)};
  run.shows_phases = true;
  run.tell_more = [&](report::Answer& answer) { tell_own_prediction(answer, request.motif, *nodes); };
  return run_source(context, request.run, std::move(run), **source);
}

Result<report::Answer> run(const MotifListRequest&, Context& context) {
  report::Answer answer = context.answer();
  report::Sheet sheet("motifs");
  sheet.add({.name = "motif"})
      .add({.name = "parameter"})
      .add({.name = "kind"})
      .add({.name = "default"})
      .add({.name = "help"});
  for (const motif::PatternInfo& info : job::motif_catalog()) {
    if (&info != &*job::motif_catalog().begin()) answer.gap();
    answer.text(info.name, report::Tone::strong).line(fmt::format(": {}", info.sentence));
    for (const motif::Parameter& parameter : info.parameters) {
      sheet.add_row({info.name, parameter.name, kind_text(parameter.kind), parameter.default_text, parameter.help});
      const std::string name = parameter.default_text.empty()
                                   ? std::string(parameter.name)
                                   : fmt::format("{}={}", parameter.name, parameter.default_text);
      answer.line(fmt::format("  {:<28} {}", name, parameter.help));
    }
  }
  answer.table(std::move(sheet), {.readers = report::Readers::programs_and_tables});
  return answer;
}

}  // namespace orrery::ask
