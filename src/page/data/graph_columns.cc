#include "page/data/graph_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/whatif/edit_language.h"
#include "analyze/whatif/edit_selector.h"
#include "base/json/json_writer.h"
#include "graph/longest_path.h"
#include "page/data/codec.h"
#include "page/data/range_sets.h"

// The page's script solves the graph itself while a slider moves, so that it gets the engine's positions, weights and
// owners in columns that compress well: distances back instead of sources, owners in the order in which edges name
// them, whole nanoseconds where all times are. What a page could not hold exactly is left out with the reason.

namespace orrery::page {
namespace {

using causal::EdgeKind;
using graph::kNoTag;
using graph::Position;
using graph::Slot;

/// Texts by number, each once.
class TextList {
 public:
  std::int64_t number_of(std::string_view text) {
    const auto [at, is_new] = numbers_.emplace(text, static_cast<std::int64_t>(texts_.size()));
    if (is_new) texts_.emplace_back(text);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::map<std::string, std::int64_t, std::less<>> numbers_;
  std::vector<std::string> texts_;
};

template <typename List, typename Write>
void write_list(JsonWriter& json, std::string_view key, const List& list, Write&& write) {
  json.key(key).begin_array();
  for (const auto& entry : list) write(entry);
  json.end_array();
}

void write_sets(JsonWriter& json, std::string_view key, const SetTable& table) {
  write_list(json, key, table.sets(), [&](const SetTable::Set& set) {
    json.begin_array();
    for (const std::int64_t member : set) json.value(member);
    json.end_array();
  });
}

/// See docs/formats/page_graph.md.
class GraphEncoder {
 public:
  GraphEncoder(const causal::CausalGraph& job, const PagePlaces& places)
      : job_(job), places_(places), solution_(graph::solve(job.graph, job.end)) {}

  /// Why it cannot be in a page; empty if it can.
  [[nodiscard]] std::string why_not() const {
    const std::uint64_t edges = job_.graph.edge_count();
    if (edges > kMostPageEdges)
      return fmt::format("the graph has {} edges, more than the {} that a page can solve while a slider moves.",
                         format_count(edges), format_count(kMostPageEdges));
    // Numbers of JavaScript are exact up to 2^53: in picoseconds, two and a half hours.
    if (static_cast<std::uint64_t>(solution_.length()) >= kExactInScript)
      return "the step takes longer than the two and a half hours up to which a page computes exactly.";
    const auto is_exact = [](std::int64_t value) {
      return static_cast<std::uint64_t>(std::llabs(value)) < kExactInScript / 4;
    };
    for (const causal::Owner& owner : job_.owners) {
      if (!is_exact(owner.stream) || !is_exact(owner.device))
        return "numbers of streams are larger than a page can hold exactly.";
    }
    return {};
  }

  /// The same, once all owners and steps were added.
  [[nodiscard]] std::string why_not_sets() const {
    if (steps_.is_full()) return "more steps overlap than a page can hold.";
    return inside_.is_full() ? "more annotations overlap than a page can hold." : "";
  }

  PageGraph take(std::string facts) {
    add(encode_json("gr.facts", std::move(facts)));
    result_.nodes = job_.graph.node_count();
    result_.edges = job_.graph.edge_count();
    result_.begin = job_.graph.position(job_.begin);
    result_.end = job_.graph.position(job_.end);
    return std::move(result_);
  }

  void add(EncodedColumn column) { result_.columns.push_back(std::move(column)); }

  /// The shape, the weights and what they belong to.
  void add_edges() {
    const graph::Graph& graph = job_.graph;
    result_.weight_unit_ps = unit();
    const auto unit_ps = static_cast<std::int64_t>(result_.weight_unit_ps);
    const auto weights = graph.weights();
    // Negative weights double what an unsigned column would take: only if there are any.
    signed_weights_ = std::any_of(weights.begin(), weights.end(), [](TimePs weight) { return weight < 0; });
    add(encode_planes("gr.indegree", graph.node_count(),
                      [&](std::size_t p) { return graph.incoming_at(static_cast<Position>(p)).size(); }));
    add(encode_planes("gr.back", graph.edge_count(), TargetOf(graph, [&](Position target, Slot slot) {
                        return std::uint64_t{target} - graph.source_positions()[slot];
                      })));
    add(encode_planes("gr.weight", graph.edge_count(), [&](std::size_t slot) {
      const std::int64_t weight = weights[slot] / unit_ps;
      return signed_weights_ ? zigzag(weight) : static_cast<std::uint64_t>(weight);
    }));
    Column<std::uint8_t> kinds(graph.edge_count());
    for (Slot slot = 0; slot < graph.edge_count(); ++slot) kinds[slot] = graph.type(slot);
    add(encode_u8("gr.kind", {kinds.data(), kinds.size()}));
    add_edge_owners();
    add(encode_planes("gr.late", graph.node_count(),
                      [&](std::size_t p) { return zigzag(late(static_cast<Position>(p)) / unit_ps); }));
  }

