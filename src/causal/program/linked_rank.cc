#include "causal/program/linked_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "causal/diagnostics.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "causal/join/communication_parts.h"
#include "causal/program/activity_chain.h"
#include "causal/program/data_dependencies.h"
#include "causal/program/program_columns.h"
#include "graph/builder.h"
#include "graph/longest_path.h"

// The chain of activities already replays to the measured time. What is added here are reasons that took no time in
// this run but must hold in every other: who called whom, backward after forward, reading after writing. They are data
// or control dependencies as Chakra knows them, each pair once, under its strongest reason.

namespace orrery::causal {
namespace {

using trace::EventIndex;
using workload::Dependency;

struct ExtraDependency {
  std::uint32_t to, from;
  DependencyCause cause;
};

class RankLinker {
 public:
  RankLinker(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace* host, Interner& strings,
             const LinkOptions& options, Diagnostics& diagnostics)
      : trace_(trace), rank_(rank), host_(host), strings_(strings), options_(options), diagnostics_(diagnostics) {}

  Result<LinkedRank> link() {
    // Who waited for whom, and which operator is which, are found independently of each other.
    Status chained;
    Diagnostics remarks;  // on the graph: of no interest if the traces do not belong together
    parallel_for(2, [&](std::size_t part) {
      if (part == 0) {
        chained = make_chain(remarks);
        return;
      }
      if (host_ != nullptr) match_ = match_host(rank_, *host_, trace_.strings);
      operators_ = make_operator_index(trace_, rank_);
    });
    if (host_ != nullptr) {
      // Traces of two runs match by chance here and there: too few matches mean that they do not belong together.
      if (const Status fits = check_same_run(match_->coverage, rank_, *host_, options_.least_coverage_percent); !fits)
        return fits.error();
      linked_.coverage = match_->coverage;
      remark_on_match();
    } else {
      diagnostics_.add(kNoHostTrace, [&] { return rank_.source.path; });
    }
    diagnostics_.merge(remarks);
    if (!chained) return chained.error();
    linked_.coverage.device_works = operators_.device_works;
    linked_.coverage.attributed = operators_.attributed;
    fill_columns();
    if (const Status connected = connect(); !connected) return connected.error();
    linked_.replayed_ps = graph::solve(linked_.program.dependencies).length();
    return std::move(linked_);
  }

 private:
  void remark_on_match() {
    const Coverage& coverage = match_->coverage;
    const std::size_t lost =
        coverage.host_rows - coverage.by_record_function - coverage.by_external_id - coverage.by_name_and_order;
    if (lost > 0) {
      std::size_t row = 0;
      while (match_->event_of_row[row] != kNoEvent || !is_operator_row(trace_.strings.text(host_->name[row]))) ++row;
      diagnostics_.add_many(kRowsNotFound, lost,
                            fmt::format("{} (row {})", trace_.strings.text(host_->name[row]), host_->id[row]));
    }
    const auto is_process = [&](const trace::Lane& lane) {
      return lane.process.text == 0 && lane.process.number == host_->pid;
    };
    // Process 1 is what many containers call their only process: it tells nothing.
    if (host_->pid > 1 && std::none_of(rank_.lanes.begin(), rank_.lanes.end(), is_process))
      diagnostics_.add(kOtherProcess, [&] { return fmt::format("{} is of process {}", host_->path, host_->pid); });
  }

  // The graph of moments is as large as the chain, and given back before the rest is made.
  Status make_chain(Diagnostics& diagnostics) {
    const Result<RankGraph> step = make_rank_graph(trace_, rank_, options_.window, diagnostics);
    if (!step) return step.error();
    chain_ = make_activity_chain(*step, trace_, rank_, options_.whole_microseconds);
    put_in_issue_order(trace_, rank_, chain_);
    const auto rounded = [&](TimePs time) { return options_.whole_microseconds ? to_whole_microsecond(time) : time; };
    linked_.rank = rank_.rank;
    linked_.epoch_us = step->epoch_us;
    linked_.begin_ps = rounded(step->window.begin);
    linked_.measured_ps = rounded(step->window.end) - linked_.begin_ps;
    return {};
  }

  void fill_columns() {
    const HostMatch* const match = match_ ? &*match_ : nullptr;
    ProgramColumns columns(trace_, rank_, operators_, host_, match, options_.arguments, options_.groups,
                           options_.host_work, strings_, diagnostics_);
    ProgramParts parts = columns.make(chain_);
    linked_.program = std::move(parts.program);
    linked_.host_row = std::move(parts.host_row);
    linked_.event = std::move(parts.event);
    linked_.groups = std::move(parts.groups);
  }

