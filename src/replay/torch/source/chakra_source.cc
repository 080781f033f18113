#include "replay/torch/source/chakra_source.h"

#include <algorithm>
#include <map>

#include "replay/torch/build/communication_hints.h"

namespace orrery::replay::torch {
namespace {

std::vector<std::int64_t> members_called(const workload::Workload& workload, std::string_view name) {
  for (const workload::CommGroup& group : workload.groups) {
    if (workload.strings.text(group.name) == name) return {group.ranks.begin(), group.ranks.end()};
  }
  return {};
}

void add_works(const ChakraRows& rows, RankSource& source) {
  std::map<std::int64_t, std::uint32_t> streams;
  for (const ChakraRows::Work& work : rows.works) streams.emplace(work.stream, 0);
  for (auto& [stream, number] : streams) {
    number = static_cast<std::uint32_t>(source.streams.size());
    source.streams.push_back(stream);
  }
  for (const ChakraRows::Work& work : rows.works) {
    LaunchedWork& launched = source.works.emplace_back();
    const bool has_row = work.row < source.host->size();
    launched.launch.row = has_row ? work.row : causal::kNoRow;
    // When exactly is not told: right after its operator began.
    launched.launch.before = has_row ? source.order.begin[work.row] + 1 : 0;
    launched.launch.thread = has_row ? source.host->thread[work.row] : 0;
    if (has_row) launched.launch.begin = launched.launch.end = source.begin[work.row];
    launched.stream = streams[work.stream];
    launched.name = work.name;
    launched.duration = work.duration;
    launched.kind = work.kind;
  }
  std::stable_sort(source.works.begin(), source.works.end(),
                   [](const LaunchedWork& a, const LaunchedWork& b) { return a.launch.before < b.launch.before; });
}

}  // namespace

RankSource source_of_chakra(const ChakraRows& rows, const Interner& strings, std::int64_t rank, std::int64_t world_size,
                            const workload::Workload& workload) {
  RankSource source;
  source.rank = rank;
  source.owned_host = rows.host;
  source.host = rows.host.get();
  source.strings = &strings;
  source.begin = rows.begin;
  source.end = rows.end;
  source.order = order_rows(*source.host, strings);
  add_works(rows, source);
  find_communication_hints(world_size, source);
  for (const ChakraRows::GroupUse& use : rows.groups) {
    const std::vector<std::int64_t> members = members_called(workload, strings.text(use.group));
    if (!members.empty()) set_group(source, use.row, strings.text(use.group), members);
  }
  return source;
}

}  // namespace orrery::replay::torch
