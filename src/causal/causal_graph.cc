#include "causal/causal_graph.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "match/communication.h"

// A graph of a job is that of one rank with tables beside it: owners (whose work an edge is), classes (the name under
// which it is counted), steps. Joining ranks is done elsewhere; what is asked of either is answered here by walking
// from an edge to its owner.

namespace orrery::causal {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";

StringId intern_without_number(Interner& strings, std::string_view name) {
  return strings.intern(std::string(without_number(name)));  // a copy: interning may move the texts
}

// Annotations of a lane nest: walking both by start, a stack has those around a launch, the innermost on top.
void name_by_annotation(RankGraph& step, Column<StringId>& class_name) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t o = 0; o < step.owners.size(); ++o) order.push_back(o);
  const auto key = [&](std::uint32_t o) { return std::pair(step.owners[o].launch_lane, step.owners[o].launch_start); };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::vector<AnnotatedRange> ranges;
  for (const AnnotatedRange& range : step.annotations) {
    // Ranges that announce communication are a library's, and not what people annotated.
    if (!match::is_host_communication(step.strings.text(range.name))) ranges.push_back(range);
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const AnnotatedRange& a, const AnnotatedRange& b) {
    // Of ranges that begin together the longer one is around the other.
    return std::tuple(a.lane, a.begin, -a.end) < std::tuple(b.lane, b.begin, -b.end);
  });
  std::vector<AnnotatedRange> around;
  std::size_t next = 0;
  for (const std::uint32_t o : order) {
    const auto [lane, start] = key(o);
    while (next < ranges.size() && std::pair(ranges[next].lane, ranges[next].begin) <= std::pair(lane, start)) {
      // Another lane: its ranges have nothing to do with those before.
      if (!around.empty() && around.back().lane != ranges[next].lane) around.clear();
      while (!around.empty() && around.back().end <= ranges[next].begin) around.pop_back();
      around.push_back(ranges[next++]);
    }
    while (!around.empty() && (around.back().lane != lane || around.back().end <= start)) around.pop_back();
    if (around.empty()) continue;
    const std::string_view name = step.strings.text(around.back().name);
    // Steps are one class, whichever number they have.
    class_name[o] = name.starts_with(kStepPrefix) ? intern_without_number(step.strings, name) : around.back().name;
  }
}

}  // namespace

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

Column<StringId> name_pieces(RankGraph& step, bool by_annotation) {
  std::set<std::string_view> steps;
  for (const StepWindow::Step& range : step.window.steps) steps.insert(range.name);
  Column<StringId> class_name;
  class_name.reserve(step.owners.size());
  for (const Owner& owner : step.owners) {
    const std::string_view name = step.strings.text(owner.name);
    const bool is_step = name.starts_with(kStepPrefix) || steps.contains(name);
    class_name.push_back(is_step ? intern_without_number(step.strings, name) : owner.name);
  }
  // What a graph was captured from says more about its work than the names of kernels do.
  for (std::uint32_t o = 0; o < step.operator_name.size(); ++o) {
    if (step.operator_name[o] != 0) class_name[o] = step.operator_name[o];
  }
  if (by_annotation) name_by_annotation(step, class_name);
  return class_name;
}

const char* to_string(ClockSource source) {
  static constexpr const char* kNames[] = {"one", "aligned", "recorded", "relative"};
  return kNames[static_cast<std::size_t>(source)];
}

std::uint32_t CausalGraph::rank_of_owner(std::uint32_t owner) const {
  const auto next = std::upper_bound(ranks.begin(), ranks.end(), owner, [](std::uint32_t number, const JobRank& rank) {
    return number < rank.first_owner;
  });
  return static_cast<std::uint32_t>(next - ranks.begin()) - 1;
}

PieceClass CausalGraph::class_of(graph::Slot slot) const {
  const EdgeKind edge_kind = kind(slot);
  const std::uint32_t tag = graph.edge_tag(slot);
  return {edge_kind, tag == graph::kNoTag || !is_named(edge_kind) ? 0 : class_name[tag]};
}

WorkClass CausalGraph::work_of(graph::Slot slot, std::uint32_t rank) const {
  const std::uint32_t tag = graph.edge_tag(slot);
  const bool has_owner = tag != graph::kNoTag;
  return {graph.type(slot), has_owner ? owners[tag].name : 0, has_owner ? class_name[tag] : 0, step_of(slot, rank)};
}

std::uint32_t CausalGraph::step_at(TimePs at, std::uint32_t rank) const {
  const std::vector<TimePs>& begins = ranks[rank].step_begin;
  if (begins.empty()) return kNoStep;
  const auto next = std::upper_bound(begins.begin(), begins.end(), at);
  // What begins before the first step counts as part of it.
  return next == begins.begin() ? 0 : static_cast<std::uint32_t>(next - begins.begin() - 1);
}

