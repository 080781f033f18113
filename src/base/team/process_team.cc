#include "base/team/process_team.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/interrupt.h"
#include "base/packed.h"

// Messages are packed texts that begin with a Word. Process 0 has the queue of items and answers whoever asks; the
// others ask with what came of their last batch. Nobody blocks in MPI: a loop polls and sleeps ever longer, and looks
// every half a second whether somebody is gone, which MPI itself may notice late or never.

namespace orrery {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::milliseconds;

/// What the first number of a message says.
enum class Word : std::uint64_t {
  hello,    // to 0: version, node, process space, process id, cores
  welcome,  // from 0: whether all fit, process space and id of process 0, threads for everyone
  begin,    // from 0: number of a piece of work, kind, about it
  ask,      // to 0: number of the work, what came of the items of the last batch
  batch,    // from 0: number of the work, items
  end,      // from 0: number of the work; there are no more items
  bye,      // from 0: exit code
  gone,     // to 0: nothing follows
  join_in,  // from 0: number of a piece of work that all do at once, kind, about it
  made,     // to 0: number of that work, what came of it
};

// Often enough for people who wait, rare enough to cost nothing.
constexpr milliseconds kLookForOthers{500};
/// How long a process that is told to end waits, so that process 0 can see who was gone before.
constexpr milliseconds kGraceOfOthers{300};

std::string node_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? name : "";
}

/// Processes with the same one can ask the system about one another.
std::string process_space() {
  std::error_code none;
  std::string boot;
  // The boot tells machines apart, also those with equal names; the namespace tells containers apart.
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), boot);
  return boot + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

std::string allowed_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return {};
  return {reinterpret_cast<const char*>(&cores), sizeof cores};
}

std::size_t count_cores(std::string_view cores) {
  cpu_set_t set;
  if (cores.size() != sizeof set) return 1;
  std::memcpy(&set, cores.data(), sizeof set);
  return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
}

bool is_gone(pid_t process) {
  if (::kill(process, 0) != 0) return errno == ESRCH;
  // "1234 (orrery) Z ...": dead, but its parent has not asked yet.
  std::string line;
  // The name of a program may have blanks and brackets: the state stands behind the last one.
  std::getline(std::ifstream("/proc/" + std::to_string(process) + "/stat"), line);
  const std::size_t state = line.rfind(") ");
  return state != std::string::npos && (line[state + 2] == 'Z' || line[state + 2] == 'X');
}

ProcessTeam* the_team = nullptr;

}  // namespace

ProcessTeam* process_team() { return the_team; }
void set_process_team(ProcessTeam* team) { the_team = team; }

struct ProcessTeam::State {
  struct Message {
    int from = -1;
    std::string bytes;
  };

  /// A process as the others know it.
  struct Member {
    std::string node, space, cores;
    pid_t id = 0;
  };

  const OrreryProcessPlugin* plugin = nullptr;
  int process = 0, processes = 1;
  std::vector<Member> members;  // on process 0: all; on others: process 0 only
  std::string space = process_space();
  std::size_t threads = 1;
  std::uint64_t works = 0;  // so far
  bool has_work = false;
  Clock::time_point next_look = Clock::now();
  std::mutex words_mutex;
  std::function<std::string()> progress_words;
  std::atomic<bool> has_said{false};

  void send(int to, const std::string& bytes) {
    if (plugin->send(to, bytes.data(), bytes.size()) != 0) lose(to);
  }

  std::optional<Message> poll() {
    const int from = plugin->poll();
    if (from < 0) return std::nullopt;
    Message message{from, {}};
    const auto allocate = [](void* context, std::uint64_t size) -> void* {
      auto& bytes = *static_cast<std::string*>(context);
      bytes.resize(size);
      return bytes.data();
    };
    if (plugin->receive(from, allocate, &message.bytes) != 0) lose(from);
    return message;
  }

  /// Sleeps between looks, longer and longer, so that those who wait leave the cores to those who work.
  Message wait(microseconds longest) {
    // From 20 microseconds up: a fast answer is met fast, a slow one costs no core.
    for (microseconds pause{20};; pause = std::min(2 * pause, longest)) {
      if (std::optional<Message> message = poll()) return std::move(*message);
      look_for_others();
      std::this_thread::sleep_for(pause);
    }
  }

