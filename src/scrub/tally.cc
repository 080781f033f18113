#include "scrub/tally.h"

namespace orrery::scrub {

void Tally::add_unknown(std::string_view place, std::string_view key) {
  key_.assign(place).append(key);
  auto at = unknown_.find(key_);
  // Keys may be data ("loss_at_step_7"): then there is a new one in every record.
  if (at == unknown_.end()) at = unknown_.try_emplace(unknown_.size() < kMaxUnknown ? key_ : "(others)").first;
  ++at->second;
}

void Tally::add(const Tally& other) {
  for (std::size_t i = 0; i < by_rule_.size(); ++i) {
    by_rule_[i].count += other.by_rule_[i].count;
    by_rule_[i].unusable += other.by_rule_[i].unusable;
  }
  for (const auto& [key, count] : other.unknown_) unknown_[key] += count;
  unusable_records_ += other.unusable_records_;
}

}  // namespace orrery::scrub
