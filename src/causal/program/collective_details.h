// What a piece of communication is: which collective or message, how many bytes, in which group, with whom.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "base/radix_sort.h"
#include "causal/host/host_match.h"
#include "causal/host/operator_index.h"
#include "match/communication.h"
#include "match/host_work.h"
#include "trace/host_arguments.h"
#include "workload/workload.h"

namespace orrery::causal {

using match::communication_kind;
using match::CommunicationKind;
using match::element_bytes;

struct CollectiveDetails {
  std::optional<CommunicationKind> kind;  ///< none: nothing says what it is
  std::optional<std::int64_t> bytes;      ///< see Program::bytes
  std::optional<std::int64_t> peer;       ///< within the group
  std::optional<std::int64_t> tag;
  StringId group_name = 0;  ///< in the trace's table; 0: not recorded
  std::int64_t group_size = trace::kNoNumber;
};

/// Asks the event's own arguments first and, of what the host did itself, the call that asked for it
/// (match/host_work.h); then the operators around it, from the inside out: their rows of the host trace
/// (record_param_comms, c10d::send) and the rows that called those, and last their names.
///
/// A collective that the host does itself runs on another thread than the call that asked for it, or beyond its end.
/// The host trace has numbered both, one right after the other: c10d::broadcast_ 35, gloo:broadcast 36.
class CollectiveSource {
 public:
  /// `host`, `match` and `arguments` may be null. `work`: what the host of this rank did itself; must outlive this.
  CollectiveSource(const trace::Trace& trace, const trace::RankTrace& rank, const OperatorIndex& operators,
                   const trace::HostTrace* host, const HostMatch* match, const trace::HostArguments* arguments,
                   std::span<const match::HostWork> work);

  [[nodiscard]] CollectiveDetails find(trace::EventIndex event) const;

 private:
  void ask_event(trace::EventIndex event, CollectiveDetails& details) const;
  void ask_call(trace::EventIndex event, CollectiveDetails& details) const;
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
  std::unordered_map<trace::EventIndex, const match::HostWork*> work_;  // only looked up, never walked
  Column<KeyedIndex> rows_by_id_, rows_by_record_function_;             // of rows that communicate only
};

}  // namespace orrery::causal
