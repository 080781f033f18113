// Numbers of the system that recorded a trace (process and thread numbers) as small ones that keep their order.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace orrery::scrub {

/// Analyses break ties by these numbers, so the new ones, from kFirstNew on, are in the same order. Those below a limit
/// stay: they mean something else. Collect first, then seal(), then ask.
class IdMap {
 public:
  static constexpr std::int64_t kFirstNew = 1000;

  explicit IdMap(std::int64_t kept_below) : kept_below_(kept_below) {}

  [[nodiscard]] bool keeps(std::int64_t number) const { return number < kept_below_; }
  void collect(std::int64_t number) {
    if (keeps(number) || number == last_) return;
    last_ = number;
    collected_.push_back(number);
    if (collected_.size() >= limit_) thin_out();
  }
  void collect(const IdMap& other);
  void seal();

  /// Nothing for a number that was not collected and is not below the limit. -1 for all negative ones.
  [[nodiscard]] std::optional<std::int64_t> find(std::int64_t number) const;
  [[nodiscard]] std::size_t size() const { return collected_.size(); }

 private:
  void thin_out();

  std::int64_t kept_below_;
  std::vector<std::int64_t> collected_;  // sealed: sorted, each once
  std::int64_t last_ = -1;
  std::size_t limit_ = 1 << 16;
};

}  // namespace orrery::scrub
