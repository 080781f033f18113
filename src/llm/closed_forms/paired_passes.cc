#include "llm/closed_forms/paired_passes.h"

#include <algorithm>
#include <vector>

namespace orrery::llm {
namespace {

constexpr std::int32_t kNoPiece = -1;

bool exchanges_tokens(const Piece& piece) { return piece.is_collective && piece.axis == ParallelAxis::expert; }

/// Takes the pieces of one pass over into a passage that it shares with another one.
class Strand {
 public:
  Strand(const Passage& pieces, Passage& into) : pieces_(pieces), into_(into) {}

  [[nodiscard]] bool has_more() const { return next_ < pieces_.size(); }

  /// Up to the next place where it would wait for tokens.
  void take_segment() {
    const std::size_t begin = next_;
    while (has_more()) {
      if (next_ > begin && waits_for_tokens(pieces_[next_])) return;
      if (take()) return;
    }
  }
  /// What is still under way when all pieces are taken.
  void settle() {
    if (pending_ != kNoPiece) add_wait(pending_);
    pending_ = kNoPiece;
  }

 private:
  [[nodiscard]] bool waits_for_tokens(const Piece& piece) const {
    return std::any_of(piece.waits_for.begin(), piece.waits_for.end(), [&](std::int32_t place) {
      return place != kNoPiece && exchanges_tokens(pieces_[static_cast<std::size_t>(place)]);
    });
  }

  void add_wait(std::int32_t place) {
    into_.push_back({.name = {.what = "wait"}});
    into_.back().waits_for[0] = place;
  }

  /// Returns whether the pass goes on only when this exchange has ended.
  bool take() {
    Piece piece = pieces_[next_++];
    for (std::int32_t& place : piece.waits_for) {
      if (place != kNoPiece) place = places_[static_cast<std::size_t>(place)];
    }
    if (pending_ != kNoPiece) {
      const auto free = std::find(piece.waits_for.begin(), piece.waits_for.end(), kNoPiece);
      if (free != piece.waits_for.end()) *free = pending_;
      else add_wait(pending_);
      pending_ = kNoPiece;
    }
    const bool holds_up = exchanges_tokens(piece) && piece.joins;
    if (holds_up) piece.joins = false;
    const auto place = static_cast<std::int32_t>(into_.size());
    places_.push_back(place);
    into_.push_back(piece);
    if (holds_up) pending_ = place;
    return holds_up;
  }

  const Passage& pieces_;
  Passage& into_;
  std::size_t next_ = 0;
  std::vector<std::int32_t> places_;  // of pieces that were taken
  std::int32_t pending_ = kNoPiece;   // the exchange that the next piece waits for
};

}  // namespace

Passage pair_passes(const Passage& forward, const Passage& backward) {
  Passage passage;
  passage.reserve(forward.size() + backward.size() + 2);
  Strand of_backward(backward, passage), of_forward(forward, passage);
  while (of_backward.has_more() || of_forward.has_more()) {
    if (of_backward.has_more()) of_backward.take_segment();
    if (of_forward.has_more()) of_forward.take_segment();
  }
  of_backward.settle();
  of_forward.settle();
  return passage;
}

}  // namespace orrery::llm
