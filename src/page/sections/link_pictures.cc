#include "page/sections/link_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/units.h"
#include "page/sections/section.h"
#include "page/sections/stairs.h"
#include "report/counted.h"
#include "simulate/link_series.h"

namespace orrery::page {
namespace {

using analyze::LinkUseRow;
using analyze::MachineUse;
using report::HtmlWriter;

// --- links over time ---

constexpr int kPictureHeight = 40;

std::uint64_t largest_bin(const LinkUseRow& row) { return *std::max_element(row.series.begin(), row.series.end()); }

/// What a link can carry in a bin.
double room_per_bin(const LinkUseRow& row, const machine::Network& network, TimePs makespan) {
  const double seconds = static_cast<double>(makespan) / static_cast<double>(kPsPerSecond) /
                         static_cast<double>(simulate::LinkSeries::kBins);
  return network.links()[row.first].bytes_per_second * seconds;
}

// --- the machine ---

constexpr std::size_t kDevicesInFull = 256;
constexpr double kTopologyWidth = 960, kRowHeight = 64, kPartHeight = 22, kMargin = 8;

/// What is drawn in one place: a vertex, or all of a kind.
struct Part {
  std::string label, title;
  double use = 0;
  std::size_t row = 0;
  double x = 0, width = 0;
};

std::string use_title(const std::string& name, double mean, double most, std::uint64_t bytes) {
  return fmt::format("{}: links in use {:.1f} %, the busiest {:.1f} %, {} carried", name, 100 * mean, 100 * most,
                     format_bytes(bytes));
}

/// Side by side in each row.
void place(std::vector<Part>& parts, std::size_t rows) {
  std::vector<std::size_t> count(rows, 0), next(rows, 0);
  for (const Part& part : parts) ++count[part.row];
  for (Part& part : parts) {
    const double slot = (kTopologyWidth - 2 * kMargin) / static_cast<double>(count[part.row]);
    part.width = std::min(slot * 0.86, 150.0);
    part.x = kMargin + slot * (static_cast<double>(next[part.row]++) + 0.5) - part.width / 2;
  }
}

double row_top(std::size_t row, std::size_t rows) { return kMargin + static_cast<double>(rows - 1 - row) * kRowHeight; }

void write_part(HtmlWriter& html, const Part& part, double y) {
  html.raw(fmt::format("<g class=\"part\"><title>")).text(part.title).raw("</title>");
  html.raw(
      fmt::format("<rect class=\"room\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.0f}\" rx=\"2\"/>"
                  "<rect class=\"use\" x=\"{0:.1f}\" y=\"{1:.1f}\" width=\"{2:.1f}\" height=\"{3:.0f}\" rx=\"2\" "
                  "fill-opacity=\"{4:.3f}\"/>",
                  part.x, y, part.width, kPartHeight, std::clamp(part.use, 0.0, 1.0)));
  // What does not fit is in the title.
  if (!part.label.empty() && static_cast<double>(part.label.size()) * 6.5 <= part.width) {
    html.raw(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">", part.x + part.width / 2, y + kPartHeight - 7))
        .text(part.label)
        .raw("</text>");
  }
  html.raw("</g>");
}

void write_cable(HtmlWriter& html, const Part& a, const Part& b, double use, std::size_t rows) {
  if (a.row == b.row) return;  // devices that are linked directly: their dimension is a bar
  const Part &lower = a.row < b.row ? a : b, &upper = a.row < b.row ? b : a;
  html.raw(fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-opacity=\"{:.3f}\"/>",
                       lower.x + lower.width / 2, row_top(lower.row, rows), upper.x + upper.width / 2,
                       row_top(upper.row, rows) + kPartHeight, 0.15 + 0.85 * std::clamp(use, 0.0, 1.0)));
}

