// A machine description fitted to a replay: one switch with a link per rank, and what the software adds to a message
// and to a collective.
//
// The description is simulated again and again, with its numbers a little larger and smaller, until no such step brings
// the times of collectives and messages, and the makespan, nearer to what was measured (a pattern search on
// logarithms). So what is fitted is what `simulate` will say.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"
#include "replay/mpi/measured.h"
#include "report/sheet.h"

namespace orrery::replay {

// What a machine description says about a replay, beside what was measured: the back-test of the description on the
// machine that it describes.

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

struct FittedParameter {
  std::string name;  ///< as the description calls it, with its unit
  double value = 0;
  /// No other parameters would make up for it if it were another: the run tells it. Else the value is one of many that
  /// fit as well.
  bool is_determined = false;
};

struct Calibration {
  machine::Machine machine;
  std::vector<FittedParameter> parameters;
  std::vector<ComparedRow> rows;    ///< measured, and by the description
  std::uint64_t samples = 0;        ///< of all rows
  double median_error_percent = 0;  ///< of rows, without sign
  double worst_error_percent = 0;

  /// The file, with what it was fitted to in its first lines.
  [[nodiscard]] std::string yaml() const;
};

/// An Error if there is nothing to fit: one rank, or no communication whose time is known. Deterministic; at most some
/// hundred simulations.
Result<Calibration> calibrate(const Measured& measured, const workload::Matching& matching);

report::Sheet parameters_sheet(const Calibration& calibration);
/// Measured, and by the description that was fitted.
report::Sheet residuals_sheet(const Calibration& calibration);

}  // namespace orrery::replay
