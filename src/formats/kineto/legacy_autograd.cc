#include "formats/kineto/legacy_autograd.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace orrery::kineto {
namespace {

using trace::Activity;

enum class Place : std::uint8_t { other, host, device };

// "CUDA functions"; of other devices "XPU functions", "HIP functions".
Place place_of(std::string_view process) {
  if (process == "CPU functions") return Place::host;
  return process.ends_with(" functions") ? Place::device : Place::other;
}

}  // namespace

bool take_legacy_categories(trace::RankTrace& rank, Interner& strings) {
  std::vector<Place> places;
  for (const trace::Lane& lane : rank.lanes) places.push_back(place_of(strings.text(lane.process.text)));
  const bool is_legacy = std::find(places.begin(), places.end(), Place::host) != places.end() &&
                         std::find(places.begin(), places.end(), Place::other) == places.end();
  const auto has_category = [](std::uint8_t flags) { return (flags & trace::kHasCategory) != 0; };
  if (!is_legacy || std::any_of(rank.flags.begin(), rank.flags.end(), has_category)) return false;
  const auto category = static_cast<std::uint16_t>(rank.categories.size());
  rank.categories.push_back({strings.intern("cpu_op"), Activity::cpu_operator});
  rank.categories.push_back({strings.intern("kernel"), Activity::kernel});
  rank.categories.push_back({strings.intern("user_annotation"), Activity::annotation});
  for (trace::EventIndex e = 0; e < rank.event_count(); ++e) {
    const bool is_step = strings.text(rank.name[e]).starts_with("ProfilerStep#");
    rank.category[e] = static_cast<std::uint16_t>(category + (places[rank.lane[e]] == Place::device ? 1
                                                              : is_step                             ? 2
                                                                                                    : 0));
    rank.flags[e] |= trace::kHasCategory;
  }
  return true;
}

}  // namespace orrery::kineto
