#include "causal/join/join_ranks.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/freed_memory.h"
#include "causal/causal_graph.h"
#include "causal/diagnostics.h"
#include "causal/join/communication_parts.h"
#include "causal/join/joined_edges.h"
#include "causal/join/mpi_progress.h"
#include "causal/join/needs.h"
#include "graph/assemble.h"
#include "match/communication.h"
#include "match/group_table.h"
#include "match/mpi/mpi_communicators.h"
#include "match/mpi/mpi_function.h"
#include "match/recorded_communication.h"

// Ranks are added one after another, texts and times translated to the job's. Then Exchanges become operations, with a
// part per member that lies in the window; needs and progress are judged over all of them; and edges are assembled in
// one pass. Memory decides the order: the trace is given back before the graph, the largest part, is built.

namespace orrery::causal {
namespace {

using graph::EdgeId;
using graph::NodeId;
using graph::Slot;
using match::Exchange;
using match::Ordering;
using match::Participation;
using trace::EventIndex;

constexpr std::string_view kWorld = "world";

class Joiner {
 public:
  Joiner(const trace::Trace& trace, const match::Exchanges& exchanges, std::vector<RankGraph> ranks,
         const JoinOptions& options, Diagnostics& diagnostics)
      : trace_(trace), exchanges_(exchanges), ranks_(std::move(ranks)), options_(options), diagnostics_(diagnostics) {}

  /// Calls `done_with_trace` when nothing will be looked up in the trace any more.
  template <typename DoneWithTrace>
  Result<CausalGraph> join(const DoneWithTrace& done_with_trace) {
    find_window();
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) add_rank(r);
    find_operations();
    find_missing_ranks();
    done_with_trace();
    find_progress(job_.operations, progress_, job_.parts, joined_.moments);
    progress_ = {};
    joined_.needs = find_needs(job_.operations, job_.parts, joined_.moments, silent_);
    // Of arrivals at the very end of what would need them some may close a circle of moments that take no time: then
    // they cannot bind.
    // The second try leaves out arrivals at the very end of their waiters.
    Result<graph::Graph> graph = build(false);
    if (!graph) graph = build(true);
    if (!graph) return graph.error();
    job_.graph = std::move(*graph);
    find_transfers(job_);
    report();
    return std::move(job_);
  }

 private:
  void find_window() {
    TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
    for (const RankGraph& rank : ranks_) {
      begin = std::min(begin, rank.window.begin);
      end = std::max(end, rank.window.end);
    }
    job_.begin_ps = begin;
    job_.span = end - begin;
    job_.label = ranks_.front().window.label;
    job_.why = ranks_.front().window.why;
    job_.is_whole_trace = ranks_.front().window.is_whole_trace;
    for (const StepWindow::Step& range : ranks_.front().window.steps) job_.steps.push_back(range.name);
  }

  // --- what a rank brings along, with its texts in one table and its times since the job's begin ---

  void add_rank(std::uint32_t r) {
    RankGraph& step = ranks_[r];
    const TimePs shift = step.window.begin - job_.begin_ps;
    JobRank& rank = job_.ranks.emplace_back();
    rank.rank = step.rank;
    rank.first_node = static_cast<NodeId>(job_.time.size());
    rank.first_owner = static_cast<std::uint32_t>(job_.owners.size());
    rank.begin = rank.first_node + step.begin;
    rank.end = rank.first_node + step.end;
    rank.begins_at = shift;
    rank.ends_at = step.window.end - job_.begin_ps;
    for (const StepWindow::Step& range : step.window.steps) {
      rank.step_begin.push_back(range.begin - job_.begin_ps);
      rank.last_step_end = range.end - job_.begin_ps;
    }
    rank.main_lane = step.window.main_lane.value_or(kNoWork);
    rank.source_path = step.source_path;
    rank.epoch_us = step.epoch_us;
    rank.host_begin = step.window.host_begin - job_.begin_ps;
    rank.host_end = step.window.host_end - job_.begin_ps;
    rank.typical_launch_delay = step.typical_launch_delay;
    rank.typical_kernel_gap = step.typical_kernel_gap;
    rank.clock = step.clock;
    job_.reach.add(step.reach);
    const auto text = [&](StringId id) { return job_.strings.intern(step.strings.text(id)); };
    for (const LaneLabel& lane : step.lanes)
      rank.lanes.push_back({text(lane.process), text(lane.thread), text(lane.name)});
    for (const AnnotatedRange& range : step.annotations)
      rank.annotations.push_back({text(range.name), range.lane, range.begin + shift, range.end + shift});
    for (Owner owner : step.owners) {
      owner.name = text(owner.name);
      owner.start += shift;
      owner.launch_start += shift;
      job_.owners.push_back(owner);
    }
    if (step.row_class.empty()) job_.row_class.resize(job_.owners.size(), 0);
    else
      for (const std::uint8_t row : step.row_class) job_.row_class.push_back(row);
    name_classes(r);
    for (NodeId node = 0; node < step.graph.node_count(); ++node) {
      job_.time.push_back(step.time[node] + shift);
      job_.node_rank.push_back(r);
      job_.node_lane.push_back(step.node_lane[node]);
    }
    communications_.emplace_back(trace_, trace_.ranks[r], step);
    calls_.emplace_back(trace_, trace_.ranks[r], step, shift, rank.first_node);
    forget_what_was_added(step);
  }

