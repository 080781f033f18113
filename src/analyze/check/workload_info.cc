#include "analyze/check/workload_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "workload/matching.h"
#include "workload/resolve_roles.h"

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

namespace {

using report::Cell;
using report::Sheet;
using report::Type;
using report::Unit;
using workload::ActivityKind;
using workload::Program;

constexpr DiagnosticKind kDoesNotFit{"C312", Severity::error, "ranks of a workload that do not fit together",
                                     "no simulation of it can end; make or record it again, or give its groups"};
constexpr DiagnosticKind kRanksMissing{"C313", Severity::warning,
                                       "ranks that the files of a workload speak of, and that are not there",
                                       "what they exchange with those that are there could not be checked"};

// Past this, members are counted, not listed.
constexpr std::size_t kMostListed = 64;

/// What one kind of activity adds up to over all ranks.
struct KindSum {
  std::uint64_t count = 0, ranks = 0, bytes = 0, operations = 0, on_host = 0;
  bool has_bytes = false, has_operations = false;
};

std::string kind_in_words(const Program& program, std::size_t i) {
  return std::string(program.kinds[i] == ActivityKind::collective ? to_string(program.collectives[i])
                                                                  : to_string(program.kinds[i]));
}

void add_saturating(std::uint64_t& to, std::uint64_t value, std::uint64_t times) {
  std::uint64_t product = 0;
  // Sums over all ranks may well exceed what a sheet's number holds.
  if (__builtin_mul_overflow(value, times, &product) || __builtin_add_overflow(to, product, &to)) to = INT64_MAX;
  to = std::min<std::uint64_t>(to, INT64_MAX);
}

/// Programs that many ranks share are looked at once.
std::map<std::string, KindSum> sums_by_kind(const workload::Workload& workload) {
  std::vector<std::uint64_t> ranks_of_program(workload.programs.size(), 0);
  for (const std::uint32_t program : workload.program_of_rank) ++ranks_of_program[program];
  std::map<std::string, KindSum> sums;
  for (std::size_t p = 0; p < workload.programs.size(); ++p) {
    const Program& program = workload.programs[p];
    std::map<std::string, KindSum> own;
    for (std::size_t i = 0; i < program.size(); ++i) {
      KindSum& sum = own[kind_in_words(program, i)];
      ++sum.count;
      if (program.has(i, workload::activity::kOnHost)) ++sum.on_host;
      if (program.has(i, workload::activity::kHasBytes)) {
        sum.has_bytes = true;
        add_saturating(sum.bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(0, program.bytes[i])), 1);
      }
      if (program.has(i, workload::activity::kHasOperations)) {
        sum.has_operations = true;
        add_saturating(sum.operations, static_cast<std::uint64_t>(std::max<std::int64_t>(0, program.operations[i])), 1);
      }
    }
    for (const auto& [kind, sum] : own) {
      KindSum& all = sums[kind];
      // A program counts for every rank that runs it.
      all.ranks += ranks_of_program[p];
      add_saturating(all.count, sum.count, ranks_of_program[p]);
      add_saturating(all.on_host, sum.on_host, ranks_of_program[p]);
      add_saturating(all.bytes, sum.bytes, ranks_of_program[p]);
      add_saturating(all.operations, sum.operations, ranks_of_program[p]);
      all.has_bytes = all.has_bytes || sum.has_bytes;
      all.has_operations = all.has_operations || sum.has_operations;
    }
  }
  return sums;
}

Sheet workload_sheet(const workload::Workload& workload, const std::string& path, std::string_view format) {
  Sheet sheet("workload");
  sheet.add({.name = "path", .title = "path"}).add({.name = "format", .title = "format"});
  for (const char* name : {"ranks", "programs", "activities", "dependencies", "groups", "roles"})
    sheet.add({.name = name, .type = Type::integer, .title = name});
  sheet.add({.name = "times", .title = "times", .people_only = true});
  std::uint64_t activities = 0, dependencies = 0;
  for (std::size_t rank = 0; rank < workload.rank_count(); ++rank) {
    activities += workload.program(rank).size();
    dependencies += workload.program(rank).dependencies.edge_count();
  }
  sheet.add_row({path, format, workload.rank_count(), workload.programs.size(), activities, dependencies,
                 workload.groups.size(), workload.roles.size(),
                 "no durations are recorded: orrery simulate gives it some"});
  return sheet;
}

Sheet activities_sheet(const workload::Workload& workload) {
  Sheet sheet("activities");
  sheet.add({.name = "kind", .title = "kind"});
  for (const char* name : {"count", "ranks"}) sheet.add({.name = name, .type = Type::integer, .title = name});
  sheet.add({.name = "bytes", .type = Type::integer, .unit = Unit::bytes, .title = "bytes"});
  sheet.add({.name = "operations", .type = Type::integer, .title = "operations"});
  sheet.add({.name = "on_host", .type = Type::integer, .title = "on the host"});
  const std::map<std::string, KindSum> sums = sums_by_kind(workload);
  std::vector<std::pair<std::string, KindSum>> sorted(sums.begin(), sums.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second.count > b.second.count; });
  for (const auto& [kind, sum] : sorted) {
    sheet.add_row({kind, sum.count, sum.ranks, sum.has_bytes ? Cell(sum.bytes) : Cell(nullptr),
                   sum.has_operations ? Cell(sum.operations) : Cell(nullptr), sum.on_host});
  }
  return sheet;
}

Sheet named_groups_sheet(const workload::Workload& workload) {
  Sheet sheet("groups");
  sheet.add({.name = "group", .title = "group"});
  sheet.add({.name = "members", .type = Type::integer, .title = "members"});
  sheet.add({.name = "ranks", .type = Type::integers, .title = "ranks"});
  for (const workload::CommGroup& group : workload.groups) {
    const std::string ranks =
        group.ranks.size() > kMostListed ? std::string() : fmt::format("{}", fmt::join(group.ranks, ", "));
    sheet.add_row({workload.strings.text(group.name), group.ranks.size(), ranks.empty() ? Cell(nullptr) : Cell(ranks)});
  }
  for (const workload::Role& role : workload.roles)
    sheet.add_row({workload.strings.text(role.name), role.size(), nullptr});
  return sheet;
}

}  // namespace

std::vector<Sheet> workload_sheets(const workload::Workload& workload, const std::string& path,
                                   std::string_view format) {
  std::vector<Sheet> sheets;
  sheets.push_back(workload_sheet(workload, path, format));
  sheets.push_back(activities_sheet(workload));
  sheets.push_back(named_groups_sheet(workload));
  return sheets;
}

void check_workload(const workload::Workload& workload, Diagnostics& diagnostics) {
  if (workload.recorded_ranks > workload.rank_count()) {
    diagnostics.add(kRanksMissing,
                    [&] { return fmt::format("{} of {} are there", workload.rank_count(), workload.recorded_ranks); });
    return;  // of some ranks nothing can be said: their partners may be the others
  }
  // A rank alone may be one of many: its file does not say.
  if (workload.rank_count() < 2) return;
  const Result<workload::Matching> matching = workload::Matching::of(workload);
  if (!matching) diagnostics.add(kDoesNotFit, [&] { return matching.error().message; });
}

}  // namespace orrery::analyze
