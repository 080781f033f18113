// The arguments of events: those that analyses know by a Field, and those that a format brings along by name.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/interner.h"

namespace orrery::trace {

using EventIndex = std::uint32_t;

/// What the numbers of an argument stand for.
enum class ValueType : std::uint8_t { integer, text };  // text: a StringId

/// The arguments that analyses use. What each is called and holds: kFields. Those named *_text hold a StringId and come
/// last.
enum class Field : std::uint8_t {
  correlation,  ///< ties a runtime call to the device work it started
  stream,
  device,
  external_id,
  wait_on_stream,  ///< of a recorded wait: the stream whose event is waited for
  wait_on_record,  ///< of a recorded wait: the correlation of the call that recorded that event
  bytes,
  python_id,
  python_parent_id,
  sequence_number,  ///< ties a backward operator to its forward operator
  forward_thread,
  in_elements,  ///< of a collective: elements sent by this rank
  out_elements,
  group_size,
  collective_sequence,
  graph_node,       ///< of a kernel: its node in a CUDA graph
  record_function,  ///< ties an operator to its row of the host trace; only read on request
  step,             ///< of an annotation that is one training or inference step: its number
  group_rank,   ///< of broadcast, scatter, reduce and gather: the root, of send and recv: the peer; by its place in the
                ///< group
  source_rank,  ///< of a recv: the rank that sends
  destination_rank,  ///< of a send: the rank that receives
  tracer_clock,      ///< of a snapshot of two clocks, taken at its start: what the device tracer's clock showed, ns
  tag,               ///< of the call that asks for a send or recv
  receive_tag,       ///< of a call that sends and receives: the tag of what it receives
  receive_bytes,     ///< of the same, and of a collective where it differs from `bytes`: what this rank gets
  element_bytes,     ///< of one element of `send_counts`, `receive_counts`, `in_elements` and `out_elements`
  request,           ///< of a non-blocking MPI call: the request that it makes, a number of its rank that is used once
  callsite,          ///< of an MPI call: where in the program, by the number that its own rank gives the place
  recorded_delta,    ///< of an MPI call: from the end of the call before it to its own end as the recorder wrote it, ps
  graph,             ///< of device work: the CUDA graph that it is a node of, 0: none; only read on request, as are
                     ///< shapes to kernel below
  collective_text,   ///< of a collective: allreduce, all_gather, ...
  dtype_text,
  group_name_text,
  group_ranks_text,
  bandwidth_text,       ///< of a copy that took no time: "N/A" where others have a number
  module_text,          ///< of a collective: the program it is part of (jit_step)
  operation_text,       ///< of a collective: its name in that program (all-reduce.3)
  pairs_text,           ///< of a permutation: who sends to whom ({{0,1},{1,0}})
  callsite_text,        ///< of an MPI call: where in the program, the same on all ranks (MPI_Send halo.cc:31 exchange <
                        ///< halo.cc:80 main)
  requests_text,        ///< of an MPI call that completes requests: which ([3, 4])
  send_counts_text,     ///< of a collective: elements (PyTorch: rows) that go to each member of the group, in its order
                        ///< ([1, 2, 3]); [] if all alike
  receive_counts_text,  ///< of a collective: the same that come from each member
  shapes_text,          ///< of an operator: the sizes of what it was given ([[32,2880],[],[5120]])
  types_text,           ///< of the same: its types (["c10::BFloat16", "Scalar"])
  concrete_text,        ///< of the same: the values of numbers and lists, "" for tensors (["", "0.5"])
  strides_text,         ///< of the same: how its elements lie in memory ([[2880,1],[],[1]])
  grid_text,            ///< of a kernel, or of the call that launches it: how many blocks ([16, 1, 1])
  block_text,           ///< of the same: threads of a block
  kernel_text,          ///< of a call that launches a kernel: which
  operator_text,        ///< from here on of device work below a graph launch, by a recording of the same program in
                        ///< which each piece was launched by itself (causal/capture): the innermost operator. Its
                        ///< shapes, types and values are those of this work then
  operators_text,       ///< all operators around it, outermost first, with what they were given (operator_calls.h)
  module_path_text,     ///< the modules around it, outermost first ("nn.Module: GPT_0/nn.Module: Block_3")
  range_text,           ///< the innermost annotation around it
  origin_text,          ///< what tells all this: capture, or eager
};

struct FieldInfo {
  Field field;
  ValueType type;
  std::string_view name;     ///< ours, as sheets and SQL have it
  std::string_view written;  ///< PyTorch's profiler's, or where it has none that of the format with this argument
};

/// A new Field is a line here and one above.
inline constexpr std::array kFields = {
    FieldInfo{Field::correlation, ValueType::integer, "correlation", "correlation"},
    FieldInfo{Field::stream, ValueType::integer, "stream", "stream"},
    FieldInfo{Field::device, ValueType::integer, "device", "device"},
    FieldInfo{Field::external_id, ValueType::integer, "external_id", "External id"},
    FieldInfo{Field::wait_on_stream, ValueType::integer, "wait_on_stream", "wait_on_stream"},
    FieldInfo{Field::wait_on_record, ValueType::integer, "wait_on_record", "wait_on_cuda_event_record_corr_id"},
    FieldInfo{Field::bytes, ValueType::integer, "bytes", "bytes"},
    FieldInfo{Field::python_id, ValueType::integer, "python_id", "Python id"},
    FieldInfo{Field::python_parent_id, ValueType::integer, "python_parent_id", "Python parent id"},
    FieldInfo{Field::sequence_number, ValueType::integer, "sequence_number", "Sequence number"},
    FieldInfo{Field::forward_thread, ValueType::integer, "forward_thread", "Fwd thread id"},
    FieldInfo{Field::in_elements, ValueType::integer, "in_elements", "In msg nelems"},
    FieldInfo{Field::out_elements, ValueType::integer, "out_elements", "Out msg nelems"},
    FieldInfo{Field::group_size, ValueType::integer, "group_size", "Group size"},
    FieldInfo{Field::collective_sequence, ValueType::integer, "collective_sequence", "Seq"},
    FieldInfo{Field::graph_node, ValueType::integer, "graph_node", "graph node id"},
    FieldInfo{Field::record_function, ValueType::integer, "record_function", "Record function id"},
    FieldInfo{Field::step, ValueType::integer, "step", "step_num"},
    FieldInfo{Field::group_rank, ValueType::integer, "group_rank", "Rank"},
    FieldInfo{Field::source_rank, ValueType::integer, "source_rank", "Src Rank"},
    FieldInfo{Field::destination_rank, ValueType::integer, "destination_rank", "Dst Rank"},
    FieldInfo{Field::tracer_clock, ValueType::integer, "tracer_clock", "tracer clock ns"},
    FieldInfo{Field::tag, ValueType::integer, "tag", "tag"},
    FieldInfo{Field::receive_tag, ValueType::integer, "receive_tag", "receive tag"},
    FieldInfo{Field::receive_bytes, ValueType::integer, "receive_bytes", "receive bytes"},
    FieldInfo{Field::element_bytes, ValueType::integer, "element_bytes", "element bytes"},
    FieldInfo{Field::request, ValueType::integer, "request", "request"},
    FieldInfo{Field::callsite, ValueType::integer, "callsite", "callsite"},
    FieldInfo{Field::recorded_delta, ValueType::integer, "recorded_delta", "recorded delta ps"},
    FieldInfo{Field::graph, ValueType::integer, "graph", "graph id"},
    FieldInfo{Field::collective_text, ValueType::text, "collective", "Collective name"},
    FieldInfo{Field::dtype_text, ValueType::text, "dtype", "dtype"},
    FieldInfo{Field::group_name_text, ValueType::text, "group_name", "Process Group Name"},
    FieldInfo{Field::group_ranks_text, ValueType::text, "group_ranks", "Process Group Ranks"},
    FieldInfo{Field::bandwidth_text, ValueType::text, "bandwidth", "memory bandwidth (GB/s)"},
    FieldInfo{Field::module_text, ValueType::text, "module", "hlo_module"},
    FieldInfo{Field::operation_text, ValueType::text, "operation", "hlo_op"},
    FieldInfo{Field::pairs_text, ValueType::text, "pairs", "source_target_pairs"},
    FieldInfo{Field::callsite_text, ValueType::text, "callsite_stack", "callsite stack"},
    FieldInfo{Field::requests_text, ValueType::text, "requests", "requests"},
    FieldInfo{Field::send_counts_text, ValueType::text, "send_counts", "send counts"},
    FieldInfo{Field::receive_counts_text, ValueType::text, "receive_counts", "receive counts"},
    FieldInfo{Field::shapes_text, ValueType::text, "shapes", "Input Dims"},
    FieldInfo{Field::types_text, ValueType::text, "types", "Input type"},
    FieldInfo{Field::concrete_text, ValueType::text, "concrete_inputs", "Concrete Inputs"},
    FieldInfo{Field::strides_text, ValueType::text, "strides", "Input Strides"},
    FieldInfo{Field::grid_text, ValueType::text, "grid", "grid"},
    FieldInfo{Field::block_text, ValueType::text, "block", "block"},
    FieldInfo{Field::kernel_text, ValueType::text, "kernel_name", "kernel"},
    FieldInfo{Field::operator_text, ValueType::text, "operator", "operator"},
    FieldInfo{Field::operators_text, ValueType::text, "operators", "operators"},
    FieldInfo{Field::module_path_text, ValueType::text, "module_path", "module path"},
    FieldInfo{Field::range_text, ValueType::text, "range", "range"},
    FieldInfo{Field::origin_text, ValueType::text, "origin", "origin"},
};
inline constexpr std::size_t kFieldCount = kFields.size();

constexpr std::size_t place_of(Field field) { return static_cast<std::size_t>(field); }
constexpr const FieldInfo& info(Field field) { return kFields[place_of(field)]; }
/// What operators were given and what launches say of their kernels: a text per operator, which few questions need.
constexpr bool is_operand(Field field) {
  return field == Field::graph || (field >= Field::shapes_text && field <= Field::kernel_text);
}
constexpr bool holds_text(Field field) { return info(field).type == ValueType::text; }

/// How many of the fields, all before the others, hold integers.
inline constexpr std::size_t kIntegerFields = [] {
  std::size_t count = 0;
  while (count < kFieldCount && kFields[count].type == ValueType::integer) ++count;
  return count;
}();
static_assert(
    [] {
      for (std::size_t i = 0; i < kFieldCount; ++i) {
        if (place_of(kFields[i].field) != i || (i >= kIntegerFields) != holds_text(kFields[i].field)) return false;
      }
      return true;
    }(),
    "kFields follows the order of Field, texts last");

/// Values of one argument for the events that have it, in event order.
struct SparseColumn {
  Column<EventIndex> event;
  Column<std::int64_t> value;

