#include "analyze/diff/piece_alignment.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "analyze/diff/common_subsequence.h"
#include "causal/edge_kind.h"

// Edges are put into lanes by where they end, delays are attached to the piece they delay, and lanes of two runs are
// paired by role. Each pair is then aligned by a longest common subsequence. Equally many lanes of a role go together
// in order; otherwise dynamic programming finds the pairing, in order, with the most pieces in common.

namespace orrery::analyze {
namespace {

constexpr std::string_view kBeforeTheWindow = "(before the window)";

}  // namespace

std::uint32_t PieceClasses::number(causal::EdgeKind kind, std::string_view name, std::string_view op) {
  const auto [at, is_new] = numbers_.try_emplace({kind, std::string(name), std::string(op)}, size());
  if (is_new) classes_.push_back(at->first);
  return at->second;
}

Column<std::uint32_t> classes_of(const causal::CausalGraph& job, PieceClasses& classes,
                                 const OwnerOperators* operators) {
  const auto operator_of = [&](graph::Slot slot, causal::EdgeKind kind) -> std::uint32_t {
    const std::uint32_t tag = job.graph.edge_tag(slot);
    // Communication goes by what it is called: operators of it are not recorded alike on all ranks.
    const bool may_have = is_device(kind) && kind != causal::EdgeKind::communication && tag != graph::kNoTag;
    return operators == nullptr || operators->of_owner.empty() || !may_have ? 0 : operators->of_owner[tag];
  };
  Column<std::uint32_t> slot_class(job.graph.edge_count(), kNoClass);
  // Most edges share a class with many others: their texts are looked up once per kind and number of the name.
  std::map<std::tuple<causal::EdgeKind, StringId, std::uint32_t>, std::uint32_t> known;
  // And those of one event mostly have one kind.
  struct Last {
    causal::EdgeKind kind;
    std::uint32_t number = kNoClass;
  };
  Column<Last> of_owner(job.owners.size(), Last{});
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const causal::EdgeKind kind = job.kind(slot);
    if (!is_piece(kind)) continue;
    const std::uint32_t tag = job.graph.edge_tag(slot);
    Last* const last = tag == graph::kNoTag ? nullptr : &of_owner[tag];
    if (last != nullptr && last->number != kNoClass && last->kind == kind) {
      slot_class[slot] = last->number;
      continue;
    }
    const causal::PieceClass piece = job.class_of(slot);
    const std::uint32_t op = operator_of(slot, piece.kind);
    const auto [at, is_new] = known.try_emplace({piece.kind, piece.name, op}, 0);
    if (is_new)
      at->second = classes.number(
          piece.kind, piece.kind == causal::EdgeKind::before ? kBeforeTheWindow : job.strings.text(piece.name),
          op == 0 ? std::string_view() : operators->texts[op]);
    slot_class[slot] = at->second;
    if (last != nullptr) *last = {kind, at->second};
  }
  return slot_class;
}

CommonClasses common_classes(const PieceClasses& classes, const std::vector<bool>& used_by_a,
                             const std::vector<bool>& used_by_b) {
  struct Users {
    bool a = false, b = false;
    [[nodiscard]] bool are_both() const { return a && b; }
  };
  using Key = std::pair<causal::EdgeKind, std::string_view>;
  std::map<Key, Users> by_name, by_operator;
  const auto mark = [&](Users& users, std::uint32_t c) { users.a |= used_by_a[c], users.b |= used_by_b[c]; };
  for (std::uint32_t c = 0; c < classes.size(); ++c) mark(by_name[{classes[c].kind, classes[c].name}], c);
  const auto has_own_name = [&](const PieceClasses::Class& piece) {
    return !piece.op.empty() && !by_name[{piece.kind, piece.name}].are_both();
  };
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    if (has_own_name(classes[c])) mark(by_operator[{classes[c].kind, classes[c].op}], c);
  }
  CommonClasses common;
  for (std::uint32_t c = 0; c < classes.size(); ++c) {
    const PieceClasses::Class& piece = classes[c];
    const bool goes_by_operator = has_own_name(piece) && by_operator[{piece.kind, piece.op}].are_both();
    common.of.push_back(common.classes.number(piece.kind, goes_by_operator ? piece.op : piece.name));
  }
  return common;
}

