#include "formats/xspace/rank_builder.h"

#include <algorithm>
#include <set>

#include "base/int128.h"
#include "formats/xspace/diagnostics.h"
#include "formats/xspace/schema.h"

// Each line of a plane becomes a lane. Events of the usual shape are decoded in place into the columns; names are
// resolved once per plane and classified, so that a category is a table lookup. Collectives are noted on the way and
// written when their line is complete, because of wrappers only the outer one counts. Clocks and launches follow last.

namespace orrery::xspace {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

// Called as PyTorch's profiler calls them, so that an export to its format is read back alike.
struct CategoryName {
  const char* text;
  Activity activity;
};
enum CategoryIndex : std::uint16_t {
  kOperator,
  kPython,
  kAnnotation,
  kRuntime,
  kKernel,
  kCopy,
  kFill,
  kDeviceAnnotation
};
constexpr CategoryName kCategories[] = {{"cpu_op", Activity::cpu_operator},
                                        {"python_function", Activity::python},
                                        {"user_annotation", Activity::annotation},
                                        {"cuda_runtime", Activity::runtime_call},
                                        {"kernel", Activity::kernel},
                                        {"gpu_memcpy", Activity::memory_copy},
                                        {"gpu_memset", Activity::memory_set},
                                        {"gpu_user_annotation", Activity::device_annotation}};

constexpr std::size_t kReadReleaseBytes = 4u << 20;

std::uint16_t category_of_name(LineKind line, NameClass name) {
  switch (line) {
    case LineKind::stream: return name == NameClass::copy ? kCopy : name == NameClass::fill ? kFill : kKernel;
    case LineKind::device_ops: return kKernel;
    case LineKind::device_async:
    case LineKind::device_derived:
    case LineKind::device_other: return kDeviceAnnotation;
    case LineKind::host_api: return kRuntime;
    case LineKind::host: break;
  }
  return name == NameClass::python ? kPython : kOperator;
}

}  // namespace

RankBuilder::RankBuilder(const Contents& contents, Interner& strings, Diagnostics& diagnostics,
                         std::int64_t base_unix_ns, std::int64_t epoch_unix_ns, bool positions, HeaderWalk header_walk)
    : contents_(contents),
      begin_(contents.bytes().data()),
      strings_(strings),
      diagnostics_(diagnostics),
      base_unix_ns_(base_unix_ns),
      positions_(positions),
      header_walk_(header_walk) {
  rank_.epoch_unix_ns = epoch_unix_ns;
  for (const CategoryName& category : kCategories)
    rank_.categories.push_back({strings.intern(category.text), category.activity});
}

std::string RankBuilder::position(const char* at) const {
  return contents_.path() + ": byte " + std::to_string(contents_.offset_of(at));
}

Status RankBuilder::add_line(const PlaneOutline& plane, std::size_t plane_index, PlaneNames& names,
                             std::string_view message) {
  const Result<LineHeader> header = header_walk_ == HeaderWalk::with_events ? read_line_front(contents_, message)
                                                                            : read_line_header(contents_, message);
  if (!header) return header.error();
  const LineKind kind = line_kind(plane.name, header->name);
  lines_.push_back({.kind = kind,
                    .plane = plane_index,
                    .device = device_number(plane.name),
                    .header = *header,
                    .start = std::nullopt,
                    .category_of_name = {},
                    .is_timeline = kind == LineKind::stream || kind == LineKind::device_ops});
  Line& added_line = lines_.back();
  added_line.start = start_of(added_line);
  for (std::size_t name = 0; name < kNameClasses; ++name)
    added_line.category_of_name[name] = category_of_name(kind, static_cast<NameClass>(name));
  is_timed_.push_back(0);
  if (kind == LineKind::device_ops) launches_.add_core(plane_index, static_cast<trace::LaneIndex>(rank_.lanes.size()));
  rank_.lanes.push_back({.process = {static_cast<std::int64_t>(plane_index), 0}, .thread = {header->id, 0}});
  if (Status added = add_events(added_line, names, message); !added) return added;
  // Behind the events, since the name that is shown stands behind them.
  const LineHeader& complete = added_line.header;
  rank_.lanes.back().process_name = strings_.intern(plane.name);
  rank_.lanes.back().thread_name =
      strings_.intern(complete.display_name.empty() ? complete.name : complete.display_name);
  add_collectives();
  return {};
}

