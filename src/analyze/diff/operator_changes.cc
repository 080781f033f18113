#include "analyze/diff/operator_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/capture/fused_operators.h"
#include "analyze/capture/operator_calls.h"
#include "analyze/distribution.h"
#include "analyze/roofline/operator_cost.h"

namespace orrery::analyze {
namespace {

using Members = std::vector<const OperatorGroup*>;

/// What goes together.
struct Bundle {
  OperatorKey key;
  Members a, b;

  [[nodiscard]] bool is_in_both() const { return !a.empty() && !b.empty(); }
  void take(const Bundle& other) {
    a.insert(a.end(), other.a.begin(), other.a.end());
    b.insert(b.end(), other.b.begin(), other.b.end());
  }
  template <typename Visit>
  void for_each(Visit&& visit) const {
    for (const Members* side : {&a, &b}) {
      for (const OperatorGroup* group : *side) visit(*group);
    }
  }
};
using Bundles = std::vector<Bundle>;

/// What both runs know of at least some of their work; one without work knows everything.
struct Known {
  bool operators = true, shapes = true, types = true, modules = true;
};

Known known_of(const OperatorGroups& groups) {
  if (groups.empty()) return {};
  const auto any = [&](auto&& text_of) {
    return std::any_of(groups.begin(), groups.end(),
                       [&](const OperatorGroup& group) { return !text_of(group).empty(); });
  };
  return {.operators = any([](const OperatorGroup& g) -> const std::string& { return g.outer.op; }),
          .shapes = any([](const OperatorGroup& g) -> const std::string& { return g.outer.shapes; }),
          .types = any([](const OperatorGroup& g) -> const std::string& { return g.outer.types; }),
          .modules = any([](const OperatorGroup& g) -> const std::string& { return g.module; })};
}

Known known_of_both(const OperatorGroups& a, const OperatorGroups& b) {
  const Known of_a = known_of(a), of_b = known_of(b);
  return {of_a.operators && of_b.operators, of_a.shapes && of_b.shapes, of_a.types && of_b.types,
          of_a.modules && of_b.modules};
}

OperatorKey as_known(const OperatorKey& key, const Known& known) {
  return {key.op, known.shapes ? key.shapes : "", known.types ? key.types : ""};
}

Bundles bundles_by_outermost(const OperatorGroups& a, const OperatorGroups& b, const Known& known) {
  std::map<std::pair<OperatorKey, std::string_view>, Bundle> bundles;
  const auto add = [&](const OperatorGroups& groups, Members Bundle::*side) {
    for (const OperatorGroup& group : groups) {
      OperatorKey key = as_known(group.outer, known);
      const std::string_view kernel = key.op.empty() ? std::string_view(group.kernels.front().name) : "";
      Bundle& bundle = bundles[{key, kernel}];
      bundle.key = std::move(key);
      (bundle.*side).push_back(&group);
    }
  };
  add(a, &Bundle::a);
  add(b, &Bundle::b);
  Bundles result;
  for (auto& [key, bundle] : bundles) result.push_back(std::move(bundle));
  return result;
}

/// Puts those together that `key_of` gives the same key, where that brings both runs together; nothing: it has none.
/// Bundles that are in both stay as they are.
template <typename KeyOf>
void bring_together(Bundles& bundles, KeyOf&& key_of) {
  std::map<OperatorKey, Bundle> together;
  std::vector<std::optional<OperatorKey>> keys(bundles.size());
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    if (bundles[i].is_in_both()) continue;
    keys[i] = key_of(bundles[i]);
    if (!keys[i]) continue;
    Bundle& bundle = together[*keys[i]];
    bundle.key = *keys[i];
    bundle.take(bundles[i]);
  }
  Bundles result;
  for (std::size_t i = 0; i < bundles.size(); ++i) {
    if (!keys[i] || !together[*keys[i]].is_in_both()) result.push_back(std::move(bundles[i]));
  }
  for (auto& [key, bundle] : together) {
    if (bundle.is_in_both()) result.push_back(std::move(bundle));
  }
  bundles = std::move(result);
}

std::optional<OperatorKey> without_types(const Bundle& bundle) {
  if (bundle.key.op.empty()) return std::nullopt;
  return OperatorKey{bundle.key.op, bundle.key.shapes, ""};
}

/// Modules of one operator do the same.
const OperatorKey& inner_of_largest(const Bundle& bundle) {
  const OperatorGroup* largest = nullptr;
  bundle.for_each([&](const OperatorGroup& group) {
    if (largest == nullptr || group.time > largest->time) largest = &group;
  });
  return largest->inner;
}

/// Matrix products by what they multiply, whichever operator it was given to and whether that was told where to put the
/// result: linear, addmm and addmm with out= are one product.
std::optional<OperatorKey> product_of(const Bundle& bundle) {
  const OperatorKey& inner = inner_of_largest(bundle);
  const auto cost =
      cost_of({.name = inner.op, .number = 0, .shapes = inner.shapes, .types = inner.types, .values = {}}, nullptr);
  if (!cost || cost->kind != OperatorKind::gemm) return std::nullopt;
  return OperatorKey{"matrix product",
                     fmt::format("[[{:.0f},{:.0f},{:.0f}],[{:.0f},{:.0f},{:.0f}]]", cost->batch, cost->m, cost->k,
                                 cost->batch, cost->k, cost->n),
                     ""};
}

/// Shapes make sure that it is the same work: a name alone would bring every copy together.
std::optional<OperatorKey> innermost_of(const Bundle& bundle, const Known& known) {
  OperatorKey key = as_known(inner_of_largest(bundle), known);
  if (key.op.empty() || key.shapes.empty()) return std::nullopt;
  return key;
}

/// "aten::add" -> "add": as compilers write them into names of kernels.
std::string_view without_library(std::string_view op) {
  const std::size_t colons = op.rfind("::");
  return colons == std::string_view::npos ? op : op.substr(colons + 2);
}

/// The operators in the name of the kernel, if all its kernels have such names.
std::vector<std::string> fused_in(const Bundle& bundle) {
  std::set<std::string> all;
  bool is_fused = true;
  bundle.for_each([&](const OperatorGroup& group) {
    for (const OperatorGroup::Kernel& kernel : group.kernels) {
      const auto operators = fused_operators(kernel.name);
      if (!operators) is_fused = false;
      else all.insert(operators->begin(), operators->end());
    }
  });
  return is_fused ? std::vector(all.begin(), all.end()) : std::vector<std::string>();
}

/// Operators that occur in one kernel are of one family, and so are those of two that share one.
class Families {
 public:
  void unite(const std::vector<std::string>& operators) {
    for (const std::string& op : operators) {
      family_.try_emplace(op, op);
      const std::string x = find(operators.front()), y = find(op);
      family_[std::max(x, y)] = std::min(x, y);
    }
  }
  /// What stands for its family; empty: no kernel fuses it.
  [[nodiscard]] std::string of(std::string_view op) const {
    return family_.contains(op) ? find(std::string(op)) : std::string();
  }
  /// "fused(add, gelu, native_layer_norm)": all of the family.
  [[nodiscard]] std::string name_of(const std::string& family) const {
    std::string name;
    for (const auto& [op, parent] : family_) {
      if (find(op) == family) name += (name.empty() ? "fused(" : ", ") + op;
    }
    return name + ")";
  }

