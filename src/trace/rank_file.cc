#include "trace/rank_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "trace/columns.h"

// A column is a section, named by a letter and its number; texts, lanes and categories are sections of their own.
// Reading copies all of it and then checks every number that is used as a place, since checksums tell accidents but not
// files that were made to mislead.

namespace orrery::trace {
namespace {

/// Plain numbers without padding, as they lie in the file.
struct SavedLane {
  std::int64_t process, thread;
  StringId process_text, thread_text, process_name, thread_name;
  std::uint64_t clock;
};
struct SavedCategory {
  StringId text;
  std::uint32_t activity;
};
struct SavedNumbers {
  std::int64_t rank, epoch_unix_ns, era_ns;
  std::int64_t has_rank, source_rank, has_world_size, world_size, has_base_time, base_time_ns, has_schema,
      schema_version;
  std::uint64_t file_bytes, text_bytes, events_without_timestamp, entries, fractional_timestamps, has_other_arguments;
  std::uint64_t groups, properties;  ///< how many of each follow the fixed texts
};

enum FixedText : std::size_t { kPath, kFormat, kHost, kBackend, kFixedTexts };

SectionTag numbered_tag(char part, std::size_t number) {
  // Two digits suffice, as the assertion below sees to.
  const char text[5] = {'r', part, static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10), 0};
  return SectionTag(text);
}
static_assert(kFieldCount <= 100);

std::string list_text(const std::vector<std::int64_t>& ranks) {
  std::string text;
  for (const std::int64_t rank : ranks) text += (text.empty() ? "" : ",") + std::to_string(rank);
  return text;
}

bool parse_list(std::string_view text, std::vector<std::int64_t>& ranks) {
  while (!text.empty()) {
    // An empty text is a list of nothing; a comma at the end is passed over.
    if (!take_number(text, ranks.emplace_back()) || !(text.empty() || text.front() == ',')) return false;
    if (!text.empty()) text.remove_prefix(1);
  }
  return true;
}

void add_source(SectionWriter& writer, const RankTrace& rank) {
  const SourceInfo& source = rank.source;
  std::vector<std::string> texts = {source.path, source.format, source.host, source.backend};
  for (const ProcessGroup& group : source.groups) texts.push_back(group.name), texts.push_back(list_text(group.ranks));
  for (const auto& [key, json] : source.properties) texts.push_back(key), texts.push_back(json);
  writer.add_strings("rSrc", texts.size(), [&](std::size_t i) { return std::string_view(texts[i]); });
  // Options are two numbers each, whether there is one and which: every number stays possible as a value.
  writer.add_value(
      "rNum",
      SavedNumbers{rank.rank, rank.epoch_unix_ns, rank.era_ns, source.rank.has_value(), source.rank.value_or(0),
                   source.world_size.has_value(), source.world_size.value_or(0), source.base_time_ns.has_value(),
                   source.base_time_ns.value_or(0), source.schema_version.has_value(),
                   source.schema_version.value_or(0), source.file_bytes, source.text_bytes,
                   source.events_without_timestamp, source.entries, source.fractional_timestamps ? 1u : 0u,
                   source.has_other_arguments ? 1u : 0u, source.groups.size(), source.properties.size()});
}

class RankReader {
 public:
  RankReader(const SectionFile& file, Interner& strings) : file_(file), strings_(strings) {}

  Result<RankTrace> read() {
    read_texts();
    read_source();
    read_events();
    read_lanes();
    read_fields();
    if (!error_) check();
    if (error_) return *error_;
    return std::move(rank_);
  }

 private:
  void fail(SectionTag tag, std::uint64_t byte, std::string message) {
    if (!error_) error_ = file_.error_at(tag, byte, std::move(message), "the file was not written by this program");
  }

  template <typename T>
  std::span<const T> get(SectionTag tag) {
    const auto values = file_.get<T>(tag);
    if (values) return *values;
    if (!error_) error_ = values.error();
    return {};
  }
  template <typename T>
  void copy(SectionTag tag, Column<T>& out) {
    out.append(get<T>(tag));
  }

