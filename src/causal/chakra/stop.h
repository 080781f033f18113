// Where chakra_trace_link stops with an exception.
#pragma once

#include <string>

#include "base/result.h"

namespace orrery::causal::chakra {

inline Error stop(const std::string& file, std::string why) {
  return {std::move(why),        file, Error::kNoOffset, "chakra_trace_link stops here", Error::Kind::unusable,
          Remedy::without_compat};
}

}  // namespace orrery::causal::chakra
