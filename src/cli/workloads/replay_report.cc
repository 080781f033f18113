#include "cli/workloads/replay_report.h"

#include <fmt/format.h>

#include "analyze/schedule/schedule_sheets.h"
#include "base/percent.h"
#include "report/counted.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::RankReplay;
using analyze::ReplayAnswer;
using simulate::RankUse;

std::string headline(const ReplayAnswer& answer, bool alone) {
  const std::size_t last = analyze::last_rank(answer.schedule);
  const RankReplay& rank = answer.summary.ranks[last];
  const std::size_t count = answer.summary.ranks.size();
  std::string text = count == 1 ? fmt::format("Rank {} replays", answer.rank_numbers[0])
                                : fmt::format("{} replay{}", report::counted(count, "rank"),
                                              alone ? ", each on its own," : " together");
  text += fmt::format(" in {}", format_duration(answer.schedule.makespan_ps()));
  if (count > 1) text += fmt::format("; the last is rank {}", answer.rank_numbers[last]);
  if (rank.recorded_ps != 0) {
    text += fmt::format(": {} where {} was recorded ({:+.2f} %)", format_duration(rank.replayed_ps),
                        format_duration(rank.recorded_ps), analyze::residual_percent(rank));
  }
  const RankUse& use = answer.schedule.ranks[last];
  if (use.communication_ps == 0) return text + ".\n";
  return text + fmt::format(". {:.1f} % of that is communication that no computation hides.\n",
                            share_percent(use.exposed_ps, rank.replayed_ps));
}

std::string lane_table(const Invocation& invocation, const ReplayAnswer& answer, std::size_t rank, bool all) {
  report::SheetView view = invocation.view();
  if (!all) {
    view.rows = report::kShownRows;
    view.largest = "busy";
    view.rest = "threads and streams, less busy";
  }
  const std::string table = to_text(analyze::lanes_sheet(answer, rank), view);
  return table.empty() ? "" : "\n" + table;
}

void write_json(JsonWriter& json, const ReplayAnswer& answer, bool alone) {
  json.field("makespan_us", to_us(answer.schedule.makespan_ps())).field("alone", alone).key("ranks").begin_array();
  const report::Sheet ranks = analyze::replayed_ranks_sheet(answer);
  for (std::size_t rank = 0; rank < ranks.rows(); ++rank) {
    json.begin_object();
    write_members(json, ranks, rank);
    write_sheet(json, analyze::lanes_sheet(answer, rank));
    json.end_object();
  }
  json.end_array();
  write_sheet(json, analyze::departures_sheet(answer));
}

}  // namespace

void report_replay(Invocation& invocation, const ReplayAnswer& answer, bool alone) {
  if (invocation.json()) return write_json(invocation.data(), answer, alone);
  std::string& text = invocation.text();
  if (invocation.csv()) {
    text = report::to_csv(analyze::replay_sheets(answer));
    return;
  }
  report::SheetView ranks = invocation.view();
  ranks.rows = report::kShownRows;
  ranks.largest = "finish";
  ranks.rest = "ranks, done earlier";
  ranks.merge_alike = true;
  text = invocation.style().paint(report::Tone::strong, headline(answer, alone)) + "\n" +
         to_text(analyze::replayed_ranks_sheet(answer), ranks);
  if (!invocation.verbose()) {
    text += lane_table(invocation, answer, analyze::last_rank(answer.schedule), false);
    return;
  }
  for (std::size_t rank = 0; rank < answer.summary.ranks.size(); ++rank)
    text += lane_table(invocation, answer, rank, true);
  if (const std::string departures = to_text(analyze::departures_sheet(answer), invocation.view()); !departures.empty())
    text += "\n" + departures;
}

}  // namespace orrery::cli