  void add_parents(std::vector<ExtraDependency>& extra) const {
    const Column<ActivityExtent> extents = activity_extents(chain_, rank_.event_count());
    for (std::uint32_t a = 0; a < chain_.activities.size(); ++a) {
      const ChainedActivity& activity = chain_.activities[a];
      // Later parts of an event follow its first anyway, and device work has its launch.
      if (activity.event == kNoEvent || activity.continues || is_device_work(rank_.activity(activity.event))) continue;
      const EventIndex parent = operators_.operator_of[activity.event];
      if (parent == kNoEvent) continue;
      const std::uint32_t from = extents[parent].first;
      // A caller that is not in the window or not before it gives no order.
      if (from != kNoActivity && from < a) extra.push_back({a, from, DependencyCause::parent});
    }
  }

  std::vector<ExtraDependency> find_extra() {
    std::vector<ExtraDependency> extra;
    add_parents(extra);
    const auto add = [&](const ActivityPairs& found, DependencyCause cause) {
      for (const ActivityPair& pair : found.pairs) extra.push_back({pair.to, pair.from, cause});
      linked_.cut_edges += found.cut;
    };
    add(find_backward_dependencies(trace_, rank_, chain_, diagnostics_), DependencyCause::backward);
    if (match_ && options_.arguments != nullptr) {
      add(find_tensor_dependencies(trace_, rank_, *match_, operators_, *options_.arguments, chain_, diagnostics_),
          DependencyCause::tensor);
    }
    // Where there are several reasons for the same dependency, the strongest counts: tensors are data, the others
    // control.
    std::sort(extra.begin(), extra.end(), [](const ExtraDependency& a, const ExtraDependency& b) {
      return std::tuple(a.to, a.from, b.cause) < std::tuple(b.to, b.from, a.cause);
    });
    const auto same = [](const ExtraDependency& a, const ExtraDependency& b) {
      return a.to == b.to && a.from == b.from;
    };
    extra.erase(std::unique(extra.begin(), extra.end(), same), extra.end());
    return extra;
  }

  [[nodiscard]] DependencyCause cause_of(std::uint32_t from, std::uint32_t to) const {
    const bool from_host = linked_.program.has(from, workload::activity::kOnHost),
               to_host = linked_.program.has(to, workload::activity::kOnHost);
    const bool same_lane = chain_.activities[from].lane == chain_.activities[to].lane;
    if (from_host && to_host) return same_lane ? DependencyCause::call_order : DependencyCause::thread;
    if (from_host) return DependencyCause::launch;
    if (to_host) return DependencyCause::synchronization;
    return same_lane ? DependencyCause::stream_order : DependencyCause::stream_wait;
  }

  Status connect() {
    const std::vector<ExtraDependency> extra = find_extra();
    graph::GraphBuilder builder = workload::dependency_builder();
    // About one reason per activity, and the extra ones.
    builder.reserve(chain_.activities.size(), chain_.activities.size() + extra.size());
    for (const ChainedActivity& activity : chain_.activities) builder.add_node(activity.duration);
    std::size_t next = 0;
    for (std::uint32_t to = 0; to < chain_.activities.size(); ++to) {
      const auto order = chain_.dependencies_of(to);
      for (const std::uint32_t from : order) {
        builder.add_edge(from, to, static_cast<std::uint8_t>(Dependency::data), 0);
        ++linked_.dependencies[static_cast<std::size_t>(cause_of(from, to))];
      }
      for (; next < extra.size() && extra[next].to == to; ++next) {
        // The chain has this dependency already.
        if (std::binary_search(order.begin(), order.end(), extra[next].from)) continue;
        const bool is_data = extra[next].cause == DependencyCause::tensor;
        builder.add_edge(extra[next].from, to,
                         static_cast<std::uint8_t>(is_data ? Dependency::data : Dependency::control), 0);
        ++linked_.dependencies[static_cast<std::size_t>(extra[next].cause)];
      }
    }
    Result<graph::Graph> graph = std::move(builder).build();
    if (!graph) return graph.error();
    linked_.program.dependencies = std::move(*graph);
    return {};
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const trace::HostTrace* host_;
  Interner& strings_;
  const LinkOptions& options_;
  Diagnostics& diagnostics_;
  std::optional<HostMatch> match_;
  OperatorIndex operators_;
  ActivityChain chain_;
  LinkedRank linked_;
};

}  // namespace

const char* to_string(DependencyCause cause) {
  static constexpr const char* kNames[kDependencyCauses] = {"call order",   "between threads", "launch",
                                                            "stream order", "stream wait",     "synchronisation",
                                                            "called by",    "backward of",     "tensor"};
  return kNames[static_cast<std::size_t>(cause)];
}

double LinkedRank::residual_percent() const {
  if (measured_ps == 0) return 0;
  return 100.0 * std::fabs(static_cast<double>(replayed_ps - measured_ps)) / static_cast<double>(measured_ps);
}

Result<LinkedRank> link_rank(const trace::Trace& trace, const trace::RankTrace& rank, const trace::HostTrace* host,
                             Interner& strings, const LinkOptions& options, Diagnostics& diagnostics) {
  return RankLinker(trace, rank, host, strings, options, diagnostics).link();
}

}  // namespace orrery::causal