  void push(EventIndex e, std::int64_t v) {
    event.push_back(e);
    value.push_back(v);
  }
  /// O(log n). For a pass over all events use dense().
  [[nodiscard]] std::optional<std::int64_t> find(EventIndex e) const;
  /// One value per event, `missing` where there is none.
  [[nodiscard]] Column<std::int64_t> dense(std::size_t events, std::int64_t missing) const;
  /// Adds values of other events, given in event order; where both have one, the new one stays.
  void merge(SparseColumn&& more);
  [[nodiscard]] std::size_t memory_bytes() const { return event.memory_bytes() + value.memory_bytes(); }
};

/// Values of a column for events that are asked for mostly in their order: the next is where the last was.
class InOrder {
 public:
  explicit InOrder(const SparseColumn& column) : column_(column) {}
  std::int64_t find(EventIndex event, std::int64_t missing) {
    const Column<EventIndex>& events = column_.event;
    if (next_ < events.size() && events[next_] == event) return column_.value[next_++];
    // Most events without a value lie between the last found and the next.
    if ((next_ == 0 || events[next_ - 1] < event) && (next_ == events.size() || event < events[next_])) return missing;
    const auto at = std::lower_bound(events.begin(), events.end(), event);
    next_ = static_cast<std::size_t>(at - events.begin());
    return at == events.end() || *at != event ? missing : column_.value[next_++];
  }
  StringId text(EventIndex event) { return static_cast<StringId>(find(event, 0)); }

