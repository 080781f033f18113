#include "formats/ampip/call_times.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <numeric>

namespace orrery::ampip {

TEST_CASE("calls share the mean, except where their delta is shorter") {
  CHECK(split_deltas({100, 100, 100}, {.mean_ps = 40, .min_ps = 10, .max_ps = 90}) == std::vector<TimePs>{40, 40, 40});
  // The second had only 10: the 30 that it lacks are spread over the others.
  CHECK(split_deltas({100, 10, 100}, {.mean_ps = 40, .min_ps = 10, .max_ps = 90}) == std::vector<TimePs>{55, 10, 55});
  CHECK(split_deltas({100, 10, 100}, {.mean_ps = 65, .min_ps = 10, .max_ps = 90}) == std::vector<TimePs>{90, 10, 90});
  CHECK(split_deltas({}, {.mean_ps = 65, .min_ps = 10, .max_ps = 90}).empty());
}

TEST_CASE("never more than the delta, and the report's sum wherever the deltas hold it") {
  rc::check([] {
    const auto deltas =
        *rc::gen::nonEmpty(rc::gen::container<std::vector<TimePs>>(rc::gen::inRange<TimePs>(0, 1'000'000)));
    const TimePs mean = *rc::gen::inRange<TimePs>(0, 500'000), most = mean + *rc::gen::inRange<TimePs>(0, 500'000);
    const std::vector<TimePs> times = split_deltas(deltas, {.mean_ps = mean, .min_ps = 0, .max_ps = most});
    RC_ASSERT(times.size() == deltas.size());
    TimePs room = 0;
    for (std::size_t i = 0; i < times.size(); ++i) {
      RC_ASSERT(times[i] <= deltas[i] && times[i] <= most && times[i] >= 0);
      room += std::min(deltas[i], most);
    }
    const TimePs sum = std::accumulate(times.begin(), times.end(), TimePs{0}),
                 count = static_cast<TimePs>(times.size());
    const TimePs wanted = std::min(room, mean * count);
    RC_ASSERT(sum <= wanted && wanted - sum < count);  // whole picoseconds
  });
}

}  // namespace orrery::ampip
