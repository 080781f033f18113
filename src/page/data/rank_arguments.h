// The arguments of one rank's events on their way into the page: columns of the trace, and what only its file has.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"
#include "base/result.h"
#include "page/data/event_table.h"
#include "trace/trace.h"

namespace orrery::page {

/// An argument of some events of a rank. Events need not ascend.
struct ArgumentColumn {
  std::string_view key;  ///< as the recorder writes it
  std::span<const trace::EventIndex> events;
  std::span<const std::int64_t> values;
  const Interner* texts = nullptr;  ///< `values` are numbers of these texts; null: they are the values

  [[nodiscard]] std::string text(std::int64_t value) const;
};

class RankArguments {
 public:
  /// Reads the file of the rank again if it has more than the trace. Refers to `trace`.
  static Result<RankArguments> read(const trace::Trace& trace, std::size_t rank, const EventTable& events);

  /// Those that analyses know first, in the order of trace::Field; then by key. Columns that no event of the page has
  /// are not among them.
  [[nodiscard]] const std::vector<ArgumentColumn>& columns() const { return columns_; }

 private:
  struct FileColumn {
    std::string key;
    bool holds_text = false;
    trace::SparseColumn values;
  };
  void add(FileColumn& column, trace::EventIndex event, std::string_view json);

  // Held by reference from columns_: none of them moves its content when the whole is moved.
  std::deque<FileColumn> from_file_;
  std::unique_ptr<Interner> texts_ = std::make_unique<Interner>();
  std::vector<ArgumentColumn> columns_;
};

}  // namespace orrery::page
