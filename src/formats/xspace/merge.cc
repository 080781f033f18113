#include "formats/xspace/merge.h"

#include <array>
#include <optional>

#include "base/io/output_file.h"
#include "base/protobuf/protobuf_wire.h"
#include "formats/xspace/naming.h"
#include "formats/xspace/outline.h"
#include "formats/xspace/plane_names.h"
#include "formats/xspace/schema.h"

// File by file and plane by plane: planes get new ids and names that say their node, and ids inside events that would
// meet those of another node (correlations, flows, groups) are moved into a range of its own. All other bytes are
// copied.

namespace orrery::xspace {
namespace {

constexpr std::int64_t kMaxDevices = 499;
constexpr std::int64_t kFirstOtherId = 1000;

/// How the ids of a stat become those of one node alone. Ids below 2^40 of different nodes never meet.
enum class IdKind : std::uint8_t { none, plain, flow, group };

IdKind id_kind(std::string_view stat_name) {
  if (stat_name == "correlation_id" || stat_name == "_c" || stat_name == "_p") return IdKind::plain;
  if (stat_name == "flow") return IdKind::flow;
  return stat_name == "group_id" ? IdKind::group : IdKind::none;
}

std::uint64_t renumbered(std::uint64_t id, IdKind kind, std::uint64_t node_index) {
  // A flow keeps its direction in the lowest two bits and its category in the highest six.
  constexpr std::uint64_t kFlowBits = (std::uint64_t{1} << 58) - 4;
  switch (kind) {
    case IdKind::none: return id;
    case IdKind::plain: return id + (node_index << 40);
    case IdKind::flow: return (id & ~kFlowBits) | ((id + (node_index << 40)) & kFlowBits);
    case IdKind::group: return id + (node_index << 20);
  }
  return id;
}

/// One plane of one node as it stands in the merged file.
class PlaneMerger {
 public:
  PlaneMerger(const Contents& contents, const PlaneOutline& plane, std::uint64_t node_index)
      : contents_(contents), plane_(plane), node_index_(node_index), stats_(plane.stat_metadata) {
    for (const MetadataEntry& entry : plane.stat_metadata) kinds_.push_back(id_kind(entry.name));
  }

  Status write(std::int64_t id, std::string_view name, OutputFile& file) {
    append_number(out_, plane_field::id, static_cast<std::uint64_t>(id));
    append_bytes(out_, plane_field::name, name);
    WireReader cursor(plane_.message);
    WireField field;
    while (cursor.next(field)) {
      if (field.number == plane_field::id || field.number == plane_field::name) continue;
      // The first node keeps its ids, and its lines are copied as they are.
      if (field.number != plane_field::lines || node_index_ == 0) {
        out_ += field.whole();
        continue;
      }
      if (const Status copied = copy_line(field.bytes); !copied) return copied;
      contents_.release(field.bytes);
    }
    std::string head;
    append_varint(head, wire_tag(space_field::planes, WireType::bytes));
    append_varint(head, out_.size());
    file.write(head);
    file.write(out_);
    return {};
  }

 private:
  Status copy_line(std::string_view line) {
    line_.clear();
    WireReader cursor(line);
    WireField field;
    while (cursor.next(field)) {
      if (!field.is(line_field::events, WireType::bytes)) line_ += field.whole();
      else if (const Status copied = copy_event(field); !copied) return copied;
    }
    if (cursor.damaged()) return contents_.damage(cursor.position());
    append_bytes(out_, plane_field::lines, line_);
    return {};
  }

  Status copy_event(const WireField& event) {
    event_.clear();
    bool changed = false;
    WireReader cursor(event.bytes);
    WireField field;
    while (cursor.next(field)) {
      const bool is_stat = field.is(event_field::stats, WireType::bytes);
      // Only an event in which some id changed is written again.
      if (is_stat && append_renumbered(field.bytes)) changed = true;
      else event_ += field.whole();
    }
    if (cursor.damaged()) return contents_.damage(cursor.position());
    if (changed) append_bytes(line_, line_field::events, event_);
    else line_ += event.whole();
    return {};
  }

