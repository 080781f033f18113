// Random XSpaces and random clocks for them.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <vector>

#include "formats/xspace/space_writer.h"
#include "support/random_clock.h"

namespace orrery::xspace::testing {

inline Event random_event() {
  Event event{"op" + std::to_string(*rc::gen::inRange(0, 5))};
  event.offset_ps = *rc::gen::weightedOneOf<std::int64_t>({{8, rc::gen::inRange<std::int64_t>(0, 3'000'000)},
                                                           {2, rc::gen::inRange<std::int64_t>(0, 5'000'000'000'000)},
                                                           {1, rc::gen::inRange<std::int64_t>(-5'000, 0)}});
  event.duration_ps = *rc::gen::weightedOneOf<std::int64_t>({{3, rc::gen::just<std::int64_t>(0)},
                                                             {3, rc::gen::inRange<std::int64_t>(1, 5)},
                                                             {4, rc::gen::inRange<std::int64_t>(0, 2'000'000'000)}});
  if (*rc::gen::inRange(0, 8) == 0) event.occurrences = *rc::gen::inRange(0, 100);
  if (*rc::gen::inRange(0, 8) == 0) event.without_offset = true, event.offset_ps = 0;
  if (*rc::gen::inRange(0, 3) == 0) event.stats.push_back(number_stat("device_offset_ps", *rc::gen::inRange(0, 1000)));
  if (*rc::gen::inRange(0, 6) == 0) event.unknown = "unknown member";
  return event;
}

inline Line random_line() {
  Line line{"line", *rc::gen::inRange<std::int64_t>(-9, 9)};
  line.timestamp_ns = *rc::gen::weightedOneOf<std::int64_t>(
      {{1, rc::gen::just<std::int64_t>(0)}, {4, rc::gen::inRange<std::int64_t>(0, 2'000'000'000)}});
  for (int i = *rc::gen::inRange(0, 12); i > 0; --i) line.events.push_back(random_event());
  if (*rc::gen::inRange(0, 3) == 0) line.display_name = "shown";
  if (*rc::gen::inRange(0, 5) == 0) line.duration_ps = *rc::gen::inRange(1, 1'000'000);
  if (*rc::gen::inRange(0, 5) == 0) line.unknown = std::string(200, 'u');
  return line;
}

inline std::vector<Plane> random_planes() {
  std::vector<Plane> planes;
  for (int p = *rc::gen::inRange(1, 4); p > 0; --p) {
    Plane plane{"/host:" + std::to_string(p)};
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i) plane.lines.push_back(random_line());
    if (*rc::gen::inRange(0, 4) == 0) plane.unknown = "more";
    planes.push_back(plane);
  }
  if (*rc::gen::inRange(0, 5) != 0) planes.push_back(environment());
  return planes;
}

using orrery::testing::random_clock;

}  // namespace orrery::xspace::testing
