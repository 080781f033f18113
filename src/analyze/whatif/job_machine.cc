#include "analyze/whatif/job_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "report/counted.h"
#include "simulate/graph_transfers.h"
#include "simulate/run.h"

namespace orrery::analyze {

using report::Sheet;
using report::Type;
using report::Unit;

Sheet calibration_sheet(const causal::CausalGraph& job, std::span<const CalibrationRow> rows) {
  Sheet sheet("groups");
  sheet.add({.name = "what", .title = "operations"})
      .add({.name = "members", .type = Type::integer, .title = "members"})
      .add({.name = "alpha", .type = Type::time, .unit = Unit::us, .title = "constant", .is_change = true})
      .add({.name = "efficiency", .type = Type::real, .title = "share of bandwidth", .decimals = 3})
      .add({.name = "operations", .type = Type::integer, .title = "learnt from"})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "off by (median)"});
  for (const CalibrationRow& row : rows) {
    // What was only seen while it shared its links is no measure of them.
    sheet.add_row({job.strings.text(row.what), row.members, row.calibration.alpha_ps, row.calibration.efficiency,
                   row.operations, row.error_percent},
                  row.overlapped ? report::Tone::warning : report::Tone::plain);
  }
  return sheet;
}

Sheet reorder_sheet(const causal::CausalGraph& job, const Reorder& reorder) {
  Sheet sheet("moves");
  sheet.add({.name = "move", .title = "move"})
      .add({.name = "name", .title = "of"})
      .add({.name = "what", .title = "what"})
      .add({.name = "count", .type = Type::integer, .title = "segments"})
      .add({.name = "gain", .type = Type::time, .unit = Unit::us, .title = "gain"});
  for (const ReorderMove& move : reorder.moves) {
    // A communication whose partners were not found is one all the same.
    const std::string_view alone = move.move == MoveKind::launch_earlier ? "communication" : "kernel";
    const std::string_view what = move.what == 0 ? alone : job.strings.text(move.what);
    sheet.add_row({to_string(move.move), job.strings.text(move.name), what, move.count, move.gain});
  }
  return sheet;
}

namespace {

using Action = EditRule::Action;

constexpr double kLeastBytesPerSecond = 1;

TimePs edited_latency(TimePs latency, const NetworkEdit& edit) {
  if (edit.action == Action::set) return edit.amount;
  if (edit.action == Action::add) return std::max<TimePs>(latency + edit.amount, 0);
  const double scaled = static_cast<double>(latency) * edit.factor;
  return static_cast<TimePs>(std::min(scaled, static_cast<double>(graph::kMaxWeightPs)));
}

void edit_link(const NetworkEdit& edit, machine::Link& link) {
  if (edit.quantity == NetworkEdit::Quantity::latency) {
    link.latency_ps = edited_latency(link.latency_ps, edit);
    return;
  }
  if (link.bytes_per_second <= 0) return;  // it is down, by the machine's faults, and stays so
  const double edited = edit.action == Action::set ? edit.bytes_per_second : link.bytes_per_second * edit.factor;
  link.bytes_per_second = std::max(edited, kLeastBytesPerSecond);
}

}  // namespace

EditedNetwork edit_network(const machine::Network& network, std::span<const NetworkEdit> edits) {
  std::vector<machine::Link> links(network.links().begin(), network.links().end());
  std::vector<std::uint64_t> matched;
  for (const NetworkEdit& edit : edits) {
    matched.push_back(0);
    for (machine::LinkId id = 0; id < links.size(); ++id) {
      // Names are only made where a pattern asks for them: a machine has up to millions of links.
      if (edit.link && !edit.link->matches(network.link_name(id))) continue;
      ++matched.back();
      edit_link(edit, links[id]);
    }
  }
  return {network.with_links(std::move(links)), std::move(matched)};
}

