// Sending and receiving: a network, the matching of messages with receives, and the rendezvous protocol.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "simulate/astra/fold.h"
#include "simulate/astra/match_table.h"
#include "simulate/astra/network.h"

namespace orrery::simulate::astra {

/// Who carries out what an event says.
class Dispatcher {
 public:
  virtual ~Dispatcher() = default;
  virtual void run(const Action& action) = 0;
  /// Ends the simulation: what is asked for cannot be done.
  virtual void fail(Error error) = 0;
};

class Transport {
 public:
  /// `contended`: messages queue at links. `fold`: null, or only the representative rank is simulated.
  Transport(const machine::AstraSystem& system, const Grid& grid, Queue& queue, Dispatcher& dispatcher, bool contended,
            const Fold* fold);

  /// `when_sent` runs when the message has arrived at `target`.
  void send(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag, const Action& when_sent);
  /// `when_received` runs when the message has arrived; not before now, also if it did earlier.
  void receive(std::uint32_t source, std::uint32_t target, std::int64_t size, std::int64_t tag,
               const Action& when_received);

  // Events.
  void arrival(std::uint32_t message);
  void link_free(std::uint32_t link) { aware_->link_free(messages_, link); }
  void send_granted(std::uint32_t deferred);
  void receive_requested(std::uint32_t deferred);

  [[nodiscard]] const MatchTable& matches() const { return matches_; }
  [[nodiscard]] const Message& message(std::uint32_t number) const { return messages_[number]; }
  void record_links(LinkRecorder* recorder) {
    if (aware_) aware_->record_links(recorder);
  }
  /// Null without contention: then there are no links.
  [[nodiscard]] const AwareNetwork* links() const { return aware_ ? &*aware_ : nullptr; }

 private:
  struct Deferred {
    MatchKey key;
    Action action;
  };

  void transmit(const MatchKey& key, const Action& when_sent);
  void post(const MatchKey& key, const Action& when_received);
  std::uint32_t defer(const MatchKey& key, const Action& action);

  Queue& queue_;
  Dispatcher& dispatcher_;
  const Fold* fold_;
  bool rendezvous_;
  UnawareNetwork unaware_;
  std::optional<AwareNetwork> aware_;
  MatchTable matches_;
  std::vector<Message> messages_;
  std::uint32_t free_message_ = ~0u;
  std::vector<Deferred> deferred_;
  std::vector<std::uint32_t> free_deferred_;
};

}  // namespace orrery::simulate::astra
