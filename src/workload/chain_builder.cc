#include "workload/chain_builder.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace orrery::workload {

std::uint64_t ChainBuilder::add(Activity activity) {
  activity.id = next_id();
  builder_.add(activity);
  return activity.id;
}

std::uint64_t ChainBuilder::append(const Activity& activity, bool joins) {
  const std::uint64_t id = add(activity);
  if (chain_) depend(*chain_);
  if (joins) chain_ = id;
  return id;
}

void ChainBuilder::depend(std::uint64_t on, Dependency type) {
  if (on >= first_id_) return builder_.depend(on, type);
  // An earlier window's program is gone: the engine remembers when its activities ended.
  carried_.push_back({on, static_cast<std::uint32_t>(builder_.size() - 1), type});
}

Result<Window> ChainBuilder::window() && {
  Result<Program> program = std::move(builder_).build();
  if (!program) return std::move(program.error());
  return Window{std::make_shared<Program>(std::move(*program)), std::move(carried_)};
}

std::vector<PipelineTurn> one_forward_one_backward(std::uint32_t passes, std::uint32_t ahead) {
  const std::uint32_t warm_up = std::min(passes, ahead);
  std::vector<PipelineTurn> turns;
  turns.reserve(std::size_t{2} * passes);
  for (std::uint32_t i = 0; i < warm_up; ++i) turns.push_back({true, i});
  for (std::uint32_t i = warm_up; i < passes; ++i) {
    turns.push_back({true, i});
    turns.push_back({false, i - warm_up});
  }
  for (std::uint32_t i = passes - warm_up; i < passes; ++i) turns.push_back({false, i});
  return turns;
}

}  // namespace orrery::workload
