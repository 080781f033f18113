// Annotated ranges, cut so that each moment of a lane belongs to one: the innermost, which is the last that began and
// has not ended.
#pragma once

#include <vector>

#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"

namespace orrery::analyze {

struct AnnotationSegment {
  TimePs begin = 0;
  TimePs end = 0;
  trace::EventIndex event = 0;
};

class AnnotationSegments {
 public:
  /// `activity`: annotation (of host lanes) or device_annotation. O(events + n log n) for n annotations.
  AnnotationSegments(const DeviceRank& devices, trace::Activity activity);

  /// kNoEvent: the moment lies in none.
  [[nodiscard]] trace::EventIndex find(trace::LaneIndex lane, TimePs time) const;
  [[nodiscard]] const std::vector<std::vector<AnnotationSegment>>& by_lane() const { return by_lane_; }
  /// All of them, lane by lane in order of start.
  [[nodiscard]] const std::vector<trace::EventIndex>& events() const { return events_; }

 private:
  void cut_lane(const trace::RankTrace& rank, std::size_t first, std::size_t last);

  std::vector<trace::EventIndex> events_;
  std::vector<std::vector<AnnotationSegment>> by_lane_;
};

struct AnnotationTime {
  StringId name = 0;
  Distribution calls;  ///< each range in full, as far as it lies in the window
  TimePs self = 0;     ///< time in which it was the innermost: of all annotations of a lane, what their union covers
};

/// By sum, the largest first, then by name.
std::vector<AnnotationTime> annotation_times(const DeviceRank& devices, const AnnotationSegments& segments);

}  // namespace orrery::analyze
