#include <doctest/doctest.h>

#include "generate/pipeline_step.h"

using namespace orrery;

TEST_CASE("steps of a pipeline are tied to the steps before them") {
  generate::PipelineStep step;
  step.layers = 2;
  step.microbatches = 2;
  step.steps = 3;
  const auto source = generate::pipeline_source(step);
  REQUIRE(source.ok());
  std::uint64_t activities = 0, windows = 0;
  while (true) {
    const auto window = (*source)->next_window(1);
    REQUIRE(window.ok());
    if (!window->has_value()) break;
    CHECK((*window)->program->ids[0] == activities);
    CHECK((*window)->carried.size() == (windows == 0 ? 0 : 1));
    if (windows > 0) CHECK((*window)->carried[0].source == activities - 1);  // the optimizer
    activities += (*window)->program->size();
    ++windows;
  }
  CHECK(windows == 3);
  CHECK(activities == (*source)->structure(1).length->activities);
}
