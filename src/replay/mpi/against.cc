#include "replay/mpi/against.h"

#include "base/percent.h"
#include "simulate/run.h"

namespace orrery::replay {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;

Result<Predicted> predict(const workload::Matching& matching, const machine::Machine& machine) {
  simulate::Pricing pricing = simulate::pricing_of(machine.communication.network_model);
  if (pricing.model == simulate::PricingModel::oracle)
    return Error{.message = "the machine asks for astra-sidecar, which a replay is not held against",
                 .hint = "communication: {network_model: fluid}"};
  // Programs say what ran beside what; a rank of an MPI job computes on one processor, as its process does here.
  pricing.placement = simulate::loggops::Placement::as_given;
  Diagnostics ignored;  // what the machine's own models have to remark on is about snapshots and other programs
  const auto outcome = simulate::run(matching.workload(), machine, pricing, simulate::engine_options(machine), ignored);
  if (!outcome) return outcome.error();
  return Predicted{outcome->schedule.makespan_ps(), collective_samples(matching.workload(), outcome->schedule),
                   message_samples(matching, outcome->schedule)};
}

double ComparedRow::error_percent() const { return change_percent(measured_ps, predicted_ps); }

std::vector<ComparedRow> compare(const Measured& measured, const Predicted& predicted) {
  std::vector<ComparedRow> rows;
  rows.push_back(
      {"makespan", 0, 0, 1, measured.makespans.times_ps.size(), measured.makespans.median_ps(), predicted.makespan_ps});
  for (const auto& [key, sample] : measured.collectives) {
    const auto other = predicted.collectives.find(key);
    if (other == predicted.collectives.end() || sample.times_ps.empty() || other->second.times_ps.empty()) continue;
    rows.push_back({std::string(to_string(key.kind)), key.ranks, key.bytes, sample.per_run, sample.times_ps.size(),
                    sample.median_ps(), other->second.median_ps()});
  }
  for (const auto& [bytes, sample] : measured.messages) {
    const auto other = predicted.messages.find(bytes);
    if (other == predicted.messages.end() || sample.times_ps.empty() || other->second.times_ps.empty()) continue;
    rows.push_back(
        {"message", 2, bytes, sample.per_run, sample.times_ps.size(), sample.median_ps(), other->second.median_ps()});
  }
  return rows;
}

Sheet against_sheet(const std::vector<ComparedRow>& rows, std::string name) {
  Sheet sheet(std::move(name));
  sheet.add({.name = "what", .title = "simulated against measured"})
      .add({.name = "ranks", .type = Type::integer, .title = "ranks", .decimals = report::kExact})
      .add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "size"})
      .add({.name = "calls", .type = Type::integer, .title = "per run"})
      .add({.name = "samples", .type = Type::integer})
      .add({.name = "measured", .type = Type::time, .unit = Unit::us, .title = "measured"})
      .add({.name = "simulated", .type = Type::time, .unit = Unit::us, .title = "simulated"})
      .add(
          {.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true, .decimals = 1});
  for (const ComparedRow& row : rows) {
    const bool is_whole = row.ranks == 0;
    sheet.add_row({row.what, is_whole ? Cell(nullptr) : Cell(row.ranks), is_whole ? Cell(nullptr) : Cell(row.bytes),
                   row.per_run, row.samples, row.measured_ps, row.predicted_ps, row.error_percent()});
  }
  return sheet;
}

}  // namespace orrery::replay
