#include "llm/steps/sweep_space.h"
#include "llm/steps/layer_model.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace orrery::llm {
namespace {

constexpr std::int64_t kMostTensor = 64, kMostContext = 64, kMostExperts = 1 << 20;
constexpr double kLongSequence = 16384;  // below, context parallelism is not worth its messages

std::vector<std::int64_t> divisors(double number, std::int64_t most) {
  const auto whole = static_cast<std::int64_t>(number);
  std::vector<std::int64_t> list;
  for (std::int64_t i = 1; i <= std::min(most, whole); ++i) {
    if (whole % i == 0) list.push_back(i);
  }
  return list;
}

std::vector<std::int64_t> or_else(const std::vector<std::int64_t>& given, const std::vector<std::int64_t>& usual) {
  return given.empty() ? usual : given;
}

/// One thing to choose: how many values there are, and how a plan gets one.
struct Choice {
  std::size_t values = 0;
  std::function<void(StepPlan& plan, std::size_t value)> set;
};

Choice choice_of(std::vector<std::int64_t> values, double ParallelJob::*field) {
  const std::size_t count = values.size();
  return {count, [values = std::move(values), field](StepPlan& plan, std::size_t i) {
            plan.job.*field = static_cast<double>(values[i]);
          }};
}

std::vector<Choice> choices_of(const StepPlan& base, const SweepSpace& space) {
  const Architecture& m = base.model;
  const std::vector<std::int64_t> none = {1};
  std::vector<Choice> choices;
  choices.push_back(choice_of(or_else(space.tensor, divisors(m.heads, kMostTensor)), &ParallelJob::tensor));
  const bool is_long = base.job.sequence >= kLongSequence;
  choices.push_back(choice_of(or_else(space.context, is_long ? divisors(base.job.sequence, kMostContext) : none),
                              &ParallelJob::context));
  choices.push_back(
      choice_of(or_else(space.pipeline, divisors(base.job.devices, base.layers())), &ParallelJob::pipeline));
  choices.push_back(choice_of(or_else(space.expert, m.experts ? divisors(m.experts->count, kMostExperts) : none),
                              &ParallelJob::expert));
  choices.push_back(choice_of(or_else(space.chunks, {1, 2, 4}), &ParallelJob::interleave));
  choices.push_back(choice_of(or_else(space.micro_batch, {1, 2, 4, 8}), &ParallelJob::micro_batch));
  const std::vector<std::int64_t> zeros = or_else(space.zero, {base.job.zero_stage});
  choices.push_back(
      {zeros.size(), [zeros](StepPlan& plan, std::size_t i) { plan.job.zero_stage = static_cast<int>(zeros[i]); }});
  const std::vector<Recomputation> again =
      space.recompute.empty() ? std::vector{base.job.recomputation} : space.recompute;
  choices.push_back({again.size(), [again](StepPlan& plan, std::size_t i) { plan.job.recomputation = again[i]; }});
  const std::vector<PipelineOrder> orders = space.order.empty() ? std::vector{base.order} : space.order;
  choices.push_back({orders.size(), [orders](StepPlan& plan, std::size_t i) { plan.order = orders[i]; }});
  return choices;
}

/// Not even one copy of the model, one that leaves devices idle, or a choice that has no meaning here: these are no
/// plans at all.
bool is_pointless(const StepPlan& plan) {
  const ParallelJob& job = plan.job;
  const double copy = job.tensor * job.context * job.pipeline;
  if (copy > job.devices || std::fmod(job.devices, copy) != 0) return true;
  const bool plain = plan.order == PipelineOrder::one_f_one_b;
  return (job.pipeline < 2 && (job.interleave > 1 || !plain)) || (job.interleave > 1 && !plain);
}

}  // namespace

SweepPlans sweep_plans(const StepPlan& base, const SweepSpace& space) {
  const std::vector<Choice> choices = choices_of(base, space);
  SweepPlans result;
  std::vector<std::size_t> at(choices.size(), 0);
  while (true) {
    StepPlan plan = base;
    for (std::size_t i = 0; i < choices.size(); ++i) choices[i].set(plan, at[i]);
    if (!is_pointless(plan)) {
      plan.job.data = base.job.devices / (plan.job.tensor * plan.job.context * plan.job.pipeline);
      // Experts under tensor parallelism need it.
      plan.job.sequence_parallel =
          plan.job.tensor > 1 && (base.job.sequence_parallel || base.model.experts.has_value());
      if (const auto violation = find_plan_violation(plan)) ++result.impossible[violation->field];
      else result.plans.push_back(std::move(plan));
    }
    // The last choice varies fastest.
    std::size_t digit = choices.size();
    while (digit > 0 && ++at[digit - 1] == choices[digit - 1].values) at[--digit] = 0;
    if (digit == 0) return result;
  }
}

}  // namespace orrery::llm