std::vector<std::vector<TimePs>> class_step_times(const causal::CausalGraph& job,
                                                  const Column<std::uint32_t>& slot_class) {
  std::vector<std::vector<TimePs>> times;
  for (graph::Position p = 0; p < job.graph.node_count(); ++p) {
    const std::uint32_t rank = job.node_rank[job.graph.node_at(p)];
    for (const graph::Slot slot : job.graph.incoming_at(p)) {
      if (slot_class[slot] == kNoClass || rank == causal::kNoRank || causal::is_part(job, slot)) continue;
      const std::uint32_t step = job.step_of(slot, rank);
      if (step == causal::kNoStep) continue;
      if (slot_class[slot] >= times.size())
        times.resize(slot_class[slot] + 1, std::vector<TimePs>(job.steps.size(), 0));
      times[slot_class[slot]][step] += job.graph.weight(slot);
    }
  }
  return times;
}

namespace {

using LanePairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

/// Pools of threads: which of a hundred alike is which cannot be told, and would be asked ten thousand times.
constexpr std::size_t kMostLanes = 64;

std::vector<std::vector<std::uint32_t>> sorted_lanes(std::span<const LaneClasses> lanes) {
  std::vector<std::vector<std::uint32_t>> sorted;
  for (const LaneClasses lane : lanes) {
    sorted.emplace_back(lane.begin(), lane.end());
    std::sort(sorted.back().begin(), sorted.back().end());
  }
  return sorted;
}

std::uint64_t count_common(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::uint64_t common = 0;
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    if (*x < *y) ++x;
    else if (*y < *x) ++y;
    else ++common, ++x, ++y;
  }
  return common;
}

/// `few` has fewer lanes than `many`. best[i][j]: what the lanes from i and from j on can have in common at most.
LanePairs pair_by_content(std::span<const LaneClasses> few, std::span<const LaneClasses> many) {
  const auto a = sorted_lanes(few), b = sorted_lanes(many);
  std::vector<std::vector<std::uint64_t>> worth(a.size()),
      best(a.size() + 1, std::vector<std::uint64_t>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    worth[i].resize(b.size());
    for (std::size_t j = b.size(); j-- > 0;) {
      // What lanes have in common decides; that they are paired at all is worth less than one piece, and more than
      // nothing.
      worth[i][j] = count_common(a[i], b[j]) * (kMostLanes + 1) + 1;
      best[i][j] = std::max({best[i + 1][j + 1] + worth[i][j], best[i + 1][j], best[i][j + 1]});
    }
  }
  LanePairs pairs;
  for (std::uint32_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (best[i][j] == best[i + 1][j + 1] + worth[i][j]) pairs.emplace_back(i++, j++);
    else if (best[i][j] == best[i][j + 1]) ++j;
    else ++i;
  }
  return pairs;
}

}  // namespace

LanePairs pair_lanes(std::span<const LaneClasses> a, std::span<const LaneClasses> b) {
  if (a.size() > b.size()) {
    LanePairs pairs = pair_lanes(b, a);
    for (auto& [first, second] : pairs) std::swap(first, second);
    return pairs;
  }
  if (a.size() < b.size() && b.size() <= kMostLanes) return pair_by_content(a, b);
  LanePairs pairs;
  for (std::uint32_t i = 0; i < a.size(); ++i) pairs.emplace_back(i, i);
  return pairs;
}

