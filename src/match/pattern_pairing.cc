#include "match/pattern_pairing.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/sparse_rows.h"
#include "base/statistics.h"

// Events are beats with a kind. A shift between two clocks is guessed from the rarest beat in a short block, by every
// beat of the reference that it could be; the best guesses are followed outwards, adjusting to drift on the way, and
// one counts only if it is clearly better than all others. What is left on either side, after a clock was set, is tried
// anew.

namespace orrery::match {
namespace {

constexpr std::size_t kBlock = 32;          // beats in a row that a shift is tried on
constexpr std::size_t kHypotheses = 8;      // shifts that are followed
constexpr std::size_t kWindow = 512;        // beats on either side of the anchor that tell them apart
constexpr std::size_t kAnchors = 16;        // places to try
constexpr std::size_t kShortest = 32;       // beats that are tried anew
constexpr std::size_t kLeastPairs = 8;      // fewer prove nothing
constexpr std::size_t kMostStretches = 64;  // a clock is not set more often than that
constexpr double kClearlyWorse = 2;
// Distances from the nearest beat of the kind: 0 on it, 1 half way to the next or further.
constexpr double kPoorFit = 0.15;  // a mean at which nothing is proven
constexpr double kAbsent = 0.5;    // one at which a beat has no partner
constexpr double kLost =
    0.15;  // a recent mean, absent ones as kAbsent, at which the beat is lost: at random it is above a quarter
constexpr double kMemory = 16;  // beats that are recent

/// Beats of the reference by token.
class Reference {
 public:
  explicit Reference(std::span<const PatternEvent> beats) {
    std::uint32_t tokens = 0;
    for (const PatternEvent& beat : beats) tokens = std::max(tokens, beat.token + 1);
    index_ = group_by_row<std::uint32_t>(tokens, [&](const auto& add) {
      for (std::uint32_t i = 0; i < beats.size(); ++i) add(beats[i].token, i);
    });
    at_.reserve(beats.size());
    for (const std::uint32_t i : index_.entries()) at_.push_back(beats[i].at);
    set_reach(beats);
  }

  [[nodiscard]] std::size_t count(std::uint32_t token) const {
    return token < index_.row_count() ? index_.length(token) : 0;
  }
  [[nodiscard]] TimePs time(std::uint32_t token, std::size_t n) const { return at_[index_.first(token) + n]; }
  /// How far off a beat may be: half of what usually lies between two of its kind.
  [[nodiscard]] double reach(std::uint32_t token) const { return reach_[token]; }
  [[nodiscard]] bool is_within(TimePs at) const { return at >= first_ && at <= last_; }

  struct Nearest {
    double off = std::numeric_limits<double>::max();  ///< at - time of the beat
    std::uint32_t index = PatternPairing::kNone;
  };
  [[nodiscard]] Nearest nearest(std::uint32_t token, TimePs at) const {
    if (count(token) == 0) return {};
    const auto begin = at_.begin() + index_.first(token), end = at_.begin() + index_.first(token + 1);
    auto found = std::lower_bound(begin, end, at);
    if (found == end || (found != begin && at - found[-1] <= *found - at)) --found;
    return {static_cast<double>(at - *found), index_.entries()[static_cast<std::size_t>(found - at_.begin())]};
  }

 private:
  void set_reach(std::span<const PatternEvent> beats) {
    if (beats.empty()) return;
    first_ = beats.front().at;
    last_ = beats.back().at;
    const double everything = std::max(static_cast<double>(last_ - first_), 1.0);
    reach_.assign(index_.row_count(), everything);
    std::vector<TimePs> gaps;
    for (std::size_t t = 0; t < index_.row_count(); ++t) {
      gaps.clear();
      for (std::uint32_t i = index_.first(t) + 1; i < index_.first(t + 1); ++i) gaps.push_back(at_[i] - at_[i - 1]);
      if (gaps.empty()) continue;
      reach_[t] = std::max(static_cast<double>(upper_median(gaps)) / 2, 1.0);
    }
  }

