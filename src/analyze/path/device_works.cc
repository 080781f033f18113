#include "analyze/path/device_works.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>

namespace orrery::analyze {
namespace {

using causal::CausalGraph;
using causal::kNoPart;

constexpr std::uint32_t kNoDeviceWork = ~std::uint32_t{0};

/// One entry per owner that runs on a device.
std::vector<DeviceWork> collect(const CausalGraph& job) {
  std::vector<std::uint32_t> work_of_owner(job.owners.size(), kNoDeviceWork);
  std::vector<DeviceWork> works;
  for (graph::Slot slot = 0; slot < job.graph.edge_count(); ++slot) {
    const std::uint32_t owner = job.graph.edge_tag(slot);
    if (!causal::is_device(job.kind(slot)) || owner == graph::kNoTag || job.owners[owner].device < 0) continue;
    const graph::NodeId from = job.graph.source(slot), to = job.graph.target(slot);
    const std::uint32_t part = job.is_transfer(slot) ? job.part_of(from) : kNoPart;
    const graph::NodeId start = part == kNoPart ? from : job.parts[part].arrival;
    if (work_of_owner[owner] == kNoDeviceWork) {
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
