// Events as HTA's data frame holds them after parsing: rounded, aligned to zero, with partner indices, cut to complete
// steps.
#pragma once

#include <cstdint>
#include <vector>

#include "base/column.h"
#include "base/int128.h"
#include "base/result.h"
#include "base/units.h"
#include "trace/trace.h"

namespace orrery::causal::hta {

// The double nearest to a time stamp, as a JSON library reads it from the text.

/// The double nearest to (epoch_us + offset_ps / 10^6) microseconds, ties to even: what Python's float() gives for the
/// written decimal.
double microseconds_as_double(std::int64_t epoch_us, TimePs offset_ps);

/// What TimePs 0 of this rank is in the microseconds of its file.
std::int64_t written_epoch_us(const trace::RankTrace& rank);

using RowIndex = std::uint32_t;
inline constexpr RowIndex kNoRow = ~RowIndex{0};

/// HTA's columns, one entry per kept event, in file order. `index` in HTA's sense is the event's position in the file's
/// event list.
struct Rows {
  const trace::Trace* trace = nullptr;
  const trace::RankTrace* rank = nullptr;

  Column<trace::EventIndex> event;
  Column<std::uint32_t> index;
  Column<TimePs> ts;  ///< since the first row
  Column<TimePs> dur;
  Column<std::int64_t> stream;       ///< -1: none
  Column<std::int64_t> correlation;  ///< -1: none
  /// HTA's index_correlation: the partner's index; 0 also means "has a correlation but no partner", negative "has
  /// none".
  Column<std::int64_t> partner;
  Column<std::int64_t> wait_stream;
  Column<std::int64_t> wait_record;

  /// The start of the first row, time 0 here, in picoseconds of the file's own clock.
  Int128 first_start_ps = 0;

  /// Index -> row, for rows that survived the step filter; kNoRow otherwise.
  Column<RowIndex> row_of_index;
  /// The data frame after the step filter: device rows first. A device row appears once per host row it belongs to.
  Column<RowIndex> frame;

  [[nodiscard]] std::size_t size() const { return event.size(); }
  [[nodiscard]] TimePs end(RowIndex r) const { return ts[r] + dur[r]; }
  [[nodiscard]] StringId name(RowIndex r) const { return rank->name[event[r]]; }
  [[nodiscard]] std::string_view name_text(RowIndex r) const { return trace->strings.text(name(r)); }
  [[nodiscard]] std::string_view category_text(RowIndex r) const {
    return trace->strings.text(rank->categories[rank->category[event[r]]].text);
  }
  [[nodiscard]] const trace::Lane& lane(RowIndex r) const { return rank->lanes[rank->lane[event[r]]]; }
  /// The category's text as it is interned: to be compared with names.
  [[nodiscard]] StringId category(RowIndex r) const { return rank->categories[rank->category[event[r]]].text; }
  /// The row with this index, kNoRow if there is none (any more).
  [[nodiscard]] RowIndex find(std::int64_t idx) const {
    return idx < 0 || static_cast<std::size_t>(idx) >= row_of_index.size()
               ? kNoRow
               : row_of_index[static_cast<std::size_t>(idx)];
  }
};

// The parts that rows of every version of HTA have in common, in the order in which they are called. What lies between
// them, which rows are the device's and which steps are dropped, differs.

/// Every event that has a duration and a category and is no profiler span, rounded as HTA rounds. No partners and no
/// frame yet.
Result<Rows> load_rows(const trace::Trace& trace, const trace::RankTrace& rank);
/// HTA's GPU rows, one mark per row: those with a stream and a correlation, and recorded waits for events and contexts.
Column<std::uint8_t> find_gpu_rows(const Rows& rows);
/// Sets Rows::partner: of several partners the last in file order wins, on both sides. `is_device`: one per row.
void join_on_correlation(Rows& rows, const Column<std::uint8_t>& is_device);
/// Time 0 is the earliest start.
void align_to_first_start(Rows& rows);
/// Sets Rows::row_of_index from the frame.
void index_frame(Rows& rows);

}  // namespace orrery::causal::hta