  /// The number of a process that is gone, if that can be seen from here.
  std::optional<int> find_lost() const {
    for (std::size_t m = 0; m < members.size(); ++m) {
      const int number = static_cast<int>(m);
      // A process of another machine or container cannot be asked about; there MPI has to notice.
      if (number != process && members[m].id != 0 && members[m].space == space && is_gone(members[m].id)) return number;
    }
    return std::nullopt;
  }

  void look_for_others() {
    if (Clock::now() < next_look) return;
    next_look = Clock::now() + kLookForOthers;
    if (const std::optional<int> lost = find_lost()) lose(*lost);
  }

  std::string progress() {
    const std::lock_guard lock(words_mutex);
    const std::string words = progress_words ? progress_words() : "";
    return words.empty() ? "run the same command again" : words;
  }

  void say(const std::string& sentence) {
    // Only one sentence per process, whichever thread comes first.
    if (has_said.exchange(true)) return;
    const std::string line = "orrery: error: " + sentence + "\n";
    // write() and not a stream, since the process may be in the middle of ending.
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return;  // there is nobody left to tell
  }
  void say_lost(int number) {
    say("process " + std::to_string(number) + " of " + std::to_string(processes) + " ended; " + progress());
  }

  [[noreturn]] void lose(int number) {
    // The launcher may be about to end us for the same reason; whoever comes first says it.
    if (process == 0 || number == 0) say_lost(number);
    remove_leftovers();
    plugin->abort(4);
    // _exit: destructors would talk to processes that are gone.
    ::_exit(4);
  }

  /// A signal ends this process, most likely since the launcher saw another one end.
  void last_words() {
    if (process != 0) {
      const bool lost_first = find_lost().has_value();
      std::this_thread::sleep_for(kGraceOfOthers);
      // Process 0 cannot say it any more; of the others one is enough.
      if (lost_first && process == 1) say_lost(0);
      return;
    }
    if (const std::optional<int> lost = find_lost()) return say_lost(*lost);
    const std::lock_guard lock(words_mutex);
    if (progress_words) say("interrupted; " + progress_words());
  }
};

ProcessTeam::ProcessTeam(std::unique_ptr<State> state) : state_(std::move(state)) {
  set_last_words([team = state_.get()] { team->last_words(); });
}
ProcessTeam::~ProcessTeam() { set_last_words({}); }

int ProcessTeam::process() const { return state_->process; }
int ProcessTeam::processes() const { return state_->processes; }
bool ProcessTeam::is_idle() const { return !state_->has_work; }
std::size_t ProcessTeam::fair_threads() const { return state_->threads; }

void ProcessTeam::set_progress_words(std::function<std::string()> words) {
  const std::lock_guard lock(state_->words_mutex);
  state_->progress_words = std::move(words);
}