Status RankBuilder::add_events(Line& line, PlaneNames& names, std::string_view message) {
  trace::LaneRows rows(rank_, static_cast<trace::LaneIndex>(rank_.lanes.size() - 1), positions_);
  WireReader cursor(message);
  WireField field;
  const char* released = message.data();
  // A header member behind the first event would have come too late for it.
  const std::uint64_t entries_before = rank_.source.entries;
  for (;;) {
    std::string_view event;
    while (cursor.next_bytes(kEventTag, event)) {
      if (!add_usual_event(line, names, event, rows)) {
        if (Status added = add_any_event(line, names, event, rows); !added) return added;
      }
      if (static_cast<std::size_t>(event.data() - released) < kReadReleaseBytes) continue;
      contents_.release(between(released, event.data()));
      released = event.data();
    }
    if (!cursor.next(field)) break;
    if (field.number == line_field::events) {
      if (!field.is_bytes()) return contents_.damage(field.begin);
      if (Status added = add_any_event(line, names, field.bytes, rows); !added) return added;
    } else if (header_walk_ == HeaderWalk::with_events) {
      // What the events were read with must not change behind them.
      const bool comes_late = field.number < line_field::events && rank_.source.entries != entries_before;
      if (comes_late || !take_line_member(field, line.header)) return contents_.damage(field.begin);
    }
  }
  if (cursor.damaged()) return contents_.damage(cursor.position());
  is_timed_.back() = rows.empty() ? 0 : 1;
  return {};
}

// Offsets within the range of a Trace can then be added to it without leaving 64 bits.
std::optional<TimePs> RankBuilder::start_of(const Line& line) const {
  const Int128 start = (Int128{base_unix_ns_} - rank_.epoch_unix_ns + line.header.timestamp_ns) * kPsPerNs;
  return trace::is_moment(start) ? std::optional(static_cast<TimePs>(start)) : std::nullopt;
}

[[gnu::always_inline]] inline bool RankBuilder::add_usual_event(const Line& line, PlaneNames& names,
                                                                std::string_view event, trace::LaneRows& rows) {
  EventHead head;
  if (!read_usual_head(event, head) || !line.start) return false;
  // Numbers of 8 bytes have 56 bits: the sums stay within 64.
  const TimePs start = *line.start + head.offset_ps;
  if (start + head.duration_ps > trace::kMaxMomentPs) return false;
  const QuickName name = names.quick(head.metadata_id);
  if (name.name_class == NameClass::unresolved) return false;
  event_.roles = 0;
  const char* const end = event.data() + event.size();
  // Steps are named by their number, which the quick way does not make.
  if (head.stats != end && (!read_usual_stats(head.stats, end, names, event_) || event_.has(StatRole::step_number)))
    return false;
  if (!rows.make_room()) return false;
  const std::uint16_t category = event_.roles == 0 ? line.category_of_name[static_cast<std::size_t>(name.name_class)]
                                                   : category_of(line, name.name_class);
  const auto ordinal = static_cast<std::uint32_t>(rank_.source.entries++);
  const EventIndex row = rows.put(start, head.duration_ps, name.name, category,
                                  {ordinal, static_cast<std::uint64_t>(event.data() - begin_)});
  if (event_.roles != 0 || name.may_be_collective || line.is_timeline)
    add_fields(line, names.event(static_cast<std::int64_t>(head.metadata_id)), row);
  return true;
}

Status RankBuilder::add_any_event(const Line& line, PlaneNames& names, std::string_view event, trace::LaneRows& rows) {
  if (const char* const damage = read_event(event, names, event_)) return contents_.damage(damage);
  const auto ordinal = static_cast<std::uint32_t>(rank_.source.entries++);
  if (!event_.is_timed) {
    ++rank_.source.events_without_timestamp;
    diagnostics_.add(kUntimedEvent, [&] { return position(event.data()); });
    return {};
  }
  const std::int64_t duration_ps = event_.duration_ps;
  const Int128 start =
      (Int128{base_unix_ns_} - rank_.epoch_unix_ns + line.header.timestamp_ns) * kPsPerNs + event_.offset_ps;
  if (!trace::is_moment(start) || !trace::is_moment(start + duration_ps)) {
    diagnostics_.add(kUnusableTime, [&] { return position(event.data()); });
    return {};
  }
  if (duration_ps < 0) diagnostics_.add(kNegativeDuration, [&] { return position(event.data()); });
  if (!rows.make_room()) return contents_.damage(event.data(), "there are more events than 32 bits can number");
  const EventKind& kind = names.event(event_.metadata_id);
  if (!kind.is_named) diagnostics_.add(kNamelessEvent, [&] { return position(event.data()); });
  StringId name = kind.name;
  if (event_.has(StatRole::step_number) && !is_device_line(line.kind))
    name =
        strings_.intern(std::string(strings_.text(name)) + " " + std::to_string(event_.number(StatRole::step_number)));
  const EventIndex row = rows.put(static_cast<TimePs>(start), duration_ps, name, category_of(line, kind.name_class),
                                  {ordinal, contents_.offset_of(event.data())});
  add_fields(line, kind, row);
  return {};
}

