// What a machine description says about a replay, beside what was measured: the back-test of the description on the
// machine that it describes.
#pragma once

#include <string>

#include "base/result.h"
#include "machine/machine.h"
#include "replay/mpi/measured.h"
#include "report/sheet.h"

namespace orrery::replay {

/// The same quantities as Measured has, of one simulated run.
struct Predicted {
  TimePs makespan_ps = 0;
  CollectiveSamples collectives;
  MessageSamples messages;
};

/// By the machine's own model. An Error is the simulation's.
Result<Predicted> predict(const workload::Matching& matching, const machine::Machine& machine);

/// One quantity on both sides; medians where there are several.
struct ComparedRow {
  std::string what;  ///< "makespan", "message", or a collective
  std::uint32_t ranks = 0;
  std::int64_t bytes = 0;
  std::uint64_t per_run = 0;
  std::uint64_t samples = 0;
  TimePs measured_ps = 0;
  TimePs predicted_ps = 0;

  /// Of the measured time; 0 if nothing was measured.
  [[nodiscard]] double error_percent() const;
};

/// The makespan first, then collectives and messages of which both sides know times.
std::vector<ComparedRow> compare(const Measured& measured, const Predicted& predicted);

report::Sheet against_sheet(const std::vector<ComparedRow>& rows, std::string name = "against");

}  // namespace orrery::replay