 private:
  const SparseColumn& column_;
  std::size_t next_ = 0;
};

/// An argument that no analysis knows, under the name that its format gives it.
struct NamedArgument {
  std::string name;
  ValueType type = ValueType::integer;
  SparseColumn values;
};

/// All arguments of the events of a rank: one column per Field, and those that the format added.
class ArgumentTable {
 public:
  SparseColumn& operator[](Field field) { return known_[place_of(field)]; }
  const SparseColumn& operator[](Field field) const { return known_[place_of(field)]; }
  SparseColumn& known(std::size_t place) { return known_[place]; }

  /// The column called `name`, added if it is new. Stays valid as long as no other is added. O(added arguments): ask
  /// once, not per event.
  SparseColumn& named(std::string_view name, ValueType type);
  [[nodiscard]] const std::vector<NamedArgument>& named() const { return named_; }

  /// Calls f(name, written, type, column) for each argument, known ones first. `Table` is ArgumentTable or const
  /// ArgumentTable.
  template <typename Table, typename F>
  static void for_each(Table& table, const F& f) {
    for (std::size_t i = 0; i < kFieldCount; ++i)
      f(kFields[i].name, kFields[i].written, kFields[i].type, table.known_[i]);
    for (auto& argument : table.named_)
      f(std::string_view(argument.name), std::string_view(argument.name), argument.type, argument.values);
  }

  /// Appends the arguments of events that follow: event i there is event first_event + i here. Gives back their memory
  /// column by column.
  void append(ArgumentTable&& later, EventIndex first_event);

 private:
  std::array<SparseColumn, kFieldCount> known_;
  std::vector<NamedArgument> named_;
};

}  // namespace orrery::trace
