// Why it took as long as it did: the graphs of one rank or of several, joined by what they exchanged. All analyses take
// this graph; one rank is a job of one rank, whose graph has nothing added to it.
//
// A communication of a rank is an arrival and an end. Between them stands a moment `ready`: the latest arrival that
// this rank has to wait for, its own included. What lies before it is waiting, and takes no time of its own; what lies
// behind it is the transfer, an edge like any other piece of work. So waiting follows from what the others do, in every
// solve, and the job solved from its edges alone takes exactly as long as it was measured to take.
//
// Nodes: those of rank 0, of rank 1, ...; a `ready` per participation; a hub per Exchange (used where everybody waits
// for everybody, so that edges stay linear in members); hubs of those who came first, each also of the one before it
// (for members that ended before the last came: see causal/join/arrival_chains.h); the begin and the end of the job.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "causal/edge_kind.h"
#include "causal/owner_table.h"
#include "causal/rank_graph.h"
#include "causal/reduce/edge_pieces.h"
#include "graph/graph.h"
#include "match/exchange.h"
#include "trace/clock.h"

namespace orrery::causal {

// What the work of a step is blamed under.

/// The name of a step without the number that it ends in: "ProfilerStep#12" -> "ProfilerStep#".
std::string_view without_number(std::string_view name);

/// Per owner a text of the step, where new ones are added: the name of its event, of a step without its number, of work
/// whose capture is known (RankGraph::operator_name) the operator; by annotation, that of the innermost user annotation
/// around the launch instead, where there is one.
Column<StringId> name_pieces(RankGraph& step, bool by_annotation);

inline constexpr std::uint32_t kNoRank = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoStep = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoPart = ~std::uint32_t{0};

/// What pieces are counted by: the same work on every rank. Names of steps are without their number.
struct PieceClass {
  EdgeKind kind{};
  StringId name = 0;  ///< 0: time that belongs to no event, and delays, which are one class per kind
  friend bool operator==(const PieceClass&, const PieceClass&) = default;
};

/// One rank's part of the job. Times count from the job's begin.
struct JobRank {
  std::int64_t rank = 0;
  graph::NodeId begin = 0, end = 0;
  TimePs begins_at = 0, ends_at = 0;  ///< its window
  std::vector<TimePs> step_begin;     ///< by step of the job: where its range on the main thread begins
  TimePs last_step_end = 0;
  std::uint32_t first_owner = 0;  ///< its owners are those up to the next rank's first
  graph::NodeId first_node = 0;   ///< likewise, up to the next rank's first, or CausalGraph::first_ready
  std::vector<LaneLabel> lanes;
  std::vector<AnnotatedRange> annotations;  ///< user annotations
  std::uint32_t main_lane = kNoWork;
  std::string source_path;
  std::int64_t epoch_us = 0;            ///< what the trace file writes as ts for TimePs 0 of the trace
  TimePs host_begin = 0, host_end = 0;  ///< extent of the annotation that the window was chosen by
  TimePs typical_launch_delay = 0;      ///< see RankGraph
  TimePs typical_kernel_gap = 0;
  trace::Clock recorded =
      trace::Clock::identity();  ///< from the job's clock to the one that the file was recorded with
  DeviceClock clock = {};        ///< see RankGraph; not in saved graphs
};

/// One Exchange within the window.
struct JobOperation {
  StringId what = 0;   ///< all_reduce, broadcast, ...; p2p for a message
  StringId group = 0;  ///< its name; of a message that has none, the world's
  StringId name = 0;   ///< of its event: ncclDevKernel_AllReduce..., gloo:all_reduce
  std::int64_t bytes = -1;
  std::uint32_t first = 0,
                count = 0;       ///< its participations in CausalGraph::parts, by rank; of a message the sender first
  std::uint32_t members = 0;     ///< of the group; more than `count` if some have no file
  std::uint32_t root = kNoPart;  ///< into CausalGraph::parts
  match::Ordering ordering = match::Ordering::everybody_waits;
  bool on_host = false;  ///< done by threads of the host
  bool has_splits =
      false;  ///< of an all-to-all: who sends what to whom was recorded on all, and somebody gets nothing from somebody
};

/// One rank's part of an operation. `ready` of part p is the node CausalGraph::first_ready + p.
struct JobPart {
  std::uint32_t rank = 0;  ///< place in CausalGraph::ranks
  std::uint32_t operation = 0;
  graph::NodeId arrival = 0;
  graph::NodeId progress =
      0;  ///< what others wait for: the arrival, or where its rank was back inside MPI (causal/join/mpi_progress.h)
  graph::NodeId end = 0;
  graph::Slot transfer = 0;  ///< the edge ready -> end
  TimePs uncertainty = 0;    ///< of its clock, at its arrival
  std::uint32_t owner = 0;
};

enum class ClockSource : std::uint8_t {
  one,       ///< the files are on one clock
  aligned,   ///< corrected here, or before
  recorded,  ///< as recorded: no correction exceeds its band, or none is known
  relative,  ///< no times are recorded: what was exchanged ended at one moment for all who took part
};
const char* to_string(ClockSource source);

struct CausalGraph {
  std::string label;                  ///< "ProfilerStep#17", "ProfilerStep#1 to ProfilerStep#8", "whole trace"
  std::string why;                    ///< how it was chosen; see StepWindow
  TimePs begin_ps = 0;                ///< of the job, in the trace's time: the earliest begin of a rank's window
  TimePs span = 0;                    ///< up to the latest end
  bool is_whole_trace = false;        ///< of all ranks, steps or not
  std::vector<std::string> steps;     ///< in the window, common to all ranks
  std::vector<std::int64_t> missing;  ///< ranks without a file
  std::vector<JobRank> ranks;         ///< ascending
  graph::Graph graph;                 ///< edge type: EdgeKind; edge tag: number of its Owner (kNoTag: none)
  Column<TimePs> time;                ///< per node: as measured, since the job's begin
  Column<std::uint32_t> node_rank;    ///< per node: place in `ranks`; kNoRank: hubs, begin and end of the job
  Column<std::uint32_t> node_lane;    ///< per node: into JobRank::lanes; kNoWork
  graph::NodeId begin = 0, end = 0;
  graph::NodeId first_ready = 0, first_hub = 0;
  Column<Owner> owners;            ///< of all ranks; times since the job's begin
  Column<StringId> class_name;     ///< per owner: the name it counts under; see PieceClass
  Column<std::uint8_t> row_class;  ///< per owner: see RankGraph; empty if of none it is known
  std::vector<EdgePieces> pieces;  ///< per rank, if ranks are reduced graphs: what edges of kind `several` stand for,
                                   ///< by their tags; else empty
  Interner strings;
  std::vector<JobOperation> operations;
  std::vector<JobPart> parts;
  DeviceReach reach;  ///< of all ranks, added up: whether their devices can be on the path at all
  ClockSource clock = ClockSource::one;
  TimePs band = 0;             ///< the largest uncertainty of a participation; -1: not known
  std::size_t cut = 0;         ///< arrivals later than the end that would need them
  std::size_t unmatched = 0;   ///< participations without partners: local pieces
  std::size_t incomplete = 0;  ///< operations with absent members

