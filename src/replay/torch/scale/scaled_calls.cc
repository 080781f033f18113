#include "replay/torch/scale/scaled_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/result.h"
#include "replay/torch/build/tensor_sites.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/scale/dimension_rules.h"
#include "replay/torch/scale/scale_request.h"
#include "replay/torch/scale/scale_seeds.h"
#include "replay/torch/scale/scaled_arguments.h"
#include "replay/torch/scale/scaled_memory.h"
#include "replay/torch/scale/scaled_view.h"
#include "replay/torch/source/unrecorded_makers.h"
#include "report/counted.h"

// A work list: scaling a dimension of one tensor makes every call that sees its memory look again, and what a call ties
// to it is scaled in turn, until nothing is left to do. Nothing is changed before that; the first operator that cannot
// follow refuses all of it. At the end steps are compared, since half a job scaled is none.

namespace orrery::replay::torch {

// A scaled dimension followed from call to call: what a call does with one dimension of its tensors it does with those
// that are the same one (dimension_rules.h), and whoever uses the memory of these follows in turn.

/// Changes `memory` only; tensors stay as they were recorded. Refers to what it is made of.
class ScalePropagation {
 public:
  ScalePropagation(const trace::HostTrace& host, const TensorSites& sites, const CountedIndices& counted,
                   const ScaleRefusals& refusals, ScaledMemory& memory)
      : host_(host),
        sites_(sites),
        counted_(counted),
        refusals_(refusals),
        memory_(memory),
        progress_(sites.users.size()) {}

  /// Scales part of a dimension, and lets those who see it wait for run().
  Status require(std::uint32_t site, const DimensionPart& wanted);
  /// First come, first served, until nothing more has to change. An Error names the first call or collective that
  /// cannot follow.
  Status run();

 private:
  struct Progress {
    bool is_waiting = false;
    bool has_groups = false;  // they were looked for: most calls see nothing that is scaled
    std::optional<std::vector<DimensionGroup>> groups;
  };

  void wait(std::uint32_t user);
  Status follow(std::uint32_t user);
  Status follow_group(const TensorUser& user, const DimensionGroup& group);
  Status follow_joined(const TensorUser& user, const DimensionGroup& group);
  Result<ScaledParts> parts_of_joined(const TensorUser& user, const DimensionGroup& group) const;
  Status check_ungrouped(const TensorUser& user, const std::vector<DimensionGroup>& groups) const;

  [[nodiscard]] ScaledParts parts_of(const TensorUser& user, const DimensionRef& member) const {
    return memory_.parts_at(user.first + member.tensor, member.dimension);
  }
  [[nodiscard]] std::int64_t size_of(const TensorUser& user, const DimensionRef& member) const {
    return sites_.all[user.first + member.tensor].tensor->shape[member.dimension];
  }

  const trace::HostTrace& host_;
  const TensorSites& sites_;
  const CountedIndices& counted_;
  const ScaleRefusals& refusals_;
  ScaledMemory& memory_;
  std::vector<Progress> progress_;  // per user
  std::deque<std::uint32_t> waiting_;
};

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

// What is scaled of the dimensions that were found first: all of each, or of sequences that are cut out of longer ones
// what is cut out.

struct SeedPart {
  std::uint32_t site;  ///< into TensorSites::all
  DimensionPart wanted;
};

struct SeedParts {
  std::int64_t size = 0;       ///< of the dimension that was asked for
  std::vector<SeedPart> each;  ///< in the order of the seeds
};

SeedParts parts_of_seeds(ScaleRequest::What what, const std::vector<ScaleSeed>& seeds, const TensorSites& sites);

namespace {

// All of a dimension but the tokens that are there to predict the next one from: those that no slice of it has.
Part sequence_of(const TensorSites& sites, const TensorSite& at, std::uint32_t dimension) {
  const std::int64_t size = at.tensor->shape[dimension];
  const Part whole{1, size};
  const Axis axis{at.tensor->stride[dimension] * at.tensor->type.bytes, size};
  std::int64_t slice = 0;
  for (const std::uint32_t user : sites.users_of[at.lifetime]) {
    for (const TensorSite& site : sites.of(sites.users[user])) {
      const auto part = site.lifetime == at.lifetime ? part_of_axis(*site.tensor, axis) : std::nullopt;
      if (!part || part->part.count == size) continue;
      // Slices of several sizes keep their shares.
      if (slice != 0 && slice != part->part.count) return whole;
      slice = part->part.count;
    }
  }
  // A token or a few behind the sequence: an eighth is more than any such margin, and less than another sequence.
  const bool is_likely = slice > 0 && size - slice <= slice / 8 &&
                         can_all_follow(sites, at.lifetime, {axis.stride_bytes, slice, size - slice});
  return is_likely ? Part{1, slice, size - slice} : whole;
}

}  // namespace

SeedParts parts_of_seeds(ScaleRequest::What what, const std::vector<ScaleSeed>& seeds, const TensorSites& sites) {
  const auto site_of = [&](const ScaleSeed& seed) { return sites.users[seed.call].first + seed.tensor; };
  // What is seen of one of them holds for all: the last data of a recording is copied, and not used any more.
  Part cut{};
  SeedParts parts;
  for (const ScaleSeed& seed : seeds) {
    const TensorSite& site = sites.all[site_of(seed)];
    parts.size = std::max(parts.size, site.tensor->shape[seed.dimension]);
    if (what != ScaleRequest::What::sequence) continue;
    cut = std::max(cut, sequence_of(sites, site, seed.dimension),
                   [](const Part& a, const Part& b) { return a.extra < b.extra; });
  }
  if (cut.extra > 0) parts.size = cut.count;
  for (const ScaleSeed& seed : seeds) {
    const std::int64_t size = sites.all[site_of(seed)].tensor->shape[seed.dimension];
    const bool is_cut = cut.extra > 0 && size == cut.count + cut.extra;
    parts.each.push_back({site_of(seed), {seed.dimension, is_cut ? cut : Part{1, size}}});
  }
  return parts;
}

// Whether the steps of a recording were scaled alike: data that was there before a step may have been overlooked, and
// half a job scaled is none.

/// `has_changed` is by the number of the call. An Error names the first step of which much less was scaled than of
/// another.
Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen,
                         const std::vector<std::uint8_t>& has_changed);

