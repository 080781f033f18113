#include "formats/flight_recorder/rank_builder.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/numbers.h"
#include "base/utf8.h"
#include "formats/flight_recorder/diagnostics.h"
#include "formats/flight_recorder/profiling_name.h"
#include "match/communication.h"
#include "match/group_table.h"
#include "trace/names/python_frames.h"

// A dump has thousands of entries and a dozen distinct texts: each text, name, list of types and stack is looked at
// once, and found again by the number of its value.

namespace orrery::flight_recorder {
namespace {

using trace::Field;
using trace::RankTrace;
using Role = ProfilingName::Role;

/// "[0, 1, 2]": how many elements a list of shapes has together; nothing if it is no such list.
std::optional<std::int64_t> elements_of(const PlainValues& values, PlainId shapes) {
  if (!values.is_sequence(shapes)) return std::nullopt;
  std::int64_t total = 0;
  for (const PlainId shape : values.items(shapes)) {
    if (!values.is_sequence(shape)) return std::nullopt;
    std::int64_t product = 1;
    for (const PlainId size : values.items(shape)) {
      const std::optional<std::int64_t> extent = values.integer(size);
      if (!extent || __builtin_mul_overflow(product, *extent, &product)) return std::nullopt;
    }
    if (__builtin_add_overflow(total, product, &total)) return std::nullopt;
  }
  return total;
}

class RankBuilder {
 public:
  RankBuilder(Dump& dump, const std::string& path, trace::ReadRank& out)
      : dump_(dump),
        values_(dump.values()),
        path_(path),
        strings_(out.strings),
        rank_(out.rank),
        diagnostics_(out.diagnostics),
        text_ids_(values_.size(), Interner::kMissing) {
    // Columns are asked for once; all of them before the first reference is taken.
    for (const auto& [name, type] : kNamed) rank_.arguments.named(name, type);
    for (std::size_t i = 0; i < kNamed.size(); ++i)
      named_[i] = &rank_.arguments.named(kNamed[i].first, kNamed[i].second);
  }

  void build() {
    rank_.categories = {{strings_.intern("user_annotation"), trace::Activity::annotation},
                        {strings_.intern("kernel"), trace::Activity::kernel}};
    take_groups();
    DumpEntry entry{};
    for (const PlainId id : dump_.entries()) {
      ++ordinal_;
      if (!dump_.open_entry(id, entry) || !add(entry)) diagnostics_.add(kNoRecord, [&] { return path_; });
    }
    rank_.source.entries = dump_.entries().size();
    rank_.source.communicates = true;
    for (const std::string_view key : {"version", "comm_lib_version"}) {
      const std::string_view text = values_.text(dump_.member(key));
      if (!text.empty()) rank_.source.properties.emplace_back(key, '"' + std::string(text) + '"');
    }
    if (world_ > 0) rank_.source.world_size = world_;
  }

 private:
  enum Named : std::uint8_t { state, retired, record, called, p2p_sequence, description, where, frames, out_dtype };
  static constexpr std::array<std::pair<std::string_view, trace::ValueType>, 9> kNamed = {
      {{kState, trace::ValueType::text},
       {kRetired, trace::ValueType::integer},
       {kRecord, trace::ValueType::integer},
       {kCalledNs, trace::ValueType::integer},
       {kP2pSequence, trace::ValueType::integer},
       {kDescription, trace::ValueType::text},
       {kWhere, trace::ValueType::text},
       {kFrames, trace::ValueType::text},
       {kOutDtype, trace::ValueType::text}}};
  struct Stack {
    std::span<const PlainId> frames;
    StringId where = 0, all = 0;
  };
  struct LaneOf {
    std::int64_t thread = 0;
    StringId group = 0;
    std::int64_t peer = -1;
    bool is_device = false;
    auto operator<=>(const LaneOf&) const = default;
  };

  // --- texts, each looked at once ---

