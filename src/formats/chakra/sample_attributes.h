// One attribute of every type.
#pragma once

#include "base/protobuf/protobuf_writer.h"

namespace orrery::chakra {

/// Appends the thirty attributes of the metadata node of Chakra's generator to a Node, in its order and with its
/// values.
void append_sample_attributes(WireWriter& node);

}  // namespace orrery::chakra
