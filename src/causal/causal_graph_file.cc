#include "causal/causal_graph_file.h"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/io/section_file.h"
#include "causal/rank_file.h"
#include "graph/graph_file.h"

// Sections are found by their names and read whole; then everything that is used as a place (a node, an owner, a lane,
// a text) is checked against what there is, because a checksum tells accidents and not files that somebody made. The
// checks go from ranks to owners, nodes, edges and communication, since each relies on those before it.

namespace orrery::causal {
namespace {

constexpr std::string_view kStepFormat = "step";
constexpr std::uint32_t kNewestStepVersion = 2;  // of version 1 are the files of one rank, in another form

// The plain numbers of a CausalGraph, in one section.
struct JobNumbers {
  // Always 64 bits wide, however narrow a value is in memory: then the section has no holes.
  std::int64_t begin_ps, span, is_whole_trace, clock, band, cut;
  std::int64_t begin, end;  // where version 1 has them: whoever only solves the graph reads both alike
  std::int64_t first_ready, first_hub, unmatched, incomplete;
  std::int64_t busy, worked, launched, works, launches, is_of_tpus;
};

// The plain numbers of a rank. Its lanes, annotations and knots of its clock follow those of the ranks before it.
struct RankNumbers {
  std::int64_t rank, begin, end, begins_at, ends_at, last_step_end, first_owner, first_node, main_lane, epoch_us;
  std::int64_t host_begin, host_end, typical_launch_delay, typical_kernel_gap;
  std::int64_t lanes, annotations, knots;
};

struct OperationNumbers {
  std::int64_t bytes;
  std::uint32_t what, group, name, first, count, members, root;
  std::uint32_t flags;  // its ordering, and from bit 8 on: on the host, with splits
};
constexpr std::uint32_t kOnHost = 1U << 8, kHasSplits = 1U << 9, kFlagsEnd = 1U << 10;

struct PartNumbers {
  std::int64_t uncertainty;
  std::uint32_t rank, operation, arrival, progress, end, owner;
};

// Texts with a fixed place in front of the interned ones.
enum JobText : std::size_t { kJobLabel, kJobWhy, kJobTexts };

class CausalGraphReader {
 public:
  explicit CausalGraphReader(const SectionFile& file) : file_(file) {}

  Result<CausalGraph> read() {
    Result<graph::Graph> graph = graph::read_graph_sections(file_);
    if (!graph) return graph.error();
    job_.graph = std::move(*graph);
    copy("time", job_.time);
    copy("nRnk", job_.node_rank);
    copy("lane", job_.node_lane);
    copy("ownr", job_.owners);
    copy("oCls", job_.class_name);
    copy("oRow", job_.row_class);
    read_texts();
    read_numbers();
    read_ranks();
    read_steps();
    read_operations();
    // Only now that all is read: what is checked names places in other sections.
    if (!error_) check_ranks();
    if (!error_) check_owners();
    if (!error_) check_nodes();
    if (!error_) check_edges();
    if (!error_) check_communication();
    if (error_) return *error_;
    return std::move(job_);
  }

 private:
  // The first problem is the one to tell; those after it often are its consequences.
  void fail(SectionTag tag, std::uint64_t byte, std::string message) {
    if (!error_) error_ = file_.error_at(tag, byte, std::move(message), "the file was not written by this program");
  }

  template <typename T>
  std::span<const T> get(SectionTag tag) {
    const auto values = file_.get<T>(tag);
    if (values) return *values;
    if (!error_) error_ = values.error();
    return {};
  }
  template <typename T>
  void copy(SectionTag tag, Column<T>& out) {
    out.append(get<T>(tag));
  }
  std::vector<std::string> get_texts(SectionTag tag) {
    std::vector<std::string> texts;
    const auto table = file_.get_strings(tag);
    if (!table && !error_) error_ = table.error();
    for (std::size_t i = 0; table && i < table->size(); ++i) texts.emplace_back((*table)[i]);
    return texts;
  }

