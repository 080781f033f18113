#include "analyze/memory/memory_groups.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

namespace orrery::analyze {
namespace {

using memory_snapshot::Annotation;
using memory_snapshot::Snapshot;

/// From which moment on which annotation is the innermost; nothing: none.
std::vector<std::pair<std::int64_t, std::optional<StringId>>> phases_of(const Snapshot& snapshot, std::int64_t device) {
  std::vector<std::pair<std::int64_t, std::optional<StringId>>> phases;
  std::vector<StringId> open;
  for (const Annotation& annotation : snapshot.annotations) {
    if (annotation.device != device) continue;
    if (annotation.is_start) {
      open.push_back(annotation.name);
    } else {
      // The innermost of its name ends; one without a beginning was begun before the recording.
      const auto last = std::find(open.rbegin(), open.rend(), annotation.name);
      if (last != open.rend()) open.erase(std::next(last).base());
    }
    phases.emplace_back(annotation.time_us, open.empty() ? std::nullopt : std::optional(open.back()));
  }
  return phases;
}

/// Numbers groups as they come. Texts are asked for once per key, not per allocation.
class GroupMaker {
 public:
  explicit GroupMaker(std::size_t allocations) { out_.of_allocation.reserve(allocations); }

  template <typename NameOf>
  void add(std::uint64_t key, const NameOf& name_of) {
    const auto [at, is_new] = of_key_.try_emplace(key, 0);
    if (is_new) at->second = of_name(name_of());
    out_.of_allocation.push_back(at->second);
  }
  MemoryGroups take() { return std::move(out_); }

 private:
  std::uint32_t of_name(std::string name) {
    const auto [at, is_new] = of_name_.try_emplace(name, static_cast<std::uint32_t>(out_.names.size()));
    if (is_new) out_.names.push_back(std::move(name));
    return at->second;
  }

  MemoryGroups out_;
  std::unordered_map<std::uint64_t, std::uint32_t> of_key_;
  std::map<std::string, std::uint32_t> of_name_;
};

}  // namespace

std::string memory_place(const Snapshot& snapshot, StringId where) {
  return where == 0 ? "(not recorded)" : std::string(snapshot.strings.text(where));
}

MemoryGroups groups_by_frame(const Snapshot& snapshot, const DeviceMemory& memory) {
  GroupMaker maker(memory.allocations.size());
  for (const Allocation& allocation : memory.allocations)
    maker.add(allocation.where, [&] { return memory_place(snapshot, allocation.where); });
  return maker.take();
}

MemoryGroups groups_by_phase(const Snapshot& snapshot, const DeviceMemory& memory) {
  // Above all ids of texts.
  constexpr std::uint64_t kBefore = std::uint64_t{1} << 32, kOutside = kBefore + 1;
  const auto phases = phases_of(snapshot, memory.device);
  GroupMaker maker(memory.allocations.size());
  for (const Allocation& allocation : memory.allocations) {
    const auto at = std::upper_bound(phases.begin(), phases.end(), allocation.time_us,
                                     [](std::int64_t time, const auto& phase) { return time < phase.first; });
    if (allocation.is_before || at == phases.begin()) {
      maker.add(kBefore, [] { return std::string("(before)"); });
    } else if (const std::optional<StringId> phase = std::prev(at)->second) {
      maker.add(*phase, [&] { return std::string(snapshot.strings.text(*phase)); });
    } else {
      maker.add(kOutside, [] { return std::string("(outside)"); });
    }
  }
  return maker.take();
}

}  // namespace orrery::analyze
