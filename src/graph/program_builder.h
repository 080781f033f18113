// Collects the activities of one rank in any order and makes a Program of them: what every reader and generator of workloads uses.
#pragma once

#include "base/result.h"
#include "graph/workload.h"

namespace orrery::graph {

/// One activity with its attributes; what is not set keeps its default. See Program for the meaning of the fields.
struct Activity {
  std::uint64_t id = 0;
  StringId name = 0;
  ActivityKind kind = ActivityKind::none;
  std::uint8_t flags = 0;
  TimePs duration_ps = 0;
  std::int64_t bytes = 0;
  std::int64_t operations = 0;
  std::int32_t peer = 0;
  std::int64_t tag = 0;
  Collective collective = Collective::all_reduce;
  StringId group_name = 0;
  std::int32_t priority = 0;
  std::uint32_t excluded_dims = 0;
  TimePs start_ps = kNotRecorded;
  std::int32_t lane = 0;
};

class ProgramBuilder {
 public:
  void add(const Activity& activity) { activities_.push_back(activity); }
  /// The activity added last comes after the one with the id `on`, which may be added later. The same id twice counts once; the first type
  /// given stays.
  void depend(std::uint64_t on, Dependency type);
  [[nodiscard]] std::size_t size() const { return activities_.size(); }

  /// O(n log n), O(n) if ids were ascending. An Error names the ids: one given twice, a dependency on one that is absent, a cycle; or says
  /// that there are too many.
  Result<Program> build() &&;

 private:
  struct Need {
    std::uint32_t activity;
    Dependency type;
    std::uint64_t on;
  };
  Status sort();
  Status connect(Program& program) const;

  Column<Activity> activities_;
  Column<Need> needs_;  // grouped by activity, in order
};

}  // namespace orrery::graph
