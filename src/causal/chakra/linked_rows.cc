#include "causal/chakra/linked_rows.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/column.h"
#include "causal/chakra/device_trace.h"
#include "causal/chakra/host_match.h"
#include "causal/chakra/sync_targets.h"
#include "trace/host_trace.h"

// Rows in the order of ids get new ids, with the device work under them in between. The original translates ids in
// place while it walks, so that what is noted early carries old numbers and what is noted late new ones; assign_syncs
// reproduces where that leads. Times, parents and collectives are then filled in by place.

namespace orrery::causal::chakra {

// On which rows of a linked trace the synchronisations end up.
//
// The original notes them by id while it is renumbering rows, some by the old and some by the new one, and translates
// all of them once more when it is done. So one that was noted by its new id lands on another row, unless no row had
// that number before.

/// Rows that wait, and for which rows of device work.
struct SyncRows {
  struct OfRow {
    std::uint32_t row;
    std::uint32_t first;  ///< [first, first + count) of ids
    std::uint32_t count;
  };
  std::vector<OfRow> rows;
  std::vector<std::uint64_t> ids;
};

/// How rows were renumbered.
struct Renumbering {
  const trace::HostTrace& host;
  const HostMatch& match;
  const std::vector<SyncTarget>& targets;  ///< by work
  const Column<std::uint64_t>& new_id;     ///< per row of the host trace
  const Column<std::uint32_t>& source;     ///< per new row: its row of the host trace
  const Column<std::uint32_t>& work;       ///< per new row: its device work; ~0 of the host's own
};

SyncRows assign_syncs(const Renumbering& rows);

namespace {

struct Waits {
  std::uint64_t key;  // an id, old or new
  std::vector<std::uint64_t> work_rows;
};

// By key, in order of first appearance.
std::vector<Waits> collect_waits(const Renumbering& rows) {
  std::vector<Waits> waits;
  std::unordered_map<std::uint64_t, std::size_t> place_of;
  const auto less = [](const SyncTarget& target, std::uint32_t work) { return target.work < work; };
  for (std::size_t i = 0; i < rows.source.size(); ++i) {
    if (rows.work[i] == ~std::uint32_t{0}) continue;
    auto at = std::lower_bound(rows.targets.begin(), rows.targets.end(), rows.work[i], less);
    for (; at != rows.targets.end() && at->work == rows.work[i]; ++at) {
      const std::uint32_t row = rows.match.row_of_op[at->op];
      if (row == HostMatch::kNone || rows.host.id[row] == 0) continue;  // the original takes id 0 for none
      // By then the original has given new ids to rows up to this one.
      const bool is_renumbered = rows.host.id[row] <= rows.host.id[rows.source[i]];
      const std::uint64_t key = is_renumbered ? rows.new_id[row] : rows.host.id[row];
      const auto [place, is_new] = place_of.emplace(key, waits.size());
      if (is_new) waits.push_back({key, {}});
      std::vector<std::uint64_t>& work_rows = waits[place->second].work_rows;
      if (work_rows.empty() || work_rows.back() != i) work_rows.push_back(i);
    }
  }
  return waits;
}

// Old ids that no row has get a new one when the first row that names such a parent is reached: by the row that does.
std::unordered_map<std::uint64_t, std::size_t> first_uses_of_missing_parents(const Renumbering& rows) {
  std::unordered_map<std::uint64_t, std::size_t> first_use;
  if (rows.host.is_flat()) return first_use;
  for (std::size_t i = 0; i < rows.source.size(); ++i) {
    const std::uint64_t parent = rows.host.parent[rows.source[i]];
    if (rows.match.row_of_id.find(static_cast<std::int64_t>(parent)) == NumberIndex::kMissing)
      first_use.emplace(parent, i);
  }
  return first_use;
}

}  // namespace

SyncRows assign_syncs(const Renumbering& rows) {
  SyncRows result;
  const std::vector<Waits> waits = collect_waits(rows);
  if (waits.empty()) return result;
  const auto first_use = first_uses_of_missing_parents(rows);
  std::unordered_map<std::uint64_t, std::size_t> waits_of_row;
  for (std::size_t i = 0; i < waits.size(); ++i) {
    std::uint64_t row = waits[i].key;
    if (const std::uint32_t old = rows.match.row_of_id.find(static_cast<std::int64_t>(row));
        old != NumberIndex::kMissing) {
      row = rows.new_id[old];
    } else if (const auto use = first_use.find(row); use != first_use.end() && use->second < row) {
      continue;  // by then it stands for a number beyond all rows
    }
    if (row < rows.source.size()) waits_of_row[row] = i;  // the last one stays
  }
  for (std::uint32_t row = 0; row < rows.source.size(); ++row) {
    const auto at = waits_of_row.find(row);
    if (at == waits_of_row.end()) continue;
    const std::vector<std::uint64_t>& work_rows = waits[at->second].work_rows;
    result.rows.push_back(
        {row, static_cast<std::uint32_t>(result.ids.size()), static_cast<std::uint32_t>(work_rows.size())});
    result.ids.insert(result.ids.end(), work_rows.begin(), work_rows.end());
  }
  return result;
}

namespace {

using trace::HostTrace;
using trace::MeasuredRow;

constexpr std::size_t kMaxRows =
    100'000'000;  // beyond this work is repeated under rows that have nothing to do with it

class RowLinker {
 public:
  RowLinker(HostTrace host, const trace::RankTrace& rank, Interner& strings, const LinkParts& parts)
      : host_(std::move(host)),
        rank_(rank),
        strings_(strings),
        parts_(parts),
        stream_(rank.field(trace::Field::stream).dense(rank.event_count(), trace::kNoNumber)),
        group_name_(rank.field(trace::Field::group_name_text).dense(rank.event_count(), trace::kNoNumber)) {}

