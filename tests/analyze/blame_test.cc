// Who made whom wait, and why.
#include "analyze/blame/blame.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <map>
#include <random>

#include "analyze/random_job.h"
#include "analyze/small_job.h"
#include "base/parallel.h"
#include "graph/edits.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::RandomProgram;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

Blame blamed(const causal::CausalGraph& job) {
  Diagnostics diagnostics;
  return find_blame(job, diagnostics);
}

/// "1 cpu_untraced sleep 3"
std::vector<std::string> causes(const causal::CausalGraph& job, const Blame& blame) {
  std::vector<std::string> rows;
  for (const Cause& cause : blame.causes)
    rows.push_back(fmt::format("{} {} {} {}", job.ranks[cause.rank].rank, identifier(cause.work.kind),
                               job.strings.text(cause.work.name), cause.blame));
  return rows;
}

/// "0 for 1: 3, because of 1: 3"
std::vector<std::string> pairs(const Blame& blame) {
  std::vector<std::string> rows;
  for (const BlamePair& pair : blame.pairs) {
    rows.push_back(fmt::format("{} for {}: {} direct, {} root", pair.waiter,
                               pair.culprit == kNobody ? "nobody" : std::to_string(pair.culprit), pair.direct,
                               pair.root));
  }
  return rows;
}

using Rows = std::vector<std::string>;

void require_sums(const Blame& blame) {
  TimePs direct = 0, root = 0, waits = 0, causes = 0, operations = 0, steps = 0, by_steps = 0;
  for (const BlamePair& pair : blame.pairs) direct += pair.direct, root += pair.root;
  for (const RankBlame& rank : blame.ranks) waits += rank.wait();
  for (const Cause& cause : blame.causes) causes += cause.blame;
  for (const BlamedOperation& row : blame.operations) operations += row.wait;
  for (const TimePs wait : blame.step_wait) steps += wait;
  for (const TimePs wait : blame.steps.all()) by_steps += wait;
  TimePs by_cells = 0;
  for (const TimePs wait : blame.waits.all()) by_cells += wait;
  RC_ASSERT(by_cells == blame.exposed);
  for (std::size_t k = 0; k < blame.waits.steps(); ++k) {
    TimePs of_step = 0;
    for (std::size_t r = 0; r < blame.ranks.size(); ++r) {
      of_step += blame.waits.at(k, r);
      RC_ASSERT(blame.longest_waits[k * blame.ranks.size() + r].time <= blame.waits.at(k, r));
    }
    RC_ASSERT(of_step == blame.step_wait[k]);
  }
  RC_ASSERT(direct == blame.exposed);
  RC_ASSERT(root == blame.exposed);
  RC_ASSERT(waits == blame.exposed);
  RC_ASSERT(operations == blame.exposed);
  RC_ASSERT(steps == blame.exposed);
  RC_ASSERT(causes == blame.exposed - blame.unresolved);
  RC_ASSERT(by_steps == causes);
  RC_ASSERT(blame.exposed <= blame.raw + blame.rank_time());
}

}  // namespace

TEST_CASE("the example: work beside the collective hides a part of the wait") {
  SmallJob small(2);
  small.work(0, "f", 10);
  const auto sum = small.ask(0, "sum");
  small.work(0, "g", 3);
  small.need(0, sum);
  small.work(1, "sleep", 4, EdgeKind::cpu_untraced);
  small.work(1, "f", 10);
  small.communicate(1, "sum");
  const causal::CausalGraph job = small.make();
  const Blame blame = blamed(job);
  CHECK(job.span == 16);
  CHECK(blame.raw == 4);
  CHECK(blame.exposed == 3);
  CHECK(blame.ranks[0].alone == 13);
  CHECK(pairs(blame) == Rows{"0 for 1: 3 direct, 3 root"});
  CHECK(causes(job, blame) == Rows{"1 cpu_untraced sleep 3"});
}

