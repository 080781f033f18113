// One causal graph out of the host and device traces of each rank, as files for simulators.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ask/context.h"
#include "ask/files/convert.h"
#include "base/result.h"

namespace orrery::ask {

struct LinkRequest {
  std::vector<std::string> files = {};    ///< traces of both kinds, told apart by their content
  std::vector<std::string> hosts = {};    ///< PyTorch execution traces
  std::vector<std::string> devices = {};  ///< profiler traces
  std::optional<std::int64_t> rank = {};  ///< of one pair: the rank it is; of several: only this one
  double least_coverage_percent = 10;     ///< a host trace of which less is found in the profiler trace is refused
  bool salvage = false;
  bool without_profiler = false;  ///< durations and gaps of the run as it would be if nobody had recorded it
  bool like_chakra = false;       ///< what chakra_trace_link and chakra_converter make of the same files
  job::Reader reader = job::Reader::anyone;
  std::optional<std::string> output = {};  ///< FILE.et, FILE.json, or what the names of the ranks' files begin with
  // Chakra's own, beside ours.
  std::optional<std::string> chakra_host = {}, chakra_device = {};
  std::optional<std::string> output_file = {};  ///< of chakra_trace_link: a linked host trace unless it ends in .et
  std::optional<std::string> input = {};        ///< of chakra_converter: a linked host trace, converted to `output`
};
template <typename Visitor>
void fields(LinkRequest& request, Visitor&& visit) {
  visit("host", request.hosts);
  visit("device", request.devices);
  visit("rank", request.rank);
  visit("least-coverage", request.least_coverage_percent);
  visit("salvage", request.salvage);
  visit("without-profiler", request.without_profiler);
  visit("compat", choice(request.like_chakra, kLikeChakraWords));
  visit("for", choice(request.reader, kWrittenForWords));
  visit("output", request.output);
  visit("chakra-host-trace", request.chakra_host);
  visit("chakra-device-trace", request.chakra_device);
  visit("output-file", request.output_file);
  visit("input", request.input);
}

Result<report::Answer> run(const LinkRequest& request, Context& context);

}  // namespace orrery::ask