  void read_texts() {
    const auto texts = file_.get_strings("rTxt");
    if (!texts) {
      error_ = texts.error();
      return;
    }
    for (std::size_t i = 0; i < texts->size(); ++i) {
      // Numbers of texts are places in this list, so no two may fall together.
      if (strings_.intern((*texts)[i]) != i) return fail("rTxt", 0, "a text occurs twice");
    }
  }

  void read_source() {
    const auto texts = file_.get_strings("rSrc");
    const auto numbers = file_.get_value<SavedNumbers>("rNum");
    if (!texts || !numbers) {
      if (!error_) error_ = texts ? numbers.error() : texts.error();
      return;
    }
    const std::size_t lists = texts->size() < kFixedTexts ? 0 : texts->size() - kFixedTexts;
    if (texts->size() < kFixedTexts || numbers->groups > lists || numbers->properties > lists ||
        // Bounded one by one before, so that the sum cannot overflow.
        2 * (numbers->groups + numbers->properties) != lists)
      return fail("rSrc", 0, "texts are missing");
    rank_.rank = numbers->rank;
    rank_.epoch_unix_ns = numbers->epoch_unix_ns;
    rank_.era_ns = numbers->era_ns;
    SourceInfo& source = rank_.source;
    if (numbers->has_rank != 0) source.rank = numbers->source_rank;
    if (numbers->has_world_size != 0) source.world_size = numbers->world_size;
    if (numbers->has_base_time != 0) source.base_time_ns = numbers->base_time_ns;
    if (numbers->has_schema != 0) source.schema_version = numbers->schema_version;
    source.file_bytes = numbers->file_bytes;
    source.text_bytes = numbers->text_bytes;
    source.events_without_timestamp = numbers->events_without_timestamp;
    source.entries = numbers->entries;
    source.fractional_timestamps = numbers->fractional_timestamps != 0;
    source.has_other_arguments = numbers->has_other_arguments != 0;
    source.path = (*texts)[kPath];
    source.format = (*texts)[kFormat];
    source.host = (*texts)[kHost];
    source.backend = (*texts)[kBackend];
    std::size_t next = kFixedTexts;
    for (std::uint64_t i = 0; i < numbers->groups; ++i, next += 2) {
      ProcessGroup& group = source.groups.emplace_back(ProcessGroup{std::string((*texts)[next]), {}});
      if (!parse_list((*texts)[next + 1], group.ranks)) return fail("rSrc", 0, "a list of ranks cannot be read");
    }
    for (std::uint64_t i = 0; i < numbers->properties; ++i, next += 2)
      source.properties.emplace_back(std::string((*texts)[next]), std::string((*texts)[next + 1]));
  }

  void read_events() {
    std::size_t c = 0;
    for_each_event_column([&](const auto& column) { copy(numbered_tag('c', c++), rank_.*column.values); });
  }

  void read_lanes() {
    for (const SavedLane& lane : get<SavedLane>("rLns")) {
      rank_.lanes.push_back({.process = {lane.process, lane.process_text},
                             .thread = {lane.thread, lane.thread_text},
                             .process_name = lane.process_name,
                             .thread_name = lane.thread_name,
                             .clock = static_cast<std::uint8_t>(lane.clock)});
    }
    for (const SavedCategory& category : get<SavedCategory>("rCts")) {
      // Compared with the last activity: an enumeration must not hold anything else.
      if (category.activity > static_cast<std::uint32_t>(Activity::mpi_call)) return fail("rCts", 0, "not an activity");
      rank_.categories.push_back({category.text, static_cast<Activity>(category.activity)});
    }
  }

  void read_fields() {
    for (std::size_t i = 0; i < kFieldCount; ++i) {
      // Fields that no event has are not stored.
      if (!file_.has(numbered_tag('e', i))) continue;
      SparseColumn& column = rank_.arguments.known(i);
      copy(numbered_tag('e', i), column.event);
      copy(numbered_tag('v', i), column.value);
    }
  }

