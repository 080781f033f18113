#include "cli/workloads/llm_run.h"

#include "job/write/schedule_export.h"

namespace orrery::cli {
namespace {

/// A step has thousands of activities per rank.
constexpr std::int64_t kMostDrawnRanks = 256;

}  // namespace

analyze::KeptOfRun kept_of_run(const Invocation& invocation, std::int64_t ranks) {
  const bool is_drawn = invocation.has("report") && ranks <= kMostDrawnRanks;
  analyze::KeptOfRun kept;
  if (invocation.has("output") || is_drawn) kept.detail = simulate::Detail::every_rank;
  kept.link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
  return kept;
}

}  // namespace orrery::cli
