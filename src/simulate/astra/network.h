// The two networks of ASTRA-sim's analytical backend: messages that never meet, and messages that queue at links.
#pragma once

#include <cstdint>
#include <vector>

#include "machine/astra_system.h"
#include "simulate/astra/actions.h"
#include "simulate/network_model.h"

namespace orrery::simulate::astra {

/// A message under way. Ranks are real ranks, also when only one of them is simulated.
struct Message {
  std::int64_t tag = 0;
  std::int64_t size = 0;
  std::uint32_t source = 0;
  std::uint32_t target = 0;
  Action when_sent;          ///< done when it has arrived: the sender's node
  std::uint32_t at = 0;      ///< where it is: a rank, or the switch in front of it
  std::uint32_t next = ~0u;  ///< in the queue of a link, or in the list of free messages
  bool at_switch = false;
};

/// Coordinates of ranks: dimension 0 varies fastest.
class Grid {
 public:
  explicit Grid(const std::vector<machine::AstraDimension>& dimensions);
  [[nodiscard]] std::size_t size() const { return counts_.size(); }
  [[nodiscard]] std::uint32_t count(std::size_t d) const { return counts_[d]; }
  [[nodiscard]] std::uint32_t stride(std::size_t d) const { return strides_[d]; }
  [[nodiscard]] std::uint32_t ranks() const { return ranks_; }
  [[nodiscard]] std::uint32_t coordinate(std::uint32_t rank, std::size_t d) const {
    return rank / strides_[d] % counts_[d];
  }
  /// The lowest dimension in which two different ranks differ.
  [[nodiscard]] std::size_t first_difference(std::uint32_t a, std::uint32_t b) const;

 private:
  std::vector<std::uint32_t> counts_, strides_;
  std::uint32_t ranks_ = 1;
};

/// How long a message of some size needs on one link of a dimension: truncated to nanoseconds separately, as ASTRA-sim
/// does.
struct LinkTimes {
  std::int64_t size = -1;
  std::int64_t busy_ns = 0;     ///< trunc(size / B)
  std::int64_t arrival_ns = 0;  ///< trunc(L + size / B)
};

/// No contention: a message needs trunc(hops * L + size / B) of the lowest dimension in which the ranks differ; other
/// dimensions are free.
class UnawareNetwork {
 public:
  UnawareNetwork(const machine::AstraSystem& system, const Grid& grid) : dimensions_(system.dimensions), grid_(grid) {}
  [[nodiscard]] std::int64_t delay_ns(std::uint32_t source, std::uint32_t target, std::int64_t size);

 private:
  const std::vector<machine::AstraDimension>& dimensions_;
  const Grid& grid_;
  struct {
    std::size_t dimension = ~std::size_t{0};
    std::uint32_t hops = 0;
    std::int64_t size = -1;
    std::int64_t delay = 0;
  } last_;  // most messages are like the one before
};

/// First in, first out at every directed link; whole messages are stored and forwarded; dimension by dimension, 0
/// first.
class AwareNetwork {
 public:
  /// `folded`: only rank 0 is simulated; the links of every rank are those of rank 0.
  AwareNetwork(const machine::AstraSystem& system, const Grid& grid, Queue& queue, bool folded);

  /// The message is at `message.at` and goes on; it must not have arrived. `messages[number]` is the message.
  void go_on(std::vector<Message>& messages, std::uint32_t number);
  void link_free(std::vector<Message>& messages, std::uint32_t link);
  /// Is told when links carry what; nullptr: nobody is.
  void record_links(LinkRecorder* recorder) { recorder_ = recorder; }
  [[nodiscard]] std::size_t link_count() const { return links_.size(); }
  [[nodiscard]] std::string link_name(std::size_t link) const;
  [[nodiscard]] LinkUse use(std::size_t link) const {
    return {links_[link].bytes, links_[link].busy_ns * kPsPerNs, links_[link].peak};
  }

 private:
  struct Link {
    bool busy = false;
    std::uint32_t head = ~0u, tail = ~0u;
    std::uint32_t waiting = 0, peak = 0;
    std::uint64_t bytes = 0;
    std::int64_t busy_ns = 0;
  };
  struct Dimension {
    machine::AstraTopology topology;
    std::size_t first_link;
    LinkTimes last;
  };
  struct Step {
    std::uint32_t link;
    std::uint32_t to;
    bool to_switch;
  };

  [[nodiscard]] Step next_step(const Message& message) const;
  void transmit(std::vector<Message>& messages, std::uint32_t link, std::uint32_t number);
  std::size_t dimension_of(std::uint32_t link) const;
  const LinkTimes& times(std::size_t dimension, std::int64_t size);

  const std::vector<machine::AstraDimension>& description_;
  const Grid& grid_;
  Queue& queue_;
  bool folded_;
  std::vector<Dimension> dimensions_;
  std::vector<Link> links_;
  LinkRecorder* recorder_ = nullptr;
};

}  // namespace orrery::simulate::astra
