#include "causal/hta/window.h"

#include <algorithm>
#include <limits>

#include "base/radix_sort.h"

// Rows of the host count if they start in the extent of the chosen annotations; those of the device if a host row in it
// launched them. Every row that HTA makes nodes of gets two, numbered by time.

namespace orrery::causal::hta {
namespace {

struct Extent {
  TimePs begin;
  TimePs end;
};

Result<Extent> find_extent(const Rows& rows, const WindowOptions& options) {
  constexpr TimePs kForever = std::numeric_limits<TimePs>::max();
  if (options.annotation.empty()) {
    TimePs begin = kForever;
    for (const RowIndex r : rows.frame) begin = std::min(begin, rows.ts[r]);
    return Extent{begin, kForever};
  }
  Column<std::uint8_t> matches(rows.trace->strings.size());
  for (StringId id = 0; id < matches.size(); ++id)
    matches[id] = rows.trace->strings.text(id).find(options.annotation) != std::string_view::npos;
  Extent extent{kForever, std::numeric_limits<TimePs>::min()};
  std::size_t instance = 0;
  for (const RowIndex r : rows.frame) {
    if (matches[rows.name(r)] == 0) continue;
    if (instance >= options.first_instance && instance <= options.last_instance) {
      extent.begin = std::min(extent.begin, rows.ts[r]);
      extent.end = std::max(extent.end, rows.end(r));
    }
    ++instance;
  }
  if (instance == 0)
    return Error{"no event name contains \"" + options.annotation + "\"", rows.rank->source.path, Error::kNoOffset,
                 "see the annotations with: orrery info"};
  if (extent.begin == kForever) {
    return Error{"\"" + options.annotation + "\" occurs " + std::to_string(instance) + " times; instance " +
                     std::to_string(options.first_instance) + " does not exist",
                 rows.rank->source.path, Error::kNoOffset, "instances count from 0"};
  }
  return extent;
}

bool has_nodes(const Rows& rows, RowIndex r, const WindowOptions& options) {
  const std::string_view category = rows.category_text(r);
  if (category == "cpu_op" || category == "cuda_runtime" || category == "cuda_driver") return true;
  if (rows.stream[r] != -1 && rows.partner[r] >= 0) return true;
  const std::string_view name = rows.name_text(r);
  return std::any_of(options.data_load_events.begin(), options.data_load_events.end(),
                     [&](const std::string& text) { return name.find(text) != std::string_view::npos; });
}

Nodes make_nodes(const Rows& rows, const Column<RowIndex>& clipped, const WindowOptions& options) {
  Nodes nodes;
  nodes.start_of.assign(rows.size(), kNoNode);
  nodes.end_of.assign(rows.size(), kNoNode);
  // Laid out by (index, start before end); the stable sort by time gives (time, index, start before end).
  Column<KeyedIndex> order;
  for (const RowIndex r : clipped) {
    if (!has_nodes(rows, r, options)) continue;
    order.push_back({radix_key(rows.ts[r]), 2 * r});
    order.push_back({radix_key(rows.end(r)), 2 * r + 1});
  }
  radix_sort(order);
  for (const KeyedIndex& item : order) {
    const RowIndex r = item.index / 2;
    const bool is_start = item.index % 2 == 0;
    (is_start ? nodes.start_of : nodes.end_of)[r] = static_cast<NodeNumber>(nodes.size());
    nodes.row.push_back(r);
    nodes.time.push_back(is_start ? rows.ts[r] : rows.end(r));
    nodes.is_start.push_back(is_start);
  }
  return nodes;
}

}  // namespace

Result<Column<RowIndex>> clip_rows(const Rows& rows, const WindowOptions& options) {
  const Result<Extent> extent = find_extent(rows, options);
  if (!extent) return extent.error();
  const StringId stream_wait = rows.trace->strings.find("Stream Wait Event");
  Column<std::uint8_t> keep(rows.size(), 0);
  Column<std::uint8_t> launched(rows.row_of_index.size(),
                                0);  // by index: some host row inside the window is its partner
  for (const RowIndex r : rows.frame) {
    if (rows.stream[r] != -1) {
      // HTA keeps all waits between streams, inside of the window or not: whom they hold up is looked up later.
      if (rows.name(r) == stream_wait) keep[r] = 1;
      continue;
    }
    // As HTA clips: by the start, both ends of the window included.
    if (rows.ts[r] < extent->begin || rows.ts[r] > extent->end || rows.dur[r] <= 0) continue;
    keep[r] = 1;
    if (rows.partner[r] >= 0 && static_cast<std::size_t>(rows.partner[r]) < launched.size())
      launched[static_cast<std::size_t>(rows.partner[r])] = 1;
  }
  for (const RowIndex r : rows.frame) {
    if (rows.stream[r] != -1 && launched[rows.index[r]] != 0) keep[r] = 1;
  }
  Column<RowIndex> clipped;
  for (RowIndex r = 0; r < rows.size(); ++r) {
    if (keep[r] != 0) clipped.push_back(r);
  }
  return clipped;
}

Result<Window> make_window(const Rows& rows, const WindowOptions& options) {
  Result<Column<RowIndex>> clipped = clip_rows(rows, options);
  if (!clipped) return clipped.error();
  Window window;
  window.rows = std::move(*clipped);
  window.nodes = make_nodes(rows, window.rows, options);
  return window;
}

}  // namespace orrery::causal::hta