  SparseRows<std::uint32_t> index_;  // of beats, by token
  std::vector<TimePs> at_;           // of the same
  std::vector<double> reach_;
  TimePs first_ = 0, last_ = 0;
};

/// Stretch of the follower's beats: [begin, end).
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class Pairer {
 public:
  Pairer(std::span<const PatternEvent> reference, std::span<const PatternEvent> follower)
      : reference_(reference), beats_(follower) {
    out_.partner.assign(follower.size(), PatternPairing::kNone);
    off_.resize(follower.size());
  }

  PatternPairing pair() {
    std::vector<Stretch> open = {{0, beats_.size()}};
    for (std::size_t tried = 0; !open.empty(); ++tried) {
      const Stretch stretch = open.back();
      open.pop_back();
      const Stretch held = tried < kMostStretches ? hold(stretch) : Stretch{};
      if (held.size() == 0) {
        out_.unclear += stretch.size();
        continue;
      }
      // A clock that was set loses the beat: what lies beyond is tried anew. A few beats at an end are absent from the
      // reference.
      for (const Stretch rest : {Stretch{stretch.begin, held.begin}, Stretch{held.end, stretch.end}}) {
        if (rest.size() >= kShortest) open.push_back(rest);
      }
    }
    keep_nearest();
    return std::move(out_);
  }

 private:
  struct Hypothesis {
    double shift = 0;  ///< the follower's clock less the reference's
    double score = 0;
  };
  /// Of the beats that a shift puts within the reference.
  struct Tally {
    double sum = 0;  ///< of their distances, 1 where one is absent
    std::size_t counted = 0, pairs = 0;
    [[nodiscard]] double mean() const { return counted == 0 ? 1 : sum / static_cast<double>(counted); }
  };
  struct Track {
    Stretch held;
    bool is_lost = false;  ///< the beat was, at either end, before the stretch or the window was over
    Tally tally;
  };

  [[nodiscard]] TimePs moved(std::size_t i, double shift) const { return beats_[i].at - static_cast<TimePs>(shift); }

  /// 0: on a beat of the reference; 1: not near any.
  [[nodiscard]] double distance(std::size_t i, double shift) const {
    const Reference::Nearest nearest = reference_.nearest(beats_[i].token, moved(i, shift));
    if (nearest.index == PatternPairing::kNone) return 1;
    return std::min(std::abs(nearest.off) / reference_.reach(beats_[i].token), 1.0);
  }

  /// Pairs what it can around the first anchor at which one shift is clearly the best; an empty stretch if there is
  /// none.
  Stretch hold(Stretch stretch) {
    for (std::size_t n = 0; n < kAnchors; ++n) {
      // 8/16, 4/16, 12/16, 2/16, ...: halving, so that little is tried twice.
      // Bits in reverse order (van der Corput).
      std::size_t sixteenths = 0;
      for (std::size_t bit = 1, half = kAnchors / 2; bit < kAnchors; bit *= 2, half /= 2)
        sixteenths += ((n + 1) % kAnchors & bit) != 0 ? half : 0;
      const std::size_t middle = stretch.begin + stretch.size() * sixteenths / kAnchors;
      Stretch block;
      block.begin = std::max(stretch.begin, middle - std::min(middle, kBlock / 2));
      block.end = std::min(stretch.end, block.begin + kBlock);
      block.begin = std::max(stretch.begin, block.end - std::min(block.end, kBlock));
      const Stretch held = follow_best(stretch, block);
      if (held.size() > 0) return held;
      if (block.size() == stretch.size()) break;
    }
    return {};
  }

  Stretch follow_best(Stretch stretch, Stretch block) {
    std::vector<double> shifts;
    std::vector<Track> tracks;
    for (const Hypothesis& hypothesis : hypotheses(block)) {
      double shift = hypothesis.shift;
      for (int pass = 0; pass < 3; ++pass) shift = refined(block, shift);
      const double same = kPoorFit * least_reach(block);
      if (std::any_of(shifts.begin(), shifts.end(), [&](double other) { return std::abs(other - shift) < same; }))
        continue;
      shifts.push_back(shift);
      tracks.push_back(follow(stretch, block, shift, false));
    }
    const std::size_t best = clearly_best(tracks);
    return best < tracks.size() ? follow(stretch, block, shifts[best], true).held : Stretch{};
  }

  /// The place of a track that fits, and better than every other by far; their number if there is none.
  [[nodiscard]] static std::size_t clearly_best(const std::vector<Track>& tracks) {
    // A wrong shift may fit ten beats by chance before it is lost, where the right one goes on for hundreds: what it
    // did not reach counts against it. What it puts before or after the reference does not: there is nothing that it
    // could have met.
    std::size_t most = 1;
    for (const Track& track : tracks) most = std::max(most, track.tally.counted);
    const auto cost = [&](const Track& track) {
      if (!track.is_lost) return track.tally.mean();
      return (track.tally.sum + kAbsent * static_cast<double>(most - track.tally.counted)) / static_cast<double>(most);
    };
    std::size_t best = tracks.size();
    double least = 1, next = 1;
    for (std::size_t i = 0; i < tracks.size(); ++i) {
      if (cost(tracks[i]) < least) {
        next = std::exchange(least, cost(tracks[i]));
        best = i;
      } else {
        next = std::min(next, cost(tracks[i]));
      }
    }
    if (best == tracks.size() || tracks[best].tally.pairs < kLeastPairs || tracks[best].tally.mean() > kPoorFit)
      return tracks.size();
    return least * kClearlyWorse < next ? best : tracks.size();
  }

  /// The shifts that fit the block best, by all beats of the reference that its rarest beat may be.
  std::vector<Hypothesis> hypotheses(Stretch block) {
    std::size_t anchor = block.end;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      // The rarest beat has the fewest candidates.
      const std::size_t count = reference_.count(beats_[i].token);
      if (count > 0 && (anchor == block.end || count < reference_.count(beats_[anchor].token))) anchor = i;
    }
    std::vector<Hypothesis> best;
    if (anchor == block.end) return best;
    const auto beats = static_cast<double>(block.size());
    for (std::size_t n = 0; n < reference_.count(beats_[anchor].token); ++n) {
      const auto shift = static_cast<double>(beats_[anchor].at - reference_.time(beats_[anchor].token, n));
      const double limit = best.size() < kHypotheses ? beats : best.back().score;
      double score = 0;
      // A guess that is worse than the worst kept one is not followed to its end.
      for (std::size_t i = block.begin; i < block.end && score < limit; ++i) score += distance(i, shift);
      if (score >= limit) continue;
      const auto place =
          std::upper_bound(best.begin(), best.end(), score, [](double a, const Hypothesis& b) { return a < b.score; });
      best.insert(place, {shift, score});
      if (best.size() > kHypotheses) best.pop_back();
    }
    return best;
  }

