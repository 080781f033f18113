#include "motif/fit/fit_motif.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "base/statistics.h"
#include "motif/fit/chain_order.h"
#include "motif/fit/count_law.h"
#include "motif/fit/flow_graph.h"
#include "motif/fit/spread.h"
#include "motif/predict.h"
#include "report/counted.h"

// In this order, since each step needs the one before: what sizes mean (exponents or amounts, by which of them the
// times fit better), the control flow of each class from its counts, what the order of calls tells beyond them, the law
// of every transition's time, and bytes per site. The record says how well all of it fits, and the spread where it does
// not.

namespace orrery::motif::fit {
namespace {

constexpr double kLargestExponent = 60;  // 2^60 things fit into no machine: such sizes are amounts
constexpr double kClearlyBetter = 0.75;
constexpr double kLocalQuantile = 0.1;  // of the least times of transitions: what a call costs that waits for nobody

std::string run_text(const RunParameters& run) {
  return fmt::format("nodes {}, size {}, threads {}", run.nodes, run.size, run.threads);
}

Status check_runs(const Observations& observations) {
  std::map<std::tuple<double, double, double, double>, std::vector<const ClassRun*>> by_parameters;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) {
      if (run.edges.empty()) return Error{.message = "has no calls", .file = run.name};
      by_parameters[{run.run.nodes, run.run.size, run.run.threads, run.run.ranks_per_node}].push_back(&run);
    }
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      for (std::size_t j = i + 1; j < one.runs.size(); ++j) {
        const ClassRun &a = one.runs[i], &b = one.runs[j];
        if (!(a.run == b.run)) continue;
        std::set<std::uint32_t> sites_a, sites_b;
        for (const auto& [edge, times] : a.edges) sites_a.insert(edge.second);
        for (const auto& [edge, times] : b.edges) sites_b.insert(edge.second);
        // The same parameters must mean the same program.
        if (sites_a != sites_b)
          return Error{
              .message = fmt::format("has the parameters of {} ({}) and other call sites", a.name, run_text(a.run)),
              .file = b.name,
              .hint = "one program per manifest; a parameter that tells them apart needs a column"};
      }
    }
  }
  if (by_parameters.size() < kFewestRuns)
    return Error{.message = fmt::format("{} with different parameters; a motif needs {} at least, and 5 values of each "
                                        "parameter that its laws should follow",
                                        report::counted(by_parameters.size(), "run"), kFewestRuns)};
  return {};
}

/// Times and counts of all classes together, each class by its share of the ranks.
TimesTable times_table(const Observations& observations, SizeMeaning meaning) {
  TimesTable table;
  std::map<std::tuple<double, double, double, double, std::string>, std::size_t> places;
  std::set<Edge> edges;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) {
      const auto key = std::tuple(run.run.nodes, run.run.size, run.run.threads, run.run.ranks_per_node, run.name);
      if (places.emplace(key, table.runs.size()).second) table.runs.emplace_back(run.run, meaning);
      for (const auto& [edge, times] : run.edges) {
        if (edge.first != 0) edges.insert(edge);
      }
    }
  }
  table.edges.assign(edges.begin(), edges.end());
  table.counts.assign(table.edges.size(), std::vector<double>(table.runs.size(), 0));
  table.mean_us = table.counts;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) {
      const auto key = std::tuple(run.run.nodes, run.run.size, run.run.threads, run.run.ranks_per_node, run.name);
      const std::size_t place = places.at(key);
      const double share = one.share.at(Scope(run.run, meaning));
      for (const auto& [edge, times] : run.edges) {
        if (edge.first == 0) continue;
        const auto at = static_cast<std::size_t>(std::lower_bound(table.edges.begin(), table.edges.end(), edge) -
                                                 table.edges.begin());
        table.counts[at][place] += share * times.count;
        table.mean_us[at][place] += share * times.sum_us;  // the sum, for now
      }
    }
  }
  for (std::size_t edge = 0; edge < table.edges.size(); ++edge) {
    for (std::size_t run = 0; run < table.runs.size(); ++run) {
      if (table.counts[edge][run] > 0) table.mean_us[edge][run] /= table.counts[edge][run];
    }
  }
  return table;
}

