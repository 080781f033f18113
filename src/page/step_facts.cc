#include "page/step_facts.h"

#include <algorithm>

#include "analyze/path/path_sheets.h"
#include "analyze/whatif/edit_language.h"
#include "base/percent.h"

namespace orrery::page {
namespace {

constexpr std::size_t kGains = 3;

std::vector<Gain> largest_gains(const causal::CausalGraph& job, const std::vector<analyze::Contributor>& contributors) {
  std::vector<Gain> gains;
  for (const analyze::Contributor& contributor : contributors) {
    const std::optional<std::string> selection = analyze::selection_of(job, contributor);
    if (!selection || contributor.gain_if_free <= 0) continue;
    std::string name =
        contributor.name != 0 ? std::string(job.strings.text(contributor.name)) : causal::to_string(contributor.kind);
    std::string where;
    if (job.ranks.size() > 1 && contributor.rank != causal::kNoRank)
      where = " of rank " + std::to_string(job.ranks[contributor.rank].rank);
    gains.push_back({std::move(name), std::move(where), *selection + " remove", contributor.gain_if_free});
  }
  std::stable_sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.gain > b.gain; });
  gains.resize(std::min(gains.size(), kGains));
  return gains;
}

UnprofiledStep unprofiled_step(const analyze::RecordingCost& recording) {
  if (!recording.has_ruler()) return {};
  const auto [low, high] = recording.interval(recording.fitted());
  return {true, recording.length(recording.fitted()), low, high};
}

}  // namespace

StepFacts step_facts(const causal::CausalGraph& job, const analyze::CausalPath& path,
                     const analyze::RecordingCost* recording) {
  StepFacts facts;
  facts.label = job.label;
  facts.why = job.why;
  facts.begin = job.begin_ps;
  facts.span = job.span;
  facts.length = path.length();
  facts.verdict = analyze::verdict(job, path.sums);
  if (recording != nullptr) facts.unprofiled = unprofiled_step(*recording);
  facts.residual_pct = job.residual_percent(path.length());
  facts.coverage_pct = share_percent(path.length(), job.span);
  facts.unexplained_pct = share_percent(path.sums.unexplained(), path.length());
  for (const causal::JobRank& rank : job.ranks) facts.ranks.push_back(rank.rank);
  facts.missing = job.missing;
  if (job.ranks.size() > 1) facts.clock = job.clock;
  facts.band = job.band;
  facts.cut = job.cut;
  facts.nodes = job.graph.node_count();
  facts.edges = job.graph.edge_count();
  for (std::size_t kind = 0; kind < path.sums.kinds.size(); ++kind) {
    if (path.sums.kinds[kind].total > 0) facts.kinds |= analyze::bit_of(static_cast<causal::EdgeKind>(kind));
  }
  facts.bound_by = analyze::bound_by_sheet(path.sums);
  facts.contributors = analyze::contributors_sheet(job, path.sums);
  facts.gains = largest_gains(job, path.sums.contributors);
  return facts;
}

}  // namespace orrery::page
