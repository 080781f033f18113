#include "ask/workloads/network.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "job/shipped/measured_collectives.h"
#include "machine/yaml/field_reader.h"

namespace orrery::ask {
namespace {

using machine::NetworkModelKind;

/// What --pricing names: the block of a configuration of llm, by itself.
struct PricingFile {
  simulate::PricingOptions network;
};

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<PricingFile> auto& file) {
  visitor.object("network", file.network);
}

std::string network_name(NetworkModelKind kind) {
  return std::string(machine::kNetworkModelNames[static_cast<std::size_t>(kind)]);
}

/// isolated and snapshot alone mean those of the links.
std::string network_name(const simulate::PricingOptions& network) {
  const std::string model(simulate::kPricingModelNames[static_cast<std::size_t>(network.model)]);
  const std::string mode(simulate::kPricingModeNames[static_cast<std::size_t>(network.mode)]);
  if (network.mode == simulate::PricingMode::in_loop || network.model == simulate::PricingModel::analytical)
    return network.collectives == simulate::CollectiveSource::links ? model : model + ", measured collectives";
  return network.model == simulate::PricingModel::fluid ? mode : fmt::format("{}, {}", model, mode);
}

Result<simulate::PricingOptions> read_pricing(Context& context, const std::string& path) {
  if (const Status added = context.add_input(path); !added) return added.error();
  const auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  auto file = machine::read_description<PricingFile>(*text, path, "the pricing", "docs/NETWORK_MODELS.md", nullptr);
  if (!file) return file.error();
  if (const Status good = file->network.check(); !good) {
    Error error = good.error();
    error.file = path;
    return error;
  }
  return file->network;
}

Error unknown_program(std::string_view where) {
  return {.message = "astra-sidecar does not know your ASTRA-sim",
          .hint = fmt::format("{}, or communication: {{astra_sim: {{binary: FILE}}}} in the machine", where)};
}

}  // namespace

simulate::Pricing configured_pricing(const simulate::PricingOptions& network) {
  simulate::Pricing pricing = network;
  pricing.open_oracle = job::open_astra_sim;
  pricing.open_collectives = job::open_measured_collectives;
  return pricing;
}

simulate::Pricing configured_pricing(const job::LlmConfig& config, const llm::Catalog& catalog) {
  simulate::Pricing pricing = configured_pricing(config.network);
  // A device that the configuration describes itself may have collectives of its own.
  pricing.open_collectives = [&](const machine::Machine&) {
    return job::measured_collectives(catalog.devices, config.device);
  };
  return pricing;
}

Result<std::optional<simulate::MeasuredPrices>> measured_prices(const simulate::Pricing& pricing,
                                                                const machine::Machine& machine) {
  if (pricing.collectives == simulate::CollectiveSource::links) return std::optional<simulate::MeasuredPrices>();
  auto device = pricing.open_collectives(machine);
  if (!device) return device.error();
  return std::optional<simulate::MeasuredPrices>(std::in_place, std::move(*device), machine);
}

Result<NamedPricing> chosen_pricing(Context& context, const NetworkChoice& choice, const machine::Machine& machine) {
  if (!choice.pricing) {
    const NetworkModelKind kind = choice.model.value_or(machine.communication.network_model);
    return NamedPricing{network_name(kind), simulate::pricing_of(kind)};
  }
  if (choice.model) return misuse("--pricing says which model it is, and so does --network-model", "give one of them");
  const auto network = read_pricing(context, *choice.pricing);
  if (!network) return network.error();
  return NamedPricing{network_name(*network), configured_pricing(*network)};
}

Status choose_model(const NetworkChoice& choice, const machine::Machine& machine, simulate::PricingOptions& network) {
  if (!choice.model) return {};
  const simulate::Pricing named = simulate::pricing_of(*choice.model);
  network.model = named.model;
  network.mode = named.mode;
  if (choice.model == NetworkModelKind::astra_sidecar) {
    // Forecasts ask the program through a book of prices, as `network: {model: astra, mode: isolated, astra_sim: ...}`
    // does.
    network.model = simulate::PricingModel::astra;
    if (!network.astra_sim) network.astra_sim = machine.communication.astra_sim;
    if (!network.astra_sim) return unknown_program("network: {astra_sim: {binary: FILE}}");
  } else {
    network.astra_sim.reset();
  }
  return network.check();
}

Result<job::SidecarOptions> sidecar_options(const NetworkChoice& choice, const machine::Machine& machine,
                                            std::optional<machine::AstraFiles> files) {
  job::SidecarOptions options;
  const auto& program = machine.communication.astra_sim;
  options.binary = choice.sidecar ? *choice.sidecar : program ? program->binary : "";
  if (options.binary.empty()) return unknown_program("--sidecar FILE");
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  if (program) options.timeout = milliseconds(program->timeout_s);
  if (choice.sidecar_timeout) options.timeout = milliseconds(*choice.sidecar_timeout);
  options.cache_folder = choice.sidecar_cache;
  options.files = std::move(files);
  return options;
}

}  // namespace orrery::ask
