#include "replay/torch/operation_builder.h"

#include <algorithm>
#include <unordered_map>

#include "base/json_writer.h"
#include "link/host_match.h"
#include "replay/torch/chosen_calls.h"
#include "replay/torch/data_waits.h"
#include "replay/torch/integer_bounds.h"
#include "replay/torch/lifetimes.h"
#include "replay/torch/mentions.h"
#include "replay/torch/peak_memory.h"

namespace orrery::replay::torch {
namespace {

using link::kNoRow;

/// Distinct texts, numbered in order of first appearance.
class TextNumbers {
 public:
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}
  std::uint32_t operator()(std::string text) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(at->first);
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

class OperationBuilder {
 public:
  OperationBuilder(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options)
      : source_(source),
        host_(*source.host),
        arguments_(arguments),
        options_(options),
        schemas_(host_, *source.strings),
        lifetimes_(find_lifetimes(host_, source.order, arguments, schemas_.by_text())),
        chosen_(choose_calls(source, schemas_)),
        mentions_(find_mentions(source.order, chosen_, arguments, lifetimes_)) {
    storage_of_.assign(lifetimes_.all.size(), kNoNumber32);
    list_.rank = source.rank;
    list_.has_device = !source.works.empty();
    list_.streams = source.streams;
    list_.has_pace = options.keeps_pace;
  }

  OperationList run() {
    survey_works();
    for (std::uint32_t v = 0; v <= source_.order.visits.size(); ++v) {
      take_moments(v);
      if (v == source_.order.visits.size()) break;
      const Visit visit = source_.order.visits[v];
      if (chosen_.call_of[visit.row] == visit.row && !visit.is_end) add_call(visit.row);
      else if (chosen_.call_of[visit.row] == kNoRow) pass_row(visit, v);
    }
    set_bounds();
    list_.waits_from_data = add_data_waits(list_);
    list_.peak_bytes = peak_bytes(list_);
    put_busiest_first();
    list_.threads = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(threads_.size()));
    list_.steps = std::max<std::uint32_t>(1, list_.steps);
    return std::move(list_);
  }

 private:
  // The stream that did most is the one that is current where nobody says anything.
  void put_busiest_first() {
    if (busy_.empty()) return;
    const auto busiest = static_cast<std::uint32_t>(std::max_element(busy_.begin(), busy_.end()) - busy_.begin());
    const auto renumber = [&](std::uint32_t stream) { return stream == busiest ? 0 : stream < busiest ? stream + 1 : stream; };
    std::rotate(list_.streams.begin(), list_.streams.begin() + busiest, list_.streams.begin() + busiest + 1);
    for (Entry& entry : list_.entries) {
      entry.stream = renumber(entry.stream);
      if (entry.kind == Entry::Kind::sync_stream) entry.number = renumber(entry.number);
    }
  }

  // On which stream each call works, and what of it is pinned.
  void survey_works() {
    list_.steps = 0;
    busy_.assign(list_.streams.size(), 0);
    stream_of_call_.assign(chosen_.calls.size(), kNoNumber32);
    pins_host_.assign(chosen_.calls.size(), 0);
    for (const LaunchedWork& work : source_.works) {
      list_.device_time += work.duration;
      busy_[work.stream] += work.duration;
      const std::string_view name = source_.strings->text(work.name);
      if (work.is_kernel && name.find("tf32") != std::string_view::npos) list_.uses_tf32 = true;
      const std::uint32_t call = work.launch.row == kNoRow ? kNoRow : chosen_.call_of[work.launch.row];
      if (call == kNoRow) continue;
      list_.called_time += work.duration;
      const std::uint32_t number = chosen_.number[call];
      if (stream_of_call_[number] == kNoNumber32) stream_of_call_[number] = work.stream;
      if (!work.is_kernel && name.find("Pinned") != std::string_view::npos) pins_host_[number] = 1;
    }
  }

  std::uint32_t thread_number(std::int64_t thread) {
    return threads_.try_emplace(thread, static_cast<std::uint32_t>(threads_.size())).first->second;
  }

