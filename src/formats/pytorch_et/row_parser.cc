#include "formats/pytorch_et/row_parser.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/json/json_unescape.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "formats/pytorch_et/diagnostics.h"

// Members are told by length and then by one comparison. Attributes of a row mostly have the same names in the same
// order as those of the row before: the text between their values is remembered, compared at once, and only values are
// looked at.

namespace orrery::pytorch_et {
namespace {

// What attributes and the flat rows of schema 1.0.1 have in common. By length first: one comparison of few bytes
// decides.
Field common_field(std::string_view key) {
  switch (key.size()) {
    case 3: return key == "tid" ? Field::thread : Field::unknown;
    case 5:
      if (key == "rf_id") return Field::record_function;
      return key == "scope" ? Field::scope : Field::unknown;
    case 6:
      if (key == "seq_id") return Field::sequence_number;
      return key == "fw_tid" ? Field::forward_thread : Field::unknown;
    case 9:
      if (key == "fw_parent") return Field::forward_parent;
      return key == "op_schema" ? Field::op_schema : Field::unknown;
    default: return Field::unknown;
  }
}

Field linked_field(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ts") return Field::ts;
      return key == "ph" ? Field::phase : Field::unknown;
    case 3: return key == "cat" ? Field::category : Field::unknown;
    case 6: return key == "stream" ? Field::stream : Field::unknown;
    case 7: return key == "pg_name" ? Field::measured_group_name : Field::unknown;
    case 8: return key == "sync_dep" ? Field::sync_dep : Field::unknown;
    case 13:
      if (key == "inclusive_dur") return Field::inclusive_dur;
      return key == "exclusive_dur" ? Field::exclusive_dur : Field::unknown;
    case 16: return key == "inter_thread_dep" ? Field::inter_thread_dep : Field::unknown;
    default: return Field::unknown;
  }
}

}  // namespace

Field member_field(std::string_view key) {
  if (key == "id") return Field::id;
  if (key == "name") return Field::name;
  if (key == "ctrl_deps") return Field::ctrl_deps;
  if (key == "inputs") return Field::inputs;
  if (key == "outputs") return Field::outputs;
  if (key == "attrs") return Field::attributes;
  if (key == "parent") return Field::parent;
  if (const Field field = common_field(key); field != Field::unknown) return field;
  return linked_field(key);
}

Field attribute_field(std::string_view name) {
  if (const Field field = common_field(name); field != Field::unknown) return field;
  switch (name.size()) {
    case 5: return name == "dtype" ? Field::dtype : Field::unknown;
    case 7:
      if (name == "pg_name") return Field::group_name;
      if (name == "pg_desc") return Field::group_description;
      return name == "pg_size" ? Field::group_size : Field::unknown;
    case 13: return name == "in_msg_nelems" ? Field::in_elements : Field::unknown;
    case 14: return name == "out_msg_nelems" ? Field::out_elements : Field::unknown;
    case 15: return name == "collective_name" ? Field::collective_name : Field::unknown;
    case 17: return name == "global_rank_start" ? Field::first_global_rank : Field::unknown;
    case 18: return name == "global_rank_stride" ? Field::global_rank_stride : Field::unknown;
    default: return Field::unknown;
  }
}

bool AttributeSkeleton::passes(const char*& p, std::string_view text, const JsonWalk& walk) const {
  // The length first: a comparison must not read beyond the text.
  if (static_cast<std::size_t>(walk.end() - p) < text.size() || std::memcmp(p, text.data(), text.size()) != 0)
    return false;
  p += text.size();
  return true;
}

const char* AttributeSkeleton::match(const char* p, JsonWalk& walk) {
  if (!is_usable_) return nullptr;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!passes(p, text_before_[i], walk)) return nullptr;
    const char* const after = walk.skip_value(p);
    if (after == nullptr) return nullptr;
    values_[i].json = {p, static_cast<std::size_t>(after - p)};
    p = after;
  }
  return passes(p, text_after_, walk) ? p : nullptr;
}

void AttributeSkeleton::begin(const char* list) {
  values_.clear();
  text_before_.clear();
  learned_up_to_ = list;
  is_usable_ = true;
}

void AttributeSkeleton::add(Field field, std::string_view json) {
  text_before_.push_back(text_up_to(json.data()));
  values_.push_back({field, json});
  learned_up_to_ = json.data() + json.size();
}

void AttributeSkeleton::end(const char* after_list) { text_after_ = text_up_to(after_list); }

namespace {

using trace::kNoNumber;

bool is_text(std::string_view json) { return json.starts_with('"'); }
bool is_null(std::string_view json) { return json == "null"; }

/// Without its quotes, if it has any: some writers quote numbers.
std::string_view unquoted(std::string_view json) { return is_text(json) ? json.substr(1, json.size() - 2) : json; }

}  // namespace

