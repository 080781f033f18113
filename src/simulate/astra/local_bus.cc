#include "simulate/astra/local_bus.h"

#include <fmt/format.h>

#include <limits>

// One state per end of each bus, stepped by events as ASTRA-sim's own does it, with its order of posts and its sums in
// floating point: equal times and the last bit of a sum decide who comes first. What the rank sends or reduces asks its
// memory before.

namespace orrery::simulate::astra {
namespace {

constexpr double kMemoryGapPerByteNs = 0.0038;  // whatever the system configuration says
constexpr std::uint32_t kInARow = 8;
constexpr std::int64_t kProcessingNs = 50;
constexpr std::int32_t kBytesPerStep = 100;  // of a reduction; what is left over is free

}  // namespace

LocalBus::LocalBus(const machine::AstraSharedBus& bus, std::uint32_t ranks, const Queue& queue, TickLists& ticks,
                   Dispatcher& dispatcher)
    : bus_(bus), queue_(queue), ticks_(ticks), dispatcher_(dispatcher), sides_(std::size_t{ranks} * kEnds) {}

void LocalBus::cross(std::uint32_t rank, const Crossing& crossing, const Action& done) {
  if (crossing.bytes > std::numeric_limits<std::int32_t>::max()) {
    return dispatcher_.fail(
        {fmt::format("rank {}: a packet of {} bytes on the shared bus, for which ASTRA-sim has 31 bits", rank,
                     crossing.bytes),
         {},
         Error::kNoOffset,
         "more preferred-dataset-splits make smaller ones"});
  }
  request(rank, crossing.to_network ? kRank : kNetwork,
          {static_cast<std::int32_t>(crossing.bytes), crossing.reduces, crossing.returns, done});
}

void LocalBus::event(std::uint32_t rank, std::uint32_t what) {
  step(rank, static_cast<std::uint8_t>(what / 16), static_cast<Event>(what % 16), {});
}

void LocalBus::post(std::uint32_t rank, std::uint8_t end, Event event, double delay_ns) {
  // Sizes of 0 count as one byte less than none.
  const auto delay = delay_ns > 0 ? static_cast<std::int64_t>(delay_ns) : 0;
  ticks_.add(rank, delay, {ActionKind::bus_event, rank, end * 16u + static_cast<std::uint32_t>(event)});
}

// What the rank sends is read from memory first: at the other ends it waits only for its turn.
void LocalBus::request(std::uint32_t rank, std::uint8_t end, const Request& request) {
  if (end == kRank) {
    Request read{request.bytes, false, false, request.done, Event::send, request.reduces, request.returns};
    return this->request(rank, kMemory, read);
  }
  side(rank, end).sends.push_back(request);
  if (side(rank, end).state == State::free) send_or_yield(rank, end);
}

void LocalBus::wait_for_memory(std::uint32_t rank, const Request& of, bool returns, Event then) {
  request(rank, kMemorySide, {of.bytes, false, returns, of.done, then, of.reduces, of.returns});
}

void LocalBus::send_or_yield(std::uint32_t rank, std::uint8_t end) {
  const std::uint8_t other = end ^ 1;
  const bool yields = side(rank, end).sent_in_a_row > kInARow && !side(rank, other).sends.empty() &&
                      side(rank, other).sent_in_a_row <= kInARow;
  if (!yields) return send_next(rank, end);
  if (side(rank, other).state == State::free) step(rank, other, Event::none, {});
}

void LocalBus::send_next(std::uint32_t rank, std::uint8_t end) {
  Side &sender = side(rank, end), &receiver = side(rank, end ^ 1);
  const double per_byte = end == kRank || end == kNetwork ? bus_.gap_per_byte_ns : kMemoryGapPerByteNs;
  const std::int64_t since = queue_.now() - sender.last_ns;
  const bool in_gap = sender.before == State::sending && bus_.overhead_ns + since <= bus_.gap_ns;
  const auto begin = static_cast<double>(in_gap ? bus_.gap_ns - since : bus_.overhead_ns);
  const Request request = sender.sends.front();
  sender.sends.pop_front();
  receiver.receives.push_back(request);
  receiver.before = receiver.state;
  receiver.state = State::receiving;
  receiver.sent_in_a_row = 0;
  // In this order, and added up in this order: equal times and the last bit depend on it.
  const double bytes = request.bytes - 1;
  post(rank, end ^ 1, Event::received,
       begin + bytes * per_byte + static_cast<double>(bus_.latency_ns) + static_cast<double>(bus_.overhead_ns));
  sender.state = State::sending;
  post(rank, end, Event::sent, begin + per_byte * bytes);
}

void LocalBus::step(std::uint32_t rank, std::uint8_t end, Event event, const Request& waiting) {
  Side& at = side(rank, end);
  switch (event) {
    case Event::none: break;
    case Event::sent:
      at.last_ns = queue_.now();
      at.before = at.state;
      at.state = State::free;
      ++at.sent_in_a_row;
      break;
    case Event::received: on_received(rank, end); break;
    case Event::processed: on_processed(rank, end); break;
    case Event::send: at.sends.push_back(waiting); break;
    case Event::process:
      at.processes.push_back(waiting);
      begin_processing(rank, end);
      break;
    case Event::retire: retire(rank, waiting); break;
  }
  if (at.state == State::free && !at.sends.empty()) send_or_yield(rank, end);
}

void LocalBus::on_received(std::uint32_t rank, std::uint8_t end) {
  Side& at = side(rank, end);
  at.last_ns = queue_.now();
  at.before = at.state;
  if (at.receives.size() < 2) at.state = State::free;
  if (!at.receives.front().reduces) return hand_on(rank, end, at.receives);
  Request request = at.receives.front();
  at.receives.pop_front();
  request.reduces = false;
  // The memory is asked for its answer: what is reduced is read as well as written.
  if (end == kRank) wait_for_memory(rank, request, true, Event::process);
  else at.processes.push_back(request);
  begin_processing(rank, end);
}

void LocalBus::on_processed(std::uint32_t rank, std::uint8_t end) {
  Side& at = side(rank, end);
  at.processing = false;
  hand_on(rank, end, at.processes);
  begin_processing(rank, end);
}

// The first of `from` goes back, or is at its end; the rank's memory comes first.
void LocalBus::hand_on(std::uint32_t rank, std::uint8_t end, std::deque<Request>& from) {
  Request request = from.front();
  const bool returns = request.returns;
  request.returns = false;
  if (end == kRank) wait_for_memory(rank, request, returns, returns ? Event::send : Event::retire);
  else if (returns) side(rank, end).sends.push_back(request);
  else retire(rank, request);
  // Only now: what follows from the end of a request still finds it there.
  from.pop_front();
}

void LocalBus::retire(std::uint32_t rank, const Request& request) {
  if (request.then == Event::none) return dispatcher_.run(request.done);
  step(rank, kRank, request.then, {request.bytes, request.then_reduces, request.then_returns, request.done});
}

void LocalBus::begin_processing(std::uint32_t rank, std::uint8_t end) {
  Side& at = side(rank, end);
  if (at.processing || at.processes.empty()) return;
  at.processing = true;
  const std::int64_t steps = at.processes.front().bytes / kBytesPerStep;
  post(rank, end, Event::processed, static_cast<double>(steps * bus_.reduction_delay_ns + kProcessingNs));
}

}  // namespace orrery::simulate::astra
