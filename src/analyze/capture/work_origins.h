// Where each piece of device work comes from: operator, shapes, module and annotation, by its launch, or where a graph
// launched it by what a capture says (join_captures).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/capture/call_origins.h"
#include "analyze/capture/graph_launches.h"
#include "analyze/capture/operator_calls.h"
#include "causal/device/device_timeline.h"

namespace orrery::analyze {

/// Texts live as long as the trace and the WorkOrigins; empty: not known.
struct WorkOrigin {
  std::vector<OperatorCall> operators;  ///< outermost first
  std::string_view modules, range;
  std::string_view source;  ///< trace, capture or eager; empty: nothing tells

  [[nodiscard]] std::string_view op() const { return operators.empty() ? std::string_view() : operators.back().name; }
  /// The outermost as recorded, which may be a frame of a compiler or of autograd.
  [[nodiscard]] std::string_view top() const { return operators.empty() ? std::string_view() : operators.front().name; }
  /// The first that is an operator of the program, such frames left out; nullptr: none is.
  [[nodiscard]] const OperatorCall* outermost() const;
  /// Of the innermost operator, JSON as recorded.
  [[nodiscard]] std::string_view shapes() const {
    return operators.empty() ? std::string_view() : operators.back().shapes;
  }
  [[nodiscard]] std::string_view types() const {
    return operators.empty() ? std::string_view() : operators.back().types;
  }
};

/// How many works of graph launches have an origin by a capture or an eager run.
std::size_t works_with_origin(const trace::RankTrace& rank);

class WorkOrigins {
 public:
  /// All must outlive it. O(events log events).
  WorkOrigins(const trace::Trace& trace, const trace::RankTrace& rank, const causal::DeviceTimeline& timeline);

  [[nodiscard]] const GraphLaunches& launches() const { return launches_; }
  WorkOrigin of(std::uint32_t work);
  /// Annotations around its call, innermost first; of a graph's work around the launch of the graph.
  const std::vector<trace::EventIndex>& annotations_around(std::uint32_t work);

 private:
  [[nodiscard]] std::string_view text(trace::Field field, trace::EventIndex event) const;

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const causal::DeviceTimeline& timeline_;
  GraphLaunches launches_;
  CallOrigins calls_;
  std::unordered_map<StringId, std::vector<OperatorCall>> chains_;  // of Field::operators_text, each read once
};

}  // namespace orrery::analyze
