#include "replay/torch/scaled_calls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>

#include "replay/torch/dimension_rules.h"
#include "replay/torch/recorded_steps.h"
#include "replay/torch/scale_seeds.h"
#include "replay/torch/scaled_numbers.h"
#include "replay/torch/scaled_view.h"

namespace orrery::replay::torch {
namespace {

using Parts = std::set<Part>;

/// A tensor of a call or collective.
struct Site {
  RecordedTensor* tensor;
  std::uint32_t lifetime;
  std::uint32_t row;
};

/// A call, or a collective: its sites lie together.
struct Step {
  std::uint32_t row, first, count;
  std::uint32_t call;          ///< into ChosenCalls::calls; kNoNumber32: a collective
  std::string_view kind = {};  ///< of a collective
  std::optional<std::vector<DimensionGroup>> groups = {};
  bool has_groups = false;  ///< they were looked for
  bool is_waiting = false;
};

class Scaling {
 public:
  Scaling(const ScaleRequest& request, const RankSource& source, const Schemas& schemas, const trace::HostArguments& arguments,
          ChosenCalls& chosen, Lifetimes& lifetimes)
      : request_(request),
        source_(source),
        host_(*source.host),
        schemas_(schemas),
        arguments_(arguments),
        chosen_(chosen),
        lifetimes_(lifetimes) {
    add_sites();
    axes_.resize(lifetimes.all.size());
    has_changed_.assign(chosen.calls.size(), 0);
  }

  Result<ScaledCalls> run() {
    if (const Status callable = check_all_callable(); !callable) return callable.error();
    const auto seeds = find_scale_seeds(request_, host_, schemas_, chosen_, arguments_, lifetimes_);
    if (seeds.empty()) return nothing_selected();
    // What is seen of one of them holds for all: the last data of a recording is copied, and not used any more.
    Part part{};
    std::int64_t whole = 0;
    for (const ScaleSeed& seed : seeds) {
      const std::uint32_t site = steps_[seed.call].first + seed.tensor;
      whole = std::max(whole, sites_[site].tensor->shape[seed.dimension]);
      part = std::max(part, whole_of(site, seed.dimension), [](const Part& a, const Part& b) { return a.extra < b.extra; });
    }
    scaled_.size_before = part.extra > 0 ? part.count : whole;
    for (const ScaleSeed& seed : seeds) {
      const std::uint32_t site = steps_[seed.call].first + seed.tensor;
      const std::int64_t size = sites_[site].tensor->shape[seed.dimension];
      const Part wanted = part.extra > 0 && size == part.count + part.extra ? part : Part{1, size};
      if (const Status added = require(site, {seed.dimension, wanted}); !added) return added.error();
    }
    const auto after = request_.factor.times(scaled_.size_before);
    if (!after || *after < 1)
      return Error{fmt::format("a size of {} cannot be scaled by {}: that is no whole number", scaled_.size_before, factor_text()),
                   host_.path};
    scaled_.size_after = *after;
    while (!waiting_.empty()) {
      Step& step = steps_[waiting_.front()];
      waiting_.pop_front();
      step.is_waiting = false;
      if (const Status done = propagate(step); !done) return done.error();
    }
    if (const Status seen = check_rows_between(); !seen) return seen.error();
    if (const Status applied = apply(); !applied) return applied.error();
    if (const Status whole_job = check_steps(); !whole_job) return whole_job.error();
    return scaled_;
  }

 private:
  void add_sites() {
    std::size_t count = 0;
    for (const RecordedCall& call : chosen_.calls) count += call.tensors.size();
    sites_.reserve(count);
    steps_of_.resize(lifetimes_.all.size());
    bytes_.assign(lifetimes_.all.size(), 0);
    for (std::uint32_t i = 0; i < chosen_.calls.size(); ++i) {
      begin_step(chosen_.rows[i], i, {});
      for (RecordedTensor& tensor : chosen_.calls[i].tensors) add_site(tensor);
    }
    for (std::uint32_t row = 0; row < chosen_.collective.size(); ++row) {
      if (chosen_.collective[row] == kNoNumber32) continue;
      CollectiveCall& collective = chosen_.collectives[chosen_.collective[row]];
      begin_step(row, kNoNumber32, collective.kind);
      for (RecordedTensor& tensor : collective.inputs) add_site(tensor);
      for (RecordedTensor& tensor : collective.outputs) add_site(tensor);
    }
    for (std::uint32_t i = 0; i < chosen_.calls.size(); ++i) note_counting(i);
  }