 private:
  [[nodiscard]] std::string find(std::string op) const {
    for (auto at = family_.find(op); at->second != op; at = family_.find(op)) op = at->second;
    return op;
  }
  std::map<std::string, std::string, std::less<>> family_;  // op -> one before it by name, or itself
};

/// The family of what only one run has: of its kernels, or of the operators that it would be fused from.
std::string family_of(const Bundle& bundle, const Families& families) {
  if (const std::vector<std::string> fused = fused_in(bundle); !fused.empty()) return families.of(fused.front());
  std::set<std::string_view> operators;
  bool has_product = false;
  bundle.for_each([&](const OperatorGroup& group) {
    for (const std::string& op : group.operators) {
      operators.insert(without_library(op));
      has_product |= is_product_operator(op);
    }
  });
  if (has_product || bundle.key.op.empty()) return {};
  for (const std::string_view op : operators) {
    if (std::string family = families.of(op); !family.empty()) return family;
  }
  return {};
}

void bring_fused_together(Bundles& bundles) {
  Families families;
  bool any = false;
  for (const Bundle& bundle : bundles) {
    if (bundle.is_in_both()) continue;
    const std::vector<std::string> fused = fused_in(bundle);
    if (!fused.empty()) families.unite(fused), any = true;
  }
  if (!any) return;
  bring_together(bundles, [&](const Bundle& bundle) -> std::optional<OperatorKey> {
    const std::string family = family_of(bundle, families);
    if (family.empty()) return std::nullopt;
    return OperatorKey{families.name_of(family), "", ""};
  });
}

void add_to(OperatorChange::Side& side, const OperatorGroup& group) {
  side.calls += group.calls;
  side.time = plus_capped(side.time, group.time);
  for (const OperatorGroup::Kernel& kernel : group.kernels) side.kernels.push_back(kernel.name);
}

void add_row(OperatorChanges& changes, const OperatorKey& key, std::string_view module, const Members& a,
             const Members& b) {
  OperatorChange& row = changes.rows.emplace_back();
  row.key = key;
  row.module = module;
  for (const OperatorGroup* group : a) add_to(row.a, *group);
  for (const OperatorGroup* group : b) add_to(row.b, *group);
  for (OperatorChange::Side* side : {&row.a, &row.b}) {
    std::sort(side->kernels.begin(), side->kernels.end());
    side->kernels.erase(std::unique(side->kernels.begin(), side->kernels.end()), side->kernels.end());
  }
}

void add_rows_by_module(OperatorChanges& changes, const Bundle& bundle) {
  std::map<std::string_view, Bundle> by_module;
  for (const OperatorGroup* group : bundle.a) by_module[group->module].a.push_back(group);
  for (const OperatorGroup* group : bundle.b) by_module[group->module].b.push_back(group);
  Bundle others;
  for (const auto& [module, members] : by_module) {
    if (!members.is_in_both()) others.take(members);
  }
  const bool have_other_names = others.is_in_both();
  for (const auto& [module, members] : by_module) {
    if (members.is_in_both() || !have_other_names) add_row(changes, bundle.key, module, members.a, members.b);
  }
  if (have_other_names) add_row(changes, bundle.key, "", others.a, others.b);
}

TimePs time_of(const Members& members) {
  TimePs time = 0;
  for (const OperatorGroup* group : members) time = plus_capped(time, group->time);
  return time;
}

}  // namespace

