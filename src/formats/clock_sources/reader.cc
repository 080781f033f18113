#include "formats/clock_sources/reader.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <cmath>
#include <optional>

#include "base/io/file_content.h"
#include "base/limits.h"
#include "base/protobuf/protobuf_wire.h"

// Line by line; every kind of file has its own row, and a row that cannot be used is counted and passed over, since
// measurements come from programs that may be stopped at any time. Only a file without any usable row is an error.

namespace orrery::clock_sources {
namespace {

using simdjson::dom::element;
using simdjson::dom::object;

constexpr std::uint32_t kMaxNode = 1'000'000;  // tables are as long as the largest number of a node
constexpr std::int64_t kMost =
    3'000'000'000'000'000'000;  // of a time or any other number: the difference of two still fits
constexpr double kFarAwayNs =
    1e11;  // no two clocks of a job are this far apart; a difference that is was reckoned from another zero
constexpr double kAlphaIsRateBelow = 0.5;  // some writers give 1 + rate

std::optional<double> number(const object& row, std::string_view key) {
  element value;
  double found = 0;
  if (row[key].get(value) != simdjson::SUCCESS || value.get(found) != simdjson::SUCCESS || !std::isfinite(found))
    return std::nullopt;
  return found;
}

/// Large integers exactly; numbers that were printed with a point or an exponent as near as they say. None beyond the
/// year 2065, so that differences of two fit.
std::optional<std::int64_t> integer(const object& row, std::string_view key) {
  element value;
  if (row[key].get(value) != simdjson::SUCCESS) return std::nullopt;
  std::int64_t whole = 0;
  if (value.get(whole) == simdjson::SUCCESS)
    return whole > kMost || whole < -kMost ? std::nullopt : std::optional(whole);
  double found = 0;
  if (value.get(found) != simdjson::SUCCESS || !(std::abs(found) < static_cast<double>(kMost))) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(found));
}

std::optional<std::uint32_t> node(const object& row, std::string_view key) {
  const auto value = integer(row, key);
  if (!value || *value < 0 || *value > kMaxNode) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

bool flag(const object& row, std::string_view key, bool missing) {
  bool value = missing;
  element found;
  if (row[key].get(found) == simdjson::SUCCESS && found.get(value) != simdjson::SUCCESS) return missing;
  return value;
}

class FileReader {
 public:
  FileReader(const std::string& path, Kind kind, trace::ClockSources& into, Diagnostics& diagnostics)
      : path_(path), kind_(kind), into_(into), diagnostics_(diagnostics) {}

  Status read() {
    Result<std::string> text = read_whole_file(path_, kMaxRecordingBytes);
    if (!text) return text.error();
    const std::size_t first = text->find_first_not_of(" \n\r\t");
    if (first == std::string::npos)
      return Error{"the file is empty", path_, 0, "it should hold one measurement per line"};
    if (kind_ == Kind::snapshots) into_.snapshots.emplace_back();
    if (kind_ == Kind::snapshots && (*text)[first] != '{') return read_snapshot_messages(*text);
    simdjson::dom::parser parser;
    for (std::size_t at = 0; at < text->size();) {
      const std::size_t end = std::min(text->find('\n', at), text->size());
      const std::string_view line(text->data() + at, end - at);
      if (line.find_first_not_of(" \r\t") != std::string_view::npos) take_line(parser, line, at);
      at = end + 1;
    }
    if (usable_ == 0) return Error{"there is no usable row in this file", path_, Error::kNoOffset, wanted()};
    return {};
  }

 private:
  void take_line(simdjson::dom::parser& parser, std::string_view line, std::size_t offset) {
    object row;
    const auto parsed = parser.parse(line.data(), line.size());
    if (parsed.error() == simdjson::SUCCESS && parsed.get(row) == simdjson::SUCCESS && take(row)) {
      ++usable_;
      return;
    }
    diagnostics_.add(kUnusableRow, [&] { return fmt::format("{}: byte {}", path_, offset); });
  }

  bool take(const object& row) {
    if (flag(row, "meta", false)) return take_meta(row);
    switch (kind_) {
      case Kind::probes: return take_probe(row);
      case Kind::probe_windows: return take_window(row);
      case Kind::offsets: return take_offset(row);
      case Kind::snapshots: return take_snapshot(row);
    }
    return false;
  }

  // {"meta": true, "nodes": [{"node_id": 0, "start_walltime_ns": ..., "start_gpu_ns": ...}]}, or the three members in
  // the row itself
  bool take_meta(const object& row) {
    --usable_;  // says nothing about clocks by itself
    const auto take_start = [&](const object& from) {
      const auto number_of = node(from, "node_id");
      const auto host = integer(from, "start_walltime_ns");
      if (!host) return;
      const std::int64_t tracer = integer(from, "start_gpu_ns").value_or(0);
      if (number_of) into_.starts.push_back({*number_of, *host, tracer});
      if (kind_ != Kind::snapshots) return;
      into_.snapshots.back().node = number_of;
      into_.snapshots.back().host_start_ns = *host;
      into_.snapshots.back().tracer_start_ns = tracer;
    };
    simdjson::dom::array nodes;
    element list;
    if (row["nodes"].get(list) != simdjson::SUCCESS || list.get(nodes) != simdjson::SUCCESS) {
      take_start(row);
      own_node_ = node(row, "node_id");
      return true;
    }
    for (const element entry : nodes) {
      object start;
      if (entry.get(start) == simdjson::SUCCESS) take_start(start);
    }
    return true;
  }

  // {"src": 0, "dst": 1, "t1": ..., "t2": ..., "t3": ..., "t4": ...}
  bool take_probe(const object& row) {
    const auto from = node(row, "src"), to = node(row, "dst");
    const auto t1 = integer(row, "t1"), t2 = integer(row, "t2"), t3 = integer(row, "t3"), t4 = integer(row, "t4");
    if (!from || !to || *from == *to || !t1 || !t2 || !t3 || !t4 || *t4 < *t1 || *t3 < *t2) return false;
    into_.probes.push_back({*from, *to, *t1, *t2, *t3, *t4});
    return true;
  }

  // {"window_start_ns": ..., "window_end_ns": ..., "node_id": 0, "edges": [{"dst": 1, "alpha": 1.2e-05, "beta": 830.0,
  // "pairs": 40, "lost": 0}]}
  bool take_window(const object& row) {
    const auto begin = integer(row, "window_start_ns"), end = integer(row, "window_end_ns");
    const auto from = node(row, "node_id");
    simdjson::dom::array edges;
    element list;
    if (!begin || !end || *end < *begin || (!from && !own_node_) || row["edges"].get(list) != simdjson::SUCCESS ||
        list.get(edges) != simdjson::SUCCESS)
      return false;
    for (const element entry : edges) {
      object edge;
      if (entry.get(edge) != simdjson::SUCCESS) return false;
      const auto to = node(edge, "dst");
      auto alpha = number(edge, "alpha");
      const auto beta = number(edge, "beta");
      if (!to || !alpha || !beta || *to == from.value_or(*own_node_)) return false;
      if (std::abs(*alpha - 1) < kAlphaIsRateBelow) *alpha -= 1;
      // x may count from the window's start or from the epoch of the clock: one of the two gives clocks of one job.
      const double absolute = *alpha * static_cast<double>(*begin) + *beta;
      const bool from_epoch = std::abs(*beta) > kFarAwayNs && std::abs(absolute) < kFarAwayNs;
      into_.windows.push_back({from.value_or(*own_node_), *to, *begin, *end, *alpha, from_epoch ? absolute : *beta,
                               integer(edge, "pairs").value_or(0), integer(edge, "lost").value_or(0)});
    }
    return true;
  }

  // {"round_id": 3, "window_start_ns": ..., "window_end_ns": ..., "node_id": 2, "offset_ns": 1.2e+06, "reachable":
  // true, "converged": true}
  bool take_offset(const object& row) {
    const auto who = node(row, "node_id");
    const auto offset = number(row, "offset_ns");
    const auto begin = integer(row, "window_start_ns"), end = integer(row, "window_end_ns");
    const auto middle = integer(row, "midpoint_sys_ns");
    auto round = integer(row, "round_id");
    if (!round) round = integer(row, "window_id");
    if (!who || !round || (!middle && (!begin || !end))) return false;
    trace::GivenOffset given;
    given.node = *who;
    given.round = *round;
    given.middle_ns = middle ? *middle : *begin + (*end - *begin) / 2;
    given.usable = flag(row, "reachable", true) && flag(row, "converged", true);
    if (given.usable && !offset) return false;
    if (!given.usable)
      diagnostics_.add(kUnreachable, [&] { return fmt::format("{}: node {}, round {}", path_, *who, *round); });
    given.offset_ns = offset.value_or(0);
    given.drift_ppm = number(row, "drift_ppm").value_or(0);
    given.residual_ns = number(row, "residual").value_or(0);
    into_.offsets.push_back(given);
    return true;
  }

  // {"sys_ns": ..., "tracer_ns": ...}
  bool take_snapshot(const object& row) {
    const auto host = integer(row, "sys_ns"), tracer = integer(row, "tracer_ns");
    if (!host || !tracer) return false;
    into_.snapshots.back().pairs.push_back({*host, *tracer});
    return true;
  }

  // SnapshotPairs{1 pairs*{1 sys_clock_ns, 2 tracer_clock_ns}, 2 sampling_period_ns}
  Status read_snapshot_messages(std::string_view bytes) {
    WireReader file(bytes);
    for (WireField entry; file.next(entry);) {
      if (!entry.is(1, WireType::bytes)) continue;  // the sampling period, or what a later version adds
      trace::SnapshotPair snapshot;
      WireReader pair(entry.bytes);
      for (WireField time; pair.next(time);) {
        if (time.is(1, WireType::varint)) snapshot.host_ns = time.integer();
        else if (time.is(2, WireType::varint)) snapshot.tracer_ns = time.integer();
      }
      if (pair.damaged()) return no_messages(pair.position() - bytes.data());
      const auto fits = [](std::int64_t ns) { return ns <= kMost && ns >= -kMost; };
      if (fits(snapshot.host_ns) && fits(snapshot.tracer_ns)) into_.snapshots.back().pairs.push_back(snapshot);
      else diagnostics_.add(kUnusableRow, [&] { return path_; });
    }
    if (file.damaged()) return no_messages(file.position() - bytes.data());
    if (into_.snapshots.back().pairs.empty())
      return Error{"there is no usable row in this file", path_, Error::kNoOffset, wanted()};
    return {};
  }

  [[nodiscard]] Error no_messages(std::ptrdiff_t offset) const {
    return {"this is neither JSON lines nor a SnapshotPairs message", path_, static_cast<std::uint64_t>(offset),
            wanted()};
  }

  [[nodiscard]] std::string wanted() const {
    switch (kind_) {
      case Kind::probes:
        return R"(a row of probes is {"src": 0, "dst": 1, "t1": ..., "t2": ..., "t3": ..., "t4": ...})";
      case Kind::probe_windows:
        return R"(a row has window_start_ns, window_end_ns, node_id and edges of dst, alpha and beta)";
      case Kind::offsets: return R"(a row has round_id, window_start_ns, window_end_ns, node_id and offset_ns)";
      case Kind::snapshots: return R"(a row of snapshots is {"sys_ns": ..., "tracer_ns": ...})";
    }
    return {};
  }

  const std::string& path_;
  Kind kind_;
  trace::ClockSources& into_;
  Diagnostics& diagnostics_;
  std::optional<std::uint32_t> own_node_;
  std::int64_t usable_ = 0;
};

}  // namespace

Status read(const std::string& path, Kind kind, trace::ClockSources& into, Diagnostics& diagnostics) {
  return FileReader(path, kind, into, diagnostics).read();
}

}  // namespace orrery::clock_sources
