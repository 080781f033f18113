#include "llm/steps/layer_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "llm/kernels/kernel_list.h"

// Items are appended to one chain; what runs beside it is noted and waited for by the next item that needs it. With
// sequence parallelism a half of a layer gathers its tokens, computes and scatters the sum, in parts if that is to
// overlap.

namespace orrery::llm {

RoleNames lay_out(const StepPlan& plan, workload::Workload& workload) {
  RoleNames names{};
  for (std::size_t i = 0; i < kParallelAxes; ++i) {
    const auto axis = static_cast<ParallelAxis>(i);
    names[i] = workload.strings.intern(kParallelAxisNames[i]);
    if (ranks_along(plan, axis) > 1) workload.roles.push_back({names[i], layout_of(plan, axis)});
  }
  for (std::uint32_t s = 0; s < plan.stages(); ++s)
    // Ranks of a stage follow one another.
    workload.program_of_rank.resize(workload.program_of_rank.size() + plan.stage_ranks(), s);
  return names;
}

workload::Activity activity_of(const LayerItem& item, const RoleNames& roles, Interner& strings) {
  workload::Activity activity{.name = strings.intern(to_string(item.name)),
                              .kind = workload::ActivityKind::compute,
                              .duration_ps = item.duration_ps,
                              .lane = kComputeLane};
  if (item.on_host) activity.flags = workload::activity::kOnHost;
  if (!item.is_collective) return activity;
  activity.kind = workload::ActivityKind::collective;
  activity.flags = workload::activity::kHasBytes;
  activity.bytes = item.bytes;
  activity.collective = item.collective;
  activity.group_name = roles[static_cast<std::size_t>(item.axis)];
  activity.lane = lane_of(item.axis);
  return activity;
}

namespace {

using workload::Collective;

}  // namespace

std::string to_string(const ItemName& name) {
  std::string text = name.layer < 0 ? std::string() : fmt::format("layer {}", name.layer);
  for (const std::string_view part : {name.what, name.pass, name.detail}) {
    if (part.empty()) continue;
    if (!text.empty()) text += ' ';
    text += part;
  }
  return text;
}

double LayerWriter::hidden_bytes() const { return kElementBytes * plan_.tokens() * plan_.model.hidden; }

void LayerWriter::compute(const ItemName& label, double seconds) {
  const auto duration = static_cast<TimePs>(std::llround(seconds * 1e12));
  // Work that takes no time is only there to wait.
  if (duration <= 0 && waits_[0] < 0) return;
  schedule_.push_back({.name = label, .waits_for = waits_, .needs_layer = needs_layer_, .duration_ps = duration});
  waits_ = kNobody;
  needs_layer_ = -1;
}

std::int32_t LayerWriter::launch(const ItemName& label, double seconds) {
  const auto duration = static_cast<TimePs>(std::llround(seconds * 1e12));
  if (duration <= 0) return -1;
  schedule_.push_back({.name = label, .on_host = true, .joins = false, .waits_for = waits_, .duration_ps = duration});
  return static_cast<std::int32_t>(schedule_.size()) - 1;
}

std::int32_t LayerWriter::collective(const ItemName& label, Collective kind, ParallelAxis axis, double bytes,
                                     bool joins) {
  const auto size = static_cast<std::int64_t>(std::llround(bytes));
  if (ranks_along(plan_, axis) < 2 || size <= 0) return -1;
  schedule_.push_back(
      {.name = label, .is_collective = true, .joins = joins, .collective = kind, .axis = axis, .bytes = size});
  schedule_.back().waits_for = waits_;
  const auto place = static_cast<std::int32_t>(schedule_.size()) - 1;
  // What runs beside the chain waits like its next item, and leaves it to that one to have waited.
  if (!joins) return place;
  waits_ = kNobody;
  schedule_.back().needs_layer = needs_layer_;
  needs_layer_ = -1;
  return place;
}

std::int32_t LayerWriter::sum_hidden(const ItemName& label, bool joins) {
  const auto kind = plan_.job.sequence_parallel ? Collective::reduce_scatter : Collective::all_reduce;
  return collective(label, kind, ParallelAxis::tensor, hidden_bytes(), joins);
}

void LayerWriter::wait_for(std::int32_t item) {
  if (item < 0) return;
  *std::find(waits_.begin(), waits_.end() - 1, -1) = item;
}

void LayerWriter::settle() {
  if (waits_[0] >= 0) compute({.what = "wait"}, 0);
}

void LayerWriter::half(const ItemName& label, double seconds) {
  if (plan_.job.tensor < 2) return compute(label, seconds);
  if (!plan_.job.sequence_parallel) {
    compute(label, seconds);
    sum_hidden(label.with("sum"));
    return;
  }
  const auto parts = static_cast<std::uint32_t>(plan_.overlap.tensor_parts);
  const double share = 1.0 / parts;
  std::vector<std::int32_t> gathered;
  for (std::uint32_t i = 0; i < parts; ++i) {
    gathered.push_back(collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor,
                                  hidden_bytes() * share / plan_.job.tensor, parts == 1));
  }
  for (std::uint32_t i = 0; i < parts; ++i) {
    if (parts > 1) wait_for(gathered[i]);
    compute(label, seconds * share);
    collective(label.with("sum"), Collective::reduce_scatter, ParallelAxis::tensor, hidden_bytes() * share,
               i + 1 == parts);
  }
}

void LayerWriter::half_backward(const ItemName& label, double seconds, double overlapped) {
  if (plan_.job.tensor < 2) return compute(label, seconds + overlapped);
  std::int32_t tokens = -1;
  if (plan_.job.sequence_parallel) {
    const double share = hidden_bytes() / plan_.job.tensor;
    collective(label.with("gradients"), Collective::all_gather, ParallelAxis::tensor, share);
    if (overlapped > 0)
      tokens = collective(label.with("tokens"), Collective::all_gather, ParallelAxis::tensor, share, false);
  }
  compute(label, seconds);
  const std::int32_t sum = sum_hidden(label.with("sum"), overlapped <= 0);
  if (overlapped <= 0) return;
  wait_for(tokens);
  compute(label.with("weights"), overlapped);
  wait_for(sum);
}

}  // namespace orrery::llm