OperatorChanges compare_operators(const OperatorGroups& a, const OperatorGroups& b, bool by_module) {
  const Known known = known_of_both(a, b);
  if (!known.operators) {
    const OperatorGroups kernels_of_a = by_kernel(a), kernels_of_b = by_kernel(b);
    // Where neither knows an operator they are by kernel already, and this ends here.
    const auto has_operator = [](const OperatorGroup& group) { return !group.outer.op.empty(); };
    if (std::any_of(a.begin(), a.end(), has_operator) || std::any_of(b.begin(), b.end(), has_operator))
      return compare_operators(kernels_of_a, kernels_of_b, by_module);
  }
  Bundles bundles = bundles_by_outermost(a, b, known);
  bring_together(bundles, [](const Bundle& bundle) { return without_types(bundle); });
  bring_together(bundles, [&](const Bundle& bundle) { return innermost_of(bundle, known); });
  bring_together(bundles, [](const Bundle& bundle) { return product_of(bundle); });
  bring_fused_together(bundles);
  OperatorChanges changes;
  for (const Bundle& bundle : bundles) {
    const TimePs of_a = time_of(bundle.a), of_b = time_of(bundle.b);
    changes.a = plus_capped(changes.a, of_a);
    changes.b = plus_capped(changes.b, of_b);
    if (bundle.is_in_both()) {
      changes.a_matched = plus_capped(changes.a_matched, of_a);
      changes.b_matched = plus_capped(changes.b_matched, of_b);
    }
    if (by_module && known.modules) add_rows_by_module(changes, bundle);
    else add_row(changes, bundle.key, "", bundle.a, bundle.b);
  }
  const auto names = [](const OperatorChange& row) {
    return std::tie(row.key, row.module, row.a.kernels, row.b.kernels);
  };
  std::sort(changes.rows.begin(), changes.rows.end(), [&](const OperatorChange& x, const OperatorChange& y) {
    if (std::llabs(x.change()) != std::llabs(y.change())) return std::llabs(x.change()) > std::llabs(y.change());
    return names(x) < names(y);
  });
  return changes;
}

}  // namespace orrery::analyze
