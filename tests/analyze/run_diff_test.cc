// What changed between two runs.
#include "analyze/diff/run_diff.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <rapidcheck.h>

#include <map>
#include <random>

#include "analyze/random_job.h"
#include "analyze/small_job.h"

using namespace orrery;
using namespace orrery::analyze;
using analyze::testing::RandomProgram;
using analyze::testing::SmallJob;
using causal::EdgeKind;

namespace {

ComparedRun run_of(causal::CausalGraph job, PieceClasses& classes) {
  ComparedRun run{.steps = {job.label}, .spans = {job.span}, .interval = std::nullopt, .step = std::move(job)};
  run.times = class_step_times(run.step, classes_of(run.step, classes));
  return run;
}

RunDiff diff_of(causal::CausalGraph a, causal::CausalGraph b) {
  PieceClasses classes;
  const ComparedRun run_a = run_of(std::move(a), classes), run_b = run_of(std::move(b), classes);
  return compare_runs(run_a, run_b, classes);
}

void require_sums(const RunDiff& diff) {
  TimePs sum = diff.structure;
  for (const ChangeCause& cause : diff.causes) {
    sum += cause.contribution;
    TimePs ranks = 0;
    for (const ChangeCause::OfRank& rank : cause.ranks) ranks += rank.contribution;
    RC_ASSERT(ranks == cause.contribution);
  }
  RC_ASSERT(sum == diff.change);
}

/// Only what contributes: "kernel dropout new +6".
std::vector<std::string> causes_of(const RunDiff& diff) {
  std::vector<std::string> rows;
  for (const ChangeCause& cause : diff.causes) {
    if (cause.contribution != 0)
      rows.push_back(fmt::format("{} {} {} {:+}", identifier(cause.kind), cause.name, to_string(cause.status),
                                 cause.contribution));
  }
  return rows;
}
using Rows = std::vector<std::string>;

/// The same program with other times, and now and then with work more or less.
RandomProgram changed(RandomProgram program, std::uint64_t seed, bool other_work) {
  std::mt19937_64 random(seed);
  for (RandomProgram::Event& event : program.events) {
    for (std::size_t m = 0; m < event.members.size(); ++m) {
      if (random() % 2 == 0) event.before[m] = static_cast<TimePs>(random() % 10'000'000);
      if (random() % 2 == 0) event.beside[m] = static_cast<TimePs>(random() % 10'000'000);
      if (random() % 2 == 0) event.transfer[m] = static_cast<TimePs>(random() % 3'000'000);
      if (other_work && random() % 3 == 0) event.before_name[m] = static_cast<std::uint32_t>(random() % 6);
    }
  }
  return program;
}

}  // namespace

TEST_CASE("a run compared with itself: nothing adds anything") {
  CHECK(rc::check([] {
    const RandomProgram program(*rc::gen::arbitrary<std::uint64_t>());
    const RunDiff diff = diff_of(program.make(program.as_they_are()), program.make(program.as_they_are()));
    RC_ASSERT(diff.change == 0);
    RC_ASSERT(diff.structure == 0);
    for (const ChangeCause& cause : diff.causes) {
      RC_ASSERT(cause.contribution == 0);
      RC_ASSERT(cause.status == ChangeStatus::same);
      RC_ASSERT(cause.ranks.empty());
    }
  }));
}

TEST_CASE("b against a is a against b with the other sign, to the picosecond") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const RandomProgram program(seed), other = changed(program, seed + 1, true);
    const RunDiff forth = diff_of(program.make(program.as_they_are()), other.make(other.as_they_are()));
    const RunDiff back = diff_of(other.make(other.as_they_are()), program.make(program.as_they_are()));
    require_sums(forth);
    require_sums(back);
    RC_ASSERT(forth.structure == -back.structure);
    std::map<std::pair<EdgeKind, std::string>, std::map<std::int64_t, TimePs>> all;
    for (const ChangeCause& cause : forth.causes) {
      for (const auto& rank : cause.ranks) all[{cause.kind, cause.name}][rank.rank] += rank.contribution;
    }
    for (const ChangeCause& cause : back.causes) {
      for (const auto& rank : cause.ranks) all[{cause.kind, cause.name}][rank.rank] += rank.contribution;
    }
    for (const auto& [key, ranks] : all) {
      for (const auto& [rank, sum] : ranks) RC_ASSERT(sum == 0);
    }
  }));
}

TEST_CASE("the same work with other times is explained by its times alone") {
  CHECK(rc::check([] {
    const auto seed = *rc::gen::arbitrary<std::uint64_t>();
    const RandomProgram program(seed), other = changed(program, seed + 1, false);
    const RunDiff diff = diff_of(program.make(program.as_they_are()), other.make(other.as_they_are()));
    require_sums(diff);
    RC_ASSERT(diff.structure == 0);
  }));
}