  void begin_step(std::uint32_t row, std::uint32_t call, std::string_view kind) {
    steps_.push_back({row, static_cast<std::uint32_t>(sites_.size()), 0, call, kind});
  }

  void add_site(RecordedTensor& tensor) {
    Step& step = steps_.back();
    const std::uint32_t lifetime = lifetimes_.of_use[arguments_.first[step.row] + tensor.use];
    const auto number = static_cast<std::uint32_t>(steps_.size() - 1);
    sites_.push_back({&tensor, lifetime, step.row});
    ++step.count;
    if (lifetime == kNoLifetime) return;
    if (steps_of_[lifetime].empty() || steps_of_[lifetime].back() != number) steps_of_[lifetime].push_back(number);
    bytes_[lifetime] = std::max({bytes_[lifetime], tensor.extent_bytes, lifetimes_.all[lifetime].bytes});
  }

  // 0, 1, 2, ...: as indices they reach as far as there are of them.
  void note_counting(std::uint32_t call) {
    if (!schema_of(call).name.starts_with("aten::arange")) return;
    const RecordedCall& recorded = chosen_.calls[call];
    for (std::size_t t = recorded.inputs; t < recorded.tensors.size(); ++t) {
      const Site& site = sites_[steps_[call].first + t];
      if (site.lifetime != kNoLifetime && site.tensor->shape.size() == 1) counted_[site.lifetime] = site.tensor->shape.front();
    }
  }

  [[nodiscard]] const pytorch_et::OperatorSchema& schema_of(std::uint32_t call) const {
    return *schemas_.by_text()[host_.op_schema[chosen_.rows[call]]];
  }
  [[nodiscard]] std::string factor_text() const { return request_.text.substr(request_.text.find(' ') + 1); }

  // "aten::foo (node 17)"
  [[nodiscard]] std::string name_of(std::uint32_t row) const {
    return fmt::format("{} (node {})", source_.strings->text(host_.name[row]), host_.id[row]);
  }
  [[nodiscard]] Error refusal(std::uint32_t row, const std::string& why) const {
    return {fmt::format("{} cannot follow where {} is scaled by {}: {}", name_of(row), request_.text.substr(0, request_.text.find(' ')),
                        factor_text(), why),
            host_.path, Error::kNoOffset, "nothing was written; docs/REPLAY.md says which operators can be scaled"};
  }

