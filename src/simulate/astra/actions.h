// What a simulated event does, as data: no closures, no allocation.
#pragma once

#include <cstdint>

namespace orrery::simulate::astra {

enum class ActionKind : std::uint8_t {
  none,
  // Posted to the global queue.
  rank_tick,  ///< run the list of rank `a` for this tick
  arrival,    ///< message `a` reached its destination or the next vertex on its way
  link_free,  ///< link `a` may carry the next message
  // In the list of a rank, or at the end of a message.
  bus_event,          ///< of the bus of rank `a`: LocalBus knows what `b` is
  endpoint_passed,    ///< stream `a`: a packet passed the endpoint; then `value` ns of reduction, if not negative
  packet_ready,       ///< stream `a`: a packet may be sent
  packet_received,    ///< stream `a`
  node_done,          ///< node `b` of rank `a`
  custom_done,        ///< node `b` of run `a` of a custom collective
  memory_released,    ///< memory `a` may serve the next transaction
  send_granted,       ///< rendezvous: the deferred message `a` may be sent
  receive_requested,  ///< rendezvous: the deferred receive `a` may be posted
};

/// In the global queue `value` is the time at which the event was caused, and `b` of an arrival tells from where (0:
/// from the same rank).
struct Action {
  ActionKind kind = ActionKind::none;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::int64_t value = 0;
};

}  // namespace orrery::simulate::astra
