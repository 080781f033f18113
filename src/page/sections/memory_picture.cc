#include "page/sections/memory_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include "base/percent.h"
#include "base/units.h"
#include "page/sections/section.h"
#include "page/sections/stairs.h"
#include "report/counted.h"

namespace orrery::page {
namespace {

using analyze::CurvePoint;
using analyze::MemoryCurve;
using memory_snapshot::Segment;
using report::HtmlWriter;

constexpr int kCurveHeight = 400, kSegmentHeight = 24;
constexpr std::size_t kSegmentBins = 512, kSegmentsShown = 16;

/// Colours of the page that differ from one another in both themes; the last is of all others.
constexpr std::array<std::string_view, 12> kBandColours = {
    "cpu_operator", "communication", "kernel",      "launch_delay", "cpu_runtime", "memory_copy",
    "cpu_python",   "data_loading",  "sync_return", "memory_set",   "handoff",     "idle_device"};

std::string bytes_text(std::int64_t bytes) { return format_bytes(static_cast<std::uint64_t>(bytes)); }

std::string_view colour_of(const MemoryCurve& curve, std::size_t band) {
  return curve.bands[band] == "(others)" ? kBandColours.back() : kBandColours[std::min(band, kBandColours.size() - 1)];
}

/// The first point of most bytes.
std::size_t peak_of(const MemoryCurve& curve) {
  return static_cast<std::size_t>(
      std::distance(curve.points.begin(),
                    std::max_element(curve.points.begin(), curve.points.end(),
                                     [](const CurvePoint& a, const CurvePoint& b) { return a.bytes < b.bytes; })));
}

std::string series_of(const MemoryCurve& curve) {
  std::string series = "[";
  for (const CurvePoint& point : curve.points) series += (series.size() > 1 ? "," : "") + std::to_string(point.bytes);
  return series + "]";
}

/// From the highest band down: each covers the lower part of the one before.
void write_bands(HtmlWriter& html, const MemoryCurve& curve, std::size_t peak, std::int64_t full) {
  std::vector<std::uint64_t> below(curve.points.size());
  for (std::size_t i = 0; i < below.size(); ++i) below[i] = static_cast<std::uint64_t>(curve.points[i].bytes);
  for (std::size_t band = curve.bands.size(); band-- > 0;) {
    html.open("path", {{"d", stairs(below, static_cast<double>(std::max<std::int64_t>(full, 1)), kCurveHeight)},
                       {"style", fmt::format("fill:var(--k-{})", colour_of(curve, band))}});
    html.element("title", {},
                 fmt::format("{}: {} at the peak", curve.bands[band], bytes_text(curve.bands_at(peak)[band])))
        .close("path");
    for (std::size_t i = 0; i < below.size(); ++i) below[i] -= static_cast<std::uint64_t>(curve.bands_at(i)[band]);
  }
}

void write_bands_legend(HtmlWriter& html, const MemoryCurve& curve, std::size_t peak) {
  html.open("ul", {{"class", "names"}});
  for (std::size_t band = 0; band < curve.bands.size(); ++band) {
    html.open("li");
    write_swatch(html, colour_of(curve, band));
    html.element("code", {{"title", curve.bands[band]}}, curve.bands[band])
        .element("span", {{"class", "number"}}, bytes_text(curve.bands_at(peak)[band]))
        .close("li");
  }
  html.close("ul");
}

std::int64_t free_bytes(const Segment& segment) {
  std::int64_t sum = 0;
  for (const memory_snapshot::Block& block : segment.blocks) {
    if (block.state == memory_snapshot::BlockState::inactive) sum += std::min(block.size, segment.size);
  }
  return std::min(sum, segment.size);
}

/// Bytes in use in each of 512 equal parts.
std::vector<std::uint64_t> use_of(const Segment& segment, double room) {
  std::vector<std::uint64_t> used(kSegmentBins, 0);
  for (const memory_snapshot::Block& block : segment.blocks) {
    if (block.state == memory_snapshot::BlockState::inactive) continue;
    double at = static_cast<double>(block.address - segment.address);
    const double end = at + static_cast<double>(block.size);
    if (at < 0) continue;
    for (auto bin = static_cast<std::size_t>(at / room); bin < kSegmentBins && at < end; ++bin) {
      const double until = std::min(end, static_cast<double>(bin + 1) * room);
      used[bin] += static_cast<std::uint64_t>(std::max(0.0, until - at));
      at = until;
    }
  }
  return used;
}

}  // namespace

void write_memory_curve(HtmlWriter& html, const MemoryCurve& curve, const analyze::DeviceMemory& memory,
                        std::int64_t full) {
  if (curve.points.empty()) return;
  const std::size_t peak = peak_of(curve);
  const auto since_begin = [&](std::int64_t time_us) {
    // A file can claim any time.
    return time_text(std::min(time_us - curve.begin_us, std::numeric_limits<TimePs>::max() / kPsPerUs) * kPsPerUs);
  };
  html.open("figure", {{"class", "memory-curve"},
                       {"data-device", std::to_string(memory.device)},
                       {"data-peak-bytes", std::to_string(memory.peak_allocated)},
                       {"data-peak-us", std::to_string(memory.peak_time_us)},
                       {"data-begin-us", std::to_string(curve.begin_us)},
                       {"data-interval-us", std::to_string(curve.interval_us)},
                       {"data-series", series_of(curve)}});
  html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", curve.points.size(), kCurveHeight)},
                    {"preserveAspectRatio", "none"},
                    {"role", "img"},
                    {"aria-label", fmt::format("Allocated bytes of device {} over time, {} at most", memory.device,
                                               bytes_text(memory.peak_allocated))}});
  write_bands(html, curve, peak, full);
  html.raw(fmt::format("<line class=\"peak\" x1=\"{0}.5\" x2=\"{0}.5\" y1=\"0\" y2=\"{1}\"/>", peak, kCurveHeight));
  html.close("svg").open("figcaption");
  html.element("span", {}, "0")
      .element(
          "span", {{"class", "peak"}},
          fmt::format("peak {} at {}", bytes_text(memory.peak_allocated), since_begin(curve.points[peak].time_us)));
  html.element("span", {{"class", "number"}}, since_begin(memory.last_us)).close("figcaption");
  write_bands_legend(html, curve, peak);
  html.close("figure");
}

