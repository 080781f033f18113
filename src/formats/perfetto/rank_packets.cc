#include "formats/perfetto/rank_packets.h"

#include <algorithm>

#include "trace/nesting.h"
#include "trace/nesting_rows.h"

namespace orrery::perfetto {
namespace {

using trace::EventIndex;

/// The tracks of one lane. Slices of a track nest: a slice goes to the first where it does.
class LaneTracks {
 public:
  LaneTracks(Track first, PacketWriter& writer)
      : tracks_{first},
        writer_(writer),
        rows_([this](trace::NestingRows::Row row, std::int64_t end) { writer_.end(tracks_[row], end); }) {}

  /// Slices come by start.
  void begin(std::int64_t start, std::int64_t end, const Slice& slice) {
    const trace::NestingRows::Row row = rows_.add(start, end);
    if (row == tracks_.size()) tracks_.push_back(writer_.add_track(tracks_.front(), "overlapping"));
    writer_.begin(tracks_[row], start, slice);
  }

  void finish() { rows_.finish(); }

 private:
  std::vector<Track> tracks_;  // by row
  PacketWriter& writer_;
  trace::NestingRows rows_;
};

/// The arguments of events that come in any order.
class EventAnnotations {
 public:
  EventAnnotations(const trace::RankTrace& rank, const Interner& strings) : strings_(strings) {
    trace::ArgumentTable::for_each(rank.arguments, [&](std::string_view, std::string_view written,
                                                       trace::ValueType type, const trace::SparseColumn& column) {
      if (!column.event.empty()) columns_.push_back({written, type == trace::ValueType::text, &column});
    });
  }

  /// Good until the next call.
  std::span<const Annotation> of(EventIndex event) {
    found_.clear();
    for (const Place& place : columns_) {
      const std::optional<std::int64_t> value = place.column->find(event);
      if (!value) continue;
      if (place.holds_text) found_.push_back({place.key, strings_.text(static_cast<StringId>(*value))});
      else found_.push_back({place.key, *value});
    }
    return found_;
  }

 private:
  struct Place {
    std::string_view key;
    bool holds_text;
    const trace::SparseColumn* column;
  };
  const Interner& strings_;
  std::vector<Place> columns_;
  std::vector<Annotation> found_;
};

/// The arrows of events that come in any order.
class EventFlows {
 public:
  explicit EventFlows(std::span<const FlowEnd> flows) : flows_(flows) {}

  void find(EventIndex event, Slice& slice) {
    begins_.clear(), ends_.clear();
    auto at = std::lower_bound(flows_.begin(), flows_.end(), event,
                               [](const FlowEnd& flow, EventIndex e) { return flow.event < e; });
    for (; at != flows_.end() && at->event == event; ++at) (at->leaves ? begins_ : ends_).push_back(at->flow);
    slice.begins = begins_;
    slice.ends = ends_;
  }

 private:
  std::span<const FlowEnd> flows_;
  std::vector<FlowId> begins_, ends_;  // of the last one
};

}  // namespace

void write_rank(const trace::RankTrace& rank, const Interner& strings, std::span<const Track> lanes,
                std::span<const FlowEnd> flows, std::int64_t epoch_ns, PacketWriter& writer) {
  const trace::LaneOrder order(rank);
  EventAnnotations annotations(rank, strings);
  EventFlows arrows(flows);
  for (trace::LaneIndex lane = 0; lane < rank.lanes.size(); ++lane) {
    LaneTracks tracks(lanes[lane], writer);
    for (const EventIndex event : order.of(lane)) {
      Slice slice{.name = strings.text(rank.name[event]),
                  .category = strings.text(rank.categories[rank.category[event]].text)};
      slice.annotations = annotations.of(event);
      arrows.find(event, slice);
      const std::int64_t start = to_ns(rank.start[event], epoch_ns);
      if (rank.has_duration(event)) tracks.begin(start, std::max(start, to_ns(rank.end(event), epoch_ns)), slice);
      else writer.mark(lanes[lane], start, slice);
    }
    tracks.finish();
  }
}

}  // namespace orrery::perfetto
