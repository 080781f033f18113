#include "ask/files/info.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "analyze/check/trace_info.h"
#include "analyze/check/workload_info.h"
#include "formats/kineto/other_arguments.h"

namespace orrery::ask {
namespace {

using analyze::DescribedRank;
using report::Readers;

void tell_info_sheets(report::Answer& answer, std::span<const DescribedRank> ranks) {
  std::vector<report::Sheet> sheets = analyze::info_sheets(ranks);
  for (std::size_t s = 0; s < sheets.size(); ++s) {
    report::Shown shown{.view = {.indent = 2}, .readers = Readers::programs_and_tables};
    if (s == analyze::kRanksOfInfo)
      shown.readers = Readers::all, shown.form = report::Form::members, shown.as_lines = true;
    if (s == analyze::kCategoriesOfInfo) answer.gap(), shown.readers = Readers::all;
    answer.table(std::move(sheets[s]), shown);
  }
}

/// Tables have all ranks together; people and programs take one rank at a time.
void tell_info(report::Answer& answer, const trace::Trace& job, std::span<const DescribedRank> ranks) {
  if (answer.for_tables()) return tell_info_sheets(answer, ranks);
  report::Facts& facts = answer.facts();
  facts.field("ranks_read", job.ranks.size()).field("epoch_unix_ns", job.epoch_unix_ns).key("ranks").begin_array();
  for (const DescribedRank& described : ranks) {
    const trace::SourceInfo& source = described.rank->source;
    const std::string of_all = source.world_size && !source.is_run ? fmt::format(" of {}", *source.world_size) : "";
    if (&described != ranks.data()) answer.gap();
    answer.line(fmt::format("{}{}: {}", what_it_is(*described.rank), of_all, source.path), report::Tone::strong);
    facts.begin_object();
    tell_info_sheets(answer, std::span(&described, 1));
    facts.key("recorded_with").begin_array();
    for (const std::string_view word : analyze::recorded_with(described)) facts.value(word);
    facts.end_array();
    facts.key("properties").begin_object();
    for (const auto& [key, value] : source.properties) facts.field(key, value);
    facts.end_object().end_object();
  }
  facts.end_array();
}

/// Programs of which no times were recorded.
void tell_untimed(report::Answer& answer, const workload::Workload& workload, const std::string& path,
                  std::string_view format) {
  answer.line("workload: " + path, report::Tone::strong);
  answer.facts().field("ranks_read", workload.rank_count());
  std::vector<report::Sheet> sheets = analyze::workload_sheets(workload, path, format);
  for (std::size_t s = 0; s < sheets.size(); ++s) {
    const bool is_one_row = s == analyze::kWorkloadOfInfo;
    if (!is_one_row && (s != analyze::kGroupsOfInfo || sheets[s].rows() > 0)) answer.gap();
    answer.table(
        std::move(sheets[s]),
        {.view = {.indent = 2}, .form = is_one_row ? report::Form::row : report::Form::rows, .as_lines = is_one_row});
  }
}

/// One event in full: what the analyses use of it, and the text with the rest.
Result<report::Answer> answer_of_event(Context& context, const RecordingRequest& request, std::uint64_t wanted) {
  const auto loaded = load_trace(context, request, {.launch_arrows = true});
  if (!loaded) return loaded.error();
  const trace::Trace& job = **loaded;
  const auto rank = choose_rank(job, request.rank);
  if (!rank) return rank.error();
  const trace::RankTrace& trace = **rank;
  const auto* at = std::lower_bound(trace.ordinal.begin(), trace.ordinal.end(), wanted);
  if (at == trace.ordinal.end() || *at != wanted) {
    return Error{fmt::format("entry {} is not an event with a time", wanted), trace.source.path, Error::kNoOffset,
                 fmt::format("entries count from 0; there are {}", format_count(trace.source.entries))};
  }
  const auto event = static_cast<trace::EventIndex>(at - trace.ordinal.begin());
  // Other formats have no text of an event: what was read of it is shown.
  const bool has_text = trace.source.format == "kineto";
  const auto text = has_text ? kineto::read_event_text(trace.source.path, trace.source_offset[event])
                             : Result<std::string>(analyze::event_json(job, trace, event));
  if (!text) return text.error();
  report::Answer answer = context.answer();
  answer.line(*text);
  answer.facts().field("index", wanted).field("byte", trace.source_offset[event]).key("event").raw(*text);
  answer.table(
      [&] {
        report::Sheet sheet("event");
        sheet.add({.name = "index", .type = report::Type::integer})
            .add({.name = "byte", .type = report::Type::integer})
            .add({.name = "event"});
        sheet.add_row({wanted, trace.source_offset[event], *text});
        return sheet;
      },
      {.readers = Readers::tables});
  return answer;
}

}  // namespace

Result<report::Answer> run(const InfoRequest& request, Context& context) {
  if (request.event) return answer_of_event(context, request.recording, *request.event);
  report::Answer answer = context.answer();
  if (request.recording.rank) {
    const auto loaded = load_trace(context, request.recording, {.launch_arrows = true, .one_rank = true});
    if (!loaded) return loaded.error();
    const auto rank = choose_rank(**loaded, request.recording.rank);
    if (!rank) return rank.error();
    const DescribedRank described{*rank, analyze::describe(**loaded, **rank)};
    tell_info(answer, **loaded, std::span(&described, 1));
    return answer;
  }
  const auto asked = ask_ranks(context, request.recording, info_question());
  if (!asked) return asked.error();
  if (asked->untimed != nullptr) {
    tell_untimed(answer, *asked->untimed, asked->path, asked->format);
    return answer;
  }
  std::vector<DescribedRank> ranks;
  for (std::size_t i = 0; i < asked->job->ranks.size(); ++i) {
    PackedReader reader(asked->answers[i]);
    ranks.push_back({&asked->job->ranks[i], analyze::unpack_info(reader)});
  }
  tell_info(answer, *asked->job, ranks);
  return answer;
}

job::RankQuestion info_question() {
  return {"info", [](const trace::Trace& trace, const trace::RankTrace& rank) {
            PackedWriter writer;
            pack(analyze::describe(trace, rank), writer);
            return writer.take();
          }};
}

}  // namespace orrery::ask
