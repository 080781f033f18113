// HostTrace: what a framework did on its host threads, operator by operator, with shapes and tensors but without times:
// PyTorch's execution traces. Linked with a profiler trace of the same run (what Chakra calls a linked trace) it also
// has times, and a row per piece of device work under the operator that launched it.
//
// Rows are columns of plain values; inputs, outputs and whatever else a row has stay in the text they were read from,
// and are found there by position. The text is kept alive by the trace: mapped if the file is plain, in memory if it
// was compressed.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/units.h"

namespace orrery::trace {

// A launch that nobody recorded.

/// What a launch call takes that ties device work of a program without calls of the host to where it would have been
/// launched: less than any recorder can tell from nothing, so that such a call is known wherever its trace goes.
inline constexpr TimePs kMadeUpCallPs = 1;

/// [begin, begin + size) of HostTrace::text(); size 0: not there.
struct TextRange {
  std::uint64_t begin = 0;
  std::uint32_t size = 0;
  friend bool operator==(const TextRange&, const TextRange&) = default;
};

/// An attribute that is a number and was not given.
inline constexpr std::int64_t kNoNumber = std::numeric_limits<std::int64_t>::min();

/// What record_param_comms says of a collective or message (schema 1.1.0 and later). Numbers not given are kNoNumber,
/// texts 0.
struct HostCollective {
  std::uint32_t row = 0;
  StringId collective_name = 0;
  StringId dtype = 0;
  StringId group_name = 0;
  StringId group_description = 0;
  std::int64_t group_size = kNoNumber;
  std::int64_t in_elements = kNoNumber;
  std::int64_t out_elements = kNoNumber;
  std::int64_t first_global_rank = kNoNumber;
  std::int64_t global_rank_stride = kNoNumber;
};

/// What linking adds to a row. Times and durations are microseconds as the profiler trace writes them, that is as JSON
/// numbers.
struct MeasuredRow {
  double ts = 0;
  double inclusive_dur = 0;
  double exclusive_dur = 0;
  std::int64_t inter_thread_dep = kNoNumber;  ///< a row's id
  std::int64_t stream = kNoNumber;            ///< of device work
  StringId category = 0;                      ///< of device work: "kernel", "gpu_memcpy"; 0: this row is the host's
  StringId phase = 0;                         ///< of device work: "X"
  StringId group_name = 0;                    ///< of communication
  std::uint32_t first_sync = 0;               ///< its sync_dep: [first_sync, first_sync + syncs) of HostTrace::sync_ids
  std::uint32_t syncs = 0;
  bool measured = false;  ///< found in the profiler trace; of others everything above is absent
  bool has_ts = false, has_inclusive = false, has_exclusive = false;
  bool has_group_name = false;  ///< also if that is empty
};

struct HostTrace {
  // What the file says about itself. Numbers that are absent are kNoNumber.
  std::string path;
  std::uint64_t file_bytes = 0;
  std::string schema;  ///< "1.1.1-chakra.0.0.4"
  std::string time;    ///< "2026-11-14 23:54:42"
  std::int64_t pid = kNoNumber;
  std::int64_t start_ts = kNoNumber;
  std::int64_t finish_ts = kNoNumber;

  // Rows, in the order of the file.
  Column<std::uint64_t> id;
  Column<std::uint64_t> parent;  ///< id of the row it was called by; the process row is its own parent
  Column<StringId> name;
  Column<std::int64_t>
      record_function;  ///< rf_id: the number by which the profiler knows it; kNoNumber if not given (so below)
  Column<std::int64_t> forward_parent;   ///< fw_parent
  Column<std::int64_t> sequence_number;  ///< seq_id; -1 where the operator has none
  Column<std::int64_t> scope;            ///< 0 function, 1 backward function, 7 user scope
  Column<std::int64_t> thread;           ///< tid: numbered by the framework from 1, not the system's
  Column<std::int64_t> forward_thread;   ///< fw_tid
  Column<StringId> op_schema;
  Column<TextRange> object;  ///< the whole row, from { to }
  Column<TextRange>
      inputs;  ///< JSON: {"values": [...], "shapes": [...], "types": [...]}; of schema 1.0.1: absent, see `object`
  Column<TextRange> outputs;
  Column<TextRange>
      attributes;  ///< JSON: [{"name": "rf_id", "type": "uint64", "value": 4}, ...]; absent in schema 1.0.1

  std::vector<HostCollective> collectives;  ///< by row

  /// Of a linked trace one per row, else empty. Rows of device work share inputs, outputs, attributes and the numbers
  /// above with the row of the operator that launched them.
  Column<MeasuredRow> measured;
  Column<std::uint64_t> sync_ids;

  std::shared_ptr<const void> text_owner;
  std::string_view content;  ///< the whole file, inflated, followed by at least 64 readable bytes

  [[nodiscard]] std::size_t size() const { return id.size(); }
  [[nodiscard]] std::string_view text(TextRange range) const { return content.substr(range.begin, range.size); }
  [[nodiscard]] bool is_linked() const { return !measured.empty(); }
  [[nodiscard]] bool is_flat() const { return schema.starts_with("1.0.1"); }
};

/// Renumbers the texts of a trace that was read with the table `from`, so that they are those of `to`.
void move_texts(HostTrace& trace, const Interner& from, Interner& to);

/// Gives `to` what the file of `from` says about itself, and its text.
void copy_head(const HostTrace& from, HostTrace& to);

/// Gives `to` one row per entry of `rows`, each with what row rows[i] of `from` has: everything but id, parent and what
/// linking adds.
void copy_rows(const HostTrace& from, std::span<const std::uint32_t> rows, HostTrace& to);

}  // namespace orrery::trace