std::vector<Part> parts_of(const MachineUse& use, bool in_full) {
  std::vector<Part> parts;
  if (in_full) {
    for (const analyze::VertexUse& vertex : use.vertices) {
      // A device is called by its rank: there is little room.
      const bool is_device = vertex.row == 0;
      parts.push_back({.label = is_device ? vertex.name.substr(
                                                std::min(vertex.name.find_first_of("0123456789"), vertex.name.size()))
                                          : vertex.name,
                       .title = use_title(vertex.name, vertex.mean_use, vertex.most_use, vertex.bytes),
                       .use = vertex.mean_use,
                       .row = vertex.row});
    }
  } else {
    for (const analyze::VertexClass& kind : use.classes) {
      const std::string label = fmt::format("{} \u00D7 {}", kind.name, format_count(kind.count));
      parts.push_back({.label = label,
                       .title = use_title(label, kind.mean_use, kind.most_use, kind.bytes),
                       .use = kind.mean_use,
                       .row = kind.row});
    }
  }
  // A dimension without switches: links from device to device.
  for (std::size_t d = 0; d < use.dimensions.size(); ++d) {
    const bool has_switches =
        std::any_of(parts.begin(), parts.end(), [&](const Part& part) { return part.row == 1 + d; });
    if (has_switches) continue;
    parts.push_back({.label = use.dimensions[d],
                     .title = fmt::format("{}: devices are linked directly, links in use {:.1f} %", use.dimensions[d],
                                          100 * use.dimension_use[d]),
                     .use = use.dimension_use[d],
                     .row = 1 + d});
  }
  return parts;
}

}  // namespace

double fullest_bin(std::span<const LinkUseRow> rows, std::size_t most, const machine::Network* network,
                   TimePs makespan) {
  double fullest = 0;
  if (network == nullptr) return fullest;
  std::size_t seen = 0;
  for (const LinkUseRow& row : rows) {
    if (row.series.empty() || seen++ >= most) continue;
    const double room = room_per_bin(row, *network, makespan);
    if (room > 0) fullest = std::max(fullest, static_cast<double>(largest_bin(row)) / room);
  }
  return fullest;
}

void write_link_pictures(HtmlWriter& html, std::span<const LinkUseRow> rows, std::size_t most,
                         const machine::Network* network, TimePs makespan, double full) {
  std::size_t shown = 0;
  html.open("div", {{"class", "link-pictures"}});
  for (const LinkUseRow& row : rows) {
    if (row.series.empty() || shown == most) continue;
    ++shown;
    std::string series = "[";
    for (const std::uint64_t bytes : row.series) series += (series.size() > 1 ? "," : "") + std::to_string(bytes);
    const double largest = static_cast<double>(std::max<std::uint64_t>(largest_bin(row), 1));
    const double top = network == nullptr || full <= 0 ? largest : full * room_per_bin(row, *network, makespan);
    html.open("figure",
              {{"data-link", row.link}, {"data-bytes", std::to_string(row.bytes)}, {"data-series", series + "]"}});
    html.open("figcaption").element("code", {}, row.link);
    if (row.alike > 1) html.text(fmt::format(" and {} alike", format_count(row.alike - 1)));
    html.element("span", {{"class", "number"}}, format_bytes(row.bytes)).close("figcaption");
    const std::string seen =
        fmt::format("{} over time: {}, busy for {}", row.link, format_bytes(row.bytes), time_text(row.busy_ps));
    html.open("svg", {{"viewBox", fmt::format("0 0 {} {}", simulate::LinkSeries::kBins, kPictureHeight)},
                      {"preserveAspectRatio", "none"},
                      {"role", "img"},
                      {"aria-label", seen}});
    html.raw(fmt::format("<path d=\"{}\"/>", stairs(row.series, top, kPictureHeight))).close("svg").close("figure");
  }
  html.close("div");
}

void write_topology(HtmlWriter& html, const MachineUse& use, std::size_t devices) {
  const bool in_full = devices <= kDevicesInFull;
  const std::size_t rows = 1 + use.dimensions.size();
  std::vector<Part> parts = parts_of(use, in_full);
  place(parts, rows);
  const double height = 2 * kMargin + static_cast<double>(rows - 1) * kRowHeight + kPartHeight;
  html.open("svg", {{"class", "topology"},
                    {"viewBox", fmt::format("0 0 {:.0f} {:.0f}", kTopologyWidth, height)},
                    {"role", "img"},
                    {"aria-label", fmt::format("{} and what connects them, darker where links are in use",
                                               report::counted(devices, "device"))}});
  html.raw("<g class=\"cables\">");
  if (in_full) {
    for (const analyze::CableUse& cable : use.cables)
      write_cable(html, parts[cable.a], parts[cable.b], cable.use, rows);
  } else {
    for (const Part& part : parts) {
      if (part.row > 0) write_cable(html, parts.front(), part, part.use, rows);
    }
  }
  html.raw("</g>");
  for (const Part& part : parts) write_part(html, part, row_top(part.row, rows));
  html.close("svg");
}

}  // namespace orrery::page
