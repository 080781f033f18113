#include "ask/graphs/top.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/blame/opportunities.h"
#include "ask/graphs/job_facts.h"
#include "ask/graphs/unprofiled.h"
#include "base/percent.h"
#include "report/counted.h"

namespace orrery::ask {
namespace {

using analyze::Opportunities;
using analyze::Opportunity;
using report::Readers;

constexpr std::size_t kOpportunitiesShown = 15;
/// Above this the ranks that would save most say more than all.
constexpr std::size_t kTypicalRanksShown = 16;

std::string top_sentence(const causal::CausalGraph& job, const Opportunities& opportunities) {
  std::string text = fmt::format("{}, {}, {}: ", report::counted(job.ranks.size(), "rank"),
                                 job.is_whole_trace ? job.label : report::counted(job.steps.size(), "step"),
                                 format_duration(opportunities.length));
  if (opportunities.all.empty() || opportunities.all.front().gain_if_free.value_or(0) == 0)
    return text + "nothing that could be made faster is on the path.";
  const Opportunity& best = opportunities.all.front();
  return text + fmt::format("{} matters most: free, it would save {} ({:.1f} %), 10 % faster {} ({:.1f} %).",
                            best.select, format_duration(*best.gain_if_free),
                            share_percent(*best.gain_if_free, opportunities.length), format_duration(*best.gain_10pct),
                            share_percent(*best.gain_10pct, opportunities.length));
}

std::string typical_rank_sentence(const causal::CausalGraph& job, const Opportunities& opportunities) {
  if (job.ranks.size() == 1) return {};  // nobody to be like
  const auto best =
      std::max_element(opportunities.ranks.begin(), opportunities.ranks.end(),
                       [](const auto& a, const auto& b) { return a.gain_if_typical < b.gain_if_typical; });
  if (best == opportunities.ranks.end() || best->gain_if_typical <= 0)
    return "No rank would save anything by being typical.\n";
  return fmt::format("If rank {} were typical, the job would take {} (-{:.1f} %).\n", job.ranks[best->rank].rank,
                     format_duration(opportunities.length - best->gain_if_typical),
                     share_percent(best->gain_if_typical, opportunities.length));
}

/// Said where not all were solved.
std::string unsolved_sentence(const Opportunities& opportunities) {
  const auto unsolved = std::count_if(opportunities.all.begin(), opportunities.all.end(),
                                      [](const Opportunity& opportunity) { return !opportunity.gain_if_free; });
  if (unsolved == 0) return {};
  return fmt::format(
      "{} on the path were not solved, there being so many: each has less time there than those that were, and saves "
      "at most that.\n",
      report::counted(static_cast<std::size_t>(unsolved), "opportunity", "opportunities"));
}

void tell_top_tables(report::Answer& answer, const causal::CausalGraph& job, const Opportunities& opportunities) {
  const report::SheetView best{.rows = kOpportunitiesShown, .rest = "opportunities"};
  answer.table(opportunities_sheet(job, opportunities), {.view = best}).text(unsolved_sentence(opportunities)).gap();
  const bool has_unions = !opportunities.unions.empty(), several = job.ranks.size() > 1;
  const auto people_too = [](bool shown) { return shown ? Readers::all : Readers::programs_and_tables; };
  answer.table(opportunity_unions_sheet(job, opportunities), {.view = best, .readers = people_too(has_unions)});
  if (has_unions) answer.gap();
  answer.table(opportunity_order_sheet(opportunities)).gap();
  answer.table(opportunity_pairs_sheet(opportunities)).gap();
  // One rank alone has nobody to be like.
  answer.table(rank_gains_sheet(job, opportunities),
               {.view = {.rows = kTypicalRanksShown, .rest = "ranks", .largest = "gain_if_typical"},
                .readers = people_too(several)});
  if (several) answer.gap();
}

/// The command that tries the first of the order, about the same window.
void tell_next_try(report::Answer& answer, const TopRequest& request, const causal::CausalGraph& job,
                   const Opportunities& opportunities) {
  // whatif takes one operand for the traces; a list of files is not one that could be shown.
  const std::vector<std::string>& files = request.graph.recording.files;
  if (opportunities.order.empty() || files.size() != 1) return;
  const WindowChoice& window = request.graph.window;
  std::string flags = typed(request.graph.recording) + typed(request.graph.clock);
  if (request.unprofiled)
    flags +=
        fmt::format(" --unprofiled {}ms", static_cast<double>(*request.unprofiled) / static_cast<double>(kPsPerMs));
  flags += typed(window);
  // An opportunity is about all common steps: so is the command that tries it.
  if (!window.instances.first && !job.steps.empty() && !window.annotation)
    flags += fmt::format(" --annotation ProfilerStep --instance 0:{}", job.steps.size() - 1);
  answer.next(
      "try it:",
      fmt::format("orrery whatif {}{} {}", report::shell_quote(files.front()), flags,
                  report::shell_quote(opportunities.all[opportunities.order.front().opportunity].select + " * 0.9")));
}

}  // namespace

Result<report::Answer> run(const TopRequest& request, Context& context) {
  auto job = load_job_graph(context, request.graph, false, {}, RankDetail::graph);
  if (!job) return job.error();
  if (!has_path(context, *job)) return context.failed();
  const std::optional<Unprofiled> unprofiled =
      take_profiler_off(context, request.graph.recording.without_profiler, request.unprofiled, *job);
  const Opportunities opportunities = analyze::find_opportunities(*job);
  report::Answer answer = context.answer();
  tell_unprofiled(answer, unprofiled);
  answer.headline(top_sentence(*job, opportunities)).text(typical_rank_sentence(*job, opportunities));
  answer.line(job_trust_line(*job, opportunities.length)).gap();
  tell_job(answer.facts(), *job, opportunities.length);
  answer.facts().field("job_us", to_us(opportunities.length));
  tell_top_tables(answer, *job, opportunities);
  answer.line("derivative: the part of a small saving that reaches the job. overlap: what two savings have in common.");
  if (answer.for_people()) tell_next_try(answer, request, *job, opportunities);
  return answer;
}

}  // namespace orrery::ask
