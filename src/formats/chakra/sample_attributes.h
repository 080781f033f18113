// One attribute of every type.
#pragma once

#include <protozero/pbf_writer.hpp>

namespace orrery::chakra {

/// Appends the thirty attributes of the metadata node of Chakra's generator to a Node, in its order and with its values.
void append_sample_attributes(protozero::pbf_writer& node);

}  // namespace orrery::chakra
