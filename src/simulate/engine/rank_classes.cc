#include "simulate/engine/rank_classes.h"

#include <algorithm>
#include <map>
#include <numeric>

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

namespace {

using Signature = std::vector<std::uint32_t>;

/// Gives equal signatures equal numbers, in order of first appearance.
class Numbering {
 public:
  std::uint32_t number(const Signature& signature) {
    return numbers_.emplace(signature, static_cast<std::uint32_t>(numbers_.size())).first->second;
  }
  [[nodiscard]] std::size_t size() const { return numbers_.size(); }

 private:
  std::map<Signature, std::uint32_t> numbers_;
};

std::vector<std::uint32_t> by_program(const workload::Membership& membership,
                                      const std::vector<std::uint32_t>& told_apart) {
  const workload::Workload& job = membership.job();
  std::vector<std::uint32_t> classes;
  Numbering numbering;
  std::vector<bool> names_ranks;
  for (const workload::ProgramStructure& structure : membership.structures())
    names_ranks.push_back(structure.names_ranks());
  for (std::uint32_t rank = 0; rank < job.rank_count(); ++rank) {
    const std::uint32_t program = job.program_of_rank[rank];
    classes.push_back(
        numbering.number({program, names_ranks[program] ? rank : 0, told_apart.empty() ? 0 : told_apart[rank]}));
  }
  return classes;
}

// The classes of the members of each communicator, as one number.
std::vector<std::uint32_t> communicator_kinds(const workload::Membership& membership,
                                              const std::vector<std::uint32_t>& classes) {
  std::vector<std::uint32_t> kinds;
  Numbering numbering;
  Signature signature;
  for (const workload::Communicator& communicator : membership.communicators()) {
    signature.clear();
    for (const std::uint32_t rank : communicator.ranks) signature.push_back(classes[rank]);
    kinds.push_back(numbering.number(signature));
  }
  return kinds;
}

// One round; returns how many classes there are now.
std::size_t refine(const workload::Membership& membership, std::vector<std::uint32_t>& classes) {
  const std::vector<std::uint32_t> kinds = communicator_kinds(membership, classes);
  std::vector<std::uint32_t> finer;
  Numbering numbering;
  Signature signature;
  for (std::uint32_t rank = 0; rank < classes.size(); ++rank) {
    const workload::ProgramStructure& structure = membership.structure(rank);
    signature.assign(1, classes[rank]);
    for (std::uint32_t stream = 0; stream < structure.group_names.size(); ++stream)
      signature.push_back(kinds[membership.communicator_number(rank, stream)]);
    for (const workload::ChannelKey& channel : structure.channels)
      signature.push_back(classes[membership.peer(rank, channel)]);
    finer.push_back(numbering.number(signature));
  }
  classes = std::move(finer);
  return numbering.size();
}

RankClasses collect(std::vector<std::uint32_t> class_of) {
  RankClasses classes;
  classes.class_of = std::move(class_of);
  for (std::uint32_t rank = 0; rank < classes.class_of.size(); ++rank) {
    const std::uint32_t number = classes.class_of[rank];
    if (number == classes.members.size()) classes.members.emplace_back();
    classes.members[number].push_back(rank);
  }
  return classes;
}

}  // namespace

RankClasses each_rank_alone(std::size_t rank_count) {
  std::vector<std::uint32_t> class_of(rank_count);
  std::iota(class_of.begin(), class_of.end(), 0);
  return collect(std::move(class_of));
}

RankClasses find_rank_classes(const workload::Membership& membership, const std::vector<std::uint32_t>& told_apart) {
  const std::size_t ranks = membership.job().rank_count();
  // Whoever receives from anybody may get messages from ranks that no channel names: nothing can be said of classes.
  if (membership.has_wildcards()) return each_rank_alone(ranks);
  std::vector<std::uint32_t> classes = by_program(membership, told_apart);
  std::size_t count = classes.empty() ? 0 : *std::max_element(classes.begin(), classes.end()) + std::size_t{1};
  while (count < ranks) {
    const std::size_t finer = refine(membership, classes);
    if (finer == count) break;  // equitable
    count = finer;
  }
  return collect(std::move(classes));
}

}  // namespace orrery::simulate