  [[nodiscard]] bool is_node(std::int64_t n) const { return n >= 0 && n < std::int64_t{job_.graph.node_count()}; }
  [[nodiscard]] bool is_text(StringId text) const { return text < job_.strings.size(); }
  static bool is_time(std::int64_t time) { return time >= -kTimeLimit && time <= kTimeLimit; }

  void read_texts() {
    const auto texts = file_.get_strings("text");
    if (!texts) {
      if (!error_) error_ = texts.error();
      return;
    }
    if (texts->size() < kJobTexts) return fail("text", 0, "texts are missing");
    job_.label = (*texts)[kJobLabel];
    job_.why = (*texts)[kJobWhy];
    // A text's number is its place in the section, so one that occurs twice would shift all after it.
    for (std::size_t i = kJobTexts; i < texts->size(); ++i) {
      if (job_.strings.intern((*texts)[i]) != i - kJobTexts) return fail("text", 0, "a text occurs twice");
    }
  }

  void read_numbers() {
    const auto numbers = file_.get_value<JobNumbers>("numb");
    if (!numbers) {
      if (!error_) error_ = numbers.error();
      return;
    }
    const JobNumbers& n = *numbers;
    if (!is_time(n.begin_ps) || n.span <= 0 || n.span > kTimeLimit)
      return fail("numb", 0, "the window is empty or out of range");
    // Whoever walks the graph begins and ends there without looking.
    if (!is_node(n.begin) || !is_node(n.end)) return fail("numb", 0, "begin or end is not a node");
    if (n.first_ready < 0 || n.first_hub < n.first_ready || n.first_hub > std::int64_t{job_.graph.node_count()})
      return fail("numb", 0, "moments of communication are no nodes");
    if (n.clock < 0 || n.clock > static_cast<std::int64_t>(ClockSource::relative))
      return fail("numb", 0, "not a source of clocks");
    job_.begin_ps = n.begin_ps, job_.span = n.span, job_.is_whole_trace = n.is_whole_trace != 0;
    job_.begin = static_cast<graph::NodeId>(n.begin), job_.end = static_cast<graph::NodeId>(n.end);
    job_.first_ready = static_cast<graph::NodeId>(n.first_ready);
    job_.first_hub = static_cast<graph::NodeId>(n.first_hub);
    job_.clock = static_cast<ClockSource>(n.clock), job_.band = n.band;
    job_.cut = static_cast<std::size_t>(n.cut), job_.unmatched = static_cast<std::size_t>(n.unmatched);
    job_.incomplete = static_cast<std::size_t>(n.incomplete);
    job_.reach = {n.busy,
                  n.worked,
                  n.launched,
                  static_cast<std::uint64_t>(n.works),
                  static_cast<std::uint64_t>(n.launches),
                  n.is_of_tpus != 0};
    const auto missing = get<std::int64_t>("miss");
    job_.missing.assign(missing.begin(), missing.end());
  }

  /// The next `count` of what all ranks have in one section.
  template <typename T>
  std::span<const T> take(std::span<const T>& rest, std::int64_t count, SectionTag tag) {
    if (count < 0 || static_cast<std::uint64_t>(count) > rest.size()) {
      fail(tag, 0, "the ranks have more of it than there is");
      count = 0;
    }
    const std::span<const T> taken = rest.first(static_cast<std::size_t>(count));
    rest = rest.subspan(taken.size());
    return taken;
  }

