#include "query/path_tables.h"

#include <algorithm>
#include <tuple>
#include <vector>

#include "analyze/blame/job_waits.h"
#include "analyze/path/path_sheets.h"
#include "query/rows.h"

// Edges and the path are read straight from the graph, row by row; contributors and waits are what the verbs list.

namespace orrery::query {
namespace {

Value event_value(std::uint64_t event) {
  return event == kNoEventId ? Value() : Value(static_cast<std::int64_t>(event));
}

/// Straight from the graph: there are as many edges as events.
class EdgeRows : public Rows {
 public:
  explicit EdgeRows(const CriticalPath& path) : path_(path) {}
  [[nodiscard]] std::size_t size() const override { return path_.graph().edge_count(); }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    const auto slot = static_cast<graph::Slot>(row);
    switch (column) {
      case 0: return std::int64_t{slot};
      case 1: return std::int64_t{path_.graph().source(slot)};
      case 2: return std::int64_t{path_.graph().target(slot)};
      case 3: return std::string_view(identifier(path_.kind(slot)));
      case 4: return path_.graph().weight(slot);
      case 5: return event_value(path_.event(slot));
      case 6: return std::int64_t{path_.is_on_path(slot)};
      default: return path_.slack(slot) == graph::kUnlimited ? Value() : Value(path_.slack(slot));
    }
  }

 private:
  const CriticalPath& path_;
};

class PathRows : public Rows {
 public:
  PathRows(const CriticalPath& path, const trace::Trace& trace) : path_(path), trace_(trace) {}
  [[nodiscard]] std::size_t size() const override { return path_.sums().path.slots.size(); }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    const graph::Slot slot = path_.sums().path.slots[row];
    switch (column) {
      case 0: return static_cast<std::int64_t>(row);
      case 1: return std::int64_t{slot};
      case 2: return std::string_view(identifier(path_.kind(slot)));
      case 3: return path_.start(slot);
      case 4: return path_.graph().weight(slot);
      case 5: return event_value(path_.event(slot));
      case 6: return text_or_null(path_.name(slot));
      case 7: {
        const auto rank = path_.rank(slot);
        return rank ? Value(trace_.ranks[*rank].rank) : Value();
      }
      default: return value_or_null(path_.lane(slot));
    }
  }

 private:
  const CriticalPath& path_;
  const trace::Trace& trace_;
};

/// The Sheet of `orrery path`, by its keys; with the rank of a single one.
class ContributorRows : public Rows {
 public:
  ContributorRows(report::Sheet sheet, std::span<const TableColumn> columns, std::int64_t rank)
      : sheet_(std::move(sheet)), rank_(rank) {
    for (const TableColumn& column : columns) {
      std::size_t place = 0;
      // By keys and not by places, so that columns of the verb may move.
      while (place < sheet_.columns().size() && sheet_.columns()[place].key() != column.name) ++place;
      places_.push_back(place);
    }
  }
  [[nodiscard]] std::size_t size() const override { return sheet_.rows(); }
  [[nodiscard]] Value at(std::size_t row, std::size_t column) const override {
    const std::size_t place = places_[column];
    // A graph of one rank has no column for it.
    if (place == sheet_.columns().size()) return rank_;
    if (sheet_.is_null(place, row)) return {};
    switch (sheet_.columns()[place].type) {
      case report::Type::text: return sheet_.text(place, row);
      case report::Type::integer: return sheet_.integer(place, row);
      default: return sheet_.number(place, row);
    }
  }

 private:
  report::Sheet sheet_;
  std::int64_t rank_;
  std::vector<std::size_t> places_;  // by column
};

/// Part of a wait that has one cause.
struct WaitRow {
  std::uint32_t waiter, culprit;
  TimePs start, length;
  std::uint64_t event;
  std::string cause;  ///< empty: not resolved
};

std::string cause_text(const causal::CausalGraph& job, const analyze::Cause& cause) {
  std::string text = "rank " + std::to_string(job.ranks[cause.rank].rank) + ": " + identifier(cause.work.kind);
  if (cause.work.name != 0) text += " " + std::string(job.strings.text(cause.work.name));
  return text;
}

