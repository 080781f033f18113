#include "replay/torch/source/unrecorded_makers.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace orrery::replay::torch {
namespace {

// Nothing comes of it but memory.
bool makes_memory(const TensorUser& user) {
  if (user.is_collective()) return false;
  const std::string_view name = user.schema->name;
  return name.starts_with("aten::empty") || name.starts_with("aten::new_empty") || name.starts_with("aten::resize");
}

// Per lifetime: whether a call or collective gives it its contents.
std::vector<std::uint8_t> written_again(const TensorSites& sites, const trace::HostArguments& arguments) {
  std::vector<std::uint8_t> is_written(sites.users_of.size(), 0);
  for (const TensorUser& user : sites.users) {
    if (makes_memory(user)) continue;
    const std::size_t inputs = user.is_collective() ? 0 : user.call->inputs;
    std::set<std::uint32_t> given;
    for (std::uint32_t t = 0; t < user.count; ++t) {
      const TensorSite& site = sites.all[user.first + t];
      if (site.lifetime == kNoLifetime) continue;
      if (t < inputs) given.insert(site.lifetime);
      // A view returns what it was given, and writes nothing.
      const bool makes = t >= inputs && !given.contains(site.lifetime);
      is_written[site.lifetime] |=
          makes || (t < inputs && arguments.tensors[arguments.first[user.row] + site.tensor->use].is_written);
    }
  }
  return is_written;
}

struct RowMemory {
  std::set<std::uint32_t> given, made;  // lifetimes
};

RowMemory memory_of_row(std::uint32_t row, const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  RowMemory of;
  for (std::uint32_t use = arguments.first[row]; use < arguments.first[row + 1]; ++use) {
    const std::uint32_t lifetime = lifetimes.of_use[use];
    if (lifetime == kNoLifetime) continue;
    const trace::TensorUse& tensor = arguments.tensors[use];
    if (tensor.is_input) of.given.insert(lifetime);
    if (tensor.is_input ? tensor.is_written : !of.given.contains(lifetime)) of.made.insert(lifetime);
  }
  return of;
}

}  // namespace

Status check_all_callable(const RankSource& source, const ChosenCalls& chosen) {
  for (const LaunchedWork& work : source.works) {
    // Work whose launch lies in no call that is chosen would be replaced by a stand-in, which cannot be scaled.
    if (work.launch.row != causal::kNoRow && chosen.call_of[work.launch.row] != causal::kNoRow) continue;
    return Error{
        fmt::format("{} cannot be scaled: nothing says what it was called with", source.strings->text(work.name)),
        source.host->path, Error::kNoOffset, "only recordings whose device work is all called again can be scaled"};
  }
  return {};
}

Status check_rows_between(const trace::HostTrace& host, const Schemas& schemas, const trace::HostArguments& arguments,
                          const ChosenCalls& chosen, const Lifetimes& lifetimes, const TensorSites& sites,
                          const ScaledMemory& memory, const ScaleRefusals& refusals) {
  const std::vector<std::uint8_t> is_written = written_again(sites, arguments);
  const auto is_scaled = [&](std::uint32_t lifetime) { return memory.is_scaled(lifetime); };
  // Contents that no later call gives: they come from a row that is not called again.
  const auto is_unknown = [&](std::uint32_t lifetime) {
    return !memory.is_scaled(lifetime) && is_written[lifetime] == 0 && !sites.users_of[lifetime].empty();
  };
  for (std::uint32_t row = 0; row < host.size(); ++row) {
    // Calls that are made again scale for themselves, and rows without a schema take no tensors.
    if (chosen.call_of[row] != causal::kNoRow || schemas.by_text()[host.op_schema[row]] == nullptr) continue;
    const RowMemory of = memory_of_row(row, arguments, lifetimes);
    if (std::any_of(of.given.begin(), of.given.end(), is_scaled) &&
        std::any_of(of.made.begin(), of.made.end(), is_unknown))
      return refusals.cannot_follow(row, "it is not called again, and what it made is used");
  }
  return {};
}

std::vector<std::uint32_t> steps_of_visits(const RankSource& source) {
  std::vector<std::uint32_t> steps(source.order.visits.size(), 0);
  std::uint32_t step = 0;
  for (std::size_t v = 0; v < steps.size(); ++v) {
    const Visit visit = source.order.visits[v];
    // Marks of steps are rows like others, named ProfilerStep#12.
    if (!visit.is_end && source.strings->text(source.host->name[visit.row]).starts_with("ProfilerStep")) ++step;
    steps[v] = step;
  }
  return steps;
}

namespace {

std::uint32_t first_replaced_work(const RankSource& source, const ChosenCalls& chosen) {
  std::uint32_t first = kNoNumber32;
  for (const LaunchedWork& work : source.works) {
    if (work.launch.row == causal::kNoRow || chosen.call_of[work.launch.row] == causal::kNoRow)
      first = std::min(first, work.launch.before);
  }
  return first;
}

}  // namespace

std::vector<std::uint8_t> find_unrecorded_makers(const RankSource& source, const ChosenCalls& chosen,
                                                 const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  std::vector<std::uint8_t> is_unrecorded(lifetimes.all.size(), 0);
  const std::uint32_t first_work = first_replaced_work(source, chosen);
  const std::vector<std::uint32_t> steps = steps_of_visits(source);
  // One step says nothing about what is there in all of them.
  if (first_work == kNoNumber32 || steps.empty() || steps.back() < 2) return is_unrecorded;
  std::vector<std::uint32_t> first(lifetimes.all.size(), kNoNumber32), last(lifetimes.all.size(), 0);
  for (std::uint32_t row = 0; row < source.host->size(); ++row) {
    for (std::uint32_t use = arguments.first[row]; use < arguments.first[row + 1]; ++use) {
      const std::uint32_t lifetime = lifetimes.of_use[use];
      if (lifetime == kNoLifetime) continue;
      first[lifetime] = std::min(first[lifetime], source.order.begin[row]);
      last[lifetime] = std::max(last[lifetime], source.order.begin[row]);
    }
  }
  for (std::size_t i = 0; i < lifetimes.all.size(); ++i) {
    const Lifetime& lifetime = lifetimes.all[i];
    is_unrecorded[i] = lifetime.maker == causal::kNoRow && !lifetime.is_on_host && first[i] != kNoNumber32 &&
                       first[i] > first_work && steps[first[i]] == steps[last[i]];
  }
  return is_unrecorded;
}

}  // namespace orrery::replay::torch