  [[nodiscard]] Error nothing_selected() const {
    if (request_.what == ScaleRequest::What::size)
      return {fmt::format("no dimension of a size of {} is among the tensors of this recording", request_.size), host_.path};
    return {"no data was found whose " + std::string(request_.what == ScaleRequest::What::batch ? "first" : "second") +
                " dimension could be it: nothing is copied to the device, used as indices or filled at random",
            host_.path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
  }

  // Work of the recorded duration has no sizes.
  [[nodiscard]] Status check_all_callable() const {
    for (const LaunchedWork& work : source_.works) {
      if (work.launch.row != link::kNoRow && chosen_.call_of[work.launch.row] != link::kNoRow) continue;
      return Error{fmt::format("{} cannot be scaled: nothing says what it was called with", source_.strings->text(work.name)), host_.path,
                   Error::kNoOffset, "only recordings whose device work is all called again can be scaled"};
    }
    return {};
  }

  void wait(std::uint32_t step) {
    if (steps_[step].is_waiting) return;
    steps_[step].is_waiting = true;
    waiting_.push_back(step);
  }

  [[nodiscard]] Parts parts_at(std::uint32_t site, std::uint32_t dimension) const {
    Parts parts;
    const Site& at = sites_[site];
    if (at.lifetime != kNoLifetime) {
      for (const Axis& axis : axes_[at.lifetime]) {
        const auto part = part_of_axis(*at.tensor, axis);
        if (part && part->dimension == dimension) parts.insert(part->part);
      }
    }
    if (const auto found = expanded_.find({site, dimension}); found != expanded_.end())
      parts.insert(found->second.begin(), found->second.end());
    return parts;
  }

  // All of a dimension; of sequences without the tokens that are there to predict the next one from: those that no slice of it has.
  [[nodiscard]] Part whole_of(std::uint32_t site, std::uint32_t dimension) const {
    const Site& at = sites_[site];
    const std::int64_t size = at.tensor->shape[dimension];
    const Part whole{1, size};
    if (request_.what != ScaleRequest::What::sequence) return whole;
    const Axis axis{at.tensor->stride[dimension] * at.tensor->type.bytes, size};
    std::int64_t slice = 0;
    for (const std::uint32_t step : steps_of_[at.lifetime]) {
      for (std::uint32_t s = steps_[step].first; s < steps_[step].first + steps_[step].count; ++s) {
        const auto part = sites_[s].lifetime == at.lifetime ? part_of_axis(*sites_[s].tensor, axis) : std::nullopt;
        if (!part || part->part.count == size) continue;
        // Slices of several sizes keep their shares.
        if (slice != 0 && slice != part->part.count) return whole;
        slice = part->part.count;
      }
    }
    const Part cut{1, slice, size - slice};
    const bool is_likely = slice > 0 && size - slice <= slice / 8 && fits(at.lifetime, {axis.stride_bytes, slice, size - slice});
    return is_likely ? cut : whole;
  }

  // The dimension has this part from now on, and so has all that lies on the same memory.
  Status require(std::uint32_t site, DimensionPart wanted) {
    const Site& at = sites_[site];
    const auto dimension = static_cast<std::uint32_t>(wanted.dimension);
    if (parts_at(site, dimension).contains(wanted.part)) return {};
    if (at.lifetime == kNoLifetime) return refusal(at.row, "a tensor without elements has no size to scale");
    if (at.tensor->stride[dimension] == 0) {
      expanded_[{site, dimension}].insert(wanted.part);
      wait(step_of(site));
      return {};
    }
    for (const Axis& axis : axes_of_part(*at.tensor, wanted, bytes_[at.lifetime])) {
      const auto part = part_of_axis(*at.tensor, axis);
      if (!part || part->dimension != dimension || part->part != wanted.part || !fits(at.lifetime, axis)) continue;
      axes_[at.lifetime].push_back(axis);
      for (const std::uint32_t step : steps_of_[at.lifetime]) wait(step);
      return {};
    }
    return refusal(at.row, fmt::format("the memory of its tensor of shape [{}] is also seen in ways that do not go with it",
                                       fmt::join(at.tensor->shape, ", ")));
  }

  // Whether all that lies on the memory can follow, and what is scaled of it already stays apart.
  [[nodiscard]] bool fits(std::uint32_t lifetime, const Axis& axis) const {
    for (const Axis& other : axes_[lifetime]) {
      const std::int64_t end = axis.stride_bytes * (axis.count + axis.extra), other_end = other.stride_bytes * (other.count + other.extra);
      if (axis.stride_bytes < other_end && other.stride_bytes < end) return false;
    }
    for (const std::uint32_t step : steps_of_[lifetime]) {
      for (std::uint32_t s = steps_[step].first; s < steps_[step].first + steps_[step].count; ++s) {
        if (sites_[s].lifetime == lifetime && !can_follow(*sites_[s].tensor, axis)) return false;
      }
    }
    return true;
  }

  [[nodiscard]] std::uint32_t step_of(std::uint32_t site) const {
    const auto after =
        std::upper_bound(steps_.begin(), steps_.end(), site, [](std::uint32_t s, const Step& step) { return s < step.first; });
    // Steps without tensors begin where the next one does; only the last of those has any.
    return static_cast<std::uint32_t>(after - steps_.begin() - 1);
  }

  [[nodiscard]] bool is_scaled(const Step& step) const {
    for (std::uint32_t s = step.first; s < step.first + step.count; ++s) {
      for (std::uint32_t d = 0; d < sites_[s].tensor->shape.size(); ++d) {
        if (!parts_at(s, d).empty()) return true;
      }
    }
    return false;
  }

  Status propagate(Step& step) {
    if (!is_scaled(step)) return {};
    if (step.call == kNoNumber32) {
      // Each rank gives and gets the same tensor: scaled everywhere, it is the same again.
      if (step.kind == "all_reduce" || step.kind == "broadcast" || step.kind == "reduce") return {};
      return refusal(step.row, "only all_reduce, broadcast and reduce carry scaled tensors");
    }
    if (!step.has_groups) {
      step.has_groups = true;
      step.groups = dimension_groups(host_, step.row, chosen_.calls[step.call], schema_of(step.call), counted_by(step));
    }
    if (!step.groups) return refusal(step.row, "no rule says which of its sizes belong together");
    for (const DimensionGroup& group : *step.groups) {
      if (const Status done = group.is_joined ? propagate_joined(step, group) : propagate_group(step, group); !done) return done;
    }
    return check_ungrouped(step);
  }

  [[nodiscard]] std::int64_t counted_by(const Step& step) const {
    for (std::uint32_t s = step.first; s < step.first + step.count; ++s) {
      const auto found = counted_.find(sites_[s].lifetime);
      if (found != counted_.end() && sites_[s].tensor->type.is_integer) return found->second;
    }
    return 0;
  }

  Status propagate_group(const Step& step, const DimensionGroup& group) {
    Parts all;
    for (const DimensionRef& member : group.members) all.merge(parts_at(step.first + member.tensor, member.dimension));
    for (const DimensionRef& member : group.members) {
      for (const Part& part : all) {
        if (const Status done = require(step.first + member.tensor, {member.dimension, part}); !done) return done;
      }
    }
    return {};
  }

  // Parts that are alike have the scaled part each: [8] three times is 3 * 8. Others are scaled as a whole.
  Status propagate_joined(const Step& step, const DimensionGroup& group) {
    const auto size_of = [&](const DimensionRef& member) { return sites_[step.first + member.tensor].tensor->shape[member.dimension]; };
    bool are_alike = true, is_any = false;
    Parts all;
    for (const DimensionRef& member : group.members) {
      const Parts parts = parts_at(step.first + member.tensor, member.dimension);
      is_any |= !parts.empty();
      if (&member == &group.members.front()) continue;
      are_alike &= size_of(member) == size_of(group.members[1]);
    }
    if (!is_any) return {};
    const std::int64_t one = size_of(group.members[1]), whole = size_of(group.members.front());
    for (const DimensionRef& member : group.members) {
      const bool is_whole = &member == &group.members.front();
      for (const Part& part : parts_at(step.first + member.tensor, member.dimension)) {
        if (part.inner != 1 || part.extra != 0 || !are_alike)
          return refusal(step.row, "what it joins is scaled along the joint, and is not all alike");
        // All of them at once are a part of each.
        all.insert({1, is_whole && part.count == whole ? one : part.count});
        if (is_whole && part.count != whole && one % part.count != 0)
          return refusal(step.row, "what it joins is scaled along the joint, and is not all alike");
      }
    }
    for (const DimensionRef& member : group.members) {
      const bool is_whole = &member == &group.members.front();
      for (const Part& part : all) {
        const bool has_all = is_whole && parts_at(step.first + member.tensor, member.dimension).contains({1, whole});
        if (has_all && part.count == one) continue;
        if (const Status done = require(step.first + member.tensor, {member.dimension, part}); !done) return done;
      }
    }
    return {};
  }

  Status check_ungrouped(const Step& step) const {
    std::set<std::pair<std::uint32_t, std::uint32_t>> grouped;
    for (const DimensionGroup& group : *step.groups) {
      for (const DimensionRef& member : group.members) grouped.insert({member.tensor, member.dimension});
    }
    for (std::uint32_t t = 0; t < step.count; ++t) {
      const RecordedTensor& tensor = *sites_[step.first + t].tensor;
      for (std::uint32_t d = 0; d < tensor.shape.size(); ++d) {
        if (!grouped.contains({t, d}) && !parts_at(step.first + t, d).empty())
          return refusal(step.row,
                         fmt::format("dimension {} of its tensor of shape [{}] has a size of its own", d, fmt::join(tensor.shape, ", ")));
      }
    }
    return {};
  }

  Status apply() {
    // What expanded dimensions become is by site, all else by memory; outer axes first, since strides of inner ones do not depend on them.
    for (std::vector<Axis>& axes : axes_)
      std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.stride_bytes > b.stride_bytes; });
    for (const Step& step : steps_) {
      if (const Status done = apply(step); !done) return done;
    }
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      scaled_.storages += axes_[i].empty() ? 0 : 1;
      for (std::size_t n = 0; n < axes_[i].size(); ++n) grow_memory(lifetimes_.all[i].bytes);
    }
    return {};
  }

