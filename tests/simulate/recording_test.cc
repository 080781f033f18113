#include "simulate/pricing/recording.h"

#include <doctest/doctest.h>

#include "comm_cases.h"
#include "simulate/models/link_models.h"
#include "simulate/pricing/operations_workload.h"

using namespace orrery;
using namespace orrery::simulate;
using namespace orrery::simulate::testing;
using workload::Collective;

namespace {

Recording recording_of(const std::vector<std::pair<TimePs, TimePs>>& intervals) {
  Recording recording;
  for (const auto& [start, end] : intervals) {
    RecordedOp op;
    op.id = 10 + recording.ops.size();
    op.start_ps = start;
    op.end_ps = end;
    recording.ops.push_back(op);
  }
  return recording;
}

}  // namespace

TEST_CASE("schedules are the same, or as far apart as the start that moved most") {
  const Recording before = recording_of({{0, 10}, {5, 15}, {20, 30}});
  CHECK(largest_shift_ps(before, before) == 0);
  CHECK(overlap_mismatch(before, before) == 0);
  CHECK(largest_shift_ps(before, recording_of({{0, 10}, {1, 15}, {27, 30}})) == 7);
  CHECK(largest_shift_ps(before, recording_of({{0, 10}})) == 0);  // what is not there did not move
}

TEST_CASE("whom an operation met counts, not for how long") {
  const Recording before = recording_of({{0, 10}, {5, 15}, {20, 30}});
  CHECK(overlap_mismatch(before, recording_of({{0, 20}, {19, 40}, {50, 60}})) == 0);
  // The first two no longer meet, and the third meets the second: all differ in all they met.
  CHECK(overlap_mismatch(before, recording_of({{0, 10}, {10, 21}, {20, 30}})) == 1);
  // The third now meets both, who still meet: half of what these two met is new, and all that the third met.
  CHECK(overlap_mismatch(before, recording_of({{0, 10}, {5, 15}, {6, 30}})) == doctest::Approx((0.5 + 0.5 + 1) / 3));
  // What ends when another begins does not meet it.
  CHECK(overlap_mismatch(recording_of({{0, 10}, {10, 20}}), recording_of({{0, 10}, {12, 20}})) == 0);
}

TEST_CASE("a recording has what was asked of the network, by id, and forgets it on restart") {
  IsolatedModel model(std::make_shared<Lowering>(network_of({switched(4, 1, 0)}), CommOptions{}));
  RecordingModel recorder(model);
  const Ranks pair = {0, 1}, other = {2, 3};
  REQUIRE(recorder.start(7, message(1'000, pair), 0).ok());
  REQUIRE(recorder.start(3, collective(Collective::all_gather, 500, other), 100).ok());
  REQUIRE(recorder.start(9, message(50, pair), 100).ok());
  std::vector<OpId> finished;
  while (recorder.next_event() != kNever) recorder.advance(recorder.next_event(), finished);
  const Recording recording = recorder.take();
  REQUIRE(recording.ops.size() == 3);
  CHECK(recording.ops[0].id == 3);
  CHECK(recording.ops[0].start_ps == 100);
  CHECK(recording.ops[1].end_ps == 1'000'000);
  CHECK(recording.rank_sets.size() == 2);
  const CommOp op = recording.op(0);
  CHECK(op.collective == Collective::all_gather);
  CHECK(Ranks(op.ranks.begin(), op.ranks.end()) == other);
  CHECK(recorder.take().ops.empty());
}

TEST_CASE("operations become a workload in which each rank has its parts of them") {
  const Ranks left = {0, 1}, ends = {1, 2}, world = first_ranks(4);
  const std::vector<CommOp> ops = {collective(Collective::all_gather, 800, left), message(100, ends),
                                   collective(Collective::all_reduce, 64, world)};
  const workload::Workload job = workload_of(ops, 4);
  REQUIRE(job.rank_count() == 4);
  REQUIRE(job.groups.size() == 1);
  CHECK(job.groups[0].ranks == left);
  CHECK(job.program(0).size() == 2);
  CHECK(job.program(1).size() == 3);
  CHECK(job.program(3).size() == 1);
  CHECK(job.program(0).bytes[0] == 400);  // what one rank puts in
  CHECK(job.program(1).kinds[activity_of(job, 1, 1)] == workload::ActivityKind::send);
  CHECK(job.program(2).kinds[activity_of(job, 1, 2)] == workload::ActivityKind::recv);
  CHECK(job.program(3).group_names[activity_of(job, 2, 3)] == 0);
  CHECK(activity_of(job, 2, 1) == 2);
  // Who does nothing has something all the same, and who does the same shares a program.
  const workload::Workload alone = workload_of(std::span(ops).first(1), 4);
  CHECK(alone.programs.size() == 2);
  CHECK(alone.program(3).kinds[0] == workload::ActivityKind::compute);
  CHECK(workload_of(std::span(ops).last(1), 4).programs.size() == 1);
}
