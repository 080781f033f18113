#include "causal/program/collective_details.h"

#include <algorithm>
#include <utility>

// Sources are asked from the surest to the vaguest: what the event itself recorded, the call that asked for it, the
// rows of the host trace that it and the operators around it were matched with, and names at last. Each fills in only
// what those before it left open.

namespace orrery::causal {
namespace {

using trace::EventIndex;
using trace::Field;
using workload::ActivityKind;

// Operators around operators; a chain of calls deeper than this says nothing about communication any more.
constexpr int kDeepest = 16;

std::uint32_t find_row(const Column<KeyedIndex>& rows, std::uint64_t key) {
  const auto* const at = std::lower_bound(
      rows.begin(), rows.end(), key, [](const KeyedIndex& item, std::uint64_t wanted) { return item.key < wanted; });
  return at == rows.end() || at->key != key ? kNoRow : at->index;
}

bool is_communication_row(std::string_view name) {
  return name == "record_param_comms" || match::names_communication(name);
}

}  // namespace

CollectiveSource::CollectiveSource(const trace::Trace& trace, const trace::RankTrace& rank,
                                   const OperatorIndex& operators, const trace::HostTrace* host, const HostMatch* match,
                                   const trace::HostArguments* arguments, std::span<const match::HostWork> work)
    : trace_(trace), rank_(rank), operators_(operators), host_(host), match_(match), arguments_(arguments) {
  for (const match::HostWork& done : work) work_.emplace(done.event, &done);
  if (host == nullptr) return;
  Column<std::uint8_t> communicates(trace.strings.size());
  for (StringId id = 0; id < communicates.size(); ++id) communicates[id] = is_communication_row(trace.strings.text(id));
  for (std::uint32_t row = 0; row < host->size(); ++row) {
    if (communicates[host->name[row]] == 0) continue;
    rows_by_id_.push_back({host->id[row], row});
    if (host->record_function[row] != trace::kNoNumber)
      rows_by_record_function_.push_back({radix_key(host->record_function[row]), row});
  }
  radix_sort(rows_by_id_);
  radix_sort(rows_by_record_function_);
}

CollectiveDetails CollectiveSource::find(EventIndex event) const {
  CollectiveDetails details;
  ask_event(event, details);
  ask_call(event, details);
  EventIndex around = event;
  for (int depth = 0; depth < kDeepest && around != kNoEvent; ++depth) {
    if (match_ != nullptr && match_->row_of_event[around] != kNoRow) {
      ask_row(match_->row_of_event[around], details);
      if (depth == 0) ask_callers(match_->row_of_event[around], details);
    }
    around = operators_.operator_of[around];
  }
  around = event;
  for (int depth = 0; depth < kDeepest && around != kNoEvent && !details.kind; ++depth) {
    ask_name(around, details);
    around = operators_.operator_of[around];
  }
  return details;
}

void CollectiveSource::set_elements(std::int64_t in, std::int64_t out, StringId dtype,
                                    CollectiveDetails& details) const {
  if (details.bytes) return;
  const bool receives = details.kind && details.kind->kind == ActivityKind::recv;
  // What a receiver gets is its output; a sender's size is its input.
  const std::int64_t elements = receives || in <= 0 ? std::max(out, in) : in;
  const std::int64_t each = element_bytes(trace_.strings.text(dtype));
  std::int64_t bytes = 0;
  if (elements < 0 || each == 0 || __builtin_mul_overflow(elements, each, &bytes)) return;
  details.bytes = bytes;
}

void CollectiveSource::ask_event(EventIndex event, CollectiveDetails& details) const {
  const auto text = [&](Field field) {
    const auto value = rank_.field(field).find(event);
    return value ? static_cast<StringId>(*value) : StringId{0};
  };
  if (const StringId name = text(Field::collective_text); name != 0)
    details.kind = communication_kind(trace_.strings.text(name));
  details.group_name = text(Field::group_name_text);
  if (const auto size = rank_.field(Field::group_size).find(event)) details.group_size = *size;
  set_elements(rank_.field(Field::in_elements).find(event).value_or(-1),
               rank_.field(Field::out_elements).find(event).value_or(-1), text(Field::dtype_text), details);
}

void CollectiveSource::ask_call(EventIndex event, CollectiveDetails& details) const {
  const auto found = work_.find(event);
  if (found == work_.end()) return;
  const match::HostWork& work = *found->second;
  if (work.peer != match::kNoNumber) details.peer = work.peer;
  if (work.tag != match::kNoNumber) details.tag = work.tag;
  if (work.root_bytes != match::kNoNumber) details.bytes = work.root_bytes;
  if (work.group == match::kNoGroup || details.group_name != 0) return;
  const StringId name = trace_.strings.find(rank_.source.groups[work.group].name);
  if (name != Interner::kMissing) details.group_name = name;
}

void CollectiveSource::ask_row(std::uint32_t row, CollectiveDetails& details) const {
  const auto* const begin = host_->collectives.data();
  const auto* const end = begin + host_->collectives.size();
  const auto* const at = std::lower_bound(
      begin, end, row, [](const trace::HostCollective& of, std::uint32_t wanted) { return of.row < wanted; });
  if (at != end && at->row == row) {
    if (!details.kind && at->collective_name != 0)
      details.kind = communication_kind(trace_.strings.text(at->collective_name));
    if (details.group_name == 0) details.group_name = at->group_name;
    if (details.group_size == trace::kNoNumber) details.group_size = at->group_size;
    set_elements(at->in_elements, at->out_elements, at->dtype, details);
  }
  const std::string_view name = trace_.strings.text(host_->name[row]);
  if (arguments_ == nullptr || !is_communication_row(name)) return;
  if (!details.bytes) {
    std::int64_t bytes = 0;
    bool any = false;
    for (const trace::TensorUse& tensor : arguments_->tensors_of(row)) {
      if (!tensor.is_input) continue;
      any = true;
      if (__builtin_add_overflow(bytes, tensor.bytes, &bytes)) return;
    }
    if (any) details.bytes = bytes;
  }
  const auto* const peers =
      std::lower_bound(arguments_->peers.begin(), arguments_->peers.end(), row,
                       [](const trace::PeerArguments& of, std::uint32_t wanted) { return of.row < wanted; });
  if (peers == arguments_->peers.end() || peers->row != row) return;
  if (!details.peer && peers->peer != trace::kNoNumber) details.peer = peers->peer;
  if (!details.tag && peers->tag != trace::kNoNumber) details.tag = peers->tag;
}

void CollectiveSource::ask_callers(std::uint32_t row, CollectiveDetails& details) const {
  std::uint32_t caller = row;
  for (int depth = 0; depth < kDeepest && caller != kNoRow; ++depth) {
    caller = find_row(rows_by_id_, host_->parent[caller]);
    if (caller != kNoRow) ask_row(caller, details);
  }
  if (details.peer || host_->record_function[row] == trace::kNoNumber) return;
  // Numbers are given as operators begin: the one before is the nearest neighbour, trusted only if it is of the same
  // kind.
  const std::uint32_t before = find_row(rows_by_record_function_, radix_key(host_->record_function[row]) - 1);
  if (before == kNoRow) return;
  const auto kind_of = [&](std::uint32_t of) { return communication_kind(trace_.strings.text(host_->name[of])); };
  if (kind_of(before) && kind_of(before) == kind_of(row)) ask_row(before, details);
}

void CollectiveSource::ask_name(EventIndex event, CollectiveDetails& details) const {
  const std::string_view name = trace_.name(rank_, event);
  if (is_device_work(rank_.activity(event)) || match::names_communication(name))
    details.kind = communication_kind(name);
}

}  // namespace orrery::causal
