#include "match/messages.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "align/alignment.h"
#include "match/exchange_finder.h"
#include "match/job_builder.h"
#include "match/recorded_communication.h"

using namespace orrery;
using namespace orrery::match;
using Job = match::test::JobBuilder;

namespace {

void send(Job& job, std::int64_t sequence, TimePs at, std::int64_t tag_group = 0) {
  job.add(0, {.kind = "send",
              .sequence = sequence,
              .start = at,
              .end = at + 10,
              .group = tag_group == 0 ? "0" : "1",
              .destination = 1});
}
void receive(Job& job, std::int64_t sequence, TimePs at, std::int64_t tag_group = 0) {
  job.add(1, {.kind = "recv",
              .sequence = sequence,
              .start = at,
              .end = at + 10,
              .group = tag_group == 0 ? "0" : "1",
              .source = 0});
}

}  // namespace

TEST_CASE("messages with equal numbers belong together, also where one side began to record later") {
  Job job(2);
  for (std::int64_t n = 1; n <= 5; ++n) send(job, n, n * 100);
  for (std::int64_t n = 3; n <= 6; ++n) receive(job, n, n * 100);
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 3);
  CHECK(matched.messages_unmatched == 3);
  for (const Exchange& message : matched.all)
    CHECK(matched.parts[message.first].start_ps == matched.parts[message.first + 1].start_ps);
}

TEST_CASE("a side that counts other operations too is matched by order if there are as many, else not at all") {
  Job job(2);
  for (std::int64_t n = 1; n <= 4; ++n) send(job, n, n * 100);
  for (std::int64_t n = 1; n <= 4; ++n) receive(job, 2 * n, n * 100);
  CHECK(find_exchanges(job.trace).all.size() == 4);
  receive(job, 11, 1100);
  const Exchanges matched = find_exchanges(job.trace);
  CHECK(matched.all.empty());
  CHECK(matched.messages_ambiguous == 9);
}

TEST_CASE("channels of other groups, and messages without a peer, are kept apart") {
  Job job(2);
  send(job, -1, 100, 0);
  receive(job, -1, 100, 1);
  job.add(0, {.kind = "send", .start = 300, .end = 310});
  job.add(0, {.kind = "send", .start = 400, .end = 410, .destination = 9});
  const Exchanges matched = find_exchanges(job.trace);
  CHECK(matched.all.empty());
  CHECK(matched.messages_unmatched == 3);
  CHECK(matched.peers_unknown == 1);
}

TEST_CASE("the peer may be given as its place in the group, or by the pairs of the instruction") {
  Job job(3);
  job.add(0, {.kind = "send", .start = 100, .end = 110, .ranks = "[0, 2]", .group_rank = 1});
  job.add(2, {.kind = "recv", .start = 100, .end = 120, .ranks = "[0, 2]", .group_rank = 0});
  job.add(1, {.kind = "send", .start = 100, .end = 110, .group = "4", .pairs = "{{1,2}}"});
  job.add(2, {.kind = "recv", .start = 200, .end = 220, .group = "4", .pairs = "{{1,2}}"});
  const Exchanges matched = find_exchanges(job.trace);
  REQUIRE(matched.all.size() == 2);
  CHECK(matched.parts[matched.all[0].first].node == 0);
  CHECK(matched.parts[matched.all[0].first + 1].node == 2);
  CHECK(matched.parts[matched.all[1].first].node == 1);
}

TEST_CASE("texts that name groups are read, and what is none is refused") {
  CHECK(member_of_group("[4, 5, 6]", 1) == 5);
  CHECK_FALSE(member_of_group("[4, 5, ...", 2));
  CHECK_FALSE(member_of_group("[4]", 1));
  CHECK_FALSE(member_of_group("", 0));
  CHECK_FALSE(member_of_group("[4]", -1));
  REQUIRE(parse_groups("{{0,1},{2,3}}"));
  CHECK(parse_groups("{{0,1},{2,3}}")->size() == 2);
  CHECK(parse_groups("{}")->empty());
  CHECK(parse_groups("[1,8]<=[8]")->empty());
  for (const char* const bad :
       {"[4,2]<=[8]", "{{0,1}", "{{0,1},}", "{{0,-1}}", "{0,1}", "{{}}", "{{0,99999999999999999999}}"})
    CHECK_FALSE(parse_groups(bad));
  CHECK(peer_in_pairs("{{0,1},{1,0}}", 1, true) == 0);
  CHECK_FALSE(peer_in_pairs("{{0,1},{0,2}}", 0, true));
  CHECK_FALSE(peer_in_pairs("{{0,1}}", 1, true));
}

TEST_CASE("nodes that nothing but messages connects are aligned by these, whichever way they go") {
  constexpr TimePs kAhead = 3'000'000'000;  // node 1: 3 ms
  Job job(2);
  for (std::int64_t n = 1; n <= 100; ++n) {
    const TimePs at = n * 20'000'000'000, took = 10'000'000;
    const auto from = static_cast<std::size_t>(n % 2);
    const auto ahead = [&](std::size_t node) { return node == 1 ? kAhead : 0; };
    const std::string_view channel = from == 0 ? "there" : "back";
    const auto to = 1 - from;
    job.add(from, {.kind = "send",
                   .sequence = n,
                   .start = at + ahead(from),
                   .end = at + took + ahead(from),
                   .group = channel,
                   .destination = static_cast<std::int64_t>(to)});
    job.add(to, {.kind = "recv",
                 .sequence = n,
                 .start = at + ahead(to),
                 .end = at + took + 1'000'000 + ahead(to),
                 .group = channel,
                 .source = static_cast<std::int64_t>(from)});
  }
  Diagnostics diagnostics;
  const Result<align::Alignment> alignment = align::align(job.trace, {}, {}, diagnostics);
  REQUIRE(alignment.ok());
  CHECK(alignment->calibrated);
  CHECK(alignment->sources == std::vector<std::string>{"messages"});
  CHECK(std::abs(alignment->nodes[1].host.map(1'000'000'000'000 + kAhead) - 1'000'000'000'000) < 1'000'000);
}
