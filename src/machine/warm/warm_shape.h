// Where a warm kernel stands among others of its kind: what its residual may depend on, and what is measured together.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "machine/warm/warm_kernel.h"

namespace orrery::machine {

/// The logarithms of what its residual may depend on, in the order of
/// their names.
std::vector<double> coordinates_of(const Device& device, const WarmKernel& kernel);
std::vector<std::string_view> coordinate_names(WarmKind kind);
/// The place of a name among them, if there is one.
std::optional<std::size_t> coordinate_called(WarmKind kind, std::string_view name);

/// What rows come in: of products n and k, of attention heads, key heads, width and window, of experts the model, of
/// latent attention heads and requests. Whoever asks for a shape that was not measured asks for one of another group.
std::vector<double> group_of(const WarmKernel& kernel);
/// The sizes that every group is measured at: tokens, requests, lengths.
std::vector<double> steps_of(const WarmKernel& kernel);
std::vector<std::string_view> step_names(WarmKind kind);

}  // namespace orrery::machine
