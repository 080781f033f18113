// Where things stand in an XSpace: its planes, their lines and their tables of names. Walks over the lines without
// looking into them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/file_content.h"
#include "base/protobuf/protobuf_wire.h"
#include "base/result.h"

namespace orrery::xspace {

// The bytes of an XSpace file, and how damage in them is told.

class Contents : public FileContent {
 public:
  static Result<Contents> open(const std::string& path,
                               const std::function<void(std::uint64_t bytes)>& on_progress = {}) {
    Result<FileContent> content = FileContent::open(path, on_progress);
    if (!content) return content.error();
    return Contents(std::move(*content));
  }

  /// An Error about the field at `position`.
  [[nodiscard]] Error damage(
      const char* position,
      const std::string& message = "this is not a well-formed XSpace: cut short, damaged, or another format") const {
    return {message, path(), offset_of(position), "is it an .xplane.pb file, and was it copied as a whole?"};
  }

 private:
  explicit Contents(FileContent content) : FileContent(std::move(content)) {}
};

/// An entry of one of a plane's two tables; the texts point into the file.
struct MetadataEntry {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
};

struct PlaneOutline {
  std::string_view message;
  std::int64_t id = 0;
  std::string_view name;
  std::vector<std::string_view> lines;  ///< messages, in file order
  std::vector<MetadataEntry> event_metadata;
  std::vector<MetadataEntry> stat_metadata;
  std::vector<std::string_view> stats;  ///< messages

  /// The name of the table's entry; empty if there is none. O(entries).
  [[nodiscard]] std::string_view stat_name(std::int64_t id) const;
};

struct SpaceOutline {
  std::vector<PlaneOutline> planes;
  std::vector<std::string_view> complaints;  ///< errors and warnings of the profiler
  std::vector<std::string_view> hostnames;
  std::optional<Error> damage;  ///< only if asked to salvage: why what follows was not read

  [[nodiscard]] const PlaneOutline* find(std::string_view plane_name) const;
};

/// O(lines + names). Damage above the level of lines is an Error, or, with `salvage`, ends the list of planes.
Result<SpaceOutline> read_outline(const Contents& contents, bool salvage = false);

/// What a line says about itself.
struct LineHeader {
  std::int64_t id = 0;
  std::string_view name;
  std::string_view display_name;
  std::int64_t timestamp_ns = 0;
  std::int64_t duration_ps = 0;
  std::uint64_t event_count = 0;
};
/// Takes a member of a line, unless it is an event; false if it is damaged.
bool take_line_member(const WireField& field, LineHeader& header);
/// Walks over the events to find the members behind them.
Result<LineHeader> read_line_header(const Contents& contents, std::string_view line);
/// No further than to the first event: whoever goes on through the events meets the other members behind them.
Result<LineHeader> read_line_front(const Contents& contents, std::string_view line);

/// A value of an event or a plane. References are not resolved: `number` is the id of the entry whose name is the
/// value.
struct StatValue {
  std::int64_t metadata_id = 0;
  std::uint32_t kind = 0;  ///< a stat_field other than metadata_id; 0: none
  std::uint64_t number = 0;
  std::string_view text;
};
/// False if the message is damaged.
bool read_stat(std::string_view message, StatValue& stat);

/// When the recording started, in Unix ns: what the line times count from. Nothing in files of old profilers.
std::optional<std::int64_t> profile_start_unix_ns(const SpaceOutline& space);

}  // namespace orrery::xspace
