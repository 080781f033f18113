// The tracks of a Perfetto trace: what each is called, and which process, thread or counter it stands for.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace orrery::perfetto {

/// As its descriptors say, the later ones completing the earlier. Texts are copied: they may lie in packets that go.
struct TrackInfo {
  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;
  std::string name;
  bool is_process = false, is_thread = false, is_counter = false;
  bool is_described = false;
  std::int64_t pid = 0, tid = 0;
  std::string process_name, thread_name;
  // of a counter
  std::string unit;
  std::int64_t multiplier = 1;
  bool is_incremental = false;
};

class TrackTable {
 public:
  using Place = std::uint32_t;

  /// A TrackDescriptor.
  void describe(std::string_view message);
  /// The track of this uuid, added if nobody described it.
  Place place_of(std::uint64_t uuid) {
    // Writers stay on a track for a while.
    if (tracks_.empty() || uuid != last_uuid_) last_place_ = find(uuid), last_uuid_ = uuid;
    return last_place_;
  }
  [[nodiscard]] const TrackInfo& operator[](Place place) const { return tracks_[place]; }
  [[nodiscard]] std::size_t size() const { return tracks_.size(); }

  /// Its own process or that of the nearest track above it that has one.
  [[nodiscard]] std::optional<std::int64_t> pid_of(Place place) const;
  /// What the process is called; empty: nobody says.
  [[nodiscard]] std::string_view process_name(std::int64_t pid) const;
  /// The track of a thread that is told by its numbers, added if nobody described it.
  Place thread(std::int64_t pid, std::int64_t tid);
  /// A further row of a track's lane, for slices that have a number of their own and need not nest with others.
  Place row_below(Place track, std::uint64_t number);
  /// All processes that have a name.
  [[nodiscard]] const std::map<std::int64_t, std::string>& process_names() const { return process_names_; }
  /// The track whose lane this is a further row of; our own writer puts what overlaps without nesting below a thread.
  [[nodiscard]] std::optional<Place> lane_above(Place place) const;
  [[nodiscard]] bool is_below_process(Place place) const;

 private:
  Place find(std::uint64_t uuid);

  std::uint64_t last_uuid_ = 0;
  Place last_place_ = 0;
  std::vector<TrackInfo> tracks_;
  std::unordered_map<std::uint64_t, Place> places_;
  std::map<std::int64_t, std::string> process_names_;
  std::map<std::pair<std::int64_t, std::int64_t>, Place> threads_;
  std::map<std::pair<Place, std::uint64_t>, Place> rows_;
  std::unordered_map<Place, Place> above_;  // of rows
};

}  // namespace orrery::perfetto