  // Work that cannot be called, and what was done to streams, up to a visit.
  void take_moments(std::uint32_t visit) {
    while (true) {
      const bool has_work = work_ < source_.works.size() && source_.works[work_].launch.before <= visit;
      const bool has_action = action_ < source_.actions.size() && source_.actions[action_].moment.before <= visit;
      if (!has_work && !has_action) return;
      if (has_work && (!has_action || source_.works[work_].launch.begin <= source_.actions[action_].moment.begin))
        take_work(source_.works[work_++]);
      else take_action(source_.actions[action_++]);
    }
  }

  [[nodiscard]] bool is_in_call(const HostMoment& moment) const { return moment.row != kNoRow && chosen_.call_of[moment.row] != kNoRow; }

  void take_work(const LaunchedWork& work) {
    if (is_in_call(work.launch)) return;
    const std::string name(source_.strings->text(work.name));
    ReplacedWork& replaced = list_.replaced[name];
    ++replaced.count;
    replaced.duration += work.duration;
    const std::uint32_t thread = thread_number(work.launch.thread);
    if (!list_.entries.empty() && last_work_ != nullptr) {
      Entry& last = list_.entries.back();
      const bool is_alike = work.name == last_work_->name || (work.call != kNoNumber32 && work.call == last_work_->call);
      if (last.kind == Entry::Kind::work && last.stream == work.stream && last.thread == thread && is_alike) {
        ++last.number;
        last.duration += work.duration;
        last.end_ps = std::max(last.end_ps, work.launch.end);
        return;
      }
    }
    Entry& entry = add(Entry::Kind::work, thread, work.stream, work.launch.begin, work.launch.end);
    entry.number = 1;
    entry.text = text_of(name);
    entry.duration = work.duration;
    last_work_ = &work;
  }

  void take_action(const StreamAction& action) {
    using Kind = StreamAction::Kind;
    if (is_in_call(action.moment)) return;
    // An event that a call records inside of itself is not there for others.
    if ((action.kind == Kind::wait || action.kind == Kind::sync_event) && recorded_events_.count(action.event) == 0) return;
    if (action.kind == Kind::record) recorded_events_[action.event] = true;
    constexpr Entry::Kind kKinds[] = {Entry::Kind::record, Entry::Kind::wait, Entry::Kind::sync, Entry::Kind::sync_stream,
                                      Entry::Kind::sync_event};
    const std::uint32_t thread = thread_number(action.moment.thread);
    const bool has_stream = action.kind == Kind::record || action.kind == Kind::wait;
    Entry& entry = add(kKinds[static_cast<std::size_t>(action.kind)], thread, has_stream ? action.stream : stream_of_thread(thread),
                       action.moment.begin, action.moment.end);
    entry.number = action.kind == Kind::sync_stream ? action.stream : action.event;
  }

  std::uint32_t& stream_of_thread(std::uint32_t thread) {
    if (thread >= streams_of_threads_.size()) streams_of_threads_.resize(thread + 1, 0);
    return streams_of_threads_[thread];
  }

  Entry& add(Entry::Kind kind, std::uint32_t thread, std::uint32_t stream, TimePs begin, TimePs end) {
    stream_of_thread(thread) = stream;
    Entry& entry = list_.entries.emplace_back();
    entry.kind = kind;
    entry.thread = thread;
    entry.stream = stream;
    entry.first = static_cast<std::uint32_t>(list_.numbers.size());
    entry.is_timed = begin != kNoTime && end != kNoTime;
    if (entry.is_timed) entry.begin_ps = begin, entry.end_ps = end;
    return entry;
  }

  std::uint32_t text_of(const std::string& name) {
    std::string json;
    append_json_string(json, name);
    return texts_(std::move(json));
  }

