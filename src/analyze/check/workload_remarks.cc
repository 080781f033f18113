#include "analyze/check/workload_remarks.h"

#include <string>
#include <vector>

namespace orrery::analyze {
namespace {

constexpr DiagnosticKind kNoComputeDuration{"S103", Severity::warning, "compute node without a recorded duration",
                                            "it takes no time; a roofline would compute it from operations and bytes"};
constexpr DiagnosticKind kNoPriorities{
    "S106", Severity::note, "collective with a priority, which has no effect here",
    "collectives of a group keep their order, and those of different groups share the links"};
constexpr DiagnosticKind kNoExcludedDims{
    "S107", Severity::warning, "collective that leaves out dimensions of the network",
    "it is taken to span its whole group; name the ranks that take part in a file of groups"};

constexpr DiagnosticKind kNoOperations{"S115", Severity::warning, "compute node that does not say how much it computes",
                                       "it takes its recorded duration, whatever the rates of the machine"};

bool lacks_duration(const workload::Program& program, std::size_t i) {
  return program.kinds[i] == workload::ActivityKind::compute && program.duration_ps(i) == 0 &&
         program.has(i, workload::activity::kHasOperations);
}

bool lacks_operations(const workload::Program& program, std::size_t i) {
  using namespace workload::activity;
  return program.kinds[i] == workload::ActivityKind::compute && program.duration_ps(i) > 0 &&
         !program.has(i, kOnHost) && !program.has(i, kHasOperations) && !program.has(i, kHasBytes);
}

/// Counts the activities of all ranks for which `is_meant` holds, and names the first.
template <typename Predicate>
void remark_on(const DiagnosticKind& kind, const workload::Workload& workload, Predicate is_meant,
               Diagnostics& diagnostics) {
  std::vector<std::uint64_t> of_program;  // ranks share programs: each is looked through once
  for (const workload::Program& program : workload.programs) {
    std::uint64_t found = 0;
    for (std::size_t i = 0; i < program.size(); ++i) found += is_meant(program, i) ? 1 : 0;
    of_program.push_back(found);
  }
  std::uint64_t count = 0;
  std::string example;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const std::uint64_t found = of_program[workload.program_of_rank[rank]];
    for (std::size_t i = 0; found > 0 && example.empty(); ++i) {
      if (is_meant(workload.program(rank), i)) example = workload.describe(rank, i);
    }
    count += found;
  }
  if (count > 0) diagnostics.add_many(kind, count, example);
}

}  // namespace

void remark_on_missing_durations(const workload::Workload& workload, Diagnostics& diagnostics) {
  remark_on(kNoComputeDuration, workload, lacks_duration, diagnostics);
}

void remark_on_missing_operations(const workload::Workload& workload, Diagnostics& diagnostics) {
  remark_on(kNoOperations, workload, lacks_operations, diagnostics);
}

void remark_on_unused_attributes(const workload::Workload& workload, Diagnostics& diagnostics) {
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    const workload::Program& program = workload.program(rank);
    // Few workloads have either; columns that nobody filled are empty.
    if (program.priorities.values().empty() && program.excluded_dims.values().empty()) continue;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (program.kinds[i] != workload::ActivityKind::collective) continue;
      const auto describe = [&] { return workload.describe(rank, i); };
      if (program.priorities[i] != 0) diagnostics.add(kNoPriorities, describe);
      if (program.excluded_dims[i] != 0) diagnostics.add(kNoExcludedDims, describe);
    }
  }
}

}  // namespace orrery::analyze
