#include "workload/chain_builder.h"

#include <doctest/doctest.h>

#include <string>

using namespace orrery;
using namespace orrery::workload;

namespace {

/// "0:- 1:0 2:1": every activity with the ids that it waits for.
std::string waits(const Program& program) {
  std::string all;
  for (std::size_t i = 0; i < program.size(); ++i) {
    all += (all.empty() ? "" : " ") + std::to_string(program.ids[i]) + ":";
    std::string on;
    for (const graph::Slot slot : program.dependencies.incoming(static_cast<graph::NodeId>(i)))
      on += (on.empty() ? "" : ",") + std::to_string(program.ids[program.dependencies.source(slot)]);
    all += on.empty() ? "-" : on;
  }
  return all;
}

std::string text(const std::vector<PipelineTurn>& turns) {
  std::string all;
  for (const PipelineTurn& turn : turns) all += (turn.is_forward ? 'F' : 'B') + std::to_string(turn.number);
  return all;
}

}  // namespace

TEST_CASE("activities follow one another; what runs beside leaves the end of the chain where it was") {
  ChainBuilder chain;
  const Activity compute{.kind = ActivityKind::compute};
  chain.append(compute);
  const std::uint64_t beside = chain.append(compute, false);
  chain.append(compute);
  chain.append(compute);
  chain.depend(beside);
  CHECK(chain.chain() == 3);
  const Result<Program> program = std::move(chain).program();
  REQUIRE(program.ok());
  CHECK(waits(*program) == "0:- 1:0 2:0 3:2,1");
}

TEST_CASE("a later window goes on after the end of an earlier one") {
  ChainBuilder chain(10, 7);
  const Activity compute{.kind = ActivityKind::compute};
  CHECK(chain.append(compute) == 10);
  CHECK(chain.append(compute) == 11);
  chain.depend(3, Dependency::control);
  CHECK(chain.next_id() == 12);
  const Result<Window> window = std::move(chain).window();
  REQUIRE(window.ok());
  CHECK(waits(*window->program) == "10:- 11:10");
  REQUIRE(window->carried.size() == 2);
  CHECK(window->carried[0].source == 7);
  CHECK(window->carried[0].target == 0);
  CHECK(window->carried[1].source == 3);
  CHECK(window->carried[1].target == 1);
}

TEST_CASE("one forward and one backward pass in turn, after those that fill the pipeline") {
  CHECK(text(one_forward_one_backward(4, 2)) == "F0F1F2B0F3B1B2B3");
  CHECK(text(one_forward_one_backward(3, 0)) == "F0B0F1B1F2B2");
  CHECK(text(one_forward_one_backward(2, 5)) == "F0F1B0B1");
}
