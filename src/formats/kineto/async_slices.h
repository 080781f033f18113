// Async events: begins and ends that share an id, on any thread and nested in what they like.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "trace/trace.h"

namespace orrery::kineto {

/// What a begin and its end have in common.
struct AsyncKey {
  StringId category = 0;
  StringId scope = 0;
  std::int64_t id = 0;
  bool is_local = false;     ///< the id is one of its process
  trace::LaneKey process{};  ///< of local ids
  auto operator<=>(const AsyncKey&) const = default;
};

/// Pairs as a stack per key, in the order of the file: writers may use one id again and again, and only that order
/// tells which end is whose.
class AsyncSlices {
 public:
  struct Open {
    trace::EventIndex row = 0;
    bool has_time = true;
  };

  void begin(const AsyncKey& key, Open slice) {
    std::vector<Open>& open = open_[key];
    if (!open.empty()) inner_.emplace_back(slice.row, open.front().row);
    open.push_back(slice);
    rows_.push_back(slice.row);
  }
  /// The innermost that is open.
  std::optional<Open> end(const AsyncKey& key);
  /// An instant of such an event.
  void mark(trace::EventIndex row) { rows_.push_back(row); }

  [[nodiscard]] bool empty() const { return rows_.empty(); }
  /// What was never ended, by row.
  [[nodiscard]] std::vector<Open> left_open() const;

  /// Moves the slices to lanes of their own below those of their threads, as many as it takes for them to nest; a
  /// thread that did nothing else keeps the first. Those of one key that nest stay together: where one of them begins
  /// while another is open, nothing else lies beside them on their lane. To be called when all durations are known.
  void lay_out(trace::RankTrace& rank, Interner& strings) const;

 private:
  std::map<AsyncKey, std::vector<Open>> open_;
  std::vector<trace::EventIndex> rows_;  // all of them, in the order of the file
  // Those that began while others of their key were open, each with the outermost of these; in the order of the file.
  std::vector<std::pair<trace::EventIndex, trace::EventIndex>> inner_;
};

}  // namespace orrery::kineto
