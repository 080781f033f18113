#include "replay/torch/build/operation_builder.h"

#include <algorithm>
#include <map>

#include "base/json/json_writer.h"
#include "replay/torch/build/integer_bounds.h"
#include "replay/torch/build/integer_plans.h"
#include "replay/torch/build/lifetimes.h"
#include "replay/torch/build/storage_table.h"
#include "replay/torch/edits/chosen_calls.h"
#include "replay/torch/edits/edited_calls.h"
#include "replay/torch/scale/scaled_calls.h"
#include "replay/torch/source/completions.h"
#include "replay/torch/source/mentions.h"
#include "replay/torch/source/row_scopes.h"
#include "replay/torch/source/side_moments.h"
#include "replay/torch/source/unrecorded_makers.h"
#include "replay/torch/write/entry_writer.h"

// Rows of the host trace are visited in the order in which they were entered and left. A row that is called again
// becomes a call, communication becomes a collective, and of all others only what they leave behind matters: storages
// that are made, and storages whose last mention this was. Waits, completions and bounds of integers follow when the
// list is whole.

namespace orrery::replay::torch {
namespace {

using causal::kNoRow;

// A host trace alone tells by its tensors.
bool has_device(const RankSource& source, const Lifetimes& lifetimes) {
  return !source.works.empty() || std::any_of(lifetimes.all.begin(), lifetimes.all.end(),
                                              [](const Lifetime& lifetime) { return !lifetime.is_on_host; });
}

/// What a rank called; then other sizes and edits.
struct RankCalls {
  RankCalls(const RankSource& source, const trace::HostArguments& arguments)
      : schemas(*source.host, *source.strings),
        lifetimes(find_lifetimes(*source.host, source.order, arguments, schemas.by_text())),
        chosen(choose_calls(source, schemas, arguments, lifetimes)) {}

  Status change(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options) {
    // By 1 nothing changes, whatever could follow.
    if (options.scale && !options.scale->factor.is_one()) {
      const auto done = scale_calls(*options.scale, source, schemas, arguments, chosen, lifetimes);
      if (!done) return done.error();
      scaled = *done;
    }
    if (options.edits.empty()) return {};
    auto done = edit_calls(options.edits, source, chosen, lifetimes);
    if (!done) return done.error();
    edits = std::move(*done);
    return {};
  }

  Schemas schemas;
  Lifetimes lifetimes;
  ChosenCalls chosen;
  ScaledCalls scaled;
  RankEdits edits;
};

class OperationBuilder {
 public:
  OperationBuilder(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options,
                   const RankCalls& calls)
      : source_(source),
        host_(*source.host),
        arguments_(arguments),
        options_(options),
        schemas_(calls.schemas),
        lifetimes_(calls.lifetimes),
        chosen_(calls.chosen),
        edits_(calls.edits),
        mentions_(
            find_mentions(source.order, chosen_, arguments, lifetimes_, held_gradients(source, arguments, lifetimes_))),
        storages_(lifetimes_, find_unrecorded_makers(source, chosen_, arguments, lifetimes_),
                  has_device(source, lifetimes_), list_.storages),
        moments_(source, chosen_, edits_, entries_, list_) {
    list_.rank = source.rank;
    list_.has_device = has_device(source, lifetimes_);
    list_.streams = source.streams;
    list_.has_pace = options.keeps_pace;
    list_.pace_factor = edits_.pace_factor;
    list_.steps = 0;
    list_.scaled = calls.scaled;
    list_.edited = edits_.list;
  }

  OperationList run() {
    const auto visits = static_cast<std::uint32_t>(source_.order.visits.size());
    for (std::uint32_t v = 0; v < visits; ++v) {
      if (!options_.communication_only) moments_.take_before(v);
      complete_before(v);
      const Visit visit = source_.order.visits[v];
      mark_graph(v, visit.row, false);
      if (chosen_.call_of[visit.row] == kNoRow) pass_row(visit, v);
      else if (chosen_.call_of[visit.row] == visit.row && !visit.is_end) take_chosen(visit.row);
      mark_graph(v, visit.row, true);
    }
    // What the recording had behind the last row.
    if (!options_.communication_only) moments_.take_before(visits);
    set_bounds();
    add_completions(list_);
    list_.waits_from_data = add_data_waits(list_);
    list_.peak_bytes = peak_bytes(list_);
    put_busiest_stream_first(list_);
    list_.threads = entries_.threads();
    list_.steps = std::max<std::uint32_t>(1, list_.steps);
    return std::move(list_);
  }

