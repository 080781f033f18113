#include "cli/workloads/link_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "analyze/schedule/link_sheets.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::LinkAnswer;

void write_linked_json(JsonWriter& json, const LinkAnswer& answer) {
  const report::Sheet ranks = analyze::linked_ranks_sheet(answer);
  json.key("ranks").begin_array();
  for (std::size_t r = 0; r < ranks.rows(); ++r) {
    const std::span<const std::size_t> this_one(&r, 1);
    json.begin_object();
    write_members(json, ranks, r);
    write_sheet(json, analyze::activity_counts_sheet(answer, this_one));
    write_sheet(json, analyze::dependency_counts_sheet(answer, this_one));
    write_sheet(json, analyze::replay_errors_sheet(answer, this_one));
    json.end_object();
  }
  json.end_array();
}

std::string link_text(const Invocation& invocation, const LinkAnswer& answer, std::span<const std::size_t> all) {
  double worst = 0;
  for (const causal::LinkedRank& rank : answer.ranks) worst = std::max(worst, rank.residual_percent());
  const std::size_t count = answer.ranks.size();
  std::string text = invocation.style().paint(
      report::Tone::strong,
      fmt::format("{} {} linked; replayed from dependencies and durations alone {} off by at most {:.4f} %.",
                  format_count(count), count == 1 ? "rank" : "ranks", count == 1 ? "it is" : "they are", worst));
  const auto table = [&](const report::Sheet& sheet) { return "\n" + to_text(sheet, invocation.view()); };
  text += "\n" + analyze::coverage_in_words(answer) + table(analyze::linked_ranks_sheet(answer)) +
          table(analyze::activity_counts_sheet(answer, all)) + table(analyze::dependency_counts_sheet(answer, all));
  if (!invocation.verbose()) return text;
  const report::Sheet errors = analyze::replay_errors_sheet(answer, all);
  return text +
         (errors.rows() == 0 ? "\nEvery activity replays at the very time it was recorded at.\n" : table(errors));
}

std::string link_csv(const LinkAnswer& answer, std::span<const std::size_t> all) {
  std::vector<report::Sheet> sheets;
  sheets.push_back(analyze::linked_ranks_sheet(answer));
  sheets.push_back(analyze::activity_counts_sheet(answer, all));
  sheets.push_back(analyze::dependency_counts_sheet(answer, all));
  sheets.push_back(analyze::replay_errors_sheet(answer, all));
  return report::to_csv(sheets);
}

}  // namespace

void report_link(Invocation& invocation, const job::LinkedJob& job) {
  std::vector<std::string> devices, hosts;
  for (const trace::RankTrace& rank : job.trace.ranks) devices.push_back(rank.source.path);
  for (const trace::HostTrace& host : job.hosts) hosts.push_back(host.size() == 0 ? "" : host.path);
  const LinkAnswer answer{job.ranks, job.workload, devices, hosts};
  std::vector<std::size_t> all(job.ranks.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  if (invocation.json()) write_linked_json(invocation.data(), answer);
  else invocation.text() = invocation.csv() ? link_csv(answer, all) : link_text(invocation, answer, all);
}

}  // namespace orrery::cli
