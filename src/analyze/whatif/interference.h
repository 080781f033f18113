// Computing beside communication on the same device: how much longer it takes than alone, as recorded and where edits
// move either.
//
// A kernel that communicates takes units and bandwidth from those that compute meanwhile
// (machine/device/interference.h). So the recorded time of a kernel is its time alone, stretched for as long as it lay
// beside others. Edits change what lies beside what, and how much a kernel is stretched then depends on when both run,
// which a weight cannot say. Runs are therefore solved in rounds: solve, stretch each kernel by what lies beside it in
// that run, solve again, until nothing changes any more. What computing does to communication is left out.
//
// How much of the law holds, the recording tells: where the same kernel ran beside communication for different shares
// of its time, its times show what that cost. Kernels of which nothing is shown take what the others show, and where
// none does, the law itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/roofline/owner_prices.h"
#include "analyze/whatif/job_pauses.h"
#include "base/result.h"
#include "causal/causal_graph.h"
#include "machine/device/device.h"
#include "machine/device/interference.h"
#include "machine/device/kernel_gemm.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// What lying beside communication costs computing, over all ranks.
struct InterferenceCost {
  std::size_t kernels = 0;  ///< that lie beside communication, for some of their time
  TimePs beside = 0;        ///< for how much of it
  TimePs lost = 0;          ///< by how much they are longer than alone
};

class Interference {
 public:
  /// `trace`: what the graph was made of, read with its operands. `prices`: of all works, see price_owners; none: all
  /// that computes is a mix. An Error: the works of a rank cannot be told, or nobody says how large the device is.
  static Result<Interference> find(const causal::CausalGraph& job, const trace::Trace& trace,
                                   const machine::Device& device, std::span<const OwnerPrice> prices);

  /// Runs with kernels as long as what lies beside them makes them; see solve_paused. `job`: the one it was found in.
  [[nodiscard]] std::vector<SolvedJob> solve(const causal::CausalGraph& job, std::vector<PausedJob> scenarios) const;

  [[nodiscard]] InterferenceCost recorded(const causal::CausalGraph& job) const;
  /// `run`: one of those that solve() found.
  [[nodiscard]] InterferenceCost in_run(const graph::Solution& run) const;

  /// Communication kernels of which nobody says how many units or bytes they take: as many units as NCCL's all-to-all
  /// has, and no bytes.
  [[nodiscard]] std::size_t without_size() const { return without_size_; }
  /// How much of what the law says kernels lose here, over all that show it; none: none does, and the law holds.
  [[nodiscard]] std::optional<double> of_law() const { return of_law_; }

 private:
  /// A kernel that computes, and what it would take alone, as recorded.
  struct Computing {
    graph::Slot slot = 0;
    graph::NodeId begin = 0;
    TimePs recorded = 0;
    double alone = 0;
    machine::Sensitivity sensitivity = {};
    std::optional<machine::GemmShape> product = {};  ///< whose rounds of tiles decide
    double of_law = 1;                               ///< how much of what the law says it loses
    std::uint32_t alike = 0;                         ///< kernels of one number are the same, and given the same
  };
  /// A kernel that communicates: it occupies units from its arrival on, and moves bytes when all are there.
  struct Communicating {
    graph::NodeId arrival = 0, ready = 0, end = 0;
    double units = 0;
    double memory_bytes = 0;  ///< read and written on this device
  };
  struct OnDevice {
    std::vector<Computing> computing;
    std::vector<Communicating> communicating;
  };
  /// What lies beside kernels of a device from `from` on, until the next.
  struct Stretch {
    TimePs from = 0;
    machine::Neighbour neighbour = {};
  };

  /// `time_of`: of a node.
  /// Sets how much of the law holds for each kernel.
  void fit(const causal::CausalGraph& job);
  template <typename TimeOf>
  static std::vector<Stretch> stretches(const OnDevice& device, double most_gb_per_s, TimeOf&& time_of);
  [[nodiscard]] double slowdown(const Computing& kernel, const machine::Neighbour& neighbour) const;
  /// What a kernel that takes this long from `begin` on would take alone; adds to `cost`.
  double time_alone(const Computing& kernel, std::span<const Stretch> stretches, TimePs begin, TimePs length,
                    InterferenceCost& cost) const;
  /// The other way round.
  [[nodiscard]] TimePs time_beside(const Computing& kernel, std::span<const Stretch> stretches, TimePs begin,
                                   double alone) const;
  [[nodiscard]] double most_gb_per_s() const { return device_.memory_bytes_per_s() / 1e9; }

  machine::Device device_;
  std::vector<OnDevice> devices_;  ///< by rank and device; those with both kinds of kernels
  std::size_t without_size_ = 0;
  std::optional<double> of_law_ = {};
};

}  // namespace orrery::analyze
