#include "replay/torch/scale/scale_refusals.h"

#include <fmt/format.h>

namespace orrery::replay::torch {
namespace {

// Of "batch 2", as it was asked.
std::string selector_text(const ScaleRequest& request) { return request.text.substr(0, request.text.find(' ')); }
std::string factor_text(const ScaleRequest& request) { return request.text.substr(request.text.find(' ') + 1); }

}  // namespace

Error ScaleRefusals::cannot_follow(std::uint32_t row, const std::string& why) const {
  const trace::HostTrace& host = *source_.host;
  return {fmt::format("{} (node {}) cannot follow where {} is scaled by {}: {}", source_.strings->text(host.name[row]),
                      host.id[row], selector_text(request_), factor_text(request_), why),
          host.path, Error::kNoOffset, "nothing was written; docs/REPLAY.md says which operators can be scaled"};
}

Error ScaleRefusals::nothing_selected() const {
  const std::string& path = source_.host->path;
  if (request_.what == ScaleRequest::What::size)
    return {fmt::format("no dimension of a size of {} is among the tensors of this recording", request_.size), path};
  return {"no data was found whose " + std::string(request_.what == ScaleRequest::What::batch ? "first" : "second") +
              " dimension could be it: nothing is copied to the device, used as indices or filled at random",
          path, Error::kNoOffset, "name the dimension by its size, as in size:2048"};
}

Error ScaleRefusals::no_whole_number(std::int64_t size) const {
  return {fmt::format("a size of {} cannot be scaled by {}: that is no whole number", size, factor_text(request_)),
          source_.host->path};
}

}  // namespace orrery::replay::torch
