#include "generate/pattern_workload.h"

#include <utility>

#include "graph/program_builder.h"

namespace orrery::generate {
namespace {

using graph::ActivityKind;
using graph::MessagePattern;
namespace activity = graph::activity;

Result<graph::Program> program_of(const MessagePattern& pattern) {
  graph::ProgramBuilder builder;
  for (const MessagePattern::Step& step : pattern.steps()) {
    builder.add({.id = builder.size(),
                 .kind = step.is_send ? ActivityKind::send : ActivityKind::recv,
                 .flags = activity::kHasBytes | activity::kHasPeer | activity::kHasTag,
                 .bytes = step.bytes,
                 .peer = static_cast<std::int32_t>(step.peer)});
    for (const MessagePattern::StepId on : pattern.after(step)) builder.depend(on, graph::Dependency::data);
  }
  return std::move(builder).build();
}

}  // namespace

Result<graph::Workload> pattern_workload(std::uint32_t ranks, const std::function<void(MessagePattern&, std::uint32_t rank)>& append) {
  graph::Workload workload;
  MessagePattern pattern;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    pattern.clear();
    append(pattern, rank);
    Result<graph::Program> program = program_of(pattern);
    if (!program) return std::move(program.error());
    workload.program_of_rank.push_back(rank);
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

}  // namespace orrery::generate
