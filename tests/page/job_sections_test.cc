// Ranks, communication and changes as HTML: what is in the engine's answers is in the page, and names cannot break it.
#include <doctest/doctest.h>

#include "analyze/small_job.h"
#include "analyze/whatif/recorded_collectives.h"
#include "page/sections/collectives_section.h"
#include "page/sections/diff_section.h"
#include "page/sections/ranks_section.h"

using namespace orrery;
using namespace orrery::page;
using analyze::testing::SmallJob;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

/// The last rank is late for the sum of every step, by 6 us.
causal::CausalGraph late_last(std::uint32_t ranks, std::uint32_t steps, const std::string& group = "world") {
  SmallJob job(ranks);
  for (std::uint32_t k = 0; k < steps; ++k) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      job.step(r);
      job.work(r, "f", (r + 1 == ranks ? 16 : 10) * kPsPerUs);
      job.communicate(r, "sum " + std::to_string(k), {.group = group, .transfer = 2 * kPsPerUs});
    }
  }
  return job.make();
}

Section ranks_of(const causal::CausalGraph& job) {
  Diagnostics diagnostics;
  return ranks_section(job, analyze::find_blame(job, diagnostics, false));
}

}  // namespace

TEST_CASE("a cell per rank and step, with the culprit's event, and sums") {
  const Section section = ranks_of(late_last(3, 2));
  CHECK(section.id == "ranks");
  CHECK(count(section.html, "data-step=") == 6);
  CHECK(count(section.html, "data-rank=\"0\" data-step=\"1\" data-ps=\"6000000\"") == 1);
  CHECK(count(section.html, "data-culprit=\"2\"") == 4);
  CHECK(count(section.html, "data-rank=\"2\" data-step=\"0\" data-ps=\"0\" data-blame-ps=\"12000000\"") == 1);
  CHECK(count(section.html, "data-sum-of-rank=") == 3);
  CHECK(count(section.html, "data-sum-of-step=") == 2);
  CHECK(section.html.find("Rank 2 caused most of it") != std::string::npos);
}

TEST_CASE("many ranks: those that matter, and a picture of all") {
  const Section section = ranks_of(late_last(100, 1));
  CHECK(count(section.html, "data-step=") == 32);
  CHECK(section.html.find("data-rank=\"99\"") != std::string::npos);
  CHECK(count(section.html, "<rect") == 100);
}

TEST_CASE("one rank, or ranks that nothing joins, have no heat map, and it is said why") {
  CHECK(ranks_of(late_last(1, 1)).html.empty());
  SmallJob apart(2);
  apart.work(0, "f", 1);
  apart.work(1, "f", 1);
  const Section section = ranks_of(apart.make());
  CHECK(section.html.empty());
  CHECK(section.why.find("no communication between these ranks") == 0);
}

TEST_CASE("collectives are rows with calls and bandwidth; a group's name is no markup") {
  const auto rows = analyze::recorded_collectives(late_last(3, 2, "<script>alert(1)</script>"));
  const Section section = collectives_section(analyze::recorded_collectives_sheet(rows), "how to read it");
  CHECK(count(section.html, "<tr data-collective=\"all_reduce\" data-calls=\"2\">") == 1);
  CHECK(count(section.html, "data-bus-gbps=") == 2);
  CHECK(section.html.find("<script>") == std::string::npos);
  CHECK(collectives_section(analyze::recorded_collectives_sheet({}), "").html.empty());
}

TEST_CASE("changes: both steps, by kind and by name, what is new and what is gone") {
  const auto run_of = [](const char* name, TimePs time, analyze::PieceClasses& classes) {
    SmallJob job(1);
    job.work(0, "f", 5 * kPsPerUs);
    job.work(0, name, time);
    causal::CausalGraph graph = job.make();
    analyze::ComparedRun run{
        .steps = {graph.label}, .spans = {graph.span}, .interval = std::nullopt, .step = std::move(graph)};
    run.times = analyze::class_step_times(run.step, analyze::classes_of(run.step, classes));
    return run;
  };
  analyze::PieceClasses classes;
  analyze::ComparedRun a = run_of("old", 7 * kPsPerUs, classes), b = run_of("new", 9 * kPsPerUs, classes);
  for (analyze::ComparedRun* const run : {&a, &b}) {
    analyze::OperatorGroup& product = run->device_work.emplace_back();
    product.outer = {"aten::mm", "[[8,8],[8,8]]", ""};
    product.calls = 1, product.time = run == &a ? 7 * kPsPerUs : 9 * kPsPerUs;
    product.kernels.push_back({run == &a ? "old" : "new", 1, product.time});
  }
  const analyze::RunDiff diff = analyze::compare_runs(a, b, classes);
  const Section section = diff_section({a, b, diff, 12 * kPsPerUs, 14 * kPsPerUs, "before", "after"});
  CHECK(section.html.find("<section id=\"diff\" data-before-ps=\"12000000\" data-after-ps=\"14000000\">") == 0);
  CHECK(count(section.html, "data-status=\"new\"") == 1);
  CHECK(count(section.html, "data-status=\"removed\"") == 1);
  CHECK(section.html.find("data-only=\"new\"") < section.html.find("data-only=\"removed\""));
  CHECK(count(section.html, "data-kind=\"cpu_operator\"") >= 2);  // of the kind, and of its names
  CHECK(count(section.html, "By operator") == 1);
  CHECK(count(section.html, "aten::mm") == 1);  // one operator, whatever its kernels are called
}
