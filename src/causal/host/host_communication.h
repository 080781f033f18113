// Communication that host threads do themselves, without a kernel: who does it.
#pragma once

#include <vector>

#include "base/column.h"
#include "trace/content_order.h"
#include "trace/trace.h"

namespace orrery::causal {

// Collectives that worker threads of the host do, and the calls that asked for them.

/// A collective of the host and the call that asked for it.
struct AskedCollective {
  trace::EventIndex collective;
  trace::EventIndex call;
};

/// As far as it is sure (HostWork::call_is_sure): where some calls are not recorded (DistributedDataParallel), belong
/// to another backend, or came before the recording began, nothing is said. By start of the collective, then content.
std::vector<AskedCollective> find_asked_collectives(const trace::Trace& trace, const trace::RankTrace& rank,
                                                    const trace::ContentOrder& content);

/// Which events of host threads communicate: those named by c10d (see match::is_host_communication), and instructions
/// of an XLA program that is run by the host's threads (all-reduce.3). The call that asks for a collective
/// (c10d::allreduce_) and its record (record_param_comms) do not.
class HostCommunication {
 public:
  /// O(texts + collectives).
  HostCommunication(const trace::Trace& trace, const trace::RankTrace& rank);

  [[nodiscard]] bool contains(trace::EventIndex event) const {
    return by_name_[rank_.name[event]] != 0 && is_of_host(event);
  }
  [[nodiscard]] bool is_empty() const { return is_empty_; }
  /// Of a call into MPI: it speaks to nobody (match::MpiRole::local: MPI_Init, MPI_Finalize, MPI_Comm_rank). All others
  /// communicate.
  [[nodiscard]] bool is_local_call(trace::EventIndex event) const {
    return is_local_[rank_.name[event]] != 0 && rank_.activity(event) == trace::Activity::mpi_call;
  }

 private:
  [[nodiscard]] bool is_of_host(trace::EventIndex event) const {
    const trace::Activity activity = rank_.activity(event);
    return activity == trace::Activity::annotation || activity == trace::Activity::cpu_operator;
  }

  const trace::RankTrace& rank_;
  Column<std::uint8_t> by_name_;   // by number of the text
  Column<std::uint8_t> is_local_;  // likewise
  bool is_empty_ = true;
};

}  // namespace orrery::causal