TEST_CASE("a delay that was handed on is found where it arose") {
  // 2 is late for 1, which is therefore late for 0: 0 waits for 1, because of 2.
  SmallJob small(3);
  for (std::uint32_t r = 0; r < 3; ++r) small.work(r, "f", 10);
  small.work(2, "slow", 7, EdgeKind::kernel);
  for (const std::uint32_t r : {1U, 2U}) small.communicate(r, "pair", {.group = "right"});
  for (std::uint32_t r = 0; r < 3; ++r) small.work(r, "g", 5);
  small.work(0, "k", 2);
  for (const std::uint32_t r : {0U, 1U}) small.communicate(r, "other pair", {.group = "left"});
  const causal::CausalGraph job = small.make();
  const Blame blame = blamed(job);
  // 0 arrives at 17, 1 at 10 + 7 + 2 + 5 = 24. What 1 did and 0 did not: slow 7, on 2, and a transfer 2, on 1; the wait
  // of 7 goes to them 5.4 : 1.6.
  CHECK(pairs(blame) == Rows{"0 for 1: 7 direct, 2 root", "0 for 2: 0 direct, 5 root", "1 for 2: 7 direct, 7 root"});
  CHECK(causes(job, blame) == Rows{"2 kernel slow 12", "1 communication gloo:all_reduce 2"});
}

TEST_CASE("what other work hides costs nothing and is nobody's fault") {
  SmallJob small(2);
  small.work(1, "late", 20);
  const auto a = small.ask(0, "sum");
  const auto b = small.ask(1, "sum");
  small.work(0, "beside", 50);
  small.work(1, "beside", 30);
  small.need(0, a);
  small.need(1, b);
  const Blame blame = blamed(small.make());
  CHECK(blame.raw == 20);
  CHECK(blame.exposed == 0);
  CHECK(blame.pairs.empty());
  CHECK(blame.causes.empty());
}

TEST_CASE("a wait that the clocks leave open is counted and blamed on nobody") {
  for (const TimePs uncertainty : {TimePs{1}, TimePs{2}}) {
    SmallJob small(2);
    small.work(1, "late", 4);
    for (std::uint32_t r = 0; r < 2; ++r) small.communicate(r, "sum", {.uncertainty = uncertainty});
    const causal::CausalGraph job = small.make();
    const Blame blame = blamed(job);
    CHECK(blame.exposed == 4);
    CHECK(blame.unresolved == (uncertainty == 2 ? 4 : 0));
    CHECK(pairs(blame) ==
          (uncertainty == 2 ? Rows{"0 for nobody: 4 direct, 4 root"} : Rows{"0 for 1: 4 direct, 4 root"}));
  }
}

TEST_CASE("a culprit that did nothing more than the rival is blamed for the operation") {
  // 0 has its data at once and needs the sum later; 1 sends what 0 waits for, after the same work as 0 does.
  SmallJob small(2);
  for (std::uint32_t r = 0; r < 2; ++r) small.work(r, "f", r == 0 ? 4 : 9);
  small.communicate(0, "first", {.transfer = 5});
  small.communicate(1, "first", {.transfer = 1});
  const causal::CausalGraph job = small.make();
  CHECK(causes(job, blamed(job)) == Rows{"1 cpu_operator f 5"});
}

TEST_CASE("being late for an operation counts with being held in it") {
  // 0 is late for the second sum because it waited in the first beside its work, and waits in the second again: its
  // path alone goes through neither work, so both rises lie on one chain.
  SmallJob small(2);
  const auto first = small.ask(0, "first", {.transfer = 1});
  small.need(0, first);
  small.communicate(0, "second", {.transfer = 1});
  small.work(1, "a", 10);
  small.communicate(1, "first", {.transfer = 1});
  small.work(1, "b", 20);
  small.communicate(1, "second", {.transfer = 1});
  const causal::CausalGraph job = small.make();
  const Blame blame = blamed(job);
  CHECK(blame.exposed == 30);
  CHECK(causes(job, blame) == Rows{"1 cpu_operator b 20", "1 cpu_operator a 10"});
}

TEST_CASE("states say who of the operation was late") {
  const auto state = [](const SmallJob::Collective& collective, std::uint32_t late) {
    SmallJob small(3);
    small.work(late, "late", 9);
    const std::uint32_t members = collective.message ? 2 : 3;
    for (std::uint32_t r = 0; r < members; ++r) small.communicate(r, "c", collective);
    const Blame blame = blamed(small.make());
    return blame.operations.empty() ? "none" : identifier(blame.operations.front().state);
  };
  CHECK(state({}, 1) == std::string("late_arrival"));
  CHECK(state({.what = "broadcast", .root = 1}, 1) == std::string("late_root"));
  CHECK(state({.what = "broadcast", .root = 1}, 2) == std::string("none"));
  CHECK(state({.what = "p2p", .message = true}, 0) == std::string("late_sender"));
  CHECK(state({.what = "p2p", .message = true}, 1) == std::string("none"));
}

