// Names of events for the whole job: what `ev.name` counts in. A name that stands for work of two kinds is two names,
// so that a colour is a property of a name.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/column.h"
#include "page/data/event_table.h"
#include "page/data/graph_columns.h"
#include "page/sections/section.h"
#include "trace/trace.h"

namespace orrery::page {

class NameTable {
 public:
  /// Of the events in the page: the most frequent first, ties by text, then by kind.
  NameTable(const trace::Trace& trace, const EventTable& events);

  [[nodiscard]] std::uint32_t number(StringId name, std::uint8_t kind) const { return number_[entry(name, kind)]; }
  /// Of whichever kind; none: no event of the page has the name.
  [[nodiscard]] std::optional<std::uint32_t> number(StringId name) const {
    return first_[name] == kNone ? std::nullopt : std::optional(number_[first_[name]]);
  }
  [[nodiscard]] std::size_t size() const { return number_.size(); }
  /// `names`: [[text, kind], ...]
  [[nodiscard]] EncodedColumn column(const Interner& strings) const;

 private:
  struct Entry {
    StringId name;
    std::uint32_t next;  // of the same name
    std::uint64_t count;
    std::uint8_t kind;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  [[nodiscard]] std::uint32_t entry(StringId name, std::uint8_t kind) const {
    std::uint32_t at = first_[name];
    while (at != kNone && entries_[at].kind != kind) at = entries_[at].next;
    return at;
  }

  Column<std::uint32_t> first_;  // per text
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> number_;  // per entry
  std::vector<std::uint32_t> sorted_;  // entries by number
};

// Where the page has the events, names and lanes that a graph speaks of.

/// All of them must outlive the result. The ranks of the graph are those of the trace.
PagePlaces places_in_page(const causal::CausalGraph& job, const trace::Trace& trace, const EventTable& events,
                          const NameTable& names);

}  // namespace orrery::page
