// What one rank did, in the form that operation lists are made from, whatever it was read from: rows of a host trace in
// order, the device work that they launched, and what the host did to streams.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/interner.h"
#include "base/units.h"
#include "causal/edge_kind.h"
#include "causal/host/coverage.h"
#include "replay/torch/source/row_order.h"
#include "trace/host_trace.h"

namespace orrery::replay::torch {

inline constexpr TimePs kNoTime = std::numeric_limits<TimePs>::min();
inline constexpr std::uint32_t kNoNumber32 = ~std::uint32_t{0};
/// Of bytes behind a text of rows: JSON readers look at whole blocks and may read beyond the end.
inline constexpr std::size_t kTextPadding = 64;

/// When a thread of the host did something, and between which visits (RowOrder) that lies.
struct HostMoment {
  std::uint32_t row = causal::kNoRow;  ///< the innermost around it
  std::uint32_t before = 0;            ///< the visit that it comes before; the number of visits: after all
  std::int64_t thread = 0;             ///< as HostTrace::thread has it
  TimePs begin = kNoTime, end = kNoTime;
};

/// A kernel, copy or fill.
struct LaunchedWork {
  HostMoment launch;
  std::uint32_t stream = 0;           ///< into RankSource::streams
  std::uint32_t call = kNoNumber32;   ///< the same for all that one call launched
  std::uint32_t event = kNoNumber32;  ///< of the profiler trace; kNoNumber32: it was read from another source
  StringId name = 0;
  TimePs duration = 0;
  causal::EdgeKind kind = causal::EdgeKind::kernel;  ///< or memory_copy, memory_set
};

/// What the host did to streams.
struct StreamAction {
  enum class Kind : std::uint8_t { record, wait, sync, sync_stream, sync_event };
  Kind kind = Kind::sync;
  HostMoment moment;
  std::uint32_t stream = 0;  ///< of record, wait and sync_stream
  std::uint32_t event = 0;   ///< of record, wait and sync_event
};

/// What is known of a call that communicates beside its arguments.
struct CommunicationHint {
  std::uint32_t group = 0;  ///< into RankSource::groups
  std::string_view group_name =
      {};             ///< as the recording has it, of what the source was made of; empty: it does not say
  StringId name = 0;  ///< of what threads of the host did for it (gloo:all_reduce); 0: nothing, or it is not known
  std::optional<bool> overlaps;             ///< it was not over when its thread went on
  std::uint32_t over_before = kNoNumber32;  ///< the visit by which it was over, if that is known
};

/// What a launch of a graph did: the rows of its capture.
struct GraphVisits {
  std::uint32_t first = 0, last = 0;  ///< visits
  std::uint32_t stream = 0;           ///< of its first work
};

struct RankSource {
  std::int64_t rank = 0;
  std::vector<std::vector<std::int64_t>> groups;               ///< members; the first is all ranks
  std::unordered_map<std::uint32_t, CommunicationHint> hints;  ///< by the row of the call; only looked up, never walked
  const trace::HostTrace* host = nullptr;
  std::shared_ptr<const trace::HostTrace> owned_host;  ///< the same, if it was made for this
  const Interner* strings = nullptr;
  RowOrder order;
  std::vector<TimePs> begin, end;  ///< per row; kNoTime where it was not measured
  std::vector<std::uint8_t>
      is_aside;  ///< per row: part of what threads of the host communicate on the side (gloo); empty: none is
  std::vector<std::int64_t> streams;  ///< as recorded
  std::vector<LaunchedWork> works;    ///< by the visit that their launches come before, then by time
  std::vector<StreamAction> actions;  ///< likewise
  std::vector<GraphVisits> graphs;    ///< by first visit
  std::uint64_t unknown_waits = 0;    ///< recorded waits that do not say for what
};

}  // namespace orrery::replay::torch