  /// What recording cost each edge: 0 no recorder is called in it, 1 it stays as it is, 2 all of it is the recorder's
  /// own calls, 3 + what they take. These are a few values again and again, where how much shorter an edge becomes
  /// would be a number of its own for most: a fifth of the bytes.
  void add_recording(const analyze::RecordingCost& recording) {
    const std::vector<analyze::RecordingCost::Parts> parts = recording.parts();
    const bool in_units = std::all_of(parts.begin(), parts.end(), [&](const auto& part) {
      return part.calls.value_or(0) % result_.weight_unit_ps == 0;
    });
    recording_unit_ps_ = in_units ? result_.weight_unit_ps : 1;
    slowdown_permille_ = recording.slowdown_permille();
    Column<std::uint64_t> codes(job_.graph.edge_count(), 0);
    for (const auto& [slot, calls] : parts) {
      if (!calls) codes[slot] = 1;
      else if (*calls == job_.graph.weight(slot)) codes[slot] = 2;
      else codes[slot] = 3 + static_cast<std::uint64_t>(*calls / recording_unit_ps_);
    }
    add(encode_planes("gr.recorded", codes.size(), [&](std::size_t slot) { return codes[slot]; }));
  }

  /// Which rank and lane each node is of. Lanes are numbered in the engine's order, so that what goes lane by lane does
  /// so in the page; those without a lane come last, per rank, and 0 is of no rank.
  void add_lanes() {
    const std::size_t ranks = job_.ranks.size();
    std::vector<std::vector<std::uint8_t>> used(ranks);
    for (graph::NodeId node = 0; node < job_.graph.node_count(); ++node) {
      const std::uint32_t rank = job_.node_rank[node], lane = job_.node_lane[node];
      if (rank == causal::kNoRank || lane == causal::kNoWork) continue;
      if (used[rank].size() <= lane) used[rank].resize(lane + 1);
      used[rank][lane] = 1;
    }
    lanes_.push_back({-1, -1, false});
    std::vector<std::vector<std::uint32_t>> numbers(ranks);
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      numbers[rank].resize(used[rank].size());
      for (std::uint32_t lane = 0; lane < used[rank].size(); ++lane) {
        if (used[rank][lane] == 0) continue;
        numbers[rank][lane] = static_cast<std::uint32_t>(lanes_.size());
        const std::optional<std::uint32_t> place = places_.lane(rank, lane);
        lanes_.push_back({rank, place ? std::int64_t{*place} : -1, true});
      }
    }
    const std::size_t first_laneless = lanes_.size();
    for (std::uint32_t rank = 0; rank < ranks; ++rank) lanes_.push_back({rank, -1, false});
    add(encode_planes("gr.lane", job_.graph.node_count(), [&](std::size_t p) -> std::uint64_t {
      const graph::NodeId node = job_.graph.node_at(static_cast<Position>(p));
      const std::uint32_t rank = job_.node_rank[node], lane = job_.node_lane[node];
      if (rank == causal::kNoRank) return 0;
      return lane == causal::kNoWork ? first_laneless + rank : numbers[rank][lane];
    }));
  }

  /// What edges belong to.
  void add_owners() {
    const std::vector<std::uint32_t> ranks = ranks_of_owners();
    const std::vector<std::uint32_t> events = events_of_owners(), launches = launches_of_owners(ranks);
    const std::vector<std::uint32_t> inside = annotations_of_owners(ranks);
    std::vector<std::uint32_t> names;
    for (const std::uint32_t tag : order_) names.push_back(name_place(job_.owners[tag].name));
    const auto owner_at = [&](std::size_t i) -> const causal::Owner& { return job_.owners[order_[i]]; };
    add(encode_delta("ow.event", order_.size(), [&](std::size_t i) { return events[order_[i]]; }));
    add(encode_planes("ow.launch", order_.size(), [&](std::size_t i) {
      const std::uint32_t launch = launches[order_[i]];
      return launch == kNoTag ? 0 : zigzag(static_cast<std::int64_t>(i) - numbers_[launch]);
    }));
    add(encode_planes("ow.name", order_.size(), [&](std::size_t i) { return names[i]; }));
    add(encode_delta("ow.device", order_.size(), [&](std::size_t i) { return owner_at(i).device; }));
    add(encode_delta("ow.stream", order_.size(), [&](std::size_t i) { return owner_at(i).stream; }));
    add(encode_planes("ow.inside", order_.size(), [&](std::size_t i) { return inside[order_[i]]; }));
  }

