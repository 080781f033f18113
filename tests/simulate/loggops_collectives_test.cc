#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "simulate/loggops/loggops.h"
#include "workload/program_builder.h"

using namespace orrery;
using namespace orrery::simulate;
using workload::Activity;
using workload::ActivityKind;
using workload::Collective;

namespace {

workload::Program program_of(const std::vector<Activity>& chain) {
  workload::ProgramBuilder builder;
  for (const Activity& activity : chain) {
    builder.add(activity);
    if (builder.size() > 1) builder.depend(chain[builder.size() - 2].id, workload::Dependency::data);
  }
  return std::move(std::move(builder).build().value());
}

/// The same chain on every rank.
workload::Workload everywhere(std::uint32_t ranks, const std::vector<Activity>& chain) {
  workload::Workload workload;
  workload.programs.push_back(program_of(chain));
  workload.program_of_rank.assign(ranks, 0);
  return workload;
}

Activity collective(Collective kind, std::int64_t bytes, std::uint64_t id = 0) {
  return {.id = id, .kind = ActivityKind::collective, .bytes = bytes, .collective = kind};
}

std::string error_of(const workload::Workload& workload) {
  const auto simulation = loggops::simulate(workload, {});
  return simulation ? "" : simulation.error().message;
}

constexpr TimePs kStep = (1500 + 2500 + 1500) * kPsPerNs;  // o + L + o with the default parameters
TimePs bytes_ps(std::int64_t bytes) {
  return loggops::Parameters::of_bytes(bytes, loggops::Parameters().gap_per_byte_fs);
}

}  // namespace

TEST_CASE("collectives take the time of their messages") {
  const auto makespan = [](std::uint32_t ranks, Collective kind, std::int64_t bytes,
                           loggops::CollectiveOptions options = {}) {
    const auto simulation = loggops::simulate(everywhere(ranks, {collective(kind, bytes)}), {.collectives = options});
    REQUIRE_MESSAGE(simulation.ok(), simulation.error().to_string());
    return simulation->schedule.makespan_ps();
  };
  CHECK(makespan(1, Collective::all_reduce, 1 << 20) == 0);
  CHECK(makespan(8, Collective::all_reduce, 8) == 3 * (kStep + bytes_ps(8)));               // recursive doubling
  CHECK(makespan(8, Collective::all_reduce, 800'000) == 14 * (kStep + bytes_ps(100'000)));  // ring
  CHECK(makespan(5, Collective::all_gather, 1003) == 4 * (kStep + bytes_ps(1003)));         // what each puts in
  CHECK(makespan(5, Collective::reduce_scatter, 1003) == 4 * (kStep + bytes_ps(201)));      // shares are rounded up
  CHECK(makespan(2, Collective::broadcast, 10) == kStep + bytes_ps(10));
  CHECK(makespan(16, Collective::barrier, 999) == 4 * kStep);
  CHECK(makespan(2, Collective::all_to_all, 20) == kStep + bytes_ps(10));
  CHECK(makespan(8, Collective::all_reduce, 8, {.all_reduce = loggops::AllReduceAlgorithm::ring}) == 14 * kStep);
  CHECK(makespan(2, Collective::all_reduce, 8, {.all_reduce = loggops::AllReduceAlgorithm::tree}) ==
        2 * (kStep + bytes_ps(8)));
  CHECK(makespan(4, Collective::all_reduce, 80, {.all_reduce = loggops::AllReduceAlgorithm::recursive_halving}) ==
        4 * kStep + 2 * bytes_ps(40) + 2 * bytes_ps(20));
}