  void read_ranks() {
    const std::span<const RankNumbers> ranks = get<RankNumbers>("rank");
    std::vector<std::string> paths = get_texts("rSrc");
    auto lanes = get<LaneLabel>("lbls");
    auto annotations = get<AnnotatedRange>("anno");
    auto knots = get<trace::ClockKnot>("knot");
    // Later divisions by the number of ranks rely on there being one.
    if (ranks.empty() || paths.size() != ranks.size()) return fail("rank", 0, "one path per rank is needed");
    for (std::size_t r = 0; r < ranks.size() && !error_; ++r) {
      const RankNumbers& n = ranks[r];
      const std::uint64_t byte = r * sizeof(RankNumbers);
      if (!is_node(n.begin) || !is_node(n.end)) return fail("rank", byte, "begin or end is not a node");
      constexpr std::int64_t kMost = kNoWork;  // what is negative or too large is refused in check_ranks
      JobRank rank;
      rank.rank = n.rank;
      rank.begin = static_cast<graph::NodeId>(n.begin), rank.end = static_cast<graph::NodeId>(n.end);
      rank.begins_at = n.begins_at, rank.ends_at = n.ends_at, rank.last_step_end = n.last_step_end;
      rank.first_owner = static_cast<std::uint32_t>(n.first_owner < 0 ? kMost : std::min(n.first_owner, kMost));
      rank.first_node = static_cast<graph::NodeId>(n.first_node < 0 ? kMost : std::min(n.first_node, kMost));
      rank.main_lane = n.main_lane < 0 ? kNoWork : static_cast<std::uint32_t>(n.main_lane);
      rank.source_path = std::move(paths[r]);
      rank.epoch_us = n.epoch_us;
      rank.host_begin = n.host_begin, rank.host_end = n.host_end;
      rank.typical_launch_delay = n.typical_launch_delay, rank.typical_kernel_gap = n.typical_kernel_gap;
      for (const TimePs time : {rank.begins_at, rank.ends_at, rank.last_step_end, rank.host_begin, rank.host_end,
                                rank.typical_launch_delay, rank.typical_kernel_gap}) {
        if (!is_time(time)) return fail("rank", byte, "a time is out of range");
      }
      const auto of_lanes = take(lanes, n.lanes, "lbls");
      const auto of_annotations = take(annotations, n.annotations, "anno");
      rank.lanes.assign(of_lanes.begin(), of_lanes.end());
      rank.annotations.assign(of_annotations.begin(), of_annotations.end());
      Result<trace::Clock> clock = trace::Clock::from_knots(take(knots, n.knots, "knot"));
      if (!clock) return fail("knot", 0, clock.error().message);
      rank.recorded = std::move(*clock);
      job_.ranks.push_back(std::move(rank));
    }
    // What is left over would belong to nobody, and then the counts of the ranks are wrong too.
    if (!lanes.empty() || !annotations.empty() || !knots.empty()) fail("rank", 0, "lanes or ranges belong to no rank");
  }

  void read_steps() {
    job_.steps = get_texts("sNam");
    auto begins = get<TimePs>("sBeg");
    if (error_) return;
    if (begins.size() % job_.ranks.size() != 0 || begins.size() / job_.ranks.size() != job_.steps.size())
      return fail("sBeg", 0, "one value per rank and step is needed");
    for (JobRank& rank : job_.ranks) {
      const auto of_rank = begins.first(job_.steps.size());
      begins = begins.subspan(of_rank.size());
      // Steps are found by binary search over their beginnings.
      if (!std::is_sorted(of_rank.begin(), of_rank.end()) || !std::all_of(of_rank.begin(), of_rank.end(), is_time))
        return fail("sBeg", 0, "a step is out of order or range");
      rank.step_begin.assign(of_rank.begin(), of_rank.end());
    }
  }

