#include "replay/torch/scale/scaled_transfer.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "replay/torch/write/tensor_text.h"

// Parts are scaled and rounded, not totals, so that all ranks come to the same sizes without talking. Tensors are flat
// afterwards: only their number of elements matters to a network.

namespace orrery::replay::torch {

std::uint32_t group_of_call(const RankSource& source, std::uint32_t row) {
  const auto hint = source.hints.find(row);
  return hint == source.hints.end() ? 0 : hint->second.group;
}

std::vector<TransferSide> transfer_sides(const RankSource& source, const ChosenCalls& chosen,
                                         const std::vector<TransferEdit>& edits) {
  std::vector<TransferSide> sides;
  for (const auto [row, is_end] : source.order.visits) {
    const std::uint32_t number = chosen.collective[row];
    if (is_end || number == kNoNumber32) continue;
    const CollectiveCall& call = chosen.collectives[number];
    TransferSide& side = sides.emplace_back();
    side.kind = call.kind;
    side.group = group_of_call(source, row);
    side.edit = edits[number];
    if (!call.peer) continue;
    // Peers are recorded by their place in the group.
    const std::vector<std::int64_t>& members = source.groups[side.group];
    const bool is_known = *call.peer >= 0 && *call.peer < static_cast<std::int64_t>(members.size());
    const std::int64_t peer = is_known ? members[static_cast<std::size_t>(*call.peer)] : *call.peer;
    side.sender = call.kind == "send" ? source.rank : peer;
    side.receiver = call.kind == "send" ? peer : source.rank;
    side.tag = call.tag.value_or(0);
  }
  return sides;
}

bool selects_kind(const analyze::EditRule& rule, const std::optional<match::CommunicationKind>& kind) {
  using Exchanged = analyze::EditRule::Exchanged;
  if (rule.exchanged == Exchanged::anything) return true;
  const bool is_message = kind && kind->kind != workload::ActivityKind::collective;
  if (rule.exchanged == Exchanged::messages) return is_message;
  return !is_message && rule.collective.matches(kind ? workload::to_string(kind->collective) : std::string_view());
}

TransferSelector::TransferSelector(const RankSource& source, const ChosenCalls& chosen, const analyze::EditRule& rule)
    : source_(source), rule_(rule), works_(chosen.collectives.size()), place_(chosen.collective) {
  for (std::uint32_t w = 0; w < source.works.size(); ++w) {
    const std::uint32_t row = source.works[w].launch.row;
    // Copies that gloo makes are none: what its threads do is the communication.
    if (source.works[w].kind != causal::EdgeKind::kernel) continue;
    if (row == causal::kNoRow || chosen.call_of[row] == causal::kNoRow) continue;
    if (const std::uint32_t number = chosen.collective[chosen.call_of[row]]; number != kNoNumber32)
      works_[number].push_back(w);
  }
}

Result<bool> TransferSelector::has_name(std::uint32_t row, const CommunicationHint* hint) const {
  const std::vector<std::uint32_t>& works = works_[place_[row]];
  const bool is_named = hint != nullptr && hint->name != 0;
  if (works.empty() && !is_named)
    return Error{"what was done for " + std::string(source_.strings->text(source_.host->name[row])) +
                 " has no name in this recording"};
  return (is_named && rule_.name.matches(source_.strings->text(hint->name))) ||
         std::any_of(works.begin(), works.end(),
                     [&](std::uint32_t w) { return rule_.name.matches(source_.strings->text(source_.works[w].name)); });
}

Result<bool> TransferSelector::selects(std::uint32_t row) const {
  const std::string_view call = source_.strings->text(source_.host->name[row]);
  const auto at = source_.hints.find(row);
  const CommunicationHint* const hint = at == source_.hints.end() ? nullptr : &at->second;
  if (!selects_kind(rule_, match::communication_kind(call))) return false;
  if (rule_.scope.group) {
    if (hint == nullptr || hint->group_name.empty())
      return Error{"the group of " + std::string(call) + " was not recorded"};
    if (!rule_.scope.group->matches(hint->group_name)) return false;
  }
  const std::vector<std::uint32_t>& works = works_[place_[row]];
  const auto is_on_stream = [&](std::uint32_t w) { return source_.streams[source_.works[w].stream] == *rule_.stream; };
  if (rule_.stream && std::none_of(works.begin(), works.end(), is_on_stream)) return false;
  if (rule_.name.matches_everything()) return true;
  return has_name(row, hint);
}

namespace {

constexpr double kMostElementsCarried = 1e12;

std::int64_t elements_in(const RecordedTensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
}

// Depends on nothing but the number, so that who sends and who receives come to the same.
std::int64_t times(std::int64_t count, double factor) {
  if (count <= 0) return 0;
  return std::max<std::int64_t>(1, std::llround(std::min(static_cast<double>(count) * factor, kMostElementsCarried)));
}

class TransferScaling {
 public:
  TransferScaling(CollectiveCall& call, double factor, std::int64_t members)
      : call_(call), factor_(factor), members_(std::max<std::int64_t>(1, members)) {}

  bool run() {
    if (call_.kind == "all_to_all_single")
      return split(call_.inputs, call_.in_splits) && split(call_.outputs, call_.out_splits);
    // One side is all parts, one after the other: the part is what is rounded.
    const bool gathers = call_.kind == "all_gather_into_tensor", scatters = call_.kind == "reduce_scatter_tensor";
    return set_all(call_.inputs, scatters ? members_ : 1) && set_all(call_.outputs, gathers ? members_ : 1);
  }

 private:
  bool set_all(std::vector<RecordedTensor>& tensors, std::int64_t parts) {
    for (RecordedTensor& tensor : tensors) {
      const std::int64_t count = elements_in(tensor);
      // What cannot be equal parts was recorded in another way than it looks: it grows as one.
      if (!set(tensor, count % parts == 0 ? times(count / parts, factor_) * parts : times(count, factor_)))
        return false;
    }
    return true;
  }

  // Splits count rows; as all is flat from here on, they count elements.
  bool split(std::vector<RecordedTensor>& tensors, std::vector<std::int64_t>& splits) {
    if (tensors.size() != 1 || splits.empty()) return set_all(tensors, members_);
    const std::int64_t rows = std::accumulate(splits.begin(), splits.end(), std::int64_t{0});
    const std::int64_t count = elements_in(tensors.front());
    if (rows <= 0 || count % rows != 0) return set_all(tensors, 1);
    for (std::int64_t& part : splits) part = times(part * (count / rows), factor_);
    return set(tensors.front(), std::accumulate(splits.begin(), splits.end(), std::int64_t{0}));
  }

  static bool set(RecordedTensor& tensor, std::int64_t elements) {
    if (static_cast<double>(elements) >= kMostElementsCarried) return false;
    tensor.shape.assign(1, elements);
    tensor.stride.assign(1, 1);
    tensor.offset = 0;
    tensor.extent_bytes = elements * tensor.type.bytes;
    tensor.descriptor = descriptor_of(tensor);
    return true;
  }

  CollectiveCall& call_;
  double factor_;
  std::int64_t members_;
};

}  // namespace

std::optional<CollectiveCall> scale_transfer(const CollectiveCall& call, double factor, std::int64_t members) {
  CollectiveCall scaled = call;
  if (!TransferScaling(scaled, factor, members).run()) return std::nullopt;
  return scaled;
}

}  // namespace orrery::replay::torch
