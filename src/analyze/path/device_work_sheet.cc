#include "analyze/path/device_work_sheet.h"

#include "base/percent.h"

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
    const TimePs time = sum.is_rest ? all - listed : found == on_path.end() ? 0 : found->second;
    listed += time;
    sheet.add_row({sum.is_rest ? report::Cell(nullptr) : report::Cell(name), sum.names, identifier(kind_of(sum.type)),
                   sum.calls.count, sum.calls.sum, sum.calls.mean, sum.calls.least, sum.calls.most, time,
                   share_percent(time, length)});
  }
  return sheet;
}

}  // namespace orrery::analyze
