// One row of a host trace, from its JSON into the columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/json/json_walk.h"
#include "trace/host_trace.h"

namespace orrery::pytorch_et {

// The members of a row and the names of its attributes that have columns of their own.

enum class Field : std::uint8_t {
  // Numbers: attributes; in schema 1.0.1, members of the row.
  record_function,
  forward_parent,
  sequence_number,
  scope,
  thread,
  forward_thread,
  op_schema,
  // Attributes of communication.
  collective_name,
  dtype,
  group_name,
  group_description,
  group_size,
  in_elements,
  out_elements,
  first_global_rank,
  global_rank_stride,
  // Members of a row.
  id,
  name,
  ctrl_deps,
  parent,
  inputs,
  outputs,
  attributes,
  // Members that linking adds.
  ts,
  inclusive_dur,
  exclusive_dur,
  inter_thread_dep,
  sync_dep,
  category,
  phase,
  stream,
  measured_group_name,
  unknown,
};

/// Field::record_function to Field::forward_thread.
inline constexpr std::size_t kNumberFields = 6;

/// Of a key of the row's object, as written.
Field member_field(std::string_view key);
/// Of the name of an element of "attrs", as written.
Field attribute_field(std::string_view name);

// The attribute lists of a host trace differ in their values and hardly in anything else: a list seen before is
// recognised by the text between its values, and the values are taken without looking at keys and names again.

class AttributeSkeleton {
 public:
  /// The value of an attribute, as JSON.
  struct Value {
    Field field;
    std::string_view json;
  };

  /// Takes the list at `p` if all of it but its values is what was learned: returns the position after it, and values()
  /// are its values. Otherwise returns nullptr, which says nothing about the list.
  const char* match(const char* p, JsonWalk& walk);
  [[nodiscard]] const std::vector<Value>& values() const { return values_; }

  /// Learns a list that has been parsed: begin, add for each value in order of the text, end. The text must outlive the
  /// skeleton.
  void begin(const char* list);
  void add(Field field, std::string_view json);
  void end(const char* after_list);
  /// Forgets: there is something in the list that has to be looked at each time.
  void forget() { is_usable_ = false; }

 private:
  bool passes(const char*& p, std::string_view text, const JsonWalk& walk) const;
  [[nodiscard]] std::string_view text_up_to(const char* p) const {
    return {learned_up_to_, static_cast<std::size_t>(p - learned_up_to_)};
  }

  std::vector<Value> values_;                  // of the list matched last
  std::vector<std::string_view> text_before_;  // each value
  std::string_view text_after_;                // the last
  const char* learned_up_to_ = nullptr;
  bool is_usable_ = false;
};

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
