// A server that always has the same number of requests of one length: whenever one has all of its tokens the next
// comes. Its steady state in closed form, with the constants of a serving stack:
//
//     step = layers x launches + (weights that are read + cache) / bandwidth + flop / peak + all-reduces
//     time per token = step + prompt x requests / tokens of each
//
// since between two tokens of one request come the prompts of those that begin: as many as end.
#pragma once

#include <optional>
#include <string_view>

#include "llm/architecture.h"
#include "llm/frameworks.h"
#include "machine/device/device.h"

namespace orrery::llm {

/// How a checkpoint stores its matrices, as precisions are called: "fp8", "nvfp4", "int4".
struct WeightFormat {
  std::string_view name;
  double weight_bytes = 2;  ///< with scales
  double cache_bytes = 2;   ///< of one element of the cache
  machine::DataType products = machine::DataType::bf16;
};
/// Whatever the case; null: none of that name.
const WeightFormat* weight_format_called(std::string_view name);

/// Requests of one shape, so many at any time, on devices that share them.
struct LoopShape {
  WeightFormat format = {};
  double tensor = 1;
  double replicas = 1;  ///< of attention: each has its own requests and cache; experts are spread over all devices
  double requests = 1;  ///< at once, all replicas together
  double prompt = 0;    ///< tokens of each
  double generate = 1;
};

struct LoopTimes {
  double token_s = 0;  ///< between two tokens of a request, the prompts of others included
  // Until the first token, by how the requests lie to one another in time. Those of equal length stay as they are.
  double spread_s = 0;    ///< evenly: nobody waits for another's prompt
  double random_s = 0;    ///< by chance
  double together_s = 0;  ///< all begin at once, and their prompts are one batch
  /// Mean over a run that begins with all requests at once, whose prompts come one behind the other, and goes on by
  /// chance.
  double benchmark_s = 0;
  double seats = 0;  ///< requests whose cache fits at once; others wait
};

/// The rates of the stack on such devices; where it was not measured on them, those that all stacks have in common.
/// Null: the stack was measured nowhere.
const StackRates* find_stack(const StackConstants& constants, std::string_view stack, std::string_view generation);

/// Of a model whose layers are known one by one: no hybrid.
LoopTimes closed_loop(const machine::Device& device, const StackConstants& constants, const StackRates& rates,
                      const Architecture& model, const LoopShape& loop);

}  // namespace orrery::llm
