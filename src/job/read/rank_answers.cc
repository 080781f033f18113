#include "job/read/rank_answers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/packed.h"
#include "base/parallel.h"
#include "job/read/registry.h"
#include "job/read/rules_input.h"
#include "job/read/shared_reading.h"
#include "job/read/trace_input.h"
#include "trace/outline.h"
#include "trace/read_rank.h"

// Whoever reads a file asks its rank at once and keeps the answer and an outline: processes of a team, or threads here.
// The outlines are then joined to a job without events, which numbers and orders the ranks, and answers follow that
// order.

namespace orrery::job {
namespace {

constexpr std::string_view kAskRankTask = "ask rank";

/// A rank that was read and asked: what joining needs of it, and what it said.
struct AskedRank {
  trace::ReadRank outline;
  std::string answer;
};

Result<AskedRank> ask_file(const formats::Format& format, const RankQuestion& question, const std::string& path,
                           const formats::TraceOptions& options, std::shared_ptr<const trace::Rules> rules) {
  Result<trace::ReadRank> read = format.read_rank(path, options);
  if (!read) return read.error();
  trace::Trace alone;
  alone.rules = std::move(rules);
  // The first rank of a job sets its epoch: it always fits.
  trace::add_rank(alone, std::move(read->rank), read->strings);
  // Its texts are in the trace now: one table is enough.
  read->strings = Interner();
  AskedRank asked;
  asked.answer = question.answer(alone, alone.ranks.front());
  asked.outline.rank = trace::outline_of(alone.ranks.front());
  asked.outline.diagnostics = std::move(read->diagnostics);
  return asked;
}

class RankQuestionTask : public SharedTask {
 public:
  RankQuestionTask(const formats::Format& format, RankQuestion question, bool salvage,
                   std::shared_ptr<const trace::Rules> rules)
      : format_(format), question_(question), rules_(std::move(rules)) {
    options_.salvage = salvage;
  }

  std::vector<std::optional<std::string>> run(std::span<const SharedItem> items) override {
    std::vector<std::optional<std::string>> results;
    for (const SharedItem& item : items) {
      const Result<AskedRank> asked = ask_file(format_, question_, std::string(item.content), options_, rules_);
      results.push_back(
          asked ? std::optional(PackedWriter().text(trace::to_bytes(asked->outline)).text(asked->answer).take())
                : std::nullopt);
    }
    return results;
  }

 private:
  const formats::Format& format_;
  RankQuestion question_;
  std::shared_ptr<const trace::Rules> rules_;
  formats::TraceOptions options_;
};

/// All files, each by whoever takes it.
class FilesAsked {
 public:
  FilesAsked(const Source& source, const RankQuestion& question, const Reading& reading,
             std::shared_ptr<const trace::Rules> rules)
      : source_(source),
        question_(question),
        reading_(reading),
        rules_(std::move(rules)),
        asked_(source.files.size()),
        errors_(source.files.size()) {}

  Result<RankAnswers> ask() {
    ProcessTeam* const team = process_team();
    if (team != nullptr && team->is_idle() && asked_.size() > 1) ask_team(*team);
    else parallel_for(asked_.size(), [&](std::size_t i) { ask_here(i); });
    // Of several errors that of the first file is told, whoever was first.
    for (const std::optional<Error>& error : errors_) {
      if (error) return *error;
    }
    return join();
  }

 private:
  void ask_here(std::size_t i) {
    const formats::TraceOptions options{
        .salvage = reading_.salvage,
        .in_parts = asked_.size() < thread_count(),  // a file per thread is enough to do
        .on_progress = reading_.on_progress};
    Result<AskedRank> asked = ask_file(*source_.format, question_, source_.files[i], options, rules_);
    if (asked) asked_[i] = std::move(*asked);
    else errors_[i] = asked.error();
  }

