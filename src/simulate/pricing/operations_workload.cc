#include "simulate/pricing/operations_workload.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "workload/program_builder.h"

namespace orrery::simulate {
namespace {

using workload::ActivityKind;
using workload::Collective;

/// What one rank does of one operation.
enum class Part : std::uint8_t { member, sender, receiver };
using Parts = std::vector<std::pair<std::size_t, Part>>;

workload::Activity part_activity(const CommOp& op, std::size_t number, Part part, StringId group, std::size_t tag) {
  namespace activity = workload::activity;
  workload::Activity made{
      .id = number + 1, .kind = ActivityKind::collective, .flags = activity::kHasBytes, .bytes = op.bytes};
  if (op.kind == CommOp::Kind::message) {
    made.kind = part == Part::sender ? ActivityKind::send : ActivityKind::recv;
    made.flags |= activity::kHasTag | activity::kHasPeer;
    made.peer = static_cast<std::int32_t>(op.ranks[part == Part::sender ? 1 : 0]);
    made.tag = static_cast<std::int64_t>(tag);
    return made;
  }
  made.collective = op.collective;
  made.group_name = group;
  // There: what one rank puts in.
  if (op.collective == Collective::all_gather) made.bytes /= static_cast<std::int64_t>(op.ranks.size());
  return made;
}

}  // namespace

bool astra_simulates(const CommOp& op) {
  if (op.kind == CommOp::Kind::message) return true;
  if (!op.parts.empty()) return false;
  return op.collective == Collective::all_reduce || op.collective == Collective::all_gather ||
         op.collective == Collective::reduce_scatter || op.collective == Collective::all_to_all;
}

bool is_done_at_once(const CommOp& op) {
  if (op.kind == CommOp::Kind::message) return op.ranks.size() == 2 && op.ranks[0] == op.ranks[1];
  return op.ranks.size() < 2 || (op.bytes == 0 && op.collective != Collective::barrier);
}

workload::Workload workload_of(std::span<const CommOp> ops, std::uint32_t devices) {
  workload::Workload workload;
  std::vector<Parts> parts_of(devices);
  std::vector<StringId> groups(ops.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const CommOp& op = ops[i];
    if (op.kind == CommOp::Kind::message) {
      parts_of[op.ranks[0]].emplace_back(i, Part::sender);
      parts_of[op.ranks[1]].emplace_back(i, Part::receiver);
      continue;
    }
    for (const std::uint32_t rank : op.ranks) parts_of[rank].emplace_back(i, Part::member);
    if (op.ranks.size() == devices) continue;
    groups[i] = workload.strings.intern(std::to_string(workload.groups.size() + 1));
    workload.groups.push_back({groups[i], {op.ranks.begin(), op.ranks.end()}});
  }
  // Ranks that do the same share a program.
  std::map<Parts, std::uint32_t> program_of;
  for (const Parts& parts : parts_of) {
    const auto [found, fresh] = program_of.try_emplace(parts, static_cast<std::uint32_t>(workload.programs.size()));
    workload.program_of_rank.push_back(found->second);
    if (!fresh) continue;
    workload::ProgramBuilder builder;
    if (parts.empty()) builder.add({.id = 1, .kind = ActivityKind::compute});
    for (const auto& [i, part] : parts) builder.add(part_activity(ops[i], i, part, groups[i], i + 1));
    workload.programs.push_back(std::move(*std::move(builder).build()));
  }
  return workload;
}

std::size_t activity_of(const workload::Workload& workload, std::size_t op, std::uint32_t rank) {
  const workload::Program& program = workload.program(rank);
  return static_cast<std::size_t>(std::lower_bound(program.ids.begin(), program.ids.end(), op + 1) -
                                  program.ids.begin());
}

}  // namespace orrery::simulate