namespace {

struct StepCount {
  std::uint64_t calls = 0, changed = 0;
};

}  // namespace

Status check_steps_alike(const RankSource& source, const ChosenCalls& chosen,
                         const std::vector<std::uint8_t>& has_changed) {
  const std::vector<std::uint32_t> step_of_visit = steps_of_visits(source);
  std::map<std::uint32_t, StepCount> counts;
  for (std::uint32_t i = 0; i < chosen.calls.size(); ++i) {
    StepCount& count = counts[step_of_visit[source.order.begin[chosen.rows[i]]]];
    ++count.calls;
    count.changed += has_changed[i];
  }
  std::uint64_t most = 0;
  for (const auto& [step, count] : counts) most = std::max(most, count.changed);
  for (const auto& [step, count] : counts) {
    // What lies before the first step is no step.
    if (step == 0 && counts.size() > 1) continue;
    // Half as many as elsewhere, in a step that has enough calls to be one.
    if (count.changed * 2 < most && count.calls * 2 >= most)
      return Error{fmt::format("step {} of the recording has {}, of which {} would be scaled, where others have {}: "
                               "its data was not found",
                               step, report::counted(count.calls, "operation"), count.changed, most),
                   source.host->path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
  }
  return {};
}

namespace {

void count_changed(const std::vector<std::uint8_t>& has_changed, const TensorSites& sites, const ScaledMemory& memory,
                   ScaledCalls& scaled) {
  for (std::size_t i = 0; i < sites.users.size(); ++i)
    (sites.users[i].is_collective() ? scaled.collectives : scaled.calls) += has_changed[i];
  for (std::uint32_t i = 0; i < sites.users_of.size(); ++i) scaled.storages += memory.is_scaled(i) ? 1 : 0;
}

}  // namespace

Result<ScaledCalls> scale_calls(const ScaleRequest& request, const RankSource& source, const Schemas& schemas,
                                const trace::HostArguments& arguments, ChosenCalls& chosen, Lifetimes& lifetimes) {
  const trace::HostTrace& host = *source.host;
  const ScaleRefusals refusals(request, source);
  if (const Status callable = check_all_callable(source, chosen); !callable) return callable.error();
  const auto seeds = find_scale_seeds(request, host, schemas, chosen, arguments, lifetimes);
  if (seeds.empty()) return refusals.nothing_selected();

  const TensorSites sites = find_tensor_sites(host, schemas, arguments, lifetimes, chosen);
  const CountedIndices counted(sites);
  ScaledMemory memory(sites, refusals);
  ScalePropagation propagation(host, sites, counted, refusals, memory);
  const SeedParts start = parts_of_seeds(request.what, seeds, sites);
  for (const SeedPart& seed : start.each) {
    if (const Status added = propagation.require(seed.site, seed.wanted); !added) return added.error();
  }
  const auto size_after = request.factor.times(start.size);
  if (!size_after || *size_after < 1) return refusals.no_whole_number(start.size);
  if (const Status followed = propagation.run(); !followed) return followed.error();
  if (const Status known = check_rows_between(host, schemas, arguments, chosen, lifetimes, sites, memory, refusals);
      !known)
    return known.error();

  const auto has_changed = scale_arguments(host, request.factor, sites, memory, counted, refusals);
  if (!has_changed) return has_changed.error();
  grow_lifetimes(memory, request.factor, lifetimes);
  if (const Status alike = check_steps_alike(source, chosen, *has_changed); !alike) return alike.error();
  ScaledCalls scaled{.size_before = start.size, .size_after = *size_after};
  count_changed(*has_changed, sites, memory, scaled);
  return scaled;
}

}  // namespace orrery::replay::torch
