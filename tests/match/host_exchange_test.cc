// Exchanges of hosts: matched without sequence numbers, and held to happens-before.
#include <doctest/doctest.h>

#include <algorithm>

#include "align/causality.h"
#include "match/exchange_finder.h"
#include "match/host_job.h"

using namespace orrery;
using namespace orrery::match;
using namespace orrery::match::test;

namespace {

align::CausalityReport causality_of(const Exchanges& exchanges) {
  return align::check_causality(exchanges, recorded_times(exchanges));
}

trace::Trace recorded(const std::vector<std::string>& files) {
  std::vector<std::string> paths;
  for (const std::string& file : files) paths.push_back(std::string(ORRERY_SOURCE_DIR) + "/data/" + file);
  Diagnostics diagnostics;
  Result<trace::Trace> job = kineto::read_job(paths, diagnostics);
  REQUIRE(job.ok());
  return std::move(*job);
}

std::vector<std::string> ranks_of(const std::string& prefix, int count) {
  std::vector<std::string> files;
  for (int r = 0; r < count; ++r) files.push_back(prefix + std::to_string(r) + ".kineto.json.gz");
  return files;
}

}  // namespace

TEST_CASE("a message begins when it is asked for: its own interval begins after it was sent") {
  const HostCall send{.call = "c10d::send",
                      .work = "gloo:send",
                      .thread = 1,
                      .asked = 0,
                      .start = 30,
                      .end = 40,
                      .inputs = R"("", "", "1", "0")"};
  HostCall receive{.call = "c10d::recv_",
                   .work = "gloo:recv",
                   .thread = 1,
                   .asked = 0,
                   .start = 5,
                   .end = 20,
                   .inputs = R"("", "", "0", "0")"};
  CHECK(causality_of(find_exchanges(host_job({{{send}}, {{receive}}}))).violated == 0);
  HostCall late = send;
  late.asked = 25, late.start = 26;
  CHECK(causality_of(find_exchanges(host_job({{{late}}, {{receive}}}))).violated == 1);
}

TEST_CASE("messages of one pair of ranks are told apart by their tags") {
  const auto message = [](std::string_view what, std::int64_t at, std::string_view inputs) {
    return HostCall{.call = what == "send" ? "c10d::send" : "c10d::recv_",
                    .work = what == "send" ? "gloo:send" : "gloo:recv",
                    .thread = 1,
                    .asked = at,
                    .start = at + 1,
                    .end = at + 9,
                    .inputs = inputs};
  };
  const trace::Trace job =
      host_job({{{message("send", 0, R"("", "", "1", "5")"), message("send", 20, R"("", "", "1", "6")")}},
                {{message("recv", 0, R"("", "", "0", "6")"), message("recv", 20, R"("", "", "0", "5")")}}});
  const Exchanges exchanges = find_exchanges(job);
  REQUIRE(exchanges.all.size() == 2);
  for (const Exchange& exchange : exchanges.all) {
    const trace::RankTrace &from = job.ranks[0], &to = job.ranks[1];
    CHECK(from.field(trace::Field::tag).find(exchanges.parts[exchange.first].call) ==
          to.field(trace::Field::tag).find(exchanges.parts[exchange.first + 1].call));
  }
}

TEST_CASE("an exchange knows its group, its root and its sizes") {
  const std::string groups = group_json("0", {1, 0});  // the root is by its place in the group
  const HostCall call{.call = "c10d::broadcast_",
                      .work = "gloo:broadcast",
                      .asked = 0,
                      .start = 5,
                      .end = 20,
                      .inputs = R"("", "", "0", "0")"};
  HostCall later = call;
  later.start = 7;
  const trace::Trace job = host_job({{{call}, groups}, {{later}, groups}});
  const Exchanges exchanges = find_exchanges(job);
  REQUIRE(exchanges.all.size() == 1);
  const Exchange& exchange = exchanges.all[0];
  CHECK(exchange.ordering == Ordering::root_first);
  CHECK(exchanges.parts[exchange.root].node == 1);
  CHECK(bytes_of(job, exchanges.parts[exchange.first]) == 16);
  CHECK(exchanges.groups[exchanges.operations[exchange.operation].members].ranks == std::vector<std::int64_t>{1, 0});
}

TEST_CASE("one name for different members is two groups, and that is said") {
  const HostCall call{.asked = 0, .start = 5, .end = 20};
  const HostRank first{{call}, group_json("tp", {0, 1})}, second{{call}, group_json("tp", {2, 3})};
  const Exchanges exchanges = find_exchanges(host_job({first, first, second, second}));
  CHECK(exchanges.all.size() == 2);
  CHECK(exchanges.reused_group_names == std::vector<std::string>{"tp"});
}

TEST_CASE("recorded jobs are matched completely, and without a violation: their ranks share one clock") {
  struct RecordedJob {
    std::vector<std::string> files;
    std::size_t collectives, messages;
  };
  const RecordedJob jobs[] = {
      {ranks_of("jobs/tree6_base/rank", 6), 6 * 3, 0},  // broadcast, reduce and barrier, six steps
      {ranks_of("jobs/tpdp8_base/rank", 8), 6 * (4 * 4 + 2),
       0},  // four in each of four pairs, one in each of two columns
      {ranks_of("jobs/calls_and_sizes4/rank", 4), 4 * 11, 0},
      {ranks_of("ddp4.rank", 4), 16, 0},
      {ranks_of("calls4.rank", 4), 12 + 2, 14}};  // two of them in a pair
  for (const RecordedJob& recording : jobs) {
    CAPTURE(recording.files[0]);
    trace::Trace job = recorded(recording.files);
    const Exchanges exchanges = find_exchanges(job);
    const align::CausalityReport report = causality_of(exchanges);
    CHECK(report.checked - report.messages == recording.collectives);
    CHECK(report.messages == recording.messages);
    CHECK(report.violated == 0);
    CHECK(exchanges.unmatched + exchanges.messages_unmatched + exchanges.ambiguous + exchanges.groups_unclear == 0);

    for (TimePs& start : job.ranks.back().start) start += 500'000 * kPsPerUs;
    const Exchanges shifted = find_exchanges(job);
    CHECK(shifted.all.size() == exchanges.all.size());
    CHECK(causality_of(shifted).violated > recording.collectives / 10);
  }
}