  // All ranks are here at once: what the job has as well, they need not have.
  static void forget_what_was_added(RankGraph& step) {
    step.time = {};
    step.node_lane = {};
    step.owners = {};
    step.row_class = {};
    step.operator_name = {};
    step.class_name = {};
    step.lanes = {};
    step.annotations = {};
    step.strings = Interner();
  }

  void name_classes(std::uint32_t r) {
    RankGraph& step = ranks_[r];
    if (step.class_name.empty()) step.class_name = name_pieces(step, options_.by_annotation);
    const auto text = [&](StringId id) { return job_.strings.intern(step.strings.text(id)); };
    for (const StringId name : step.class_name) job_.class_name.push_back(text(name));
    if (step.pieces.size() == 0) return;
    job_.pieces.resize(ranks_.size());
    job_.pieces[r] = std::move(step.pieces);
    job_.pieces[r].replace_texts(text);
  }

  // --- communication ---

  void find_operations() {
    find_world_name();
    for (const Exchange& exchange : exchanges_.all) {
      JobOperation operation;
      operation.first = static_cast<std::uint32_t>(job_.parts.size());
      for (std::uint32_t p = exchange.first; p < exchange.first + exchange.count; ++p) {
        const Participation& participation = exchanges_.parts[p];
        const Slot slot = communications_[participation.node].find(participation.event);
        if (slot == graph::kNoSlot) continue;  // it lies outside the window of its rank
        if (p == exchange.root) operation.root = static_cast<std::uint32_t>(job_.parts.size());
        add_part(participation.node, slot, begun_by(participation, communications_[participation.node]));
      }
      operation.count = static_cast<std::uint32_t>(job_.parts.size()) - operation.first;
      // With one member in sight nobody is known to have waited for anybody.
      if (operation.count < 2 || (exchange.ordering == Ordering::message && operation.count != 2)) {
        forget_parts(operation.first);
        continue;
      }
      describe(exchange, operation);
      find_next_calls(operation);
      if (operation.ordering == Ordering::everybody_waits && operation.count == operation.members)
        find_silent(exchange, operation);
      if (operation.members > operation.count) ++job_.incomplete;
      for (std::uint32_t p = operation.first; p < job_.parts.size(); ++p)
        job_.parts[p].operation = static_cast<std::uint32_t>(job_.operations.size());
      job_.operations.push_back(operation);
    }
    communications_ = {};
    calls_ = {};
    const auto of_rank = group_by_row<std::uint32_t>(ranks_.size(), [&](const auto& add) {
      for (std::uint32_t p = 0; p < joined_.parts.size(); ++p) add(joined_.parts[p].rank, p);
    });
    for (std::uint32_t r = 0; r < ranks_.size(); ++r) {
      joined_.of_slot.push_back(group_by_row<std::uint32_t>(ranks_[r].graph.edge_count(), [&](const auto& add) {
        for (const std::uint32_t p : of_rank[r]) add(joined_.parts[p].slot, p);
      }));
      count_unmatched(r);
      ranks_[r].owner_events = {};
    }
  }

