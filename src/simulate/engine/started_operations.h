// Which operations are started: all of a bundle of communicators or a class of ranks, or one for all that the network
// does not tell apart.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <span>
#include <unordered_map>
#include <vector>

#include "simulate/engine/run_state.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

class StartedOperations {
 public:
  /// `folding`: of the network; null: nothing stands for anything else. All must outlive this.
  StartedOperations(const workload::Membership& membership, const RunState& state, NetworkFolding* folding)
      : membership_(membership), state_(state), folding_(folding) {}

  /// Before any starts, by the network's present classes: tells it of each kind in the windows that are open.
  void announce();
  /// Communicators of a bundle.
  [[nodiscard]] std::span<const std::uint32_t> of_bundle(std::uint32_t bundle);
  /// Ranks of a class, of the messages that they send through a channel.
  [[nodiscard]] std::span<const std::uint32_t> of_channel(std::uint32_t rank_class, std::uint32_t channel);
  /// What the collectives of such a communicator stand for, and messages of such a rank.
  [[nodiscard]] std::span<const AlikeOp> alike_collectives(std::uint32_t communicator) const;
  [[nodiscard]] std::span<const AlikeOp> alike_messages(std::uint32_t rank, std::uint32_t channel) const;

 private:
  void announce_collectives(std::uint32_t bundle, const LiveWindow& window, const workload::Stream& stream);
  void announce_messages(std::uint32_t rank_class, std::uint32_t channel, const LiveWindow& window);

  using Ends = std::array<std::uint32_t, 2>;
  struct Started {
    std::vector<std::uint32_t> lines;
    bool is_known = false;
  };

  static std::uint64_t channel_of(std::uint32_t rank, std::uint32_t channel) {
    return std::uint64_t{rank} << 32 | channel;
  }

  const workload::Membership& membership_;
  const RunState& state_;
  NetworkFolding* folding_;
  std::vector<Started> of_bundles_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> of_channels_;  ///< by channel_of a class
  std::unordered_map<std::uint32_t, std::vector<AlikeOp>> alike_collectives_;
  std::unordered_map<std::uint64_t, std::vector<AlikeOp>> alike_messages_;  ///< by channel_of a rank
  std::list<Ends> ends_;                                                    ///< of messages that others stand for
};

}  // namespace orrery::simulate
