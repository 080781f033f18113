// A recorded job on a machine: its local work as recorded, its communication as a network with contention would do it.
//
// What a recording says about the network is mixed with everything else that happened; a model says what would happen
// on another one. So the model is first held against the recording (job_calibration), the unedited job is simulated,
// and edits are compared with that.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/whatif/edit_language.h"
#include "analyze/whatif/job_calibration.h"
#include "analyze/whatif/job_moves.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "graph/edits.h"
#include "machine/machine.h"
#include "machine/topology/network.h"
#include "report/sheet.h"
#include "simulate/collective/algorithm.h"
#include "simulate/pricing/pricing.h"

namespace orrery::analyze {

// What a simulated or re-ordered job says, as Sheets.

/// Per kind of operation and number of members: what, members, alpha_us, efficiency, operations, error_pct.
report::Sheet calibration_sheet(const causal::CausalGraph& job, std::span<const CalibrationRow> rows);

/// The best first: move, name, what, gain_us.
report::Sheet reorder_sheet(const causal::CausalGraph& job, const Reorder& reorder);

// A machine's network with edits: `network bandwidth * 2`, `network latency = 1us`, `link:"device3 -> *" bandwidth *
// 0.5`.

struct EditedNetwork {
  machine::Network network;
  std::vector<std::uint64_t> matched;  ///< per edit: links it selected
};

/// Applies the edits in order; each sees the result of those before it. Patterns are matched against
/// Network::link_name. Latencies do not fall below 0, and no link is taken down: a bandwidth that would be 0 is the
/// least there is, a byte per second.
EditedNetwork edit_network(const machine::Network& network, std::span<const NetworkEdit> edits);

/// The job as recorded, on a machine that was calibrated on it. Not copied.
class JobOnMachine {
 public:
  /// Rank r is device r. The job must outlive it. An Error: fewer devices than ranks, or an operation that cannot be
  /// done on the machine, or a pricing that is no model of links in the loop (simulate::link_model).
  static Result<JobOnMachine> make(const causal::CausalGraph& job, const machine::Machine& machine,
                                   const simulate::Pricing& pricing = {});

  [[nodiscard]] const std::vector<CalibrationRow>& calibration() const { return calibration_; }
  /// Operations whose size or kind is not known.
  [[nodiscard]] std::size_t left_as_measured() const { return transfers_.left; }
  /// The job's graph with transfers as simulated, nothing else changed: what edits are compared with.
  [[nodiscard]] const graph::Edits& resimulated() const { return *resimulated_; }

  struct Edited {
    graph::Edits edits;                  ///< those given, with transfers as simulated on the edited network
    std::vector<std::uint64_t> matched;  ///< per network edit: links it selected
  };
  /// `edits` are of the job's graph; a simulated transfer that they change is an Error. `factor`: replaces that of
  /// every network edit that scales.
  Result<Edited> simulate(std::span<const NetworkEdit> network_edits, const graph::Edits& edits,
                          std::optional<double> factor = std::nullopt) const;

 private:
  JobOnMachine(const causal::CausalGraph& job, machine::Network network, simulate::CommOptions options,
               simulate::Pricing pricing)
      : job_(&job),
        network_(std::move(network)),
        options_(options),
        pricing_(std::move(pricing)),
        transfers_(job_transfers(job)) {}

  const causal::CausalGraph* job_;
  machine::Network network_;
  simulate::CommOptions options_;
  simulate::Pricing pricing_;
  JobTransfers transfers_;
  std::vector<CalibrationRow> calibration_;
  std::optional<graph::Edits> resimulated_;
};

/// Says so (J809) if the unedited job, simulated, differs by more than a tenth from the recording.
double check_resimulated(const causal::CausalGraph& job, TimePs resimulated, Diagnostics& diagnostics);

}  // namespace orrery::analyze
