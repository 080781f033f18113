// Where chakra_converter stops with an exception.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"
#include "trace/host_trace.h"

namespace orrery::chakra {

inline Error stop(const trace::HostTrace& trace, std::string why) {
  return {std::move(why),        trace.path, Error::kNoOffset, "chakra_converter stops here", Error::Kind::unusable,
          Remedy::without_compat};
}

inline Error stop_at(const trace::HostTrace& trace, std::size_t row, const std::string& why) {
  Error error = stop(trace, "row " + std::to_string(trace.id[row]) + ": " + why);
  error.offset = trace.object[row].begin;
  return error;
}

}  // namespace orrery::chakra
