#include "cli/graphs/run_page.h"
#include "cli/frame/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/schedule/link_use.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/provenance.h"
#include "base/units.h"
#include "cli/frame/command_line.h"
#include "job/write/schedule_export.h"
#include "machine/topology/network.h"
#include "page/assets.h"
#include "page/simulation_page.h"

namespace orrery::cli {
namespace {

/// That do not change the page: where it and other files go, what else is printed.
constexpr std::array<std::string_view, 7> kNotOfThePage = {"report",   "output", "csv",     "per-node",
                                                           "timeline", "et",     "manifest"};

std::string command_of_run(const Invocation& invocation) {
  std::string command = fmt::format("orrery {}", invocation.verb().name);
  for (const std::string& operand : invocation.operands()) command += " " + report::shell_quote(operand);
  for (const Flag& flag : invocation.verb().flags) {
    if (!invocation.has(flag.name) ||
        std::find(kNotOfThePage.begin(), kNotOfThePage.end(), flag.name) != kNotOfThePage.end())
      continue;
    if (flag.value_name.empty()) command += fmt::format(" --{}", flag.name);
    else
      for (const std::string& value : invocation.texts(flag.name))
        command += fmt::format(" --{} {}", flag.name, report::shell_quote(value));
  }
  return command;
}

page::PageSource source_of_run(const Invocation& invocation) {
  page::PageSource source{
      .version = version(), .command = command_of_run(invocation), .inputs = {}, .seed = invocation.provenance().seed};
  for (const InputRecord& input : invocation.provenance().inputs)
    source.inputs.push_back({input.path, input.bytes, input.xxh3});
  return source;
}

/// What-if of the traces that the run writes with -o FOLDER.
page::CommandParts whatif_of_folder(const Invocation& invocation) {
  const std::string folder = invocation.text("output");
  if (!folder.empty() && job::writes_folder(folder)) return {{report::shell_quote(folder)}, {}};
  return {{"FOLDER"}, {}, "FOLDER: what -o FOLDER of the same command writes."};
}

}  // namespace

Flag report_flag() {
  return {
      .name = "report",
      .value_name = "FILE",
      .kind = ValueKind::output,
      .help =
          "also write a page for a browser (FILE.html): the run, its links over time, and the machine coloured by use"};
}

std::optional<UsageError> prepare_run_page(Invocation& invocation) {
  if (!invocation.has("report")) return std::nullopt;
  if (!page::has_assets())
    return UsageError{"this program was built without the page",
                      "build it where esbuild is installed (scripts/setup.sh build)"};
  invocation.keep_hashes();
  return std::nullopt;
}

Status write_run_page(Invocation& invocation, const RunOnPage& run, std::optional<trace::Trace> trace) {
  if (!invocation.has("report")) return {};
  std::optional<machine::Network> network;
  std::optional<analyze::MachineUse> use;
  if (run.machine != nullptr && run.schedule.link_count() > 0) {
    Result<machine::Network> built = machine::Network::build(*run.machine);
    if (!built) return built.error();
    // ASTRA-sim's links are none of the machine's.
    if (run.has_astra_links) {
      use = analyze::astra_machine_use(*run.machine, run.link_names, run.schedule);
    } else {
      use = analyze::machine_use(*run.machine, *built, run.schedule);
      network.emplace(std::move(*built));
    }
  }
  const page::SimulatedRun simulated{
      .workload = run.workload,
      .schedule = run.schedule,
      .link_names = run.link_names,
      .model = run.model,
      .reasons = run.reasons,
      .collectives = run.sums != nullptr ? run.sums->collectives() : analyze::sums_of(run.schedule),
      .phases = run.phases,
      .shares = run.shares,
      .machine = run.machine,
      .network = network ? &*network : nullptr,
      .use = use ? &*use : nullptr,
      .rank_numbers = run.rank_numbers};
  const std::string title =
      fmt::format("{}, {}", invocation.verb().name, run.machine != nullptr ? run.machine->name : run.model);
  page::SimulationPageOptions options{.title = title,
                                      .source = source_of_run(invocation),
                                      .command = run.whatif ? *run.whatif : whatif_of_folder(invocation),
                                      .trace = std::move(trace)};
  page::Page made = page::make_simulation_page(simulated, std::move(options), invocation.diagnostics());
  const std::string output = invocation.text("report");
  const Result<std::uint64_t> bytes = page::write_page(output, std::move(made));
  if (!bytes) return bytes.error();
  if (invocation.json())
    invocation.data().key("report").begin_object().field("output", output).field("bytes", *bytes).end_object();
  else if (!invocation.csv())
    invocation.text() += fmt::format("\n{}: {}. Open it in a browser.\n", output, format_bytes(*bytes));
  return {};
}

}  // namespace orrery::cli