TEST_CASE("what is slower counts while it is on the path, and what is hidden does not count") {
  const auto job = [](TimePs kernel, TimePs host) {
    SmallJob small(1);
    small.work(0, "prepare", 10);
    const auto end = small.kernel(0, 7, "gemm", kernel);
    small.work(0, "think", host);
    small.need(0, end);
    return small.make();
  };
  // 10 + launch 1 + 30 against 10 + 25: the device holds the step, and thinking 5 longer is hidden.
  CHECK(causes_of(diff_of(job(30, 20), job(34, 25))) == Rows{"kernel gemm slower +4"});
  // On the way from 31 against 21 to 31 against 41 the host takes over half way: it adds 10 of the 20 it grows by.
  CHECK(causes_of(diff_of(job(30, 21), job(30, 41))) == Rows{"cpu_operator think slower +10"});
}

TEST_CASE("new work grows behind the work before it, with the gap before it") {
  const auto job = [](bool with_dropout) {
    SmallJob small(1);
    small.work(0, "prepare", 10);
    small.kernel(0, 7, "gemm", 30);
    if (with_dropout) small.kernel(0, 7, "dropout", 6);
    small.need(0, small.kernel(0, 7, "gemm", 30));
    return small.make();
  };
  const RunDiff diff = diff_of(job(false), job(true));
  CHECK(diff.change == 7);
  CHECK(causes_of(diff) == Rows{"kernel dropout new +6", "kernel_gap  slower +1"});
  CHECK(diff.structure == 0);
  CHECK(causes_of(diff_of(job(true), job(false))) == Rows{"kernel dropout removed -6", "kernel_gap  faster -1"});
}

TEST_CASE("new work behind a wait delays what comes after the wait") {
  const auto job = [](bool with_log) {
    SmallJob small(1);
    const auto end = small.kernel(0, 7, "gemm", 30);
    small.work(0, "think", 5);
    small.need(0, end);
    small.work(0, "check", 2);
    if (with_log) small.work(0, "log", 9);
    small.work(0, "finish", 3);
    return small.make();
  };
  const RunDiff diff = diff_of(job(false), job(true));
  CHECK(causes_of(diff) == Rows{"cpu_operator log new +9"});
  CHECK(diff.structure == 0);
}

TEST_CASE("work that was there before anything else of its lane grows in front of it") {
  const auto job = [](bool with_load) {
    SmallJob small(1);
    if (with_load) small.work(0, "load", 9);
    small.work(0, "think", 5);
    return small.make();
  };
  CHECK(causes_of(diff_of(job(false), job(true))) == Rows{"cpu_operator load new +9"});
  CHECK(causes_of(diff_of(job(true), job(false))) == Rows{"cpu_operator load removed -9"});
}

TEST_CASE("a stream that only one run has cannot be explained by its pieces alone: half of it is structure") {
  const auto job = [](bool beside) {
    SmallJob small(1);
    small.work(0, "think", 5);
    if (beside) small.need(0, small.kernel(0, 9, "copy", 10));
    return small.make();
  };
  const RunDiff diff = diff_of(job(false), job(true));
  CHECK(diff.change == 11);
  // On the graph of A there is nowhere for it to grow; on that of B it goes, and the delay of its launch.
  CHECK(causes_of(diff) == Rows{"kernel copy new +5"});
  CHECK(diff.structure == 6);
}

TEST_CASE("streams are paired by their first launch, whatever their numbers are") {
  const auto job = [](std::uint32_t first, std::uint32_t second, TimePs copy) {
    SmallJob small(1);
    const auto gemm = small.kernel(0, first, "gemm", 30);
    small.work(0, "think", 1);
    const auto end = small.kernel(0, second, "copy", copy);
    small.need(0, gemm);
    small.need(0, end);
    return small.make();
  };
  const RunDiff diff = diff_of(job(7, 20, 40), job(31, 8, 45));
  CHECK(causes_of(diff) == Rows{"kernel copy slower +5"});
  CHECK(diff.structure == 0);
}

TEST_CASE("a new stream that is used first does not shift the others") {
  const auto job = [](bool with_copies, TimePs gemm) {
    SmallJob small(1);
    if (with_copies) small.kernel(0, 3, "copy", 2);
    for (int i = 0; i < 3; ++i) small.kernel(0, 7, "gemm", gemm);
    small.need(0, small.kernel(0, 7, "norm", 5));
    return small.make();
  };
  const RunDiff diff = diff_of(job(false, 30), job(true, 34));
  CHECK(causes_of(diff) == Rows{"kernel gemm slower +12"});
  CHECK(diff.structure == 0);
}