Result<std::unique_ptr<ProcessTeam>> ProcessTeam::join(const LaunchedAs& launched, const std::string& version) {
  Result<const OrreryProcessPlugin*> plugin = load_process_plugin(launched);
  if (!plugin) return plugin.error();
  auto state = std::make_unique<State>();
  state->plugin = *plugin;
  if ((*plugin)->join(&state->process, &state->processes) != 0)
    return Error{"MPI could not be started",
                 {},
                 Error::kNoOffset,
                 "does another MPI program run under the same launcher?",
                 Error::Kind::misuse};
  // Another MPI than the launcher's takes each process for a job of its own: all of them would do everything.
  if (state->processes != launched.processes || state->process != launched.process) {
    return Error{"the launcher started " + std::to_string(launched.processes) +
                     " processes, but the MPI of the plugin sees " + std::to_string(state->processes),
                 {},
                 Error::kNoOffset,
                 "use the mpirun of the MPI that the plugin was built with (srun: --mpi=pmix)",
                 Error::Kind::misuse};
  }
  const State::Member self{node_name(), state->space, allowed_cores(), ::getpid()};
  if (state->process != 0) {
    state->send(0, PackedWriter()
                       .number(static_cast<std::uint64_t>(Word::hello))
                       .text(version)
                       .text(self.node)
                       .text(self.space)
                       .text(self.cores)
                       .integer(self.id)
                       .take());
    const State::Message welcome = state->wait(milliseconds(2));
    PackedReader reader(welcome.bytes);
    reader.number();
    const bool fits = reader.number() != 0;
    state->members.push_back({{}, std::string(reader.text()), {}, static_cast<pid_t>(reader.integer())});
    state->threads = reader.number();
    if (!fits) return Error{"process 0 is of another version"};
    return std::unique_ptr<ProcessTeam>(new ProcessTeam(std::move(state)));
  }
  state->members.resize(static_cast<std::size_t>(state->processes));
  state->members[0] = self;
  std::string other_version;
  for (int arrived = 1; arrived < state->processes; ++arrived) {
    const State::Message hello = state->wait(milliseconds(1));
    PackedReader reader(hello.bytes);
    reader.number();
    if (reader.text() != version)
      other_version = "process " + std::to_string(hello.from) + " is of another version of orrery";
    State::Member& member = state->members[static_cast<std::size_t>(hello.from)];
    member.node = reader.text();
    member.space = reader.text();
    member.cores = reader.text();
    member.id = static_cast<pid_t>(reader.integer());
  }
  for (int m = state->processes - 1; m >= 0; --m) {
    const State::Member& member = state->members[static_cast<std::size_t>(m)];
    const auto sharing = std::count_if(state->members.begin(), state->members.end(), [&](const State::Member& other) {
      // Processes that may use the same cores of a node share them evenly.
      return other.node == member.node && other.cores == member.cores;
    });
    const std::size_t threads = std::max<std::size_t>(1, count_cores(member.cores) / static_cast<std::size_t>(sharing));
    if (m == 0) state->threads = threads;
    else
      state->send(m, PackedWriter()
                         .number(static_cast<std::uint64_t>(Word::welcome))
                         .number(other_version.empty() ? 1 : 0)
                         .text(self.space)
                         .integer(self.id)
                         .number(threads)
                         .take());
  }
  if (!other_version.empty())
    return Error{other_version, {}, Error::kNoOffset, "install the same one on all nodes", Error::Kind::misuse};
  return std::unique_ptr<ProcessTeam>(new ProcessTeam(std::move(state)));
}

std::vector<std::string> ProcessTeam::together(const JointTaskKind& kind,
                                               const std::function<std::string(int process)>& about) {
  // Shared work and joint work cannot be mixed: answers would be taken for one another.
  assert(!state_->has_work);
  const std::uint64_t work = ++state_->works;
  for (int other = 1; other < state_->processes; ++other)
    state_->send(other, PackedWriter()
                            .number(static_cast<std::uint64_t>(Word::join_in))
                            .number(work)
                            .text(kind.name)
                            .text(about(other))
                            .take());
  std::vector<std::string> made(static_cast<std::size_t>(state_->processes));
  made[0] = kind.run(*this, about(0));
  for (int left = state_->processes - 1; left > 0;) {
    const State::Message message = state_->wait(milliseconds(1));
    PackedReader reader(message.bytes);
    if (static_cast<Word>(reader.number()) != Word::made || reader.number() != work) continue;  // of work that is over
    made[static_cast<std::size_t>(message.from)] = reader.text();
    --left;
  }
  return made;
}

void ProcessTeam::stop(const std::string& sentence, int exit_code) {
  state_->say(sentence);
  remove_leftovers();
  state_->plugin->abort(exit_code);
  ::_exit(exit_code);
}

