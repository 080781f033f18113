#include "simulate/engine/bundles.h"

#include "simulate/engine/program_plan.h"

namespace orrery::simulate {

Bundles::Bundles(const workload::Membership& membership, const RankClasses& classes) {
  first_stream.push_back(0);
  for (std::uint32_t c = 0; c < classes.size(); ++c)
    first_stream.push_back(first_stream.back() + membership.structure(classes.first(c)).group_names.size());
  of_stream.assign(first_stream.back(), kNone);
  for (std::uint32_t c = 0; c < membership.communicators().size(); ++c) {
    const Communicator& communicator = membership.communicators()[c];
    const auto stream_of = [&](std::uint32_t rank) {
      return membership.structure(rank).find_stream(communicator.name);
    };
    const auto place_of = [&](std::uint32_t rank) -> std::uint32_t& {
      return of_stream[first_stream[classes.class_of[rank]] + stream_of(rank)];
    };
    // Of all communicators that a class has by this name the members' classes are the same: the first member tells.
    std::uint32_t& number = place_of(communicator.ranks[0]);
    if (number == kNone) {
      number = static_cast<std::uint32_t>(all.size());
      all.push_back({{}, {classes.class_of[communicator.ranks[0]]}, {stream_of(communicator.ranks[0])}});
      for (const std::uint32_t rank : communicator.ranks) {
        if (place_of(rank) == number) continue;
        place_of(rank) = number;
        all.back().classes.push_back(classes.class_of[rank]);
        all.back().streams.push_back(stream_of(rank));
      }
    }
    all[number].communicators.push_back(c);
    of_communicator.push_back(number);
  }
}

}  // namespace orrery::simulate