  // Of a non-blocking call of MPI the edge of the call that began it: the participant had come then, and ends where
  // another call completed it.
  [[nodiscard]] Slot begun_by(const Participation& participation, const CommunicationEdges& edges) const {
    const trace::RankTrace& rank = trace_.ranks[participation.node];
    if (participation.call == match::kNoCall || rank.activity(participation.event) != trace::Activity::mpi_call)
      return graph::kNoSlot;
    return edges.find(participation.call);
  }

  void add_part(std::uint32_t node, Slot slot, Slot begun_by) {
    const RankGraph& step = ranks_[node];
    const JobRank& rank = job_.ranks[node];
    JobPart part;
    part.rank = node;
    part.arrival = rank.first_node + step.graph.source(begun_by == graph::kNoSlot ? slot : begun_by);
    part.end = rank.first_node + step.graph.target(slot);
    part.owner = rank.first_owner + step.graph.edge_tag(slot);
    part.progress = part.arrival;
    joined_.parts.push_back({node, slot, begun_by != graph::kNoSlot});
    job_.parts.push_back(part);
    joined_.moments.push_back({job_.time[part.arrival], job_.time[part.end]});
    progress_.push_back({.entered = job_.time[rank.first_node + step.graph.source(slot)]});
  }

  /// Of members that began without blocking and computed on: where they were back inside MPI after all had come.
  void find_next_calls(const JobOperation& operation) {
    TimePs last = 0;
    for (std::uint32_t p = operation.first; p < job_.parts.size(); ++p)
      last = std::max(last, joined_.moments[p].arrival);
    for (std::uint32_t p = operation.first; p < job_.parts.size(); ++p) {
      if (!joined_.parts[p].was_begun_before) continue;
      const ProgressCalls& calls = calls_[job_.parts[p].rank];
      const bool is_receiver = operation.ordering == Ordering::message && p != operation.first;
      progress_[p].had_seen =
          is_receiver && calls.was_inside(joined_.moments[operation.first].arrival, joined_.moments[p].arrival);
      if (const auto call = calls.next_after(last)) progress_[p].node = call->node, progress_[p].moment = call->begin;
    }
  }

  void forget_parts(std::uint32_t first) {
    job_.parts.resize(first);
    joined_.moments.resize(first);
    progress_.resize(first);
    joined_.parts.resize(first);
  }

  /// Sizes that a member recorded, as many as there are members; empty if it recorded none.
  [[nodiscard]] std::vector<std::int64_t> counts_of(const Participation& participation, trace::Field field,
                                                    std::size_t members) const {
    const trace::SparseColumn& column = trace_.ranks[participation.node].field(field);
    auto text = column.find(participation.event);
    // What began a non-blocking call of MPI knows the sizes; the one that completed it does not.
    if (!text && participation.call != match::kNoCall) text = column.find(participation.call);
    if (!text) return {};
    std::vector<std::int64_t> counts = match::parse_list(trace_.strings.text(static_cast<StringId>(*text)));
    if (counts.size() != members) counts.clear();
    return counts;
  }

  /// Where each member stands in the order of the group, by which sizes are listed.
  [[nodiscard]] std::vector<std::size_t> places_in_group(const Exchange& exchange) const {
    std::vector<std::int64_t> ranks;
    if (exchange.operation != match::kNoOperation) {
      const match::Operation& kind = exchanges_.operations[exchange.operation];
      ranks = kind.members != match::kNoGroup ? exchanges_.groups[kind.members].ranks
                                              : match::parse_list(trace_.strings.text(kind.ranks));
    }
    std::vector<std::size_t> places;
    for (std::uint32_t i = 0; i < exchange.count; ++i) {
      const std::int64_t rank = trace_.ranks[exchanges_.parts[exchange.first + i].node].rank;
      const auto at = std::find(ranks.begin(), ranks.end(), rank);
      // Groups whose members are not listed are in the order of ranks.
      // Lists of another length are of another group: then places are all there is.
      places.push_back(
          ranks.size() == exchange.count && at != ranks.end() ? static_cast<std::size_t>(at - ranks.begin()) : i);
    }
    return places;
  }

