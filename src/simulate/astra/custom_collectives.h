// Collectives given as execution traces: what each member sends, receives and reduces, in order. ASTRA-sim runs them in
// place of its own algorithms.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "simulate/astra/collectives.h"
#include "simulate/astra/custom_programs.h"

namespace orrery::simulate::astra {

/// A run of a collective by one rank: its trace is that of its place in the communicator. Ranks in it are places, sizes
/// and tags are its own (those of the node that calls it do not count), and nothing waits for a slot: whatever depends
/// on nothing is done at once. A computation takes its duration, or 1 ns if it has none. The collective has ended when
/// all nodes have.
class CustomCollectives {
 public:
  CustomCollectives(const CustomPrograms* programs, std::uint32_t ranks, TickLists& ticks, Transport& transport,
                    Dispatcher& dispatcher)
      : programs_(programs), ranks_(ranks), ticks_(ticks), transport_(transport), dispatcher_(dispatcher) {}

  /// Ends with ActionKind::node_done. `prefix`: which one, of CustomPrograms. False: it is not there, or has no trace
  /// for this place.
  bool start(const CollectiveCall& call, const std::string& prefix);
  void node_done(std::uint32_t run, std::uint32_t node);

 private:
  struct Run {
    CollectiveCall call;
    const workload::Program* program = nullptr;
    std::vector<std::uint32_t> dependencies_left;
    std::uint32_t nodes_left = 0;
  };

  void begin(std::uint32_t run, std::uint32_t node);
  [[nodiscard]] static std::uint32_t rank_at(const Run& run, std::uint32_t place);

  const CustomPrograms* programs_;
  std::uint32_t ranks_;
  TickLists& ticks_;
  Transport& transport_;
  Dispatcher& dispatcher_;
  std::vector<Run> runs_;
  std::vector<std::uint32_t> free_runs_;
};

}  // namespace orrery::simulate::astra
