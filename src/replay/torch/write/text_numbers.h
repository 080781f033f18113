// Distinct texts, numbered in order of first appearance.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace orrery::replay::torch {

class TextNumbers {
 public:
  /// New texts are appended to `texts`, which must outlive this.
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}

  std::uint32_t operator()(std::string text) {
    const auto [at, is_new] = numbers_.try_emplace(std::move(text), static_cast<std::uint32_t>(texts_.size()));
    if (is_new) texts_.push_back(at->first);
    return at->second;
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

}  // namespace orrery::replay::torch
