// Asks an oracle for prices, each question once: identical questions are answered from memory, and those that a machine cannot tell apart from
// the cache. What the oracle has no answer for takes what the links give it alone.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "simulate/collective/lowering.h"
#include "simulate/pricing/price_cache.h"
#include "simulate/pricing/price_oracle.h"
#include "simulate/pricing/price_signature.h"

namespace orrery::simulate {

/// Not thread-safe.
class PriceBook {
 public:
  /// All must outlive the book.
  PriceBook(const PriceOracle& oracle, const machine::Machine& machine, Lowering& lowering, PriceCache& cache);

  struct Answer {
    TimePs total_ps = 0;
    bool is_fallback = false;  ///< the oracle has no answer: this is what the links say
  };
  /// An Error if the links have none either.
  Result<Answer> alone(const CommOp& op);
  /// By place. Only of operations that have a price of their own alone. The Error is the oracle's.
  Result<std::vector<TimePs>> together(std::span<const CommOp> ops);

  [[nodiscard]] std::uint64_t asked() const { return asked_; }
  [[nodiscard]] std::uint64_t hits() const { return hits_; }
  /// How often alone() had to fall back.
  [[nodiscard]] std::uint64_t fallbacks() const { return fallbacks_; }
  /// Why the first operation without a price has none.
  [[nodiscard]] const std::string& first_refusal() const { return first_refusal_; }

 private:
  Result<std::vector<TimePs>> ask(std::span<const CommOp> ops);
  Result<Answer> ask_alone(const CommOp& op);

  const PriceOracle& oracle_;
  Lowering& lowering_;
  PriceCache& cache_;
  PriceSignatures signatures_;
  std::unordered_map<std::string, Answer> alone_;    // by the question, word for word
  std::unordered_map<std::string, Error> failures_;  // by signature: not asked in vain twice
  std::uint64_t asked_ = 0, hits_ = 0, fallbacks_ = 0;
  std::string first_refusal_;
};

}  // namespace orrery::simulate
