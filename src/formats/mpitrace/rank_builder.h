// Calls of one rank as a RankTrace, in the shape that all MPI recordings have (docs/formats/mpi.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "formats/mpitrace/definitions.h"
#include "formats/mpitrace/request_table.h"
#include "match/mpi/mpi_function.h"
#include "trace/trace.h"

namespace orrery::mpitrace {

inline constexpr std::string_view kCreatedArgument = "created";  ///< of a call that makes a communicator: its name

/// Calls come in the order of the file. Groups are called by the names on which all ranks agree ("world/3:4");
/// reader.cc gives them shorter ones.
class RankBuilder {
 public:
  /// All of them must outlive this. `definitions` and `requests` are complete.
  RankBuilder(const FileHead& head, const std::string& path, const Definitions& definitions,
              const RequestTable& requests, Interner& strings, Diagnostics& diagnostics);

  void add(const CallRecord& call, trace::SourcePosition position);
  trace::RankTrace finish() { return std::move(rank_); }

 private:
  struct Times {
    TimePs start = 0, end = 0;
  };
  struct Group {
    StringId name = 0, ranks = 0;
    std::ptrdiff_t place = -1;     ///< in SourceInfo::groups; -1: not used yet
    std::int64_t collectives = 0;  ///< that were done so far
  };
  /// The communicator with this number, listed among the groups of the rank; null if there is none.
  Group* use(std::uint64_t number, const CallRecord& call);
  void begin_event(const CallRecord& call, Times times, trace::SourcePosition position);
  void add_started(const CallRecord& call, Times times, trace::SourcePosition position);
  void set(trace::Field field, std::int64_t value) { rank_.field(field).push(event_, value); }
  void set_text(trace::Field field, std::string_view text) { set(field, strings_.intern(text)); }
  void set_named(std::string_view name, std::int64_t value) {
    rank_.arguments.named(name, trace::ValueType::integer).push(event_, value);
  }

  void set_call(const CallRecord& call, const Completion* completion);
  void set_sizes(const CallRecord& call, const Completion* completion);
  void set_message(const CallRecord& call, const Completion* completion);
  void set_communicator(const CallRecord& call);
  void set_counts(const CallRecord& call);
  void set_site(const CallRecord& call);
  void set_requests(const CallRecord& call);
  void set_extras(const CallRecord& call);
  trace::LaneIndex lane_of(std::uint64_t thread);
  std::string example(const CallRecord& call) const;

  const FileHead& head_;
  const std::string& path_;
  const Definitions& definitions_;
  const RequestTable& requests_;
  Interner& strings_;
  Diagnostics& diagnostics_;
  trace::RankTrace rank_;
  trace::EventIndex event_ = 0;
  const match::MpiFunction* function_ = nullptr;

  std::vector<Group> groups_;                                               // by number of the communicator
  std::map<std::pair<std::uint64_t, std::uint64_t>, StringId> site_texts_;  // by function and site
  std::unordered_map<std::uint64_t, trace::LaneIndex> lanes_;
  std::unordered_map<std::uint64_t, std::uint64_t> starts_;  // how often a persistent request was started
};

}  // namespace orrery::mpitrace
