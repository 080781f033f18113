#include "formats/nccl_inspector/timeline.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace orrery::nccl_inspector {
namespace {

/// One operation of one process.
struct Place {
  std::size_t process, operation;
};

class RelativeLayout {
 public:
  RelativeLayout(const std::vector<const ProcessLog*>& processes, Timeline& timeline)
      : processes_(processes), timeline_(timeline) {}

  void lay_out_collectives() {
    // By communicator and number: who took part in each.
    std::map<std::pair<std::string, std::int64_t>, std::vector<Place>> parts;
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      for (std::size_t o = 0; o < processes_[p]->operations.size(); ++o) {
        const Operation& operation = processes_[p]->operations[o];
        if (!operation.is_message) parts[{id_of(p, operation), operation.number}].push_back({p, o});
      }
    }
    std::map<std::string, std::int64_t> ends;
    for (const auto& [key, places] : parts) {
      std::int64_t& end = ends[key.first];
      end += longest(places);
      for (const Place& place : places) put(place, end);
    }
  }

  /// The n-th send to a peer and that peer's n-th receive are one message. They end together, after what both did
  /// before.
  void lay_out_messages() {
    std::map<std::tuple<std::string, std::int64_t, std::int64_t>, std::pair<std::vector<Place>, std::vector<Place>>>
        channels;
    for (std::size_t p = 0; p < processes_.size(); ++p) {
      for (std::size_t o = 0; o < processes_[p]->operations.size(); ++o) {
        const Operation& operation = processes_[p]->operations[o];
        if (!operation.is_message) continue;
        const std::int64_t own = processes_[p]->communicators[operation.communicator].rank;
        const bool is_send = operation.function == "Send";
        auto& channel = channels[{id_of(p, operation), is_send ? own : operation.peer, is_send ? operation.peer : own}];
        (is_send ? channel.first : channel.second).push_back({p, o});
      }
    }
    std::vector<std::tuple<std::int64_t, std::size_t, std::vector<Place>>> messages;
    for (auto& [key, sides] : channels) {
      for (std::vector<Place>* const side : {&sides.first, &sides.second})
        std::stable_sort(side->begin(), side->end(),
                         [&](const Place& a, const Place& b) { return at(a).number < at(b).number; });
      for (std::size_t i = 0; i < std::max(sides.first.size(), sides.second.size()); ++i) {
        std::vector<Place> both;
        if (i < sides.first.size()) both.push_back(sides.first[i]);
        if (i < sides.second.size()) both.push_back(sides.second[i]);
        messages.emplace_back(at(both.front()).number, both.front().process, both);
      }
    }
    std::stable_sort(messages.begin(), messages.end(), [](const auto& a, const auto& b) {
      return std::pair(std::get<0>(a), std::get<1>(a)) < std::pair(std::get<0>(b), std::get<1>(b));
    });
    std::vector<std::int64_t> last(processes_.size(), 0);
    for (const auto& [number, process, places] : messages) {
      std::int64_t end = 0;
      for (const Place& place : places) end = std::max(end, last[place.process]);
      end += longest(places);
      for (const Place& place : places) {
        put(place, end);
        last[place.process] = end;
      }
    }
  }

 private:
  [[nodiscard]] const Operation& at(const Place& place) const {
    return processes_[place.process]->operations[place.operation];
  }
  [[nodiscard]] const std::string& id_of(std::size_t process, const Operation& operation) const {
    return processes_[process]->communicators[operation.communicator].id;
  }
  [[nodiscard]] std::int64_t longest(const std::vector<Place>& places) const {
    std::int64_t length = 0;
    for (const Place& place : places) length = std::max(length, at(place).length_us);
    return length;
  }
  void put(const Place& place, std::int64_t end) {
    timeline_.spans[place.process][place.operation] = {end - at(place).length_us, end, true};
  }

  const std::vector<const ProcessLog*>& processes_;
  Timeline& timeline_;
};

}  // namespace

Timeline lay_out(const std::vector<const ProcessLog*>& processes) {
  Timeline timeline;
  bool has_times = false;
  for (const ProcessLog* const process : processes) {
    timeline.spans.emplace_back(process->operations.size());
    for (std::size_t o = 0; o < process->operations.size(); ++o) {
      const Operation& operation = process->operations[o];
      Timeline::Span& span = timeline.spans.back()[o];
      span.is_known = operation.times_us.has_value();
      if (span.is_known) span = {operation.times_us->first, operation.times_us->second, true};
      has_times |= span.is_known;
    }
  }
  if (has_times) return timeline;
  timeline.is_relative = true;
  RelativeLayout layout(processes, timeline);
  layout.lay_out_collectives();
  layout.lay_out_messages();
  return timeline;
}

}  // namespace orrery::nccl_inspector
