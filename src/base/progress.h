// Progress of long work: one line on stderr with share, rate and time left. Only a person at a terminal sees it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace orrery {

/// "reading  42 %  1.20 GB/s  3 s left": what is known after `elapsed_s` seconds. A `total_bytes` of 0 means unknown:
/// no share, no time left. `what` is counted ("events"); empty: bytes.
std::string format_progress(std::string_view label, std::uint64_t done_bytes, std::uint64_t total_bytes,
                            double elapsed_s, std::string_view what = {});

/// Counts bytes of work and redraws its line at most ten times a second; the first line appears after a tenth of a
/// second, so that quick work shows nothing. add() may be called from any thread and costs an atomic addition and a
/// look at the clock: call it per block, not per record. The line is wiped by finish() and by the destructor.
class Progress {
 public:
  using Sink = std::function<void(std::string_view)>;
  using ClockNs = std::function<std::int64_t()>;

  /// Draws on stderr, if that is a terminal and `wanted`.
  Progress(std::string label, std::uint64_t total_bytes, bool wanted = true);
  /// Draws into `sink` by the time of `clock`: for tests. No sink: draws nothing.
  Progress(std::string label, std::uint64_t total_bytes, Sink sink, ClockNs clock);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  /// Says what is counted, if not bytes: "events".
  void count(std::string what) { what_ = std::move(what); }
  void add(std::uint64_t bytes);
  /// Wipes the line; add() still counts but draws no more.
  void finish();
  [[nodiscard]] std::uint64_t done_bytes() const { return done_bytes_.load(std::memory_order_relaxed); }

 private:
  static constexpr std::int64_t kIntervalNs = 100'000'000;

  void draw(std::int64_t now_ns);

  const std::string label_;
  std::string what_;
  const std::uint64_t total_bytes_;
  const ClockNs clock_;
  const std::int64_t start_ns_;
  std::atomic<std::uint64_t> done_bytes_{0};
  std::atomic<std::int64_t> next_draw_ns_;
  std::mutex drawing_;  // guards what follows
  Sink sink_;
  bool drawn_ = false;
};

}  // namespace orrery
