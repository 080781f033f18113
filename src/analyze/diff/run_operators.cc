#include "analyze/diff/run_operators.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/capture/operand_lists.h"
#include "analyze/device/device_rank.h"
#include "analyze/distribution.h"
#include "base/parallel.h"

namespace orrery::analyze {
namespace {

OperatorKey key_of(const OperatorCall& call) {
  return {std::string(call.name), without_blanks(call.shapes), without_blanks(call.types)};
}

/// Works of one rank that agree in all texts as these were recorded; views are of the trace and its WorkOrigins.
struct AlikeWorks {
  OperatorCall outer, inner;
  std::string_view module;
  StringId kernel = 0;
  bool has_operator = false;
  std::uint64_t works = 0;
  TimePs time = 0;
  std::vector<std::string_view> operators;
  /// Which calls of the outermost operator these are of: a graph's launch, and its number.
  std::vector<std::pair<std::uint32_t, std::int64_t>> calls;
};

auto views_of(const OperatorCall& call) { return std::tuple(call.name, call.shapes, call.types); }

/// Cells of a rank, each distinct combination once.
class RankCells {
 public:
  RankCells(const trace::RankTrace& rank, const causal::DeviceTimeline& timeline) : rank_(rank), timeline_(timeline) {}

  /// `origins`: none if nobody asks for operators.
  std::vector<AlikeWorks> gather(const causal::StepWindow& window, WorkOrigins* origins) {
    for (std::uint32_t w = 0; w < timeline_.works.size(); ++w) {
      const causal::DeviceWork& work = timeline_.works[w];
      if (!belongs(window, work)) continue;
      AlikeWorks& cell = origins == nullptr ? of_kernel(rank_.name[work.event], {}) : of_origin(w, *origins);
      ++cell.works;
      cell.time = plus_capped(cell.time, work.end - work.start);
    }
    return std::move(cells_);
  }

 private:
  using Views = std::tuple<std::string_view, std::string_view, std::string_view>;
  using Key = std::tuple<Views, Views, std::string_view, StringId>;

  AlikeWorks& of_kernel(StringId kernel, std::string_view module) {
    auto [at, is_new] = places_.try_emplace(Key(Views(), Views(), module, kernel), cells_.size());
    if (is_new) cells_.emplace_back().kernel = kernel, cells_.back().module = module;
    return cells_[at->second];
  }

  AlikeWorks& of_origin(std::uint32_t w, WorkOrigins& origins) {
    const StringId kernel = rank_.name[timeline_.works[w].event];
    const WorkOrigin origin = origins.of(w);
    const OperatorCall* const outer = origin.outermost();
    if (outer == nullptr) return of_kernel(kernel, origin.modules);
    const OperatorCall& inner = origin.operators.back();
    auto [at, is_new] =
        places_.try_emplace(Key{views_of(*outer), views_of(inner), origin.modules, kernel}, cells_.size());
    if (is_new) {
      AlikeWorks& cell = cells_.emplace_back();
      cell.outer = *outer, cell.inner = inner;
      cell.module = origin.modules, cell.kernel = kernel, cell.has_operator = true;
      for (const OperatorCall& call : origin.operators) cell.operators.push_back(call.name);
    }
    AlikeWorks& cell = cells_[at->second];
    const std::pair call(origins.launches().launch_of_work[w], outer->number);
    if (cell.calls.empty() || cell.calls.back() != call) cell.calls.push_back(call);
    return cell;
  }

  const trace::RankTrace& rank_;
  const causal::DeviceTimeline& timeline_;
  std::vector<AlikeWorks> cells_;
  std::map<Key, std::size_t> places_;
};

/// Groups of all ranks, in texts of their own.
class Grouping {
 public:
  void add(const trace::Trace& trace, const std::vector<AlikeWorks>& cells) {
    // A call whose works are in several cells of a group is one call.
    std::map<Group*, std::set<std::pair<std::uint32_t, std::int64_t>>> calls;
    for (const AlikeWorks& cell : cells) {
      const std::string_view kernel = trace.strings.text(cell.kernel);
      Group& group = groups_[{cell.has_operator ? key_of(cell.outer) : OperatorKey{}, std::string(cell.module),
                              cell.has_operator ? std::string() : std::string(kernel)}];
      OperatorGroup::Kernel& sum = group.kernels[std::string(kernel)];
      sum.works += cell.works;
      sum.time = plus_capped(sum.time, cell.time);
      group.time = plus_capped(group.time, cell.time);
      if (!cell.has_operator) {
        group.calls += cell.works;
        continue;
      }
      TimePs& of_inner = group.inner[key_of(cell.inner)];
      of_inner = plus_capped(of_inner, cell.time);
      group.operators.insert(cell.operators.begin(), cell.operators.end());
      calls[&group].insert(cell.calls.begin(), cell.calls.end());
    }
    for (const auto& [group, distinct] : calls) group->calls += distinct.size();
  }