  [[nodiscard]] double least_reach(Stretch block) const {
    double least = std::numeric_limits<double>::max();
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (reference_.count(beats_[i].token) > 0) least = std::min(least, reference_.reach(beats_[i].token));
    }
    return least;
  }

  /// The shift without what the anchor itself is off.
  [[nodiscard]] double refined(Stretch block, double shift) {
    scratch_.clear();
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (distance(i, shift) < kAbsent) scratch_.push_back(reference_.nearest(beats_[i].token, moved(i, shift)).off);
    }
    return scratch_.empty() ? shift : shift + upper_median(scratch_);
  }

  /// From the block outwards, the shift going along with the clocks' drift, until the beat is lost. `keep`: notes the
  /// partners; else it is only to judge the shift, and ends with the window.
  Track follow(Stretch stretch, Stretch block, double shift, bool keep) {
    Track track;
    track.held.end = follow(block.begin, stretch.end, 1, shift, keep, track);
    track.held.begin = follow(block.begin - 1, stretch.begin - 1, -1, shift, keep, track) + 1;
    return track;
  }

  /// One way: from `from` to before `limit`. Returns the first beat that is not held.
  std::size_t follow(std::size_t from, std::size_t limit, std::ptrdiff_t step, double shift, bool keep, Track& track) {
    Tally& tally = track.tally;
    double level = 0;  // recent mean distance
    std::size_t held = from, i = from;
    for (std::size_t beats = 0; i != limit && level < kLost; ++beats, i += static_cast<std::size_t>(step)) {
      if (!keep && beats > kWindow) break;
      const TimePs at = moved(i, shift);
      if (reference_.is_within(at)) {
        const double off = distance(i, shift);
        tally.sum += off, ++tally.counted;
        level += (std::min(off, kAbsent) - level) / kMemory;
        if (off < kAbsent) {
          ++tally.pairs;
          const Reference::Nearest nearest = reference_.nearest(beats_[i].token, at);
          if (keep) out_.partner[i] = nearest.index, off_[i] = std::abs(nearest.off);
          // An eighth of what it is off: fast enough for drift, slow enough for noise.
          shift += nearest.off / 8;
        }
      }
      if (level < kLost / 2)
        held =
            i + static_cast<std::size_t>(step);  // before or after the reference there is no pair, but no doubt either
    }
    if (level < kLost) return i;
    track.is_lost = true;
    for (std::size_t k = held; keep && k != i; k += static_cast<std::size_t>(step))
      out_.partner[k] = PatternPairing::kNone;
    return held;
  }

  /// Of several beats with one partner the nearest keeps it.
  void keep_nearest() {
    std::vector<std::uint32_t> owner;
    for (std::uint32_t i = 0; i < beats_.size(); ++i) {
      const std::uint32_t partner = out_.partner[i];
      if (partner == PatternPairing::kNone) continue;
      if (partner >= owner.size()) owner.resize(partner + 1, PatternPairing::kNone);
      std::uint32_t& holder = owner[partner];
      if (holder != PatternPairing::kNone && off_[holder] <= off_[i]) {
        out_.partner[i] = PatternPairing::kNone;
        continue;
      }
      if (holder != PatternPairing::kNone) out_.partner[holder] = PatternPairing::kNone;
      holder = i;
    }
  }

  Reference reference_;
  std::span<const PatternEvent> beats_;
  PatternPairing out_;
  std::vector<double> off_;  // of each beat from its partner
  std::vector<double> scratch_;
};

}  // namespace

PatternPairing pair_by_pattern(std::span<const PatternEvent> reference, std::span<const PatternEvent> follower) {
  return Pairer(reference, follower).pair();
}

}  // namespace orrery::match