 private:
  // What a graph launched can be launched as one again.
  void mark_graph(std::uint32_t visit, std::uint32_t row, bool is_end) {
    if (next_graph_ == source_.graphs.size() || options_.communication_only) return;
    const GraphVisits& graph = source_.graphs[next_graph_];
    if (visit != (is_end ? graph.last : graph.first)) return;
    entries_.add(is_end ? Entry::Kind::graph_end : Entry::Kind::graph, entries_.thread_number(host_.thread[row]),
                 graph.stream, {});
    next_graph_ += is_end ? 1 : 0;
  }

  void take_chosen(std::uint32_t row) {
    if (edits_.removes(row)) {
      note_left_out(row);
      if (!options_.communication_only) make_results_of_removed(row);
      return release(row, source_.order.begin[row]);
    }
    if (chosen_.number[row] != kNoNumber32 && !options_.communication_only) return add_call(row);
    const std::uint32_t collective = chosen_.collective[row];
    if (collective != kNoNumber32 && !options_.compute_only) {
      if (edits_.removes_transfer(collective)) note_left_out(row);
      else add_collective(row);
    }
    release(row, source_.order.begin[row]);
  }

  // Where the host keeps its pace, what it spent on this is not its own time.
  void note_left_out(std::uint32_t row) {
    if (!options_.keeps_pace) return;
    const std::uint32_t thread = entries_.thread_number(host_.thread[row]);
    entries_.add(Entry::Kind::left_out, thread, entries_.stream_of(thread), time_of(row));
  }

  // What a call would have returned is there for others, whatever it holds; but integers may be indices, and have to be
  // somebody's.
  void make_results_of_removed(std::uint32_t row) {
    const RecordedCall& call = chosen_.calls[chosen_.number[row]];
    std::vector<std::uint32_t> made;
    for (std::size_t i = call.inputs; i < call.tensors.size(); ++i) {
      const std::uint32_t use = arguments_.first[row] + call.tensors[i].use;
      const std::uint32_t storage =
          storages_.use(lifetimes_.of_use[use], arguments_.tensors[use].is_on_host, call.tensors[i], false, false);
      if (storages_.is_there(storage)) continue;
      // An index out of range would end the replay: integers are given values below their bounds.
      if (call.tensors[i].type.is_integer) list_.storages[storage].is_given = true;
      else made.push_back(storage);
      storages_.set_there(storage, true);
    }
    entries_.add_storages(Entry::Kind::make, host_.thread[row], made);
  }

  void add_call(std::uint32_t row) {
    const std::uint32_t number = chosen_.number[row];
    const RecordedCall& call = chosen_.calls[number];
    std::vector<std::uint32_t> used;
    for (std::size_t i = 0; i < call.tensors.size(); ++i)
      used.push_back(storage_of(row, call.tensors[i], i >= call.inputs, moments_.pins_host(number)));
    make_missing(row, {used.begin(), used.begin() + static_cast<std::ptrdiff_t>(call.inputs)});
    const std::uint32_t thread = entries_.thread_number(host_.thread[row]);
    Entry& entry = entries_.add(Entry::Kind::call, thread, moments_.stream_of_call(number, thread), time_of(row));
    entry.number = entries_.form_number(call);
    entry.inputs = static_cast<std::uint32_t>(call.inputs);
    entry.outputs = static_cast<std::uint32_t>(used.size() - call.inputs);
    for (std::size_t i = call.inputs; i < used.size(); ++i) storages_.set_there(used[i], true);
    const std::vector<std::uint32_t> freed = take_freed(source_.order.begin[row]);
    entry.freed = static_cast<std::uint32_t>(freed.size());
    list_.numbers.insert(list_.numbers.end(), used.begin(), used.end());
    list_.numbers.insert(list_.numbers.end(), freed.begin(), freed.end());
    ++list_.calls;
  }

