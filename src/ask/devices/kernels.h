// Which kernels, copies and sets take the time of the devices, and who launched them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "analyze/device/kernels.h"
#include "ask/devices/device_source.h"

namespace orrery::ask {

inline constexpr std::pair<std::string_view, analyze::KernelOrder> kKernelOrders[] = {
    {"time", analyze::KernelOrder::time},
    {"calls", analyze::KernelOrder::calls},
    {"mean", analyze::KernelOrder::mean},
    {"longest", analyze::KernelOrder::longest}};

struct KernelsRequest {
  DeviceRequest devices = {};
  std::size_t top = 10;                           ///< names that keep their rows; 0: all
  std::optional<analyze::KernelOrder> sort = {};  ///< what makes a name large; its time
  bool no_memory = false;                         ///< leave out copies and sets
  std::optional<std::string> sequences = {};      ///< also what operators called so launch, in order; a glob
  std::size_t min_length = 3;                     ///< of sequences, in kernels
  bool counters = false;                          ///< also hardware counters
  Compat compat = Compat::none;
  // HTA's own, and meaningless otherwise.
  std::optional<double> duration_ratio = {};  ///< see analyze::hta::TotalsLimit; 0.8
  bool include_last_step = false;
};
template <typename Visitor>
void fields(KernelsRequest& request, Visitor&& visit) {
  fields(request.devices, visit);
  visit("top", request.top);
  visit("sort", choice(request.sort, kKernelOrders));
  visit("no-memory", request.no_memory);
  visit("sequences", request.sequences);
  visit("min-length", request.min_length);
  visit("counters", request.counters);
  visit("compat", choice(request.compat, kCompatWords));
  visit("duration-ratio", request.duration_ratio);
  visit("include-last-step", request.include_last_step);
}

Result<report::Answer> run(const KernelsRequest& request, Context& context);

}  // namespace orrery::ask