namespace {

using causal::EdgeKind;
using graph::kNoSlot;
using graph::NodeId;
using graph::Slot;

constexpr std::uint32_t kNowhere = causal::kNoWork;
constexpr std::uint32_t kHostCommunication = kNowhere - 1;  // no lane of the trace: see piece_alignment.h

/// "thread 1331 (pt_autograd_0)" -> "pt_autograd_0"; without brackets the name without its digits: the number of a
/// thread differs in every run.
std::string role_of_thread(std::string_view name) {
  const std::size_t open = name.rfind('('), close = name.rfind(')');
  if (open != std::string_view::npos && close != std::string_view::npos && open < close)
    return std::string(name.substr(open + 1, close - open - 1));
  std::string role;
  for (const char c : name) {
    if (c < '0' || c > '9') role += c;
  }
  return role;
}

class PieceFinder {
 public:
  PieceFinder(const causal::CausalGraph& job, Column<std::uint32_t> slot_class, std::optional<std::int64_t> only_rank)
      : job_(job), graph_(job.graph) {
    for (const causal::JobRank& rank : job.ranks) pieces_.ranks.push_back(only_rank.value_or(rank.rank));
    pieces_.slot_class = std::move(slot_class);
    ends_with_.assign(graph_.node_count(), kNoSlot);
    begins_with_.assign(graph_.node_count(), kNoSlot);
  }

  RunPieces find() {
    find_series();
    for (std::size_t i = 0; i < pieces_.lanes.size(); ++i) describe(pieces_.lanes[i], lane_rank_[i]);
    std::stable_sort(pieces_.lanes.begin(), pieces_.lanes.end(), [](const LanePieces& x, const LanePieces& y) {
      return std::tie(x.rank, x.role, x.first_use, x.lane) < std::tie(y.rank, y.role, y.first_use, y.lane);
    });
    attach_delays();
    return std::move(pieces_);
  }

 private:
  // A delay leads from one lane to another, or stands before the work of a stream; everything else that takes time
  // fills its lane.
  [[nodiscard]] bool is_in_series(Slot slot, NodeId target) const {
    const EdgeKind kind = job_.kind(slot);
    if (kind == EdgeKind::before || job_.is_transfer(slot)) return true;
    if (!is_host(kind) && !is_device(kind) && kind != EdgeKind::idle_thread && kind != EdgeKind::handoff) return false;
    const std::uint32_t from = job_.node_lane[graph_.source(slot)];
    return from == kNowhere || from == job_.node_lane[target];
  }

  [[nodiscard]] std::uint32_t lane_of(Slot slot, NodeId target, std::uint32_t rank) const {
    const std::uint32_t lane = job_.node_lane[target], tag = graph_.edge_tag(slot);
    const bool by_host =
        job_.kind(slot) == EdgeKind::communication && tag != graph::kNoTag && job_.owners[tag].device < 0;
    return by_host && lane != job_.ranks[rank].main_lane ? kHostCommunication : lane;
  }

  void find_series() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> place;  // (rank, lane) -> lane of pieces_
    for (graph::Position p = 0; p < graph_.node_count(); ++p) {
      const NodeId target = graph_.node_at(p);
      const std::uint32_t rank = job_.node_rank[target];
      if (rank == causal::kNoRank) continue;
      for (const Slot slot : graph_.incoming_at(p)) {
        if (pieces_.slot_class[slot] == kNoClass || !is_in_series(slot, target)) continue;
        const std::uint32_t lane = lane_of(slot, target, rank);
        const auto [at, is_new] = place.try_emplace({rank, lane}, pieces_.lanes.size());
        if (is_new) {
          pieces_.lanes.emplace_back().lane = lane;
          lane_rank_.push_back(rank);
        }
        pieces_.lanes[at->second].slots.push_back(slot);
        if (ends_with_[target] == kNoSlot) ends_with_[target] = slot;
        if (NodeId& first = begins_with_[graph_.source(slot)]; first == kNoSlot) first = slot;
      }
    }
    // The piece that begins with an arrival is the transfer; between them lies the moment at which all are there.
    for (const causal::JobPart& part : job_.parts) begins_with_[part.arrival] = part.transfer;
  }