  // What others read and write stays: what carries more or less has memory of its own. Its place in the order is that
  // of the recorded tensors.
  std::vector<std::uint32_t> own_buffers(std::uint32_t row, const CollectiveCall& scaled) {
    std::vector<std::uint32_t> used;
    std::map<std::uint32_t, std::uint32_t> of_use;  // what is sent and received in place has one buffer
    for (const std::vector<RecordedTensor>* tensors : {&scaled.inputs, &scaled.outputs}) {
      for (std::size_t i = 0; i < tensors->size(); ++i) {
        const RecordedTensor& tensor = (*tensors)[i];
        const auto at = of_use.try_emplace(tensor.use, 0);
        // What is received goes elsewhere than what may still be being sent.
        // Even places are sent from and odd ones received into.
        const std::size_t place = 2 * i + (tensors == &scaled.outputs ? 1 : 0);
        if (at.second)
          at.first->second =
              storages_.buffer(tensor, arguments_.tensors[arguments_.first[row] + tensor.use].is_on_host, place);
        used.push_back(at.first->second);
      }
    }
    return used;
  }

  void add_collective(std::uint32_t row) {
    const CollectiveCall& call = chosen_.collectives[chosen_.collective[row]];
    std::vector<std::uint32_t> used;
    for (const RecordedTensor& tensor : call.inputs) used.push_back(storage_of(row, tensor, false, false));
    for (const RecordedTensor& tensor : call.outputs) used.push_back(storage_of(row, tensor, true, false));
    make_missing(row, used);
    const auto hint = source_.hints.find(row);
    const bool is_known = hint != source_.hints.end();
    const std::uint32_t thread = entries_.thread_number(host_.thread[row]);
    Entry& entry = entries_.add(Entry::Kind::collective, thread, entries_.stream_of(thread), time_of(row));
    entry.number = static_cast<std::uint32_t>(list_.collectives++);
    // A message that does not say is one in the background unless it was seen to be over in time.
    const bool is_message = call.kind == "send" || call.kind == "recv";
    entry.is_async = call.is_async.value_or(is_known ? hint->second.overlaps.value_or(is_message) : is_message);
    const std::uint32_t group = is_known ? hint->second.group : 0;
    const CollectiveCall* const scaled = edits_.scaled_transfer(chosen_.collective[row]);
    entry.text = scaled == nullptr
                     ? entries_.collective_text(call, source_.groups, group, entry, used)
                     : entries_.collective_text(*scaled, source_.groups, group, entry, own_buffers(row, *scaled));
    entry.inputs = static_cast<std::uint32_t>(call.inputs.size());
    entry.outputs = static_cast<std::uint32_t>(call.outputs.size());
    list_.numbers.insert(list_.numbers.end(), used.begin(), used.end());
    if (entry.is_async && is_known && hint->second.over_before != kNoNumber32)
      over_before_.emplace(hint->second.over_before, std::pair(entry.number, thread));
  }

  // What was seen to be over by now.
  void complete_before(std::uint32_t visit) {
    for (; !over_before_.empty() && over_before_.begin()->first <= visit; over_before_.erase(over_before_.begin())) {
      const auto [id, thread] = over_before_.begin()->second;
      entries_.add(Entry::Kind::complete, thread, entries_.stream_of(thread), {}).number = id;
    }
  }

  [[nodiscard]] HostTime time_of(std::uint32_t row) const {
    return source_.begin.empty() ? HostTime() : HostTime{source_.begin[row], source_.end[row]};
  }

  std::uint32_t storage_of(std::uint32_t row, const RecordedTensor& tensor, bool is_output, bool is_pinned) {
    const std::uint32_t use = arguments_.first[row] + tensor.use;
    const trace::TensorUse& seen = arguments_.tensors[use];
    return storages_.use(lifetimes_.of_use[use], seen.is_on_host, tensor, is_output || seen.is_written, is_pinned);
  }

  // Made inside another call and kept, resized by this one, or made by what is left out.
  void make_missing(std::uint32_t row, const std::vector<std::uint32_t>& used) {
    std::vector<std::uint32_t> missing;
    for (const std::uint32_t storage : used) {
      if (storages_.is_there(storage)) continue;
      missing.push_back(storage);
      storages_.set_there(storage, true);
    }
    entries_.add_storages(Entry::Kind::make, host_.thread[row], missing);
  }

  void release(std::uint32_t row, std::uint32_t position) {
    if (!mentions_.ending_at(position).empty())
      entries_.add_storages(Entry::Kind::release, host_.thread[row], take_freed(position));
  }

  // Storages whose last mention was there.
  std::vector<std::uint32_t> take_freed(std::uint32_t position) {
    std::vector<std::uint32_t> freed;
    for (const std::uint32_t lifetime : mentions_.ending_at(position)) {
      const std::uint32_t storage = storages_.find(lifetime);
      if (storage == kNoNumber32 || list_.storages[storage].is_given || !storages_.is_there(storage)) continue;
      freed.push_back(storage);
      storages_.set_there(storage, false);
    }
    return freed;
  }

