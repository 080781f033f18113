// Writes traces as JSON that Perfetto and chrome://tracing open, and that the Kineto reader reads back: docs/formats/perfetto.md.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/interner.h"
#include "base/json_writer.h"
#include "base/output_file.h"
#include "base/result.h"
#include "trace/trace.h"

namespace orrery::perfetto {

/// Adds members to the args of an event, beside those that the trace has as columns.
using MoreArguments = std::function<void(trace::EventIndex event, JsonWriter& args)>;

/// What a document says about all its ranks.
struct Header {
  std::optional<std::int64_t> rank = {};  ///< of a document with a single rank
  std::optional<std::int64_t> world_size = {};
  std::string backend = {};
};

/// One document, rank after rank; it is compressed if its name ends in .gz and replaces an old one only when it is complete. Memory: a few MB,
/// whatever its size. Times are written exactly, to the picosecond.
class TraceWriter {
 public:
  static Result<TraceWriter> create(const std::string& path, const Header& header);

  /// Events with a duration are written as complete events (X), all others as instants. Lanes are named and sorted in their order.
  void add_rank(const trace::RankTrace& rank, const Interner& strings, const MoreArguments& more = {});
  /// Writes what is left and puts the file in its place. Errors of all writes before are told here.
  Status commit();

 private:
  explicit TraceWriter(OutputFile file) : file_(std::move(file)) {}

  void add_lanes(const trace::RankTrace& rank, const Interner& strings);
  void add_events(const trace::RankTrace& rank, const Interner& strings, const MoreArguments& more);
  void add_flows(const trace::RankTrace& rank, const Interner& strings);
  /// A writer for the next entry of the event list, behind its comma.
  JsonWriter begin_entry();

  OutputFile file_;
  std::string buffer_;
  bool has_entries_ = false;
};

/// The documents' header for this rank alone.
Header header_of(const trace::RankTrace& rank);

}  // namespace orrery::perfetto