  /// An all-to-all of unequal parts does not wait for those that send it nothing, if all members recorded what they
  /// send or get.
  void find_silent(const Exchange& exchange, JobOperation& operation) {
    if (job_.strings.text(operation.what) != workload::to_string(workload::Collective::all_to_all) ||
        exchange.count != operation.count)
      return;
    for (const auto& [field, is_received] :
         {std::pair{trace::Field::receive_counts_text, true}, {trace::Field::send_counts_text, false}}) {
      std::vector<std::vector<std::int64_t>> counts;
      for (std::uint32_t i = 0; i < exchange.count; ++i) {
        counts.push_back(counts_of(exchanges_.parts[exchange.first + i], field, exchange.count));
        if (counts.back().empty()) break;
      }
      if (counts.back().empty()) continue;
      const std::vector<std::size_t> places = places_in_group(exchange);
      for (std::uint32_t i = 0; i < exchange.count; ++i) {
        for (std::uint32_t j = 0; j < exchange.count; ++j) {
          const std::int64_t amount = is_received ? counts[i][places[j]] : counts[j][places[i]];
          if (i == j || amount != 0) continue;
          silent_.push_back({operation.first + i, operation.first + j});
          operation.has_splits = true;
        }
      }
      return;
    }
  }

  void find_world_name() {
    world_ = job_.strings.intern(kWorld);
    // What names no group is shown under the name of the largest one, which mostly is the world.
    std::size_t largest = 1;
    for (const match::ProcessGroups::Group& group : exchanges_.groups) {
      if (group.ranks.size() > largest) largest = group.ranks.size(), world_ = job_.strings.intern(group.name);
    }
  }

  void describe(const Exchange& exchange, JobOperation& operation) {
    const Participation& first = exchanges_.parts[exchange.first];
    const trace::RankTrace& rank = trace_.ranks[first.node];
    const Owner& owner = job_.owners[job_.parts[operation.first].owner];
    operation.ordering = exchange.ordering;
    operation.on_host = owner.device < 0;
    operation.name = owner.name;
    operation.bytes = match::bytes_of(trace_, first).value_or(-1);
    if (exchange.ordering == Ordering::message || exchange.operation == match::kNoOperation) {
      operation.what = job_.strings.intern("p2p");
      const auto group = rank.field(trace::Field::group_name_text).find(first.event);
      operation.group = group ? job_.strings.intern(trace_.strings.text(static_cast<StringId>(*group))) : world_;
      operation.members = 2;
      return;
    }
    const match::Operation& kind = exchanges_.operations[exchange.operation];
    const std::string_view text = match::kind_of(trace_, kind);
    const auto known = match::communication_kind(text);
    operation.what = job_.strings.intern(known ? workload::to_string(known->collective) : text);
    if (kind.members != match::kNoGroup) {
      const match::ProcessGroups::Group& group = exchanges_.groups[kind.members];
      operation.group = job_.strings.intern(group.name);
      operation.members = static_cast<std::uint32_t>(group.ranks.size());
      return;
    }
    operation.group = kind.group != 0 ? job_.strings.intern(trace_.strings.text(kind.group)) : world_;
    operation.members = match::group_members(trace_, rank, kind, first.event, operation.count);
  }

  // Every event that communicates in the window and was joined to nothing.
  void count_unmatched(std::uint32_t r) {
    const RankGraph& step = ranks_[r];
    const trace::RankTrace& rank = trace_.ranks[r];
    std::vector<std::uint8_t> is_known(step.owner_events.size(), 0);
    for (Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      if (joined_.of_slot[r].length(slot) != 0) is_known[step.graph.edge_tag(slot)] = 1;
    }
    for (Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      const std::uint32_t tag = step.graph.edge_tag(slot);
      if (step.kind(slot) != EdgeKind::communication || tag == graph::kNoTag || is_known[tag] != 0) continue;
      is_known[tag] = 1;
      // Most calls of MPI begin something, ask or set up: they have no partners.
      if (rank.activity(step.owner_events[tag]) == trace::Activity::mpi_call &&
          !has_partners(trace_.name(rank, step.owner_events[tag])))
        continue;
      if (is_alone_in_group(rank, step.owner_events[tag])) continue;
      ++job_.unmatched;
      diagnostics_.add(kNoPartners, [&] {
        return "rank " + std::to_string(step.rank) + ": " + std::string(job_.strings.text(owner_of(r, tag).name));
      });
    }
  }