  // A row that is not done again: what it made is made, what it was the last to mention goes, and a range that it is
  // begins or ends.
  void pass_row(Visit visit, std::uint32_t position) {
    if (is_user_range(source_, visit.row)) add_range(visit);
    if (visit.is_end && !options_.communication_only) make_results(visit.row);
    release(visit.row, position);
  }

  void make_results(std::uint32_t row) {
    std::vector<std::uint32_t> made;
    for (std::uint32_t use = arguments_.first[row]; use < arguments_.first[row + 1]; ++use) {
      const std::uint32_t lifetime = lifetimes_.of_use[use];
      if (lifetime == kNoLifetime || lifetimes_.all[lifetime].maker != row || arguments_.tensors[use].is_input)
        continue;
      // What the host keeps to itself is of no interest to the device; where it is, its first use makes it.
      if (lifetimes_.all[lifetime].is_on_host && list_.has_device) continue;
      const std::uint32_t storage = storages_.number_of(lifetime, lifetimes_.all[lifetime].is_on_host);
      if (storages_.is_there(storage)) continue;
      made.push_back(storage);
      storages_.set_there(storage, true);
    }
    entries_.add_storages(Entry::Kind::make, host_.thread[row], made);
  }

  void add_range(Visit visit) {
    const std::string_view name = source_.strings->text(host_.name[visit.row]);
    if (!visit.is_end && is_step_name(name)) ++list_.steps;
    const std::uint32_t thread = entries_.thread_number(host_.thread[visit.row]);
    Entry& entry =
        entries_.add(visit.is_end ? Entry::Kind::end : Entry::Kind::begin, thread, entries_.stream_of(thread), {});
    if (visit.is_end) return;
    entry.text = entries_.name_number(name);
    if (const auto pause = edits_.pauses.find(visit.row); pause != edits_.pauses.end())
      entries_.add(Entry::Kind::pause, thread, entries_.stream_of(thread), {}).duration = pause->second;
  }

  void set_bounds() {
    const IntegerBounds bounds = integer_bounds(host_, schemas_, chosen_, arguments_, lifetimes_);
    for (std::uint32_t lifetime = 0; lifetime < bounds.of_lifetime.size(); ++lifetime) {
      if (storages_.find(lifetime) != kNoNumber32)
        list_.storages[storages_.find(lifetime)].bound = bounds.of_lifetime[lifetime];
    }
    for (const BoundedPart& part : bounds.parts) {
      const std::uint32_t storage = storages_.find(part.lifetime);
      if (storage != kNoNumber32) list_.bounded_parts.push_back({storage, part.first, part.count, part.bound});
    }
    std::sort(list_.bounded_parts.begin(), list_.bounded_parts.end());
    for (const IntegerPlan& plan : integer_plans(host_, schemas_, chosen_, arguments_, lifetimes_)) {
      const std::uint32_t storage = storages_.find(plan.lifetime);
      if (storage != kNoNumber32)
        list_.planned_integers.push_back(
            {storage, plan.first, plan.count, identifier(plan.kind), plan.total, plan.parts});
    }
    std::sort(list_.planned_integers.begin(), list_.planned_integers.end(),
              [](const PlannedIntegers& a, const PlannedIntegers& b) {
                return a.storage != b.storage ? a.storage < b.storage : a.first < b.first;
              });
  }

  const RankSource& source_;
  const trace::HostTrace& host_;
  const trace::HostArguments& arguments_;
  const EmitOptions& options_;
  const Schemas& schemas_;
  const Lifetimes& lifetimes_;
  const ChosenCalls& chosen_;
  const RankEdits& edits_;
  Mentions mentions_;
  OperationList list_;
  StorageTable storages_;
  EntryWriter entries_{list_};
  SideMoments moments_;
  std::size_t next_graph_ = 0;
  std::multimap<std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>
      over_before_;  // by visit: collectives and their threads
};

}  // namespace

Result<OperationList> build_operations(const RankSource& source, const trace::HostArguments& arguments,
                                       const EmitOptions& options) {
  RankCalls calls(source, arguments);
  if (const Status changed = calls.change(source, arguments, options); !changed) return changed.error();
  return OperationBuilder(source, arguments, options, calls).run();
}

}  // namespace orrery::replay::torch
