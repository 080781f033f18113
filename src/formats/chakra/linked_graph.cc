#include "formats/chakra/linked_graph.h"

#include <algorithm>
#include <optional>

#include "base/radix_sort.h"
#include "base/sparse_rows.h"

// In the converter's own order, since its output depends on it: rows are converted one after the other with device rows
// right behind their operators; every thread is walked depth first to give each node the one before it; nodes without
// any dependency are dropped; and what is left must have no cycle.

namespace orrery::chakra {
namespace {

using trace::HostTrace;

constexpr std::uint32_t kNoRow = ~std::uint32_t{0};

bool contains(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

class GraphBuilder {
 public:
  GraphBuilder(const HostTrace& trace, const Interner& strings)
      : trace_(trace), strings_(strings), rows_(static_cast<std::uint32_t>(trace.size())), graph_(trace.size()) {}

  Result<LinkedGraph> build() {
    index_rows();
    find_group_names();
    if (const Status converted = convert_rows(); !converted) return converted.error();
    for (const std::uint32_t row : converted_) {
      if (is_thread_row(row)) walk_thread(row);
    }
    keep_connected();
    if (const Status checked = check_dependencies(); !checked) return checked.error();
    return std::move(graph_);
  }

 private:
  [[nodiscard]] std::string_view name(std::uint32_t row) const { return strings_.text(trace_.name[row]); }
  [[nodiscard]] bool is_metadata(std::uint32_t row) const { return contains(name(row), "process_group:init"); }
  [[nodiscard]] bool is_on_device(std::uint32_t row) const { return is_device_row(trace_, row) && !is_metadata(row); }
  [[nodiscard]] bool is_thread_row(std::uint32_t row) const {
    return name(row) == "[pytorch|profiler|execution_trace|thread]" ||
           name(row) == "[pytorch|profiler|execution_graph|thread]";
  }

  [[nodiscard]] std::uint32_t row_of(std::uint64_t id) const {
    // As PyTorch writes them, unless rows were dropped: no search is needed then.
    if (ids_count_up_) return id < rows_ ? static_cast<std::uint32_t>(id) : kNoRow;
    const KeyedIndex* const at = std::lower_bound(
        by_id_.begin(), by_id_.end(), id, [](const KeyedIndex& item, std::uint64_t key) { return item.key < key; });
    return at == by_id_.end() || at->key != id ? kNoRow : at->index;
  }

  void index_rows() {
    for (std::uint32_t row = 0; row < rows_; ++row) {
      ids_count_up_ = ids_count_up_ && trace_.id[row] == row;
      by_id_.push_back({trace_.id[row], row});
    }
    radix_sort(by_id_);
    parent_.resize_uninitialized(rows_);
    for (std::uint32_t row = 0; row < rows_; ++row) parent_[row] = row_of(trace_.parent[row]);
    // In the order of the file.
    children_ = group_by_row<std::uint32_t>(rows_, [&](const auto& add) {
      for (std::uint32_t row = 0; row < rows_; ++row) {
        if (parent_[row] != kNoRow) add(parent_[row], row);
      }
    });
  }

  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t row) const { return children_[row]; }

  // An attribute pg_name goes before what linking has added to the row, even if it is empty.
  void find_group_names() {
    if (trace_.is_linked()) {
      for (std::uint32_t row = 0; row < rows_; ++row) graph_.group_name[row] = trace_.measured[row].group_name;
    }
    for (const trace::HostCollective& collective : trace_.collectives) {
      StringId& known = graph_.group_name[collective.row];
      if (collective.group_name != 0 ||
          (known != 0 && contains(trace_.text(trace_.attributes[collective.row]), "\"pg_name\"")))
        known = collective.group_name;
    }
  }

  Status convert_rows() {
    for (std::uint32_t row = 0; row < rows_; ++row) {
      if (is_on_device(row)) continue;
      if (Status converted = convert(row); !converted) return converted;
      // Device rows are converted right behind their operator, wherever they stand in the file.
      for (const std::uint32_t child : children(row)) {
        if (!is_on_device(child)) continue;
        if (Status converted = convert(child); !converted) return converted;
      }
    }
    return {};
  }

  Status convert(std::uint32_t row) {
    const Result<NodeType> type = type_of(row);
    if (!type) return type.error();
    graph_.has_parent[row] = parent_[row] != kNoRow && graph_.type[parent_[row]] != NodeType::invalid;
    graph_.type[row] = *type;
    converted_.push_back(row);
    return {};
  }

  Result<NodeType> type_of(std::uint32_t row) {
    if (is_metadata(row)) return NodeType::metadata;
    if (!is_on_device(row)) return NodeType::comp;
    if (contains(name(row), "ncclDevKernel_SendRecv")) {
      const Result<std::string_view> caller = caller_of_message(row);
      if (!caller) return caller.error();
      // One kernel does both; only the operator that launched it says which. Neither word: an all-to-all.
      if (contains(*caller, "send")) return NodeType::comm_send;
      if (contains(*caller, "recv")) return NodeType::comm_recv;
    }
    return contains(name(row), "ncclKernel") || contains(name(row), "ncclDevKernel") ? NodeType::comm_coll
                                                                                     : NodeType::comp;
  }

  // What names the direction of a message: its operator, or what called that if it only records parameters. Those know
  // the group, too.
  Result<std::string_view> caller_of_message(std::uint32_t row) {
    const std::uint32_t parent = parent_[row];
    if (name(parent) != "record_param_comms") return name(parent);
    if (graph_.group_name[parent] != 0) graph_.group_name[row] = graph_.group_name[parent];
    if (parent_[parent] == kNoRow)
      return stop_at(trace_, parent, "what called this record_param_comms is not in the trace");
    return name(parent_[parent]);
  }

  // Depth first, children by id. Host rows depend on the one before; device rows on the host row before.
  void walk_thread(std::uint32_t thread) {
    ++walk_;
    stack_.assign(1, thread);
    visited_in_.resize(rows_, 0);
    std::optional<std::uint64_t> last;
    while (!stack_.empty()) {
      const std::uint32_t row = stack_.back();
      stack_.pop_back();
      // A row may be pushed twice where ids repeat as parents of one another; the original keeps a set as well.
      if (visited_in_[row] == walk_) continue;
      visited_in_[row] = walk_;
      if (!is_on_device(row) && trace_.is_linked()) {
        const std::int64_t other = trace_.measured[row].inter_thread_dep;
        if (other != trace::kNoNumber && other != 0) graph_.data.add(row, static_cast<std::uint64_t>(other));
      }
      // Also between a parent and its first child: the original has it as data dependency beside the control
      // dependency.
      if (last) graph_.data.add(row, *last);
      if (!is_on_device(row)) last = trace_.id[row];
      push_children(row);
    }
  }

  void push_children(std::uint32_t row) {
    const std::size_t begin = stack_.size();
    bool is_sorted = true;
    const std::span<const std::uint32_t> list = children(row);
    for (std::size_t i = list.size(); i-- > 0;) {
      const std::uint32_t child = list[i];
      if (graph_.type[child] == NodeType::invalid || visited_in_[child] == walk_) continue;
      is_sorted = is_sorted && (stack_.size() == begin || trace_.id[stack_.back()] > trace_.id[child]);
      stack_.push_back(child);
    }
    // Ids count up as rows are written, so that sorting is needed for files of others only.
    if (is_sorted) return;
    std::sort(stack_.begin() + static_cast<std::ptrdiff_t>(begin), stack_.end(),
              [&](std::uint32_t a, std::uint32_t b) { return trace_.id[a] > trace_.id[b]; });
  }

  // Nodes that depend on nothing and that nothing depends on are dropped.
  void keep_connected() {
    Column<std::uint8_t> is_kept(rows_, 0);
    for (const std::uint32_t row : converted_) {
      for (std::size_t i = 0; i < graph_.data.size(row); ++i) {
        is_kept[row] = 1;
        if (const std::uint32_t other = row_of(graph_.data.get(row, i)); other != kNoRow) is_kept[other] = 1;
      }
    }
    for (const KeyedIndex& item : by_id_) {
      if (graph_.type[item.index] == NodeType::invalid) continue;
      graph_.converted.push_back(item.index);
      if (is_kept[item.index] != 0) graph_.nodes.push_back(item.index);
    }
  }

  Status check_dependencies() {
    enum : std::uint8_t { unseen, open, done };
    struct Frame {
      std::uint32_t row;
      std::uint32_t next;
    };
    Column<std::uint8_t> state(rows_, unseen);
    std::vector<Frame> stack;
    for (const std::uint32_t start : graph_.nodes) {
      if (state[start] != unseen) continue;
      state[start] = open;
      stack.push_back({start, 0});
      while (!stack.empty()) {
        const std::uint32_t row = stack.back().row;
        if (stack.back().next == graph_.data.size(row)) {
          state[row] = done;
          stack.pop_back();
          continue;
        }
        // Depth first with a stack of its own: chains of dependencies are as long as the trace.
        const std::uint64_t id = graph_.data.get(row, stack.back().next++);
        const std::uint32_t other = row_of(id);
        if (other == kNoRow || graph_.type[other] == NodeType::invalid)
          return stop_at(trace_, row, "depends on row " + std::to_string(id) + ", which is no node");
        if (state[other] == open)
          return stop_at(trace_, row, "depends on row " + std::to_string(id) + ", which depends on it: a cycle");
        if (state[other] == done) continue;
        state[other] = open;
        stack.push_back({other, 0});
      }
    }
    return {};
  }

  const HostTrace& trace_;
  const Interner& strings_;
  std::uint32_t rows_;
  LinkedGraph graph_;
  bool ids_count_up_ = true;  // every row's id is its place, as linking leaves them
  Column<KeyedIndex> by_id_;
  Column<std::uint32_t> parent_;
  SparseRows<std::uint32_t> children_;
  std::vector<std::uint32_t> converted_;  // in order of conversion
  Column<std::uint32_t> visited_in_;      // per row: the last walk that came by
  std::uint32_t walk_ = 0;
  std::vector<std::uint32_t> stack_;
};

}  // namespace

void DataDependencies::add(std::uint32_t row, std::uint64_t id) {
  Few& few = few_[row];
  for (std::size_t i = 0; i < few.count; ++i) {
    if (get(row, i) == id) return;
  }
  if (few.count < 2) few.ids[few.count] = id;
  else more_[row].push_back(id);
  ++few.count;
}

Result<LinkedGraph> make_linked_graph(const HostTrace& trace, const Interner& strings) {
  return GraphBuilder(trace, strings).build();
}

}  // namespace orrery::chakra