  void read_operations() {
    const auto operations = get<OperationNumbers>("oper");
    const auto parts = get<PartNumbers>("part");
    // Neither texts nor participations are looked at yet: check_communication does, when all of them are there.
    for (const OperationNumbers& n : operations) {
      // Bits from kFlagsEnd on are of a later version, or damage.
      if ((n.flags & 0xFF) > static_cast<std::uint32_t>(match::Ordering::neighbours) || n.flags >= kFlagsEnd)
        return fail("oper", 0, "not an ordering");
      job_.operations.push_back({.what = n.what,
                                 .group = n.group,
                                 .name = n.name,
                                 .bytes = n.bytes,
                                 .first = n.first,
                                 .count = n.count,
                                 .members = n.members,
                                 .root = n.root,
                                 .ordering = static_cast<match::Ordering>(n.flags & 0xFF),
                                 .on_host = (n.flags & kOnHost) != 0,
                                 .has_splits = (n.flags & kHasSplits) != 0});
    }
    for (const PartNumbers& n : parts)
      job_.parts.push_back({.rank = n.rank,
                            .operation = n.operation,
                            .arrival = n.arrival,
                            .progress = n.progress,
                            .end = n.end,
                            .uncertainty = n.uncertainty,
                            .owner = n.owner});
  }

  void check_ranks() {
    std::uint32_t first_owner = 0;
    graph::NodeId first_node = 0;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) {
      const JobRank& rank = job_.ranks[r];
      const std::uint64_t byte = r * sizeof(RankNumbers);
      if (r > 0 && rank.rank <= job_.ranks[r - 1].rank) return fail("rank", byte, "ranks are out of order");
      // The owners and nodes of the ranks follow one another.
      if ((r == 0 && (rank.first_owner != 0 || rank.first_node != 0)) || rank.first_owner < first_owner ||
          rank.first_owner > job_.owners.size() || rank.first_node < first_node || rank.first_node > job_.first_ready)
        return fail("rank", byte, "not an owner or node");
      first_owner = rank.first_owner, first_node = rank.first_node;
      for (const LaneLabel& lane : rank.lanes) {
        if (!is_text(lane.process) || !is_text(lane.thread) || !is_text(lane.name))
          return fail("lbls", 0, "not a text");
      }
      for (const AnnotatedRange& range : rank.annotations) {
        if (!is_text(range.name) || range.lane >= rank.lanes.size()) return fail("anno", 0, "not a text or lane");
        if (!is_time(range.begin) || !is_time(range.end)) return fail("anno", 0, "a range is out of range");
      }
    }
  }

  void check_owners() {
    if (job_.class_name.size() != job_.owners.size()) return fail("oCls", 0, "one value per owner is needed");
    if (!job_.row_class.empty() && job_.row_class.size() != job_.owners.size())
      return fail("oRow", 0, "one value per owner is needed, or none");
    for (std::uint32_t o = 0; o < job_.owners.size(); ++o) {
      const Owner& owner = job_.owners[o];
      const std::size_t lanes = job_.ranks[job_.rank_of_owner(o)].lanes.size();
      if (!is_text(owner.name) || owner.lane >= lanes || owner.launch_lane >= lanes)
        return fail("ownr", o * sizeof(Owner), "not a text or lane");
      if (!is_text(job_.class_name[o])) return fail("oCls", o * sizeof(StringId), "not a text");
    }
  }

  void check_nodes() {
    const std::size_t nodes = job_.graph.node_count();
    if (job_.time.size() != nodes || job_.node_rank.size() != nodes || job_.node_lane.size() != nodes)
      return fail("time", 0, "one value per node is needed");
    for (std::size_t n = 0; n < nodes; ++n) {
      const std::uint32_t rank = job_.node_rank[n], lane = job_.node_lane[n];
      if (rank >= job_.ranks.size() && rank != kNoRank) return fail("nRnk", n * 4, "not a rank");
      // Moments of a rank are no moments of the job, and the other way round.
      if (rank == kNoRank && n < job_.first_hub) return fail("nRnk", n * 4, "a moment of no rank");
      if (lane != kNoWork && (rank == kNoRank || lane >= job_.ranks[rank].lanes.size()))
        return fail("lane", n * 4, "not a lane");
    }
  }