  /// `set_of`: number in `steps` by target's position and slot.
  template <typename SetOf>
  void add_steps(SetOf&& set_of) {
    add(encode_planes("gr.step", job_.graph.edge_count(), TargetOf(job_.graph, set_of)));
  }
  SetTable& steps() { return steps_; }

  void write_facts(JsonWriter& json) const {
    json.field("signed_weights", signed_weights_);
    json.field("recording_unit_ps", recording_unit_ps_).field("slowdown_permille", slowdown_permille_);
    json.field("slowed_at_most_ps", analyze::kSlowedAtMost);
    write_list(json, "lanes", lanes_, [&](const Lane& lane) {
      json.begin_array().value(lane.rank).value(lane.place).value(lane.is_lane ? 1 : 0).end_array();
    });
    write_list(json, "more_names", more_names_.texts(), [&](const std::string& text) { json.value(text); });
    write_list(json, "annotations", annotations_.texts(), [&](const std::string& text) { json.value(text); });
    write_sets(json, "inside", inside_);
    write_sets(json, "step_numbers", steps_);
  }

 private:
  struct Lane {
    std::int64_t rank, place;
    bool is_lane;
  };

  /// Calls value(target position, slot) for slots in ascending order, again and again from 0 on: a codec goes over its
  /// values twice.
  template <typename Value>
  class TargetOf {
   public:
    TargetOf(const graph::Graph& graph, Value value) : graph_(graph), value_(std::move(value)) {}
    std::uint64_t operator()(std::size_t slot) {
      if (slot < graph_.rows()[target_]) target_ = 0;
      while (graph_.rows()[target_ + 1] <= slot) ++target_;
      return value_(target_, static_cast<Slot>(slot));
    }

   private:
    const graph::Graph& graph_;
    Value value_;
    Position target_ = 0;
  };

  /// Owners are numbered as edges first name them, so that an edge names one that is new, or one a few back: 0 none, 1
  /// new, 2 the newest, ...
  void add_edge_owners() {
    const graph::Graph& graph = job_.graph;
    numbers_.assign(job_.owners.size(), kNoTag);
    std::vector<std::uint32_t> codes(graph.edge_count());
    for (Slot slot = 0; slot < graph.edge_count(); ++slot) {
      const std::uint32_t tag = graph.edge_tag(slot);
      if (tag == kNoTag) continue;
      const auto count = static_cast<std::uint32_t>(order_.size());
      if (numbers_[tag] == kNoTag) {
        codes[slot] = 1;
        numbers_[tag] = count;
        order_.push_back(tag);
      } else {
        codes[slot] = count - numbers_[tag] + 1;
      }
    }
    add(encode_planes("gr.owner", codes.size(), [&](std::size_t slot) { return codes[slot]; }));
  }

  [[nodiscard]] TimePs late(Position p) const { return job_.time[job_.graph.node_at(p)] - solution_.finish_at(p); }

  [[nodiscard]] TimePs unit() const {
    // Most recorders count nanoseconds: a thousandth of the digits.
    constexpr TimePs kWholeNs = 1000;
    for (const TimePs weight : job_.graph.weights()) {
      if (weight % kWholeNs != 0) return 1;
    }
    for (Position p = 0; p < job_.graph.node_count(); ++p) {
      if (late(p) % kWholeNs != 0) return 1;
    }
    return kWholeNs;
  }

  /// Ids + 1; 0: left out.
  [[nodiscard]] std::vector<std::uint32_t> events_of_owners() const {
    std::vector<std::uint32_t> events(job_.owners.size());
    for (std::uint32_t i = 0; i < events.size(); ++i) {
      const std::optional<std::uint32_t> id = places_.event(i);
      events[i] = id ? *id + 1 : 0;
    }
    return events;
  }

