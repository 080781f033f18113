// What a piece of communication is: which collective or message, how many bytes, in which group, with whom.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/radix_sort.h"
#include "link/host_match.h"
#include "link/operator_index.h"
#include "trace/host_arguments.h"
#include "workload/workload.h"

namespace orrery::link {

struct CommunicationKind {
  workload::ActivityKind kind = workload::ActivityKind::collective;  ///< collective, send or recv
  workload::Collective collective = workload::Collective::all_reduce;
  friend bool operator==(const CommunicationKind&, const CommunicationKind&) = default;
};

/// What a name says: "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "_allgather_base", "gloo:reduce", "c10d::recv_". Nothing for
/// "ncclDevKernel_SendRecv", which may be a message or an all-to-all.
std::optional<CommunicationKind> communication_kind(std::string_view name);

/// Bytes of one element: "Float" and "float32" 4, "BFloat16" 2; 0 if unknown.
std::int64_t element_bytes(std::string_view dtype);

struct CollectiveDetails {
  std::optional<CommunicationKind> kind;  ///< none: nothing says what it is
  std::optional<std::int64_t> bytes;      ///< see Program::bytes
  std::optional<std::int64_t> peer;       ///< within the group
  std::optional<std::int64_t> tag;
  StringId group_name = 0;  ///< in the trace's table; 0: not recorded
  std::int64_t group_size = trace::kNoNumber;
};

/// Asks the event's own arguments first, then the operators around it, from the inside out: their rows of the host trace (record_param_comms,
/// c10d::send) and the rows that called those, and last their names.
///
/// A collective that the host does itself runs on another thread than the call that asked for it, or beyond its end. The host trace has
/// numbered both, one right after the other: c10d::broadcast_ 35, gloo:broadcast 36.
class CollectiveSource {
 public:
  /// `host`, `match` and `arguments` may be null.
  CollectiveSource(const trace::Trace& trace, const trace::RankTrace& rank, const OperatorIndex& operators, const trace::HostTrace* host,
                   const HostMatch* match, const trace::HostArguments* arguments);

  [[nodiscard]] CollectiveDetails find(trace::EventIndex event) const;

 private:
  void ask_event(trace::EventIndex event, CollectiveDetails& details) const;
  void ask_row(std::uint32_t row, CollectiveDetails& details) const;
  void ask_callers(std::uint32_t row, CollectiveDetails& details) const;
  void ask_name(trace::EventIndex event, CollectiveDetails& details) const;
  void set_elements(std::int64_t in, std::int64_t out, StringId dtype, CollectiveDetails& details) const;

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  const OperatorIndex& operators_;
  const trace::HostTrace* host_;
  const HostMatch* match_;
  const trace::HostArguments* arguments_;
  Column<KeyedIndex> rows_by_id_, rows_by_record_function_;  // of rows that communicate only
};

}  // namespace orrery::link
