#include "replay/torch/source/side_moments.h"

#include <algorithm>

// Works and actions are sorted by their places; before each visit of a row those that come before it are taken. What a
// call launched is part of the call; everything else becomes work of its duration, and alike works that follow one
// another are one entry.

namespace orrery::replay::torch {

using causal::kNoRow;

namespace {

// By the names of its kernels: cuBLAS says tf32, CUTLASS has the instruction's shape, which is that of tf32 alone.
bool is_tf32(std::string_view kernel) {
  return kernel.find("tf32") != std::string_view::npos || kernel.find("s1688gemm") != std::string_view::npos;
}

}  // namespace

SideMoments::SideMoments(const RankSource& source, const ChosenCalls& chosen, const RankEdits& edits,
                         EntryWriter& entries, OperationList& list)
    : source_(source),
      chosen_(chosen),
      edits_(edits),
      entries_(entries),
      list_(list),
      stream_of_call_(chosen.calls.size(), kNoNumber32),
      pins_host_(chosen.calls.size(), 0) {
  survey();
}

void SideMoments::survey() {
  for (std::size_t w = 0; w < source_.works.size(); ++w) {
    const LaunchedWork& work = source_.works[w];
    const TimePs duration = edits_.duration(w, work.duration);
    if (duration == RankEdits::kRemoved) continue;
    list_.device_time += work.duration;
    const std::string_view name = source_.strings->text(work.name);
    if (work.kind == causal::EdgeKind::kernel && is_tf32(name) && !is_of_cudnn(work.launch)) list_.uses_tf32 = true;
    if (!is_in_call(work.launch)) {
      ReplacedWork& replaced = list_.replaced[std::string(name)];
      ++replaced.count;
      replaced.duration += duration;
      continue;
    }
    list_.called_time += work.duration;
    const std::uint32_t number = chosen_.number[chosen_.call_of[work.launch.row]];
    if (number == kNoNumber32) continue;  // it communicates
    if (stream_of_call_[number] == kNoNumber32) stream_of_call_[number] = work.stream;
    if (work.kind != causal::EdgeKind::kernel && name.find("Pinned") != std::string_view::npos) pins_host_[number] = 1;
  }
}

// cuDNN has a setting of its own, which allows tf32 unless it is told not to.
bool SideMoments::is_of_cudnn(const HostMoment& launch) const {
  if (launch.row == kNoRow) return false;
  const std::string_view name = source_.strings->text(source_.host->name[launch.row]);
  return name.find("cudnn") != std::string_view::npos || name.find("convolution") != std::string_view::npos;
}

bool SideMoments::is_in_call(const HostMoment& moment) const {
  return moment.row != kNoRow && chosen_.call_of[moment.row] != kNoRow;
}

void SideMoments::take_before(std::uint32_t visit) {
  while (true) {
    const bool has_work = next_work_ < source_.works.size() && source_.works[next_work_].launch.before <= visit;
    const bool has_action =
        next_action_ < source_.actions.size() && source_.actions[next_action_].moment.before <= visit;
    if (!has_work && !has_action) return;
    const bool work_is_first = has_work && (!has_action || source_.works[next_work_].launch.begin <=
                                                               source_.actions[next_action_].moment.begin);
    if (work_is_first) {
      const LaunchedWork& work = source_.works[next_work_];
      take_work(work, edits_.duration(next_work_++, work.duration));
    } else take_action(source_.actions[next_action_++]);
  }
}

void SideMoments::take_work(const LaunchedWork& work, TimePs duration) {
  if (is_in_call(work.launch)) return;
  const std::uint32_t thread = entries_.thread_number(work.launch.thread);
  if (duration == RankEdits::kRemoved) {
    if (list_.has_pace)
      entries_.add(Entry::Kind::left_out, thread, entries_.stream_of(thread), {work.launch.begin, work.launch.end});
    return;
  }
  if (last_work_ != nullptr && list_.entries.back().kind == Entry::Kind::work) {
    Entry& last = list_.entries.back();
    const bool is_alike = work.name == last_work_->name || (work.call != kNoNumber32 && work.call == last_work_->call);
    if (is_alike && last.stream == work.stream && last.thread == thread) {
      ++last.number;
      last.duration += duration;
      last.end_ps = std::max(last.end_ps, work.launch.end);
      return;
    }
  }
  Entry& entry = entries_.add(Entry::Kind::work, thread, work.stream, {work.launch.begin, work.launch.end});
  entry.number = 1;
  entry.text = entries_.name_number(source_.strings->text(work.name));
  entry.duration = duration;
  last_work_ = &work;
}

void SideMoments::take_action(const StreamAction& action) {
  using Kind = StreamAction::Kind;
  if (is_in_call(action.moment)) return;
  // An event that a call records inside of itself is not there for others.
  if ((action.kind == Kind::wait || action.kind == Kind::sync_event) && events_.count(action.event) == 0) return;
  if (action.kind == Kind::record) events_.insert(action.event);
  constexpr Entry::Kind kKinds[] = {Entry::Kind::record, Entry::Kind::wait, Entry::Kind::sync, Entry::Kind::sync_stream,
                                    Entry::Kind::sync_event};
  const std::uint32_t thread = entries_.thread_number(action.moment.thread);
  const bool has_stream = action.kind == Kind::record || action.kind == Kind::wait;
  Entry& entry =
      entries_.add(kKinds[static_cast<std::size_t>(action.kind)], thread,
                   has_stream ? action.stream : entries_.stream_of(thread), {action.moment.begin, action.moment.end});
  entry.number = action.kind == Kind::sync_stream ? action.stream : action.event;
}

}  // namespace orrery::replay::torch