// What a stat says about an event of the host goes before what its name says.
std::uint16_t RankBuilder::category_of(const Line& line, NameClass name_class) const {
  const std::uint16_t by_name = line.category_of_name[static_cast<std::size_t>(name_class)];
  if (line.kind != LineKind::host) return by_name;
  if (event_.has(StatRole::step_number)) return kAnnotation;
  if (by_name == kOperator && event_.has(StatRole::correlation)) return kRuntime;
  return by_name;
}

void RankBuilder::add_fields(const Line& line, const EventKind& kind, EventIndex row) {
  const bool on_device = is_device_line(line.kind);
  const auto push = [&](Field field, StatRole role) {
    if (event_.has(role)) rank_.field(field).push(row, event_.number(role));
  };
  if (event_.roles != 0) {
    push(Field::correlation, StatRole::correlation);
    push(Field::graph_node, StatRole::graph_node);
    if (!on_device) push(Field::tracer_clock, StatRole::tracer_clock);
    push(Field::bytes, StatRole::bytes);
    if (!on_device) push(Field::step, StatRole::step_number);
    note_execution(line, row);
  }
  if (line.is_timeline) {
    rank_.field(Field::stream).push(row, line.header.id);
    if (line.device) rank_.field(Field::device).push(row, *line.device);
  }
  if (kind.collective != 0 || kind.is_communication) note_collective(line, kind, row);
}

void RankBuilder::note_execution(const Line& line, EventIndex row) {
  const auto run_on = [&](std::optional<std::int64_t> device) -> std::optional<ModuleLaunches::Key> {
    if (!device || !event_.has(StatRole::run_id)) return std::nullopt;
    return ModuleLaunches::Key{false, *device, event_.number(StatRole::run_id)};
  };
  const auto context = [&](StatRole type, StatRole id) -> std::optional<ModuleLaunches::Key> {
    if (!event_.has(type) || !event_.has(id)) return std::nullopt;
    return ModuleLaunches::Key{true, event_.number(type), event_.number(id)};
  };
  if (line.kind == LineKind::host) {
    for (const auto& key :
         {context(StatRole::producer_type, StatRole::producer), run_on(event_.find(StatRole::device_number))}) {
      if (key) launches_.add_call(*key, row);
    }
  } else if (line.kind == LineKind::device_derived && line.header.name == "XLA Modules") {
    launches_.add_module(line.plane, rank_.start[row], rank_.end(row),
                         context(StatRole::consumer_type, StatRole::consumer), run_on(line.device));
  }
}

void RankBuilder::note_collective(const Line& line, const EventKind& kind, EventIndex row) {
  const std::string_view asked_for = event_.has(StatRole::operation) ? event_.operation : std::string_view();
  const std::string_view module_name = event_.has(StatRole::module_name) ? event_.module_name : std::string_view();
  StringId collective = kind.collective;
  StringId operation = kind.operation;
  if (kind.is_communication && !asked_for.empty()) {
    operation = strings_.intern(operation_name(asked_for));
    // The program knows better what it asked for: a library may do one collective with the kernel of another.
    if (const CollectiveName asked = collective_of(asked_for); !asked.kind.empty())
      collective = strings_.intern(asked.kind);
  }
  if (collective == 0 || line.kind == LineKind::device_derived) return;
  // The operation that sets off an asynchronous collective ends at once; its extent is only known where the transfer
  // has a line of its own.
  const bool sets_off =
      kind.part == CollectivePart::start && line.kind != LineKind::device_async && !kind.is_communication;
  if (sets_off) return;
  std::optional<std::int64_t> device = event_.find(StatRole::device_number);
  if (line.is_timeline) device = std::nullopt;  // it has one already
  else if (is_device_line(line.kind)) device = line.device;
  collectives_.push_back(
      {row, collective, operation, module_name.empty() ? 0 : strings_.intern(module_name), kind.channel, kind.groups,
       kind.pairs, event_.find(event_.has(StatRole::unique_id) ? StatRole::unique_id : StatRole::run_id), device});
}

