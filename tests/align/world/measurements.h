// What daemons beside a job of a World measure of its clocks, as rows of files; and what becomes of such files on the
// way.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "align/world/world.h"
#include "base/diagnostics.h"
#include "base/result.h"
#include "trace/clock_sources.h"

namespace orrery::align::test {

/// One exchange of packets; Unix ns of the clocks of src (t1, t4) and dst (t2, t3).
struct ProbeRow {
  std::size_t src = 0, dst = 0;
  std::int64_t t1 = 0, t2 = 0, t3 = 0, t4 = 0;
};

struct WindowEdge {
  std::size_t dst = 0;
  double alpha = 0, beta_ns = 0;  ///< alpha as a rate
  int pairs = 0, lost = 0;
};

struct WindowRow {
  std::size_t node = 0;
  std::int64_t round = 0, begin_unix_ns = 0, end_unix_ns = 0;
  std::vector<WindowEdge> edges;
};

struct OffsetRow {
  std::size_t node = 0;
  std::int64_t round = 0, begin_unix_ns = 0, end_unix_ns = 0;
  double offset_ns = 0, drift_ppm = 0, residual_ns = 0;
  bool reachable = true, converged = true;
};

struct SnapshotRows {
  std::size_t node = 0;
  std::int64_t host_start_unix_ns = 0, device_start_ns = 0;
  std::vector<trace::SnapshotPair> pairs;
};

struct Measurements {
  std::vector<ProbeRow> probes;
  std::vector<WindowRow> windows;
  std::vector<OffsetRow> offsets;
  std::vector<SnapshotRows> snapshots;
};

struct ProbeTraffic {
  double per_second = 40;    ///< of every node to each of its two neighbours
  double least_ns = 12'000;  ///< delay of a packet that waits for nobody
  double wait_ns = 15'000;   ///< mean of what it waits more
  double uneven = 0.05;      ///< by which share of the least delay the two directions of a pair differ
  double lost = 0;           ///< share of exchanges without an answer
  double outliers = 0;       ///< share that is held up for 1 to 20 ms
};

void add_probes(World& world, const ProbeTraffic& traffic, Measurements& into);

/// Lines fitted to 40 noisy differences per window of 2 s, of every node to its two neighbours. `unreached`: share of
/// edges without a packet; `wild`: share that is wrong by up to 1 ms.
struct WindowQuality {
  double unreached = 0;
  double wild = 0;
};
void add_windows(World& world, const WindowQuality& quality, Measurements& into);

/// Rounds of 2 s, against node 0. `unreached`: share of rows of nodes that were not reached or did not converge.
struct OffsetQuality {
  double sigma_ns = 300;
  double unreached = 0;
};
void add_offsets(World& world, const OffsetQuality& quality, Measurements& into);

/// Ten a second and node; the device is read 300 ns after the host, mostly, and sometimes the reader is held up in
/// between.
void add_snapshots(World& world, double held_up, Measurements& into);

/// Damage that any list of rows can take.
template <typename Row>
void drop_rows(std::vector<Row>& rows, double share, Random& random) {
  std::erase_if(rows, [&](const Row&) { return random.chance(share); });
}
template <typename Row>
void duplicate_rows(std::vector<Row>& rows, double share, Random& random) {
  const std::size_t count = rows.size();
  for (std::size_t i = 0; i < count; ++i) {
    if (random.chance(share)) rows.push_back(rows[i]);
  }
}
template <typename Row>
void shuffle_rows(std::vector<Row>& rows, Random& random) {
  std::shuffle(rows.begin(), rows.end(), random.engine());
}

/// The spellings that writers of such files use.
struct Spelling {
  bool alpha_is_one_plus_rate = false;
  bool six_digits = false;    ///< offsets as 1.23457e+07
  bool midpoint_key = false;  ///< midpoint_sys_ns instead of a window
};

/// The rows as JSON lines.
std::string probe_lines(const std::vector<ProbeRow>& rows);
std::string window_lines(const std::vector<WindowRow>& rows, const Spelling& spelling);
std::string offset_lines(const std::vector<OffsetRow>& rows, const Spelling& spelling);
std::string snapshot_lines(const SnapshotRows& rows);

/// Through files, as the program reads them.
Result<trace::ClockSources> through_files(const Measurements& measurements, const Spelling& spelling,
                                          Diagnostics& diagnostics);

}  // namespace orrery::align::test
