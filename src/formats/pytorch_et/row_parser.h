// One row of a host trace, from its JSON into the columns.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/json/json_walk.h"
#include "formats/pytorch_et/attribute_skeleton.h"
#include "formats/pytorch_et/row_fields.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

class RowParser {
 public:
  /// Rows are appended to `trace`, texts to `strings`. `trace.content` must hold all that is parsed.
  RowParser(trace::HostTrace& trace, Interner& strings, Diagnostics& diagnostics, JsonWalk& walk)
      : trace_(trace), strings_(strings), diagnostics_(diagnostics), walk_(walk) {}

  /// `p` is at the { of a row, or at whatever stands where a row should. Returns the position after it, or nullptr:
  /// then the walk says why. A row that cannot be used is counted and passed over.
  const char* parse(const char* p);

  /// After the last row.
  void finish();

 private:
  struct Row {
    std::array<std::int64_t, kNumberFields> numbers;
    std::uint64_t id = 0;
    std::uint64_t parent = 0;       // "ctrl_deps"
    std::uint64_t flat_parent = 0;  // "parent" of schema 1.0.1
    bool has_id = false, has_parent = false, has_flat_parent = false, has_attributes = false, is_measured = false,
         is_collective = false;
    StringId name = 0;
    StringId op_schema = 0;
    trace::TextRange inputs, outputs, attributes;
    trace::HostCollective collective;
    trace::MeasuredRow measured;
  };

  const char* take_member(std::string_view key, const char* value);
  const char* take_attributes(const char* p);
  const char* take_new_attributes(const char* p);
  const char* take_sync_ids(const char* p);
  void take(Field field, std::string_view json);
  void take_collective(Field field, std::string_view json);
  void take_measured(Field field, std::string_view json);
  void commit(const char* begin, const char* after);

  StringId text(std::string_view json);
  std::int64_t number(std::string_view json);
  double real(std::string_view json, bool& given);
  void complain(const DiagnosticKind& kind, const char* where);
  [[nodiscard]] std::uint64_t offset_of(const char* p) const {
    return static_cast<std::uint64_t>(p - trace_.content.data());
  }
  [[nodiscard]] trace::TextRange range(const char* begin, const char* after) const {
    return {offset_of(begin), static_cast<std::uint32_t>(after - begin)};
  }

  trace::HostTrace& trace_;
  Interner& strings_;
  Diagnostics& diagnostics_;
  JsonWalk& walk_;
  AttributeSkeleton skeleton_;
  Row row_;
};

}  // namespace orrery::pytorch_et
