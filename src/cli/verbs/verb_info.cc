// orrery info: what is in these files.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analyze/check/info_sheets.h"
#include "analyze/check/trace_info.h"
#include "analyze/check/workload_info.h"
#include "cli/frame/load.h"
#include "cli/frame/verbs.h"
#include "cli/graphs/rank_questions.h"
#include "formats/kineto/raw_event.h"
#include "report/sheet_csv.h"
#include "report/sheet_json.h"
#include "report/sheet_text.h"

namespace orrery::cli {
namespace {

using analyze::DescribedRank;

std::string rank_text(const Invocation& invocation, const DescribedRank& described) {
  const trace::SourceInfo& source = described.rank->source;
  const std::string of_all = source.world_size && !source.is_run ? fmt::format(" of {}", *source.world_size) : "";
  std::string text = invocation.style().paint(
      report::Tone::strong, fmt::format("{}{}: {}", what_it_is(*described.rank), of_all, source.path));
  const std::vector<report::Sheet> sheets = analyze::info_sheets(std::span(&described, 1));
  report::SheetView categories = invocation.view();
  categories.indent = 2;
  return text + "\n" + to_lines(sheets[analyze::kRanksOfInfo], 0, 2) + "\n" +
         to_text(sheets[analyze::kCategoriesOfInfo], categories);
}

// What a rank consists of stands in its object: programs take one rank at a time.
void write_rank(JsonWriter& json, const DescribedRank& described) {
  const std::vector<report::Sheet> sheets = analyze::info_sheets(std::span(&described, 1));
  json.begin_object();
  write_members(json, sheets[analyze::kRanksOfInfo], 0);
  for (const report::Sheet& sheet : std::span(sheets).subspan(1)) write_sheet(json, sheet);
  json.key("properties").begin_object();
  for (const auto& [key, value] : described.rank->source.properties) json.field(key, value);
  json.end_object().end_object();
}

// One event in full: what the analyses use of it, and the text with the rest.
ExitCode show_event(Invocation& invocation) {
  const auto loaded = load_job(invocation, invocation.operands());
  if (!loaded) return invocation.fail(loaded.error());
  const trace::Trace& job = **loaded;
  const auto rank = choose_rank(invocation, job);
  if (!rank) return invocation.fail(rank.error());
  const trace::RankTrace& trace = **rank;
  const auto wanted = static_cast<std::uint64_t>(invocation.integer("event"));
  const auto* at = std::lower_bound(trace.ordinal.begin(), trace.ordinal.end(), wanted);
  if (at == trace.ordinal.end() || *at != wanted) {
    return invocation.fail(
        Error{fmt::format("entry {} is not an event with a time", wanted), trace.source.path, Error::kNoOffset,
              fmt::format("entries count from 0; there are {}", format_count(trace.source.entries))});
  }
  const auto event = static_cast<trace::EventIndex>(at - trace.ordinal.begin());
  // Other formats have no text of an event: what was read of it is shown.
  const bool has_text = trace.source.format == "kineto";
  const auto text = has_text ? kineto::read_event_text(trace.source.path, trace.source_offset[event])
                             : Result<std::string>(analyze::event_json(job, trace, event));
  if (!text) return invocation.fail(text.error());
  invocation.data().field("index", wanted).field("byte", trace.source_offset[event]).key("event").raw(*text);
  invocation.text() = *text + "\n";
  return ExitCode::ok;
}

ExitCode tell(Invocation& invocation, const trace::Trace& job, std::span<const DescribedRank> ranks) {
  if (invocation.csv()) {
    invocation.text() = report::to_csv(analyze::info_sheets(ranks));
    return ExitCode::ok;
  }
  invocation.data()
      .field("ranks_read", job.ranks.size())
      .field("epoch_unix_ns", job.epoch_unix_ns)
      .key("ranks")
      .begin_array();
  for (const DescribedRank& rank : ranks) {
    write_rank(invocation.data(), rank);
    invocation.text() += (invocation.text().empty() ? "" : "\n") + rank_text(invocation, rank);
  }
  invocation.data().end_array();
  return ExitCode::ok;
}

// Programs of which no times were recorded.
ExitCode tell_untimed(Invocation& invocation, const workload::Workload& workload, const std::string& path,
                      std::string_view format) {
  const std::vector<report::Sheet> sheets = analyze::workload_sheets(workload, path, format);
  if (invocation.csv()) {
    invocation.text() = report::to_csv(sheets);
    return ExitCode::ok;
  }
  JsonWriter& json = invocation.data();
  json.field("ranks_read", workload.rank_count()).key("workload").begin_object();
  write_members(json, sheets[analyze::kWorkloadOfInfo], 0);
  json.end_object();
  for (const report::Sheet& sheet : std::span(sheets).subspan(1)) write_sheet(json, sheet);
  report::SheetView view = invocation.view();
  view.indent = 2;
  invocation.text() = invocation.style().paint(report::Tone::strong, "workload: " + path) + "\n" +
                      to_lines(sheets[analyze::kWorkloadOfInfo], 0, 2) + "\n" +
                      to_text(sheets[analyze::kActivitiesOfInfo], view);
  if (sheets[analyze::kGroupsOfInfo].rows() > 0)
    invocation.text() += "\n" + to_text(sheets[analyze::kGroupsOfInfo], view);
  return ExitCode::ok;
}

ExitCode describe_one_rank(Invocation& invocation) {
  const auto loaded = load_job(invocation, invocation.operands(), {.one_rank = true});
  if (!loaded) return invocation.fail(loaded.error());
  const auto rank = choose_rank(invocation, **loaded);
  if (!rank) return invocation.fail(rank.error());
  const DescribedRank described{*rank, analyze::describe(**loaded, **rank)};
  return tell(invocation, **loaded, std::span(&described, 1));
}

ExitCode run_info(Invocation& invocation) {
  if (invocation.has("event")) return show_event(invocation);
  if (invocation.has("rank")) return describe_one_rank(invocation);
  const auto asked = ask_ranks(invocation, invocation.operands(), info_question());
  if (!asked) return invocation.fail(asked.error());
  if (asked->untimed != nullptr) return tell_untimed(invocation, *asked->untimed, asked->path, asked->format);
  const trace::Trace& job = *asked->job;
  std::vector<DescribedRank> ranks;
  for (std::size_t i = 0; i < job.ranks.size(); ++i) {
    PackedReader reader(asked->answers[i]);
    ranks.push_back({&job.ranks[i], analyze::unpack_info(reader)});
  }
  return tell(invocation, job, ranks);
}

}  // namespace

job::RankQuestion info_question() {
  return {"info", [](const trace::Trace& trace, const trace::RankTrace& rank) {
            PackedWriter writer;
            pack(analyze::describe(trace, rank), writer);
            return writer.take();
          }};
}

const Verb& info_verb() {
  static const Verb verb = {
      .name = "info",
      .summary = "what is in here: ranks, steps, devices, events, time span",
      .description =
          "Reads the traces and lists, for every rank: format and size, events by category, host threads and device "
          "streams, the recorded "
          "steps, devices, annotations "
          "and collectives. Of programs without recorded times (workloads, host traces of PyTorch): ranks, activities "
          "by kind, and groups.",
      .operands = {.name = "TRACE...",
                   .help = "files, folders or globs; several are several ranks",
                   .min = 1,
                   .max = Operands::kUnlimited},
      .flags = with_input_flags({
          csv_flag(),
          Flag{.name = "event",
               .value_name = "N",
               .kind = ValueKind::count,
               .help = "print entry N of the event list as written, with all its arguments"},
          Flag{.name = "rank",
               .value_name = "N",
               .kind = ValueKind::integer,
               .help = "this rank only (default: all; with --event, the lowest)"},
      }),
      .examples = {{"orrery info traces/", "every rank in the folder"},
                   {"orrery info trace.json.gz --event 4711", "one event in full"}},
      .run = run_info,
  };
  return verb;
}

}  // namespace orrery::cli
