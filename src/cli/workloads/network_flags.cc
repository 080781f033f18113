#include "cli/workloads/network_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "machine/yaml/field_reader.h"

namespace orrery::cli {
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

std::string name_of(NetworkModelKind kind) {
  return std::string(machine::kNetworkModelNames[static_cast<std::size_t>(kind)]);
}

NetworkModelKind kind_named(std::string_view name) {
  const auto& names = machine::kNetworkModelNames;
  return static_cast<NetworkModelKind>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// isolated and snapshot alone mean those of the links.
std::string name_of(const simulate::PricingOptions& network) {
  const std::string model(simulate::kPricingModelNames[static_cast<std::size_t>(network.model)]);
  const std::string mode(simulate::kPricingModeNames[static_cast<std::size_t>(network.mode)]);
  if (network.mode == simulate::PricingMode::in_loop || network.model == simulate::PricingModel::analytical)
    return model;
  return network.model == simulate::PricingModel::fluid ? mode : fmt::format("{}, {}", model, mode);
}

Result<simulate::PricingOptions> read_pricing(Invocation& invocation, const std::string& path) {
  if (const Status added = invocation.add_input(path); !added) return added.error();
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

Flag network_model_flag(std::string_view help) {
  return {.name = "network-model",
          .value_name = "NAME",
          .help = help,
          .choices = "fluid isolated snapshot analytical astra loggops astra-sidecar"};
}

std::vector<Flag> with_network_flags(std::vector<Flag> flags, std::string_view help) {
  flags.insert(flags.end(),
               {network_model_flag(help),
                Flag{.name = "pricing",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "the same in full: a file with the `network:` block of a configuration of llm"},
                Flag{.name = "sidecar",
                     .value_name = "FILE",
                     .kind = ValueKind::file,
                     .help = "with astra-sidecar: your ASTRA-sim"},
                Flag{.name = "sidecar-timeout",
                     .value_name = "SECONDS",
                     .kind = ValueKind::number,
                     .help = "with astra-sidecar: give a run up after this long"},
                Flag{.name = "sidecar-cache",
                     .value_name = "DIR",
                     .kind = ValueKind::directory,
                     .help = "with astra-sidecar: keep its answers here"}});
  return flags;
}

simulate::Pricing configured_pricing(const simulate::PricingOptions& network) {
  simulate::Pricing pricing = network;
  pricing.open_oracle = job::open_astra_sim;
  return pricing;
}

Result<NamedPricing> chosen_pricing(Invocation& invocation, const machine::Machine& machine) {
  if (!invocation.has("pricing")) {
    const NetworkModelKind kind = invocation.has("network-model") ? kind_named(invocation.text("network-model"))
                                                                  : machine.communication.network_model;
    return NamedPricing{name_of(kind), simulate::pricing_of(kind)};
  }
  if (invocation.has("network-model"))
    return Error{.message = "--pricing says which model it is, and so does --network-model",
                 .hint = "give one of them",
                 .kind = Error::Kind::misuse};
  const auto network = read_pricing(invocation, invocation.text("pricing"));
  if (!network) return network.error();
  return NamedPricing{name_of(*network), configured_pricing(*network)};
}

Status choose_model(const Invocation& invocation, const machine::Machine& machine, simulate::PricingOptions& network) {
  if (!invocation.has("network-model")) return {};
  const NetworkModelKind kind = kind_named(invocation.text("network-model"));
  const simulate::Pricing named = simulate::pricing_of(kind);
  network.model = named.model;
  network.mode = named.mode;
  if (kind == NetworkModelKind::astra_sidecar) {
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

Result<job::SidecarOptions> sidecar_options(const Invocation& invocation, const machine::Machine& machine,
                                            std::optional<machine::AstraFiles> files) {
  job::SidecarOptions options;
  const auto& program = machine.communication.astra_sim;
  options.binary = invocation.has("sidecar") ? invocation.text("sidecar") : program ? program->binary : "";
  if (options.binary.empty()) return unknown_program("--sidecar FILE");
  const auto milliseconds = [](double seconds) {
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
  };
  if (program) options.timeout = milliseconds(program->timeout_s);
  if (invocation.has("sidecar-timeout")) options.timeout = milliseconds(invocation.number("sidecar-timeout"));
  options.cache_folder = invocation.text("sidecar-cache");
  options.files = std::move(files);
  return options;
}

}  // namespace orrery::cli
