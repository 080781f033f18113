// Prices that others give, each asked for once. What a price depends on is a key, its signature: two questions with the
// same signature have the same answer, on whichever ranks they are asked.
//
// A key of kind, size and number of ranks is not enough: of two groups of eight, the one under one leaf and the one
// across two leaves cost different things. So the signature holds where the ranks are, up to what the machine cannot
// tell apart (turned rings, exchanged ports of a switch), and how much of which kind of link the operation uses. It
// also holds the topology's epoch: a derated link makes all prices others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "base/units.h"
#include "machine/machine.h"
#include "simulate/collective/lowering.h"
#include "simulate/network_model.h"
#include "simulate/pricing/pricing.h"

namespace orrery::simulate {

/// A hash over every link of a network: where it leads, what it carries, how long it takes.
std::uint64_t topology_epoch(const machine::Network& network);

class PriceSignatures {
 public:
  /// `model` names whoever answers, with its version. All must outlive this.
  PriceSignatures(const machine::Machine& machine, Lowering& lowering, std::string_view model);

  /// "all_reduce/1048576/8/0123456789abcdef": readable, and the hash over all of it. For several operations that start
  /// together the order counts. An Error if one of them has no way through the network.
  Result<std::string> of(std::span<const CommOp> ops);

 private:
  void add_place(std::uint32_t rank);
  Status add_usage(const CommOp& op);

  const machine::Machine& machine_;
  Lowering& lowering_;
  std::string prefix_;  // model and epoch
  // Of one question: what a coordinate is called, by dimension.
  std::vector<std::vector<std::int64_t>> seen_;
  std::string text_;
};

/// Prices by signature: in memory, and in a file if there is one. The file is JSON:
///
///     {"format": "orrery.prices/1", "prices": {"all_reduce/1048576/8/0123456789abcdef": [2097152000], ...}}
class PriceCache {
 public:
  /// A file that is not there yet is empty; one that cannot be read or is no file of prices counts as S113, and is
  /// replaced in the end.
  PriceCache(std::optional<std::string> file, Diagnostics& diagnostics);

  /// By operation; null if it is not known.
  [[nodiscard]] const std::vector<TimePs>* find(const std::string& signature) const;
  void keep(std::string signature, std::vector<TimePs> prices);
  [[nodiscard]] std::size_t size() const { return prices_.size(); }

  /// Writes the file aside and renames it, if there is one and anything is new. What fails is counted: a cache that
  /// cannot be written costs time, not truth.
  void save(Diagnostics& diagnostics);

 private:
  bool parse(std::string_view text);

  std::optional<std::string> file_;
  std::map<std::string, std::vector<TimePs>, std::less<>>
      prices_;  // ordered, so that the file does not depend on who asked first
  bool changed_ = false;
};

/// Asks an oracle for prices, each question once: identical questions are answered from memory, and those that a
/// machine cannot tell apart from the cache. What the oracle has no answer for takes what the links give it alone. Not
/// thread-safe.
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
