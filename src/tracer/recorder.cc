#include "tracer/recorder.h"

#include <pthread.h>

#include <algorithm>
#include <ctime>

// One lock serves all threads of the process, and a call is written when it has returned. Calls that find
// nothing are folded into one record with their number and the time inside, so that a loop that polls does not fill the
// file.

namespace orrery::tracer {

Recorder* recorder = nullptr;

namespace {

// Calls that find nothing, further apart than this, have work between them that must stay visible.
constexpr std::uint64_t kMostFoldedGapNs = 10'000;

// A preloaded library has its place among the first: access needs no call.
thread_local Thread* current_thread __attribute__((tls_model("initial-exec"))) = nullptr;
thread_local std::uint64_t last_ns __attribute__((tls_model("initial-exec"))) = 0;

// Calls that find nothing and are folded for longer than this are written: a rank that spins for ever is seen to.
constexpr std::uint64_t kLongestFoldNs = 100'000'000;

// A child has the parent's memory, but not its file.
void forget_in_child() {
  if (recorder != nullptr) recorder->forget();
}

// A program that ends without MPI_Finalize keeps what it recorded.
__attribute__((destructor)) void keep_what_is_recorded() {
  if (recorder == nullptr) return;
  // Another thread may still be inside: it then writes the rest, or nobody does.
  if (!recorder->mutex.try_lock()) return;
  recorder->flush();
  recorder->mutex.unlock();
}

}  // namespace

std::uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto ns = static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
  // Where the counters of two cores differ a little, the system lets its clock stand still after a move from one to the
  // other.
  last_ns = std::max(ns, last_ns + 1);
  return last_ns;
}

Recorder* Recorder::start(const Settings& settings, const FileFacts& facts, bool is_concurrent) {
  auto started = std::make_unique<Recorder>();
  started->is_concurrent_ = is_concurrent;
  started->depth_ = settings.depth;
  const std::string path = settings.prefix + "." + std::to_string(facts.rank) + ".mpitrace";
  if (!started->file_.open(path, settings.buffer_bytes, facts)) return nullptr;
  pthread_atfork(nullptr, nullptr, forget_in_child);
  started->description.communicators.begin();
  return started.release();  // never freed: other threads, and the end of the program, may still look at it
}

CallDescription& Recorder::describe() {
  description.reset(is_on());
  return description;
}

Thread& Recorder::this_thread() {
  if (current_thread == nullptr) {
    threads_.push_back(std::make_unique<Thread>());
    current_thread = threads_.back().get();
    current_thread->number = static_cast<std::uint32_t>(threads_.size() - 1);
  }
  return *current_thread;
}

void Recorder::prepare(std::uint64_t now) {
  const std::uint64_t before = file_.base_ns();
  file_.prepare(now);
  if (file_.base_ns() != before) previous_ns_ = file_.base_ns();
}

void Recorder::write_definitions() {
  for (const CommunicatorPtr& communicator : description.communicators.unwritten) {
    body_.clear();
    encode(*communicator, body_);
    file_.add(RecordKind::communicator, body_);
  }
  description.communicators.unwritten.clear();
  for (const ByteBuffer& window : description.unwritten_windows) file_.add(RecordKind::window, window);
  description.unwritten_windows.clear();
}

void Recorder::write_call(const Thread& thread, const CallTimes& times, std::uint32_t site, std::uint32_t fields,
                          const ByteBuffer& rest) {
  const auto function = static_cast<std::size_t>(times.function);
  if (function_texts_[function] == 0) function_texts_[function] = texts_.number(kFunctionNames[function], file_);
  body_.clear();
  body_.number(function_texts_[function]);
  body_.number(thread.number);
  body_.signed_number(static_cast<std::int64_t>(times.enter_ns - previous_ns_));
  body_.number(times.exit_ns - times.enter_ns);
  body_.number(site);
  body_.number(fields);
  body_.raw(rest.data(), rest.size());
  file_.add(RecordKind::call, body_);
  previous_ns_ = times.enter_ns;
}

void Recorder::write_polls(Thread& thread) {
  if (thread.polls == 0) return;
  rest_.clear();
  rest_.number(thread.polls);
  rest_.number(thread.inside_ns);
  write_call(thread, thread.extent, thread.site, kPolls, rest_);
  thread.polls = 0;
}

void Recorder::fold(Thread& thread, const CallTimes& times, const Stack& stack) {
  const std::uint64_t inside_ns = times.exit_ns - times.enter_ns;
  if (thread.polls > 0 && times.enter_ns <= thread.extent.exit_ns + kMostFoldedGapNs) {
    ++thread.polls;
    thread.inside_ns += inside_ns;
    thread.extent.exit_ns = times.exit_ns;
    if (times.exit_ns - thread.extent.enter_ns > kLongestFoldNs) write_polls(thread);
    return;
  }
  write_polls(thread);
  thread.polls = 1;
  thread.inside_ns = inside_ns;
  thread.extent = times;
  thread.site = sites_.number(stack, texts_, file_);
}

void Recorder::commit(const CallTimes& times, const Stack& stack) {
  if (!file_.is_open()) return;
  prepare(times.enter_ns);
  write_definitions();
  if (!is_on()) return;
  Thread& thread = this_thread();
  if (description.found_nothing()) return fold(thread, times, stack);
  write_polls(thread);
  const std::uint32_t site = sites_.number(stack, texts_, file_);
  rest_.clear();
  description.encode(rest_);
  write_call(thread, times, site, description.fields(), rest_);
}

void Recorder::flush() {
  if (!file_.is_open()) return;
  prepare(now_ns());
  for (const std::unique_ptr<Thread>& thread : threads_) write_polls(*thread);
  file_.flush();
}

void Recorder::finish() {
  flush();
  if (!file_.is_open()) return;
  prepare(now_ns());
  body_.clear();
  file_.add(RecordKind::end, body_);
  file_.close();
}

}  // namespace orrery::tracer
