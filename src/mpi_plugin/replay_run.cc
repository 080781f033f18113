#include "mpi_plugin/replay_run.h"

#include <algorithm>

// Heaps hold what is ready, so the smallest number goes first; a line lets one operation after the other through. Every
// turn issues what it can, computes a little, and looks after requests; only with nothing to compute or issue does it
// wait inside MPI. States are atomic, since a watcher looks at them from another thread.

namespace orrery::replay {
namespace {

// Arithmetic between two looks at MPI: some microseconds.
constexpr std::int64_t kUnitsAtOnce = 16;
constexpr std::memory_order kRelaxed = std::memory_order_relaxed;

}  // namespace

Run::Run(const OrreryReplayProgram& program, Calls& calls, Arithmetic* arithmetic)
    : program_(program),
      calls_(calls),
      arithmetic_(arithmetic),
      missing_(program.operation_count),
      states_(new std::atomic<std::uint8_t>[program.operation_count]()),
      ahead_(new std::atomic<std::uint32_t>[program.line_count + 1]()) {}

void Run::begin() {
  for (std::uint32_t i = 0; i < program_.operation_count; ++i) {
    missing_[i] = program_.operations[i].dependencies;
    states_[i].store(kWaits, kRelaxed);
    if (missing_[i] == 0) ready_.push(i);
  }
  for (std::uint32_t line = 0; line < program_.line_count; ++line) ahead_[line].store(0, kRelaxed);
  std::copy(std::begin(program_.slots), std::end(program_.slots), free_slots_);
  ended_ = 0;
}

bool Run::go(std::int64_t* times) {
  // The first two are of the run, then two per operation.
  times_ = times + 2;
  begin();
  times[0] = monotonic_ns();
  progress_.fetch_add(1, kRelaxed);
  while (ended_ < program_.operation_count) {
    if (!issue_ready()) return false;
    if (!computations_.empty()) compute_a_little();
    // What has just ended may have something to issue, which comes before waiting.
    if (!requests_.empty() && !look_after_requests(computations_.empty() && ready_.empty())) return false;
    if (requests_.empty() && computations_.empty() && ready_.empty() && ended_ < program_.operation_count) {
      error_ = "operations wait for one another in a cycle";
      return false;
    }
  }
  times[1] = monotonic_ns();
  progress_.fetch_add(1, kRelaxed);
  return true;
}

bool Run::issue_ready() {
  while (!ready_.empty()) {
    const std::uint32_t i = ready_.top();
    ready_.pop();
    if (!issue(i)) return false;
  }
  return true;
}

bool Run::issue(std::uint32_t i) {
  const OrreryReplayOperation& operation = program_.operations[i];
  if (states_[i].load(kRelaxed) >= kUnderWay) return true;  // went with its partner
  if (operation.line != kReplayNone) {
    if (is_turn_of(operation)) return communicate(i);
    states_[i].store(kHeld, kRelaxed);
    return true;
  }
  // Slots limit how many of a kind run at once: without one it waits until another ends.
  if (operation.slot < kReplaySlotKinds) {
    if (free_slots_[operation.slot] == 0) {
      without_slot_[operation.slot].push(i);
      return true;
    }
    --free_slots_[operation.slot];
  }
  start_computing(i);
  return true;
}

bool Run::is_turn_of(const OrreryReplayOperation& operation) const {
  return ahead_[operation.line].load(kRelaxed) == operation.place;
}

void Run::advance_line(const OrreryReplayOperation& operation) {
  const std::uint32_t ahead = operation.place + 1;
  ahead_[operation.line].store(ahead, kRelaxed);
  const std::uint32_t next = program_.line_begins[operation.line] + ahead;
  if (next == program_.line_begins[operation.line + 1]) return;
  const std::uint32_t held = program_.line_operations[next];
  // It was ready before it was its turn.
  if (states_[held].load(kRelaxed) == kHeld) ready_.push(held);
}

void Run::mark_started(std::uint32_t i) {
  const OrreryReplayOperation& operation = program_.operations[i];
  states_[i].store(kUnderWay, kRelaxed);
  times_[2 * i] = monotonic_ns();
  // Those that wait for the start stand behind those that wait for the end.
  const std::uint32_t first = operation.first_successor + operation.successors;
  for (std::uint32_t s = 0; s < operation.started_successors; ++s) release(program_.successors[first + s]);
}

bool Run::communicate(std::uint32_t i) {
  const OrreryReplayOperation& operation = program_.operations[i];
  const std::uint32_t partner = operation.partner;
  // Both sides are one call where nothing keeps either back.
  const bool as_pair = partner != kReplayNone && missing_[partner] == 0 && is_turn_of(program_.operations[partner]);
  mark_started(i);
  advance_line(operation);
  if (as_pair) {
    mark_started(partner);
    advance_line(program_.operations[partner]);
  }
  Issued issued;
  const int code = as_pair ? calls_.issue_pair(i, issued) : calls_.issue(i, issued);
  if (code != MPI_SUCCESS) return fail(i, code);
  if (issued.request != MPI_REQUEST_NULL) {
    requests_.push_back(issued.request);
    owners_.push_back(i);
    issued_.push_back(issued);
    return true;
  }
  // Done at once: a blocking call, or one without a request.
  calls_.release(issued);
  const std::int64_t now = monotonic_ns();
  end(i, now);
  if (as_pair) end(partner, now);
  return true;
}

void Run::start_computing(std::uint32_t i) {
  mark_started(i);
  const std::int64_t ns = program_.operations[i].duration_ns;
  if (ns <= 0) return end(i, times_[2 * i]);
  computations_.push_back({i, arithmetic_ != nullptr ? arithmetic_->units_in(ns) : times_[2 * i] + ns});
  is_computing_.store(true, kRelaxed);
}

void Run::compute_a_little() {
  const auto finish = [&](std::size_t place, std::int64_t now) {
    const std::uint32_t operation = computations_[place].operation;
    computations_.erase(computations_.begin() + static_cast<std::ptrdiff_t>(place));
    end(operation, now);
  };
  if (arithmetic_ != nullptr) {
    // One core does the work of all: the first is done before the next is begun.
    const std::int64_t units = std::min(kUnitsAtOnce, computations_.front().left);
    arithmetic_->work(units);
    if ((computations_.front().left -= units) == 0) finish(0, monotonic_ns());
  } else {
    const std::int64_t now = monotonic_ns();
    // By the clock all of them go on at once: that is what waiting beside one another is.
    for (std::size_t place = 0; place < computations_.size();) {
      if (computations_[place].left <= now) finish(place, now);
      else ++place;
    }
  }
  if (computations_.empty()) is_computing_.store(false, kRelaxed);
}

bool Run::look_after_requests(bool may_wait) {
  completed_.resize(requests_.size());
  const int count = static_cast<int>(requests_.size());
  int found = 0;
  const int code = may_wait ? MPI_Waitsome(count, requests_.data(), &found, completed_.data(), MPI_STATUSES_IGNORE)
                            : MPI_Testsome(count, requests_.data(), &found, completed_.data(), MPI_STATUSES_IGNORE);
  // MPI does not say which of them failed.
  if (code != MPI_SUCCESS) return fail(owners_.front(), code);
  if (found <= 0) return true;
  const std::int64_t now = monotonic_ns();
  // From the back, so that the last one, which fills a gap, is never one that is still to be looked at.
  std::sort(completed_.begin(), completed_.begin() + found, std::greater<>());
  for (int f = 0; f < found; ++f) {
    const auto place = static_cast<std::size_t>(completed_[static_cast<std::size_t>(f)]);
    calls_.release(issued_[place]);
    end(owners_[place], now);
    requests_[place] = requests_.back(), requests_.pop_back();
    owners_[place] = owners_.back(), owners_.pop_back();
    issued_[place] = issued_.back(), issued_.pop_back();
  }
  return true;
}

void Run::end(std::uint32_t i, std::int64_t now) {
  const OrreryReplayOperation& operation = program_.operations[i];
  times_[2 * i + 1] = now;
  states_[i].store(kEnded, kRelaxed);
  progress_.fetch_add(1, kRelaxed);
  ++ended_;
  if (operation.slot < kReplaySlotKinds) {
    ++free_slots_[operation.slot];
    Heap& waiting = without_slot_[operation.slot];
    // The slot goes to the next in line, lowest number first.
    if (!waiting.empty()) ready_.push(waiting.top()), waiting.pop();
  }
  for (std::uint32_t s = 0; s < operation.successors; ++s) release(program_.successors[operation.first_successor + s]);
}

void Run::release(std::uint32_t successor) {
  if (--missing_[successor] == 0) ready_.push(successor);
}

bool Run::fail(std::uint32_t i, int code) {
  static constexpr const char* kKinds[] = {"nothing", "computation", "send", "receive", "collective"};
  char text[MPI_MAX_ERROR_STRING + 1] = "its size is beyond the counts of MPI";
  int length = 0;
  // -1 is this program's own: no element makes the count fit.
  if (code != -1) PMPI_Error_string(code, text, &length);
  error_ =
      std::string("the ") + kKinds[program_.operations[i].kind] + " of activity " + std::to_string(i) + ": " + text;
  return false;
}

}  // namespace orrery::replay
