#include "base/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base/team/launcher.h"
#include "base/units.h"

namespace orrery {
namespace {

constexpr std::string_view kWipe = "\r\x1b[K";

std::int64_t steady_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Progress is a courtesy: a failed write is not worth an error.
void write_stderr(std::string_view text) {
  if (::write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

Progress::Sink terminal_sink(bool wanted) {
  return wanted && is_terminal(STDERR_FILENO) ? Progress::Sink(write_stderr) : Progress::Sink();
}

std::string format_time_left(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::ceil(std::min(seconds, 1e9)));
  // A unit is used until it would show two digits at most: nobody reads "7199 s".
  if (whole < 120) return fmt::format("{} s left", whole);
  if (whole < 7200) return fmt::format("{} min left", whole / 60);
  return fmt::format("{} h {} min left", whole / 3600, whole % 3600 / 60);
}

}  // namespace

std::string format_progress(std::string_view label, std::uint64_t done_bytes, std::uint64_t total_bytes,
                            double elapsed_s, std::string_view what) {
  const auto amount = [&](std::uint64_t n) {
    return what.empty() ? format_bytes(n) : fmt::format("{} {}", format_count(n), what);
  };
  std::string line(label);
  const auto done = static_cast<double>(done_bytes);
  const auto total = static_cast<double>(total_bytes);
  if (total_bytes > 0) line += fmt::format("  {:.0f} %", std::floor(100.0 * std::min(done / total, 1.0)));
  else line += "  " + amount(done_bytes);
  if (elapsed_s <= 0 || done_bytes == 0) return line;
  const double rate = done / elapsed_s;
  line += "  " + amount(static_cast<std::uint64_t>(std::min(rate, 1e18))) + "/s";
  if (total_bytes > done_bytes) line += "  " + format_time_left((total - done) / rate);
  return line;
}

Progress::Progress(std::string label, std::uint64_t total_bytes, bool wanted)
    : Progress(std::move(label), total_bytes, terminal_sink(wanted), steady_ns) {}

Progress::Progress(std::string label, std::uint64_t total_bytes, Sink sink, ClockNs clock)
    : label_(std::move(label)),
      total_bytes_(total_bytes),
      clock_(std::move(clock)),
      start_ns_(clock_()),
      // What is done at once shows no line at all: one that flashes by helps nobody.
      next_draw_ns_(sink ? start_ns_ + kIntervalNs : std::numeric_limits<std::int64_t>::max()),
      sink_(std::move(sink)) {}

Progress::~Progress() { finish(); }

void Progress::add(std::uint64_t bytes) {
  done_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  std::int64_t due = next_draw_ns_.load(std::memory_order_relaxed);
  // Not at a terminal, or finished: adding must cost next to nothing, it is called for every block.
  if (due == std::numeric_limits<std::int64_t>::max()) return;
  const std::int64_t now = clock_();
  // Of all threads that find the line overdue, the one that moves the date draws it.
  if (now >= due && next_draw_ns_.compare_exchange_strong(due, now + kIntervalNs, std::memory_order_relaxed)) draw(now);
}

void Progress::draw(std::int64_t now_ns) {
  const std::lock_guard lock(drawing_);
  if (!sink_) return;
  const double elapsed_s = static_cast<double>(now_ns - start_ns_) / 1e9;
  sink_(std::string(kWipe) + format_progress(label_, done_bytes(), total_bytes_, elapsed_s, what_));
  drawn_ = true;
}

void Progress::finish() {
  next_draw_ns_.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
  const std::lock_guard lock(drawing_);
  if (drawn_) sink_(kWipe);
  drawn_ = false;
  sink_ = nullptr;
}

}  // namespace orrery