  Result<HostTrace> link() {
    if (!number_rows())
      return stop(host_.path, "device work is repeated under so many rows that there are more than 10^8 of them");
    fill_rows();
    fill_parents();
    fill_collectives();
    return take();
  }

 private:
  static constexpr std::uint32_t kNoWork = ~std::uint32_t{0};

  bool number_rows() {
    new_id_.resize_uninitialized(host_.size());
    for (const std::uint32_t row : parts_.match.by_id) {
      new_id_[row] = source_.size();
      source_.push_back(row);
      work_.push_back(kNoWork);
      const std::uint32_t op = parts_.match.op[row];
      if (op == HostMatch::kNone) continue;
      const auto [begin, end] = parts_.work_under.find(parts_.device.host.external_id[op]);
      if (source_.size() + (end - begin) > kMaxRows) return false;
      for (std::size_t i = begin; i < end; ++i) {
        source_.push_back(row);
        work_.push_back(parts_.work_under.work[i]);
      }
    }
    return true;
  }

  void fill_rows() {
    const SyncRows syncs = assign_syncs({host_, parts_.match, parts_.sync_targets, new_id_, source_, work_});
    result_.sync_ids.append(syncs.ids);
    trace::copy_rows(host_, source_, result_);
    result_.id.resize_uninitialized(source_.size());
    result_.measured.resize(source_.size());
    for (std::size_t i = 0; i < source_.size(); ++i) {
      result_.id[i] = i;
      MeasuredRow& measured = result_.measured[i];
      if (const std::uint32_t op = parts_.match.op[source_[i]]; op != HostMatch::kNone)
        measured = measure_operator(source_[i], op);
      if (work_[i] != kNoWork) measure_work(i, measured);
    }
    for (const SyncRows::OfRow& of : syncs.rows) {
      result_.measured[of.row].first_sync = of.first;
      result_.measured[of.row].syncs = of.count;
    }
  }

