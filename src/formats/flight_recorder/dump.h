// One dump of the Flight Recorder, pickle or JSON: where its parts are, and each entry's members by their names.
//
//     {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1]"}},
//      "pg_status": {...}, "entries": [{"record_id": 0, "process_group": ("0", "default_pg"), "state": "started",
//      ...}]}
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/plain/plain_members.h"
#include "base/plain/plain_values.h"
#include "base/result.h"

namespace orrery::flight_recorder {

/// Members of an entry that are read, in the order of kEntryKeys.
enum class EntryKey : std::uint8_t {
  record_id,
  process_group,
  collective_seq_id,
  p2p_seq_id,
  profiling_name,
  time_created_ns,
  time_started_ns,
  time_completed_ns,
  duration_ms,
  input_sizes,
  output_sizes,
  input_dtypes,
  output_dtypes,
  state,
  retired,
  timeout_ms,
  is_p2p,
  thread_id,
  thread_name,
  frames,
};
inline constexpr std::array<std::string_view, 20> kEntryKeys = {"record_id",
                                                                "process_group",
                                                                "collective_seq_id",
                                                                "p2p_seq_id",
                                                                "profiling_name",
                                                                "time_created_ns",
                                                                "time_discovered_started_ns",
                                                                "time_discovered_completed_ns",
                                                                "duration_ms",
                                                                "input_sizes",
                                                                "output_sizes",
                                                                "input_dtypes",
                                                                "output_dtypes",
                                                                "state",
                                                                "retired",
                                                                "timeout_ms",
                                                                "is_p2p",
                                                                "thread_id",
                                                                "thread_name",
                                                                "frames"};

/// The values of one entry's members; PlainValues::kMissing where there is none.
struct DumpEntry {
  PlainMembers<kEntryKeys.size()>::Members members;
  [[nodiscard]] PlainId operator[](EntryKey key) const { return members[static_cast<std::size_t>(key)]; }
};

class Dump {
 public:
  /// `bytes` (with padding, see MappedFile) must outlive it. An Error if they are neither pickle nor JSON, or hold
  /// something else than a dump.
  /// `room`: what an earlier dump left, to be used again.
  static Result<Dump> read(std::string_view bytes, const std::string& path, PlainValues room = {});
  /// For the next dump; this one is of no use any more.
  PlainValues take_room() { return std::move(values_); }

  [[nodiscard]] const PlainValues& values() const { return values_; }
  [[nodiscard]] bool is_pickle() const { return is_pickle_; }
  [[nodiscard]] PlainId member(std::string_view key) const { return values_.find(values_.root(), key); }
  [[nodiscard]] std::span<const PlainId> entries() const { return values_.items(entries_); }
  /// False if it is no dict.
  bool open_entry(PlainId entry, DumpEntry& out) { return members_.open(values_, entry, out.members); }

 private:
  PlainValues values_;
  PlainId entries_ = PlainValues::kMissing;
  bool is_pickle_ = false;
  PlainMembers<kEntryKeys.size()> members_{kEntryKeys};
};

}  // namespace orrery::flight_recorder
