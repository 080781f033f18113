#include "job/write/packet_export.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/perfetto/rank_packets.h"
#include "job/path_pieces.h"
#include "trace/nesting.h"

// Tracks first (processes and lanes of all ranks), then the events with both ends of the arrows that begin or end in
// them: launches, messages, and where the critical path changes lanes. The path has a track of its own per rank.

namespace orrery::job {

std::vector<perfetto::LaneLabel> label_lanes(const trace::Trace& trace, const trace::RankTrace& rank,
                                             LaneNumbers& numbers) {
  std::vector<perfetto::LaneLabel> labels;
  std::map<trace::LaneKey, std::int64_t> processes;
  const std::string owner = (rank.source.format == "xspace" ? "node " : "rank ") + std::to_string(rank.rank);
  for (const trace::Lane& lane : rank.lanes) {
    // Processes of different ranks may have one number, which Perfetto would take for one process: they are numbered
    // anew.
    const auto [process, is_new] = processes.emplace(lane.process, numbers.next_process);
    if (is_new) ++numbers.next_process;
    perfetto::LaneLabel label{.process = process->second, .thread = numbers.next_thread++};
    const std::string_view name = trace.strings.text(lane.process_name);
    label.process_name = owner + " " + (name.empty() ? to_json(trace.strings, lane.process) : std::string(name));
    label.thread_name = trace.strings.text(lane.thread_name);
    if (label.thread_name.empty()) label.thread_name = to_json(trace.strings, lane.thread);
    labels.push_back(std::move(label));
  }
  return labels;
}

std::vector<LaunchArrow> launch_arrows(const trace::RankTrace& rank) {
  const trace::SparseColumn& correlation = rank.field(trace::Field::correlation);
  std::vector<std::pair<std::int64_t, trace::EventIndex>> calls;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    if (rank.activity(correlation.event[i]) == trace::Activity::runtime_call)
      calls.emplace_back(correlation.value[i], correlation.event[i]);
  }
  std::sort(calls.begin(), calls.end());
  std::vector<LaunchArrow> arrows;
  for (std::size_t i = 0; i < correlation.event.size(); ++i) {
    const trace::EventIndex work = correlation.event[i];
    if (!is_device_work(rank.activity(work))) continue;
    const auto call =
        std::lower_bound(calls.begin(), calls.end(), std::pair(correlation.value[i], trace::EventIndex{0}));
    if (call != calls.end() && call->first == correlation.value[i]) arrows.push_back({call->second, work});
  }
  return arrows;
}

namespace {

using perfetto::FlowEnd;
using perfetto::FlowId;
using perfetto::Track;
using trace::EventIndex;

constexpr DiagnosticKind kNoPathTrack{"J830", Severity::note, "there is no critical path to draw",
                                      "orrery path says what is missing"};

/// The arrows of all ranks, by rank.
class Arrows {
 public:
  explicit Arrows(const trace::Trace& trace) : trace_(trace), ends_(trace.ranks.size()) {}

  /// An arrow leads forward in time: Perfetto draws no other. Where clocks disagree, none is drawn.
  void add(std::uint32_t from_rank, EventIndex from, std::uint32_t to_rank, EventIndex to) {
    if (trace_.ranks[from_rank].start[from] > trace_.ranks[to_rank].start[to]) return;
    const FlowId flow = next();
    ends_[from_rank].push_back({from, flow, true});
    ends_[to_rank].push_back({to, flow, false});
  }
  FlowId next() { return next_++; }

  /// By event.
  std::span<const FlowEnd> of(std::size_t rank) {
    std::stable_sort(ends_[rank].begin(), ends_[rank].end(),
                     [](const FlowEnd& a, const FlowEnd& b) { return a.event < b.event; });
    return ends_[rank];
  }

