#include "replay/torch/scale/scale_propagation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace orrery::replay::torch {

Status ScalePropagation::require(std::uint32_t site, const DimensionPart& wanted) {
  const auto seen = memory_.require(site, wanted);
  if (!seen) return seen.error();
  const TensorSite& at = sites_.all[site];
  if (*seen == ScaledMemory::Seen::by_its_user) wait(at.user);
  if (*seen == ScaledMemory::Seen::by_all_on_the_memory) {
    for (const std::uint32_t user : sites_.users_of[at.lifetime]) wait(user);
  }
  return {};
}

Status ScalePropagation::run() {
  while (!waiting_.empty()) {
    const std::uint32_t user = waiting_.front();
    waiting_.pop_front();
    progress_[user].is_waiting = false;
    if (const Status done = follow(user); !done) return done;
  }
  return {};
}

void ScalePropagation::wait(std::uint32_t user) {
  if (progress_[user].is_waiting) return;
  progress_[user].is_waiting = true;
  waiting_.push_back(user);
}

Status ScalePropagation::follow(std::uint32_t number) {
  const TensorUser& user = sites_.users[number];
  if (!memory_.is_scaled(user)) return {};
  if (user.is_collective()) {
    // Each rank gives and gets the same tensor: scaled everywhere, it is the same again.
    if (user.kind == "all_reduce" || user.kind == "broadcast" || user.kind == "reduce") return {};
    return refusals_.cannot_follow(user.row, "only all_reduce, broadcast and reduce carry scaled tensors");
  }
  Progress& progress = progress_[number];
  if (!progress.has_groups) {
    progress.has_groups = true;
    progress.groups = dimension_groups(host_, user.row, *user.call, *user.schema, counted_.count_of(user));
  }
  if (!progress.groups) return refusals_.cannot_follow(user.row, "no rule says which of its sizes belong together");
  for (const DimensionGroup& group : *progress.groups) {
    if (const Status done = group.is_joined ? follow_joined(user, group) : follow_group(user, group); !done)
      return done;
  }
  return check_ungrouped(user, *progress.groups);
}

Status ScalePropagation::follow_group(const TensorUser& user, const DimensionGroup& group) {
  ScaledParts all;
  for (const DimensionRef& member : group.members) all.merge(parts_of(user, member));
  for (const DimensionRef& member : group.members) {
    for (const Part& part : all) {
      if (const Status done = require(user.first + member.tensor, {member.dimension, part}); !done) return done;
    }
  }
  return {};
}

// Parts that are alike have the scaled part each: [8] three times is 3 * 8. Others are scaled as a whole.
Status ScalePropagation::follow_joined(const TensorUser& user, const DimensionGroup& group) {
  const auto parts = parts_of_joined(user, group);
  if (!parts) return parts.error();
  for (const DimensionRef& member : group.members) {
    const bool is_whole = &member == &group.members.front();
    for (const Part& part : *parts) {
      const bool has_all = is_whole && parts_of(user, member).contains({1, size_of(user, member)});
      if (has_all && part.count == size_of(user, group.members[1])) continue;
      if (const Status done = require(user.first + member.tensor, {member.dimension, part}); !done) return done;
    }
  }
  return {};
}

// What is scaled of each of those that are joined.
Result<ScaledParts> ScalePropagation::parts_of_joined(const TensorUser& user, const DimensionGroup& group) const {
  const std::vector<DimensionRef>& members = group.members;
  const bool are_alike = std::all_of(members.begin() + 1, members.end(), [&](const DimensionRef& member) {
    return size_of(user, member) == size_of(user, members[1]);
  });
  ScaledParts all;
  for (const DimensionRef& member : members) {
    const bool is_whole = &member == &members.front();
    for (const Part& part : parts_of(user, member)) {
      const std::int64_t one = size_of(user, members[1]);
      // All of them at once are a part of each.
      const bool is_all = is_whole && part.count == size_of(user, member);
      const bool is_divided = is_whole && !is_all && one % part.count != 0;
      if (part.inner != 1 || part.extra != 0 || !are_alike || is_divided)
        return refusals_.cannot_follow(user.row, "what it joins is scaled along the joint, and is not all alike");
      all.insert({1, is_all ? one : part.count});
    }
  }
  return all;
}

Status ScalePropagation::check_ungrouped(const TensorUser& user, const std::vector<DimensionGroup>& groups) const {
  std::set<std::pair<std::uint32_t, std::uint32_t>> grouped;
  for (const DimensionGroup& group : groups) {
    for (const DimensionRef& member : group.members) grouped.insert({member.tensor, member.dimension});
  }
  for (std::uint32_t t = 0; t < user.count; ++t) {
    const std::vector<std::int64_t>& shape = sites_.all[user.first + t].tensor->shape;
    for (std::uint32_t d = 0; d < shape.size(); ++d) {
      if (!grouped.contains({t, d}) && !parts_of(user, {t, d}).empty())
        return refusals_.cannot_follow(
            user.row,
            fmt::format("dimension {} of its tensor of shape [{}] has a size of its own", d, fmt::join(shape, ", ")));
    }
  }
  return {};
}

}  // namespace orrery::replay::torch