  OperatorGroups take() {
    OperatorGroups result;
    for (auto& [key, group] : groups_) {
      OperatorGroup& made = result.emplace_back();
      std::tie(made.outer, made.module, std::ignore) = key;
      made.calls = group.calls, made.time = group.time;
      for (auto& [name, sum] : group.kernels) made.kernels.push_back({name, sum.works, sum.time});
      made.operators.assign(group.operators.begin(), group.operators.end());
      TimePs most = -1;  // of equals the first by name
      for (const auto& [inner, time] : group.inner) {
        if (time > most) made.inner = inner, most = time;
      }
    }
    return result;
  }

 private:
  struct Group {
    std::uint64_t calls = 0;
    TimePs time = 0;
    std::map<std::string, OperatorGroup::Kernel> kernels;
    std::map<OperatorKey, TimePs> inner;
    std::set<std::string, std::less<>> operators;
  };
  std::map<std::tuple<OperatorKey, std::string, std::string>, Group> groups_;
};

OperatorGroups grouped(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines,
                       std::span<const causal::StepWindow> windows,
                       const std::vector<std::unique_ptr<WorkOrigins>>& origins) {
  std::vector<std::vector<AlikeWorks>> cells(trace.ranks.size());
  parallel_for(trace.ranks.size(), [&](std::size_t r) {
    cells[r] = RankCells(trace.ranks[r], timelines[r]).gather(windows[r], origins.empty() ? nullptr : origins[r].get());
  });
  Grouping grouping;
  for (const std::vector<AlikeWorks>& of_rank : cells) grouping.add(trace, of_rank);
  return grouping.take();
}

}  // namespace

RunOperators::RunOperators(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines)
    : trace_(trace), timelines_(timelines), origins_(trace.ranks.size()) {
  parallel_for(trace.ranks.size(), [&](std::size_t r) {
    origins_[r] = std::make_unique<WorkOrigins>(trace, trace.ranks[r], timelines[r]);
  });
}

OperatorGroups RunOperators::groups(std::span<const causal::StepWindow> windows) {
  return grouped(trace_, timelines_, windows, origins_);
}

namespace {

/// What the owners of one rank are called: of `owner`, the text of its place in `texts`.
struct NamedOwners {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> owners;
  std::vector<std::string> texts;
};

NamedOwners name_owners(std::span<const std::uint32_t> owner_of, WorkOrigins& origins) {
  NamedOwners named;
  std::map<std::pair<std::string_view, std::string_view>, std::uint32_t> known;
  for (std::uint32_t w = 0; w < owner_of.size(); ++w) {
    if (owner_of[w] == causal::kNoWork) continue;
    const WorkOrigin origin = origins.of(w);
    const OperatorCall* const outer = origin.outermost();
    if (outer == nullptr) continue;
    const auto [at, is_new] =
        known.try_emplace({outer->name, outer->shapes}, static_cast<std::uint32_t>(named.texts.size()));
    if (is_new) {
      std::string& text = named.texts.emplace_back(outer->name);
      if (!outer->shapes.empty()) text += " " + without_blanks(outer->shapes);
    }
    named.owners.emplace_back(owner_of[w], at->second);
  }
  return named;
}

}  // namespace

OwnerOperators RunOperators::of_owners(const causal::CausalGraph& graph) {
  OwnerOperators result;
  result.of_owner.assign(graph.owners.size(), 0);
  std::vector<NamedOwners> ranks(trace_.ranks.size());
  parallel_for(ranks.size(), [&](std::size_t r) {
    ranks[r] = name_owners(causal::owners_of_works(graph, trace_.ranks[r], timelines_[r]), *origins_[r]);
  });
  std::map<std::string, std::uint32_t> places;
  for (NamedOwners& rank : ranks) {
    std::vector<std::uint32_t> place_of;
    for (std::string& text : rank.texts) {
      const auto [place, is_new] = places.try_emplace(text, static_cast<std::uint32_t>(result.texts.size()));
      if (is_new) result.texts.push_back(std::move(text));
      place_of.push_back(place->second);
    }
    for (const auto& [owner, text] : rank.owners) result.of_owner[owner] = place_of[text];
  }
  return result;
}

OperatorGroups kernel_groups(const trace::Trace& trace, std::span<const causal::DeviceTimeline> timelines,
                             std::span<const causal::StepWindow> windows) {
  return grouped(trace, timelines, windows, {});
}

OperatorGroups by_kernel(const OperatorGroups& groups) {
  std::map<std::string_view, OperatorGroup::Kernel> sums;
  for (const OperatorGroup& group : groups) {
    for (const OperatorGroup::Kernel& kernel : group.kernels) {
      OperatorGroup::Kernel& sum = sums[kernel.name];
      sum.works += kernel.works;
      sum.time = plus_capped(sum.time, kernel.time);
    }
  }
  OperatorGroups result;
  for (const auto& [name, sum] : sums) {
    OperatorGroup& group = result.emplace_back();
    group.calls = sum.works, group.time = sum.time;
    group.kernels.push_back({std::string(name), sum.works, sum.time});
  }
  return result;
}

}  // namespace orrery::analyze