  void check_edges() {
    for (graph::Slot slot = 0; slot < job_.graph.edge_count(); ++slot) {
      const std::uint32_t tag = job_.graph.edge_tag(slot), rank = job_.rank_of(slot);
      // Edges that stand for several are of reduced graphs; what they stand for is not stored here.
      const bool is_known = job_.graph.type(slot) < kJobEdgeKinds && job_.kind(slot) != EdgeKind::several;
      const bool has_owner = tag == graph::kNoTag || (tag < job_.owners.size() && job_.rank_of_owner(tag) == rank);
      if (!is_known || !has_owner) return fail("ownr", 0, "an edge has an unknown kind or owner");
    }
  }

  void check_communication() {
    if (job_.parts.size() != job_.first_hub - job_.first_ready)
      return fail("part", 0, "one moment per participation is needed");
    std::uint64_t next = 0;
    for (std::size_t o = 0; o < job_.operations.size(); ++o) {
      const JobOperation& operation = job_.operations[o];
      if (!is_text(operation.what) || !is_text(operation.group) || !is_text(operation.name))
        return fail("oper", o * sizeof(OperationNumbers), "not a text");
      // They follow one another, so that each participation belongs to one.
      const bool is_there = operation.first == next && operation.count <= job_.parts.size() - next;
      if (!is_there || (operation.root != kNoPart && operation.root >= job_.parts.size()))
        return fail("oper", o * sizeof(OperationNumbers), "not a participation");
      next += operation.count;
      for (std::uint32_t p = operation.first; p < next; ++p) {
        if (job_.parts[p].operation != o) return fail("part", p * sizeof(PartNumbers), "not its operation");
      }
    }
    if (next != job_.parts.size()) return fail("part", 0, "a participation belongs to no operation");
    // Transfers are not stored: the edge that leaves the moment when all are ready is the one.
    find_transfers(job_);
    for (std::uint32_t p = 0; p < job_.parts.size(); ++p) {
      const JobPart& part = job_.parts[p];
      const bool is_known = part.rank < job_.ranks.size() && job_.node_rank[job_.ready(p)] == part.rank &&
                            is_node(part.arrival) && is_node(part.progress) && is_node(part.end) &&
                            part.owner < job_.owners.size() && job_.rank_of_owner(part.owner) == part.rank;
      const bool has_transfer = part.transfer < job_.graph.edge_count() &&
                                job_.graph.source(part.transfer) == job_.ready(p) &&
                                job_.rank_of(part.transfer) == part.rank;
      if (!is_known || !has_transfer || !is_time(part.uncertainty))
        return fail("part", p * sizeof(PartNumbers), "not a rank, node, owner or transfer");
    }
  }

