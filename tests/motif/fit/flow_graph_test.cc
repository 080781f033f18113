#include "motif/fit/flow_graph.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "motif/fit/chain_order.h"
#include "motif/fit/programs.h"
#include "motif/flow_text.h"
#include "motif/flow_walk.h"

namespace orrery::motif::fit {
namespace {

using testing::counted;
using Sequence = std::vector<std::uint32_t>;

/// The blocks of a flow, one per line: what a motif file would say.
std::string text_of(const Flow& flow) {
  std::string text;
  for (const BlockText& block : flow_text(flow)) {
    text += block.name + (block.trips ? " x" + *block.trips : "") + (block.content ? ": " + *block.content : "") + "\n";
    for (const StepText& step : block.steps)
      text += "  " + step.after.value_or("entry") + " > " + step.next + " " + step.times + "\n";
  }
  return text;
}

std::vector<ClassRun> runs_of(const std::function<Sequence(int q)>& program) {
  std::vector<ClassRun> runs;
  for (const int q : {2, 3, 4}) runs.push_back(counted({.nodes = static_cast<double>(q * q), .size = 10}, program(q)));
  return runs;
}

TEST_CASE("calls in a row are a sequence") {
  CHECK(text_of(infer_flow(runs_of([](int) { return Sequence{1, 2, 3}; }), SizeMeaning::exponent)) == "main: 1..3\n");
}

TEST_CASE("loops within loops have the trip counts of their laws") {
  const auto program = [](int q) {
    Sequence calls = {1};
    for (int root = 0; root < 8; ++root) {
      calls.push_back(2);
      for (int i = 0; i < q - 1; ++i) calls.insert(calls.end(), {3, 4});
      calls.push_back(5);
    }
    calls.push_back(6);
    return calls;
  };
  CHECK(text_of(infer_flow(runs_of(program), SizeMeaning::exponent)) ==
        "main: 1 loop2 6\nloop2 x8: 2 loop3 5\nloop3 xq - 1: 3 4\n");
}

TEST_CASE("a loop that is left in its middle is unrolled by one") {
  const auto program = [](int q) {
    Sequence calls = {1};
    for (int i = 0; i < q; ++i) calls.insert(calls.end(), {2, 3});
    calls.insert(calls.end(), {2, 4});
    return calls;
  };
  CHECK(text_of(infer_flow(runs_of(program), SizeMeaning::exponent)) == "main: 1 2 loop3 4\nloop3 xq: 3 2\n");
}

TEST_CASE("trips that are a whole number in the mean alone are no loop") {
  const auto program = [](int) {
    Sequence calls;
    for (int root = 0; root < 8; ++root) {
      calls.push_back(1);
      for (int i = 0; i < 1 + 2 * (root % 2); ++i) calls.push_back(2);
    }
    return calls;
  };
  auto runs = runs_of(program);
  CHECK(text_of(infer_flow(runs, SizeMeaning::exponent)).find("block2 > block2 1") != std::string::npos);
  // Without the order of the calls nobody can tell.
  for (ClassRun& run : runs) run.sequence.clear();
  CHECK(text_of(infer_flow(runs, SizeMeaning::exponent)) == "main: loop1\nloop1 x8: 1 loop2\nloop2 x2: 2\n");
}

TEST_CASE("what happens now and then is a fork") {
  const auto program = [](int) {
    Sequence calls;
    for (int i = 0; i < 9; ++i) {
      calls.push_back(1);
      if (i % 4 == 1) calls.push_back(2);
      calls.push_back(3);
    }
    return calls;
  };
  const Flow flow = infer_flow(runs_of(program), SizeMeaning::exponent);
  CHECK(text_of(flow) ==
        "main: loop1\nloop1 x9: 1 choice2 3\nchoice2\n  entry > block2 0.222222\n  entry > end 0.777778\n  block2 > "
        "end 0.222222\nblock2: "
        "2\n");
}

/// Down once or twice, then up three times or, in every eighth root, four; then down once more in every second.
Sequence search(int q, int roots) {
  Sequence calls;
  for (int root = 0; root < roots; ++root) {
    calls.push_back(1);
    for (int i = 0; i <= root % 2; ++i) calls.insert(calls.end(), {2, 3});
    for (int level = 0; level < (root % 8 == 7 ? 4 : 3); ++level) {
      calls.push_back(4);
      for (int i = 0; i < q; ++i) calls.push_back(5);
    }
    if (root % 4 < 2) calls.insert(calls.end(), {2, 3});
    calls.push_back(6);
  }
  return calls;
}

TEST_CASE("a search is a chain whose order is learnt from the sequence") {
  const auto runs = runs_of([](int q) { return search(q, 64); });
  Flow flow = infer_flow(runs, SizeMeaning::exponent);
  const std::string counts = text_of(flow);
  CHECK(counts.find("loop1 x64: 1 choice2 6") != std::string::npos);
  CHECK(counts.find("loop5 xq: 5") != std::string::npos);
  CHECK(counts.find("block4 > block4 2.125") != std::string::npos);

  std::vector<Site> sites = {{.id = 1}, {.id = 2}, {.id = 3}, {.id = 4}, {.id = 5}, {.id = 6}};
  learn_order(runs, SizeMeaning::exponent, flow, sites);
  const std::string ordered = text_of(flow);
  CAPTURE(ordered);
  // After the third level up, and only then, the search ends or goes down again.
  CHECK(ordered.find("block2 block4 > block4 1") != std::string::npos);
  CHECK(ordered.find("block2 block4 block4 > block4 1") != std::string::npos);
  CHECK(ordered.find("block2 block4 block4 block4 > block2 0.5") != std::string::npos);
  CHECK(ordered.find("block2 block4 block4 block4 > end 0.375") != std::string::npos);
  CHECK(ordered.find("block2 block4 block4 block4 > block4 0.125") != std::string::npos);
}

TEST_CASE("what differs from visit to visit is weighed by the visit") {
  std::vector<ClassRun> runs = runs_of([](int q) { return search(q, 64); });
  for (ClassRun& run : runs) {
    int level = 0;
    for (std::size_t i = 0; i < run.sequence.size(); ++i) {
      if (run.sequence[i] == 1) level = 0;
      if (run.sequence[i] == 4) ++level;
      run.sequence_bytes[i] = run.sequence[i] == 5 ? 100.0 * run.run.nodes * (level == 1 ? 6 : level == 2 ? 3 : 0) : 8;
    }
  }
  Flow flow = infer_flow(runs, SizeMeaning::exponent);
  std::vector<Site> sites = {{.id = 4}, {.id = 5}};
  learn_order(runs, SizeMeaning::exponent, flow, sites);
  CHECK(sites[0].level_weights.empty());
  REQUIRE(sites[1].level_weights.size() == 4);
  CHECK(sites[1].level_weights[0] == doctest::Approx(6 / 2.88).epsilon(0.001));
  CHECK(sites[1].level_weights[1] == doctest::Approx(3 / 2.88).epsilon(0.001));
  CHECK(sites[1].level_weights[3] == 0);
}

TEST_CASE("the counts of an inferred flow are those it was inferred from") {
  rc::check([] {
    // Random walks on a small program graph: whatever its shape, counts must come back.
    const int sites = *rc::gen::inRange(2, 7);
    const std::vector<int> choices = *rc::gen::container<std::vector<int>>(
        static_cast<std::size_t>(*rc::gen::inRange(5, 120)), rc::gen::inRange(0, 1000));
    Sequence sequence;
    std::uint32_t at = 1;
    for (const int choice : choices) {
      sequence.push_back(at);
      // Two ways on from each site, fixed per site.
      at = 1 + (at * (choice % 3 == 0 ? 3U : 1U) + (choice % 2)) % static_cast<std::uint32_t>(sites);
    }
    const ClassRun run = counted({.nodes = 4, .size = 10}, sequence);
    const Flow flow = infer_flow({run}, SizeMeaning::exponent);
    const FlowCounts counts =
        count_flow(flow, Scope(run.run, SizeMeaning::exponent), [](std::uint32_t, const Scope&) { return 0.0; });
    for (const auto& [site, bytes] : run.bytes)
      RC_ASSERT(std::abs(counts.sites.at(site).calls - bytes.calls) < 1e-3 * (1 + bytes.calls));
  });
}

}  // namespace
}  // namespace orrery::motif::fit