  // Nothing comes of it but memory.
  static bool makes_memory(std::string_view name) {
    return name.starts_with("aten::empty") || name.starts_with("aten::new_empty") || name.starts_with("aten::resize");
  }

  // A row that is not called again, and makes of scaled tensors something that calls use and no call writes: nobody knows what sizes that has.
  [[nodiscard]] Status check_rows_between() const {
    std::vector<std::uint8_t> is_written(axes_.size(), 0);
    for (const Step& step : steps_) {
      if (step.call != kNoNumber32 && makes_memory(schema_of(step.call).name)) continue;
      const std::size_t inputs = step.call == kNoNumber32 ? 0 : chosen_.calls[step.call].inputs;
      std::set<std::uint32_t> given;
      for (std::uint32_t t = 0; t < step.count; ++t) {
        const Site& site = sites_[step.first + t];
        if (site.lifetime == kNoLifetime) continue;
        if (t < inputs) given.insert(site.lifetime);
        // A view returns what it was given, and writes nothing.
        const bool makes = t >= inputs && !given.contains(site.lifetime);
        is_written[site.lifetime] |= makes || (t < inputs && arguments_.tensors[arguments_.first[step.row] + site.tensor->use].is_written);
      }
    }
    for (std::uint32_t row = 0; row < host_.size(); ++row) {
      if (chosen_.call_of[row] != link::kNoRow || schemas_.by_text()[host_.op_schema[row]] == nullptr) continue;
      std::set<std::uint32_t> given, made;
      bool is_scaled_row = false;
      for (std::uint32_t use = arguments_.first[row]; use < arguments_.first[row + 1]; ++use) {
        const std::uint32_t lifetime = lifetimes_.of_use[use];
        if (lifetime == kNoLifetime) continue;
        const trace::TensorUse& tensor = arguments_.tensors[use];
        if (tensor.is_input) given.insert(lifetime), is_scaled_row |= !axes_[lifetime].empty();
        if (tensor.is_input ? tensor.is_written : !given.contains(lifetime)) made.insert(lifetime);
      }
      for (const std::uint32_t lifetime : made) {
        if (is_scaled_row && axes_[lifetime].empty() && is_written[lifetime] == 0 && !steps_of_[lifetime].empty())
          return refusal(row, "it is not called again, and what it made is used");
      }
    }
    return {};
  }

