// The causal graph as columns of the page, with what edits ask of it, so that the page's script solves it again as the
// engine does (docs/formats/page_graph.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/whatif/recording_cost.h"
#include "causal/causal_graph.h"
#include "page/sections/section.h"

namespace orrery::page {

/// Above this a page would take longer to open than people wait, and sliders would not follow the hand.
inline constexpr std::uint64_t kMostPageEdges = 4'000'000;

/// Where things of the graph are in the page; none: they are not in it.
struct PagePlaces {
  /// Of a text in `names`, which are so many.
  std::function<std::optional<std::uint32_t>(std::string_view text)> name;
  std::uint32_t name_count = 0;
  /// Id of the event that an owner stands for, by its number in `owners`.
  std::function<std::optional<std::uint32_t>(std::uint32_t owner)> event;
  /// Of a lane in `lanes` of the report data. `rank`: place among the graph's ranks.
  std::function<std::optional<std::uint32_t>(std::uint32_t rank, std::uint32_t lane)> lane;
};

struct PageGraph {
  std::vector<EncodedColumn> columns;  ///< without `names`; empty: the graph is not in the page
  std::string why;                     ///< then: a sentence
  std::uint64_t nodes = 0, edges = 0;
  std::uint64_t begin = 0, end = 0;  ///< positions
  TimePs weight_unit_ps = 1;         ///< 1000 if every weight is whole nanoseconds
};

/// `recording`: of this graph.
PageGraph graph_columns(const causal::CausalGraph& job, const analyze::RecordingCost& recording,
                        const PagePlaces& places);

}  // namespace orrery::page
