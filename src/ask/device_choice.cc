#include "ask/device_choice.h"

#include <cmath>

#include "job/shipped/shipped_catalog.h"

namespace orrery::ask {
namespace {

/// Reported memory is what programs see of it: some per cent less, or more, than the datasheet's.
bool has_size_of(const machine::Device& device, const trace::Device& recorded) {
  constexpr double kNear = 0.05;
  const double bytes = device.memory_bytes();
  return device.compute_unit_count == recorded.multiprocessors && bytes > 0 &&
         std::abs(static_cast<double>(recorded.memory_bytes) - bytes) <= kNear * bytes;
}

}  // namespace

Result<std::optional<ChosenDevice>> choose_device(const std::optional<std::string>& named, const trace::Trace& trace) {
  const Result<llm::Catalog> catalog = job::read_shipped_catalog();
  if (!catalog) return catalog.error();
  if (named) {
    Result<machine::Device> device = job::read_device(*catalog, *named);
    if (!device) {
      Error error = device.error();
      // A file that cannot be used is the file's fault, a name that is none the question's.
      if (error.file.empty()) error.kind = Error::Kind::misuse;
      return error;
    }
    return std::optional(ChosenDevice{std::move(*device), "--device"});
  }
  for (const trace::RankTrace& rank : trace.ranks) {
    for (const trace::Device& recorded : rank.source.devices) {
      if (const machine::Device* const found = llm::find_device(*catalog, recorded.name); found != nullptr)
        return std::optional(ChosenDevice{*found, "the name in the recording"});
    }
    for (const trace::Device& recorded : rank.source.devices) {
      for (const machine::Device& device : catalog->devices) {
        if (has_size_of(device, recorded))
          return std::optional(ChosenDevice{device, "units and memory in the recording"});
      }
    }
  }
  return std::optional<ChosenDevice>();
}

}  // namespace orrery::ask
