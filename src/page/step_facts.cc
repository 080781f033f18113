#include "page/step_facts.h"

#include <algorithm>

#include "analyze/contributor_edit.h"
#include "analyze/edit_words.h"
#include "analyze/job_path_sheets.h"
#include "analyze/path_sheets.h"
#include "analyze/share.h"

namespace orrery::page {
namespace {

constexpr std::size_t kGains = 3;

std::vector<Gain> largest_gains(const Interner& strings, const std::vector<analyze::Contributor>& contributors,
                                std::span<const link::JobRank> ranks) {
  std::vector<Gain> gains;
  for (const analyze::Contributor& contributor : contributors) {
    const std::optional<std::string> selection = analyze::selection_of(strings, contributor, ranks);
    if (!selection || contributor.gain_if_free <= 0) continue;
    std::string name = contributor.name != 0 ? std::string(strings.text(contributor.name)) : link::to_string(contributor.kind);
    std::string where;
    if (!ranks.empty() && contributor.rank != link::kNoRank) where = " of rank " + std::to_string(ranks[contributor.rank].rank);
    gains.push_back({std::move(name), std::move(where), *selection + " remove", contributor.gain_if_free});
  }
  std::stable_sort(gains.begin(), gains.end(), [](const Gain& a, const Gain& b) { return a.gain > b.gain; });
  gains.resize(std::min(gains.size(), kGains));
  return gains;
}

void take_sums(StepFacts& facts, const analyze::StepPath& path) {
  facts.length = path.length();
  facts.verdict = analyze::verdict(path);
  facts.coverage_pct = analyze::share_percent(path.length(), facts.span);
  facts.unexplained_pct = analyze::share_percent(path.unexplained(), path.length());
  for (std::size_t kind = 0; kind < path.kinds.size(); ++kind) {
    if (path.kinds[kind].total > 0) facts.kinds |= analyze::bit_of(static_cast<link::EdgeKind>(kind));
  }
  facts.bound_by = analyze::bound_by_sheet(path);
}

}  // namespace

StepFacts step_facts(const link::StepGraph& step, const analyze::StepPath& path) {
  StepFacts facts;
  facts.label = step.window.label;
  facts.why = step.window.why;
  facts.begin = step.window.begin;
  facts.span = step.window.span();
  facts.ranks = {step.rank};
  facts.nodes = step.graph.node_count();
  facts.edges = step.graph.edge_count();
  facts.residual_pct = step.residual_percent(path.length());
  take_sums(facts, path);
  facts.verdict = analyze::verdict(step, path);
  facts.contributors = analyze::contributors_sheet(step, path);
  facts.gains = largest_gains(step.strings, path.contributors, {});
  return facts;
}

StepFacts step_facts(const link::JobGraph& job, const analyze::JobPath& path) {
  StepFacts facts;
  facts.label = job.label;
  facts.why = job.why;
  facts.begin = job.begin_ps;
  facts.span = job.span;
  for (const link::JobRank& rank : job.ranks) facts.ranks.push_back(rank.rank);
  facts.missing = job.missing;
  facts.clock = job.clock;
  facts.band = job.band;
  facts.cut = job.cut;
  facts.nodes = job.graph.node_count();
  facts.edges = job.graph.edge_count();
  facts.residual_pct = job.residual_percent(path.length());
  take_sums(facts, path.sums);
  facts.verdict = analyze::verdict(job, path.sums);
  facts.contributors = analyze::job_contributors_sheet(job, path);
  facts.gains = largest_gains(job.strings, path.sums.contributors, job.ranks);
  return facts;
}

}  // namespace orrery::page
