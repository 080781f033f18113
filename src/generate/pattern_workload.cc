#include "generate/pattern_workload.h"

#include <utility>

#include "workload/program_builder.h"

namespace orrery::generate {
namespace {

using workload::ActivityKind;
using workload::MessagePattern;
namespace activity = workload::activity;

Result<workload::Program> program_of(const MessagePattern& pattern) {
  workload::ProgramBuilder builder;
  for (const MessagePattern::Step& step : pattern.steps()) {
    builder.add({.id = builder.size(),
                 .kind = step.is_send ? ActivityKind::send : ActivityKind::recv,
                 .flags = activity::kHasBytes | activity::kHasPeer | activity::kHasTag,
                 .bytes = step.bytes,
                 .peer = static_cast<std::int32_t>(step.peer)});
    for (const MessagePattern::StepId on : pattern.after(step)) builder.depend(on, workload::Dependency::data);
  }
  return std::move(builder).build();
}

}  // namespace

Result<workload::Workload> pattern_workload(std::uint32_t ranks,
                                            const std::function<void(MessagePattern&, std::uint32_t rank)>& append) {
  workload::Workload workload;
  MessagePattern pattern;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    pattern.clear();
    append(pattern, rank);
    Result<workload::Program> program = program_of(pattern);
    if (!program) return std::move(program.error());
    workload.program_of_rank.push_back(rank);
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

}  // namespace orrery::generate