  // A communicator of one rank has no partners to be found.
  [[nodiscard]] bool is_alone_in_group(const trace::RankTrace& rank, EventIndex event) const {
    if (const auto size = rank.field(trace::Field::group_size).find(event)) return *size == 1;
    if (const auto ranks = rank.field(trace::Field::group_ranks_text).find(event)) {
      const std::string_view text = trace_.strings.text(static_cast<StringId>(*ranks));
      return text.starts_with('[') && text.size() > 2 && text.find(',') == std::string_view::npos;
    }
    return false;
  }

  [[nodiscard]] const Owner& owner_of(std::uint32_t r, std::uint32_t tag) const {
    return job_.owners[job_.ranks[r].first_owner + tag];
  }

  static bool has_partners(std::string_view mpi_call) {
    const match::MpiFunction* const function = match::find_mpi_function(mpi_call);
    if (function == nullptr || !function->is_blocking) return false;
    using match::MpiRole;
    return function->role == MpiRole::send || function->role == MpiRole::receive ||
           function->role == MpiRole::send_receive || function->role == MpiRole::collective;
  }

  void find_missing_ranks() {
    std::set<std::int64_t> there, expected;
    std::int64_t world = 0;
    for (const trace::RankTrace& rank : trace_.ranks) {
      there.insert(rank.rank);
      world = std::max(world, rank.source.world_size.value_or(0));
      for (const trace::ProcessGroup& group : rank.source.groups)
        expected.insert(group.ranks.begin(), group.ranks.end());
    }
    // A limit for files that claim a world of billions.
    for (std::int64_t r = 0; r < std::min<std::int64_t>(world, 1 << 24); ++r) expected.insert(r);
    for (const std::int64_t r : expected) {
      if (r >= 0 && !there.contains(r)) job_.missing.push_back(r);
    }
  }

  Result<graph::Graph> build(bool cut_at_end) {
    const JoinedEdges edges(job_, ranks_, joined_, cut_at_end);
    return graph::assemble(job_.end + 1, [&](auto&& add) { edges.for_each(add); });
  }

  void report() {
    if (!job_.missing.empty()) {
      std::string list;
      for (std::size_t i = 0; i < std::min<std::size_t>(job_.missing.size(), 8); ++i)
        list += (i == 0 ? "rank " : ", ") + std::to_string(job_.missing[i]);
      diagnostics_.add_many(kRankWithoutFile, job_.missing.size(), list);
    }
    if (job_.incomplete != 0) diagnostics_.add_many(kAbsentMembers, job_.incomplete, {});
    if (job_.cut != 0) diagnostics_.add_many(kContradictingArrival, job_.cut, {});
  }

  const trace::Trace& trace_;
  const match::Exchanges& exchanges_;
  std::vector<RankGraph> ranks_;
  JoinOptions options_;
  Diagnostics& diagnostics_;
  CausalGraph job_;
  StringId world_ = 0;
  std::vector<CommunicationEdges> communications_;  // by rank
  std::vector<ProgressCalls> calls_;                // by rank
  JoinedParts joined_;
  std::vector<PartProgress> progress_;  // by part
  std::vector<SilentPair> silent_;      // ascending
};

}  // namespace

Result<CausalGraph> join_ranks(const trace::Trace& trace, const match::Exchanges& exchanges,
                               std::vector<RankGraph> ranks, const JoinOptions& options, Diagnostics& diagnostics) {
  return Joiner(trace, exchanges, std::move(ranks), options, diagnostics).join([] {});
}

Result<CausalGraph> join_ranks(trace::Trace&& trace, const match::Exchanges& exchanges, std::vector<RankGraph> ranks,
                               const JoinOptions& options, Diagnostics& diagnostics) {
  return Joiner(trace, exchanges, std::move(ranks), options, diagnostics).join([&] {
    trace = trace::Trace();
    // The graph is the largest part of a job: what the ranks no longer need, in blocks too small to go back by
    // themselves, makes room for it.
    give_back_freed_memory();
  });
}

}  // namespace orrery::causal
