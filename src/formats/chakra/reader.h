// Chakra execution traces into a Workload: one file per rank, PREFIX.0.et, PREFIX.1.et, ..., plain or compressed, or in
// the feeder's JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/diagnostics.h"
#include "base/result.h"
#include "workload/workload.h"

namespace orrery::chakra {

struct ReadOptions {
  std::string schema = {};  ///< "0.0.1" to "1.0.0": what old enumerators mean; empty: recognised from the file
  /// Given, what is odd but usable is counted there (docs/DIAGNOSTICS.md, C301 on): a control dependency on an absent
  /// node is left out, a message without tag or size gets 0. Without it, as in ASTRA-sim, these are Errors.
  Diagnostics* diagnostics = nullptr;
  bool micros_only =
      false;  ///< the attribute duration_ps is passed over, as by everybody else; also without `diagnostics`
};

/// The files of ranks 0 to `ranks` - 1, which must all be there (rank_files.h). Ranks whose files have the same content
/// share one Program, and such a file is parsed once. Workload::epoch_us is the earliest recorded start of all ranks.
Result<workload::Workload> read_workload(const std::string& prefix, std::size_t ranks, const ReadOptions& options = {});
/// The same from files by name, one per rank.
Result<workload::Workload> read_workload(std::span<const std::string> paths, const ReadOptions& options = {});

/// Whether a file that begins like this may be one: a record that is metadata or a node, and the beginning of another.
bool looks_like_protobuf(std::string_view first_bytes);
/// Whether a file that begins like this is in the feeder's JSON.
bool looks_like_feeder_json(std::string_view first_bytes);

// The two spellings of a program. Texts go to `strings`; an Error names the file and the record that cannot be used.
// Recorded starts are since the earliest of them, which is microsecond `*epoch_us` of the recording's clock.

/// `bytes`: a stream of messages, each with its length in front: GlobalMetadata, then one Node after the other. Every
/// schema since 0.0.1. About 0.5 GB/s; most of a large file is passed over.
Result<workload::Program> parse_protobuf(std::string_view bytes, const std::string& path, Interner& strings,
                                         const ReadOptions& options = {}, std::int64_t* epoch_us = nullptr);
/// {"workload_graph": [{"Id": 0, "Name": "...", "NodeType": 4, "ctrlDeps": [], "data_deps": [], "runtime": 5, ...}]}
Result<workload::Program> parse_feeder_json(std::string_view bytes, const std::string& path, Interner& strings,
                                            const ReadOptions& options = {}, std::int64_t* epoch_us = nullptr);

}  // namespace orrery::chakra
