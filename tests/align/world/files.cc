// Measurements as the files that the program reads.
#include <fmt/format.h>

#include "align/world/measurements.h"
#include "formats/clock_sources/reader.h"
#include "support/temp_dir.h"

namespace orrery::align::test {

std::string probe_lines(const std::vector<ProbeRow>& rows) {
  std::string text;
  for (const ProbeRow& row : rows)
    text += fmt::format("{{\"src\": {}, \"dst\": {}, \"t1\": {}, \"t2\": {}, \"t3\": {}, \"t4\": {}}}\n", row.src,
                        row.dst, row.t1, row.t2, row.t3, row.t4);
  return text;
}

std::string window_lines(const std::vector<WindowRow>& rows, const Spelling& spelling) {
  std::string text;
  for (const WindowRow& row : rows) {
    text += fmt::format(
        "{{\"window_start_ns\": {}, \"window_end_ns\": {}, \"window_id\": {}, \"round_id\": {}, \"node_id\": {}, "
        "\"edges\": [",
        row.begin_unix_ns, row.end_unix_ns, row.round, row.round, row.node);
    for (const WindowEdge& edge : row.edges) {
      const double alpha = edge.alpha + (spelling.alpha_is_one_plus_rate ? 1 : 0);
      text += fmt::format("{}{{\"dst\": {}, \"alpha\": {:.12g}, \"beta\": {:.3f}, \"pairs\": {}, \"lost\": {}}}",
                          &edge == row.edges.data() ? "" : ", ", edge.dst, alpha, edge.beta_ns, edge.pairs, edge.lost);
    }
    text += "]}\n";
  }
  return text;
}

std::string offset_lines(const std::vector<OffsetRow>& rows, const Spelling& spelling) {
  std::string text;
  for (const OffsetRow& row : rows) {
    const std::string window =
        spelling.midpoint_key
            ? fmt::format("\"midpoint_sys_ns\": {}", row.begin_unix_ns + (row.end_unix_ns - row.begin_unix_ns) / 2)
            : fmt::format("\"window_start_ns\": {}, \"window_end_ns\": {}", row.begin_unix_ns, row.end_unix_ns);
    const std::string offset =
        spelling.six_digits ? fmt::format("{:g}", row.offset_ns) : fmt::format("{:.3f}", row.offset_ns);
    text += fmt::format(
        "{{\"round_id\": {}, \"window_id\": {}, {}, \"node_id\": {}, \"offset_ns\": {}, \"drift_ppm\": {}, "
        "\"residual\": {}, "
        "\"reachable\": {}, \"converged\": {}}}\n",
        row.round, row.round, window, row.node, offset, row.drift_ppm, row.residual_ns, row.reachable, row.converged);
  }
  return text;
}

std::string snapshot_lines(const SnapshotRows& rows) {
  std::string text =
      fmt::format("{{\"meta\": true, \"node_id\": {}, \"start_walltime_ns\": {}, \"start_gpu_ns\": {}}}\n", rows.node,
                  rows.host_start_unix_ns, rows.device_start_ns);
  for (const trace::SnapshotPair& pair : rows.pairs)
    text += fmt::format("{{\"sys_ns\": {}, \"tracer_ns\": {}}}\n", pair.host_ns, pair.tracer_ns);
  return text;
}

Result<trace::ClockSources> through_files(const Measurements& measurements, const Spelling& spelling,
                                          Diagnostics& diagnostics) {
  const testing::TempDir dir;
  trace::ClockSources sources;
  Status status;
  const auto pass = [&](std::string_view name, const std::string& text, clock_sources::Kind kind) {
    if (status && !text.empty()) status = clock_sources::read(dir.write(name, text), kind, sources, diagnostics);
  };
  pass("probes.jsonl", probe_lines(measurements.probes), clock_sources::Kind::probes);
  pass("windows.jsonl", window_lines(measurements.windows, spelling), clock_sources::Kind::probe_windows);
  pass("offsets.jsonl", offset_lines(measurements.offsets, spelling), clock_sources::Kind::offsets);
  for (const SnapshotRows& rows : measurements.snapshots)
    pass("snapshots.jsonl", snapshot_lines(rows), clock_sources::Kind::snapshots);
  if (!status) return status.error();
  return sources;
}

}  // namespace orrery::align::test
