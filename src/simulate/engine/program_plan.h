// What the engine looks up about a program, as index tables: made once per program, however many ranks share it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/result.h"
#include "simulate/engine/options.h"
#include "workload/matching.h"
#include "workload/program_lines.h"
#include "workload/workload.h"

namespace orrery::simulate {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};
/// The longest that an activity may take, and a whole simulation: 26 days, so that sums of two fit.
inline constexpr TimePs kMaxSimulatedPs = TimePs{1} << 61;

/// What an activity occupies. The first three have slots; `timed` takes its time without one.
enum class Resource : std::uint8_t { compute, host, memory, collective, send, recv, timed, nothing };
inline constexpr std::size_t kSlotKinds = 3;

inline bool has_slots(Resource resource) { return resource <= Resource::memory; }
inline bool is_communication(Resource resource) {
  return resource >= Resource::collective && resource <= Resource::recv;
}

/// All that the engine needs to know about an activity, in half a cache line.
struct PlannedActivity {
  TimePs duration_ps = 0;              ///< of what occupies slots and of delays; in a replay as recorded; otherwise 0
  std::uint32_t dependency_count = 0;  ///< incoming edges
  std::uint32_t first_successor = 0;   ///< into ProgramPlan::successors
  std::uint32_t successor_count = 0;
  std::uint32_t stream = kNone;  ///< of a collective: into ProgramLines::streams
  std::uint32_t place = kNone;   ///< of a collective: its place on its stream
  Resource resource = Resource::nothing;
  bool starts_others = false;  ///< has a place in ProgramPlan::start_edges
  bool waits_locally = true;   ///< only for ends of computing and collectives of its window
};
static_assert(sizeof(PlannedActivity) == 32);

/// `target` may start as soon as `source` has started.
struct StartEdge {
  std::uint32_t source;
  std::uint32_t target;
};

struct ProgramPlan {
  Column<PlannedActivity> activities;
  Column<std::uint32_t> successors;               ///< targets of outgoing edges that wait for the end, source by source
  std::vector<StartEdge> start_edges;             ///< by source, then target: the edges of type Dependency::start
  const workload::ProgramLines* lines = nullptr;  ///< its collectives and messages
  /// Per kind of slot: how many threads or streams the program was recorded on; 0: not recorded. What ran side by side
  /// then may do so again.
  std::array<std::uint32_t, kSlotKinds> recorded_lanes{};

  [[nodiscard]] std::size_t size() const { return activities.size(); }
  [[nodiscard]] std::span<const std::uint32_t> successors_of(std::uint32_t activity) const {
    return {successors.data() + activities[activity].first_successor, activities[activity].successor_count};
  }
  /// O(log start_edges); worth asking only where starts_others.
  [[nodiscard]] std::span<const StartEdge> started_by(std::uint32_t activity) const;
  [[nodiscard]] std::span<const workload::Stream> streams() const { return lines->streams; }
};

/// `rank`: one that runs the program, for messages. `lines` must outlive the plan. O(activities + dependencies). An
/// Error names an activity whose duration or size cannot be.
Result<ProgramPlan> plan_program(const workload::Workload& job, std::size_t rank, const workload::Program& program,
                                 const workload::ProgramLines& lines, const EngineOptions& options);

/// What an activity occupies; in a replay only communication occupies anything. Delays of the device
/// (workload/delays.h) are `timed` in a plan.
Resource planned_resource(const workload::Program& program, std::size_t activity, bool is_replay);

/// How long an activity occupies its slot: 0 for communication. Negative if it is out of range.
TimePs activity_time(const workload::Program& program, std::size_t activity, const EngineOptions& options);

// All of a job that is in memory: who belongs together, and the tables of every program. For what is asked of a
// schedule that was kept.

using workload::Communicator;
using workload::Message;

struct JobPlan {
  workload::Matching matching;
  std::vector<ProgramPlan> programs;
  std::vector<std::uint64_t> first_activity;  ///< per rank, and the total
  bool is_replay = false;                     ///< planned as EngineOptions::replay has it: nothing queues up

  [[nodiscard]] const workload::Workload& workload() const { return matching.workload(); }
  [[nodiscard]] const ProgramPlan& of_rank(std::uint32_t rank) const {
    return programs[workload().program_of_rank[rank]];
  }
};

/// An Error if what should match does not (see workload::Matching), or an activity's duration or size cannot be.
/// `workload` must outlive the plan.
Result<JobPlan> plan_job(const workload::Workload& workload, const EngineOptions& options);

}  // namespace orrery::simulate
