#include "ask/files/hang.h"

#include "analyze/hang/hang.h"
#include "analyze/hang/hang_sheets.h"

namespace orrery::ask {

Result<report::Answer> run(const HangRequest& request, Context& context) {
  const auto loaded = load_trace(context, request.recording, {.positions = false});
  if (!loaded) return loaded.error();
  const trace::Trace& job = **loaded;
  for (const trace::RankTrace& rank : job.ranks) {
    if (rank.source.format != "flight_recorder")
      return Error{"this is no dump of the Flight Recorder, but of the format " + rank.source.format, rank.source.path,
                   Error::kNoOffset, "hang looks at dumps; PyTorch writes them with TORCH_FR_BUFFER_SIZE=2000"};
  }
  const analyze::JobCalls calls = analyze::collect_calls(job);
  const analyze::Hang hang = analyze::find_hang(calls);
  const bool is_complete = hang.verdict == analyze::Verdict::complete;
  report::Answer answer = is_complete ? context.answer() : context.failed();
  answer.headline(analyze::sentence_of(calls, hang));
  if (answer.for_programs()) analyze::tell_hang(answer.facts(), calls, hang);
  constexpr std::size_t kRanksShown = 16;
  const std::size_t rows = context.verbose() ? calls.ranks.size() : kRanksShown;
  answer.table([&] { return analyze::hang_ranks_sheet(calls, hang); },
               {.view = {.rows = rows, .rest = "ranks", .merge_alike = true},
                .readers = report::Readers::people_and_tables,
                .after_gap = true});
  if (calls.groups.size() > 1)
    answer.table(
        [&] { return analyze::hang_groups_sheet(calls); },
        {.view = {.rows = rows, .rest = "groups"}, .readers = report::Readers::people_and_tables, .after_gap = true});
  return answer;
}

}  // namespace orrery::ask