  void ask_team(ProcessTeam& team) {
    const auto here = [&](std::span<const std::size_t> which) {
      for (const std::size_t i : which) ask_here(i);
    };
    const auto take = [&](std::size_t i, std::string_view bytes) {
      PackedReader reader(bytes);
      Result<trace::ReadRank> outline = trace::read_rank_from_bytes(reader.text(), source_.files[i]);
      if (outline) asked_[i] = {std::move(*outline), std::string(reader.text())};
      else errors_[i] = outline.error();
      if (reading_.on_progress) reading_.on_progress(bytes_of(source_.files[i]));
    };
    PackedWriter about;
    about.text(source_.format->name).text(question_.name).number(reading_.salvage ? 1 : 0);
    pack_rules(about, *rules_);
    ProcessTeam::Work work(team, kAskRankTask, about.take());
    work.run({.order = largest_first(source_.files), .content = [&](std::size_t i) { return source_.files[i]; }}, here,
             take);
  }

  Result<RankAnswers> join() {
    std::map<std::string, std::string> answers;  // by file: joining puts the ranks in their order
    std::vector<trace::ReadRank> outlines;
    for (AskedRank& asked : asked_) {
      answers[asked.outline.rank.source.path] = std::move(asked.answer);
      outlines.push_back(std::move(asked.outline));
    }
    Result<trace::Trace> job = source_.format->join_ranks(source_.files, std::move(outlines), reading_.diagnostics, {});
    if (!job) return job.error();
    job->rules = rules_;
    RankAnswers all{std::make_shared<const trace::Trace>(std::move(*job)), {}};
    for (const trace::RankTrace& rank : all.job->ranks) all.answers.push_back(answers.at(rank.source.path));
    return all;
  }

  const Source& source_;
  const RankQuestion& question_;
  const Reading& reading_;
  std::shared_ptr<const trace::Rules> rules_;
  std::vector<AskedRank> asked_;
  std::vector<std::optional<Error>> errors_;
};

}  // namespace

std::vector<std::string> answers_of(const RankQuestion& question, const trace::Trace& job) {
  std::vector<std::string> answers;
  for (const trace::RankTrace& rank : job.ranks) answers.push_back(question.answer(job, rank));
  return answers;
}

Result<RankAnswers> ask_ranks(const Source& source, const RankQuestion& question, const Reading& reading) {
  // Formats whose ranks can only be understood together are read as a whole.
  if (source.format->read_rank == nullptr || !source.format->joins_outlines) {
    Result<TraceInput> input = read_trace(source, {.launch_arrows = true, .untimed = true}, reading);
    if (!input) return input.error();
    RankAnswers all{std::make_shared<const trace::Trace>(std::move(input->trace)),
                    {},
                    input->untimed,
                    source.prefix.empty() ? source.files.front() : source.prefix,
                    std::string(source.format->name)};
    all.answers = answers_of(question, *all.job);
    return all;
  }
  auto rules = rules_of(reading);
  if (!rules) return rules.error();
  for (const std::string& file : source.files) {
    if (const Status told = reading.tell(file); !told) return told.error();
  }
  return FilesAsked(source, question, reading, std::move(*rules)).ask();
}

SharedTaskKind rank_question_task(std::vector<RankQuestion> questions) {
  return {kAskRankTask, [questions = std::move(questions)](std::string_view about) -> std::unique_ptr<SharedTask> {
            PackedReader reader(about);
            const formats::Format* const format = format_called(reader.text());
            const std::string_view name = reader.text();
            const bool salvage = reader.number() != 0;
            std::shared_ptr<const trace::Rules> rules = unpack_rules(reader);
            const auto question =
                std::find_if(questions.begin(), questions.end(), [&](const RankQuestion& q) { return q.name == name; });
            // Without a task the process takes no part, and the others do its share.
            if (!reader.ok() || format == nullptr || rules == nullptr || question == questions.end()) return nullptr;
            return std::make_unique<RankQuestionTask>(*format, *question, salvage, std::move(rules));
          }};
}

}  // namespace orrery::job