  const SectionFile& file_;
  CausalGraph job_;
  std::optional<Error> error_;
};

void add_rank_sections(SectionWriter& writer, const CausalGraph& job) {
  std::vector<RankNumbers> ranks;
  std::vector<LaneLabel> lanes;
  std::vector<AnnotatedRange> annotations;
  std::vector<trace::ClockKnot> knots;
  std::vector<TimePs> begins;
  // Of all ranks in one section each; how many belong to a rank stands with its numbers.
  for (const JobRank& rank : job.ranks) {
    const auto of_clock = rank.recorded.knots();
    ranks.push_back({rank.rank, rank.begin, rank.end, rank.begins_at, rank.ends_at, rank.last_step_end,
                     rank.first_owner, rank.first_node,
                     rank.main_lane == kNoWork ? std::int64_t{-1} : std::int64_t{rank.main_lane}, rank.epoch_us,
                     rank.host_begin, rank.host_end, rank.typical_launch_delay, rank.typical_kernel_gap,
                     static_cast<std::int64_t>(rank.lanes.size()), static_cast<std::int64_t>(rank.annotations.size()),
                     static_cast<std::int64_t>(of_clock.size())});
    lanes.insert(lanes.end(), rank.lanes.begin(), rank.lanes.end());
    annotations.insert(annotations.end(), rank.annotations.begin(), rank.annotations.end());
    knots.insert(knots.end(), of_clock.begin(), of_clock.end());
    begins.insert(begins.end(), rank.step_begin.begin(), rank.step_begin.end());
  }
  writer.add_copy_of("rank", ranks);
  writer.add_strings("rSrc", job.ranks.size(),
                     [&](std::size_t r) { return std::string_view(job.ranks[r].source_path); });
  writer.add_copy_of("lbls", lanes);
  writer.add_copy_of("anno", annotations);
  writer.add_copy_of("knot", knots);
  writer.add_strings("sNam", job.steps.size(), [&](std::size_t i) { return std::string_view(job.steps[i]); });
  writer.add_copy_of("sBeg", begins);
  writer.add("miss", job.missing);
}

void add_operation_sections(SectionWriter& writer, const CausalGraph& job) {
  std::vector<OperationNumbers> operations;
  for (const JobOperation& operation : job.operations)
    operations.push_back({operation.bytes, operation.what, operation.group, operation.name, operation.first,
                          operation.count, operation.members, operation.root,
                          static_cast<std::uint32_t>(operation.ordering) | (operation.on_host ? kOnHost : 0) |
                              (operation.has_splits ? kHasSplits : 0)});
  std::vector<PartNumbers> parts;
  for (const JobPart& part : job.parts)
    parts.push_back({part.uncertainty, part.rank, part.operation, part.arrival, part.progress, part.end, part.owner});
  writer.add_copy_of("oper", operations);
  writer.add_copy_of("part", parts);
}

Result<CausalGraph> read_causal_graph(const SectionFile& file) {
  // Files of version 1 hold one rank: they become a job of one, so that nobody else needs to know of them.
  if (file.version() > 1) return CausalGraphReader(file).read();
  Result<RankGraph> rank = read_step_sections(file, StepContent::whole);
  if (!rank) return rank.error();
  return causal_graph_of(std::move(*rank));
}

}  // namespace

Status save_causal_graph(const CausalGraph& job, const std::string& path) {
  SectionWriter writer(kStepFormat, kNewestStepVersion);
  graph::add_graph_sections(writer, job.graph);
  writer.add("time", job.time);
  writer.add("nRnk", job.node_rank);
  writer.add("lane", job.node_lane);
  writer.add("ownr", job.owners);
  writer.add("oCls", job.class_name);
  writer.add("oRow", job.row_class);
  const std::string_view fixed[kJobTexts] = {job.label, job.why};
  writer.add_strings("text", kJobTexts + job.strings.size(), [&](std::size_t i) {
    return i < kJobTexts ? fixed[i] : job.strings.text(static_cast<StringId>(i - kJobTexts));
  });
  writer.add_value(
      "numb",
      JobNumbers{job.begin_ps, job.span, job.is_whole_trace ? 1 : 0, static_cast<std::int64_t>(job.clock), job.band,
                 static_cast<std::int64_t>(job.cut), job.begin, job.end, job.first_ready, job.first_hub,
                 static_cast<std::int64_t>(job.unmatched), static_cast<std::int64_t>(job.incomplete), job.reach.busy,
                 job.reach.worked, job.reach.launched, static_cast<std::int64_t>(job.reach.works),
                 static_cast<std::int64_t>(job.reach.launches), job.reach.is_of_tpus ? 1 : 0});
  add_rank_sections(writer, job);
  add_operation_sections(writer, job);
  return writer.write(path);
}

Result<CausalGraph> load_causal_graph(const std::string& path) {
  const auto file = SectionFile::open(path, kStepFormat, kNewestStepVersion);
  if (!file) return file.error();
  return read_causal_graph(*file);
}

Result<CausalGraph> load_causal_graph_from_bytes(std::string_view bytes, const std::string& name) {
  const auto file = SectionFile::from_bytes(bytes, name, kStepFormat, kNewestStepVersion);
  if (!file) return file.error();
  return read_causal_graph(*file);
}

}  // namespace orrery::causal