  /// A transfer begins for its lane when the rank arrives.
  [[nodiscard]] TimePs begin_of(Slot slot) const {
    const NodeId source = graph_.source(slot);
    return job_.time[job_.is_ready(source) ? job_.parts[job_.part_of(source)].arrival : source];
  }

  void describe(LanePieces& lane, std::uint32_t place) {
    const causal::JobRank& rank = job_.ranks[place];
    lane.rank = pieces_.ranks[place];
    // Positions are an order in which nodes can be solved, which need not be that of time.
    std::stable_sort(lane.slots.begin(), lane.slots.end(), [&](Slot x, Slot y) { return begin_of(x) < begin_of(y); });
    lane.classes.reserve(lane.slots.size());
    for (const Slot slot : lane.slots) lane.classes.push_back(pieces_.slot_class[slot]);
    if (lane.lane == kNowhere) lane.role = "before";
    else if (lane.lane == kHostCommunication) lane.role = "communication";
    else if (lane.lane == rank.main_lane) lane.role = "main";
    else name_role(lane, rank);
  }

  void name_role(LanePieces& lane, const causal::JobRank& rank) const {
    std::int64_t device = -1;
    // Where it does nothing before its first work, that is no use. The order of launches is the program's; that of
    // starts may differ by chance.
    lane.first_use = std::numeric_limits<TimePs>::max();
    for (const Slot slot : lane.slots) {
      const std::uint32_t tag = graph_.edge_tag(slot);
      if (tag == graph::kNoTag) continue;
      device = std::max(device, job_.owners[tag].device);
      lane.first_use = std::min(lane.first_use, job_.owners[tag].launch_start);
    }
    lane.role = device >= 0 ? "stream of " + std::to_string(device)
                            : "thread " + role_of_thread(job_.strings.text(rank.lanes[lane.lane].name));
  }

  /// The piece that a delay into `target` goes with: that of the same event, else what begins there, else what ends
  /// there.
  [[nodiscard]] Slot piece_of(Slot delay, NodeId target) const {
    const std::uint32_t tag = graph_.edge_tag(delay);
    const Slot next = begins_with_[target], last = ends_with_[target];
    const auto is_own = [&](Slot slot) {
      return slot != kNoSlot && tag != graph::kNoTag && graph_.edge_tag(slot) == tag;
    };
    if (is_own(next) || !is_own(last)) return next != kNoSlot ? next : last;
    return last;
  }

  void attach_delays() {
    pieces_.delays = group_by_row<Slot>(graph_.edge_count(), [&](const auto& add) {
      for (graph::Position p = 0; p < graph_.node_count(); ++p) {
        const NodeId target = graph_.node_at(p);
        if (job_.node_rank[target] == causal::kNoRank) continue;
        for (const Slot slot : graph_.incoming_at(p)) {
          if (pieces_.slot_class[slot] == kNoClass || is_in_series(slot, target)) continue;
          if (const Slot piece = piece_of(slot, target); piece != kNoSlot) add(piece, slot);
        }
      }
    });
  }

  const causal::CausalGraph& job_;
  const graph::Graph& graph_;
  RunPieces pieces_;
  std::vector<std::uint32_t> lane_rank_;       // per lane: place in CausalGraph::ranks
  std::vector<Slot> ends_with_, begins_with_;  // per node: the first piece in a lane that ends or begins there
};

class Aligner {
 public:
  Aligner(const causal::CausalGraph& job_a, const RunPieces& a, const causal::CausalGraph& job_b, const RunPieces& b,
          const PieceClasses& classes)
      : job_a_(job_a), a_(a), job_b_(job_b), b_(b), classes_(classes) {
    result_.partner_of_a.assign(job_a.graph.edge_count(), kNoSlot);
    result_.partner_of_b.assign(job_b.graph.edge_count(), kNoSlot);
  }

