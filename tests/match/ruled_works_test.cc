// Works that only rules know: found by their names, and put together over ranks by their order.
#include "match/ruled_works.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "match/communication.h"
#include "match/exchange_finder.h"
#include "support/kineto_lines.h"
#include "trace/names/rules.h"
#include "trace/select_events.h"

namespace orrery::match {
namespace {

std::shared_ptr<const trace::Rules> reduce_rules() {
  std::vector<trace::CommunicationRule> rules(3);
  rules[0] = {.name = "^ours::reduce(?:<(\\d+)>)?", .library = "ours", .kind = "all_reduce", .group_size = "$1"};
  rules[1] = {.name = "^ours::layout", .library = "ours", .role = trace::CommunicationRole::setup};
  rules[2] = {.name = "^ours::send", .library = "ours", .kind = "send_recv"};
  return std::make_shared<const trace::Rules>(std::move(rules), std::vector<trace::StepRule>());
}

/// A rank with `works` reductions on one stream and two on another, evenly spaced: no pattern tells them apart.
std::string reducing_rank(int works, int late, const std::string& name = "ours::reduce") {
  std::string lines;
  for (int i = 0; i < works; ++i)
    lines += "gpu0/7 " + std::to_string(100 * i + late) + " 50 kernel " + name +
             " correlation=" + std::to_string(i + 1) + "\n";
  for (int i = 0; i < 2; ++i) lines += "gpu0/9 " + std::to_string(100 * i + 20 + late) + " 30 kernel " + name + "\n";
  return testing::kineto_json(lines + "gpu0/7 2000 5 kernel ours::layout\ngpu0/7 2010 5 kernel gemm\n");
}

trace::Trace job_of(const testing::TempDir& dir, const std::vector<std::string>& ranks) {
  Diagnostics diagnostics;
  trace::Trace job = testing::read_ranks(dir, ranks, diagnostics);
  job.rules = reduce_rules();
  return job;
}

TEST_CASE("works that a rule knows are one exchange with the n-th of their stream on every rank") {
  const testing::TempDir dir;
  const trace::Trace job = job_of(dir, {reducing_rank(3, 0), reducing_rank(3, 7)});
  CHECK(find_ruled_works(job, job.ranks[0]).size() == 5);
  const Exchanges exchanges = find_exchanges(job);
  REQUIRE(exchanges.all.size() == 5);
  for (const Exchange& exchange : exchanges.all) {
    CHECK(exchange.ordering == Ordering::everybody_waits);
    CHECK(kind_of(job, exchanges.operations[exchange.operation]) == "all_reduce");
    REQUIRE(exchange.count == 2);
    const Participation &a = exchanges.parts[exchange.first], &b = exchanges.parts[exchange.first + 1];
    CHECK(b.start_ps - a.start_ps == 7 * kPsPerUs);
    CHECK(b.node == 1);
  }
}

TEST_CASE("one that is missing may be any of them: nothing is paired by order then") {
  const testing::TempDir dir;
  const trace::Trace job = job_of(dir, {reducing_rank(3, 0), reducing_rank(4, 0)});
  for (const Exchange& exchange : find_exchanges(job).all) CHECK(exchange.by_pattern);
}

TEST_CASE("where the name says how large the group is, neighbours are one") {
  const testing::TempDir dir;
  const std::string name = "ours::reduce<2>";
  const trace::Trace job = job_of(dir, {reducing_rank(3, 0, name), reducing_rank(3, 1, name), reducing_rank(5, 2, name),
                                        reducing_rank(5, 3, name)});
  const Exchanges exchanges = find_exchanges(job);
  CHECK(exchanges.all.size() == 5 + 7);
  for (const Exchange& exchange : exchanges.all) {
    REQUIRE(exchange.count == 2);
    CHECK(exchanges.parts[exchange.first].node / 2 == exchanges.parts[exchange.first + 1].node / 2);
  }
}

TEST_CASE("without rules nothing is found, and what joining needs has them") {
  const testing::TempDir dir;
  trace::Trace job = job_of(dir, {reducing_rank(3, 0), reducing_rank(3, 7)});
  trace::Trace parts;
  parts.rules = job.rules;
  for (trace::RankTrace& rank : job.ranks) {
    const Column<std::uint8_t> kept = communication_events(job, rank);
    rank = trace::select_events(rank, {kept.data(), kept.size()});
  }
  CHECK(find_exchanges(job).all.size() == 5);
  job.rules = nullptr;
  CHECK(find_exchanges(job).all.empty());
}

}  // namespace
}  // namespace orrery::match
