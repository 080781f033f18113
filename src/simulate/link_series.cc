#include "simulate/link_series.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/int128.h"

namespace orrery::simulate {
namespace {

/// Those that are recorded, ascending.
std::vector<std::uint32_t> recorded_links(std::span<const std::uint64_t> link_bytes,
                                          std::span<const TimePs> link_busy_ps) {
  std::vector<std::uint32_t> links;
  for (std::uint32_t link = 0; link < link_bytes.size(); ++link) {
    if (link_bytes[link] > 0) links.push_back(link);
  }
  if (links.size() <= LinkRecorder::kMostLinks) return links;
  // Links with equal totals mostly did the same: one of each kind is drawn, the busiest first.
  const auto totals = [&](std::uint32_t link) {
    return std::pair(-link_busy_ps[link], ~link_bytes[link]);
  };  // most first
  std::stable_sort(links.begin(), links.end(), [&](std::uint32_t a, std::uint32_t b) { return totals(a) < totals(b); });
  links.erase(
      std::unique(links.begin(), links.end(), [&](std::uint32_t a, std::uint32_t b) { return totals(a) == totals(b); }),
      links.end());
  // Not resize(): GCC 12 thinks that it might grow, and beyond its bounds.
  if (links.size() > LinkRecorder::kMostLinks) links.erase(links.begin() + LinkRecorder::kMostLinks, links.end());
  std::sort(links.begin(), links.end());
  return links;
}

}  // namespace

TimePs bin_begin(TimePs span, std::size_t bin) {
  return static_cast<TimePs>(Int128{span} * static_cast<Int128>(bin) / static_cast<Int128>(LinkSeries::kBins));
}

LinkRecorder::LinkRecorder(std::span<const std::uint64_t> link_bytes, std::span<const TimePs> link_busy_ps, TimePs span)
    : rows_(link_bytes.size(), kNotRecorded) {
  for (std::size_t bin = 0; bin <= LinkSeries::kBins; ++bin) begins_.push_back(bin_begin(span, bin));
  if (span > 0) bins_per_ps_ = static_cast<double>(LinkSeries::kBins) / static_cast<double>(span);
  for (const std::uint32_t link : recorded_links(link_bytes, link_busy_ps)) {
    rows_[link] = static_cast<std::uint32_t>(links_.size());
    links_.push_back(link);
  }
  bytes_ = Column<double>(links_.size() * LinkSeries::kBins, 0);
}

std::size_t LinkRecorder::bin_of(TimePs time) const {
  // Near enough by a multiplication; the boundaries decide.
  const double guess = static_cast<double>(std::max<TimePs>(time, 0)) * bins_per_ps_;
  auto bin = static_cast<std::size_t>(std::min(guess, static_cast<double>(LinkSeries::kBins - 1)));
  while (bin > 0 && time < begins_[bin]) --bin;
  while (bin + 1 < LinkSeries::kBins && time >= begins_[bin + 1]) ++bin;
  return bin;
}

void LinkRecorder::add(std::uint32_t link, TimePs begin, TimePs end, double bytes) {
  // The limits of single flows are links to the solver, and to nobody else.
  if (link >= rows_.size() || rows_[link] == kNotRecorded) return;
  was_told_ = true;
  double* const bins = bytes_.data() + std::size_t{rows_[link]} * LinkSeries::kBins;
  std::size_t bin = bin_of(begin);
  if (end <= begins_[bin + 1] || bin + 1 == LinkSeries::kBins) {  // nearly always: bins are long
    bins[bin] += bytes;
    return;
  }
  const double per_ps = bytes / static_cast<double>(end - begin);
  for (TimePs from = begin; from < end; ++bin) {
    const TimePs to = bin + 1 == LinkSeries::kBins ? end : std::min(end, begins_[bin + 1]);
    bins[bin] += per_ps * static_cast<double>(to - from);
    from = to;
  }
}

LinkSeries LinkRecorder::take(std::span<const std::uint64_t> link_bytes) const {
  LinkSeries series;
  if (!was_told_) return series;
  series.links.append(std::span<const std::uint32_t>(links_));
  for (std::size_t row = 0; row < links_.size(); ++row) {
    const std::span<const double> bins(bytes_.data() + row * LinkSeries::kBins, LinkSeries::kBins);
    const std::uint64_t total = link_bytes[links_[row]];
    const double sum = std::accumulate(bins.begin(), bins.end(), 0.0);
    double before = 0;
    std::uint64_t told = 0;
    for (std::size_t bin = 0; bin < LinkSeries::kBins; ++bin) {
      before += bins[bin];
      const bool all = bin + 1 == LinkSeries::kBins || before >= sum;
      const std::uint64_t until =
          all ? total : static_cast<std::uint64_t>(std::llround(before / sum * static_cast<double>(total)));
      // Rounding of sizes beyond 2^53 may pass the total.
      const std::uint64_t end = std::clamp(until, told, total);
      series.bytes.push_back(end - told);
      told = end;
    }
  }
  return series;
}

}  // namespace orrery::simulate
