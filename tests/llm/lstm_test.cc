#include <doctest/doctest.h>

#include "llm/shipped.h"
#include "llm/steps/layer_model.h"
#include "llm/steps/layer_schedule.h"
#include "llm/steps/step_memory.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

StepPlan lstm() {
  return {.model = {.name = "LSTM",
                    .layers = 4,
                    .hidden = 512,
                    .heads = 1,
                    .kv_heads = 1,
                    .head_size = 512,
                    .ffn = 512,
                    .vocabulary = 10000},
          .lstm = LstmShape{.input = 256},
          .job = {.sequence = 30, .global_batch = 64, .micro_batch = 16}};
}

std::string broken_field(const StepPlan& plan) {
  const auto found = find_plan_violation(plan);
  return found ? found->field : "";
}

}  // namespace

TEST_CASE("parameters of an LSTM, counted by hand") {
  const StepPlan plan = lstm();
  const auto cell_parameters = [&](std::uint32_t layer) {
    return layer_model(plan, layer).parameters(plan, layer).replicated;
  };
  CHECK(cell_parameters(0) == 4 * 512 * (256 + 512 + 2));
  CHECK(cell_parameters(1) == 4 * 512 * (512 + 512 + 2));
  const double cells = cell_parameters(0) + 3 * cell_parameters(1);
  CHECK(part_parameters(plan, 0).replicated == cells + 10000 * 256 + 10000 * 512);
  CHECK(model_flop(plan) == 64 * 30 * 6.0 * (4 * 512 * (256 + 512) + 3 * 4 * 512 * 1024.0 + 10000 * 512));
}

TEST_CASE("cells run one after the other: time grows with the sequence, not with a batch that is small") {
  const machine::Device& device = shipped_device("a100_80");
  StepPlan plan = lstm();
  const double once = step_times(shipped(), device, plan).layer.cells.forward;
  plan.job.sequence = 60;
  const double longer = step_times(shipped(), device, plan).layer.cells.forward;
  CHECK(longer > 1.7 * once);
  plan = lstm();
  plan.job.micro_batch = 32;
  CHECK(step_times(shipped(), device, plan).layer.cells.forward < 1.3 * once);
  // The first layer reads less.
  CHECK(step_times(shipped(), device, plan).layer.first_cells.forward <
        step_times(shipped(), device, plan).layer.cells.forward);
}

TEST_CASE("schedules of an LSTM have cells, and no attention") {
  const StepPlan plan = lstm();
  const StepTimes times = step_times(shipped(), shipped_device("a100_80"), plan);
  const LayerSchedules schedules(plan, times);
  for (const Pass pass : {Pass::forward, Pass::backward}) {
    const LayerSchedule schedule = schedules.make({.pass = pass});
    std::size_t cells = 0;
    for (const LayerItem& item : schedule) {
      cells += item.name.what == "cells" ? 1 : 0;
      CHECK(item.name.what != "attention");
    }
    CHECK(cells == 4);
  }
}

TEST_CASE("recomputing an LSTM keeps inputs only") {
  StepPlan plan = lstm();
  CHECK(saved_bytes(plan, 1) == 2 * 480 * (512 + 6 * 512.0));
  plan.job.recomputation = Recomputation::full;
  CHECK(saved_bytes(plan, 1) == 2 * 480 * 512.0);
  CHECK(saved_bytes(plan, 0) == 2 * 480 * 256.0);
}

TEST_CASE("an LSTM is divided by layers and by data only") {
  StepPlan plan = lstm();
  CHECK(broken_field(plan) == "");
  plan.job.tensor = 2;
  CHECK(broken_field(plan) == "parallelism.tensor");
  plan = lstm();
  plan.job.pipeline = 5;
  CHECK(broken_field(plan) == "parallelism.pipeline");
  plan = lstm();
  plan.job.recomputation = Recomputation::selective;
  CHECK(broken_field(plan) == "lstm.recompute");
}