  /// Per owner the place of the rank whose edges are its own; kNoRank: it has none.
  [[nodiscard]] std::vector<std::uint32_t> ranks_of_owners() const {
    std::vector<std::uint32_t> ranks(job_.owners.size(), causal::kNoRank);
    for (Position p = 0; p < job_.graph.node_count(); ++p) {
      const std::uint32_t rank = job_.node_rank[job_.graph.node_at(p)];
      for (const Slot slot : job_.graph.incoming_at(p)) {
        const std::uint32_t tag = job_.graph.edge_tag(slot);
        if (tag != kNoTag && ranks[tag] == causal::kNoRank) ranks[tag] = rank;
      }
    }
    return ranks;
  }

  /// Per owner the one that launched it; kNoTag. The call is in the graph, too, where its work is: it is the one that
  /// begins when the launch does.
  [[nodiscard]] std::vector<std::uint32_t> launches_of_owners(const std::vector<std::uint32_t>& ranks) const {
    struct Key {
      std::uint32_t rank, lane;
      TimePs start;
      auto operator<=>(const Key&) const = default;
    };
    std::vector<std::uint32_t> launches(job_.owners.size(), kNoTag);
    std::vector<std::pair<Key, std::uint32_t>> calls;
    std::vector<std::uint8_t> was_seen(job_.owners.size());
    for (Slot slot = 0; slot < job_.graph.edge_count(); ++slot) {
      const std::uint32_t tag = job_.graph.edge_tag(slot);
      if (job_.kind(slot) != EdgeKind::cpu_runtime || tag == kNoTag || was_seen[tag] != 0) continue;
      was_seen[tag] = 1;
      calls.emplace_back(Key{ranks[tag], job_.owners[tag].lane, job_.owners[tag].start}, tag);
    }
    std::sort(calls.begin(), calls.end());
    for (std::uint32_t i = 0; i < launches.size(); ++i) {
      const causal::Owner& owner = job_.owners[i];
      if (owner.device < 0) continue;
      const Key key{ranks[i], owner.launch_lane, owner.launch_start};
      const auto at = std::lower_bound(calls.begin(), calls.end(), std::pair(key, std::uint32_t{0}));
      if (at != calls.end() && at->first == key) launches[i] = at->second;
    }
    return launches;
  }

  /// Per owner the number of its set of annotations.
  std::vector<std::uint32_t> annotations_of_owners(const std::vector<std::uint32_t>& ranks) {
    std::vector<std::vector<causal::AnnotatedRange>> ranges;
    for (const causal::JobRank& rank : job_.ranks)
      ranges.emplace_back(rank.annotations.begin(), rank.annotations.end());
    analyze::add_handed_over(job_, ranges);
    std::vector<std::map<std::uint32_t, RangeSets>> by_lane(ranges.size());
    for (std::size_t rank = 0; rank < ranges.size(); ++rank) {
      for (const causal::AnnotatedRange& range : ranges[rank])
        by_lane[rank][range.lane].add(range.begin, range.end, annotations_.number_of(job_.strings.text(range.name)));
      for (auto& [lane, sets] : by_lane[rank]) sets.close(inside_);
    }
    std::vector<std::uint32_t> inside(job_.owners.size());
    for (std::uint32_t i = 0; i < inside.size(); ++i) {
      if (ranks[i] == causal::kNoRank) continue;
      const causal::Owner& owner = job_.owners[i];
      const auto& lanes = by_lane[ranks[i]];
      const auto lane = lanes.find(owner.launch_lane);
      if (lane != lanes.end()) inside[i] = lane->second.at(owner.launch_start);
    }
    return inside;
  }

  /// In `names`, or behind them in `more_names`: of events that were left out the page has no name.
  std::uint32_t name_place(StringId name) {
    if (name_places_.size() <= name) name_places_.resize(job_.strings.size(), kNoTag);
    std::uint32_t& place = name_places_[name];
    if (place != kNoTag) return place;
    const std::string_view text = job_.strings.text(name);
    const std::optional<std::uint32_t> found = places_.name(text);
    return place = found ? *found : places_.name_count + static_cast<std::uint32_t>(more_names_.number_of(text));
  }

