// A clock whose truth is known: what it shows at every moment of true time.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace orrery::align::test {

/// All randomness of a world comes from one of these, seeded once: the same seed gives the same world.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<double>(low, high)(engine_); }
  double normal(double sigma) { return sigma > 0 ? std::normal_distribution<double>(0, sigma)(engine_) : 0; }
  double exponential(double mean) { return mean > 0 ? std::exponential_distribution<double>(1 / mean)(engine_) : 0; }
  bool chance(double share) { return uniform(0, 1) < share; }
  double sign() { return chance(0.5) ? 1 : -1; }
  std::mt19937_64& engine() { return engine_; }

 private:
  std::mt19937_64 engine_;
};

/// How a clock goes wrong. All but `constant` also drift; all start up to 5 ms away from true time.
enum class ClockFamily : std::uint8_t {
  constant,     ///< an offset and nothing else
  linear,       ///< up to 30 ppm
  fast,         ///< up to 100 ppm
  wander,       ///< 30 ppm, and a frequency that walks by 0.1 ppm per root second
  temperature,  ///< 30 ppm, a sinusoid of 1 ppm and a fan that comes on
  slew,         ///< 30 ppm, and a daemon that corrects 50 to 500 us at a rate of 50 to 500 ppm
  steps,        ///< wander, and a daemon that sets some clocks by 50 us to 20 ms, either way
};
inline constexpr ClockFamily kFamilies[] = {ClockFamily::constant, ClockFamily::linear,      ClockFamily::fast,
                                            ClockFamily::wander,   ClockFamily::temperature, ClockFamily::slew,
                                            ClockFamily::steps};
std::string_view to_string(ClockFamily family);

struct TrueStep {
  double at_ns = 0;
  double jump_ns = 0;
};

/// Times are ns since the world's epoch; a clock is defined for 2 s before the start of the job until 2 s after its
/// end.
class TrueClock {
 public:
  TrueClock(ClockFamily family, double seconds, Random& random);

  /// What the clock shows at true time `t_ns`.
  [[nodiscard]] double read(double t_ns) const;
  /// The same if nobody had ever set it: what a counter driven by the same crystal does.
  [[nodiscard]] double read_unset(double t_ns) const;
  /// From `step.at_ns` on the clock shows `step.jump_ns` more.
  void set(const TrueStep& step) { steps_.push_back(step); }
  [[nodiscard]] const std::vector<TrueStep>& steps() const { return steps_; }
  /// Whether the clock shows this moment's reading at another moment too, because it was set back in between.
  [[nodiscard]] bool is_ambiguous(double t_ns) const;

 private:
  std::vector<double> ahead_ns_;  // every kGridS from kBeforeS before the epoch on
  std::vector<TrueStep> steps_;
};

}  // namespace orrery::align::test
