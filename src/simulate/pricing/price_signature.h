// What a price depends on, as a key: two questions with the same signature have the same answer, on whichever ranks they are asked.
//
// A key of kind, size and number of ranks is not enough: of two groups of eight, the one under one leaf and the one across two leaves cost
// different things. So the signature holds where the ranks are, up to what the machine cannot tell apart (turned rings, exchanged ports of a
// switch), and how much of which kind of link the operation uses. It also holds the topology's epoch: a derated link makes all prices others.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "machine/machine.h"
#include "simulate/collective/lowering.h"
#include "simulate/network_model.h"

namespace orrery::simulate {

/// A hash over every link of a network: where it leads, what it carries, how long it takes.
std::uint64_t topology_epoch(const machine::Network& network);

class PriceSignatures {
 public:
  /// `model` names whoever answers, with its version. All must outlive this.
  PriceSignatures(const machine::Machine& machine, Lowering& lowering, std::string_view model);

  /// "all_reduce/1048576/8/0123456789abcdef": readable, and the hash over all of it. For several operations that start together the order
  /// counts. An Error if one of them has no way through the network.
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

}  // namespace orrery::simulate
