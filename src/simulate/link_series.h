// When links carried their bytes: per link 512 bins of equal length over the run, in whole bytes that add up to what it
// carried.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/column.h"
#include "base/units.h"

namespace orrery::simulate {

/// A plain value; 4 kB per link.
struct LinkSeries {
  static constexpr std::size_t kBins = 512;

  Column<std::uint32_t> links;  ///< recorded ones, ascending: all that carried anything; of very many the first of
                                ///< those with equal totals
  Column<std::uint64_t> bytes;  ///< kBins per recorded link

  [[nodiscard]] bool empty() const { return links.empty(); }
  /// Of links[row].
  [[nodiscard]] std::span<const std::uint64_t> of(std::size_t row) const { return {bytes.data() + row * kBins, kBins}; }
};

/// Where bin `bin` of a run of `span` begins; that of kBins is `span`.
TimePs bin_begin(TimePs span, std::size_t bin);

/// Collects while a run is executed of which it is known already how long it takes and what every link carries: so bins
/// have their place from the start, and links that carry nothing cost nothing. Not thread-safe.
class LinkRecorder {
 public:
  /// At most this many links are recorded: 128 MB. Where more carried something, the first of those that carried as
  /// much for as long; the longest busy.
  static constexpr std::size_t kMostLinks = 32'768;

  /// `link_bytes` and `link_busy_ps`: per link. `span`: of the run.
  LinkRecorder(std::span<const std::uint64_t> link_bytes, std::span<const TimePs> link_busy_ps, TimePs span);

  /// The link carries `bytes` between `begin` and `end`, evenly; at once if they are one moment. What lies outside the
  /// run counts as at its end.
  void add(std::uint32_t link, TimePs begin, TimePs end, double bytes);

  /// In whole bytes: each bin ends where the sum of all before it, as a share of the whole, is nearest. So they add up
  /// to `link_bytes`, which are those that it was made with. Nothing if nothing was added: the network did not tell.
  [[nodiscard]] LinkSeries take(std::span<const std::uint64_t> link_bytes) const;

 private:
  static constexpr std::uint32_t kNotRecorded = ~std::uint32_t{0};
  [[nodiscard]] std::size_t bin_of(TimePs time) const;

  std::vector<TimePs> begins_;       // of the bins, and the end of the last
  double bins_per_ps_ = 0;           // 0: the run takes no time
  std::vector<std::uint32_t> rows_;  // by link
  Column<std::uint32_t> links_;      // by row
  Column<double> bytes_;             // kBins per row
  bool was_told_ = false;
};

}  // namespace orrery::simulate