  /// False, with nothing appended, if the stat is no id.
  bool append_renumbered(std::string_view stat) {
    StatValue value;
    if (!read_stat(stat, value)) return false;
    const std::uint32_t at = stats_.find(value.metadata_id);
    const bool is_number = value.kind == stat_field::uint64_value || value.kind == stat_field::int64_value;
    if (at == IdTable::kMissing || kinds_[at] == IdKind::none || !is_number) return false;
    stat_.clear();
    append_number(stat_, stat_field::metadata_id, static_cast<std::uint64_t>(value.metadata_id));
    append_number(stat_, value.kind, renumbered(value.number, kinds_[at], node_index_));
    append_bytes(event_, event_field::stats, stat_);
    return true;
  }

  const Contents& contents_;
  const PlaneOutline& plane_;
  std::uint64_t node_index_;
  IdTable stats_;
  std::vector<IdKind> kinds_;  // by place in the table of stats
  std::string out_, line_, event_, stat_;
};

bool is_device(std::string_view name) { return name.starts_with("/device:") && !name.starts_with("/device:CUSTOM:"); }

std::string merged_name(const PlaneOutline& plane, std::int64_t node, bool is_first_file) {
  const std::string suffix = " (node " + std::to_string(node) + ")";
  if (is_device(plane.name)) return std::string(plane.name) + suffix;
  // Planes without lines describe the run, and viewers look for them by their plain name.
  if (plane.lines.empty()) return std::string(plane.name) + (is_first_file ? "" : suffix);
  if (plane.name.starts_with('/'))
    return std::string(kMergedPlanePrefix) + std::to_string(node) + std::string(plane.name);
  return std::string(kMergedPlanePrefix) + std::to_string(node) + "/" + std::string(plane.name);
}

/// Gives out plane ids and writes file after file.
class Merger {
 public:
  explicit Merger(OutputFile& file) : file_(file) {}

  Status add(const MergeInput& input, std::uint64_t node_index) {
    const Result<Contents> contents = Contents::open(input.path);
    if (!contents) return contents.error();
    const Result<SpaceOutline> space = read_outline(*contents);
    if (!space) return space.error();
    const std::optional<std::int64_t> start = profile_start_unix_ns(*space);
    if (node_index == 0) start_ = start;
    if (start != start_)
      return Error{.message = "its times do not count from the same moment as those of the first file",
                   .file = input.path,
                   .hint = "align the files first: orrery align"};
    for (const PlaneOutline& plane : space->planes) {
      // What an alignment left is about the single file, and one description of the environment is enough.
      if (plane.name == kAlignmentPlane || (plane.name == kEnvironmentPlane && node_index > 0)) continue;
      std::int64_t& next_id = is_device(plane.name) ? next_device_ : next_other_;
      if (next_device_ >= kMaxDevices && is_device(plane.name))
        return Error{.message = "there are more than 499 devices, which viewers cannot tell apart in one file",
                     .file = input.path,
                     .hint = "show the files of the run directory together instead"};
      PlaneMerger merger(*contents, plane, node_index);
      if (const Status written = merger.write(next_id++, merged_name(plane, input.node, node_index == 0), file_);
          !written)
        return written;
    }
    copy_other_members(contents->bytes());
    return {};
  }

 private:
  // Errors, warnings, names of hosts and what is unknown.
  void copy_other_members(std::string_view bytes) {
    WireReader cursor(bytes);
    WireField field;
    while (cursor.next(field)) {
      if (field.number != space_field::planes) file_.write(field.whole());
    }
  }

  OutputFile& file_;
  std::optional<std::int64_t> start_;
  std::int64_t next_device_ = 0;
  std::int64_t next_other_ = kFirstOtherId;
};

}  // namespace

Status merge(const std::vector<MergeInput>& inputs, const std::string& path_out) {
  if (inputs.empty()) return Error{.message = "there are no files to merge", .file = path_out};
  Result<OutputFile> file = OutputFile::create(path_out);
  if (!file) return file.error();
  Merger merger(*file);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const Status added = merger.add(inputs[i], i); !added) return added;
  }
  return file->commit();
}

}  // namespace orrery::xspace