TEST_CASE("a delay of one rank that others wait for is that rank's") {
  const auto job = [](TimePs sleep) {
    SmallJob small(3);
    for (std::uint32_t r = 0; r < 3; ++r) small.work(r, "f", 10);
    if (sleep > 0) small.work(1, "sleep", sleep, EdgeKind::cpu_untraced);
    for (std::uint32_t r = 0; r < 3; ++r) small.communicate(r, "sum");
    for (std::uint32_t r = 0; r < 3; ++r) small.work(r, "g", 5);
    return small.make();
  };
  const RunDiff diff = diff_of(job(0), job(7));
  CHECK(causes_of(diff) == Rows{"cpu_untraced sleep new +7"});
  REQUIRE(diff.causes.front().ranks.size() == 1);
  CHECK(diff.causes.front().ranks.front().rank == 1);
}

TEST_CASE("one rank against another rank: they are compared whatever they are called") {
  const auto job = [](TimePs time, std::int64_t rank) {
    SmallJob small(1);
    small.work(0, "f", time);
    causal::CausalGraph made = small.make();
    made.ranks.front().rank = rank;
    return made;
  };
  const RunDiff diff = diff_of(job(10, 0), job(12, 5));
  CHECK(causes_of(diff) == Rows{"cpu_operator f slower +2"});
  CHECK(diff.structure == 0);
}

TEST_CASE("whole picoseconds: thirds are given to those with the largest remainder, and the sum stays") {
  // Three ranks, of which each in turn is the longest: corners at thirds.
  const auto job = [](std::vector<TimePs> times) {
    SmallJob small(3);
    for (std::uint32_t r = 0; r < 3; ++r) small.work(r, "f" + std::to_string(r), times[r]);
    return small.make();
  };
  const RunDiff diff = diff_of(job({100, 95, 80}), job({100, 107, 110}));
  require_sums(diff);
  CHECK(diff.change == 10);
  CHECK(diff.structure == 0);
}

TEST_CASE("the time of a class in each step") {
  SmallJob small(2);
  for (const TimePs time : {10, 20}) {
    for (std::uint32_t r = 0; r < 2; ++r) {
      small.step(r);
      small.work(r, "f", time);
      small.need(r, small.kernel(r, 7, "k", time / 2));
    }
  }
  const causal::CausalGraph job = small.make();
  PieceClasses classes;
  const auto times = class_step_times(job, classes_of(job, classes));
  CHECK(times[classes.number(EdgeKind::cpu_operator, "f")] == std::vector<TimePs>{20, 40});
  CHECK(times[classes.number(EdgeKind::kernel, "k")] == std::vector<TimePs>{10, 20});
}

TEST_CASE("kernels with names of their own are aligned by their operators") {
  const auto diff_of_kernels = [](const std::string& of_a, const std::string& of_b, const std::string& operator_of_b) {
    PieceClasses classes;
    const auto run = [&](const std::string& gemm, TimePs time, const std::string& op) {
      SmallJob small(1);
      small.work(0, "f", 1);
      small.need(0, small.kernel(0, 7, gemm, time));
      small.need(0, small.kernel(0, 7, "relu", 2));
      ComparedRun made = run_of(small.make(), classes);
      made.operators.texts.push_back(op);
      made.operators.of_owner.assign(made.step.owners.size(), 1);
      made.times = class_step_times(made.step, classes_of(made.step, classes, &made.operators));
      return made;
    };
    const ComparedRun a = run(of_a, 10, "linear [[2]]"), b = run(of_b, 17, operator_of_b);
    const RunDiff diff = compare_runs(a, b, classes);
    require_sums(diff);
    return causes_of(diff);
  };
  CHECK(diff_of_kernels("nvjet", "Cijk", "linear [[2]]") == Rows{"kernel linear [[2]] slower +7"});
  // A name that both have stays; so do names of work whose operator only one has.
  CHECK(diff_of_kernels("nvjet", "nvjet", "linear [[2]]") == Rows{"kernel nvjet slower +7"});
  CHECK(diff_of_kernels("nvjet", "Cijk", "linear [[3]]") == Rows{"kernel Cijk new +17", "kernel nvjet removed -10"});
}

TEST_CASE("verdicts") {
  PieceClasses classes;
  SmallJob small(1);
  small.work(0, "f", 1000);
  const auto run = [&](std::vector<TimePs> spans) {
    ComparedRun made{.steps = std::vector<std::string>(spans.size(), "step"),
                     .spans = std::move(spans),
                     .interval = std::nullopt,
                     .step = small.make()};
    made.median = lower_median_place(made.spans);
    return made;
  };
  const ComparedRun a = run({1000, 1001, 1002, 1003}), b = run({1100, 1101, 1102, 1103}), one = run({2000});
  CHECK(std::string(compare_runs(a, b, classes).verdict()) == "slower");
  CHECK(std::string(compare_runs(b, a, classes).verdict()) == "faster");
  CHECK(std::string(compare_runs(a, a, classes).verdict()) == "no significant change");
  CHECK(std::string(compare_runs(a, one, classes).verdict()) == "too few steps to tell");
}
