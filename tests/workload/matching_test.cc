#include "workload/matching.h"

#include <doctest/doctest.h>

#include "workload/agreement.h"
#include "workload/message_matcher.h"
#include "workload/program_builder.h"
#include "workload/resolve_roles.h"

using namespace orrery;
using namespace orrery::workload;

namespace {

Activity message(ActivityKind kind, std::uint64_t id, std::int32_t peer, StringId role, std::int64_t bytes = 8) {
  return {.id = id,
          .kind = kind,
          .flags = activity::kHasPeer | activity::kHasBytes,
          .bytes = bytes,
          .peer = peer,
          .peer_role = role};
}

Program program_of(const std::vector<Activity>& activities) {
  ProgramBuilder builder;
  for (const Activity& activity : activities) builder.add(activity);
  return std::move(*std::move(builder).build());
}

// Six ranks in rows of three: each passes on to the next in its row and takes from the one before.
Workload rows() {
  Workload job;
  const StringId row = job.strings.intern("row");
  job.roles.push_back({row, {{3, 1}}});
  job.programs.push_back(program_of({message(ActivityKind::send, 0, 1, row), message(ActivityKind::recv, 1, -1, row)}));
  job.program_of_rank.assign(6, 0);
  return job;
}

}  // namespace

TEST_CASE("messages by role are matched within each group, round about") {
  const Workload job = rows();
  const auto matching = Matching::of(job);
  REQUIRE_MESSAGE(matching.ok(), matching.error().message);
  const auto last = matching->message(5, 0);
  REQUIRE(last.has_value());
  CHECK(last->target == 3);
  CHECK(last->recv == 1);
  CHECK(matching->message(3, 1)->source == 5);
  CHECK(matching->message_number(4, 0) == 4);
}

TEST_CASE("two places back and one place on are the same in a group of three") {
  Workload job = rows();
  const StringId row = job.roles[0].name;
  job.programs[0] = program_of({message(ActivityKind::send, 0, -2, row), message(ActivityKind::recv, 1, 2, row)});
  CHECK(Matching::of(job).ok());
}

TEST_CASE("a message by role is not received by a receive that names a rank") {
  Workload job = rows();
  const StringId row = job.roles[0].name;
  job.programs.push_back(program_of({message(ActivityKind::send, 0, 1, row), message(ActivityKind::recv, 1, 0, 0)}));
  job.program_of_rank[1] = 1;
  const auto matching = Matching::of(job);
  REQUIRE_FALSE(matching.ok());
  CHECK(matching.error().message ==
        "rank 0, node 0 (send) waits for a recv by rank 1 with tag 0 that rank 1 never issues");
}

TEST_CASE("roles that are not there or do not fit") {
  Workload job = rows();
  job.roles.clear();
  CHECK(Matching::of(job).error().message == "rank 0, node 1 (recv) counts ranks in role \"row\", which is not known");
  job = rows();
  job.roles[0].axes[0].size = 4;
  CHECK(Matching::of(job).error().message == "role \"row\": an axis of 4 ranks, 1 apart, does not divide 6 ranks");
}

TEST_CASE("roles written out are the same messages and groups") {
  Workload job = rows();
  const StringId row = job.roles[0].name;
  Activity reduce{.id = 0,
                  .kind = ActivityKind::collective,
                  .flags = activity::kHasPeer,
                  .bytes = 8,
                  .peer = 2,
                  .collective = Collective::reduce};
  reduce.group_name = row;
  job.programs[0] =
      program_of({reduce, message(ActivityKind::send, 1, 1, row), message(ActivityKind::recv, 2, -1, row)});
  const Workload resolved = resolve_roles(job);
  CHECK(resolved.roles.empty());
  REQUIRE(resolved.groups.size() == 2);
  CHECK(resolved.groups[1].ranks == std::vector<std::uint32_t>{3, 4, 5});
  CHECK(resolved.program(4).peers[0] == 5);  // the root
  CHECK(resolved.program(5).peers[1] == 3);
  const auto matching = Matching::of(resolved);
  REQUIRE_MESSAGE(matching.ok(), matching.error().message);
  CHECK(matching->message(5, 1)->target == 3);
  CHECK(root_place(matching->communicator(3, 0), resolved.program(3), 0) == 2);
}

TEST_CASE("more than 2^32 messages and collectives are counted") {
  Workload job;
  const StringId row = job.strings.intern("row");
  job.roles.push_back({row, {{2, 1}}});
  std::vector<Activity> activities;
  for (std::uint64_t i = 0; i < 5'000; i += 2) {
    activities.push_back(message(ActivityKind::send, i, 1, row));
    activities.push_back(message(ActivityKind::recv, i + 1, 1, row));
  }
  job.programs.push_back(program_of(activities));
  job.program_of_rank.assign(1u << 21, 0);
  const auto matching = Matching::of(job);
  REQUIRE(matching.ok());
  const std::uint64_t messages = (std::uint64_t{1} << 21) * 2'500;
  static_assert((std::uint64_t{1} << 21) * 2'500 > std::uint64_t{1} << 32);
  CHECK(matching->message_number((1u << 21) - 1, 4'998) == messages - 1);
}

TEST_CASE("the matcher: order of posting, and wildcards from the front") {
  MessageMatcher matcher(2);
  CHECK(matcher.message_arrives(1, Envelope{0, 1, 0, 5}) == MessageMatcher::kNobody);
  CHECK(matcher.message_arrives(2, Envelope{0, 1, 0, 5}) == MessageMatcher::kNobody);
  CHECK(matcher.recv_is_posted(10, Envelope{0, 1, 0, 5}) == 1);
  CHECK(matcher.recv_is_posted(11, Envelope{0, 1, 7, 5}) == MessageMatcher::kNobody);  // another role
  CHECK(matcher.kept_messages() == std::vector<std::uint64_t>{2});
  matcher.expect_wildcards(1);
  CHECK(matcher.recv_is_posted(20, Envelope{1, Envelope::kAnySender, 0, 5}) == MessageMatcher::kNobody);
  CHECK(matcher.recv_is_posted(21, Envelope{1, 0, 0, kAnyTag}) == MessageMatcher::kNobody);
  CHECK(matcher.message_arrives(30, Envelope{1, 0, 0, 6}) == 21);
  CHECK(matcher.message_arrives(31, Envelope{1, 0, 0, 5}) == 20);
}
