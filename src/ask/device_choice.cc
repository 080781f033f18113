#include "ask/device_choice.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "job/shipped/shipped_catalog.h"

namespace orrery::ask {
namespace {

/// "NVIDIA H200", "AMD Instinct MI300X", "NVIDIA A100-SXM4-80GB": letters and digits in lower case.
std::string plain(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return text;
}

/// Reported memory is what programs see of it: some per cent less, or more, than the datasheet's.
bool has_size_of(const machine::Device& device, const trace::Device& recorded) {
  constexpr double kNear = 0.05;
  const double bytes = device.memory_bytes();
  return device.compute_unit_count == recorded.multiprocessors && bytes > 0 &&
         std::abs(static_cast<double>(recorded.memory_bytes) - bytes) <= kNear * bytes;
}

/// The one whose name, or another text by which it is known, stands in the recorded name; of several the longest.
const machine::Device* device_named(const llm::Catalog& catalog, const trace::Device& recorded) {
  const std::string name = plain(recorded.name);
  const machine::Device* best = nullptr;
  std::size_t longest = 0;
  bool by_size = false;
  const auto consider = [&](const machine::Device& device, std::string_view known) {
    const std::string text = plain(known);
    if (text.empty() || name.find(text) == std::string::npos) return;
    // Of two with the same name (A100 with 40 and with 80 GB), the one of the recorded size.
    const bool fits = has_size_of(device, recorded);
    if (text.size() < longest || (text.size() == longest && (by_size || !fits))) return;
    best = &device, longest = text.size(), by_size = fits;
  };
  for (const machine::Device& device : catalog.devices) {
    consider(device, device.name);
    for (const std::string& alias : device.aliases) consider(device, alias);
  }
  return best;
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
      if (const machine::Device* const found = device_named(*catalog, recorded); found != nullptr)
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