namespace {

constexpr double kPoorResidualPercent = 10;
constexpr DiagnosticKind kPoorCalibration{
    "J809", Severity::warning, "the unedited job, simulated on this machine, is not the one that was recorded",
    "look at the fit per kind of operation; does the machine describe where the job ran?"};

Status check_devices(const causal::CausalGraph& job, const machine::Machine& machine) {
  const std::int64_t last = job.ranks.empty() ? 0 : job.ranks.back().rank;
  if (last < machine.devices.count) return {};
  return Error{.message = fmt::format("the job has a rank {}, and the machine '{}' {}: rank r is device r", last,
                                      machine.name, report::counted(machine.devices.count, "device")),
               .hint = "describe a machine with a device for each rank"};
}

/// An edit of what is simulated anyway would be lost without a word.
Status check_transfers_unedited(const causal::CausalGraph& job, const graph::Edits& edits,
                                const JobTransfers& transfers) {
  std::vector<bool> simulated(job.graph.edge_count());
  for (const simulate::GraphTransfer& transfer : transfers.transfers) simulated[transfer.slot] = true;
  const graph::TimePatch::Folded folded = edits.weights().fold();
  bool edited = false;
  for (const std::uint32_t slot : folded.indices) edited = edited || simulated[slot];
  if (folded.dense != nullptr) {
    for (graph::Slot slot = 0; slot < simulated.size(); ++slot)
      edited = edited || (simulated[slot] && (*folded.dense)[slot] != job.graph.weight(slot));
  }
  if (!edited) return {};
  return Error{.message = "an edit changes transfers, and on a machine these are simulated",
               .hint = "change the network instead: 'network bandwidth * 2'",
               .kind = Error::Kind::misuse};
}

Result<graph::Edits> with_simulated(const graph::Edits& edits, const JobTransfers& transfers,
                                    simulate::NetworkModel& model) {
  const auto lengths = simulate::simulate_transfers(edits, transfers.operations, transfers.transfers, model);
  if (!lengths) return lengths.error();
  graph::Edits result = edits;
  for (std::size_t t = 0; t < lengths->size(); ++t) result.set_weight(transfers.transfers[t].slot, (*lengths)[t]);
  return result;
}

}  // namespace

Result<JobOnMachine> JobOnMachine::make(const causal::CausalGraph& job, const machine::Machine& machine,
                                        const simulate::Pricing& pricing) {
  if (Status status = check_devices(job, machine); !status) return status.error();
  Result<machine::Network> network = machine::Network::build(machine);
  if (!network) return network.error();
  JobOnMachine on(job, std::move(*network), simulate::comm_options(machine.communication), pricing);
  // Recorded transfers are calibrated against what they took: links are what there is to calibrate.
  if (pricing.collectives != simulate::CollectiveSource::links)
    return Error{.message = "a recorded job has its own measured collectives", .hint = "leave collectives out"};
  const auto lowering = std::make_shared<simulate::Lowering>(on.network_, on.options_);
  const auto links = simulate::link_model(lowering, pricing);
  if (!links) return links.error();
  auto calibration = calibrate(job, *lowering, **links, on.transfers_);
  if (!calibration) return calibration.error();
  on.calibration_ = std::move(*calibration);
  auto resimulated = with_simulated(graph::Edits(job.graph), on.transfers_, **links);
  if (!resimulated) return resimulated.error();
  on.resimulated_ = std::move(*resimulated);
  return on;
}

Result<JobOnMachine::Edited> JobOnMachine::simulate(std::span<const NetworkEdit> network_edits,
                                                    const graph::Edits& edits, std::optional<double> factor) const {
  if (Status status = check_transfers_unedited(*job_, edits, transfers_); !status) return status.error();
  std::vector<NetworkEdit> swept(network_edits.begin(), network_edits.end());
  for (NetworkEdit& edit : swept) {
    if (factor && edit.action == EditRule::Action::scale) edit.factor = *factor;
  }
  EditedNetwork edited = edit_network(network_, swept);
  const auto links = simulate::link_model(std::make_shared<simulate::Lowering>(edited.network, options_), pricing_);
  if (!links) return links.error();
  auto simulated = with_simulated(edits, transfers_, **links);
  if (!simulated) return simulated.error();
  return Edited{std::move(*simulated), std::move(edited.matched)};
}

double check_resimulated(const causal::CausalGraph& job, TimePs resimulated, Diagnostics& diagnostics) {
  const double residual = job.residual_percent(resimulated);
  if (residual > kPoorResidualPercent) {
    diagnostics.add(kPoorCalibration, [&] {
      return fmt::format("{} instead of {}", format_duration(resimulated), format_duration(job.span));
    });
  }
  return residual;
}

}  // namespace orrery::analyze
