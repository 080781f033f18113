#include "analyze/capture/captured_nodes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "analyze/capture/graph_launches.h"
#include "causal/device/device_timeline.h"
#include "causal/step_window.h"

namespace orrery::analyze {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

Activity node_of_call(std::string_view call) {
  const auto has = [&](std::string_view word) { return call.find(word) != std::string_view::npos; };
  if (!call.starts_with("cu") && !call.starts_with("hip")) return Activity::other;
  // cudaLaunchKernelExC, cuLaunchKernelEx, hipExtModuleLaunchKernel, cudaLaunchCooperativeKernel.
  if (has("Launch") && has("Kernel")) return Activity::kernel;
  if (has("Memcpy")) return Activity::memory_copy;
  return has("Memset") ? Activity::memory_set : Activity::other;
}

namespace {

bool begins_capture(std::string_view call) { return call.find("StreamBeginCapture") != std::string_view::npos; }
bool adds_child(std::string_view call) { return call.find("GraphAddChildGraphNode") != std::string_view::npos; }
bool ends_capture(std::string_view call) { return call.find("StreamEndCapture") != std::string_view::npos; }

/// The profilers of engines and we ourselves name what is captured so: capture_16_FULL, capture_batch_8.
bool names_capture(std::string_view annotation) { return annotation.starts_with("capture"); }

StringId text_of(const trace::RankTrace& rank, Field field, EventIndex event) {
  return static_cast<StringId>(rank.field(field).find(event).value_or(0));
}

class CaptureFinder {
 public:
  CaptureFinder(const trace::Trace& trace, const trace::RankTrace& rank)
      : trace_(trace), rank_(rank), content_(trace, rank) {}

  std::vector<Capture> find() {
    list_calls();
    list_annotations();
    bool any_begin = false;
    for (const Call& call : calls_) any_begin |= call.role == Role::begin;
    if (any_begin) return captured();
    std::size_t without = 0, launches = 0;
    for (const Call& call : calls_) {
      launches += call.role == Role::launch ? 1 : 0;
      without += call.role == Role::launch && !call.has_work ? 1 : 0;
    }
    return 2 * without > launches ? one_capture() : eager_run();
  }

 private:
  enum class Role : std::uint8_t { launch, begin, end, child };
  struct Call {
    EventIndex event;
    Role role;
    Activity node;
    bool has_work;
  };

