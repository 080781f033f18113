// Several processes that were started for one command (mpirun -n 8 orrery ...) and share its work.
//
// Process 0 does what a single process does: it reads the command, works, prints and writes. The others wait until it
// has items to share, take some of them, send back what comes of them, and wait again; they never print nor write. So
// what comes out is what one process makes, byte for byte. The items come from one queue, which process 0 has: who is
// faster takes more.
//
// MPI is in a plugin (process_plugin.h), which is loaded here, and only if there are several processes.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/team/launcher.h"
#include "base/team/shared_items.h"

namespace orrery {

/// One of the pieces that a piece of work is made of.
struct SharedItem {
  std::size_t number = 0;
  std::string_view content;  ///< what there is to know about it, beyond its number
};

/// What a process other than 0 does for one piece of work.
class SharedTask {
 public:
  virtual ~SharedTask() = default;
  /// What came of each of `items`. Nothing: it did not work here, and process 0 does it itself, and says why if it does
  /// not work there either.
  virtual std::vector<std::optional<std::string>> run(std::span<const SharedItem> items) = 0;
};

/// A sort of work by name; `open` gets what process 0 says about all of it. Null: it cannot be done here.
struct SharedTaskKind {
  std::string_view name;
  std::function<std::unique_ptr<SharedTask>(std::string_view about)> open;
};

class ProcessTeam;

/// Work that all processes do at the same time, each its own part: `run` gets what process 0 says to this one, and
/// returns what process 0 shall know.
struct JointTaskKind {
  std::string_view name;
  std::function<std::string(ProcessTeam& team, std::string_view about)> run;
};

class ProcessTeam {
 public:
  /// Loads the plugin. An Error: it is not there, or sees other processes than the launcher started. `version` must be
  /// the same everywhere.
  static Result<std::unique_ptr<ProcessTeam>> join(const LaunchedAs& launched, const std::string& version);
  ~ProcessTeam();
  ProcessTeam(const ProcessTeam&) = delete;
  ProcessTeam& operator=(const ProcessTeam&) = delete;

  [[nodiscard]] int process() const;
  [[nodiscard]] int processes() const;
  /// Cores that this process may use, divided by the processes that may use the same ones.
  [[nodiscard]] std::size_t fair_threads() const;

  /// Of processes other than 0: works until process 0 is done, and returns its exit code.
  int serve(std::span<const SharedTaskKind> kinds, std::span<const JointTaskKind> joint_kinds = {});
  /// Of process 0: lets the others go, who end with the same code.
  void dismiss(int exit_code);

  /// Of process 0: the others wait for work. They do one piece at a time.
  [[nodiscard]] bool is_idle() const;

  /// Of process 0, while is_idle(): a piece of work that the others begin to prepare for at once, by the kind of that
  /// name.
  class Work {
   public:
    Work(ProcessTeam& team, std::string_view kind, std::string_view about);
    ~Work();  ///< the others wait for the next
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    using Local = LocalShare::Local;
    using Received = std::function<void(std::size_t item, std::string_view bytes)>;
    /// Returns when every item was done: `local` does some here and keeps what comes of them, in a thread of its own;
    /// `received` gets what others made, in any order, in this thread. Once per Work. Exceptions of both are passed on.
    void run(const SharedPlan& plan, const Local& local, const Received& received);

   private:
    ProcessTeam& team_;
  };

  /// Of process 0, while is_idle(): all processes run the kind at once, this one too, in this thread. Returns what came
  /// of it, by process. `about`: what each is told.
  std::vector<std::string> together(const JointTaskKind& kind, const std::function<std::string(int process)>& about);

  /// Says why, and ends all processes. Any thread.
  [[noreturn]] void stop(const std::string& sentence, int exit_code);

  /// What a user is told if a process is gone, behind "process 3 of 8 ended; ". Any thread; empty: that the same
  /// command can be run again.
  void set_progress_words(std::function<std::string()> words);

 private:
  struct State;
  explicit ProcessTeam(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The team that process 0 shares its work with; null: there is none, and work is done here.
ProcessTeam* process_team();
void set_process_team(ProcessTeam* team);

}  // namespace orrery
