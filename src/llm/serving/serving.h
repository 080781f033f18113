// Serving: prefill and decode of one model over devices that share its layers.
#pragma once

#include "llm/architecture.h"
#include "llm/frameworks.h"
#include "machine/device/device.h"

namespace orrery::llm {

struct Deployment {
  double tensor = 1;
  double batch = 1;
};

/// Seconds of one token of each request, at a context of so many tokens.
double token_seconds(const machine::Device& device, const ServingConstants& constants, const Architecture& model,
                     const Deployment& deployment, double context);
/// Seconds until the first token of requests of `prompt` tokens each.
double prompt_seconds(const machine::Device& device, const ServingConstants& constants, const Architecture& model,
                      const Deployment& deployment, double prompt);

}  // namespace orrery::llm
