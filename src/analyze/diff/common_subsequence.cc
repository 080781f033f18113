#include "analyze/diff/common_subsequence.h"

#include <algorithm>
#include <bit>

#include "base/sparse_rows.h"

// Rows of the table of lengths are kept as bits (Crochemore et al. 2001): one addition advances 64 columns.
// Hirschberg's method finds the pairs in linear space, by halving one sequence and asking rows from both sides where
// the other one is to be cut.

namespace orrery::analyze {
namespace {

constexpr std::uint64_t kAllOnes = ~std::uint64_t{0};

/// Where a symbol occurs in 64 neighbouring elements.
struct Occurrences {
  std::uint32_t word;
  std::uint64_t mask;
};

/// Row i of the table of lengths, L(a[first..i], b[begin..j]) for all j, as bits of b: it grows by one at j where the
/// bit of element j is 0.
class LengthRow {
 public:
  LengthRow(std::span<const std::uint32_t> b, std::size_t symbols)
      : occurrences_(group_by_row<Occurrences>(symbols,
                                               [&](const auto& add) {
                                                 // Words of a symbol ascend, since elements do; several in one word are
                                                 // merged below.
                                                 for (std::uint32_t j = 0; j < b.size(); ++j)
                                                   add(b[j], Occurrences{j / 64, std::uint64_t{1} << (j % 64)});
                                               })),
        count_(symbols),
        bits_(b.size() / 64 + 1, kAllOnes) {
    for (std::size_t symbol = 0; symbol < symbols; ++symbol) count_[symbol] = merge(occurrences_[symbol]);
  }

  /// An empty row over elements [begin, end).
  void restart(std::uint32_t begin, std::uint32_t end) {
    begin_ = begin;
    end_ = end;
    std::fill(bits_.begin() + begin / 64, bits_.begin() + end / 64 + 1, kAllOnes);
  }

  /// The next row: row + (row & matches) | (row & ~matches) over one long number, of which only words with matches, and
  /// those a carry reaches, change.
  void append(std::uint32_t symbol) {
    const std::uint32_t last = (end_ - 1) / 64;
    bool carry = false;
    std::uint32_t next = begin_ / 64;  // where a carry would go
    const std::span<const Occurrences> all = occurrences_[symbol].first(count_[symbol]);
    const auto from = std::partition_point(all.begin(), all.end(), [&](const Occurrences& o) { return o.word < next; });
    for (auto at = from; at != all.end() && at->word <= last; ++at) {
      const std::uint64_t matches = at->mask & within(at->word);
      if (matches == 0) continue;
      while (carry && next < at->word) carry = carry_into(next++);
      std::uint64_t& row = bits_[at->word];
      const std::uint64_t sum = row + (row & matches), carried = sum + (carry ? 1 : 0);
      const bool overflow = sum < row || carried < sum;
      row = carried | (row & ~matches);
      carry = overflow;
      next = at->word + 1;
    }
    while (carry && next <= last) carry = carry_into(next++);
  }

  /// lengths[k]: with the first k elements of the range.
  void read(std::vector<std::uint32_t>& lengths) const {
    lengths.assign(1, 0);
    for (std::uint32_t j = begin_; j < end_; ++j)
      lengths.push_back(lengths.back() + ((bits_[j / 64] >> (j % 64) & 1) == 0 ? 1 : 0));
  }

  /// The first element of [begin, end) that is `symbol`; `end` if none is.
  [[nodiscard]] std::uint32_t find(std::uint32_t symbol, std::uint32_t begin, std::uint32_t end) {
    begin_ = begin;
    end_ = end;
    for (const Occurrences& o : occurrences_[symbol].first(count_[symbol])) {
      if (o.word < begin / 64) continue;
      if (o.word * std::uint64_t{64} >= end) break;
      if (const std::uint64_t matches = o.mask & within(o.word); matches != 0)
        return o.word * 64 + static_cast<std::uint32_t>(std::countr_zero(matches));
    }
    return end;
  }

