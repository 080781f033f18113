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
  void add_argument(trace::EventIndex row, StringId key, const ArgumentValue& value);
  void add_field(trace::EventIndex row, trace::Field field, std::int64_t value);
  [[nodiscard]] bool has_field(trace::EventIndex row, trace::Field field) const {
    const auto& events = rank.field(field).event;
    return !events.empty() && events.back() == row;
  }

  /// Hands over the arguments that no Field keeps.
  void finish();

 private:
  struct Named {
    StringId key = 0;
    trace::SparseColumn integers, texts;
  };

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
