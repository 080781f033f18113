// Parallelism of a few devices in NVLink pairs that share one link across. data/frameworks/paired_devices.yaml has the
// values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "llm/backtest/constant_ranges.h"
#include "machine/yaml/field_kinds.h"

namespace orrery::llm {

struct PairConstants {
  double compute_factor = 0;       ///< against the stack of llm_foundry
  double pair_gb_per_s = 0;        ///< of a ring inside a pair
  double cross_gb_per_s = 0;       ///< across pairs, shared
  double hidden_share = 0;         ///< of compute that hides the traffic of ZeRO-3
  double context_byte_factor = 0;  ///< of context parallelism
  double pair_devices = 0;
  double devices = 0;
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<PairConstants> auto& value) {
  visitor.format("format", "orrery.paired_devices/1");
  visitor.number("compute_factor", value.compute_factor, kConstant);
  visitor.number("pair_gb_per_s", value.pair_gb_per_s, kConstant);
  visitor.number("cross_gb_per_s", value.cross_gb_per_s, kConstant);
  visitor.number("hidden_share", value.hidden_share, kConstant);
  visitor.number("context_byte_factor", value.context_byte_factor, kConstant);
  visitor.number("pair_devices", value.pair_devices, kConstant);
  visitor.number("devices", value.devices, kConstant);
}

}  // namespace orrery::llm