  PieceAlignment align() {
    pair_all_lanes();
    for (const auto& [a, b] : result_.lanes) align_lane(a_.lanes[a], b_.lanes[b]);
    return std::move(result_);
  }

 private:
  // Both are sorted by rank, role and first use.
  void pair_all_lanes() {
    const auto key = [](const LanePieces& lane) { return std::tie(lane.rank, lane.role); };
    for (std::uint32_t i = 0, j = 0; i < a_.lanes.size() && j < b_.lanes.size();) {
      if (key(a_.lanes[i]) < key(b_.lanes[j])) ++i;
      else if (key(b_.lanes[j]) < key(a_.lanes[i])) ++j;
      else pair_role(i, j);
    }
  }

  // All lanes of the role that those at `i` and `j` have; both move behind them.
  void pair_role(std::uint32_t& i, std::uint32_t& j) {
    const auto take = [](const std::vector<LanePieces>& lanes, std::uint32_t& at) {
      std::vector<LaneClasses> taken;
      for (const LanePieces& first = lanes[at];
           at < lanes.size() && lanes[at].rank == first.rank && lanes[at].role == first.role; ++at)
        taken.emplace_back(lanes[at].classes);
      return taken;
    };
    const std::uint32_t first_a = i, first_b = j;
    const std::vector<LaneClasses> a = take(a_.lanes, i), b = take(b_.lanes, j);
    for (const auto& [x, y] : pair_lanes(a, b)) result_.lanes.emplace_back(first_a + x, first_b + y);
  }

  // Of several longest subsequences the choice depends on which sequence comes first: the one that is smaller as text
  // does, so that comparing b with a finds what comparing a with b found.
  void align_lane(const LanePieces& a, const LanePieces& b) {
    const auto smaller = [&](std::uint32_t x, std::uint32_t y) { return classes_[x] < classes_[y]; };
    const bool swapped =
        std::lexicographical_compare(b.classes.begin(), b.classes.end(), a.classes.begin(), a.classes.end(), smaller);
    const auto pairs = swapped ? common_subsequence(b.classes, a.classes) : common_subsequence(a.classes, b.classes);
    for (const auto& [first, second] : pairs) {
      const Slot of_a = a.slots[swapped ? second : first], of_b = b.slots[swapped ? first : second];
      pair(of_a, of_b);
      align_delays(a_.delays[of_a], b_.delays[of_b]);
    }
  }

  void align_delays(std::span<const Slot> a, std::span<const Slot> b) {
    for (const Slot delay : a) {
      const auto is_like = [&](Slot other) {
        return result_.partner_of_b[other] == kNoSlot && job_a_.kind(delay) == job_b_.kind(other);
      };
      if (const auto at = std::find_if(b.begin(), b.end(), is_like); at != b.end()) pair(delay, *at);
    }
  }

  void pair(Slot a, Slot b) {
    result_.partner_of_a[a] = b;
    result_.partner_of_b[b] = a;
  }

  const causal::CausalGraph& job_a_;
  const RunPieces& a_;
  const causal::CausalGraph& job_b_;
  const RunPieces& b_;
  const PieceClasses& classes_;
  PieceAlignment result_;
};

}  // namespace

RunPieces find_pieces(const causal::CausalGraph& job, Column<std::uint32_t> slot_class,
                      std::optional<std::int64_t> rank) {
  return PieceFinder(job, std::move(slot_class), rank).find();
}

PieceAlignment align_pieces(const causal::CausalGraph& job_a, const RunPieces& a, const causal::CausalGraph& job_b,
                            const RunPieces& b, const PieceClasses& classes) {
  return Aligner(job_a, a, job_b, b, classes).align();
}

}  // namespace orrery::analyze
