// What the calls of a file refer to by number: texts, callsites, communicators, windows.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/mpitrace/file_walk.h"
#include "formats/mpitrace/records.h"

namespace orrery::mpitrace {

struct WindowRecord {
  std::uint64_t comm = 0;
  std::uint64_t ordinal = 0;  ///< among the windows of its communicator, the same on all ranks
};

class Definitions {
 public:
  explicit Definitions(std::int64_t world_size) : world_size_(world_size) {}

  /// False if the record is none of a definition or makes no sense; `body` must outlive this.
  bool add(const Record& record);

  /// Null or empty where the number is of nothing.
  [[nodiscard]] std::string_view text(std::uint64_t number) const;
  [[nodiscard]] const CommunicatorRecord* communicator(std::uint64_t number) const;
  [[nodiscard]] const std::vector<CommunicatorRecord>& communicators() const { return communicators_; }
  [[nodiscard]] const WindowRecord* window(std::uint64_t number) const;
  /// "halo+0x12f4 exchange < halo+0x1538 main": the same on all ranks that run the same program, wherever it was
  /// loaded.
  [[nodiscard]] std::string site_text(std::uint64_t number) const;
  /// The most numbers that a list of counts can have.
  [[nodiscard]] std::size_t most_counts() const { return most_counts_; }

 private:
  bool add_text(std::string_view body);
  bool add_communicator(std::string_view body);
  bool add_window(std::string_view body);

  std::int64_t world_size_;
  std::size_t most_counts_ = 0;
  std::size_t all_members_ = 0;
  // Numbers count from 1 in the order of the records, so that places in these lists are numbers minus 1.
  std::vector<std::string_view> texts_;
  std::vector<std::vector<SiteFrame>> sites_;
  std::vector<CommunicatorRecord> communicators_;
  std::vector<WindowRecord> windows_;
};

}  // namespace orrery::mpitrace
