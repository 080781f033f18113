// Collects the activities of one rank in any order and makes a Program of them: what every reader and generator of
// workloads uses.
#pragma once

#include <vector>

#include "base/result.h"
#include "workload/workload.h"

namespace orrery::workload {

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
  StringId peer_role = 0;
  std::int64_t tag = 0;
  Collective collective = Collective::all_reduce;
  StringId group_name = 0;
  std::int32_t priority = 0;
  std::uint32_t excluded_dims = 0;
  TimePs start_ps = kNotRecorded;
  std::int32_t lane = 0;
};

/// Control dependencies that cannot be met: on activities that do not exist, which some tools leave behind when they
/// drop activities; and all of a program that form circles although its data dependencies do not.
struct DanglingControl {
  std::uint64_t count = 0;
  std::uint64_t first_id = 0;  ///< of the first activity that has one
  std::uint64_t first_on = 0;  ///< the id it names
  std::uint64_t circular = 0;  ///< all control dependencies there are, if with them some activity could never start,
                               ///< and without them all can
};

class ProgramBuilder {
 public:
  void add(const Activity& activity);
  /// Program::parts of the activity added last.
  void set_parts(std::vector<std::int64_t> parts);
  /// The activity added last comes after the one with the id `on`, which may be added later. The same id twice counts
  /// once; the first type given stays.
  void depend(std::uint64_t on, Dependency type) {
    needs_.push_back({static_cast<std::uint32_t>(program_.size() - 1), type, on});
  }
  /// Adds activities again, `count` from number `first` on, with ids that go on from the last one: all ids so far
  /// ascend without gaps. They depend on one another as the first ones do, and on the id `now` instead of `before`; the
  /// first ones depend on nothing else.
  void repeat(std::size_t first, std::size_t count, std::uint64_t before, std::uint64_t now);
  [[nodiscard]] std::size_t size() const { return program_.size(); }

  /// O(n log n), O(n) if ids were ascending. An Error names the ids: one given twice, a dependency on one that is
  /// absent, a cycle; or says that there are too many. With `left_out`, control dependencies that cannot be met are
  /// left out and counted there instead.
  Result<Program> build(DanglingControl* left_out = nullptr) &&;

 private:
  struct Need {
    std::uint32_t activity;
    Dependency type;
    std::uint64_t on;
  };
  Status sort();
  Status connect(DanglingControl* left_out);
  Status connect_by_data(const Error& circle, DanglingControl& left_out);
  [[nodiscard]] Result<graph::Graph> make_graph(DanglingControl* left_out) const;
  template <typename Take>
  Status resolve(DanglingControl* left_out, const Take& take) const;
  [[nodiscard]] Error cycle_error() const;

  Program program_;           // in the order of add() until sorted
  Column<TimePs> durations_;  // likewise; the graph takes them
  Column<Need> needs_;        // grouped by activity, in order
  bool ascending_ = true;     // ids so far
  bool data_only_ = false;    // control dependencies do not count
};

}  // namespace orrery::workload
