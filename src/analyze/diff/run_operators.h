// What the devices of one run did, by what the program asked for.
//
// Kernels of one product are called otherwise on another device, by another version or after compilation; the operator
// that launched them and what it was given stay. Here a run is reduced to that, in texts of its own, since of two runs
// that are compared only one recording is kept at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "analyze/capture/work_origins.h"
#include "causal/causal_graph.h"
#include "causal/device/device_timeline.h"
#include "causal/step_window.h"
#include "trace/trace.h"

namespace orrery::analyze {

/// An operator and what it was given, JSON without blanks; empty: not known.
struct OperatorKey {
  std::string op, shapes, types;
  friend auto operator<=>(const OperatorKey&, const OperatorKey&) = default;
};

/// Device work of one run that was launched by the same operator with the same operands in the same module. All of it:
/// kernels, copies and fills.
struct OperatorGroup {
  struct Kernel {
    std::string name;
    std::uint64_t works = 0;
    TimePs time = 0;
  };

  OperatorKey outer;                   ///< the outermost operator, frames of compilers and of autograd left out
  std::string module;                  ///< path of the modules around it; empty: not known
  OperatorKey inner;                   ///< of the innermost operators the one that launched most of the time
  std::uint64_t calls = 0;             ///< of the operator; where none is known, works
  TimePs time = 0;                     ///< of its works together
  std::vector<Kernel> kernels;         ///< by name; one alone where no operator is known
  std::vector<std::string> operators;  ///< names of all that lie between outermost and innermost, ascending
};
/// Ascending by operator, operands, module and, without an operator, kernel.
using OperatorGroups = std::vector<OperatorGroup>;

/// Per owner of a graph's edges: "aten::linear [[32,64],[64,64]]", as a place in `texts`; 0: not known.
struct OwnerOperators {
  std::vector<std::string> texts = {""};
  std::vector<std::uint32_t> of_owner = {};  ///< empty: of none it is known
};

/// The operators of a run's device work, looked at rank by rank.
class RunOperators {
 public:
  /// `timelines`: as Trace::ranks. All must outlive it. Shapes and types are known if they were read
  /// (formats::TraceOptions::operands). O(events log events).
  RunOperators(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines);

  /// Work that belongs to the window of its rank, all ranks together; see DeviceRank::belongs.
  OperatorGroups groups(std::span<const causal::StepWindow> windows);
  /// Of what runs on devices. `graph`: of a window of the same trace.
  OwnerOperators of_owners(const causal::CausalGraph& graph);

 private:
  const trace::Trace& trace_;
  std::span<const causal::DeviceTimeline> timelines_;
  std::vector<std::unique_ptr<WorkOrigins>> origins_;  // as Trace::ranks
};

/// The same by names of kernels alone: each is a group without an operator.
OperatorGroups kernel_groups(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines,
                             std::span<const causal::StepWindow> windows);
OperatorGroups by_kernel(const OperatorGroups& groups);

}  // namespace orrery::analyze
