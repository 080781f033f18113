#include "cli/llm_run.h"

#include "job/priced_run.h"
#include "job/schedule_export.h"

namespace orrery::cli {
namespace {

/// A step has thousands of activities per rank.
constexpr std::int64_t kMostDrawnRanks = 256;

}  // namespace

analyze::PricedRunner priced_runner(const Invocation& invocation) {
  return [&invocation](workload::WorkloadSource& source, const machine::Machine& machine, const simulate::PricingOptions& options,
                       const simulate::EngineOptions& engine, Diagnostics& diagnostics) {
    simulate::EngineOptions asked = engine;
    asked.keep_link_series = invocation.has("report") || job::shows_links(invocation.text("output"));
    return job::run_priced_job(source, machine, options, asked, diagnostics);
  };
}

simulate::Detail drawn_detail(const Invocation& invocation, std::int64_t ranks) {
  const bool is_drawn = invocation.has("report") && ranks <= kMostDrawnRanks;
  return invocation.has("output") || is_drawn ? simulate::Detail::every_rank : simulate::Detail::executed_ranks;
}

}  // namespace orrery::cli
