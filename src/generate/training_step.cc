#include "generate/training_step.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "generate/pattern_workload.h"
#include "graph/graph.h"
#include "workload/chain_builder.h"

namespace orrery::generate {
namespace {

using workload::ActivityKind;
using workload::Dependency;

constexpr std::uint32_t kMostLayers = 1u << 20;

Status check(const TrainingStep& step) {
  const std::uint64_t ranks = std::uint64_t{step.data_parallel} * step.tensor_parallel;
  if (ranks < 1 || ranks > kMaxRanks)
    return Error{fmt::format("{} x {} ranks", step.data_parallel, step.tensor_parallel)};
  if (step.layers < 1 || step.layers > kMostLayers) return Error{fmt::format("{} layers", step.layers)};
  for (const TimePs time : {step.forward_ps, step.backward_ps, step.optimizer_ps}) {
    if (time < 0 || time > graph::kMaxWeightPs) return Error{fmt::format("a duration of {} ps", time)};
  }
  for (const std::int64_t bytes : {step.gradient_bytes, step.bucket_bytes, step.activation_bytes}) {
    if (bytes < 0 || bytes > (std::int64_t{1} << 40)) return Error{fmt::format("a size of {} bytes", bytes)};
  }
  return {};
}

/// The program of one rank.
class RankStep {
 public:
  RankStep(const TrainingStep& step, Interner& strings, StringId tensor_group, StringId data_group)
      : step_(step), strings_(strings), tensor_group_(tensor_group), data_group_(data_group) {}

  Result<workload::Program> build() && {
    for (std::uint32_t layer = 0; layer < step_.layers; ++layer) run_layer("forward", layer, step_.forward_ps);
    for (std::uint32_t layer = step_.layers; layer-- > 0;) {
      run_layer("backward", layer, step_.backward_ps);
      pending_bytes_ += step_.gradient_bytes;
      // The last layer's bucket goes, however little is in it.
      if (pending_bytes_ >= step_.bucket_bytes || layer == 0) reduce_bucket();
    }
    if (step_.optimizer_ps > 0) {
      compute("optimizer", step_.optimizer_ps);
      if (last_bucket_) chain_.depend(*last_bucket_);
    }
    return std::move(chain_).program();
  }

 private:
  void compute(std::string_view name, TimePs duration) {
    chain_.append({.name = strings_.intern(name), .kind = ActivityKind::compute, .duration_ps = duration});
  }

  workload::Activity all_reduce(std::string_view name, std::int64_t bytes, StringId group) {
    return {.name = strings_.intern(name),
            .kind = ActivityKind::collective,
            .flags = workload::activity::kHasBytes,
            .bytes = bytes,
            .collective = workload::Collective::all_reduce,
            .group_name = group};
  }

  void run_layer(std::string_view direction, std::uint32_t layer, TimePs duration) {
    compute(fmt::format("{}_{}", direction, layer), duration);
    last_compute_ = *chain_.chain();
    if (step_.tensor_parallel > 1)
      chain_.append(
          all_reduce(fmt::format("{}_{}_activations", direction, layer), step_.activation_bytes, tensor_group_));
  }

  /// Beside the chain of computes: nothing but the next bucket and the optimizer waits for it.
  void reduce_bucket() {
    const std::int64_t bytes = std::exchange(pending_bytes_, 0);
    if (step_.data_parallel < 2 || bytes == 0) return;
    // Gradients are there once the layer is computed, whatever its activations still wait for.
    const std::uint64_t bucket = chain_.add(all_reduce(fmt::format("gradients_{}", buckets_++), bytes, data_group_));
    chain_.depend(last_compute_);
    if (last_bucket_) chain_.depend(*last_bucket_, Dependency::control);
    last_bucket_ = bucket;
  }

  const TrainingStep& step_;
  Interner& strings_;
  StringId tensor_group_, data_group_;
  workload::ChainBuilder chain_;
  std::optional<std::uint64_t> last_bucket_;  // what the next bucket waits for
  std::uint64_t last_compute_ = 0;
  std::int64_t pending_bytes_ = 0;
  std::uint32_t buckets_ = 0;
};

/// `count` groups of `size` ranks: first, first + stride, ...; returns their names. None if one group is the world.
std::vector<StringId> add_groups(workload::Workload& workload, std::uint32_t count, std::uint32_t size,
                                 std::uint32_t first_step, std::uint32_t stride) {
  std::vector<StringId> names(count, 0);
  if (count < 2 || size < 2) return names;
  for (std::uint32_t g = 0; g < count; ++g) {
    workload::CommGroup group{workload.strings.intern(std::to_string(workload.groups.size() + 1)), {}};
    for (std::uint32_t i = 0; i < size; ++i) group.ranks.push_back(g * first_step + i * stride);
    names[g] = group.name;
    workload.groups.push_back(std::move(group));
  }
  return names;
}

}  // namespace

Result<workload::Workload> training_step(const TrainingStep& step) {
  if (const Status checked = check(step); !checked) return checked.error();
  workload::Workload workload;
  const std::uint32_t tensor = step.tensor_parallel, data = step.data_parallel;
  const std::vector<StringId> tensor_groups = add_groups(workload, data, tensor, tensor, 1);
  const std::vector<StringId> data_groups = add_groups(workload, tensor, data, 1, tensor);
  const std::uint32_t programs = tensor == 1 ? 1 : data * tensor;
  for (std::uint32_t rank = 0; rank < programs; ++rank) {
    Result<workload::Program> program =
        RankStep(step, workload.strings, tensor_groups[rank / tensor], data_groups[rank % tensor]).build();
    if (!program) return std::move(program.error());
    workload.programs.push_back(std::move(*program));
  }
  for (std::uint32_t rank = 0; rank < data * tensor; ++rank)
    workload.program_of_rank.push_back(programs == 1 ? 0 : rank);
  return workload;
}

}  // namespace orrery::generate
