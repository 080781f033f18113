#include "ask/workloads/run_page.h"

#include <fmt/format.h>

#include "analyze/schedule/link_use.h"
#include "analyze/schedule/schedule_sheets.h"
#include "ask/provenance.h"
#include "base/units.h"
#include "job/write/schedule_export.h"
#include "machine/topology/network.h"
#include "page/assets.h"
#include "page/simulation_page.h"

namespace orrery::ask {
namespace {

/// What-if of the traces that the run writes with -o FOLDER.
page::CommandParts whatif_of_folder(const std::string& folder) {
  if (!folder.empty() && job::writes_folder(folder)) return {{report::shell_quote(folder)}, {}};
  return {{"FOLDER"}, {}, "FOLDER: what -o FOLDER of the same command writes."};
}

}  // namespace

page::PageSource source_of_run(const Context& context) {
  const Setting& setting = context.setting();
  page::PageSource source{.version = version(),
                          .command = setting.question_of_page ? setting.question_of_page() : setting.command,
                          .inputs = {},
                          .seed = context.provenance().seed};
  for (const InputRecord& input : context.provenance().inputs)
    source.inputs.push_back({input.path, input.bytes, input.xxh3});
  return source;
}

Status prepare_run_page(Context& context, const std::optional<std::string>& output) {
  if (!output) return {};
  if (!page::has_assets())
    return misuse("this program was built without the page",
                  "build it where esbuild is installed (scripts/setup.sh build)");
  context.keep_hashes();
  return {};
}

Status write_made_page(report::Answer& answer, const std::string& output, page::Page made) {
  const Result<std::uint64_t> bytes = page::write_page(output, std::move(made));
  if (!bytes) return bytes.error();
  answer.facts().key("report").begin_object().field("output", output).field("bytes", *bytes).end_object();
  answer.gap().line(fmt::format("{}: {}. Open it in a browser.", output, format_bytes(*bytes)));
  return {};
}

Status write_run_page(report::Answer& answer, Context& context, const std::optional<std::string>& output,
                      RunOnPage run) {
  if (!output) return {};
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
      .expected = run.expected,
      .machine = run.machine,
      .network = network ? &*network : nullptr,
      .use = use ? &*use : nullptr,
      .rank_numbers = run.rank_numbers};
  const std::string title = fmt::format("{}, {}", run.verb, run.machine != nullptr ? run.machine->name : run.model);
  page::SimulationPageOptions options{.title = title,
                                      .source = source_of_run(context),
                                      .command = run.whatif ? *run.whatif : whatif_of_folder(run.written_to),
                                      .trace = std::move(run.trace)};
  return write_made_page(answer, *output,
                         page::make_simulation_page(simulated, std::move(options), context.diagnostics()));
}

}  // namespace orrery::ask
