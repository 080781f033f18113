#include "trace/argument.h"

#include <algorithm>
#include <utility>

namespace orrery::trace {
namespace {

void append_column(SparseColumn& into, SparseColumn& later, EventIndex first_event) {
  for (EventIndex& event : later.event) event += first_event;
  into.event.append(later.event);
  into.value.append(later.value);
  later = {};  // so that two copies of a column never exist at once for long
}

}  // namespace

std::optional<std::int64_t> SparseColumn::find(EventIndex e) const {
  const auto* at = std::lower_bound(event.begin(), event.end(), e);
  if (at == event.end() || *at != e) return std::nullopt;
  return value[static_cast<std::size_t>(at - event.begin())];
}

void SparseColumn::merge(SparseColumn&& more) {
  if (more.event.empty()) return;
  if (event.empty()) {
    *this = std::move(more);
    return;
  }
  SparseColumn merged;
  std::size_t a = 0, b = 0;
  while (a < event.size() || b < more.event.size()) {
    const bool is_new = a == event.size() || (b < more.event.size() && more.event[b] <= event[a]);
    if (is_new && a < event.size() && more.event[b] == event[a]) ++a;
    if (is_new) merged.push(more.event[b], more.value[b]), ++b;
    else merged.push(event[a], value[a]), ++a;
  }
  *this = std::move(merged);
}

Column<std::int64_t> SparseColumn::dense(std::size_t events, std::int64_t missing) const {
  Column<std::int64_t> result(events, missing);
  for (std::size_t i = 0; i < event.size(); ++i) result[event[i]] = value[i];
  return result;
}

SparseColumn& ArgumentTable::named(std::string_view name, ValueType type) {
  // One name with two types is two arguments: a number must never be read as a text's id.
  const auto is_it = [&](const NamedArgument& argument) { return argument.name == name && argument.type == type; };
  const auto at = std::find_if(named_.begin(), named_.end(), is_it);
  if (at != named_.end()) return at->values;
  return named_.emplace_back(NamedArgument{std::string(name), type, {}}).values;
}

void ArgumentTable::append(ArgumentTable&& later, EventIndex first_event) {
  for (std::size_t i = 0; i < kFieldCount; ++i) append_column(known_[i], later.known_[i], first_event);
  for (NamedArgument& argument : later.named_)
    append_column(named(argument.name, argument.type), argument.values, first_event);
}

}  // namespace orrery::trace
