#include "mpi_plugin/replay_watch.h"

#include <algorithm>
#include <chrono>

// The thread looks at the run's progress every 50 ms. Reports are small messages on a communicator of their own; a rank
// that gets on sends an empty one to take its report back. Where MPI lets no second thread in, each rank tells for
// itself.

namespace orrery::replay {
namespace {

constexpr int kReportTag = 7;
constexpr std::size_t kMostWaiting = 64;  // that are told of a rank
constexpr auto kPause = std::chrono::milliseconds(50);

}  // namespace

Watch::Watch(const OrreryReplayProgram& program, const OrreryReplaySettings& settings, const Run& run)
    : program_(program), settings_(settings), run_(run) {
  // Of its own, so that reports never match the replay's receives.
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm_);
  PMPI_Comm_rank(comm_, &rank_);
  PMPI_Comm_size(comm_, &ranks_);
  int level = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&level);
  may_talk_ = level == MPI_THREAD_MULTIPLE;
  thread_ = std::thread([this] { watch(); });
}

Watch::~Watch() {
  is_over_.store(true);
  thread_.join();
  // After it nobody sends a report any more.
  PMPI_Barrier(comm_);
  // A report that was taken back may still be on its way.
  if (rank_ == 0) take_reports();
  PMPI_Comm_free(&comm_);
}

void Watch::watch() {
  std::uint64_t seen = run_.progress();
  std::int64_t since = monotonic_ns();
  bool has_told = false;
  const auto patience_ns = static_cast<std::int64_t>(settings_.timeout_s * 1e9);
  while (!is_over_.load()) {
    std::this_thread::sleep_for(kPause);
    if (may_talk_ && rank_ == 0) take_reports();
    const std::uint64_t now_at = run_.progress();
    if (now_at != seen || run_.is_computing()) {
      if (has_told && rank_ != 0) send_words({0});
      if (has_told && rank_ == 0) reports_.erase(0);
      has_told = false;
      seen = now_at;
      since = monotonic_ns();
      continue;
    }
    const std::int64_t now = monotonic_ns();
    if (now - since < patience_ns) continue;
    if (!may_talk_) tell(report());
    if (!has_told) {
      has_told = true;
      const Report own = report();
      if (rank_ == 0) {
        reports_[0] = own;
      } else {
        std::vector<std::uint32_t> words = {1, static_cast<std::uint32_t>(own.waiting.size())};
        words.insert(words.end(), own.waiting.begin(), own.waiting.end());
        words.insert(words.end(), own.ahead.begin(), own.ahead.end());
        send_words(std::move(words));
      }
    }
    if (rank_ != 0 || reports_.empty()) continue;
    if (first_report_ns_ == 0) first_report_ns_ = now;
    const bool all_told = reports_.size() == static_cast<std::size_t>(ranks_);
    if (all_told || now - first_report_ns_ > patience_ns) tell_all();
  }
}

void Watch::send_words(std::vector<std::uint32_t> words) {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Isend(words.data(), static_cast<int>(words.size()), MPI_UINT32_T, 0, kReportTag, comm_, &request);
  // Not waited for: process 0 may itself be stuck inside MPI.
  for (int is_done = 0; is_done == 0 && !is_over_.load();) {
    PMPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void Watch::take_reports() {
  for (;;) {
    int is_there = 0, count = 0;
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, kReportTag, comm_, &is_there, &status);
    if (is_there == 0) return;
    PMPI_Get_count(&status, MPI_UINT32_T, &count);
    std::vector<std::uint32_t> words(static_cast<std::size_t>(count));
    PMPI_Recv(words.data(), count, MPI_UINT32_T, status.MPI_SOURCE, kReportTag, comm_, MPI_STATUS_IGNORE);
    reports_.erase(status.MPI_SOURCE);
    first_report_ns_ = 0;  // something moves
    if (words.size() < 2 || words[0] == 0) continue;
    Report& told = reports_[status.MPI_SOURCE];
    const auto waiting_end =
        words.begin() + 2 + static_cast<std::ptrdiff_t>(std::min<std::size_t>(words[1], words.size() - 2));
    told.waiting.assign(words.begin() + 2, waiting_end);
    told.ahead.assign(waiting_end, words.end());
  }
}

Watch::Report Watch::report() const {
  Report report;
  for (std::uint32_t i = 0; i < program_.operation_count && report.waiting.size() < kMostWaiting; ++i) {
    if (run_.is_under_way(i)) report.waiting.push_back(i);
  }
  for (std::uint32_t line = 0; line < program_.line_count; ++line) report.ahead.push_back(run_.line_ahead(line));
  return report;
}

void Watch::tell(const Report& own) const {
  const OrreryReplayStall stall{rank_,
                                1,
                                own.waiting.data(),
                                static_cast<std::uint32_t>(own.waiting.size()),
                                own.ahead.data(),
                                static_cast<std::uint32_t>(own.ahead.size())};
  settings_.on_stall(settings_.context, &stall, 1);
}

void Watch::tell_all() const {
  std::vector<OrreryReplayStall> stalls;
  for (int rank = 0; rank < ranks_; ++rank) {
    const auto told = reports_.find(rank);
    if (told == reports_.end()) {
      stalls.push_back({rank, 0, nullptr, 0, nullptr, 0});
      continue;
    }
    const Report& known = told->second;
    stalls.push_back({rank, 1, known.waiting.data(), static_cast<std::uint32_t>(known.waiting.size()),
                      known.ahead.data(), static_cast<std::uint32_t>(known.ahead.size())});
  }
  settings_.on_stall(settings_.context, stalls.data(), static_cast<std::uint32_t>(stalls.size()));
}

}  // namespace orrery::replay