  void check() {
    const std::size_t events = rank_.event_count(), texts = strings_.size();
    std::size_t c = 0;
    for_each_event_column([&](const auto& column) {
      const SectionTag tag = numbered_tag('c', c++);
      const std::size_t size = (rank_.*column.values).size();
      // Positions are there for all events or for none.
      const bool is_position = column.name == "ordinal" || column.name == "source_offset";
      if (size != events && !(is_position && size == 0)) fail(tag, 0, "one value per event is needed");
    });
    if (error_) return;
    for (std::size_t e = 0; e < events; ++e) {
      // In 128 bits: a file may hold any two numbers.
      if (!is_moment(rank_.start[e]) || !is_moment(Int128{rank_.start[e]} + rank_.duration[e]))
        return fail(numbered_tag('c', 0), e * sizeof(TimePs), "a time is out of range");
      if (rank_.name[e] >= texts) return fail(numbered_tag('c', 2), e * sizeof(StringId), "not a text");
      if (rank_.lane[e] >= rank_.lanes.size()) return fail(numbered_tag('c', 3), e * sizeof(LaneIndex), "not a lane");
      if (rank_.category[e] >= rank_.categories.size())
        return fail(numbered_tag('c', 4), e * sizeof(std::uint16_t), "not a category");
    }
    for (const Lane& lane : rank_.lanes) {
      if (std::max({lane.process.text, lane.thread.text, lane.process_name, lane.thread_name}) >= texts)
        return fail("rLns", 0, "not a text");
    }
    for (const Category& category : rank_.categories) {
      if (category.text >= texts) return fail("rCts", 0, "not a text");
    }
    for (std::size_t i = 0; i < kFieldCount; ++i) check_field(i, events, static_cast<std::int64_t>(texts));
  }

  void check_field(std::size_t i, std::size_t events, std::int64_t texts) {
    const SparseColumn& column = rank_.arguments.known(i);
    if (column.event.size() != column.value.size())
      return fail(numbered_tag('e', i), 0, "one value per event is needed");
    for (std::size_t at = 0; at < column.event.size(); ++at) {
      // Ascending, since columns are searched by halving.
      if (column.event[at] >= events || (at > 0 && column.event[at] <= column.event[at - 1]))
        return fail(numbered_tag('e', i), at * sizeof(EventIndex), "events are out of order");
      if (kFields[i].type == ValueType::text && (column.value[at] < 0 || column.value[at] >= texts))
        return fail(numbered_tag('v', i), at * sizeof(std::int64_t), "not a text");
    }
  }

  const SectionFile& file_;
  Interner& strings_;
  RankTrace rank_;
  std::optional<Error> error_;
};

}  // namespace

void add_rank_sections(SectionWriter& writer, const RankTrace& rank, const Interner& strings) {
  writer.add_strings("rTxt", strings.size(), [&](std::size_t i) { return strings.text(static_cast<StringId>(i)); });
  add_source(writer, rank);
  std::size_t c = 0;
  for_each_event_column([&](const auto& column) { writer.add(numbered_tag('c', c++), rank.*column.values); });
  std::vector<SavedLane> lanes;
  for (const Lane& lane : rank.lanes)
    lanes.push_back({lane.process.number, lane.thread.number, lane.process.text, lane.thread.text, lane.process_name,
                     lane.thread_name, lane.clock});
  writer.add_copy_of("rLns", lanes);
  std::vector<SavedCategory> categories;
  for (const Category& category : rank.categories)
    categories.push_back({category.text, static_cast<std::uint32_t>(category.activity)});
  writer.add_copy_of("rCts", categories);
  for (std::size_t i = 0; i < kFieldCount; ++i) {
    const SparseColumn& column = rank.field(kFields[i].field);
    // Most traces have few of the fields: their sections would be empty.
    if (column.event.empty()) continue;
    writer.add(numbered_tag('e', i), column.event);
    writer.add(numbered_tag('v', i), column.value);
  }
}

Result<RankTrace> read_rank_sections(const SectionFile& file, Interner& strings) {
  return RankReader(file, strings).read();
}

}  // namespace orrery::trace