 private:
  const trace::Trace& trace_;
  std::vector<std::vector<FlowEnd>> ends_;
  FlowId next_ = 1;
};

void add_messages(const match::Exchanges& exchanges, Arrows& arrows) {
  for (const match::Exchange& exchange : exchanges.all) {
    if (exchange.ordering != match::Ordering::message || exchange.count != 2) continue;
    const match::Participation &send = exchanges.parts[exchange.first], &receive = exchanges.parts[exchange.first + 1];
    arrows.add(send.node, send.event, receive.node, receive.event);
  }
}

/// From what a simulated run recorded of its messages: points on lanes, which lie in the event that begins last before
/// them.
void add_recorded_flows(const trace::Trace& trace, Arrows& arrows) {
  struct Ends {
    std::optional<std::pair<std::uint32_t, EventIndex>> from, to;
  };
  std::map<std::int64_t, Ends> by_id;
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    const trace::RankTrace& rank = trace.ranks[r];
    if (rank.flows.size() == 0) continue;
    const trace::LaneOrder order(rank);
    for (std::size_t i = 0; i < rank.flows.size(); ++i) {
      const std::span<const EventIndex> events = order.of(rank.flows.lane[i]);
      const auto after = std::upper_bound(events.begin(), events.end(), rank.flows.time[i],
                                          [&](TimePs t, EventIndex e) { return t < rank.start[e]; });
      // A point before all events of its lane belongs to none.
      if (after == events.begin()) continue;
      Ends& ends = by_id[rank.flows.id[i]];
      (rank.flows.phase[i] == 's' ? ends.from : ends.to) = std::pair(r, *(after - 1));
    }
  }
  for (const auto& [id, ends] : by_id) {
    if (ends.from && ends.to) arrows.add(ends.from->first, ends.from->second, ends.to->first, ends.to->second);
  }
}

/// What each link carried in each bin, as bytes per second. A bin like the one before is not written.
void write_links(const simulate::Schedule& schedule, std::span<const std::string> names, std::int64_t process,
                 std::int64_t epoch_ns, perfetto::PacketWriter& writer) {
  const simulate::LinkSeries& series = schedule.link_series;
  if (series.empty()) return;
  const TimePs span = schedule.makespan_ps();
  const Track all = writer.add_process(process, "links");
  for (std::size_t row = 0; row < series.links.size(); ++row) {
    const std::uint32_t link = series.links[row];
    const std::string name = link < names.size() ? names[link] : "link " + std::to_string(link);
    const Track counter = writer.add_counter(all, name + " (bytes/s)");
    std::int64_t last = -1;
    for (std::size_t bin = 0; bin < simulate::LinkSeries::kBins; ++bin) {
      const TimePs begin = simulate::bin_begin(span, bin), length = simulate::bin_begin(span, bin + 1) - begin;
      const auto rate =
          length == 0 ? 0 : static_cast<std::int64_t>(Int128{series.of(row)[bin]} * kPsPerSecond / length);
      // Counters hold their value until the next one.
      if (rate != std::exchange(last, rate)) writer.count(counter, perfetto::to_ns(begin, epoch_ns), rate);
    }
    writer.count(counter, perfetto::to_ns(span, epoch_ns), 0);
  }
}

/// Where the path goes from an event to one of another lane.
void add_hops(const trace::Trace& trace, const std::vector<PathPiece>& pieces, Arrows& arrows) {
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const PathPiece &from = pieces[i - 1], &to = pieces[i];
    if (!from.event || !to.event) continue;
    const bool same_lane =
        from.rank == to.rank && trace.ranks[from.rank].lane[*from.event] == trace.ranks[to.rank].lane[*to.event];
    if (!same_lane) arrows.add(from.rank, *from.event, to.rank, *to.event);
  }
}

/// What Perfetto's time 0 is, so that nothing lies before it: 1970, as a rule.
std::int64_t epoch_of(const trace::Trace& trace, const std::vector<PathPiece>& pieces) {
  TimePs first = pieces.empty() ? 0 : pieces.front().begin;
  for (const trace::RankTrace& rank : trace.ranks) {
    for (const TimePs start : rank.start) first = std::min(first, start);
  }
  return std::max(trace.epoch_unix_ns, -perfetto::to_ns(first, 0));
}

/// The tracks of a rank: processes, then lanes; `process` is the first one's.
struct RankTracks {
  std::optional<Track> process;
  std::vector<Track> lanes;
};

