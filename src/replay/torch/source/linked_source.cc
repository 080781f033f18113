#include "replay/torch/source/linked_source.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "replay/torch/build/communication_hints.h"

// Rows of device work are taken out and become launched work of the operator that is their parent; the rest is a host
// trace with times. Ends order the rows, and a row without times ends with the last that it called.

namespace orrery::replay::torch {
namespace {

using trace::HostTrace;
using trace::MeasuredRow;

bool is_work(const HostTrace& linked, std::size_t row) {
  return linked.is_linked() && linked.measured[row].category != 0;
}

class LinkedSource {
 public:
  LinkedSource(const HostTrace& linked, const Interner& strings) : linked_(linked) {
    source_.strings = &strings;
    for (std::uint32_t row = 0; row < linked.size(); ++row) {
      if (is_work(linked, row)) continue;
      by_id_.emplace_back(linked.id[row], static_cast<std::uint32_t>(rows_.size()));
      rows_.push_back(row);
      if (linked.is_linked() && linked.measured[row].has_ts) epoch_ = std::min(epoch_, linked.measured[row].ts);
    }
    std::sort(by_id_.begin(), by_id_.end());
  }

  RankSource run() {
    copy_host_rows();
    const std::vector<double> ends = measure();
    source_.order = order_rows(*source_.host, *source_.strings, ends);
    take_works();
    return std::move(source_);
  }

 private:
  void copy_host_rows() {
    auto host = std::make_shared<HostTrace>();
    trace::copy_rows(linked_, rows_, *host);
    for (const std::uint32_t row : rows_) {
      host->id.push_back(linked_.id[row]);
      host->parent.push_back(linked_.parent[row]);
    }
    host->path = linked_.path;
    host->schema = linked_.schema;
    host->pid = linked_.pid;
    host->text_owner = linked_.text_owner;
    host->content = linked_.content;
    source_.owned_host = host;
    source_.host = host.get();
  }

  // What is no time of any recording counts as none.
  static TimePs picoseconds(double us) {
    return us >= 0 && us < 1e12 ? static_cast<TimePs>(std::llround(us * 1e6)) : 0;
  }
  [[nodiscard]] TimePs moment(double us) const { return picoseconds(us - epoch_); }

  // When each row ended, in microseconds; of one that was not measured, when the last that it called did.
  std::vector<double> measure() {
    source_.begin.assign(rows_.size(), kNoTime);
    source_.end.assign(rows_.size(), kNoTime);
    if (!linked_.is_linked()) return {};
    std::vector<double> ends(rows_.size(), -std::numeric_limits<double>::infinity());
    double latest = 0;  // of those that began before
    for (const auto& [id, row] : by_id_) {
      const MeasuredRow& measured = linked_.measured[rows_[row]];
      if (!measured.has_ts) {
        ends[row] = latest;
        continue;
      }
      latest = std::max(latest, measured.ts);
      ends[row] = measured.ts + measured.inclusive_dur;
      source_.begin[row] = moment(measured.ts);
      source_.end[row] = moment(ends[row]);
    }
    // From the last id to the first: what is called has the higher one.
    for (auto item = by_id_.rbegin(); item != by_id_.rend(); ++item) {
      const std::uint32_t parent = row_of(source_.host->parent[item->second]);
      if (parent != causal::kNoRow && parent != item->second && source_.end[parent] == kNoTime)
        ends[parent] = std::max(ends[parent], ends[item->second]);
    }
    return ends;
  }

  [[nodiscard]] std::uint32_t row_of(std::uint64_t id) const {
    const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), std::pair(id, std::uint32_t{0}));
    return at == by_id_.end() || at->first != id ? causal::kNoRow : at->second;
  }

  void take_works() {
    std::map<std::int64_t, std::uint32_t> streams;
    for (std::uint32_t row = 0; row < linked_.size(); ++row) {
      if (is_work(linked_, row)) streams.emplace(linked_.measured[row].stream, 0);
    }
    for (auto& [stream, number] : streams) {
      number = static_cast<std::uint32_t>(source_.streams.size());
      source_.streams.push_back(stream);
    }
    for (std::uint32_t row = 0; row < linked_.size(); ++row) {
      if (!is_work(linked_, row)) continue;
      const MeasuredRow& measured = linked_.measured[row];
      LaunchedWork& work = source_.works.emplace_back();
      const std::uint32_t launcher = row_of(linked_.parent[row]);
      work.launch.row = launcher;
      // When exactly is not told: right after its operator began.
      work.launch.before = launcher == causal::kNoRow ? 0 : source_.order.begin[launcher] + 1;
      work.launch.thread = linked_.thread[row];
      if (launcher != causal::kNoRow) work.launch.begin = work.launch.end = source_.begin[launcher];
      work.stream = streams[measured.stream];
      work.name = linked_.name[row];
      work.duration = picoseconds(measured.inclusive_dur);
      const std::string_view category = source_.strings->text(measured.category);
      work.kind = category == "kernel"       ? causal::EdgeKind::kernel
                  : category == "gpu_memset" ? causal::EdgeKind::memory_set
                                             : causal::EdgeKind::memory_copy;
    }
    std::stable_sort(source_.works.begin(), source_.works.end(),
                     [](const LaunchedWork& a, const LaunchedWork& b) { return a.launch.before < b.launch.before; });
  }

  const HostTrace& linked_;
  std::vector<std::uint32_t> rows_;  // of the host
  std::vector<std::pair<std::uint64_t, std::uint32_t>> by_id_;
  double epoch_ = std::numeric_limits<double>::infinity();
  RankSource source_;
};

}  // namespace

RankSource source_of_linked(const HostTrace& linked, const Interner& strings, std::int64_t rank,
                            std::int64_t world_size) {
  RankSource source = LinkedSource(linked, strings).run();
  source.rank = rank;
  find_communication_hints(world_size, source);
  return source;
}

}  // namespace orrery::replay::torch