  StringId text_of(PlainId id) {
    if (!values_.is(id, PlainValues::Type::text)) return 0;
    StringId& known = text_ids_[id];
    if (known == Interner::kMissing) known = strings_.intern(values_.text(id));
    return known;
  }
  /// "Float", or "Float, Half" of several.
  StringId types_of(PlainId list) {
    const std::span<const PlainId> types = values_.items(list);
    if (types.empty()) return 0;
    const StringId first = text_of(types.front());
    if (std::all_of(types.begin(), types.end(), [&](PlainId type) { return text_of(type) == first; })) return first;
    joined_.clear();
    for (const PlainId type : types) joined_.append(joined_.empty() ? "" : ", ").append(values_.text(type));
    return strings_.intern(joined_);
  }
  const ProfilingName& name_of(StringId text) {
    const auto [at, is_new] = names_.try_emplace(text);
    if (is_new) at->second = {parse_profiling_name(strings_.text(text)), 0, 0};
    if (is_new) at->second.full = strings_.intern(at->second.name.full);
    if (is_new) at->second.what = strings_.intern(at->second.name.what);
    last_name_ = &at->second;
    return at->second.name;
  }

  const Stack& stack_of(PlainId list) {
    const std::span<const PlainId> held = values_.items(list);
    std::uint64_t hash = held.size();
    for (const PlainId frame : held) hash = (hash ^ frame) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29;
    const auto [begin, end] = stacks_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
      if (std::equal(held.begin(), held.end(), at->second.frames.begin(), at->second.frames.end())) return at->second;
    }
    return stacks_.emplace(hash, make_stack(held))->second;
  }
  Stack make_stack(std::span<const PlainId> held) {
    Stack stack{held};
    std::string all;
    for (const PlainId frame : held) {
      const std::string_view file = values_.text(values_.find(frame, "filename"));
      const std::string text = trace::frame_text(file, values_.integer(values_.find(frame, "line")).value_or(0),
                                                 values_.text(values_.find(frame, "name")));
      // The innermost comes first.
      if (stack.where == 0 && trace::is_program_file(file)) stack.where = strings_.intern(text);
      all.append(all.empty() ? "" : " < ").append(text);
    }
    stack.all = strings_.intern(all);
    return stack;
  }

  // --- groups ---

  void take_groups() {
    const std::span<const PlainId> config = values_.items(dump_.member("pg_config"));
    if (!values_.is(dump_.member("pg_config"), PlainValues::Type::dict)) return;
    for (std::size_t i = 0; i + 1 < config.size(); i += 2) {
      const PlainId group = config[i + 1];
      std::string_view name = values_.text(values_.find(group, "name"));
      if (name.empty()) name = values_.text(config[i]);
      const std::string_view list = values_.text(values_.find(group, "ranks"));
      const std::vector<std::uint32_t> ranks = match::parse_ranks(list);
      // gloo's only group has neither name nor members.
      if (ranks.empty()) continue;
      trace::ProcessGroup listed{std::string(name), {ranks.begin(), ranks.end()}};
      // A list may claim any number; the size of a world that nobody can have is not believed.
      for (const std::uint32_t member : ranks)
        if (member < 10'000'000) world_ = std::max<std::int64_t>(world_, std::int64_t{member} + 1);
      lists_[strings_.intern(name)] = strings_.intern(list);
      rank_.source.groups.push_back(std::move(listed));
    }
  }

  /// gloo does not say how many there are, but an all_gather gives as many parts as there are members.
  void learn_world(const ProfilingName& name, std::string_view group, std::optional<std::int64_t> in,
                   std::optional<std::int64_t> out) {
    if (name.what.find("all_gather") == std::string_view::npos || group != "default_pg") return;
    if (!in || !out || *in <= 0 || *out % *in != 0 || *out / *in > 10'000'000) return;
    world_ = std::max(world_, *out / *in);
  }

  // --- events ---