std::vector<WaitRow> find_waits(const CriticalPath& path) {
  const causal::CausalGraph& job = path.job();
  std::vector<WaitRow> rows;
  const analyze::JobWaits waits(job);
  waits.visit(0, static_cast<std::uint32_t>(job.ranks.size()),
              [&](const analyze::Wait& wait, std::span<const analyze::Cause> causes) {
                // It ends where the last that was needed has come.
                TimePs start = job.begin_ps + job.time[job.ready(wait.part)] - wait.time;
                TimePs left = wait.time;
                const std::uint64_t event = path.event(job.parts[wait.part].transfer);
                for (const analyze::Cause& cause : causes) {
                  rows.push_back({wait.waiter, wait.culprit, start, cause.blame, event, cause_text(job, cause)});
                  start += cause.blame, left -= cause.blame;
                }
                // What no cause explains is a row too, so that rows add up to the wait.
                if (left != 0) rows.push_back({wait.waiter, wait.culprit, start, left, event, {}});
              });
  // Causes of one wait stay in their order.
  std::stable_sort(rows.begin(), rows.end(), [](const WaitRow& a, const WaitRow& b) {
    return std::tie(a.waiter, a.start) < std::tie(b.waiter, b.start);
  });
  return rows;
}

}  // namespace

Result<const CriticalPath*> Analyses::path() {
  // An error is kept as well: asking again would fail in the same way, after the same time.
  if (path_ == nullptr) path_ = std::make_unique<Result<CriticalPath>>(CriticalPath::make(recording_, numbers_));
  if (!*path_) return path_->error();
  return static_cast<const CriticalPath*>(&**path_);
}

Table edges_table(Analyses& analyses) {
  return {"edges",
          {{"slot", "INTEGER"},
           {"source", "INTEGER"},
           {"target", "INTEGER"},
           {"kind", "TEXT"},
           {"weight_ps", "INTEGER"},
           {"event", "INTEGER"},
           {"on_path", "INTEGER"},
           {"slack_ps", "INTEGER"}},
          made_once([&analyses]() -> Result<std::unique_ptr<Rows>> {
            const auto path = analyses.path();
            if (!path) return path.error();
            return std::unique_ptr<Rows>(std::make_unique<EdgeRows>(**path));
          })};
}

Table path_table(const Recording& recording, Analyses& analyses) {
  return {"path",
          {{"seq", "INTEGER"},
           {"slot", "INTEGER"},
           {"kind", "TEXT"},
           {"start_ps", "INTEGER"},
           {"dur_ps", "INTEGER"},
           {"event", "INTEGER"},
           {"name", "TEXT"},
           {"rank", "INTEGER"},
           {"lane", "INTEGER"}},
          made_once([&recording, &analyses]() -> Result<std::unique_ptr<Rows>> {
            const auto path = analyses.path();
            if (!path) return path.error();
            return std::unique_ptr<Rows>(std::make_unique<PathRows>(**path, recording.trace));
          })};
}

Table contributors_table(const Recording& recording, Analyses& analyses) {
  const std::vector<TableColumn> columns = {
      {"rank", "INTEGER"},       {"kind", "TEXT"},           {"name", "TEXT"},       {"count", "INTEGER"},
      {"path_count", "INTEGER"}, {"total_us", "REAL"},       {"on_path_us", "REAL"}, {"least_slack_us", "REAL"},
      {"derivative", "REAL"},    {"gain_if_free_us", "REAL"}};
  return {"contributors", columns, made_once([&recording, &analyses, columns]() -> Result<std::unique_ptr<Rows>> {
            const auto path = analyses.path();
            if (!path) return path.error();
            report::Sheet sheet = analyze::contributors_sheet((*path)->job(), (*path)->sums());
            return std::unique_ptr<Rows>(
                std::make_unique<ContributorRows>(std::move(sheet), columns, recording.trace.ranks.front().rank));
          })};
}

Table waits_table(const Recording& recording, Analyses& analyses) {
  const std::vector<TableColumn> columns = {{"rank", "INTEGER"},     {"start_ps", "INTEGER"}, {"dur_ps", "INTEGER"},
                                            {"for_rank", "INTEGER"}, {"event", "INTEGER"},    {"cause", "TEXT"}};
  return {"waits", columns,
          made_once([&recording, &analyses, count = columns.size()]() -> Result<std::unique_ptr<Rows>> {
            auto rows = std::make_unique<ListRows>(count);
            // A single rank waits for nobody.
            if (recording.job == nullptr) return std::unique_ptr<Rows>(std::move(rows));
            const auto path = analyses.path();
            if (!path) return path.error();
            const auto number = [&](std::uint32_t place) { return recording.trace.ranks[place].rank; };
            for (const WaitRow& wait : find_waits(**path))
              rows->add({number(wait.waiter), wait.start, wait.length, number(wait.culprit), event_value(wait.event),
                         text_or_null(wait.cause)});
            return std::unique_ptr<Rows>(std::move(rows));
          })};
}

}  // namespace orrery::query
