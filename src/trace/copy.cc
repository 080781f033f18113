#include "trace/copy.h"

#include "trace/columns.h"

namespace orrery::trace {
namespace {

template <typename T>
Column<T> copy_of(const Column<T>& values) {
  Column<T> copy;
  copy.append({values.data(), values.size()});
  return copy;
}

SparseColumn copy_of(const SparseColumn& values) { return {copy_of(values.event), copy_of(values.value)}; }

}  // namespace

RankTrace copy_of(const RankTrace& rank) {
  RankTrace copy;
  copy.source = rank.source;
  copy.rank = rank.rank;
  copy.epoch_unix_ns = rank.epoch_unix_ns;
  copy.era_ns = rank.era_ns;
  copy.lanes = rank.lanes;
  copy.categories = rank.categories;
  for_each_event_column([&](const auto& column) { copy.*column.values = copy_of(rank.*column.values); });
  for_each_flow_column([&](const auto& column) { copy.flows.*column.values = copy_of(rank.flows.*column.values); });
  for (const FieldInfo& info : kFields) copy.field(info.field) = copy_of(rank.field(info.field));
  for (const NamedArgument& argument : rank.arguments.named())
    copy.arguments.named(argument.name, argument.type) = copy_of(argument.values);
  return copy;
}

Trace copy_of(const Trace& trace) {
  Trace copy;
  copy.epoch_unix_ns = trace.epoch_unix_ns;
  // In the order of their numbers, so that each gets its own again.
  for (StringId text = 0; text < trace.strings.size(); ++text) copy.strings.intern(trace.strings.text(text));
  for (const RankTrace& rank : trace.ranks) copy.ranks.push_back(copy_of(rank));
  return copy;
}

}  // namespace orrery::trace