  MeasuredRow measure_operator(std::uint32_t row, std::uint32_t op) const {
    const HostOps& ops = parts_.device.host;
    MeasuredRow measured;
    measured.ts = ops.ts[op];
    measured.inclusive_dur = ops.dur[op];
    measured.exclusive_dur = parts_.exclusive[op];
    measured.measured = measured.has_ts = measured.has_inclusive = measured.has_exclusive = true;
    if (const std::uint32_t other = parts_.match.dependency_row[row]; other != HostMatch::kNone)
      measured.inter_thread_dep = static_cast<std::int64_t>(new_id_[other]);
    return measured;
  }

  // A copy of its operator, with times, name and category of its own.
  void measure_work(std::size_t i, MeasuredRow& measured) {
    const DeviceWork& work = parts_.device.work;
    const trace::EventIndex e = work.event[work_[i]];
    measured.ts = work.ts[work_[i]];
    measured.inclusive_dur = measured.exclusive_dur = work.dur[work_[i]];
    measured.stream = stream_[e];
    measured.category = rank_.categories[rank_.category[e]].text;
    measured.phase = rank_.phase[e] == '\0' ? 0 : strings_.intern({&rank_.phase[e], 1});
    result_.name[i] = rank_.name[e];
    measured.has_group_name = group_name_[e] != trace::kNoNumber &&
                              strings_.text(rank_.name[e]).find("ncclDevKernel") != std::string_view::npos;
    if (measured.has_group_name) measured.group_name = static_cast<StringId>(group_name_[e]);
  }

  void fill_parents() {
    result_.parent.resize_uninitialized(source_.size());
    std::unordered_map<std::uint64_t, std::uint64_t> id_of_missing;
    for (std::size_t i = 0; i < source_.size(); ++i) {
      const std::uint32_t row = source_[i];
      if (work_[i] != kNoWork) {
        result_.parent[i] = new_id_[row];
      } else if (host_.is_flat()) {  // the original does not renumber the parents of this schema
        result_.parent[i] = host_.parent[row];
      } else if (const std::uint32_t parent = parts_.match.row_of_id.find(static_cast<std::int64_t>(host_.parent[row]));
                 parent != NumberIndex::kMissing) {
        result_.parent[i] = new_id_[parent];
      } else {
        result_.parent[i] =
            id_of_missing.emplace(host_.parent[row], source_.size() + id_of_missing.size()).first->second;
      }
    }
  }

  void fill_collectives() {
    if (host_.collectives.empty()) return;
    Column<std::uint32_t> collective_of(host_.size(), ~std::uint32_t{0});
    for (std::uint32_t c = 0; c < host_.collectives.size(); ++c) collective_of[host_.collectives[c].row] = c;
    for (std::uint32_t i = 0; i < source_.size(); ++i) {
      if (collective_of[source_[i]] == ~std::uint32_t{0}) continue;
      result_.collectives.push_back(host_.collectives[collective_of[source_[i]]]);
      result_.collectives.back().row = i;
    }
  }

  HostTrace take() {
    result_.path = std::move(host_.path);
    result_.file_bytes = host_.file_bytes;
    result_.schema = std::move(host_.schema);
    result_.time = std::move(host_.time);
    result_.pid = host_.pid;
    result_.start_ts = host_.start_ts;
    result_.finish_ts = host_.finish_ts;
    result_.text_owner = std::move(host_.text_owner);
    result_.content = host_.content;
    return std::move(result_);
  }

  HostTrace host_;
  const trace::RankTrace& rank_;
  Interner& strings_;
  const LinkParts& parts_;
  Column<std::int64_t> stream_, group_name_;  // per event
  Column<std::uint64_t> new_id_;              // per row of the host trace
  Column<std::uint32_t> source_;              // per new row: the row of the host trace,
  Column<std::uint32_t> work_;                // and the device work it is, kNoWork if it is that row itself
  HostTrace result_;
};

}  // namespace

Result<HostTrace> make_linked_rows(HostTrace host, const trace::RankTrace& rank, Interner& strings,
                                   const LinkParts& parts) {
  return RowLinker(std::move(host), rank, strings, parts).link();
}

}  // namespace orrery::causal::chakra