void RankBuilder::add_collectives() {
  if (collectives_.empty()) return;
  std::vector<std::uint32_t> order(collectives_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto start = [&](std::uint32_t i) { return rank_.start[collectives_[i].event]; };
  const auto end = [&](std::uint32_t i) { return rank_.end(collectives_[i].event); };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return start(a) != start(b) ? start(a) < start(b) : end(a) > end(b);
  });
  std::vector<std::uint8_t> wrapped(collectives_.size(), 0);
  std::vector<std::uint32_t> open;  // those that the one at hand may lie in
  for (const std::uint32_t i : order) {
    // By start, longer first: who ends before this one does not contain it.
    std::erase_if(open, [&](std::uint32_t outer) { return end(outer) < end(i) || end(outer) <= start(i); });
    wrapped[i] = std::any_of(open.begin(), open.end(), [&](std::uint32_t outer) {
      return collectives_[outer].operation == collectives_[i].operation;
    });
    if (wrapped[i] == 0) open.push_back(i);
  }
  for (std::uint32_t i = 0; i < collectives_.size(); ++i) {
    if (wrapped[i] != 0) continue;
    const Collective& collective = collectives_[i];
    const auto push_text = [&](Field field, StringId text) {
      if (text != 0) rank_.field(field).push(collective.event, text);
    };
    push_text(Field::collective_text, collective.kind);
    push_text(Field::operation_text, collective.operation);
    push_text(Field::module_text, collective.module_name);
    push_text(Field::group_name_text, collective.channel);
    push_text(Field::group_ranks_text, collective.groups);
    push_text(Field::pairs_text, collective.pairs);
    if (collective.sequence) rank_.field(Field::collective_sequence).push(collective.event, *collective.sequence);
    if (collective.device) rank_.field(Field::device).push(collective.event, *collective.device);
  }
  collectives_.clear();
}

void RankBuilder::drop_launches_of_collectives() {
  const auto on_device = [&](EventIndex e) { return is_device_line(lines_[rank_.lane[e]].kind); };
  const trace::SparseColumn& kinds = rank_.field(Field::collective_text);
  if (std::none_of(kinds.event.begin(), kinds.event.end(), on_device)) return;
  for (const Field f : {Field::collective_text, Field::operation_text, Field::module_text, Field::group_name_text,
                        Field::group_ranks_text, Field::pairs_text, Field::collective_sequence}) {
    trace::SparseColumn kept;
    const trace::SparseColumn& all = rank_.field(f);
    for (std::size_t i = 0; i < all.event.size(); ++i) {
      if (on_device(all.event[i])) kept.push(all.event[i], all.value[i]);
    }
    rank_.field(f) = std::move(kept);
  }
}

// The tracer of a device stamps the lines of the device and, with the same anchor, those of the calls it saw on the
// host. Where all lines of the host have that anchor it says nothing, unless a line is known to be the tracer's by its
// name.
void RankBuilder::assign_clocks() {
  std::set<std::int64_t> anchors;
  bool host_has_its_own = false;
  for (std::size_t lane = 0; lane < lines_.size(); ++lane) {
    if (is_device_line(lines_[lane].kind) && is_timed_[lane] != 0) anchors.insert(lines_[lane].header.timestamp_ns);
  }
  for (std::size_t lane = 0; lane < lines_.size(); ++lane) {
    if (!is_device_line(lines_[lane].kind) && !anchors.contains(lines_[lane].header.timestamp_ns))
      host_has_its_own = true;
  }
  for (std::size_t lane = 0; lane < lines_.size(); ++lane) {
    const Line& line = lines_[lane];
    const bool shares_anchor =
        anchors.contains(line.header.timestamp_ns) && (host_has_its_own || line.kind == LineKind::host_api);
    rank_.lanes[lane].clock = is_device_line(line.kind) || shares_anchor ? 1 : 0;
  }
}

trace::RankTrace RankBuilder::finish() {
  drop_launches_of_collectives();
  assign_clocks();
  // What enqueues the program of a device is a call into its runtime, whatever it is called.
  for (const EventIndex call : launches_.tie(rank_)) rank_.category[call] = kRuntime;
  return std::move(rank_);
}

}  // namespace orrery::xspace