const char* RowParser::parse(const char* p) {
  if (walk_.at(p) != '{') {
    const char* const after = walk_.skip_value(p);
    if (after != nullptr) complain(kUnusableRow, p);
    return after;
  }
  // All of it: what a row lacks must not be what the row before had.
  row_ = Row{};
  row_.numbers.fill(kNoNumber);
  const std::size_t sync_ids = trace_.sync_ids.size();
  const char* const after =
      walk_.each_member(p, [&](std::string_view key, const char* value) { return take_member(key, value); });
  if (after == nullptr) return nullptr;
  // Ranges of text are kept as 32 bits.
  if (static_cast<std::uint64_t>(after - p) > kMax32) return walk_.fail(p, "a row of 4 GiB or more");
  if (trace_.size() >= kMax32 || trace_.sync_ids.size() > kMax32)
    return walk_.fail(p, "more than 4,294,967,295 rows or sync_dep entries");
  // Without an id nothing can refer to it. What it added to shared columns before that showed is taken back.
  if (row_.has_id) {
    commit(p, after);
  } else {
    trace_.sync_ids.resize(sync_ids);
    complain(kUnusableRow, p);
  }
  return after;
}

const char* RowParser::take_member(std::string_view key, const char* value) {
  const Field field = member_field(key);
  if (field == Field::attributes && *value == '[') return take_attributes(value);
  if (field == Field::sync_dep && *value == '[') return take_sync_ids(value);
  const char* const after = walk_.skip_value(value);
  if (after == nullptr || field == Field::unknown) return after;
  // Lists in place of objects are the flat form of schema 1.0.1: see HostTrace::object.
  if (field == Field::inputs && *value == '{') row_.inputs = range(value, after);
  else if (field == Field::outputs && *value == '{') row_.outputs = range(value, after);
  else take(field, {value, static_cast<std::size_t>(after - value)});
  return after;
}

const char* RowParser::take_attributes(const char* p) {
  row_.has_attributes = true;
  const char* after = skeleton_.match(p, walk_);
  if (after != nullptr) {
    for (const AttributeSkeleton::Value& value : skeleton_.values()) take(value.field, value.json);
  } else {
    after = take_new_attributes(p);
  }
  if (after != nullptr) row_.attributes = range(p, after);
  return after;
}

const char* RowParser::take_new_attributes(const char* p) {
  skeleton_.begin(p);
  bool is_usual = true;
  const char* const after = walk_.each_element(p, [&](const char* element) {
    if (*element != '{') {
      is_usual = false;
      complain(kUnusableMember, element);
      return walk_.skip_value(element);
    }
    std::string_view name, json;
    const char* const attribute_end = walk_.each_member(element, [&](std::string_view key, const char* value) {
      const char* const value_end = walk_.skip_value(value);
      if (value_end == nullptr) return value_end;
      const std::string_view text(value, static_cast<std::size_t>(value_end - value));
      // The name may stand behind the value, so both are kept until the attribute ends.
      if (key == "name") name = unquoted(text);
      else if (key == "value") json = text;
      return value_end;
    });
    // Without a value there is nothing to take; the type alone says nothing.
    if (attribute_end == nullptr || json.empty()) return attribute_end;
    const Field field = attribute_field(name);
    take(field, json);
    skeleton_.add(field, json);
    return attribute_end;
  });
  // A list with something odd in it is not worth remembering: what is remembered is matched without looking for
  // oddities.
  if (after != nullptr && is_usual) skeleton_.end(after);
  else skeleton_.forget();
  return after;
}

const char* RowParser::take_sync_ids(const char* p) {
  // Only linking writes it.
  row_.is_measured = true;
  row_.measured.first_sync = static_cast<std::uint32_t>(trace_.sync_ids.size());
  row_.measured.syncs = 0;
  return walk_.each_element(p, [&](const char* element) {
    const char* const after = walk_.skip_value(element);
    if (after == nullptr) return after;
    std::uint64_t id = 0;
    if (parse_number(unquoted({element, static_cast<std::size_t>(after - element)}), id)) {
      trace_.sync_ids.push_back(id);
      ++row_.measured.syncs;
    } else {
      complain(kUnusableMember, element);
    }
    return after;
  });
}

void RowParser::take(Field field, std::string_view json) {
  switch (field) {
    case Field::record_function:
    case Field::forward_parent:
    case Field::sequence_number:
    case Field::scope:
    case Field::thread:
    case Field::forward_thread: row_.numbers[static_cast<std::size_t>(field)] = number(json); return;
    case Field::op_schema: row_.op_schema = text(json); return;
    case Field::name: row_.name = text(json); return;
    // Ids are unsigned with 64 bits; other numbers are signed, since -1 stands for none in some.
    case Field::id: row_.has_id = parse_number(unquoted(json), row_.id); return;
    case Field::ctrl_deps: row_.has_parent = parse_number(unquoted(json), row_.parent); return;
    case Field::parent: row_.has_flat_parent = parse_number(unquoted(json), row_.flat_parent); return;
    case Field::inputs:
    case Field::outputs:
    case Field::attributes:
    case Field::unknown: return;
    default: break;
  }
  // Fields of collectives are numbered before the id, those of linking behind it.
  if (field < Field::id) take_collective(field, json);
  else take_measured(field, json);
}

