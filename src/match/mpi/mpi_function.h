// The functions of MPI that recordings name: what each does to messages, collectives and requests.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "workload/workload.h"

namespace orrery::match {

enum class MpiRole : std::uint8_t {
  local,         ///< asks, names, frees, begins and ends MPI: communicates with nobody
  send,          ///< MPI_Send, MPI_Isend and their modes
  receive,       ///< MPI_Recv, MPI_Irecv
  send_receive,  ///< MPI_Sendrecv, MPI_Sendrecv_replace
  collective,    ///< what everybody in a communicator does together, with data or to wait
  agreement,     ///< a collective that makes or frees a communicator, a file or a window
  wait_one,      ///< completes one request: MPI_Wait
  wait_any,      ///< completes one of several: MPI_Waitany
  wait_some,     ///< completes at least one: MPI_Waitsome
  wait_all,      ///< completes all: MPI_Waitall
  test,          ///< may complete some, or none: MPI_Test and its kin
  probe,         ///< waits for a message, and leaves it there
  other,  ///< communicates in a way that is not told by messages and collectives: one-sided, files, persistent requests
};

struct MpiFunction {
  std::string_view name;  ///< MPI_Iallreduce
  MpiRole role = MpiRole::local;
  bool is_blocking = true;  ///< false: it makes a request, and a later call completes it
  /// Which collective it is, of those a Workload knows; none of MPI_Scan and MPI_Exscan.
  std::optional<workload::Collective> collective = {};
  std::string_view kind = {};  ///< of a collective: Field::collective_text of its events ("all_reduce", "scan")
};

/// A peer that is none, MPI_PROC_NULL: such a call is no message.
inline constexpr std::int64_t kNobody = -2;

/// Null if it is no function of MPI 3.1 that a tracer records. O(log functions).
const MpiFunction* find_mpi_function(std::string_view name);

}  // namespace orrery::match
