#include "analyze/schedule/replay_remarks.h"

#include <fmt/format.h>

#include <string>

#include "workload/lane_names.h"

namespace orrery::analyze {
namespace {

constexpr DiagnosticKind kNoDuration{"R401", Severity::warning, "device work or communication without recorded times",
                                     "it takes no time"};
constexpr DiagnosticKind kNoStarts{"R402", Severity::note, "rank without recorded starts",
                                   "there is nothing to compare its replay with"};
constexpr DiagnosticKind kContradicted{
    "R403", Severity::warning, "dependency that the recording contradicts",
    "one started before the other had ended; the replay makes it wait and comes out later"};
constexpr DiagnosticKind kOnItsOwn{
    "R404", Severity::note, "communication that was replayed without its partners",
    "it takes as long as recorded, waiting included; give the files of all ranks to replay them together"};

// As Workload::describe, with the number of the rank's file: a single file of many is rank 0 of its workload, whatever
// it is called.
std::string describe_place(const ReplayAnswer& answer, std::size_t rank, std::size_t activity) {
  const std::string text = answer.workload.describe(rank, activity);
  return fmt::format("rank {}{}", answer.rank_numbers[rank], text.substr(text.find(',')));
}

std::string describe_place(const ReplayAnswer& answer, ReplaySummary::Place place) {
  return describe_place(answer, place.rank, place.activity);
}

}  // namespace

void remark_on_replay(const ReplayAnswer& answer, Diagnostics& diagnostics) {
  const ReplaySummary& summary = answer.summary;
  if (summary.without_duration > 0)
    diagnostics.add_many(kNoDuration, summary.without_duration, describe_place(answer, summary.first_without_duration));
  if (summary.contradicted > 0) {
    diagnostics.add_many(kContradicted, summary.contradicted,
                         fmt::format("{} after {}", describe_place(answer, summary.first_contradicted_target),
                                     describe_place(answer, summary.first_contradicted_source)));
  }
  for (std::size_t rank = 0; rank < summary.ranks.size(); ++rank) {
    if (summary.ranks[rank].recorded_ps == 0)
      diagnostics.add(kNoStarts, [&] { return fmt::format("rank {}", answer.rank_numbers[rank]); });
  }
}

void remark_on_missing_partners(const ReplayAnswer& answer, Diagnostics& diagnostics) {
  for (std::size_t rank = 0; rank < answer.workload.rank_count(); ++rank) {
    const workload::Program& program = answer.workload.program(rank);
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (workload::is_communication(program.kinds[i]))
        diagnostics.add(kOnItsOwn, [&] { return describe_place(answer, rank, i); });
    }
  }
}

}  // namespace orrery::analyze
