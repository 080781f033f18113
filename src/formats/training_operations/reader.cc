#include "formats/training_operations/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "base/io/file_content.h"
#include "formats/training_operations/dependencies.h"
#include "formats/training_operations/diagnostics.h"
#include "formats/training_operations/operation_table.h"
#include "formats/training_operations/parquet.h"
#include "match/operations/operation_columns.h"

namespace orrery::training_operations {
namespace {

using trace::Field;

/// Lanes of a rank: what computes, the four kinds of messages, and what ranks of other stages or replicas take part in.
enum Lane : std::int64_t { kCompute, kForwardSend, kForwardRecv, kBackwardSend, kBackwardRecv, kCollectives };
constexpr std::string_view kLaneNames[] = {"computing",      "forward sends",     "forward receives",
                                           "backward sends", "backward receives", "collectives"};

Lane lane_of(std::string_view operation) {
  if (operation == "forward-send") return kForwardSend;
  if (operation == "forward-recv") return kForwardRecv;
  if (operation == "backward-send") return kBackwardSend;
  if (operation == "backward-recv") return kBackwardRecv;
  const bool is_collective = operation == "params-all-gather" || operation == "grads-reduce-scatter";
  return is_collective ? kCollectives : kCompute;
}

struct Step {
  TimePs begin = std::numeric_limits<TimePs>::max(), end = std::numeric_limits<TimePs>::min();
  TimePs offset = 0;  ///< added to times of its rows
};

class TableReader {
 public:
  TableReader(const OperationTable& table, const std::string& path, std::uint64_t bytes, Diagnostics& diagnostics)
      : table_(table), path_(path), bytes_(bytes), diagnostics_(diagnostics) {}

  Result<trace::Trace> read() {
    lay_out_steps();
    if (!fits_) return Error{"its steps take more than 26 days together", path_};
    std::map<std::int64_t, std::vector<const OperationRow*>> by_rank;
    for (const OperationRow& row : table_.rows) by_rank[row.rank].push_back(&row);
    trace::Trace job;
    for (const auto& [number, rows] : by_rank) {
      trace::RankTrace& rank = job.ranks.emplace_back();
      rank.rank = number;
      rank.source.rank = number;
      rank.source.path = path_;
      rank.source.format = "training_operations";
      rank.source.text_bytes = bytes_;
      rank.source.entries = rows.size();
      // With tensor parallelism only the first rank of each group has rows.
      if (by_rank.rbegin()->first + 1 == static_cast<std::int64_t>(by_rank.size()))
        rank.source.world_size = static_cast<std::int64_t>(by_rank.size());
      rank.source.communicates = true;
      rank.source.properties = {{"dp_rank", std::to_string(rows.front()->dp_rank)},
                                {"stage", std::to_string(rows.front()->stage)}};
      add_rows(job.strings, rank, rows);
    }
    add_dependencies(job, diagnostics_);
    return job;
  }

 private:
  void lay_out_steps() {
    for (const OperationRow& row : table_.rows) {
      Step& step = steps_[row.step];
      step.begin = std::min(step.begin, row.start);
      step.end = std::max(step.end, row.start + row.duration);
    }
    TimePs now = 0;
    for (auto& [number, step] : steps_) {
      step.offset = now - step.begin;
      now += step.end - step.begin;
      fits_ = fits_ && now <= trace::kMaxMomentPs;
    }
  }

  void add_rows(Interner& strings, trace::RankTrace& rank, const std::vector<const OperationRow*>& rows) {
    rank.categories = {{strings.intern("user_annotation"), trace::Activity::annotation},
                       {strings.intern("cpu_op"), trace::Activity::cpu_operator}};
    for (std::int64_t l = kCompute; l <= kCollectives; ++l) {
      trace::Lane& lane = rank.lanes.emplace_back();
      lane.thread.number = l;
      lane.thread_name = strings.intern(kLaneNames[l]);
    }
    std::uint32_t ordinal = 0;
    std::set<std::int64_t> own_steps;  // not all of the job's: a table may have as many steps and ranks as rows
    for (const OperationRow* const row : rows) own_steps.insert(row->step);
    for (const std::int64_t number : own_steps) {
      const Step& step = steps_[number];
      const trace::EventIndex event = rank.append_event({.start = step.begin + step.offset,
                                                         .duration = step.end - step.begin,
                                                         .name = strings.intern(fmt::format("step {}", number)),
                                                         .lane = kCompute,
                                                         .category = 0},
                                                        {ordinal++, 0});
      rank.field(Field::step).push(event, number);
    }
    std::set<std::tuple<std::int64_t, std::uint32_t, std::int64_t>> known;
    trace::SparseColumn chunks, batches, model_chunks, steps;
    for (const OperationRow* const row : rows) {
      if (!known.emplace(row->step, row->operation, row->number).second) {
        diagnostics_.add(kOperationTwice, [&] {
          return fmt::format("{} {} of step {} of rank {}", table_.operations[row->operation], row->number, row->step,
                             row->rank);
        });
        continue;
      }
      const std::string& operation = table_.operations[row->operation];
      const trace::EventIndex event = rank.append_event({.start = row->start + steps_[row->step].offset,
                                                         .duration = row->duration,
                                                         .name = strings.intern(operation),
                                                         .lane = static_cast<trace::LaneIndex>(lane_of(operation)),
                                                         .category = 1},
                                                        {ordinal++, row->place});
      rank.field(Field::sequence_number).push(event, row->number);
      steps.push(event, row->step);
      if (row->chunk >= 0) chunks.push(event, row->chunk);
      if (row->micro_batch >= 0) batches.push(event, row->micro_batch);
      if (row->model_chunk >= 0) model_chunks.push(event, row->model_chunk);
    }
    rank.arguments.named(match::kOfStepColumn, trace::ValueType::integer) = std::move(steps);
    rank.arguments.named("mc", trace::ValueType::integer) = std::move(chunks);
    rank.arguments.named("mb_id", trace::ValueType::integer) = std::move(batches);
    rank.arguments.named("gmc", trace::ValueType::integer) = std::move(model_chunks);
  }

  const OperationTable& table_;
  const std::string& path_;
  std::uint64_t bytes_;
  Diagnostics& diagnostics_;
  std::map<std::int64_t, Step> steps_;
  bool fits_ = true;
};

}  // namespace

bool is_table(std::string_view head) { return is_parquet(head) || is_header(head); }

Result<trace::Trace> parse_table(std::string_view bytes, const std::string& path, Diagnostics& diagnostics) {
  const Result<OperationTable> table = read_rows(bytes, path, diagnostics);
  if (!table) return table.error();
  return TableReader(*table, path, bytes.size(), diagnostics).read();
}

Result<trace::Trace> read_table(const std::string& path, Diagnostics& diagnostics) {
  const Result<FileContent> content = FileContent::open(path);
  if (!content) return content.error();
  Result<trace::Trace> trace = parse_table(content->bytes(), path, diagnostics);
  if (!trace) return trace.error();
  for (trace::RankTrace& rank : trace->ranks) rank.source.file_bytes = content->file_bytes();
  return trace;
}

}  // namespace orrery::training_operations
