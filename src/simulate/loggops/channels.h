// Who can match whom, worked out before anything runs: messages and receives get the number of their queue.
#pragma once

#include <cstdint>

#include "simulate/loggops/operations.h"
#include "workload/message_matcher.h"

namespace orrery::simulate::loggops {

/// As Operation::channel: there is none, since the receiver uses wildcards and its messages are searched for.
inline constexpr std::uint32_t kNoChannel = ~std::uint32_t{0};

/// What `message`, a send or a recv, matches by.
workload::Envelope envelope_of(const Operations& operations, OpIndex message);

/// Gives every message and receive the channel of its (receiver, sender, tag) in `matcher`, so that matching one is
/// looking at the head of a queue. Receiver by receiver: the queues of one lie together, and telling them apart stays
/// within the caches. O(operations).
void number_channels(Operations& operations, workload::MessageMatcher& matcher);

}  // namespace orrery::simulate::loggops
