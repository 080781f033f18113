#include "simulate/engine/repetitions.h"

#include <utility>

namespace orrery::simulate {

std::size_t Repetitions::Hash::operator()(const Contents& contents) const {
  std::uint64_t hash = contents.size();
  for (const std::uint64_t content : contents) {
    hash = (hash ^ content) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 29;
  }
  return hash;
}

Stretch* Repetitions::find(const Contents& contents) {
  const auto found = kept_.find(contents);
  return found == kept_.end() ? nullptr : found->second;
}

bool Repetitions::is_worth_keeping(const Contents& contents) {
  return bytes_ < kMostBytes && !came_before_.insert(Hash()(contents)).second;
}

void Repetitions::keep(const Contents& contents, Stretch stretch) {
  // The sums of a sink by phase are of the order of those of ranks, a few times over.
  constexpr std::size_t kPhases = 4;
  bytes_ += stretch.ranks.size() * sizeof(RankUse) * (1 + kPhases) +
            stretch.links.size() * sizeof(Stretch::LinkDifference) +
            contents.size() * (sizeof(std::uint64_t) + sizeof(WindowExtent));
  stretches_.push_back(std::move(stretch));
  kept_.emplace(contents, &stretches_.back());
}

}  // namespace orrery::simulate
