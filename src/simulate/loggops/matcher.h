// Brings receives and messages together, as MPI does: in order of posting and arrival, by source and tag.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/loggops/operations.h"

namespace orrery::simulate::loggops {

/// A message is named by its send. Every (receiver, sender, tag) is a channel, numbered once: matching is the head of a queue, however many
/// receives are posted. Only ranks that use wildcards (a receive from any rank or with any tag, a send that fits any tag) search a list
/// from its front, which is where wildcards find their match.
class Matcher {
 public:
  /// Numbers the channels; `operations` must outlive the matcher.
  explicit Matcher(Operations& operations);

  /// The first posted receive that fits the message, which is then no longer posted; or kNoOp, and the message is kept.
  OpIndex message_arrives(OpIndex send);
  /// The first kept message that fits the receive, which is then no longer kept; or kNoOp, and the receive is posted.
  OpIndex recv_is_posted(OpIndex recv);

  /// Sends whose messages are kept, in ascending order.
  [[nodiscard]] std::vector<OpIndex> kept_messages() const;

 private:
  struct Queue {
    OpIndex head = kNoOp, tail = kNoOp;
  };
  void number_channels();
  void append(Queue& queue, OpIndex op);
  OpIndex take_first(Queue& queue);
  OpIndex take_fitting(Queue& queue, OpIndex op);
  [[nodiscard]] bool fits(OpIndex send, OpIndex recv) const;

  Operations& operations_;
  std::vector<Queue> channels_;             // at any time with receives only, or with messages only
  std::vector<OpIndex> next_;               // by operation, in whichever queue it is
  std::vector<std::uint32_t> wildcard_of_;  // by rank: place in posted_ and kept_, or kNone
  std::vector<Queue> posted_, kept_;        // of the ranks that use wildcards
};

}  // namespace orrery::simulate::loggops
