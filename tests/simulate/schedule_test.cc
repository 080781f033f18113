#include "simulate/schedule.h"

#include <doctest/doctest.h>

using orrery::simulate::CollectiveUse;
using orrery::simulate::RankUse;
using orrery::simulate::Schedule;
using orrery::workload::Collective;

namespace {

/// Two activities one after the other, and one link that is busy during the second.
Schedule two_activities() {
  Schedule schedule(2, 1);
  schedule.end_ps[0] = 1000;
  schedule.start_ps[1] = 1000;
  schedule.end_ps[1] = 2500;
  schedule.link_bytes[0] = 64;
  schedule.link_busy_ps[0] = 1500;
  return schedule;
}

}  // namespace

TEST_CASE("the makespan is the latest end") {
  CHECK(Schedule().makespan_ps() == 0);
  CHECK(Schedule(3, 0).makespan_ps() == 0);
  CHECK(two_activities().makespan_ps() == 2500);
}

TEST_CASE("a schedule that can happen passes its check") {
  CHECK(Schedule().check().ok());
  CHECK(two_activities().check().ok());
  CHECK(two_activities().activity_count() == 2);
  CHECK(two_activities().link_count() == 1);
}

TEST_CASE("a schedule that cannot happen is an error that says where") {
  const auto error_after = [](auto&& damage) {
    Schedule schedule = two_activities();
    damage(schedule);
    const auto status = schedule.check();
    return status.ok() ? std::string() : status.error().to_string();
  };
  CHECK(error_after([](Schedule& s) { s.start_ps[0] = -1; }) == "activity 0 runs from -1 ps to 1000 ps");
  CHECK(error_after([](Schedule& s) { s.end_ps[1] = 999; }) == "activity 1 runs from 1000 ps to 999 ps");
  CHECK(error_after([](Schedule& s) { s.link_busy_ps[0] = 2501; }) == "link 0 carries 64 bytes in 2501 ps of 2500 ps");
  CHECK(error_after([](Schedule& s) { s.link_busy_ps[0] = -1; }) == "link 0 carries 64 bytes in -1 ps of 2500 ps");
  CHECK(error_after([](Schedule& s) { s.link_busy_ps[0] = 0; }) == "link 0 carries 64 bytes in 0 ps of 2500 ps");
  CHECK(error_after([](Schedule& s) { s.end_ps.push_back(1); }) == "2 starts but 3 ends");
  CHECK(error_after([](Schedule& s) { s.link_bytes.clear(); }) == "bytes for 0 links but busy times for 1");
  CHECK(error_after([](Schedule& s) { s.link_peak_sharing.clear(); }) == "bytes for 1 links but sharing for 0");
  CHECK(error_after([](Schedule& s) {
          s.ranks.push_back(RankUse{10, 6, 6, 5});
        }) == "rank 0 computes for 6 ps and communicates for 6 ps (5 ps exposed) of 10 ps");
  CHECK(error_after([](Schedule& s) { s.ranks.push_back(RankUse{10, 6, 3, 4}); }) != "");
  CHECK(error_after([](Schedule& s) { s.ranks.push_back(RankUse{10, 6, 8, 4}); }) == "");
  CHECK(error_after([](Schedule& s) {
          s.collectives.push_back(CollectiveUse{.first_arrival_ps = 5, .last_arrival_ps = 4, .end_ps = 9});
        }) == "collective 0 has arrivals from 5 ps to 4 ps and ends at 9 ps");
}

TEST_CASE("schedules are equal when every column is") {
  CHECK(two_activities() == two_activities());
  Schedule other = two_activities();
  ++other.link_bytes[0];
  CHECK_FALSE(other == two_activities());
  CHECK_FALSE(Schedule(2, 0) == Schedule(3, 0));
}

TEST_CASE("bus bandwidth is what nccl-tests calls by that name") {
  // 1 MB in 10 us over 4 ranks, of which the last came 3 us late: 100 GB/s, times what each link carries at least.
  const auto of = [](Collective kind) {
    return bus_bytes_per_second(CollectiveUse{.kind = kind,
                                              .ranks = 4,
                                              .bytes = 1'000'000,
                                              .first_arrival_ps = 0,
                                              .last_arrival_ps = 3'000'000,
                                              .end_ps = 13'000'000});
  };
  CHECK(of(Collective::all_reduce) == doctest::Approx(150e9));
  CHECK(of(Collective::all_gather) == doctest::Approx(75e9));
  CHECK(of(Collective::reduce_scatter) == doctest::Approx(75e9));
  CHECK(of(Collective::all_to_all) == doctest::Approx(75e9));
  CHECK(of(Collective::gather) == doctest::Approx(75e9));
  CHECK(of(Collective::scatter) == doctest::Approx(75e9));
  CHECK(of(Collective::broadcast) == doctest::Approx(100e9));
  CHECK(of(Collective::reduce) == doctest::Approx(100e9));
  CHECK(of(Collective::barrier) == 0);
  CHECK(bus_bytes_per_second(CollectiveUse{.ranks = 1, .bytes = 8, .end_ps = 10}) == 0);
  CHECK(bus_bytes_per_second(CollectiveUse{.ranks = 2, .bytes = 8, .end_ps = 0}) == 0);
}