 private:
  static std::size_t merge(std::span<Occurrences> all) {
    std::size_t kept = 0;
    for (const Occurrences& one : all) {
      if (kept > 0 && all[kept - 1].word == one.word) all[kept - 1].mask |= one.mask;
      else all[kept++] = one;
    }
    return kept;
  }
  [[nodiscard]] std::uint64_t within(std::uint32_t word) const {
    std::uint64_t mask = kAllOnes;
    if (word == begin_ / 64) mask &= kAllOnes << (begin_ % 64);
    if (word == end_ / 64) mask &= ~(kAllOnes << (end_ % 64));
    return mask;
  }
  /// Returns whether it goes on.
  bool carry_into(std::uint32_t word) {
    const std::uint64_t row = bits_[word];
    bits_[word] = (row + 1) | row;
    return row == kAllOnes;
  }

  SparseRows<Occurrences> occurrences_;
  std::vector<std::size_t> count_;  // of a symbol's occurrences, words that hold several counted once
  std::vector<std::uint64_t> bits_;
  std::uint32_t begin_ = 0, end_ = 0;
};

class Hirschberg {
 public:
  Hirschberg(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b, std::size_t symbols)
      : a_(a), b_(b), backward_b_(b.rbegin(), b.rend()), forward_(b, symbols), backward_(backward_b_, symbols) {}

  std::vector<std::pair<std::uint32_t, std::uint32_t>> run() {
    align(0, size(a_), 0, size(b_));
    // Pairs come in the order of the recursion.
    std::sort(pairs_.begin(), pairs_.end());
    return std::move(pairs_);
  }

 private:
  static std::uint32_t size(std::span<const std::uint32_t> symbols) {
    return static_cast<std::uint32_t>(symbols.size());
  }

  // a[a0, a1) with b[b0, b1). It calls itself for halves of a: the depth is the logarithm of its length.
  void align(std::uint32_t a0, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
    // What is equal at both ends belongs together in some longest common subsequence.
    while (a0 < a1 && b0 < b1 && a_[a0] == b_[b0]) pairs_.emplace_back(a0++, b0++);
    while (a0 < a1 && b0 < b1 && a_[a1 - 1] == b_[b1 - 1]) pairs_.emplace_back(--a1, --b1);
    if (a0 == a1 || b0 == b1) return;
    if (a1 - a0 == 1) {
      if (const std::uint32_t j = forward_.find(a_[a0], b0, b1); j != b1) pairs_.emplace_back(a0, j);
      return;
    }
    const std::uint32_t middle = a0 + (a1 - a0) / 2, cut = b0 + best_cut(a0, middle, a1, b0, b1);
    align(a0, middle, b0, cut);
    align(middle, a1, cut, b1);
  }

  /// How many elements of b go to the first half of a, so that both halves together have the longest; the fewest.
  std::uint32_t best_cut(std::uint32_t a0, std::uint32_t middle, std::uint32_t a1, std::uint32_t b0, std::uint32_t b1) {
    forward_.restart(b0, b1);
    for (std::uint32_t i = a0; i < middle; ++i) forward_.append(a_[i]);
    forward_.read(before_);
    backward_.restart(size(b_) - b1, size(b_) - b0);
    for (std::uint32_t i = a1; i > middle; --i) backward_.append(a_[i - 1]);
    backward_.read(behind_);
    const std::uint32_t elements = b1 - b0;
    std::uint32_t best = 0;
    for (std::uint32_t k = 1; k <= elements; ++k) {
      if (before_[k] + behind_[elements - k] > before_[best] + behind_[elements - best]) best = k;
    }
    return best;
  }

  std::span<const std::uint32_t> a_, b_;
  std::vector<std::uint32_t> backward_b_;
  LengthRow forward_, backward_;
  std::vector<std::uint32_t> before_, behind_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

}  // namespace

std::vector<std::pair<std::uint32_t, std::uint32_t>> common_subsequence(std::span<const std::uint32_t> a,
                                                                        std::span<const std::uint32_t> b) {
  if (a.empty() || b.empty()) return {};
  const std::uint32_t largest = std::max(*std::max_element(a.begin(), a.end()), *std::max_element(b.begin(), b.end()));
  return Hirschberg(a, b, std::size_t{largest} + 1).run();
}

}  // namespace orrery::analyze
