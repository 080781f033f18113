// Writes traces as JSON that Perfetto and chrome://tracing open, and that the Kineto reader reads back:
// docs/formats/perfetto.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/interner.h"
#include "base/io/output_file.h"
#include "base/json/json_writer.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::perfetto {

/// Adds members to the args of an event, beside those that the trace has as columns.
using MoreArguments = std::function<void(trace::EventIndex event, JsonWriter& args)>;

/// How a lane is shown where not as its trace has it: a document with several ranks needs numbers that no two of them
/// share.
struct LaneLabel {
  std::int64_t process = 0;
  std::int64_t thread = 0;
  std::string process_name = {};
  std::string thread_name = {};
};

/// What a document says about all its ranks.
struct Header {
  std::optional<std::int64_t> rank = {};  ///< of a document with a single rank
  std::optional<std::int64_t> world_size = {};
  std::string backend = {};
};

/// An async slice, between its begin and its end.
struct AsyncSlice {
  std::int64_t id = 0;
  std::string_view category;
  std::string_view name;
  trace::LaneIndex lane = 0;
};

/// One document, rank after rank; it is compressed if its name ends in .gz and replaces an old one only when it is
/// complete. Memory: a few MB, whatever its size. Times are written exactly, to the picosecond.
class TraceWriter {
 public:
  static Result<TraceWriter> create(const std::string& path, const Header& header);

  /// Events with a duration are written as complete events (X), all others as instants. Lanes are named and sorted in
  /// their order.
  void add_rank(const trace::RankTrace& rank, const Interner& strings, const MoreArguments& more = {});
  /// The same with a label for every lane, and with these arrows instead of the recorded ones.
  void add_rank(const trace::RankTrace& rank, const Interner& strings, std::span<const LaneLabel> labels,
                const trace::Flows& flows);
  /// A slice that other slices may overlap: it nests in those of its `id` and category that are open. What belongs to
  /// one id is written in the order of time; `lane` is one of the rank, which names it. `more` adds its arguments.
  void begin_async(const trace::RankTrace& rank, const Interner& strings, const AsyncSlice& slice, TimePs at,
                   const std::function<void(JsonWriter& args)>& more = {});
  void end_async(const trace::RankTrace& rank, const Interner& strings, const AsyncSlice& slice, TimePs at);
  /// The counters of the rank, as those of the process of its first lane.
  void add_counters(const trace::RankTrace& rank, const Interner& strings);
  /// Writes what is left and puts the file in its place. Errors of all writes before are told here.
  Status commit();

 private:
  explicit TraceWriter(OutputFile file) : file_(std::move(file)) {}

  /// Process and thread of a lane as JSON, and their names.
  struct Row {
    std::string process;
    std::string thread;
    std::string_view process_name;
    std::string_view thread_name;
  };

  void add_lanes(const std::vector<Row>& rows);
  void add_events(const trace::RankTrace& rank, const std::vector<Row>& rows, const Interner& strings,
                  const MoreArguments& more);
  void add_flows(const trace::RankTrace& rank, const trace::Flows& flows, const std::vector<Row>& rows,
                 const Interner& strings);
  /// Its begin or its end, up to the arguments.
  JsonWriter begin_async_entry(const trace::RankTrace& rank, const Interner& strings, const AsyncSlice& slice,
                               char phase, TimePs at);
  /// A writer for the next entry of the event list, behind its comma.
  JsonWriter begin_entry();

  OutputFile file_;
  std::string buffer_;
  bool has_entries_ = false;
};

/// The documents' header for this rank alone.
Header header_of(const trace::RankTrace& rank);

}  // namespace orrery::perfetto
