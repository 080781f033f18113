// What published tables do not say about themselves: which framework ran where, and what was usual for fields that they
// leave out.
#pragma once

#include <cstdint>
#include <string_view>

#include "machine/device/peak_rates.h"

namespace orrery::llm {

enum class Framework : std::uint8_t {
  eager,
  megatron,
  megatron_core,
  fsdp,
  paired_devices,
  nanotron,
};

/// "megatron_core".
std::string_view to_string(Framework framework);

/// One published set of measurements. Everything here is a fact about who measured, none is fitted.
struct Source {
  std::string_view dataset;
  Framework framework = Framework::megatron_core;
  std::string_view flavour = {};  ///< of Megatron
  std::string_view cluster = {};
  double interleave = 1;                                 ///< of pipelines, where the row names none
  bool plain_mlp = false;                                ///< models given by their shape have two matrices in the MLP
  machine::DataType precision = machine::DataType::fp8;  ///< where the row names none
  std::string_view method = "llmcompass";                ///< of measuring operators
  double sequence = 0;                                   ///< where the row names none; 0: the row has to
  double step_tokens = 0;
  double vocabulary = 0;
};

/// What is known of a set; of one that is not in the table, that it ran on Megatron-Core.
const Source& source_of(std::string_view dataset);

}  // namespace orrery::llm