  void add_call(std::uint32_t row) {
    const std::uint32_t number = chosen_.number[row];
    const RecordedCall& call = chosen_.calls[number];
    const std::uint32_t thread = thread_number(host_.thread[row]);
    const std::uint32_t stream = stream_of_call_[number] == kNoNumber32 ? stream_of_thread(thread) : stream_of_call_[number];
    std::vector<std::uint32_t> storages;
    std::vector<std::uint32_t> missing;
    for (std::size_t i = 0; i < call.tensors.size(); ++i) {
      const std::uint32_t storage = storage_of(row, call.tensors[i], number, i < call.inputs);
      if (i < call.inputs && !is_there(storage)) missing.push_back(storage), there_[storage] = 1;
      storages.push_back(storage);
    }
    // Made inside another call and kept, or resized by this one.
    add_storages(Entry::Kind::make, row, missing);
    Entry& entry = add(Entry::Kind::call, thread, stream, source_.begin.empty() ? kNoTime : source_.begin[row],
                       source_.end.empty() ? kNoTime : source_.end[row]);
    entry.number = form_of(call);
    entry.inputs = static_cast<std::uint32_t>(call.inputs);
    entry.outputs = static_cast<std::uint32_t>(storages.size() - call.inputs);
    list_.numbers.insert(list_.numbers.end(), storages.begin(), storages.end());
    for (std::size_t i = call.inputs; i < storages.size(); ++i) there_[storages[i]] = 1;
    const std::vector<std::uint32_t> freed = take_freed(source_.order.begin[row]);
    entry.freed = static_cast<std::uint32_t>(freed.size());
    list_.numbers.insert(list_.numbers.end(), freed.begin(), freed.end());
    ++list_.calls;
  }

  std::uint32_t form_of(const RecordedCall& call) {
    std::string form;
    std::size_t next = 0;
    for (const char c : call.form) {
      if (c != kTensorPlace) form += c;
      else form += std::to_string(tensors_(call.tensors[next++].descriptor));
    }
    return forms_(std::move(form));
  }

  std::uint32_t storage_of(std::uint32_t row, const RecordedTensor& tensor, std::uint32_t call, bool is_input) {
    const std::uint32_t use = arguments_.first[row] + tensor.use;
    const trace::TensorUse& seen = arguments_.tensors[use];
    const std::uint32_t number = number_of(lifetimes_.of_use[use], seen.is_on_host);
    Storage& storage = list_.storages[number];
    if (storage.bytes == 0 || !is_typed_[number]) storage.element_type = tensor.type.name, is_typed_[number] = 1;
    storage.bytes = std::max(storage.bytes, tensor.extent_bytes);
    storage.is_written |= seen.is_written || !is_input;
    storage.is_pinned |= pins_host_[call] != 0 && storage.is_on_host;
    return number;
  }

  // Tensors without elements share one storage of nothing on each side.
  std::uint32_t number_of(std::uint32_t lifetime, bool is_on_host) {
    std::uint32_t& number = lifetime == kNoLifetime ? storage_of_nothing_[is_on_host ? 1 : 0] : storage_of_[lifetime];
    if (number != kNoNumber32) return number;
    number = static_cast<std::uint32_t>(list_.storages.size());
    Storage& storage = list_.storages.emplace_back();
    storage.is_on_host = is_on_host || !list_.has_device;
    storage.is_given = lifetime == kNoLifetime || lifetimes_.all[lifetime].maker == kNoRow;
    storage.bytes = lifetime == kNoLifetime ? 0 : lifetimes_.all[lifetime].bytes;
    there_.push_back(storage.is_given);
    is_typed_.push_back(0);
    return number;
  }

  [[nodiscard]] bool is_there(std::uint32_t storage) const { return there_[storage] != 0; }

  void add_storages(Entry::Kind kind, std::uint32_t row, const std::vector<std::uint32_t>& storages) {
    if (storages.empty()) return;
    // One line where nothing else came between.
    if (!list_.entries.empty() && list_.entries.back().kind == kind) {
      list_.entries.back().inputs += static_cast<std::uint32_t>(storages.size());
    } else {
      // Whichever thread is on: it makes no difference, and a change of threads costs.
      const std::uint32_t thread = list_.entries.empty() ? thread_number(host_.thread[row]) : list_.entries.back().thread;
      Entry& entry = add(kind, thread, stream_of_thread(thread), kNoTime, kNoTime);
      entry.inputs = static_cast<std::uint32_t>(storages.size());
    }
    list_.numbers.insert(list_.numbers.end(), storages.begin(), storages.end());
  }

