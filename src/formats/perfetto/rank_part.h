// One rank while its events come in: rows, lanes, categories and arguments.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/argument_keys.h"
#include "trace/trace.h"

namespace orrery::perfetto {

class RankPart {
 public:
  RankPart(Interner& strings, ArgumentKeys& keys) : strings_(strings), keys_(keys) {}

  trace::RankTrace rank;

  /// A category by its text. Beyond trace::kMaxCategories all are the empty one.
  std::uint16_t category(StringId text);
  /// A lane by its process and thread, added if it is new; names that it has stay.
  trace::LaneIndex lane(trace::LaneKey process, trace::LaneKey thread, StringId process_name, StringId thread_name);

  /// Arguments of the last row only. Of one key the first counts.
  void add_argument(trace::EventIndex row, StringId key, const ArgumentValue& value) {
    if (value.kind == ArgumentValue::none || key == 0) return;
    const std::int16_t target = keys_.target(key);
    // Nearly all are numbers that a Field keeps.
    if (value.kind == ArgumentValue::integer && target >= 0 && !trace::holds_text(static_cast<trace::Field>(target)))
      return add_field(row, static_cast<trace::Field>(target), value.number);
    if (target != ArgumentKeys::kIgnored) add_converted(row, key, target, value);
  }
  void add_field(trace::EventIndex row, trace::Field field, std::int64_t value) {
    trace::SparseColumn& column = rank.field(field);
    if (column.event.empty() || column.event.back() != row) column.push(row, value);
  }

  /// Hands over the arguments that no Field keeps.
  void finish();

 private:
  struct Named {
    StringId key = 0;
    trace::SparseColumn integers, texts;
  };

  /// What a Field keeps as something else than it came as, or no Field keeps.
  void add_converted(trace::EventIndex row, StringId key, std::int16_t target, const ArgumentValue& value);
  Named& named(StringId key);

  Interner& strings_;
  ArgumentKeys& keys_;
  Column<std::uint32_t> categories_;  // by text: number + 1
  std::map<std::pair<trace::LaneKey, trace::LaneKey>, trace::LaneIndex> lanes_;
  Column<std::uint32_t> named_places_;  // by key: place + 1
  std::vector<Named> named_;
};

/// What a category of Perfetto means: PyTorch's names, and those of rocprofv3.
trace::Activity activity_of(std::string_view category);

}  // namespace orrery::perfetto
