#include "analyze/path/device_works.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

#include "base/percent.h"

// One work per owner that runs on a device, from the begin of its first piece to the end of its last. Reads of tensors
// connect works of a rank by the ordinals of their events, and works are listed per stream in the order in which they
// ran.

namespace orrery::analyze {
namespace {

causal::EdgeKind kind_of(WorkType type) {
  switch (type) {
    case WorkType::communication: return causal::EdgeKind::communication;
    case WorkType::memory_copy: return causal::EdgeKind::memory_copy;
    case WorkType::memory_set: return causal::EdgeKind::memory_set;
    case WorkType::computation: break;
  }
  return causal::EdgeKind::kernel;
}

}  // namespace

DeviceTimeOnPath device_time_on_path(const causal::CausalGraph& job, const PathSums& path) {
  std::vector<TimePs> by_text(job.strings.size(), 0);
  for (const graph::Slot slot : path.path.slots) {
    const std::uint32_t tag = job.graph.edge_tag(slot);
    if (tag == graph::kNoTag || !causal::is_device(job.kind(slot))) continue;
    // Communication that the host does itself is no work of a device.
    if (job.owners[tag].device >= 0 || job.owners[tag].stream != -1)
      by_text[job.owners[tag].name] += path.solution.weight(slot);
  }
  DeviceTimeOnPath times;
  for (StringId text = 0; text < by_text.size(); ++text) {
    if (by_text[text] != 0) times.emplace(job.strings.text(text), by_text[text]);
  }
  return times;
}

report::Sheet device_work_sheet(const Interner& strings, const std::vector<KernelSum>& sums,
                                const DeviceTimeOnPath& on_path, TimePs length) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("device_work");
  sheet.add({.name = "name", .title = "name"})
      .add({.name = "names", .type = Type::integer})
      .add({.name = "kind"})
      .add({.name = "calls", .type = Type::integer, .title = "calls"})
      .add({.name = "total", .type = Type::time, .unit = Unit::us, .title = "total"})
      .add({.name = "mean", .type = Type::time, .unit = Unit::us, .title = "mean"})
      .add({.name = "least", .type = Type::time, .unit = Unit::us, .title = "min"})
      .add({.name = "most", .type = Type::time, .unit = Unit::us, .title = "max"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us})
      .add({.name = "on_path_share", .type = Type::real, .unit = Unit::pct, .title = "on path"});
  TimePs listed = 0, all = 0;
  for (const auto& [name, time] : on_path) all += time;
  for (const KernelSum& sum : sums) {
    const std::string_view name = sum.is_rest ? std::string_view() : strings.text(sum.name);
    const auto found = sum.is_rest ? on_path.end() : on_path.find(name);
    // What is on the path beside the listed names is that of the rest.
    const TimePs time = sum.is_rest ? all - listed : found == on_path.end() ? 0 : found->second;
    listed += time;
    sheet.add_row({sum.is_rest ? report::Cell(nullptr) : report::Cell(name), sum.names, identifier(kind_of(sum.type)),
                   sum.calls.count, sum.calls.sum, sum.calls.mean, sum.calls.least, sum.calls.most, time,
                   share_percent(time, length)});
  }
  return sheet;
}

namespace {

using causal::CausalGraph;
using causal::kNoPart;

constexpr std::uint32_t kNoWorkYet = ~std::uint32_t{0};

/// One entry per owner that runs on a device.
std::vector<DeviceWork> collect(const CausalGraph& job) {
  std::vector<std::uint32_t> work_of_owner(job.owners.size(), kNoWorkYet);
  std::vector<DeviceWork> works;
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const std::uint32_t owner = job.graph.edge_tag(slot);
    if (!causal::is_device(job.kind(slot)) || owner == graph::kNoTag || job.owners[owner].device < 0) continue;
    const graph::NodeId from = job.graph.source(slot), to = job.graph.target(slot);
    const std::uint32_t part = job.is_transfer(slot) ? job.part_of(from) : kNoPart;
    const graph::NodeId start = part == kNoPart ? from : job.parts[part].arrival;
    if (work_of_owner[owner] == kNoWorkYet) {
      work_of_owner[owner] = static_cast<std::uint32_t>(works.size());
      works.push_back({.start = start,
                       .end = to,
                       .rank = job.node_rank[to],
                       .owner = owner,
                       .part = part,
                       .kind = job.kind(slot),
                       .writers = {}});
      continue;
    }
    // Work in several pieces lasts from the first to the last.
    DeviceWork& work = works[work_of_owner[owner]];
    if (job.time[start] < job.time[work.start]) work.start = start;
    if (job.time[to] > job.time[work.end]) work.end = to;
  }
  std::sort(works.begin(), works.end(), [](const DeviceWork& a, const DeviceWork& b) {
    return std::tie(a.rank, a.owner) < std::tie(b.rank, b.owner);
  });
  return works;
}

void add_reads(const CausalGraph& job, const causal::RankTensors& tensors, std::span<DeviceWork> works,
               std::uint32_t first) {
  std::unordered_map<std::uint32_t, std::uint32_t> by_ordinal;  // only looked up, never walked
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    const std::uint32_t ordinal = job.owners[works[i].owner].ordinal;
    by_ordinal[ordinal] = i;
    works[i].is_known = std::binary_search(tensors.known.begin(), tensors.known.end(), ordinal);
  }
  for (const causal::RankTensors::Read& read : tensors.reads) {
    const auto writer = by_ordinal.find(read.writer), reader = by_ordinal.find(read.reader);
    if (writer == by_ordinal.end() || reader == by_ordinal.end()) continue;
    DeviceWork& work = works[reader->second];
    // In the order of the graph, so that edges that follow a read can make no circle.
    if (job.time[works[writer->second].end] > job.time[work.start]) continue;
    if (job.graph.position(works[writer->second].end) < job.graph.position(work.start))
      work.writers.push_back(first + writer->second);
  }
  for (DeviceWork& work : works) std::sort(work.writers.begin(), work.writers.end());
}

}  // namespace

DeviceWorks find_device_works(const CausalGraph& job, std::span<const causal::RankTensors> tensors) {
  DeviceWorks result;
  result.works = collect(job);
  std::vector<DeviceWork>& works = result.works;
  for (std::uint32_t begin = 0; begin < works.size();) {
    std::uint32_t end = begin;
    while (end < works.size() && works[end].rank == works[begin].rank) ++end;
    const std::int64_t rank = job.ranks[works[begin].rank].rank;
    const auto of_rank =
        std::find_if(tensors.begin(), tensors.end(), [&](const causal::RankTensors& of) { return of.rank == rank; });
    if (of_rank != tensors.end()) add_reads(job, *of_rank, std::span(works).subspan(begin, end - begin), begin);
    begin = end;
  }
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::vector<std::uint32_t>> streams;
  for (std::uint32_t i = 0; i < works.size(); ++i) {
    const causal::Owner& owner = job.owners[works[i].owner];
    streams[{works[i].rank, owner.device, owner.stream}].push_back(i);
  }
  for (auto& [key, list] : streams) {
    const auto at = [&](std::uint32_t i) {
      return std::tuple(job.time[works[i].start], job.time[works[i].end], job.graph.position(works[i].start));
    };
    std::sort(list.begin(), list.end(), [&](std::uint32_t a, std::uint32_t b) { return at(a) < at(b); });
    result.streams.push_back(std::move(list));
  }
  return result;
}

}  // namespace orrery::analyze
