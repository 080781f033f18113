// Snapshots for whoever answers questions about sets of operations but cannot run in the loop.
//
// Between two moments of a schedule the operations under way are frozen. They fall into components that share neither a link nor a rank: each is
// priced as if all its members started together, from nothing, which over-states what those that are nearly done suffer. An operation e that is
// in the intervals k of lengths t_k takes
//
//     alone(e) * sum_k (t_k / sum of t_k) * max(1, together_k(e) / alone(e))
//
// that is: the part of its work that it did in each company counts as much as that company slowed it down.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "simulate/collective/lowering.h"
#include "simulate/models/snapshot.h"
#include "simulate/pricing/price_book.h"
#include "simulate/pricing/priced_operations.h"
#include "simulate/pricing/recording_model.h"

namespace orrery::simulate {

/// Operations of fewer than `coalesce_below_bytes` bytes take what they take alone and are in no interval; so are those without a price of the
/// oracle's own: their time is another model's. An Error only where an operation has no price at all.
Result<PricedOperations> oracle_snapshots(const Recording& recording, PriceBook& book, Lowering& lowering, const SnapshotSettings& settings,
                                          std::int64_t coalesce_below_bytes);

}  // namespace orrery::simulate