  bool add(const DumpEntry& entry) {
    const StringId profiling = text_of(entry[EntryKey::profiling_name]);
    const std::span<const PlainId> group = values_.items(entry[EntryKey::process_group]);
    const std::optional<std::int64_t> created = values_.integer(entry[EntryKey::time_created_ns]);
    if (profiling == 0 || group.empty() || !created || *created <= 0) return false;
    const ProfilingName& name = name_of(profiling);
    const StringId group_name = text_of(group[0]);
    const StringId group_description = group.size() > 1 ? text_of(group[1]) : 0;
    if (rank_.event_count() == 0) rank_.epoch_unix_ns = *created;

    const std::optional<trace::EventRow> row = row_of(entry, name, group_name, *created);
    if (!row) {
      diagnostics_.add(kFarEntry, [&] { return path_; });
      return true;
    }
    const trace::EventIndex event = rank_.append_event(*row, {ordinal_ - 1, 0});
    const bool is_message = name.role == Role::send || name.role == Role::recv;
    rank_.field(Field::collective_text).push(event, last_name_->what);
    rank_.field(Field::group_name_text).push(event, group_name);
    if (const auto list = lists_.find(group_name); list != lists_.end())
      rank_.field(Field::group_ranks_text).push(event, list->second);
    put(Field::collective_sequence, event,
        is_message ? std::nullopt : values_.integer(entry[EntryKey::collective_seq_id]));
    if (is_message && name.peer >= 0) rank_.field(Field::group_rank).push(event, name.peer);
    add_sizes(entry, event, name, group_description);
    put(description, event, group_description);
    put(state, event, text_of(entry[EntryKey::state]));
    put(retired, event, values_.integer(entry[EntryKey::retired]));
    put(record, event, values_.integer(entry[EntryKey::record_id]));
    put(called, event, created);
    if (name.role != Role::collective) put(p2p_sequence, event, values_.integer(entry[EntryKey::p2p_seq_id]));
    if (entry[EntryKey::frames] != PlainValues::kMissing) {
      const Stack& stack = stack_of(entry[EntryKey::frames]);
      put(where, event, stack.where);
      put(frames, event, stack.all);
    }
    return true;
  }

  void add_sizes(const DumpEntry& entry, trace::EventIndex event, const ProfilingName& name, StringId group) {
    const auto in = elements_of(values_, entry[EntryKey::input_sizes]);
    const auto out = elements_of(values_, entry[EntryKey::output_sizes]);
    put(Field::in_elements, event, in);
    put(Field::out_elements, event, out);
    const StringId in_types = types_of(entry[EntryKey::input_dtypes]);
    const StringId out_types = types_of(entry[EntryKey::output_dtypes]);
    if (in_types != 0) rank_.field(Field::dtype_text).push(event, in_types);
    if (out_types != in_types) put(out_dtype, event, out_types);
    learn_world(name, strings_.text(group), in, out);
  }

  void put(Field field, trace::EventIndex event, std::optional<std::int64_t> value) {
    if (value) rank_.field(field).push(event, *value);
  }
  void put(Named argument, trace::EventIndex event, std::optional<std::int64_t> value) {
    if (value) named_[argument]->push(event, *value);
  }
  void put(Named argument, trace::EventIndex event, StringId text) {
    if (text != 0) named_[argument]->push(event, text);
  }

  /// In JSON a time that is not known is 0.
  [[nodiscard]] std::optional<std::int64_t> time_of(PlainId id) const {
    const std::optional<std::int64_t> time = values_.integer(id);
    return time && *time > 0 ? time : std::nullopt;
  }