/// What a transition costs that neither works nor waits: a low quantile of the least times.
double local_constant_us(const Observations& observations) {
  std::map<Edge, double> least;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) {
      for (const auto& [edge, times] : run.edges) {
        // Before the first call lies the start of the program, which is no transition.
        if (edge.first == 0 || times.count <= 0) continue;
        const auto [found, is_new] = least.emplace(edge, times.least_us);
        if (!is_new) found->second = std::min(found->second, times.least_us);
      }
    }
  }
  std::vector<double> values;
  values.reserve(least.size());
  for (const auto& [edge, value] : least) values.push_back(value);
  return quantile(values, kLocalQuantile);
}

/// The part of a law that grows with the work, and the constant that every call costs. The rest is latency and waiting,
/// which a network makes.
std::string compute_text(const Law& law, double local_us) {
  if (law.terms.empty()) return coefficient_text(local_us);
  std::vector<double> coefficients = law.coefficients;
  for (std::size_t j = 0; j < law.terms.size(); ++j) {
    const Term& term = law.terms[j];
    if (term.work != 0) continue;
    // Terms of nodes alone are latency: they grow with the machine and not with the work.
    const bool is_constant = term.nodes == 0 && term.logarithm == 0;
    coefficients[j] = is_constant ? std::min(coefficients[j], local_us) : 0;
  }
  return sum_text(law.terms, coefficients);
}

/// Mean local time of one transition per run, where the report of a run told it apart from the time inside MPI; else
/// nothing.
std::optional<std::string> measured_compute_text(const Observations& observations, const Edge& edge,
                                                 SizeMeaning meaning) {
  std::map<std::string, std::pair<Scope, EdgeTimes>> by_run;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) {
      const auto found = run.edges.find(edge);
      if (found == run.edges.end()) continue;
      // One run that cannot tell computing from waiting, and the mean is of both.
      if (!found->second.compute_is_known) return std::nullopt;
      const double share = one.share.at(Scope(run.run, meaning));
      auto& [scope, sum] = by_run[run.name];
      scope = Scope(run.run, meaning);
      sum.count += share * found->second.count;
      sum.compute_us += share * found->second.compute_us;
    }
  }
  std::vector<Scope> runs;
  std::vector<double> means;
  for (const auto& [name, one] : by_run) {
    if (one.second.count <= 0) continue;
    runs.push_back(one.first);
    means.push_back(one.second.compute_us / one.second.count);
  }
  if (runs.empty()) return std::nullopt;
  return fit_law(Family::normal_form, {}, runs, means).text();
}

/// Bytes per call of each site, pooled over the classes.
void fit_site_bytes(const Observations& observations, FitOutcome& outcome) {
  for (Site& site : outcome.motif.sites) {
    std::map<std::tuple<double, double, double, double>, std::pair<SiteBytes, RunParameters>> pooled;
    for (const ClassObservation& one : observations.classes) {
      for (const ClassRun& run : one.runs) {
        const auto found = run.bytes.find(site.id);
        if (found == run.bytes.end() || found->second.calls <= 0) continue;
        const double share = one.share.at(Scope(run.run, outcome.motif.size_meaning));
        auto& [sum, parameters] = pooled[{run.run.nodes, run.run.size, run.run.threads, run.run.ranks_per_node}];
        sum.calls += share * found->second.calls;
        sum.sum += share * found->second.sum;
        parameters = run.run;
      }
    }
    std::vector<RunParameters> runs;
    std::vector<double> bytes;
    for (const auto& [key, value] : pooled) {
      runs.push_back(value.second);
      bytes.push_back(value.first.sum / value.first.calls);
    }
    if (runs.empty()) continue;
    const BytesFit fit = fit_bytes(runs, bytes, outcome.motif.size_meaning);
    site.bytes = fit.formula;
    outcome.sites.push_back({site.id, fit.family, fit.error_pct});
  }
}