  [[nodiscard]] EdgeKind kind(graph::Slot slot) const { return static_cast<EdgeKind>(graph.type(slot)); }
  /// Those that answers have to tell apart: none if there is only one.
  [[nodiscard]] std::span<const JobRank> ranks_to_tell_apart() const {
    return ranks.size() > 1 ? std::span<const JobRank>(ranks) : std::span<const JobRank>();
  }
  [[nodiscard]] graph::NodeId ready(std::uint32_t part) const { return first_ready + part; }
  [[nodiscard]] bool is_ready(graph::NodeId node) const { return node >= first_ready && node < first_hub; }
  [[nodiscard]] bool is_hub(graph::NodeId node) const { return node >= first_hub && node < begin; }
  /// Of a ready moment.
  [[nodiscard]] std::uint32_t part_of(graph::NodeId ready_node) const { return ready_node - first_ready; }
  /// A transfer leads from a ready moment to the end of its participation.
  [[nodiscard]] bool is_transfer(graph::Slot slot) const {
    return kind(slot) == EdgeKind::communication && is_ready(graph.source(slot));
  }
  /// Whose piece the edge is: the rank of its target; kNoRank for edges into hubs and to the end of the job.
  [[nodiscard]] std::uint32_t rank_of(graph::Slot slot) const { return node_rank[graph.target(slot)]; }
  /// Place in `ranks`.
  [[nodiscard]] std::uint32_t rank_of_owner(std::uint32_t owner) const;
  /// Of an edge that is one piece: in a job of reduced graphs edges may stand for several.
  [[nodiscard]] PieceClass class_of(graph::Slot slot) const;
  /// Calls visit(EdgeKind, class name, TimePs) for what the edge is made of, delays with the name of what they delayed;
  /// the times add up to its weight. `rank`: whose it is.
  template <typename Visit>
  void for_each_piece(graph::Slot slot, std::uint32_t rank, Visit&& visit) const {
    if (kind(slot) != EdgeKind::several) {
      const std::uint32_t tag = graph.edge_tag(slot);
      return visit(kind(slot), tag == graph::kNoTag ? StringId{0} : class_name[tag], graph.weight(slot));
    }
    pieces[rank].for_each(graph.edge_tag(slot), [&](const WorkClass& work, TimePs piece_time) {
      visit(static_cast<EdgeKind>(work.kind), work.class_name, piece_time);
    });
  }
  /// The same with all that is known of the work: visit(const WorkClass&, TimePs). Slower, since the step of an edge is
  /// looked up.
  template <typename Visit>
  void for_each_work(graph::Slot slot, std::uint32_t rank, Visit&& visit) const {
    if (kind(slot) != EdgeKind::several) return visit(work_of(slot, rank), graph.weight(slot));
    pieces[rank].for_each(graph.edge_tag(slot), visit);
  }
  [[nodiscard]] WorkClass work_of(graph::Slot slot, std::uint32_t rank) const;
  /// Which step the edge belongs to: that which launched its work, else in which it begins; the first or last one
  /// outside all. kNoStep without steps. `rank`: whose it is.
  [[nodiscard]] std::uint32_t step_of(graph::Slot slot, std::uint32_t rank) const;
  /// Of a moment of a rank's host.
  [[nodiscard]] std::uint32_t step_at(TimePs time, std::uint32_t rank) const;
  /// The job replayed from its edges, against its span.
  [[nodiscard]] double residual_percent(TimePs replayed) const;
};

/// One rank is a job of one rank: nothing is added to its graph, and nothing in it waits for others.
CausalGraph causal_graph_of(RankGraph step);
/// The same of a rank that is yet to be looked at.
Result<CausalGraph> make_causal_graph(const trace::Trace& trace, const trace::RankTrace& rank,
                                      const WindowRequest& request, Diagnostics& diagnostics);

/// Per work of `timeline`, which is of `rank`: whose time it is in the graph; kNoWork: it is not in there, nor perhaps
/// its rank.
std::vector<std::uint32_t> owners_of_works(const CausalGraph& job, const trace::RankTrace& rank,
                                           const DeviceTimeline& timeline);

/// Sets JobPart::transfer: the one edge that leaves the part's ready moment. Found by a look at every edge, since a
/// table of edges by number would stay as long as the graph does.
void find_transfers(CausalGraph& job);

/// Edges that carry one rank's arrival to another's ready moment, or to a hub: cutting them leaves every rank alone. In
/// slot order.
std::vector<graph::Slot> arrivals_of_others(const CausalGraph& job);

}  // namespace orrery::causal