TEST_CASE("sums agree to the picosecond, for any number of threads") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    const std::size_t threads = thread_count();
    set_thread_count(1);
    const Blame blame = blamed(job);
    require_sums(blame);
    set_thread_count(2);
    const Blame again = blamed(job);
    set_thread_count(threads);
    RC_ASSERT(pairs(again) == pairs(blame));
    RC_ASSERT(causes(job, again) == causes(job, blame));
  }));
}

TEST_CASE("ranks that are alike wait for nobody") {
  CHECK(rc::check([](std::uint64_t seed) {
    RandomProgram program(seed);
    std::fill(program.begins.begin(), program.begins.end(), 0);
    for (auto& event : program.events) {
      if (!event.new_step) event.members.clear();  // a collective of some makes them unlike the others
      for (auto* times : {&event.before, &event.beside, &event.transfer})
        std::fill(times->begin(), times->end(), times->front());
      for (auto* names : {&event.before_name, &event.beside_name})
        std::fill(names->begin(), names->end(), names->front());
    }
    const Blame blame = blamed(program.make(program.as_they_are()));
    RC_ASSERT(blame.exposed == 0);
    RC_ASSERT(blame.causes.empty());
    RC_ASSERT(blame.slowdown.factor() == 1.0);
  }));
}

TEST_CASE("blame does not change when ranks are renumbered") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    std::vector<std::uint32_t> number = program.as_they_are();
    std::mt19937_64 random(seed ^ 1);
    std::shuffle(number.begin(), number.end(), random);
    const causal::CausalGraph job = program.make(program.as_they_are()), renumbered = program.make(number);
    const Blame blame = blamed(job), other = blamed(renumbered);
    RC_ASSERT(blame.exposed == other.exposed);
    std::map<std::tuple<std::uint32_t, EdgeKind, std::string>, TimePs> causes_of_job, causes_of_other;
    for (const Cause& cause : blame.causes)
      causes_of_job[{number[cause.rank], cause.work.kind, std::string(job.strings.text(cause.work.name))}] +=
          cause.blame;
    for (const Cause& cause : other.causes)
      causes_of_other[{cause.rank, cause.work.kind, std::string(renumbered.strings.text(cause.work.name))}] +=
          cause.blame;
    // Shares are rounded to whole picoseconds, the odd one by rank.
    for (const auto& [key, time] : causes_of_job) RC_ASSERT(std::abs(causes_of_other[key] - time) <= 20);
    for (std::uint32_t r = 0; r < program.ranks; ++r) {
      RC_ASSERT(blame.ranks[r].wait() == other.ranks[number[r]].wait());
      RC_ASSERT(blame.ranks[r].caused_direct == other.ranks[number[r]].caused_direct);
      RC_ASSERT(blame.slowdown.ranks[r]->gain_if_typical == other.slowdown.ranks[number[r]]->gain_if_typical);
    }
  }));
}

TEST_CASE(
    "making the largest cause free saves no more than all of its time, and leaves no waiting that it alone caused") {
  CHECK(rc::check([](std::uint64_t seed) {
    const RandomProgram program(seed);
    const causal::CausalGraph job = program.make(program.as_they_are());
    const Blame blame = blamed(job);
    RC_PRE(!blame.causes.empty());
    const Cause& largest = blame.causes.front();
    graph::Edits edits(job.graph), smaller(job.graph);
    TimePs total = 0;
    for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
      if (job.rank_of(slot) != largest.rank || !(job.class_of(slot) == largest.work)) continue;
      total += job.graph.weight(slot);
      edits.set_weight(slot, 0);
      // What is blamed on the class, spread over its time: removing so much of it cannot save more than removing all.
      smaller.set_weight(slot, std::max<TimePs>(0, job.graph.weight(slot) - largest.blame));
    }
    const TimePs gain_if_free = job.span - graph::solve(edits, job.end).length();
    RC_ASSERT(gain_if_free >= 0);
    RC_ASSERT(gain_if_free <= total);
    RC_ASSERT(job.span - graph::solve(smaller, job.end).length() <= gain_if_free);
  }));
}
