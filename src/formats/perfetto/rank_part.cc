#include "formats/perfetto/rank_part.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string>

#include "base/numbers.h"
#include "trace/names/category_names.h"

namespace orrery::perfetto {
namespace {

using trace::Activity;
using trace::Field;

struct KnownKey {
  std::string_view key;
  Field field;
};

/// What writers call arguments that PyTorch's profiler has under another name: its own exporter in the extra data of
/// device work, and rocprofv3.
constexpr std::array kOtherKeys = {
    KnownKey{"device id", Field::device},
    KnownKey{"stream id", Field::stream},
    KnownKey{"corr_id", Field::correlation},
    KnownKey{"copy_bytes", Field::bytes},
    KnownKey{"stream_ID", Field::stream},
    KnownKey{"In split size", Field::send_counts_text},
    KnownKey{"Out split size", Field::receive_counts_text},
};

struct KnownCategory {
  std::string_view text;
  Activity activity;
};

constexpr std::array kRocprofCategories = {
    KnownCategory{"hip_api", Activity::runtime_call},   KnownCategory{"hsa_api", Activity::runtime_call},
    KnownCategory{"marker_api", Activity::annotation},  KnownCategory{"rccl_api", Activity::cpu_operator},
    KnownCategory{"kernel_dispatch", Activity::kernel}, KnownCategory{"memory_copy", Activity::memory_copy},
};

/// Columns indexed by texts grow with them.
template <typename T>
T& at_text(Column<T>& column, StringId text, T missing) {
  if (text >= column.size()) column.resize(text + 1, missing);
  return column[text];
}

}  // namespace

trace::Activity activity_of(std::string_view category) {
  for (const KnownCategory& known : kRocprofCategories) {
    if (known.text == category) return known.activity;
  }
  return trace::activity_of_category(category);
}

std::int16_t ArgumentKeys::find(StringId key) {
  const std::string_view text = strings_.text(key);
  std::int16_t target = kNamed;
  for (const KnownKey& known : kOtherKeys) {
    if (known.key == text) target = static_cast<std::int16_t>(known.field);
  }
  for (const trace::FieldInfo& known : trace::kFields) {
    if (known.written == text) target = static_cast<std::int16_t>(known.field);
  }
  if (target >= 0 && trace::is_operand(static_cast<Field>(target)) && !operands_) target = kIgnored;
  at_text(targets_, key, kUnknown) = target;
  return target;
}

std::uint16_t RankPart::category(StringId text) {
  std::uint32_t& known = at_text(categories_, text, std::uint32_t{0});
  if (known != 0) return static_cast<std::uint16_t>(known - 1);
  if (rank.categories.size() >= trace::kMaxCategories) {
    // No recorder has so many; a file that has is not worth more than 16 bits per event.
    if (text != 0) return category(0);
  }
  rank.categories.push_back({text, activity_of(strings_.text(text))});
  known = static_cast<std::uint32_t>(rank.categories.size());
  return static_cast<std::uint16_t>(known - 1);
}

trace::LaneIndex RankPart::lane(trace::LaneKey process, trace::LaneKey thread, StringId process_name,
                                StringId thread_name) {
  const auto [at, is_new] =
      lanes_.emplace(std::pair(process, thread), static_cast<trace::LaneIndex>(rank.lanes.size()));
  if (is_new) rank.lanes.push_back({process, thread});
  trace::Lane& lane = rank.lanes[at->second];
  if (lane.process_name == 0) lane.process_name = process_name;
  if (lane.thread_name == 0) lane.thread_name = thread_name;
  return at->second;
}

RankPart::Named& RankPart::named(StringId key) {
  std::uint32_t& place = at_text(named_places_, key, std::uint32_t{0});
  if (place == 0) {
    named_.emplace_back().key = key;
    place = static_cast<std::uint32_t>(named_.size());
  }
  return named_[place - 1];
}

void RankPart::add_converted(trace::EventIndex row, StringId key, std::int16_t target, const ArgumentValue& value) {
  const bool is_field = target != ArgumentKeys::kNamed;
  const bool wants_text = is_field && trace::holds_text(static_cast<trace::Field>(target));
  ArgumentValue kept = value;
  // Numbers may come as texts, and texts as numbers ("Process Group Name": 0): a Field says what it holds.
  if (kept.kind == ArgumentValue::real) {
    const bool is_whole = std::abs(kept.fraction) < 9e15 && kept.fraction == std::trunc(kept.fraction);
    if (is_field && !wants_text && is_whole) kept = {ArgumentValue::integer, static_cast<std::int64_t>(kept.fraction)};
    else kept = {ArgumentValue::text, 0, 0, strings_.intern(fmt::format("{}", kept.fraction))};
  }
  if (wants_text && kept.kind == ArgumentValue::integer)
    kept = {ArgumentValue::text, 0, 0, strings_.intern(std::to_string(kept.number))};
  if (is_field && !wants_text && kept.kind == ArgumentValue::text) {
    const auto number = parse_number<std::int64_t>(strings_.text(kept.words));
    if (!number) return;
    kept = {ArgumentValue::integer, *number};
  }
  const std::int64_t stored = kept.kind == ArgumentValue::text ? kept.words : kept.number;
  if (is_field) return add_field(row, static_cast<trace::Field>(target), stored);
  Named& argument = named(key);
  trace::SparseColumn& column = kept.kind == ArgumentValue::text ? argument.texts : argument.integers;
  const bool is_there = (!argument.integers.event.empty() && argument.integers.event.back() == row) ||
                        (!argument.texts.event.empty() && argument.texts.event.back() == row);
  if (!is_there) column.push(row, stored);
}

void RankPart::finish() {
  for (Named& argument : named_) {
    const std::string name(strings_.text(argument.key));
    if (argument.texts.event.empty()) {
      rank.arguments.named(name, trace::ValueType::integer) = std::move(argument.integers);
      continue;
    }
    // Of both kinds: a column has one, and numbers can be texts.
    trace::SparseColumn numbers;
    for (std::size_t i = 0; i < argument.integers.event.size(); ++i)
      numbers.push(argument.integers.event[i], strings_.intern(std::to_string(argument.integers.value[i])));
    argument.texts.merge(std::move(numbers));
    rank.arguments.named(name, trace::ValueType::text) = std::move(argument.texts);
  }
  named_.clear();
}

}  // namespace orrery::perfetto