void write_segments(HtmlWriter& html, const memory_snapshot::Snapshot& snapshot, std::int64_t device) {
  std::vector<const Segment*> segments;
  for (const Segment& segment : snapshot.segments) {
    if (segment.device == device && segment.size > 0) segments.push_back(&segment);
  }
  std::stable_sort(segments.begin(), segments.end(),
                   [](const Segment* a, const Segment* b) { return free_bytes(*a) > free_bytes(*b); });
  const std::size_t shown = std::min(segments.size(), kSegmentsShown);
  html.open("div", {{"class", "link-pictures segments"}, {"data-device", std::to_string(device)}});
  for (std::size_t i = 0; i < shown; ++i) {
    const Segment& segment = *segments[i];
    const std::int64_t free = free_bytes(segment);
    html.open("figure", {{"data-segment", std::to_string(segment.address)},
                         {"data-bytes", std::to_string(segment.size)},
                         {"data-free-bytes", std::to_string(free)}});
    html.open("figcaption").element("code", {}, fmt::format("{:#x}", segment.address));
    html.element("span", {{"class", "number"}},
                 fmt::format("{} of {} free", bytes_text(free), bytes_text(segment.size)))
        .close("figcaption");
    const double room = static_cast<double>(segment.size) / static_cast<double>(kSegmentBins);
    html.open("svg",
              {{"viewBox", fmt::format("0 0 {} {}", kSegmentBins, kSegmentHeight)},
               {"preserveAspectRatio", "none"},
               {"role", "img"},
               {"aria-label", fmt::format("Segment of {}, {} free", bytes_text(segment.size), bytes_text(free))}});
    html.raw(fmt::format("<path d=\"{}\"/>", stairs(use_of(segment, room), room, kSegmentHeight)));
    html.close("svg").close("figure");
  }
  html.close("div");
  if (shown < segments.size())
    html.element("p", {{"class", "about"}},
                 fmt::format("and {} with less free.", report::counted(segments.size() - shown, "segment")));
}

}  // namespace orrery::page
