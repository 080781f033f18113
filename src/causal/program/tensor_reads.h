// Which device work reads what which other wrote: all that would order the work of a rank if nothing else did.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "trace/host_arguments.h"
#include "trace/trace.h"

namespace orrery::causal {

// Who last wrote the storages that an operator reads.

/// Asked operator by operator, in order of their starts. Must not outlive what it was made of.
class StorageWriters {
 public:
  StorageWriters(const trace::RankTrace& rank, const HostMatch& match, const trace::HostArguments& arguments)
      : rank_(rank), match_(match), arguments_(arguments) {}

  /// The last writers of what `event` reads, in the order of its inputs, perhaps the same one several times; from then
  /// on it is the writer of what it writes. What an operator calls does part of its work, and does not read from it. Of
  /// an operator without device work only storages of the host count. `event` must have a row. Valid until the next
  /// call.
  std::span<const trace::EventIndex> visit(trace::EventIndex event, bool has_device_work);

 private:
  [[nodiscard]] bool is_inside(trace::EventIndex event, trace::EventIndex around) const {
    return rank_.lane[event] == rank_.lane[around] && rank_.start[event] < rank_.end(around);
  }

  const trace::RankTrace& rank_;
  const HostMatch& match_;
  const trace::HostArguments& arguments_;
  std::unordered_map<std::uint64_t, trace::EventIndex> last_writer_;  // by storage; only looked up, never walked
  std::vector<trace::EventIndex> writers_;
};

/// Events are told by their position in the file's event list (Owner::ordinal), so that the trace is not needed beside
/// it.
struct RankTensors {
  struct Read {
    std::uint32_t writer;
    std::uint32_t reader;
    friend auto operator<=>(const Read&, const Read&) = default;
  };
  std::int64_t rank = 0;
  std::vector<Read> reads;  ///< by reader, then writer; each once
  std::vector<std::uint32_t>
      known;  ///< device work whose operator's tensors were recorded: nothing else is read by it. Ascending
};

/// From the last device work of the operator that wrote a storage to the first of one that reads it; and from each work
/// of an operator to its next, since what passes between these is nobody's tensor. Unlike tensor_dependencies.h, none
/// is left out because another comes later on the same stream. O(tensors + works log works).
RankTensors find_tensor_reads(const trace::RankTrace& rank, const HostMatch& match, const OperatorIndex& operators,
                              const trace::HostArguments& arguments);

}  // namespace orrery::causal
