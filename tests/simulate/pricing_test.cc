#include "simulate/pricing/pricing.h"

#include <doctest/doctest.h>

#include <string>

#include "machine/yaml/field_reader.h"

using namespace orrery;
using namespace orrery::simulate;

namespace {

Result<PricingOptions> read(std::string_view yaml) {
  return machine::read_description<PricingOptions>(yaml, "config.yml", "the network", "docs/NETWORK_MODELS.md",
                                                   nullptr);
}

std::string refusal(std::string_view yaml) {
  const Result<PricingOptions> options = read(yaml);
  if (!options) return options.error().to_string();
  const Status good = options->check();
  return good ? std::string() : good.error().to_string();
}

}  // namespace

TEST_CASE("what is left out is the usual: the fluid model in the loop, and closed forms alone") {
  CHECK(read("{}").value() == PricingOptions{});
  CHECK(read("model: astra").value().mode == PricingMode::in_loop);
  CHECK(read("model: analytical").value().mode == PricingMode::isolated);
  CHECK(refusal("model: analytical").empty());
}

TEST_CASE("every option can be said") {
  const PricingOptions options = read(R"(model: astra
mode: snapshot
merge_us: 1.5
coalesce_below_bytes: 4096
reprice_threshold: 0.02
passes: 1
second_pass_share: 0.05
partition_by_fabric: true
cache_file: prices.json
astra_backend: unaware
astra_sim: {binary: /opt/astra, timeout_s: 30}
)")
                                     .value();
  CHECK(options == PricingOptions{.model = PricingModel::astra,
                                  .mode = PricingMode::snapshot,
                                  .merge_us = 1.5,
                                  .coalesce_below_bytes = 4096,
                                  .reprice_threshold = 0.02,
                                  .passes = 1,
                                  .second_pass_share = 0.05,
                                  .partition_by_fabric = true,
                                  .cache_file = "prices.json",
                                  .astra_backend = AstraBackend::unaware,
                                  .astra_sim = machine::AstraSimProgram{"/opt/astra", 30}});
  CHECK(options.check().ok());
}

TEST_CASE("slips are told with what was meant") {
  CHECK(refusal("modle: fluid").find("did you mean 'model'?") != std::string::npos);
  CHECK(refusal("mode: in_loop").find("did you mean 'in-loop'?") != std::string::npos);
  CHECK(refusal("passes: 3").find("passes must be at least 1 and at most 2, and is 3") != std::string::npos);
  CHECK(refusal("merge_us: -1").find("merge_us must be at least 0") != std::string::npos);
}

TEST_CASE("a mode that a model cannot do is refused, with what it can") {
  CHECK(refusal("{model: analytical, mode: snapshot}").find("it has no mode 'snapshot' (mode: isolated") !=
        std::string::npos);
  CHECK(refusal("{model: analytical, mode: in-loop}").find("it has no mode 'in-loop'") != std::string::npos);
  CHECK(refusal("{model: fluid, astra_sim: {binary: x}}").find("astra_sim is for the model 'astra'") !=
        std::string::npos);
  CHECK(refusal("{model: astra, mode: in-loop, astra_sim: {binary: x}}").find("the embedded model runs in the loop") !=
        std::string::npos);
  CHECK(refusal("{model: astra, mode: snapshot, astra_sim: {binary: x}}").empty());
}

TEST_CASE("what a machine can name is a model and a mode") {
  using machine::NetworkModelKind;
  CHECK(pricing_of(NetworkModelKind::fluid).mode == PricingMode::in_loop);
  CHECK(pricing_of(NetworkModelKind::isolated).model == PricingModel::fluid);
  CHECK(pricing_of(NetworkModelKind::isolated).mode == PricingMode::isolated);
  const Pricing snapshot = pricing_of(NetworkModelKind::snapshot);
  CHECK(snapshot.mode == PricingMode::snapshot);
  CHECK(snapshot.passes == 1);
  CHECK_FALSE(snapshot.keep_snapshots);
  for (std::size_t kind = 0; kind < machine::kNetworkModelNames.size(); ++kind)
    CHECK(pricing_of(static_cast<NetworkModelKind>(kind)).check().ok());
}

TEST_CASE("loggops and oracles have one mode each") {
  CHECK(refusal("model: loggops").empty());
  CHECK(refusal("{model: loggops, mode: snapshot}").find("no mode but 'in-loop'") != std::string::npos);
  CHECK_FALSE(read("model: oracle").ok());
  CHECK_FALSE(Pricing(PricingOptions{.model = PricingModel::oracle}).check().ok());
}