void RowParser::take_collective(Field field, std::string_view json) {
  row_.is_collective = true;
  trace::HostCollective& collective = row_.collective;
  switch (field) {
    case Field::collective_name: collective.collective_name = text(json); return;
    case Field::dtype: collective.dtype = text(json); return;
    case Field::group_name: collective.group_name = text(json); return;
    case Field::group_description: collective.group_description = text(json); return;
    case Field::group_size: collective.group_size = number(json); return;
    case Field::in_elements: collective.in_elements = number(json); return;
    case Field::out_elements: collective.out_elements = number(json); return;
    case Field::first_global_rank: collective.first_global_rank = number(json); return;
    case Field::global_rank_stride: collective.global_rank_stride = number(json); return;
    default: return;
  }
}

void RowParser::take_measured(Field field, std::string_view json) {
  trace::MeasuredRow& measured = row_.measured;
  switch (field) {
    case Field::ts: measured.ts = real(json, measured.has_ts); break;
    case Field::inclusive_dur: measured.inclusive_dur = real(json, measured.has_inclusive); break;
    case Field::exclusive_dur: measured.exclusive_dur = real(json, measured.has_exclusive); break;
    case Field::inter_thread_dep: measured.inter_thread_dep = number(json); break;
    case Field::stream: measured.stream = number(json); break;
    case Field::category: measured.category = text(json); break;
    case Field::phase: measured.phase = text(json); break;
    case Field::measured_group_name: measured.group_name = text(json); break;
    default: break;
  }
  // A stream or a group alone is no time: linking copies them to rows it found no event for.
  measured.measured = measured.has_ts || measured.has_inclusive || measured.has_exclusive;
  row_.is_measured = true;
}

void RowParser::commit(const char* begin, const char* after) {
  const std::size_t row = trace_.size();
  trace_.id.push_back(row_.id);
  if (!row_.has_parent && !row_.has_flat_parent) complain(kNoParent, begin);
  // A row without a parent is its own, as the recorder writes its root.
  trace_.parent.push_back(row_.has_parent ? row_.parent : row_.has_flat_parent ? row_.flat_parent : row_.id);
  trace_.name.push_back(row_.name);
  const auto column = [&](Column<std::int64_t>& numbers, Field field) {
    numbers.push_back(row_.numbers[static_cast<std::size_t>(field)]);
  };
  column(trace_.record_function, Field::record_function);
  column(trace_.forward_parent, Field::forward_parent);
  column(trace_.sequence_number, Field::sequence_number);
  column(trace_.scope, Field::scope);
  column(trace_.thread, Field::thread);
  column(trace_.forward_thread, Field::forward_thread);
  trace_.op_schema.push_back(row_.op_schema);
  trace_.object.push_back(range(begin, after));
  trace_.inputs.push_back(row_.inputs);
  trace_.outputs.push_back(row_.outputs);
  trace_.attributes.push_back(row_.attributes);
  // Neither attributes nor the flat form: the row says next to nothing.
  if (!row_.has_attributes && !row_.has_flat_parent) complain(kUnusableMember, begin);
  if (row_.is_collective) {
    row_.collective.row = static_cast<std::uint32_t>(row);
    trace_.collectives.push_back(row_.collective);
  }
  // Traces that were not linked have no column of times at all.
  if (!row_.is_measured && trace_.measured.empty()) return;
  trace_.measured.resize(row);  // the rows before the first that has times
  trace_.measured.push_back(row_.measured);
}

void RowParser::finish() {
  if (trace_.is_linked()) trace_.measured.resize(trace_.size());
}

StringId RowParser::text(std::string_view json) {
  if (starts_number(json.front())) return strings_.intern(json);  // groups are named by numbers, with or without quotes
  if (!is_text(json)) {
    if (!is_null(json)) complain(kUnusableMember, json.data());
    return 0;
  }
  const std::string_view written = unquoted(json);
  if (written.find('\\') == std::string_view::npos) return strings_.intern(written);
  return strings_.intern(unescape_json(written));
}

std::int64_t RowParser::number(std::string_view json) {
  std::int64_t value = 0;
  if (parse_number(unquoted(json), value)) return value;
  if (!is_null(json)) complain(kUnusableMember, json.data());
  return kNoNumber;
}

double RowParser::real(std::string_view json, bool& given) {
  double value = 0;
  given = parse_number(json, value) && std::isfinite(value);
  if (!given && !is_null(json)) complain(kUnusableMember, json.data());
  return given ? value : 0;
}

void RowParser::complain(const DiagnosticKind& kind, const char* where) {
  diagnostics_.add(kind, [&] { return trace_.path + ": byte " + std::to_string(offset_of(where)); });
}

}  // namespace orrery::pytorch_et