  /// The calls that matter, by begin; of a driver call inside a runtime call, which share their correlation, the outer.
  void list_calls() {
    std::unordered_set<std::int64_t> with_work;
    const trace::SparseColumn& correlations = rank_.field(Field::correlation);
    for (std::size_t i = 0; i < correlations.event.size(); ++i) {
      if (trace::is_device_work(rank_.activity(correlations.event[i]))) with_work.insert(correlations.value[i]);
    }
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) != Activity::runtime_call) continue;
      const std::string_view name = trace_.name(rank_, e);
      const Activity node = node_of_call(name);
      const Role role = begins_capture(name) ? Role::begin
                        : ends_capture(name) ? Role::end
                        : adds_child(name)   ? Role::child
                                             : Role::launch;
      if (role == Role::launch && node == Activity::other) continue;
      const auto correlation = correlations.find(e);
      calls_.push_back({e, role, node, correlation && with_work.contains(*correlation)});
    }
    std::sort(calls_.begin(), calls_.end(),
              [&](const Call& a, const Call& b) { return content_.before(a.event, b.event); });
    std::unordered_set<std::int64_t> seen;
    std::erase_if(calls_, [&](const Call& call) {
      const auto correlation = correlations.find(call.event);
      return correlation && !seen.insert(*correlation).second;
    });
  }

  void list_annotations() {
    for (EventIndex e = 0; e < rank_.event_count(); ++e) {
      if (rank_.activity(e) == Activity::annotation) annotations_.push_back(e);
    }
    std::sort(annotations_.begin(), annotations_.end(),
              [&](EventIndex a, EventIndex b) { return content_.before(a, b); });
  }

  CapturedNode node_of(const Call& call) const {
    return {call.event, call.node, text_of(rank_, Field::kernel_text, call.event),
            text_of(rank_, Field::grid_text, call.event)};
  }

  /// The annotations around a moment of a lane that name the capture; the innermost gives it its label.
  void label(Capture& capture, trace::LaneIndex lane, TimePs at) const {
    for (const EventIndex e : annotations_) {
      if (rank_.start[e] > at) break;
      if (rank_.lane[e] != lane || rank_.end(e) <= at || !names_capture(trace_.name(rank_, e))) continue;
      capture.labels.push_back(e);
      capture.label = trace_.name(rank_, e);
    }
  }

  /// Per call that begins a capture: the place of the one that ends it; the number of calls if none does.
  std::vector<std::size_t> ends_of_captures() const {
    std::vector<std::size_t> ends(calls_.size(), calls_.size());
    std::map<trace::LaneIndex, std::vector<std::size_t>> open;  // those of a thread, the innermost last
    std::map<trace::LaneIndex, std::size_t> closed;             // the last of a thread
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const trace::LaneIndex lane = rank_.lane[calls_[i].event];
      std::vector<std::size_t>& own = open[lane];
      if (calls_[i].role == Role::begin) own.push_back(i);
      if (calls_[i].role != Role::end) continue;
      if (!own.empty()) {
        closed[lane] = own.back();
        own.pop_back();
      }
      // One end too many: what seemed to end the capture ended one inside of it, whose beginning was not recorded. An
      // end that nothing came before is that of a capture from before the recording.
      if (const auto last = closed.find(lane); last != closed.end()) ends[last->second] = i;
    }
    return ends;
  }

  std::vector<Capture> captured() {
    std::vector<Capture> captures;
    const std::vector<std::size_t> ends = ends_of_captures();
    struct Open {
      trace::LaneIndex lane;
      std::size_t capture, end;
    };
    std::vector<Open> open;
    std::optional<std::size_t> last_closed;
    for (std::size_t i = 0; i < calls_.size(); ++i) {
      const Call& call = calls_[i];
      const trace::LaneIndex lane = rank_.lane[call.event];
      const auto is_own = [&](const Open& capture) { return capture.lane == lane; };
      const auto own = std::find_if(open.rbegin(), open.rend(), is_own);
      switch (call.role) {
        case Role::begin:
          open.push_back({lane, captures.size(), ends[i]});
          label(captures.emplace_back(), lane, rank_.start[call.event]);
          break;
        case Role::end:
          if (own == open.rend() || own->end != i) break;
          last_closed = own->capture;
          open.erase(std::next(own).base());
          break;
        case Role::child:
          if (own == open.rend() || !last_closed) break;
          captures[own->capture].nodes.insert(captures[own->capture].nodes.end(), captures[*last_closed].nodes.begin(),
                                              captures[*last_closed].nodes.end());
          break;
        case Role::launch:
          if (call.has_work || open.empty()) break;
          // A thread that captures nothing itself (autograd's) works for the capture that began last.
          captures[own != open.rend() ? own->capture : open.back().capture].nodes.push_back(node_of(call));
          break;
      }
    }
    std::erase_if(captures, [](const Capture& capture) { return capture.nodes.empty(); });
    return captures;
  }

  std::vector<Capture> one_capture() {
    Capture capture;
    for (const Call& call : calls_) {
      if (call.role == Role::launch && !call.has_work) capture.nodes.push_back(node_of(call));
    }
    if (capture.nodes.empty()) return {};
    const EventIndex first = capture.nodes.front().call;
    label(capture, rank_.lane[first], rank_.start[first]);
    return {std::move(capture)};
  }

  std::vector<Capture> eager_run() {
    Diagnostics ignored;  // whoever reads the recording for itself is told
    const causal::DeviceTimeline timeline = causal::make_device_timeline(trace_, rank_, content_, ignored);
    std::vector<std::uint32_t> works;
    for (std::uint32_t w = 0; w < timeline.works.size(); ++w) {
      const EventIndex call = timeline.works[w].call;
      // What a graph launched tells nothing of another graph: nobody knows its operators either.
      if (call != causal::kNoEvent && !is_graph_launch(trace_.name(rank_, call))) works.push_back(w);
    }
    std::stable_sort(works.begin(), works.end(), [&](std::uint32_t a, std::uint32_t b) {
      return timeline.works[a].call_start < timeline.works[b].call_start;
    });
    std::vector<Capture> captures;
    for (const EventIndex e : outermost_annotations()) {
      Capture& capture = captures.emplace_back();
      capture.label = trace_.name(rank_, e);
      capture.labels.push_back(e);
    }
    if (captures.empty()) captures.emplace_back();
    for (const std::uint32_t w : works) {
      const causal::DeviceWork& work = timeline.works[w];
      for (Capture& capture : captures) {
        const bool is_in = capture.labels.empty() || (rank_.start[capture.labels.front()] <= work.call_start &&
                                                      work.call_start < rank_.end(capture.labels.front()));
        if (!is_in) continue;
        capture.nodes.push_back({work.call, rank_.activity(work.event), rank_.name[work.event],
                                 text_of(rank_, Field::grid_text, work.event)});
        break;
      }
    }
    for (Capture& capture : captures) capture.is_eager = true;
    std::erase_if(captures, [](const Capture& capture) { return capture.nodes.empty(); });
    return captures;
  }

  /// Those that lie in no other, on any thread.
  std::vector<EventIndex> outermost_annotations() const {
    std::vector<EventIndex> outermost;
    for (const EventIndex e : annotations_) {
      if (outermost.empty() || rank_.start[e] >= rank_.end(outermost.back())) outermost.push_back(e);
    }
    return outermost;
  }

  const trace::Trace& trace_;
  const trace::RankTrace& rank_;
  trace::ContentOrder content_;
  std::vector<Call> calls_;
  std::vector<EventIndex> annotations_;
};

}  // namespace

std::vector<Capture> find_captures(const trace::Trace& trace, const trace::RankTrace& rank) {
  return CaptureFinder(trace, rank).find();
}

}  // namespace orrery::analyze
