// A thread that notices when a replay does not get on: ranks that wait for one another wait inside MPI, and can say
// nothing themselves.
//
// A rank without progress for as long as the user allows tells process 0 what it waits for, and takes it back if it
// gets on after all. When all have told, or the rest has not answered for as long again, process 0 says so and ends the
// job.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

#include "mpi_plugin/replay_run.h"

namespace orrery::replay {

class Watch {
 public:
  /// Collective over MPI_COMM_WORLD. All must outlive this.
  Watch(const OrreryReplayProgram& program, const OrreryReplaySettings& settings, const Run& run);
  /// Collective: nobody has anything to say any more.
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  struct Report {
    std::vector<std::uint32_t> waiting;
    std::vector<std::uint32_t> ahead;
  };
  void watch();
  void take_reports();
  void send_words(std::vector<std::uint32_t> words);
  [[nodiscard]] Report report() const;
  void tell(const Report& own) const;
  void tell_all() const;

  const OrreryReplayProgram& program_;
  const OrreryReplaySettings& settings_;
  const Run& run_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0, ranks_ = 1;
  bool may_talk_ = false;          // MPI lets a second thread in
  std::map<int, Report> reports_;  // on process 0, of those that wait
  std::int64_t first_report_ns_ = 0;
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace orrery::replay
