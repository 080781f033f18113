// What went and what stayed, counted: the report of a run, and all there is of a dry one.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "scrub/rules.h"

namespace orrery::scrub {

struct MemberCount {
  std::uint64_t count = 0;     ///< occurrences
  std::uint64_t unusable = 0;  ///< of these, with a value the rule does not fit: left out
};

class Tally {
 public:
  Tally() : by_rule_(all_rules().size()) {}

  MemberCount& of(const ObjectRules& object, const MemberRule& rule) { return by_rule_[object.index_of(rule)]; }
  /// A member without a rule.
  void add_unknown(std::string_view place, std::string_view key);
  void add_unusable_record() { ++unusable_records_; }
  void add(const Tally& other);

  [[nodiscard]] const std::vector<MemberCount>& by_rule() const { return by_rule_; }
  /// By place and key: "event.args.My secret".
  [[nodiscard]] const std::map<std::string, std::uint64_t>& unknown() const { return unknown_; }
  [[nodiscard]] std::uint64_t unusable_records() const { return unusable_records_; }

 private:
  static constexpr std::size_t kMaxUnknown = 10'000;  // a file may have a new key in every record

  std::vector<MemberCount> by_rule_;
  std::map<std::string, std::uint64_t> unknown_;
  std::uint64_t unusable_records_ = 0;
  std::string key_;
};

}  // namespace orrery::scrub
