// The names that PyTorch's backends give to what they record.
#pragma once

#include <cstdint>
#include <string_view>

namespace orrery::flight_recorder {

/// "nccl:all_reduce", "nccl:send 0->1", "nccl:recv 1<-0" (places in the group), "nccl:coalesced",
/// "ALLGATHER_coalesced", "gloo:all_gather".
struct ProfilingName {
  enum class Role : std::uint8_t {
    collective,
    send,
    recv,
    coalesced,  ///< the end of a group of calls that were made as one
  };
  std::string_view full;     ///< "nccl:send": without the places
  std::string_view backend;  ///< "nccl"; empty if it does not say
  std::string_view what;     ///< "send"
  Role role = Role::collective;
  std::int64_t peer = -1;  ///< of a message: place of the other side in the group; -1: it does not say

  /// Threads of the host communicate: nothing is queued on a device.
  [[nodiscard]] bool is_of_host() const { return backend == "gloo" || backend == "mpi" || backend == "ucc"; }
};

/// Views into `text`.
ProfilingName parse_profiling_name(std::string_view text);

}  // namespace orrery::flight_recorder
