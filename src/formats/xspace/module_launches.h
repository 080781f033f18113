// Which host call enqueued which program of a TPU core.
//
// A GPU's work has the correlation id of the call that launched it. The operations of a TPU have none, but the line
// "XLA Modules" of the core says which execution each belongs to, and the call that enqueued it (DoEnqueueProgram)
// names the same:
//   * by the context that the runtime hands on (stats _pt, _p of the producer; _ct, _c of the consumer), or, where that
//   was not recorded,
//   * by the number of the execution and the device (run_id; device_ordinal of the call, the plane of the module).
// All operations that start inside the module get one correlation with that call, like the kernels of a CUDA graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "trace/trace.h"

namespace orrery::xspace {

class ModuleLaunches {
 public:
  /// What names an execution on one device.
  struct Key {
    bool is_context = false;  ///< (type, id) of a context; else (device, run_id)
    std::int64_t scope = 0;   ///< type of the context, or the device
    std::int64_t number = 0;  ///< id of the context, or the run
    auto operator<=>(const Key&) const = default;
  };

  /// An event of the host that has the key. Several may have it.
  void add_call(const Key& key, trace::EventIndex row) { calls_.push_back({key, row}); }
  /// An execution on the device of a plane (the place of the plane in the file), with the keys that its event has.
  void add_module(std::size_t plane, TimePs start, TimePs end, std::optional<Key> context, std::optional<Key> run);
  /// A lane with operations of a core.
  void add_core(std::size_t plane, trace::LaneIndex lane) { cores_.push_back({plane, lane}); }

  /// Adds Field::correlation to the operations and to the calls that enqueued them; returns those calls. Does nothing
  /// where there are no cores.
  [[nodiscard]] std::vector<trace::EventIndex> tie(trace::RankTrace& rank);

 private:
  struct Call {
    Key key;
    trace::EventIndex row;
    auto operator<=>(const Call&) const = default;
  };
  struct Module {
    std::size_t plane;
    TimePs start, end;
    std::optional<Key> context, run;
    Key matched;  ///< the one of the two that its call has
    trace::EventIndex call;
  };
  struct Core {
    std::size_t plane;
    trace::LaneIndex lane;
  };

  void find_call(const trace::RankTrace& rank, Module& module) const;

  std::vector<Call> calls_;
  std::vector<Module> modules_;
  std::vector<Core> cores_;
};

}  // namespace orrery::xspace
