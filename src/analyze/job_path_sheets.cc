#include "analyze/job_path_sheets.h"

#include "analyze/path_sheets.h"

namespace orrery::analyze {
namespace {

using report::Sheet;
using report::Type;
using report::Unit;

double share_of(TimePs part, TimePs whole) { return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole); }

}  // namespace

Sheet path_ranks_sheet(const link::JobGraph& job, const JobPath& path) {
  Sheet sheet("ranks");
  sheet.add({.name = "rank", .type = Type::integer, .title = "rank"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on the path"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (std::size_t r = 0; r < path.ranks.size(); ++r)
    sheet.add_row({job.ranks[r].rank, path.ranks[r], share_of(path.ranks[r], path.length())});
  return sheet;
}

Sheet path_groups_sheet(const link::JobGraph& job, const JobPath& path) {
  Sheet sheet("groups");
  sheet.add({.name = "what", .title = "transfers"})
      .add({.name = "group", .title = "group"})
      .add({.name = "on_path", .type = Type::time, .unit = Unit::us, .title = "on the path"})
      .add({.name = "share", .type = Type::real, .unit = Unit::pct, .title = "share", .with_bar = true});
  for (const TransferShare& share : path.transfers)
    sheet.add_row({job.strings.text(share.what), job.strings.text(share.group), share.on_path, share_of(share.on_path, path.length())});
  return sheet;
}

Sheet hops_sheet(const link::JobGraph& job, const JobPath& path) {
  Sheet sheet("hops");
  sheet.add({.name = "at", .type = Type::time, .unit = Unit::us, .title = "at"})
      .add({.name = "from", .type = Type::integer, .title = "from rank"})
      .add({.name = "to", .type = Type::integer, .title = "to rank"})
      .add({.name = "what", .title = "waits in"})
      .add({.name = "group", .title = "group"})
      .add({.name = "name"});
  for (const Hop& hop : path.hops) {
    const link::JobOperation& operation = job.operations[hop.operation];
    sheet.add_row({hop.at, job.ranks[hop.from].rank, job.ranks[hop.to].rank, job.strings.text(operation.what),
                   job.strings.text(operation.group), job.strings.text(operation.name)});
  }
  return sheet;
}

Sheet job_contributors_sheet(const link::JobGraph& job, const JobPath& path) {
  return contributors_sheet(job.strings, path.sums.contributors, job.ranks);
}

std::vector<Sheet> job_path_sheets(const link::JobGraph& job, const JobPath& path) {
  std::vector<Sheet> sheets;
  sheets.push_back(bound_by_sheet(path.sums));
  sheets.push_back(path_ranks_sheet(job, path));
  sheets.push_back(path_groups_sheet(job, path));
  sheets.push_back(hops_sheet(job, path));
  sheets.push_back(job_contributors_sheet(job, path));
  return sheets;
}

}  // namespace orrery::analyze