double best_error(const Observations& observations, SizeMeaning meaning) {
  const TimesTable table = times_table(observations, meaning);
  double best = std::numeric_limits<double>::infinity();
  for (const FamilyScore& score : score_families(table, meaning, true))
    best = std::min(best, penalised_error(score, table.runs.size()));
  return best;
}

FitRecord record_of(const TimesTable& table, const TimesFit& fit) {
  FitRecord record{.runs = static_cast<std::uint32_t>(table.runs.size())};
  const auto range = [&](Variable variable, double& low, double& high) {
    low = high = table.runs[0][variable];
    for (const Scope& run : table.runs) {
      low = std::min(low, run[variable]);
      high = std::max(high, run[variable]);
    }
  };
  range(Variable::n, record.fewest_nodes, record.most_nodes);
  range(Variable::s, record.smallest_size, record.largest_size);
  const auto hundredths = [](double value) { return std::round(100 * value) / 100; };
  record.error_pct = hundredths(fit.error_pct);
  record.left_out_error_pct = hundredths(fit.left_out_error_pct);
  std::vector<FamilyScore> scores = fit.scores;
  std::stable_sort(scores.begin(), scores.end(),
                   [](const FamilyScore& a, const FamilyScore& b) { return a.error_pct < b.error_pct; });
  for (const FamilyScore& score : scores) {
    if (!record.times_family.empty()) record.times_family += ", ";
    record.times_family +=
        fmt::format("{} {:.1f} %", kFamilyNames[static_cast<std::size_t>(score.family)], score.error_pct);
  }
  return record;
}

SizeMeaning choose_meaning(const Observations& observations) {
  double largest = 0;
  for (const ClassObservation& one : observations.classes) {
    for (const ClassRun& run : one.runs) largest = std::max(largest, run.run.size);
  }
  if (largest > kLargestExponent) return SizeMeaning::amount;
  // Small numbers are exponents as a rule: amounts have to be clearly better.
  // A quarter less error, since by a smaller margin chance would decide.
  const bool amount =
      best_error(observations, SizeMeaning::amount) < kClearlyBetter * best_error(observations, SizeMeaning::exponent);
  return amount ? SizeMeaning::amount : SizeMeaning::exponent;
}

}  // namespace

Result<FitOutcome> fit_motif(const Observations& observations) {
  if (Status status = check_runs(observations); !status) return status.error();
  FitOutcome outcome;
  Motif& motif = outcome.motif;
  motif.program = observations.program;
  motif.size_meaning = choose_meaning(observations);
  motif.sites = observations.sites;
  for (const ClassObservation& one : observations.classes) {
    motif.classes.push_back({one.name, one.members, one.share, infer_flow(one.runs, motif.size_meaning)});
    learn_order(one.runs, motif.size_meaning, motif.classes.back().flow, motif.sites);
  }
  const TimesTable table = times_table(observations, motif.size_meaning);
  const TimesFit times = fit_times(table, motif.size_meaning);
  const double local_us = local_constant_us(observations);
  for (std::size_t edge = 0; edge < table.edges.size(); ++edge) {
    const auto measured = measured_compute_text(observations, table.edges[edge], motif.size_meaning);
    const Site* const site = motif.find_site(table.edges[edge].second);
    const std::string whole = times.laws[edge].text();
    const std::string compute = measured                              ? *measured
                                : site != nullptr && site->is_local() ? whole
                                                                      : compute_text(times.laws[edge], local_us);
    motif.transitions.push_back(
        {table.edges[edge].first, table.edges[edge].second, Formula::composed(whole), Formula::composed(compute)});
  }
  fit_site_bytes(observations, outcome);
  motif.fit = record_of(table, times);
  motif.uncertainty.residual = std::round(10'000 * times.residual) / 10'000;
  fill_spread(table, times, motif);
  outcome.scores = times.scores;
  return outcome;
}

}  // namespace orrery::motif::fit