RankTracks add_lanes(const trace::Trace& trace, const trace::RankTrace& rank, LaneNumbers& numbers,
                     perfetto::PacketWriter& writer) {
  RankTracks tracks;
  std::map<std::int64_t, Track> processes;
  for (const perfetto::LaneLabel& label : label_lanes(trace, rank, numbers)) {
    if (!processes.contains(label.process))
      processes[label.process] = writer.add_process(label.process, label.process_name);
    if (!tracks.process) tracks.process = processes[label.process];
    tracks.lanes.push_back(writer.add_thread(label.process, label.thread, label.thread_name));
  }
  return tracks;
}

/// A track per rank that is on the path; where it goes to another rank, an arrow.
void write_path(const std::vector<PathPiece>& pieces, const std::vector<RankTracks>& ranks, std::int64_t epoch_ns,
                Arrows& arrows, perfetto::PacketWriter& writer) {
  std::map<std::uint32_t, Track> tracks;
  std::optional<FlowId> arriving;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const PathPiece& piece = pieces[i];
    if (!tracks.contains(piece.rank))
      tracks[piece.rank] = writer.add_track(*ranks[piece.rank].process, "critical path");
    std::vector<FlowId> begins, ends;
    if (arriving) ends.push_back(*std::exchange(arriving, std::nullopt));
    if (i + 1 < pieces.size() && pieces[i + 1].rank != piece.rank) begins.push_back(*(arriving = arrows.next()));
    const std::string_view kind = identifier(piece.kind);
    writer.begin(tracks[piece.rank], perfetto::to_ns(piece.begin, epoch_ns),
                 {.name = piece.name.empty() ? kind : std::string_view(piece.name),
                  .category = kind,
                  .begins = begins,
                  .ends = ends});
    writer.end(tracks[piece.rank], perfetto::to_ns(piece.end, epoch_ns));
  }
}

/// All lanes with their events.
std::vector<RankTracks> write_ranks(const trace::Trace& trace, LaneNumbers& numbers, std::int64_t epoch_ns,
                                    Arrows& arrows, perfetto::PacketWriter& writer) {
  std::vector<RankTracks> tracks;
  for (const trace::RankTrace& rank : trace.ranks) tracks.push_back(add_lanes(trace, rank, numbers, writer));
  for (std::size_t r = 0; r < trace.ranks.size(); ++r)
    perfetto::write_rank(trace.ranks[r], trace.strings, tracks[r].lanes, arrows.of(r), epoch_ns, writer);
  return tracks;
}

}  // namespace

Status export_packets(const trace::Trace& trace, const RecordedJob* job, const std::string& path,
                      Diagnostics& diagnostics) {
  Result<std::vector<PathPiece>> pieces = find_path_pieces(trace, job, diagnostics);
  if (!pieces) {
    diagnostics.add(kNoPathTrack, [&] { return pieces.error().message; });
    pieces = std::vector<PathPiece>();
  }
  Result<perfetto::PacketWriter> writer = perfetto::PacketWriter::create(path);
  if (!writer) return writer.error();
  Arrows arrows(trace);
  for (std::uint32_t r = 0; r < trace.ranks.size(); ++r) {
    for (const LaunchArrow& arrow : launch_arrows(trace.ranks[r])) arrows.add(r, arrow.call, r, arrow.work);
  }
  if (job != nullptr) add_messages(job->exchanges(), arrows);
  add_hops(trace, *pieces, arrows);
  const std::int64_t epoch_ns = epoch_of(trace, *pieces);
  LaneNumbers numbers;
  const std::vector<RankTracks> tracks = write_ranks(trace, numbers, epoch_ns, arrows, *writer);
  write_path(*pieces, tracks, epoch_ns, arrows, *writer);
  return writer->commit();
}

Status export_packets(const trace::Trace& trace, const simulate::Schedule& schedule,
                      std::span<const std::string> link_names, const std::string& path) {
  Result<perfetto::PacketWriter> writer = perfetto::PacketWriter::create(path);
  if (!writer) return writer.error();
  Arrows arrows(trace);
  add_recorded_flows(trace, arrows);
  LaneNumbers numbers;
  const std::int64_t epoch_ns = epoch_of(trace, {});
  write_ranks(trace, numbers, epoch_ns, arrows, *writer);
  write_links(schedule, link_names, numbers.next_process, epoch_ns, *writer);
  return writer->commit();
}

}  // namespace orrery::job