std::uint32_t CausalGraph::step_of(graph::Slot slot, std::uint32_t rank) const {
  const std::uint32_t tag = graph.edge_tag(slot);
  // Device work is of the step that launched it, however late it runs. Most edges are the host's: of those nobody need
  // look up the owner.
  if (tag != graph::kNoTag && !is_host(kind(slot)) && owners[tag].device >= 0)
    return step_at(owners[tag].launch_start, rank);
  const graph::NodeId source = graph.source(slot);
  // A transfer is of the step in which its rank came to it, however long it waited.
  return step_at(is_ready(source) ? time[parts[part_of(source)].arrival] : time[source], rank);
}

double CausalGraph::residual_percent(TimePs replayed) const {
  // A window of no length must not divide by nothing.
  return 100.0 * std::fabs(static_cast<double>(replayed - span)) / static_cast<double>(std::max<TimePs>(span, 1));
}

CausalGraph causal_graph_of(RankGraph step) {
  CausalGraph job;
  job.class_name = step.class_name.empty() ? name_pieces(step, false) : std::move(step.class_name);
  JobRank& rank = job.ranks.emplace_back();
  rank.rank = step.rank;
  rank.begin = step.begin, rank.end = step.end;
  rank.ends_at = step.window.span();
  for (StepWindow::Step& range : step.window.steps) {
    job.steps.push_back(std::move(range.name));
    rank.step_begin.push_back(range.begin - step.window.begin);
    rank.last_step_end = range.end - step.window.begin;
  }
  rank.lanes = std::move(step.lanes);
  rank.annotations = std::move(step.annotations);
  rank.main_lane = step.window.main_lane.value_or(kNoWork);
  rank.source_path = std::move(step.source_path);
  rank.epoch_us = step.epoch_us;
  rank.host_begin = step.window.host_begin - step.window.begin,
  rank.host_end = step.window.host_end - step.window.begin;
  rank.typical_launch_delay = step.typical_launch_delay, rank.typical_kernel_gap = step.typical_kernel_gap;
  rank.clock = step.clock;
  job.label = std::move(step.window.label);
  job.why = std::move(step.window.why);
  job.is_whole_trace = step.window.is_whole_trace;
  job.begin_ps = step.window.begin;
  job.span = step.window.span();
  const auto nodes = static_cast<graph::NodeId>(step.graph.node_count());
  job.graph = std::move(step.graph);
  job.time = std::move(step.time);
  job.node_rank.assign(nodes, 0);
  job.node_lane = std::move(step.node_lane);
  job.begin = step.begin, job.end = step.end;
  // No moments of communication: the first of them would follow the last node.
  job.first_ready = job.first_hub = nodes;
  job.owners = std::move(step.owners);
  job.row_class = std::move(step.row_class);
  if (step.pieces.size() != 0) job.pieces.push_back(std::move(step.pieces));
  job.strings = std::move(step.strings);
  job.reach = step.reach;
  return job;
}

Result<CausalGraph> make_causal_graph(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const WindowRequest& request, Diagnostics& diagnostics) {
  Result<RankGraph> step = make_rank_graph(trace, rank, request, diagnostics);
  if (!step) return step.error();
  return causal_graph_of(std::move(*step));
}

std::vector<std::uint32_t> owners_of_works(const CausalGraph& job, const trace::RankTrace& rank,
                                           const DeviceTimeline& timeline) {
  std::vector<std::uint32_t> owner_of(timeline.works.size(), kNoWork);
  const auto of_job =
      std::find_if(job.ranks.begin(), job.ranks.end(), [&](const JobRank& one) { return one.rank == rank.rank; });
  if (of_job == job.ranks.end() || rank.ordinal.empty()) return owner_of;
  const std::size_t end = of_job + 1 == job.ranks.end() ? job.owners.size() : (of_job + 1)->first_owner;
  // Owners know where their events stand in the file.
  const std::uint32_t last = *std::max_element(rank.ordinal.begin(), rank.ordinal.end());
  Column<std::uint32_t> owner_at(std::size_t{last} + 1, kNoWork);
  for (std::size_t o = of_job->first_owner; o < end; ++o) {
    if (job.owners[o].ordinal <= last) owner_at[job.owners[o].ordinal] = static_cast<std::uint32_t>(o);
  }
  for (std::size_t w = 0; w < owner_of.size(); ++w) owner_of[w] = owner_at[rank.ordinal[timeline.works[w].event]];
  return owner_of;
}

void find_transfers(CausalGraph& job) {
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const graph::NodeId source = job.graph.source(slot);
    if (job.is_ready(source)) job.parts[job.part_of(source)].transfer = slot;
  }
}

std::vector<graph::Slot> arrivals_of_others(const CausalGraph& job) {
  std::vector<graph::Slot> slots;
  for (graph::NodeId node = job.first_ready; node < job.first_hub; ++node) {
    for (const graph::Slot slot : job.graph.incoming(node)) {
      const graph::NodeId source = job.graph.source(slot);
      if (job.is_hub(source) || job.node_rank[source] != job.node_rank[node]) slots.push_back(slot);
    }
  }
  // By slot, as whoever walks through the edges beside this list relies on.
  std::sort(slots.begin(), slots.end());
  return slots;
}

}  // namespace orrery::causal
