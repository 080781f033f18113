// Where times go: by a constant, so that they no longer tell when the job ran, and on request a little to and fro.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "base/json/json_scan.h"
#include "base/units.h"
#include "scrub/key.h"

namespace orrery::scrub {

/// What to subtract, in whole microseconds, from times of which `first_us` is the earliest of the job; a multiple of a
/// second. The earliest moves to just after the power of two below it: a double has the same resolution there, so that
/// tools that read times as doubles (HTA) round every one of them as before. Times below 2^40 us (12 days) stay: such a
/// clock began with the recording.
std::int64_t choose_shift_us(std::int64_t first_us);

/// A strictly increasing map of the time axis onto itself that moves no moment by more than a bound: linear between
/// points that are four bounds apart, each moved by what the key says. One for all lanes and files of a job, so that
/// whatever came first or lay inside something else still does. Between 0.5 and 1.5 times as long: what durations
/// become.
class TimeWarp {
 public:
  /// `bound_ps` 0: the identity.
  TimeWarp(const Key& key, TimePs bound_ps) : key_(key), bound_ps_(bound_ps) {}

  [[nodiscard]] bool is_identity() const { return bound_ps_ == 0; }
  [[nodiscard]] TimePs bound_ps() const { return bound_ps_; }
  /// `time_ps` relative to any moment that is the same for the whole job.
  TimePs operator()(TimePs time_ps);
  /// For a duration without a place in time: up to the bound or half of itself longer or shorter, as `which` and the
  /// key say.
  [[nodiscard]] TimePs stretch(TimePs duration_ps, std::uint64_t which) const;

 private:
  struct Knot {
    std::int64_t index = 0;
    TimePs moved_by = 0;
    bool known = false;
  };
  TimePs moved_by(std::int64_t knot);

  Key key_;
  TimePs bound_ps_;
  std::array<Knot, 1024> knots_{};  // by index modulo: times come nearly in order
};

/// A moment in microseconds as JSON writes it, moved. The digits after the point stay as they are. Empty if it is no
/// number; "1e300", which no reader takes for a time either, if it is out of range.
std::string shift_decimal_us(std::string_view json, std::int64_t shift_us);

/// Start and duration after the warp, with as many digits after the point as the two had (six at most). `first_us`:
/// where the warp's time begins. Of an unusable number the start is as shift_decimal_us has it, and there is no
/// duration.
std::pair<std::string, std::string> warp_decimal_us(std::string_view start, std::string_view duration,
                                                    std::int64_t shift_us, std::int64_t first_us, TimeWarp& warp);

}  // namespace orrery::scrub
