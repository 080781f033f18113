#include "base/team/sweep.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <optional>

#include "base/interrupt.h"
#include "base/units.h"

// Points that a checkpoint has are not solved again. The others go to all processes of the team, or to all threads
// here, in batches, and every answer is kept as it comes; results stand in the order of points, and of several errors
// that of the first point is told, whoever was first.

namespace orrery {
namespace {

/// A checkpoint is a second or so behind at most, and others get their next points in time.
constexpr std::size_t kBatchesAtOnce = 8;

class SweepTask : public SharedTask {
 public:
  explicit SweepTask(std::unique_ptr<Sweep> sweep) : sweep_(std::move(sweep)) {}

  std::vector<std::optional<std::string>> run(std::span<const SharedItem> items) override {
    std::vector<std::size_t> points;
    for (const SharedItem& item : items) {
      if (item.number >= sweep_->size()) return {};  // it is not the sweep that process 0 has
      points.push_back(item.number);
    }
    std::vector<std::optional<std::string>> answers;
    for (Result<std::string>& answer : sweep_->solve(points)) {
      if (answer) answers.emplace_back(std::move(*answer));
      else answers.emplace_back();
    }
    return answers;
  }

 private:
  std::unique_ptr<Sweep> sweep_;
};

/// The answers so far. Points are finished by several threads.
class Answers {
 public:
  Answers(std::size_t size, const SweepRun& run) : run_(run), answers_(size) {
    if (run.checkpoint == nullptr) return;
    for (const auto& [point, bytes] : run.checkpoint->points()) answers_[point] = bytes, ++done_;
  }

  [[nodiscard]] std::vector<std::size_t> missing() const {
    std::vector<std::size_t> points;
    for (std::size_t i = 0; i < answers_.size(); ++i) {
      if (!answers_[i]) points.push_back(i);
    }
    return points;
  }
  void add(std::size_t point, std::string_view bytes) {
    const std::lock_guard lock(mutex_);
    // After a first failure nothing more is written, but the points that are under way are still finished.
    if (run_.checkpoint != nullptr && !failure_) {
      if (const Status kept = run_.checkpoint->append(point, bytes); !kept) failure_ = kept.error();
    }
    answers_[point] = bytes;
    ++done_;
    if (run_.on_done) run_.on_done(1);
  }
  void fail(std::size_t point, Error error) {
    const std::lock_guard lock(mutex_);
    if (!error_ || point < error_point_) error_ = std::move(error), error_point_ = point;
  }
  /// "1,204 of 4,000 points are in FILE: run the same command again"
  [[nodiscard]] std::string words() const {
    return fmt::format("{} of {} points are in {}: run the same command again", format_count(done_),
                       format_count(answers_.size()), run_.checkpoint->path());
  }
  Result<std::vector<std::string>> take() {
    if (failure_) return *failure_;
    if (error_) return *error_;
    std::vector<std::string> all;
    for (std::optional<std::string>& answer : answers_) all.push_back(std::move(*answer));
    return all;
  }

 private:
  const SweepRun& run_;
  std::mutex mutex_;
  std::vector<std::optional<std::string>> answers_;
  std::atomic<std::size_t> done_{0};
  std::optional<Error> failure_;  // of the checkpoint
  std::optional<Error> error_;
  std::size_t error_point_ = 0;
};

/// Whoever ends the run is told where its points are.
class TellsWherePointsAre {
 public:
  TellsWherePointsAre(const Answers& answers, bool has_checkpoint) : is_set_(has_checkpoint) {
    if (!is_set_) return;
    if (ProcessTeam* const team = process_team()) {
      team->set_progress_words([&answers] { return answers.words(); });
      return;
    }
    set_last_words([&answers] {
      const std::string line = "orrery: interrupted; " + answers.words() + "\n";
      if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // there is nobody to tell
    });
  }
  ~TellsWherePointsAre() {
    if (!is_set_) return;
    if (ProcessTeam* const team = process_team()) team->set_progress_words({});
    else set_last_words({});
  }
  TellsWherePointsAre(const TellsWherePointsAre&) = delete;
  TellsWherePointsAre& operator=(const TellsWherePointsAre&) = delete;

 private:
  bool is_set_;
};

}  // namespace

std::unique_ptr<SharedTask> make_sweep_task(std::unique_ptr<Sweep> sweep) {
  return sweep == nullptr ? nullptr : std::make_unique<SweepTask>(std::move(sweep));
}

Result<std::vector<std::string>> run_sweep(const Sweep& sweep, const SweepRun& run) {
  Answers answers(sweep.size(), run);
  const TellsWherePointsAre tells(answers, run.checkpoint != nullptr);
  SharedPlan plan{.order = answers.missing(),
                  .smallest_batch = sweep.smallest_batch(),
                  .largest_batch = kBatchesAtOnce * sweep.smallest_batch()};
  if (run.on_done) run.on_done(sweep.size() - plan.order.size());
  const auto solve_here = [&](std::span<const std::size_t> points) {
    std::vector<Result<std::string>> solved = sweep.solve(points);
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (solved[i]) answers.add(points[i], *solved[i]);
      else answers.fail(points[i], solved[i].error());
    }
  };
  const std::span<const std::size_t> points = plan.order;
  if (run.shared != nullptr) {
    run.shared->run(plan, solve_here, [&](std::size_t point, std::string_view bytes) { answers.add(point, bytes); });
  } else if (run.checkpoint == nullptr) {
    solve_here(points);
  } else {
    for (std::size_t first = 0; first < points.size(); first += plan.largest_batch)
      solve_here(points.subspan(first, std::min(plan.largest_batch, points.size() - first)));
  }
  return answers.take();
}

}  // namespace orrery