int ProcessTeam::serve(std::span<const SharedTaskKind> kinds, std::span<const JointTaskKind> joint_kinds) {
  std::unique_ptr<SharedTask> task;
  const auto ask = [&](std::uint64_t work, std::span<const SharedItem> items) {
    std::vector<std::optional<std::string>> results;
    try {
      if (!items.empty()) results = task->run(items);
    } catch (const std::exception&) {
      results.clear();  // out of memory, most likely: process 0 may have more
    }
    // Items without a result go back to process 0, which does them itself.
    results.resize(items.size());
    PackedWriter answer;
    answer.number(static_cast<std::uint64_t>(Word::ask)).number(work).number(items.size());
    for (std::size_t i = 0; i < items.size(); ++i)
      answer.number(items[i].number).number(results[i] ? 1 : 0).text(results[i] ? *results[i] : std::string_view());
    state_->send(0, answer.take());
  };
  for (;;) {
    const State::Message message = state_->wait(milliseconds(2));
    PackedReader reader(message.bytes);
    const auto word = static_cast<Word>(reader.number());
    const std::uint64_t number = reader.number();
    if (word == Word::bye) {
      state_->send(0, PackedWriter().number(static_cast<std::uint64_t>(Word::gone)).take());
      state_->plugin->leave();
      return static_cast<int>(number);
    }
    if (word == Word::join_in) {
      const std::string_view name = reader.text();
      const auto kind = std::find_if(joint_kinds.begin(), joint_kinds.end(),
                                     [&](const JointTaskKind& known) { return known.name == name; });
      // Kinds that this build does not know give an empty answer, so that nobody waits.
      const std::string made = kind == joint_kinds.end() ? std::string() : kind->run(*this, reader.text());
      state_->send(0, PackedWriter().number(static_cast<std::uint64_t>(Word::made)).number(number).text(made).take());
    } else if (word == Word::begin) {
      const std::string_view name = reader.text();
      const auto kind =
          std::find_if(kinds.begin(), kinds.end(), [&](const SharedTaskKind& known) { return known.name == name; });
      try {
        task = kind == kinds.end() ? nullptr : kind->open(reader.text());
      } catch (const std::exception&) {
        task = nullptr;
      }
      // A task that could not be opened asks for nothing, and so gets nothing: the others do its share.
      if (task != nullptr) ask(number, {});
    } else if (word == Word::batch && task != nullptr) {
      std::vector<SharedItem> items(reader.number());
      for (SharedItem& item : items) item.number = reader.number(), item.content = reader.text();
      ask(number, items);
    } else if (word == Word::end) {
      task = nullptr;
    }
  }
}

void ProcessTeam::dismiss(int exit_code) {
  const std::string bye =
      PackedWriter().number(static_cast<std::uint64_t>(Word::bye)).number(static_cast<std::uint64_t>(exit_code)).take();
  for (int other = 1; other < state_->processes; ++other) state_->send(other, bye);
  for (int left = state_->processes - 1; left > 0;) {
    // What a process still sends of work that is over has to be taken off its hands.
    const State::Message message = state_->wait(milliseconds(1));
    if (static_cast<Word>(PackedReader(message.bytes).number()) != Word::gone) continue;
    state_->members[static_cast<std::size_t>(message.from)].id = 0;  // it may end now
    --left;
  }
  state_->plugin->leave();
}

ProcessTeam::Work::Work(ProcessTeam& team, std::string_view kind, std::string_view about) : team_(team) {
  State& state = *team.state_;
  assert(!state.has_work);
  state.has_work = true;
  const std::string begin = PackedWriter()
                                .number(static_cast<std::uint64_t>(Word::begin))
                                .number(++state.works)
                                .text(kind)
                                .text(about)
                                .take();
  for (int other = 1; other < state.processes; ++other) state.send(other, begin);
}

ProcessTeam::Work::~Work() {
  State& state = *team_.state_;
  state.has_work = false;
  const std::string end = PackedWriter().number(static_cast<std::uint64_t>(Word::end)).number(state.works).take();
  for (int other = 1; other < state.processes; ++other) state.send(other, end);
}

void ProcessTeam::Work::run(const SharedPlan& plan, const Local& local, const Received& received) {
  State& state = *team_.state_;
  ItemQueue queue(plan, static_cast<std::size_t>(state.processes));
  // Process 0 works too, on threads of its own, while this one answers.
  LocalShare here(queue, local);
  microseconds pause{20};
  while (!here.is_done()) {
    std::optional<State::Message> message = state.poll();
    if (!message) {
      state.look_for_others();
      std::this_thread::sleep_for(pause);
      pause = std::min(2 * pause, microseconds(500));
      continue;
    }
    pause = microseconds{20};
    PackedReader reader(message->bytes);
    // Answers of work that was given up may still come in.
    if (static_cast<Word>(reader.number()) != Word::ask || reader.number() != state.works)
      continue;  // of work that is over
    for (std::uint64_t left = reader.number(); left > 0; --left) {
      const std::size_t item = reader.number();
      const bool is_done = reader.number() != 0;
      const std::string_view bytes = reader.text();
      if (is_done) received(item, bytes);
      queue.came_back(item, is_done);
    }
    const std::vector<std::size_t> batch = queue.take_for_others();
    if (batch.empty()) continue;  // it hears of the end when all have come to it
    PackedWriter items;
    items.number(static_cast<std::uint64_t>(Word::batch)).number(state.works).number(batch.size());
    for (const std::size_t item : batch) items.number(item).text(plan.content ? plan.content(item) : std::string());
    state.send(message->from, items.take());
  }
  here.finish();
}

}  // namespace orrery
