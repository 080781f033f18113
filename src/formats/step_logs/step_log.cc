#include "formats/step_logs/step_log.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/io/file_content.h"
#include "base/json/json_members.h"
#include "base/numbers.h"
#include "formats/step_logs/diagnostics.h"
#include "formats/step_logs/log_rank.h"
#include "formats/step_logs/log_time.h"

namespace orrery::step_logs {
namespace {

constexpr Int128 kMaxLength = trace::kMaxMomentPs;          // of a phase: more is no time of a step
constexpr std::int64_t kMostPhases = 1000;                  // of a line: phases are numbered within their step
constexpr std::int64_t kHighestNumber = 1'000'000'000'000;  // of a step, so that its phases have numbers, too

template <std::size_t kCount>
bool is_any(std::string_view key, const std::array<std::string_view, kCount>& names) {
  return std::find(names.begin(), names.end(), key) != names.end();
}

constexpr std::array<std::string_view, 2> kRankKeys = {"rank", "global_rank"};
constexpr std::array<std::string_view, 3> kStepKeys = {"step", "iteration", "iter"};
constexpr std::array<std::string_view, 2> kMomentKeys = {"time", "timestamp"};
constexpr std::array<std::string_view, 3> kWholeKeys = {"step_time", "iteration_time", "elapsed"};

/// What a phase of this name does, as collectives are called elsewhere; empty: it communicates with nobody.
std::string_view collective_called(std::string_view phase) {
  const auto has = [&](std::string_view word) { return phase.find(word) != std::string_view::npos; };
  if (has("reduce_scatter") || has("reducescatter")) return "reduce_scatter";
  if (has("all_gather") || has("allgather")) return "allgather";
  if (has("all_to_all") || has("alltoall")) return "alltoall";
  if (has("reduce")) return "allreduce";
  // Whatever it is, a log has one time of it per rank, and all ranks are in it.
  return has("gather") || has("scatter") || has("comm") || has("barrier") || has("sync") ? "barrier" : "";
}

struct Phase {
  std::string_view name;
  Int128 time = 0;
};

struct StepLine {
  std::optional<std::int64_t> rank, step;
  std::optional<Int128> end;
  Int128 whole = 0;
  std::vector<Phase> phases;

  [[nodiscard]] Int128 length() const {
    Int128 sum = 0;
    for (const Phase& phase : phases) sum += phase.time;
    return std::max(sum, whole);
  }
};

/// False: no object, or a number that is none where one is needed.
bool parse_line(std::string_view line, std::vector<JsonMember>& members, StepLine& out) {
  members.clear();
  out = {};
  if (!line.starts_with('{') || !list_members(line, members)) return false;
  for (const auto& [key, value] : members) {
    const std::string_view name = without_unit(key);
    const std::optional<int> unit = unit_of_key(key);
    if (is_any(key, kRankKeys)) {
      std::int64_t rank = -1;
      if (!parse_number(value, rank) || rank < 0) return false;
      if (!out.rank || key == kRankKeys[1]) out.rank = rank;  // a rank may be that of the node
    } else if (is_any(key, kStepKeys)) {
      std::int64_t step = -1;
      if (!parse_number(value, step) || step < 0 || step > kHighestNumber) return false;
      if (!out.step) out.step = step;
    } else if (is_any(name, kMomentKeys)) {
      // Some write a date, which is no number: then the length of the steps is all that is known.
      if (const auto end = exact_ps(value, unit.value_or(unit_of_moment(value)))) out.end = end;
    } else if (is_any(name, kWholeKeys) || unit) {
      const auto time = exact_ps(value, unit.value_or(0));
      if (!time) continue;  // a text or a list that only is called like a time
      if (*time < 0 || *time > kMaxLength) return false;
      if (is_any(name, kWholeKeys)) out.whole = *time;
      else if (static_cast<std::int64_t>(out.phases.size()) < kMostPhases) out.phases.push_back({name, *time});
    }
  }
  return out.rank && out.step && (out.end || !out.phases.empty() || out.whole > 0);
}

class StepLogReader {
 public:
  StepLogReader(const LogText& content, Diagnostics& diagnostics) : content_(content), diagnostics_(diagnostics) {}