  const causal::CausalGraph& job_;
  const PagePlaces& places_;
  graph::Solution solution_;
  PageGraph result_;
  bool signed_weights_ = false;
  TimePs recording_unit_ps_ = 1;
  std::int64_t slowdown_permille_ = 1000;
  std::vector<Lane> lanes_;
  std::vector<std::uint32_t> order_;    // owners as the page numbers them
  std::vector<std::uint32_t> numbers_;  // per owner: its number there; kNoTag: no edge is its own
  TextList annotations_, more_names_;
  std::vector<std::uint32_t> name_places_;  // by text of the graph
  SetTable inside_, steps_;
};

/// Transfers by what was exchanged, of edges of communication in the order of slots; see docs/formats/page_graph.md.
std::vector<std::uint32_t> exchange_classes(const causal::CausalGraph& job,
                                            std::vector<std::pair<StringId, StringId>>& classes) {
  std::map<std::pair<StringId, StringId>, std::uint32_t> numbers;
  std::vector<std::uint32_t> of_edges;
  for (Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    if (job.kind(slot) != EdgeKind::communication) continue;
    if (!job.is_transfer(slot)) {
      of_edges.push_back(0);
      continue;
    }
    const causal::JobOperation& operation = job.operations[job.parts[job.part_of(job.graph.source(slot))].operation];
    const std::pair key(operation.what, operation.group);
    const auto [at, is_new] = numbers.emplace(key, static_cast<std::uint32_t>(numbers.size()) + 1);
    if (is_new) classes.push_back(key);
    of_edges.push_back(at->second);
  }
  return of_edges;
}

/// By rank and step of the job.
void add_step_begins(GraphEncoder& encoder, const causal::CausalGraph& job) {
  const std::vector<std::vector<Slot>> pieces = analyze::pieces_at_step_begins(job);
  const std::size_t steps = job.steps.size();
  const auto rank_at = [&](std::size_t i) -> const causal::JobRank& { return job.ranks[i / steps]; };
  encoder.add(encode_planes("dl.slot", job.ranks.size() * steps, [&](std::size_t i) -> std::uint64_t {
    const std::vector<Slot>& of_rank = pieces[i / steps];
    const Slot slot = i % steps < of_rank.size() ? of_rank[i % steps] : graph::kNoSlot;
    return slot == graph::kNoSlot ? 0 : std::uint64_t{slot} + 1;
  }));
  encoder.add(encode_delta("dl.begin", job.ranks.size() * steps, [&](std::size_t i) -> std::int64_t {
    const causal::JobRank& rank = rank_at(i);
    return i % steps < rank.step_begin.size() ? std::max(rank.step_begin[i % steps], rank.begins_at) : 0;
  }));
}

PageGraph absent(std::string why) {
  PageGraph result;
  result.why = std::move(why);
  return result;
}

}  // namespace

PageGraph graph_columns(const causal::CausalGraph& job, const analyze::RecordingCost& recording,
                        const PagePlaces& places) {
  if (!job.pieces.empty())
    return absent("of each rank only a reduced graph was kept; --reduce never keeps everything.");
  GraphEncoder encoder(job, places);
  if (std::string why = encoder.why_not(); !why.empty()) return absent(std::move(why));
  encoder.add_edges();
  encoder.add_recording(recording);
  encoder.add_lanes();
  std::vector<std::uint32_t> step_sets;  // by place in job.steps
  for (const std::string& name : job.steps) {
    const std::optional<std::int64_t> number = analyze::number_of_step(name);
    step_sets.push_back(encoder.steps().number_of(number ? SetTable::Set{*number} : SetTable::Set{}));
  }
  encoder.add_steps([&](Position target, Slot slot) -> std::uint32_t {
    const std::uint32_t rank = job.node_rank[job.graph.node_at(target)];
    const std::uint32_t step = rank == causal::kNoRank ? causal::kNoStep : job.step_of(slot, rank);
    return step == causal::kNoStep ? 0 : step_sets[step];
  });
  encoder.add_owners();
  if (std::string why = encoder.why_not_sets(); !why.empty()) return absent(std::move(why));
  std::vector<std::pair<StringId, StringId>> classes;
  const std::vector<std::uint32_t> exchanged = exchange_classes(job, classes);
  encoder.add(encode_planes("ex.class", exchanged.size(), [&](std::size_t i) { return exchanged[i]; }));
  add_step_begins(encoder, job);
  std::string facts;
  JsonWriter json(facts);
  json.begin_object().field("is_job", job.ranks.size() > 1).field("span_ps", job.span);
  write_list(json, "ranks", job.ranks, [&](const causal::JobRank& rank) { json.value(rank.rank); });
  write_list(json, "exchanges", classes, [&](const auto& entry) {
    json.begin_array().value(job.strings.text(entry.first)).value(job.strings.text(entry.second)).end_array();
  });
  write_list(json, "job_steps", job.steps, [&](const std::string& name) {
    const std::optional<std::int64_t> number = analyze::number_of_step(name);
    if (number) json.value(*number);
    else json.null();
  });
  encoder.write_facts(json);
  json.end_object();
  return encoder.take(std::move(facts));
}

}  // namespace orrery::page
