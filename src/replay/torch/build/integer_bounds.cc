#include "replay/torch/build/integer_bounds.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

#include "base/numbers.h"
#include "formats/pytorch_et/arguments.h"
#include "replay/torch/write/tensor_text.h"

// Storages that copy each other's integers form groups (union-find with halved paths), and each use as an index lowers
// the bound of its group. What indices were computed from, before the recording began, is bounded by 1: zeros, of which
// every sum and product is an index again.

namespace orrery::replay::torch {
namespace {

/// An operator that takes indices: which argument has them, and what they point into.
struct IndexedOperator {
  std::string_view name;     // without in-place "_"
  std::string_view indices;  // an argument
  std::string_view target;   // an argument whose size bounds them; or a number that does
  std::string_view dim;      // the argument that says which size of the target; empty: see size
  int size;                  // which size of the target
};

constexpr std::array kIndexed = {
    IndexedOperator{"aten::embedding", "indices", "weight", "", 0},
    IndexedOperator{"aten::embedding_renorm", "indices", "self", "", 0},
    IndexedOperator{"aten::embedding_dense_backward", "indices", "num_weights", "", 0},
    IndexedOperator{"aten::_embedding_bag", "indices", "weight", "", 0},
    IndexedOperator{"aten::_embedding_bag_forward_only", "indices", "weight", "", 0},
    IndexedOperator{"aten::_embedding_bag_dense_backward", "indices", "num_weights", "", 0},
    IndexedOperator{"aten::nll_loss_forward", "target", "self", "", 1},
    IndexedOperator{"aten::nll_loss_backward", "target", "self", "", 1},
    IndexedOperator{"aten::nll_loss2d_forward", "target", "self", "", 1},
    IndexedOperator{"aten::nll_loss2d_backward", "target", "self", "", 1},
    IndexedOperator{"aten::gather", "index", "self", "dim", 0},
    IndexedOperator{"aten::scatter", "index", "self", "dim", 0},
    IndexedOperator{"aten::scatter_add", "index", "self", "dim", 0},
    IndexedOperator{"aten::scatter_reduce", "index", "self", "dim", 0},
    IndexedOperator{"aten::index_select", "index", "self", "dim", 0},
    IndexedOperator{"aten::index_add", "index", "self", "dim", 0},
    IndexedOperator{"aten::index_copy", "index", "self", "dim", 0},
    IndexedOperator{"aten::index_fill", "index", "self", "dim", 0},
    IndexedOperator{"aten::take_along_dim", "indices", "self", "dim", 0},
    IndexedOperator{"aten::one_hot", "self", "num_classes", "", 0},
};
/// Those with a list of indices, one per dimension.
constexpr std::array<std::string_view, 4> kIndexedByLists = {"aten::index", "aten::index_put", "aten::_index_put_impl",
                                                             "aten::_unsafe_index"};
/// What passes integers on as they are; the values of all others are new ones.
constexpr std::array<std::string_view, 18> kCopies = {
    "aten::copy",        "aten::_to_copy",      "aten::clone",    "aten::cat",    "aten::stack",
    "aten::_copy_from",  "aten::gather",        "aten::index",    "aten::where",  "aten::index_select",
    "aten::masked_fill", "aten::roll",          "aten::flip",     "aten::repeat", "aten::expand_copy",
    "aten::contiguous",  "aten::masked_select", "aten::index_put"};

std::string_view without_mark(std::string_view name) {
  return name.ends_with('_') ? name.substr(0, name.size() - 1) : name;
}

template <typename List>
bool has(const List& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class BoundSearch {
 public:
  BoundSearch(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
              const trace::HostArguments& arguments, const Lifetimes& lifetimes)
      : host_(host),
        schemas_(schemas),
        chosen_(chosen),
        arguments_(arguments),
        lifetimes_(lifetimes),
        group_(lifetimes.all.size()),
        bound_(lifetimes.all.size(), 0) {
    std::iota(group_.begin(), group_.end(), 0u);
  }

  IntegerBounds run() {
    for (std::size_t i = 0; i < chosen_.rows.size(); ++i) take(chosen_.rows[i], chosen_.calls[i]);
    bound_sources();
    IntegerBounds bounds;
    bounds.of_lifetime.resize(bound_.size());
    for (std::uint32_t lifetime = 0; lifetime < bound_.size(); ++lifetime)
      bounds.of_lifetime[lifetime] = bound_[find(lifetime)];
    bounds.parts = told_apart();
    return bounds;
  }

 private:
  // What indices are computed from is 0, since nobody knows what comes out of anything else. What the job itself
  // computed on the way has values of its own, and is looked at where it is used. From the last to the first, so that
  // what the sum of a sum came from is found too.
  void bound_sources() {
    std::vector<std::uint8_t> was_there(group_.size(), 0), becomes_index(group_.size(), 0);
    for (std::uint32_t lifetime = 0; lifetime < group_.size(); ++lifetime) {
      if (lifetimes_.all[lifetime].maker == causal::kNoRow) was_there[find(lifetime)] = 1;
      if (bound_[find(lifetime)] > 0) becomes_index[find(lifetime)] = 1;
    }
    for (auto step = computed_.rbegin(); step != computed_.rend(); ++step) {
      if (becomes_index[find(step->second)] == 0) continue;
      const std::uint32_t source = find(step->first);
      becomes_index[source] = 1;
      if (was_there[source] != 0) lower(source, 1);
    }
  }

  std::uint32_t find(std::uint32_t lifetime) {
    while (group_[lifetime] != lifetime) lifetime = group_[lifetime] = group_[group_[lifetime]];
    return lifetime;
  }

  void lower(std::uint32_t group, std::int64_t bound) {
    // 0 stands for no bound.
    if (bound > 0 && (bound_[group] == 0 || bound < bound_[group])) bound_[group] = bound;
  }

  void unite(std::uint32_t a, std::uint32_t b) {
    a = find(a), b = find(b);
    if (a == b) return;
    // Into the lower number, so that groups do not depend on the order of calls.
    if (b < a) std::swap(a, b);
    group_[b] = a;
    lower(a, bound_[b]);
  }

  [[nodiscard]] std::uint32_t lifetime_of(std::uint32_t row, const RecordedTensor& tensor) const {
    return lifetimes_.of_use[arguments_.first[row] + tensor.use];
  }

  void take(std::uint32_t row, const RecordedCall& call) {
    const bool has_integers = std::any_of(call.tensors.begin(), call.tensors.end(),
                                          [](const RecordedTensor& t) { return t.type.is_integer; });
    if (!has_integers) return;
    const pytorch_et::OperatorSchema& schema = *schemas_.by_text()[host_.op_schema[row]];
    const std::string_view name = without_mark(schema.name);
    for (const IndexedOperator& indexed : kIndexed) {
      if (indexed.name == name) bound_indices(row, call, schema, indexed);
    }
    if (has(kIndexedByLists, name)) bound_lists(row, call, schema);
    connect(row, call, has(kCopies, name));
  }

  static std::int32_t place_of(const pytorch_et::OperatorSchema& schema, std::string_view argument) {
    for (std::size_t i = 0; i < schema.arguments.size(); ++i) {
      if (schema.arguments[i].name == argument) return static_cast<std::int32_t>(i);
    }
    return -2;
  }

  [[nodiscard]] std::optional<std::int64_t> number_at(std::uint32_t row, std::int32_t place) const {
    const auto lists = pytorch_et::input_lists(host_, row);
    const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
    if (place < 0 || place >= static_cast<std::int32_t>(values.size())) return std::nullopt;
    return parse_number<std::int64_t>(values[static_cast<std::size_t>(place)].value);
  }

  // The size of the target that the operator's indices point into; 0: not known.
  [[nodiscard]] std::int64_t size_of_target(std::uint32_t row, const RecordedCall& call,
                                            const pytorch_et::OperatorSchema& schema,
                                            const IndexedOperator& indexed) const {
    const std::int32_t target = place_of(schema, indexed.target);
    std::int64_t dim = indexed.size;
    if (!indexed.dim.empty()) dim = number_at(row, place_of(schema, indexed.dim)).value_or(0);
    for (std::size_t i = 0; i < call.inputs; ++i) {
      const RecordedTensor& tensor = call.tensors[i];
      if (tensor.argument != target) continue;
      const auto rank = static_cast<std::int64_t>(tensor.shape.size());
      // Negative dimensions count from the last.
      if (dim < 0) dim += rank;
      // A loss of one example has its classes in its only dimension.
      dim = std::min(dim, rank - 1);
      return dim >= 0 ? tensor.shape[static_cast<std::size_t>(dim)] : 1;
    }
    const auto changed = call.changed_numbers.find(target);
    return changed != call.changed_numbers.end() ? changed->second : number_at(row, target).value_or(0);
  }

  void bound_indices(std::uint32_t row, const RecordedCall& call, const pytorch_et::OperatorSchema& schema,
                     const IndexedOperator& indexed) {
    const std::int64_t size = size_of_target(row, call, schema, indexed);
    const std::int32_t indices = place_of(schema, indexed.indices);
    for (std::size_t i = 0; i < call.inputs; ++i) {
      if (call.tensors[i].argument == indices) bound_use(row, call.tensors[i], size);
    }
  }

  void bound_use(std::uint32_t row, const RecordedTensor& tensor, std::int64_t size) {
    const std::uint32_t lifetime = lifetime_of(row, tensor);
    if (!tensor.type.is_integer || lifetime == kNoLifetime) return;
    lower(find(lifetime), size);
    std::int64_t count = 1;
    // The reach of a strided view: the last element of each dimension.
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) count += (tensor.shape[i] - 1) * tensor.stride[i];
    if (size > 0 && count > 0) parts_.push_back({lifetime, tensor.offset, count, size});
  }

  // Uses that overlap are one part, with the smaller bound. A lifetime with one bound throughout has no parts.
  std::vector<BoundedPart> told_apart() {
    std::vector<std::uint8_t> is_passed_on(bound_.size(), 0);
    for (std::uint32_t lifetime = 0; lifetime < group_.size(); ++lifetime) {
      if (find(lifetime) != lifetime) is_passed_on[lifetime] = is_passed_on[find(lifetime)] = 1;
    }
    // Storages that pass their integers on are bounded as a whole: whoever gets them knows of no parts.
    for (const auto& [from, to] : computed_) is_passed_on[from] = 1;
    const auto place = [](const BoundedPart& part) {
      return std::tuple(part.lifetime, part.first, part.count, part.bound);
    };
    std::sort(parts_.begin(), parts_.end(),
              [&](const BoundedPart& a, const BoundedPart& b) { return place(a) < place(b); });
    std::vector<BoundedPart> apart;
    std::size_t begin = 0;  // of the current lifetime's
    const auto close = [&] {
      const auto differs = [&](const BoundedPart& part) { return part.bound != apart[begin].bound; };
      if (std::none_of(apart.begin() + static_cast<std::ptrdiff_t>(begin), apart.end(), differs)) apart.resize(begin);
      begin = apart.size();
    };
    for (const BoundedPart& part : parts_) {
      if (is_passed_on[part.lifetime]) continue;
      if (apart.size() > begin && apart.back().lifetime != part.lifetime) close();
      if (apart.size() > begin && apart.back().first + apart.back().count > part.first) {
        BoundedPart& last = apart.back();
        last.count = std::max(last.count, part.first + part.count - last.first);
        last.bound = std::min(last.bound, part.bound);
      } else {
        apart.push_back(part);
      }
    }
    close();
    return apart;
  }

  // index(self, [null, indices, indices]): an entry per dimension, from the first on.
  void bound_lists(std::uint32_t row, const RecordedCall& call, const pytorch_et::OperatorSchema& schema) {
    const std::int32_t target = place_of(schema, "self"), indices = place_of(schema, "indices");
    const auto lists = pytorch_et::input_lists(host_, row);
    const auto values = values_of(lists.values, lists.types, lists.shapes, lists.strides);
    if (indices < 0 || indices >= static_cast<std::int32_t>(values.size()) || call.tensors.empty() ||
        call.tensors[0].argument != target)
      return;
    const std::vector<std::int64_t>& shape = call.tensors[0].shape;
    std::size_t dimension = 0, next = 1;
    for (const RecordedValue& value : elements_of(values[static_cast<std::size_t>(indices)])) {
      // null in the list leaves its dimension as it is.
      if (is_tensor(value) && !is_undefined_tensor(value.type)) {
        while (next < call.inputs && call.tensors[next].argument != indices) ++next;
        if (next >= call.inputs) return;
        if (dimension < shape.size()) bound_use(row, call.tensors[next], shape[dimension]);
        ++next;
      }
      ++dimension;
    }
  }

  void connect(std::uint32_t row, const RecordedCall& call, bool copies) {
    for (std::size_t out = call.inputs; out < call.tensors.size(); ++out) {
      const std::uint32_t to = lifetime_of(row, call.tensors[out]);
      if (!call.tensors[out].type.is_integer || to == kNoLifetime) continue;
      for (std::size_t in = 0; in < call.inputs; ++in) {
        const std::uint32_t from = lifetime_of(row, call.tensors[in]);
        // In place: it is its own source.
        if (!call.tensors[in].type.is_integer || from == kNoLifetime || from == to) continue;
        if (copies) unite(from, to);
        else computed_.emplace_back(from, to);
      }
    }
  }

  const trace::HostTrace& host_;
  const Schemas& schemas_;
  const ChosenCalls& chosen_;
  const trace::HostArguments& arguments_;
  const Lifetimes& lifetimes_;
  std::vector<std::uint32_t> group_;  // union-find over lifetimes; the first of a group stands for it
  std::vector<std::int64_t> bound_;   // of the first of each group
  std::vector<std::pair<std::uint32_t, std::uint32_t>> computed_;
  std::vector<BoundedPart> parts_;  // as used
};

}  // namespace

IntegerBounds integer_bounds(const trace::HostTrace& host, const Schemas& schemas, const ChosenCalls& chosen,
                             const trace::HostArguments& arguments, const Lifetimes& lifetimes) {
  return BoundSearch(host, schemas, chosen, arguments, lifetimes).run();
}

}  // namespace orrery::replay::torch