TEST_CASE("as MPI libraries do it, the algorithm depends on size and number of ranks") {
  const auto makespan = [](std::uint32_t ranks, Collective kind, std::int64_t bytes) {
    loggops::Options options;
    options.collectives.as_mpi = true;
    options.parameters.largest_eager_message_bytes = 1 << 30;
    const auto simulation = loggops::simulate(everywhere(ranks, {collective(kind, bytes)}), options);
    REQUIRE_MESSAGE(simulation.ok(), simulation.error().to_string());
    return simulation->schedule.makespan_ps();
  };
  CHECK(makespan(8, Collective::all_reduce, 2048) == 3 * (kStep + bytes_ps(2048)));  // recursive doubling
  // Two ranks hand theirs over first, and get the result: two steps more, and a little for messages that meet at a
  // rank.
  CHECK(makespan(6, Collective::all_reduce, 2048) >= 4 * (kStep + bytes_ps(2048)));
  CHECK(makespan(6, Collective::all_reduce, 2048) < 5 * (kStep + bytes_ps(2048)));
  CHECK(makespan(8, Collective::all_reduce, 8000) ==  // Rabenseifner's
        6 * kStep + 2 * (bytes_ps(4000) + bytes_ps(2000) + bytes_ps(1000)));
  CHECK(makespan(6, Collective::all_reduce, 6000) == 10 * (kStep + bytes_ps(1000)));  // ring
  CHECK(makespan(4, Collective::broadcast, 100) == 2 * (kStep + bytes_ps(100)));      // binomial tree
  CHECK(makespan(8, Collective::all_gather, 1000) == 3 * kStep + bytes_ps(1000) + bytes_ps(2000) + bytes_ps(4000));
  CHECK(makespan(5, Collective::all_gather, 1000) == 3 * kStep + 2 * bytes_ps(1000) + bytes_ps(2000));  // Bruck's
  CHECK(makespan(8, Collective::all_to_all, 8 * 100) ==
        3 * (kStep + bytes_ps(400)));  // Bruck's: half of the blocks in each round
  CHECK(makespan(4, Collective::reduce_scatter, 4000) == 2 * kStep + bytes_ps(2000) + bytes_ps(1000));
  CHECK(makespan(16, Collective::barrier, 0) == 4 * kStep);
}