  // Data that was there before a step may have been overlooked; half a job scaled is none.
  [[nodiscard]] Status check_steps() const {
    const std::vector<std::uint32_t> step_of_visit = steps_of_visits(source_);
    std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> counts;  // per step: calls, and those changed
    for (std::uint32_t i = 0; i < chosen_.calls.size(); ++i) {
      auto& [calls, changed] = counts[step_of_visit[source_.order.begin[chosen_.rows[i]]]];
      ++calls;
      changed += has_changed_[i];
    }
    std::uint64_t most = 0;
    for (const auto& [step, count] : counts) most = std::max(most, count.second);
    for (const auto& [step, count] : counts) {
      // What lies before the first step is no step.
      if (step == 0 && counts.size() > 1) continue;
      if (count.second * 2 < most && count.first * 2 >= most)
        return Error{
            fmt::format(
                "step {} of the recording has {} operations, of which {} would be scaled, where others have {}: its data was not found",
                step, count.first, count.second, most),
            host_.path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
    }
    return {};
  }

  // Sizes of tensors are checked; that of the memory around them only bounds them, so that it may be a little larger.
  void grow_memory(std::int64_t& bytes) const {
    std::int64_t grown = 0;
    if (__builtin_mul_overflow(bytes, request_.factor.numerator, &grown)) return;
    bytes = (grown + request_.factor.denominator - 1) / request_.factor.denominator;
  }

  Status apply(const Step& step) {
    std::vector<RecordedTensor> before;
    bool has_changed = false;
    for (std::uint32_t s = step.first; s < step.first + step.count; ++s) {
      RecordedTensor& tensor = *sites_[s].tensor;
      before.push_back(tensor);
      if (!scale(s, tensor) || !describe_again(tensor))
        return refusal(step.row, fmt::format("a tensor of shape [{}] would have sizes that are no whole numbers, or too large",
                                             fmt::join(before.back().shape, ", ")));
      has_changed |= tensor.descriptor != before.back().descriptor;
    }
    if (!has_changed) return {};
    ++(step.call == kNoNumber32 ? scaled_.collectives : scaled_.calls);
    if (step.call == kNoNumber32) return {};
    has_changed_[step.call] = 1;
    RecordedCall& call = chosen_.calls[step.call];
    if (!scale_numbers(host_, step.row, schema_of(step.call), before, request_.factor, call))
      return refusal(step.row, "its arguments say sizes that are not those of its tensors");
    return check_counted(step);
  }

  bool scale(std::uint32_t site, RecordedTensor& tensor) const {
    for (std::uint32_t d = 0; d < tensor.shape.size(); ++d) {
      const auto found = expanded_.find({site, d});
      if (found == expanded_.end()) continue;
      for (const Part& part : found->second) {
        const auto grown = scaled_size(tensor.shape[d], part, request_.factor);
        if (!grown) return false;
        tensor.shape[d] = *grown;
      }
    }
    if (sites_[site].lifetime == kNoLifetime) return true;
    const std::vector<Axis>& axes = axes_[sites_[site].lifetime];
    return std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) { return scale_axis(tensor, axis, request_.factor); });
  }

  // Counted indices must not reach beyond the table that they point into.
  [[nodiscard]] Status check_counted(const Step& step) const {
    if (counted_by(step) == 0) return {};
    const std::string_view name = without_in_place(schema_of(step.call).name);
    const bool looks_up =
        name == "aten::embedding" || name == "aten::gather" || name == "aten::index_select" || name == "aten::embedding_dense_backward";
    if (!looks_up) return {};
    const RecordedCall& call = chosen_.calls[step.call];
    const std::size_t table = name == "aten::embedding_dense_backward" ? call.inputs : 0;
    std::int64_t count = 0, rows = 0;
    for (std::uint32_t t = 0; t < step.count && table < call.tensors.size(); ++t) {
      const Site& site = sites_[step.first + t];
      if (!counted_.contains(site.lifetime) || !site.tensor->type.is_integer) continue;
      // Along which it counts; those that it is expanded to repeat it.
      for (std::size_t d = 0; d < site.tensor->shape.size(); ++d) {
        if (site.tensor->stride[d] == 0) continue;
        count = site.tensor->shape[d];
        const std::size_t along = name == "aten::gather" ? d : 0;
        rows = along < call.tensors[table].shape.size() ? call.tensors[table].shape[along] : 0;
        break;
      }
    }
    if (count <= rows) return {};
    return refusal(step.row, fmt::format("{} positions are looked up in a table of {}", count, rows));
  }

  const ScaleRequest& request_;
  const RankSource& source_;
  const trace::HostTrace& host_;
  const Schemas& schemas_;
  const trace::HostArguments& arguments_;
  ChosenCalls& chosen_;
  Lifetimes& lifetimes_;
  std::vector<Site> sites_;
  std::vector<Step> steps_;                                            // calls in their order, then collectives
  std::vector<std::vector<std::uint32_t>> steps_of_;                   // per lifetime
  std::vector<std::vector<Axis>> axes_;                                // per lifetime: what is scaled of it
  std::vector<std::int64_t> bytes_;                                    // per lifetime
  std::map<std::uint32_t, std::int64_t> counted_;                      // lifetimes that count up
  std::map<std::pair<std::uint32_t, std::uint32_t>, Parts> expanded_;  // by site and dimension
  std::deque<std::uint32_t> waiting_;
  std::vector<std::uint8_t> has_changed_;  // per call
  ScaledCalls scaled_;
};

}  // namespace

Result<ScaledCalls> scale_calls(const ScaleRequest& request, const RankSource& source, const Schemas& schemas,
                                const trace::HostArguments& arguments, ChosenCalls& chosen, Lifetimes& lifetimes) {
  return Scaling(request, source, schemas, arguments, chosen, lifetimes).run();
}

}  // namespace orrery::replay::torch