  /// Nothing if its times are too far away.
  std::optional<trace::EventRow> row_of(const DumpEntry& entry, const ProfilingName& name, StringId group,
                                        std::int64_t created) {
    trace::EventRow row;
    row.name = last_name_->full;
    row.flags = trace::kHasCategory;
    std::int64_t begin_ns = created;
    Int128 duration_ps = 0;
    if (name.is_of_host()) {
      row.category = 0;
    } else {
      row.category = 1;
      const auto started = time_of(entry[EntryKey::time_started_ns]);
      const auto completed = time_of(entry[EntryKey::time_completed_ns]);
      const std::optional<double> measured_ms = values_.number(entry[EntryKey::duration_ms]);
      if (started) begin_ns = *started;
      if (completed && (started || measured_ms)) {
        row.flags |= trace::kHasDuration;
        // What was measured on the device is exact; the watchdog's looks may see both ends at once, and then it took at
        // least the least time there is.
        if (measured_ms && *measured_ms > 0 && *measured_ms < 1e9) {
          duration_ps = static_cast<std::int64_t>(*measured_ms * 1e9);
          begin_ns = *completed - static_cast<std::int64_t>(duration_ps / kPsPerNs);
        } else {
          duration_ps = Int128{std::max<std::int64_t>(*completed - begin_ns, 1)} * kPsPerNs;
          diagnostics_.add(kWatchdogTimes, [&] { return path_; });
        }
      }
    }
    const Int128 start = (Int128{begin_ns} - rank_.epoch_unix_ns) * kPsPerNs;
    if (!trace::is_moment(start) || !trace::is_moment(start + duration_ps)) return std::nullopt;
    row.start = static_cast<TimePs>(start);
    row.duration = static_cast<TimePs>(duration_ps);
    row.lane = lane_of(entry, name, group);
    return row;
  }

  /// Threads of a host; of a device a queue per group, and one per pair for its messages, as NCCL has them.
  trace::LaneIndex lane_of(const DumpEntry& entry, const ProfilingName& name, StringId group) {
    LaneOf key;
    key.is_device = !name.is_of_host();
    if (key.is_device) {
      key.group = group;
      key.peer = name.peer;
    } else {
      const PlainId thread = entry[EntryKey::thread_id];
      key.thread = values_.integer(thread).value_or(parse_number<std::int64_t>(values_.text(thread)).value_or(0));
    }
    if (last_lane_ && last_lane_->first == key) return last_lane_->second;
    const auto [at, is_new] = lanes_.try_emplace(key, static_cast<trace::LaneIndex>(rank_.lanes.size()));
    last_lane_ = {key, at->second};
    if (!is_new) return at->second;
    trace::Lane lane;
    lane.thread.number = key.is_device ? static_cast<std::int64_t>(rank_.lanes.size()) : key.thread;
    if (key.is_device) {
      std::string text = "group " + std::string(strings_.text(group));
      if (key.peer >= 0) text += ", with " + std::to_string(key.peer);
      lane.thread_name = strings_.intern(text);
    } else {
      lane.thread_name = text_of(entry[EntryKey::thread_name]);
    }
    rank_.lanes.push_back(lane);
    return at->second;
  }

  struct KnownName {
    ProfilingName name;
    StringId full = 0, what = 0;
  };

  Dump& dump_;
  const PlainValues& values_;
  const std::string& path_;
  Interner& strings_;
  RankTrace& rank_;
  Diagnostics& diagnostics_;
  std::array<trace::SparseColumn*, kNamed.size()> named_{};
  Column<StringId> text_ids_;  // by value
  std::unordered_map<StringId, KnownName> names_;
  const KnownName* last_name_ = nullptr;
  std::unordered_multimap<std::uint64_t, Stack> stacks_;
  std::map<StringId, StringId> lists_;  // members of groups, as written
  std::map<LaneOf, trace::LaneIndex> lanes_;
  std::optional<std::pair<LaneOf, trace::LaneIndex>> last_lane_;
  std::string joined_;
  std::int64_t world_ = 0;
  std::uint32_t ordinal_ = 0;
};

}  // namespace

void build_rank(Dump& dump, const std::string& path, trace::ReadRank& out) { RankBuilder(dump, path, out).build(); }

}  // namespace orrery::flight_recorder
