#include "analyze/blame/root_cause.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "base/int128.h"

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::EdgeKind;
using graph::kNoSlot;
using graph::NodeId;
using graph::Slot;

std::uint64_t packed(causal::PieceClass work) { return static_cast<std::uint64_t>(work.kind) << 32 | work.name; }
causal::PieceClass unpacked(std::uint64_t work) {
  return {static_cast<EdgeKind>(work >> 32), static_cast<StringId>(work)};
}

}  // namespace

bool comes_before(const CausalGraph& job, const Cause& a, const Cause& b) {
  if (a.rank != b.rank) return a.rank < b.rank;
  if (a.work.kind != b.work.kind) return std::strcmp(identifier(a.work.kind), identifier(b.work.kind)) < 0;
  return job.strings.text(a.work.name) < job.strings.text(b.work.name);
}

/// Goes back along binding edges, noting what took time.
class RootCauses::History {
 public:
  History(const CausalGraph& job, std::vector<Piece>& pieces) : job_(job), pieces_(pieces) { pieces_.clear(); }

  void add(Slot slot, NodeId target) {
    const EdgeKind kind = job_.kind(slot);
    // A transfer cuts the run of its rank even if it took no time: what came before it is another stretch on every rank
    // alike.
    const bool stands_alone = kind == EdgeKind::before || job_.is_transfer(slot);
    const std::uint32_t rank = job_.node_rank[target];
    if (kind == EdgeKind::arrival || rank == causal::kNoRank) return;
    if (stands_alone || cut_ || rank != rank_) ++stretch_;
    rank_ = rank;
    cut_ = stands_alone;
    // Delays under the name of what they delayed, unlike elsewhere: a launch that is late is another piece of history
    // than one of other work.
    job_.for_each_piece(slot, rank, [&](EdgeKind piece, StringId name, TimePs time) {
      if (time > 0) pieces_.push_back({packed({piece, name}), stretch_, rank, time});
    });
  }

  /// By class, then by stretch, latest first; one entry for each.
  std::span<const Piece> sums() {
    const auto key = [](const Piece& piece) { return std::tie(piece.work, piece.stretch); };
    std::sort(pieces_.begin(), pieces_.end(), [&](const Piece& a, const Piece& b) { return key(a) < key(b); });
    std::size_t kept = 0;
    for (const Piece& piece : pieces_) {
      if (kept > 0 && key(pieces_[kept - 1]) == key(piece)) pieces_[kept - 1].time += piece.time;
      else pieces_[kept++] = piece;
    }
    return std::span<const Piece>(pieces_).first(kept);
  }

 private:
  const CausalGraph& job_;
  std::vector<Piece>& pieces_;
  std::uint32_t stretch_ = 0;
  std::uint32_t rank_ = causal::kNoRank;
  bool cut_ = false;
};

void RootCauses::collect_until_common(NodeId culprit, NodeId rival, History& culprits, History& rivals) const {
  const graph::Graph& graph = job_.graph;
  const auto step_back = [&](NodeId& node, History& history) {
    const Slot slot = binding_[node];
    if (slot == kNoSlot) return false;
    history.add(slot, node);
    node = graph.source(slot);
    return true;
  };
  // Edges lead from smaller to larger positions, so the one that is further ahead cannot be behind the other: it goes
  // back.
  while (culprit != rival) {
    const bool culprit_is_ahead = graph.position(culprit) > graph.position(rival);
    if (culprit_is_ahead ? step_back(culprit, culprits) : step_back(rival, rivals)) continue;
    // A moment without a cause ends its history; the other's has no common moment to stop at.
    while (culprit_is_ahead ? step_back(rival, rivals) : step_back(culprit, culprits)) {
    }
    return;
  }
}

void RootCauses::compare(std::span<const Piece> culprits, std::span<const Piece> rivals) {
  std::size_t r = 0;
  for (std::size_t c = 0; c < culprits.size();) {
    const std::uint64_t work = culprits[c].work;
    while (r < rivals.size() && rivals[r].work < work) ++r;
    for (; c < culprits.size() && culprits[c].work == work; ++c) {
      const TimePs rival = r < rivals.size() && rivals[r].work == work ? rivals[r++].time : 0;
      if (culprits[c].time > rival) causes_.push_back({culprits[c].rank, unpacked(work), culprits[c].time - rival});
    }
  }
  // Several stretches of a rank may have more of the same work.
  const auto key = [](const Cause& cause) { return std::tuple(cause.rank, packed(cause.work)); };
  std::sort(causes_.begin(), causes_.end(), [&](const Cause& a, const Cause& b) { return key(a) < key(b); });
  std::size_t kept = 0;
  for (const Cause& cause : causes_) {
    if (kept > 0 && key(causes_[kept - 1]) == key(cause)) causes_[kept - 1].blame += cause.blame;
    else causes_[kept++] = cause;
  }
  causes_.resize(kept);
}

// Largest remainder: everybody the whole picoseconds of its share, the rest one by one to those who lost most by
// rounding down.
void RootCauses::share_out(TimePs wait) {
  Int128 all = 0;
  for (const Cause& cause : causes_) all += cause.blame;
  std::vector<std::pair<Int128, std::size_t>> remainders;
  TimePs left = wait;
  for (std::size_t i = 0; i < causes_.size(); ++i) {
    const Int128 share = Int128{wait} * causes_[i].blame;
    causes_[i].blame = static_cast<TimePs>(share / all);
    left -= causes_[i].blame;
    remainders.emplace_back(share % all, i);
  }
  if (left > 0) {
    std::sort(remainders.begin(), remainders.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : comes_before(job_, causes_[a.second], causes_[b.second]);
    });
    for (std::size_t i = 0; i < static_cast<std::size_t>(left); ++i) ++causes_[remainders[i].second].blame;
  }
  std::erase_if(causes_, [](const Cause& cause) { return cause.blame == 0; });
}

std::span<const Cause> RootCauses::find(NodeId culprit, Slot rival, NodeId rival_to, TimePs wait) {
  History culprits(job_, culprit_pieces_), rivals(job_, rival_pieces_);
  causes_.clear();
  rivals.add(rival, rival_to);
  collect_until_common(culprit, job_.graph.source(rival), culprits, rivals);
  compare(culprits.sums(), rivals.sums());
  if (!causes_.empty()) share_out(wait);
  return causes_;
}

}  // namespace orrery::analyze
