#include "simulate/models/factory.h"

#include <fmt/format.h>

#include "base/suggest.h"
#include "simulate/models/fluid_model.h"
#include "simulate/models/isolated_model.h"
#include "simulate/models/snapshot.h"

namespace orrery::simulate {

Result<std::unique_ptr<NetworkModel>> make_network_model(std::string_view name, machine::Network network, CommOptions options) {
  const auto make = [&](auto type) -> Result<std::unique_ptr<NetworkModel>> {
    using Model = typename decltype(type)::type;
    return std::unique_ptr<NetworkModel>(std::make_unique<Model>(std::make_shared<Lowering>(std::move(network), options)));
  };
  if (name == "fluid") return make(std::type_identity<FluidModel>{});
  if (name == "isolated") return make(std::type_identity<IsolatedModel>{});
  if (name == "snapshot") return make(std::type_identity<SnapshotModel>{});

  const std::string_view near = nearest_word(name, kLinkModelNames);
  return Error{.message = fmt::format("there is no network model '{}'", name),
               .hint = near.empty() ? fmt::format("one of {}", fmt::join(kLinkModelNames, ", ")) : fmt::format("did you mean '{}'?", near)};
}

}  // namespace orrery::simulate
