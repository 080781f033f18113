// A lane of segments keeps 12 bytes of each: what is asked of it is held against the segments written out.
#include "link/host_lanes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <vector>

#include "base/random.h"

using namespace orrery;
using namespace orrery::link;

namespace {

struct Random {
  std::uint64_t state;
  std::uint64_t below(std::uint64_t limit) { return next_random(state) % limit; }
};

std::vector<Segment> random_segments(Random& random, std::size_t count, bool with_loaders) {
  std::vector<Segment> segments;
  auto now = static_cast<TimePs>(random.below(1000));
  for (std::size_t i = 0; i < count; ++i) {
    const TimePs end = now + 1 + static_cast<TimePs>(random.below(20));
    const trace::EventIndex top = random.below(3) == 0 ? kNoEvent : static_cast<trace::EventIndex>(random.below(1000));
    segments.push_back({now, end, top, with_loaders && random.below(4) == 0});
    now = end;
  }
  return segments;
}

HostLane lane_of(const std::vector<Segment>& segments) {
  HostLane lane(3, true);
  lane.begin_at(segments.front().begin, segments.size());
  for (const Segment& segment : segments) lane.append(segment.end, segment.top, segment.loads_data);
  lane.finish();
  return lane;
}

TimePs busy_in(const std::vector<Segment>& segments, std::size_t first, std::size_t last) {
  TimePs busy = 0;
  for (std::size_t s = first; s < last; ++s) busy += segments[s].top == kNoEvent ? 0 : segments[s].end - segments[s].begin;
  return busy;
}

}  // namespace

TEST_CASE("a lane says of its segments what they are") {
  rc::check([](std::uint64_t seed, bool with_loaders) {
    Random random{seed};
    const std::vector<Segment> segments = random_segments(random, 1 + random.below(300), with_loaders);
    const HostLane lane = lane_of(segments);
    RC_ASSERT(lane.segment_count() == segments.size());
    RC_ASSERT(lane.begin() == segments.front().begin);
    RC_ASSERT(lane.end() == segments.back().end);
    for (std::uint32_t s = 0; s < segments.size(); ++s) {
      const Segment segment = lane.segment(s);
      RC_ASSERT(segment.begin == segments[s].begin);
      RC_ASSERT(segment.end == segments[s].end);
      RC_ASSERT(segment.top == segments[s].top);
      RC_ASSERT(segment.loads_data == segments[s].loads_data);
    }
  });
}

TEST_CASE("boundaries are found by time") {
  rc::check([](std::uint64_t seed) {
    Random random{seed};
    const std::vector<Segment> segments = random_segments(random, 1 + random.below(100), false);
    const HostLane lane = lane_of(segments);
    for (TimePs time = lane.begin(); time <= lane.end(); ++time) {
      std::uint32_t until = 0, from = 0;
      while (until < segments.size() && segments[until].end <= time) ++until;
      while (from < segments.size() && segments[from].begin < time) ++from;
      RC_ASSERT(lane.last_boundary_until(time) == until);
      RC_ASSERT(lane.first_boundary_from(time) == from);
      RC_ASSERT(lane.boundary_at(time) == (until == from ? until : kNoWork));
    }
    RC_ASSERT(lane.boundary_at(lane.begin() - 1) == kNoWork);
    RC_ASSERT(lane.boundary_at(lane.end() + 1) == kNoWork);
  });
}

TEST_CASE("recorded time between boundaries is that of the segments between") {
  rc::check([](std::uint64_t seed) {
    Random random{seed};
    const std::vector<Segment> segments = random_segments(random, 1 + random.below(300), false);  // several blocks of sums
    const HostLane lane = lane_of(segments);
    for (int i = 0; i < 50; ++i) {
      const auto first = static_cast<std::uint32_t>(random.below(segments.size() + 1)),
                 last = static_cast<std::uint32_t>(random.below(segments.size() + 1));
      RC_ASSERT(lane.busy_between(first, last) == busy_in(segments, first, last));
    }
    RC_ASSERT(lane.busy_between(0, lane.segment_count()) == busy_in(segments, 0, segments.size()));
  });
}