TEST_CASE("any collectives one after the other come to their end, in order") {
  CHECK(rc::check([] {
    const auto ranks = *rc::gen::inRange<std::uint32_t>(1, 12);
    std::vector<Activity> chain;
    for (std::uint64_t id = 0; id < 6; ++id) {
      Activity activity = collective(static_cast<Collective>(*rc::gen::inRange<int>(0, workload::kCollectives)),
                                     *rc::gen::inRange(0, 100'000), id);
      activity.peer = static_cast<std::int32_t>(*rc::gen::inRange<std::uint32_t>(0, ranks));
      activity.flags = workload::activity::kHasPeer;
      chain.push_back(activity);
    }
    loggops::Options options;
    options.collectives.all_reduce = static_cast<loggops::AllReduceAlgorithm>(*rc::gen::inRange(0, 5));
    options.collectives.as_mpi = *rc::gen::arbitrary<bool>();
    const auto simulation = loggops::simulate(everywhere(ranks, chain), options);
    RC_ASSERT(simulation.ok());
    RC_ASSERT(simulation->schedule.check().ok());
    RC_ASSERT(simulation->schedule.activity_count() == 6 * ranks);
    for (std::size_t i = 1; i < 6; ++i)
      RC_ASSERT(simulation->schedule.start_ps[i] >= simulation->schedule.end_ps[i - 1]);
  }));
}

TEST_CASE("communication and computation overlap if they have processors of their own") {
  workload::Workload workload;
  workload::ProgramBuilder builder;
  builder.add({.id = 0, .kind = ActivityKind::compute, .duration_ps = 50'000 * kPsPerNs});
  builder.add(collective(Collective::all_reduce, 8, 1));
  builder.add({.id = 2, .kind = ActivityKind::memory_load, .duration_ps = 700 * kPsPerNs});
  workload.programs.push_back(std::move(std::move(builder).build().value()));
  workload.program_of_rank.assign(2, 0);
  const auto together = loggops::simulate(workload, {.placement = loggops::Placement::by_kind});
  REQUIRE(together.ok());
  CHECK(together->schedule.end_ps[0] == 50'000 * kPsPerNs);
  CHECK(together->schedule.end_ps[1] == kStep + bytes_ps(8));
  CHECK(together->schedule.end_ps[2] == 700 * kPsPerNs);
  const auto alone = loggops::simulate(workload, {});
  REQUIRE(alone.ok());
  CHECK(alone->schedule.makespan_ps() > 50'700 * kPsPerNs);
}

TEST_CASE("durations may come from elsewhere") {
  const auto simulation = loggops::simulate(
      everywhere(2, {{.id = 0, .kind = ActivityKind::compute, .operations = 5}, collective(Collective::barrier, 0, 1)}),
      {.duration_of = [](const workload::Program& program, std::size_t i) {
        return program.operations[i] * kPsPerUs;
      }});
  REQUIRE(simulation.ok());
  CHECK(simulation->schedule.end_ps[0] == 5 * kPsPerUs);
  CHECK(simulation->schedule.makespan_ps() == 5 * kPsPerUs + kStep);
}

TEST_CASE("groups run side by side, and a root is a rank of the job") {
  workload::Workload workload;
  const StringId left = workload.strings.intern("left"), right = workload.strings.intern("right");
  workload.groups = {{left, {0, 2}}, {right, {3, 1}}};
  for (const StringId name : {left, right, left, right}) {
    Activity broadcast = collective(Collective::broadcast, 10);
    broadcast.group_name = name;
    broadcast.peer = name == left ? 2 : 1;
    broadcast.flags = workload::activity::kHasPeer;
    workload.program_of_rank.push_back(static_cast<std::uint32_t>(workload.programs.size()));
    workload.programs.push_back(program_of({broadcast}));
  }
  const auto simulation = loggops::simulate(workload, {});
  REQUIRE_MESSAGE(simulation.ok(), simulation.error().to_string());
  CHECK(simulation->schedule.end_ps[2] == 1500 * kPsPerNs);  // the roots only send
  CHECK(simulation->schedule.end_ps[1] == 1500 * kPsPerNs);
  CHECK(simulation->schedule.end_ps[0] == kStep + bytes_ps(10));
  CHECK(simulation->schedule.end_ps[3] == kStep + bytes_ps(10));
}

TEST_CASE("collectives that do not fit together are errors that name them") {
  const auto two_ranks = [](std::vector<Activity> a, std::vector<Activity> b) {
    workload::Workload workload;
    workload.programs.push_back(program_of(a));
    workload.programs.push_back(program_of(b));
    workload.program_of_rank.push_back(0);
    workload.program_of_rank.push_back(1);
    return workload;
  };
  CHECK(
      error_of(two_ranks({collective(Collective::barrier, 0)}, {collective(Collective::all_gather, 0)})) ==
      "rank 0, node 0 (barrier) and rank 1, node 0 (all_gather) are both collective 0 of all ranks but differ in kind");
  CHECK(error_of(two_ranks({collective(Collective::all_reduce, 8)}, {collective(Collective::all_reduce, 9)})) ==
        "rank 0, node 0 (all_reduce) and rank 1, node 0 (all_reduce) are both collective 0 of all ranks but differ in "
        "size: 8 and 9 bytes");
  CHECK(error_of(two_ranks({collective(Collective::barrier, 0), collective(Collective::barrier, 0, 5)},
                           {collective(Collective::barrier, 0)})) ==
        "rank 0, node 5 (barrier) waits for rank 1, which takes part in only 1 collective of all ranks");
  Activity rooted = collective(Collective::broadcast, 8);
  rooted.peer = 7;
  rooted.flags = workload::activity::kHasPeer;
  CHECK(error_of(two_ranks({rooted}, {rooted})) ==
        "rank 0, node 0 (broadcast) has its root at rank 7, which is not in all ranks");
  workload::Workload grouped = two_ranks({}, {});
  const StringId name = grouped.strings.intern("tensor");
  Activity in_group = collective(Collective::broadcast, 8);
  in_group.group_name = name;
  grouped.programs[1] = program_of({in_group});
  CHECK(error_of(grouped) == "rank 1, node 0 (broadcast) is in group \"tensor\", which is not known");
  grouped.groups = {{name, {0}}};
  CHECK(error_of(grouped) == "rank 1, node 0 (broadcast) is in group \"tensor\", which does not list rank 1");
}