  Result<trace::Trace> read() {
    std::string_view rest = content_.bytes;
    std::vector<JsonMember> members;
    StepLine line;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      std::string_view text = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
      if (text.empty()) continue;
      if (!parse_line(text, members, line) || !take(line, content_.offset_of(text.data())))
        diagnostics_.add(kBadLine, [&] { return content_.describe(text.data()); });
    }
    if (ranks_.empty())
      return Error{"no line of this log can be used", content_.path, 0,
                   "each has a rank, a step and a time: {\"rank\": 0, \"step\": 1, \"forward_ms\": 30.1, ...}"};
    trace::Trace job;
    for (auto& [number, read] : ranks_) {
      read.rank.rank = number;
      read.rank.source.rank = number;
      read.rank.source.world_size = static_cast<std::int64_t>(ranks_.size());
      read.rank.source.communicates = true;
      if (!trace::add_rank(job, std::move(read.rank), read.strings))
        return Error{"ranks of this log are more than 26 days apart", content_.path, Error::kNoOffset,
                     "are these the logs of two runs?"};
    }
    return job;
  }

 private:
  struct RankSteps {
    trace::RankTrace rank;
    Interner strings;
    std::set<std::int64_t> steps;
    Int128 end = 0;  // of its last line
  };

  bool take(const StepLine& line, std::uint64_t offset) {
    RankSteps& of_rank = ranks_[*line.rank];
    trace::RankTrace& rank = of_rank.rank;
    if (rank.event_count() == 0) content_.describe_source(rank.source, "step_log");
    if (!of_rank.steps.insert(*line.step).second) {
      diagnostics_.add(kStepTwice,
                       [&] { return "step " + std::to_string(*line.step) + " of rank " + std::to_string(*line.rank); });
      return true;
    }
    LogRank log(rank, of_rank.strings);
    // Without a moment, steps lie end to end.
    const Int128 length = line.length();
    const Int128 end = line.end.value_or(of_rank.end + length);
    of_rank.end = end;
    Int128 now = end - length;
    log.add_step(*line.step, now, end, offset);
    std::int64_t place = 0;
    for (const Phase& phase : line.phases) {
      const auto event =
          log.add(trace::Activity::cpu_operator, phase.name, LogRank::kSteps, now, now + phase.time, offset);
      now += phase.time;
      const std::string_view kind = collective_called(phase.name);
      if (event && !kind.empty()) {
        const auto text = [&](trace::Field field, std::string_view value) {
          rank.field(field).push(*event, of_rank.strings.intern(value));
        };
        text(trace::Field::collective_text, kind);
        text(trace::Field::operation_text, phase.name);  // it is the host's own, whatever does it
        text(trace::Field::group_name_text, "all ranks");
        rank.field(trace::Field::collective_sequence).push(*event, *line.step * kMostPhases + place);
      }
      ++place;
    }
    return true;
  }

  const LogText& content_;
  Diagnostics& diagnostics_;
  std::map<std::int64_t, RankSteps> ranks_;
};

}  // namespace

bool is_step_log(std::string_view head) {
  // A string of its own: values are followed by bytes that may be read.
  std::string line(head.substr(0, head.find('\n')));
  line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
  const std::size_t size = line.size();
  line.append(64, '\0');
  std::vector<JsonMember> members;
  StepLine parsed;
  return parse_line(std::string_view(line).substr(0, size), members, parsed);
}

Result<trace::Trace> parse_step_log(const LogText& text, Diagnostics& diagnostics) {
  return StepLogReader(text, diagnostics).read();
}

Result<trace::Trace> read_step_log(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  return parse_step_log({content->bytes(), path, content->file_bytes()}, diagnostics);
}

}  // namespace orrery::step_logs
