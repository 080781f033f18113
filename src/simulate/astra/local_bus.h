// The bus between a rank and its network endpoint, as ASTRA-sim models it with model-shared-bus: what a collective
// hands to the endpoint, and what it takes from there, crosses it instead of taking endpoint-delay.
//
// A bus has two ends that send to each other by LogGP: a transfer of b bytes keeps its sender for s + G (b - 1) and its
// receiver for s + G (b - 1) + L + o, where s is o, or what is left of the gap g since the sender's last transfer. An
// end is free, sends or receives, and an end that has sent more than eight times in a row lets the other begin. There
// are two such buses in a row: from the network to the rank, and from the rank to its memory, with the same L, o and g
// and a G of its own. What goes to the network is first read from memory; what comes from there is written to memory,
// and if it is to be reduced, or sent on, it waits for that once each.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "machine/astra_system.h"
#include "simulate/astra/actions.h"
#include "simulate/astra/transport.h"

namespace orrery::simulate::astra {

class LocalBus {
 public:
  LocalBus(const machine::AstraSharedBus& bus, std::uint32_t ranks, const Queue& queue, TickLists& ticks,
           Dispatcher& dispatcher);

  /// What crosses the bus.
  struct Crossing {
    std::int64_t bytes = 0;
    bool to_network = false;  ///< else from it
    bool reduces = false;     ///< is worked on at the far end,
    bool returns = false;     ///< and sent back from there
  };

  /// Runs `done` when it has crossed, or fails if the size is beyond the 31 bits that ASTRA-sim has for it.
  void cross(std::uint32_t rank, const Crossing& crossing, const Action& done);

  /// What ActionKind::bus_event asks for.
  void event(std::uint32_t rank, std::uint32_t what);

 private:
  enum End : std::uint8_t { kRank, kNetwork, kMemorySide, kMemory };  // partners differ in the last bit
  static constexpr std::size_t kEnds = 4;
  enum class Event : std::uint8_t { none, sent, received, processed, send, process, retire };
  enum class State : std::uint8_t { free, sending, receiving };

  struct Request {
    std::int32_t bytes = 0;
    bool reduces = false, returns = false;
    Action done = {};
    // Of one on the memory's bus: what becomes of the request that waits for it, and its flags.
    Event then = Event::none;
    bool then_reduces = false, then_returns = false;
  };
  struct Side {
    State state = State::free, before = State::free;
    bool processing = false;
    std::int64_t last_ns = 0;
    std::uint32_t sent_in_a_row = 0;
    std::deque<Request> sends, receives, processes;
  };

  [[nodiscard]] Side& side(std::uint32_t rank, std::uint8_t end) { return sides_[rank * kEnds + end]; }
  void request(std::uint32_t rank, std::uint8_t end, const Request& request);
  void wait_for_memory(std::uint32_t rank, const Request& of, bool returns, Event then);
  void step(std::uint32_t rank, std::uint8_t end, Event event, const Request& waiting);
  void on_received(std::uint32_t rank, std::uint8_t end);
  void on_processed(std::uint32_t rank, std::uint8_t end);
  void hand_on(std::uint32_t rank, std::uint8_t end, std::deque<Request>& from);
  void retire(std::uint32_t rank, const Request& request);
  void begin_processing(std::uint32_t rank, std::uint8_t end);
  void send_or_yield(std::uint32_t rank, std::uint8_t end);
  void send_next(std::uint32_t rank, std::uint8_t end);
  void post(std::uint32_t rank, std::uint8_t end, Event event, double delay_ns);

  machine::AstraSharedBus bus_;
  const Queue& queue_;
  TickLists& ticks_;
  Dispatcher& dispatcher_;
  std::vector<Side> sides_;  // rank by rank, end by end
};

}  // namespace orrery::simulate::astra
