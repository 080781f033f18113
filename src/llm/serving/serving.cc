#include "llm/serving/serving.h"

#include <algorithm>

#include "llm/catalog.h"
#include "llm/kernels/kernel_list.h"

namespace orrery::llm {
namespace {

/// The embedding table is looked up, not read.
double read_parameters(const Architecture& model) { return dense_parameters(model) - model.vocabulary * model.hidden; }

}  // namespace

double token_seconds(const machine::Device& device, const ServingConstants& c, const Architecture& model,
                     const Deployment& d, double context) {
  const ServingRates& rates = rates_of(c.rates, device.generation);
  const double parameters = read_parameters(model);
  const double cache = d.batch * context * model.layers * 2 * model.kv_width() * kElementBytes;
  const double memory =
      (kElementBytes * parameters + cache) / (d.tensor * c.memory_share * device.memory_bytes_per_s());
  const double math =
      2 * parameters * d.batch / (d.tensor * c.decode_matrix_share * device.peak_flops(machine::DataType::bf16));
  const double reduce =
      d.tensor > 1 ? rates.all_reduce_us * (1 + c.all_reduce_growth * model.hidden / c.all_reduce_width) : 0;
  return std::max(memory, math) + model.layers * (rates.layer_us + reduce) * 1e-6;
}

double prompt_seconds(const machine::Device& device, const ServingConstants& c, const Architecture& model,
                      const Deployment& d, double prompt) {
  const ServingRates& rates = rates_of(c.rates, device.generation);
  const double parameters = read_parameters(model);
  const double flop =
      2 * parameters * d.batch * prompt + 2 * d.batch * model.layers * model.heads * model.head_size * prompt * prompt;
  const double math = flop / (d.tensor * c.prefill_matrix_share * device.peak_flops(machine::DataType::bf16));
  const double weights = kElementBytes * parameters / (d.tensor * c.memory_share * device.memory_bytes_per_s());
  // Two all-reduces of the hidden state per layer.
  const double reduce = 2 * model.layers * 2 * (d.tensor - 1) / d.tensor * d.batch * prompt * model.hidden *
                        kElementBytes / (c.prefill_network_share * device.scale_up_bytes_per_s());
  return std::max(math, weights) + reduce + model.layers * rates.layer_us * 1e-6;
}

}  // namespace orrery::llm