  // Storages whose last mention was there.
  std::vector<std::uint32_t> take_freed(std::uint32_t position) {
    std::vector<std::uint32_t> freed;
    for (const std::uint32_t lifetime : mentions_.ending_at(position)) {
      const std::uint32_t storage = storage_of_[lifetime];
      if (storage == kNoNumber32 || list_.storages[storage].is_given || !is_there(storage)) continue;
      freed.push_back(storage);
      there_[storage] = 0;
    }
    return freed;
  }

  // A row that is not called: what it made is made, what it was the last to mention goes, and a range that it is begins or ends.
  void pass_row(Visit visit, std::uint32_t position) {
    const std::uint32_t row = visit.row;
    if (is_range(row)) add_range(visit);
    if (visit.is_end) {
      std::vector<std::uint32_t> made;
      for (std::uint32_t use = arguments_.first[row]; use < arguments_.first[row + 1]; ++use) {
        const std::uint32_t lifetime = lifetimes_.of_use[use];
        if (lifetime == kNoLifetime || lifetimes_.all[lifetime].maker != row || arguments_.tensors[use].is_input) continue;
        // What the host keeps to itself is of no interest to the device; where it is, its first use makes it.
        if (lifetimes_.all[lifetime].is_on_host && list_.has_device) continue;
        const std::uint32_t storage = number_of(lifetime, lifetimes_.all[lifetime].is_on_host);
        if (!is_there(storage)) made.push_back(storage), there_[storage] = 1;
      }
      add_storages(Entry::Kind::make, row, made);
    }
    if (mentions_.ending_at(position).empty()) return;
    add_storages(Entry::Kind::release, row, take_freed(position));
  }

  // Ranges that the program named, not the rows that stand for threads.
  [[nodiscard]] bool is_range(std::uint32_t row) const {
    constexpr std::int64_t kUserScope = 7;
    return host_.scope[row] == kUserScope && host_.op_schema[row] == 0 && link::is_operator_row(source_.strings->text(host_.name[row]));
  }

  void add_range(Visit visit) {
    const std::string_view name = source_.strings->text(host_.name[visit.row]);
    if (!visit.is_end && name.starts_with("ProfilerStep")) ++list_.steps;
    const std::uint32_t thread = thread_number(host_.thread[visit.row]);
    Entry& entry = add(visit.is_end ? Entry::Kind::end : Entry::Kind::begin, thread, stream_of_thread(thread), kNoTime, kNoTime);
    if (!visit.is_end) entry.text = text_of(std::string(name));
  }

  void set_bounds() {
    const std::vector<std::int64_t> bounds = integer_bounds(host_, schemas_, chosen_, arguments_, lifetimes_);
    for (std::size_t lifetime = 0; lifetime < bounds.size(); ++lifetime) {
      if (storage_of_[lifetime] != kNoNumber32) list_.storages[storage_of_[lifetime]].bound = bounds[lifetime];
    }
  }

  const RankSource& source_;
  const trace::HostTrace& host_;
  const trace::HostArguments& arguments_;
  const EmitOptions& options_;
  Schemas schemas_;
  Lifetimes lifetimes_;
  ChosenCalls chosen_;
  Mentions mentions_;
  OperationList list_;
  TextNumbers tensors_{list_.tensors}, forms_{list_.forms}, texts_{list_.texts};
  std::vector<std::uint32_t> stream_of_call_;
  std::vector<std::uint8_t> pins_host_;
  std::vector<TimePs> busy_;               // per stream
  std::vector<std::uint32_t> storage_of_;  // per lifetime
  std::uint32_t storage_of_nothing_[2] = {kNoNumber32, kNoNumber32};
  std::vector<std::uint8_t> there_, is_typed_;  // per storage
  std::unordered_map<std::int64_t, std::uint32_t> threads_;
  std::vector<std::uint32_t> streams_of_threads_;
  std::unordered_map<std::uint32_t, bool> recorded_events_;
  std::size_t work_ = 0, action_ = 0;
  const LaunchedWork* last_work_ = nullptr;
};

}  // namespace

OperationList build_operations(const RankSource& source, const trace::HostArguments& arguments, const EmitOptions& options) {
  return OperationBuilder(source, arguments, options).run();
}

}  // namespace orrery::replay::torch
