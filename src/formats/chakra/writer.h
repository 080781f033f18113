// A Workload as Chakra execution traces: the file of each rank, PREFIX.0.et, PREFIX.1.et, ..., which ASTRA-sim and
// Chakra's tools read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/io/output_file.h"
#include "base/result.h"
#include "workload/workload.h"

namespace orrery::chakra {

/// What the format can say of a node beyond what a Program holds. Views must live until the call that filled them is
/// over.
struct NodeDetails {
  struct Tensors {
    std::string values, shapes, types;  ///< lists in Python's spelling
  };
  bool has_tensors = false;
  Tensors inputs, outputs;
  std::vector<std::pair<std::string_view, std::int64_t>> integers;   ///< further attributes, as int64_val
  std::vector<std::pair<std::string_view, std::string_view>> texts;  ///< as string_val
  void clear() { has_tensors = false, integers.clear(), texts.clear(); }
};

struct WriteOptions {
  std::string version = "0.0.4";  ///< GlobalMetadata.version
  /// GlobalMetadata.attr: names and texts.
  std::vector<std::pair<std::string, std::string>> metadata = {};
  bool host_attribute = true;  ///< every node says whether it runs on the host (is_cpu_op)
  /// Metadata nodes get one attribute of every type the schema has, as those of Chakra's own generator do: food for
  /// readers.
  bool sample_attributes = false;
  /// Asked for every activity of every rank, if given.
  std::function<void(std::size_t rank, std::size_t activity, NodeDetails& details)> details = {};
};

/// One rank's file: GlobalMetadata, then the nodes by id, each message with its length in front. Durations are rounded
/// to microseconds, the unit of the format, and up to one if they are not 0, with the attribute duration_ps beside them
/// where that is not exact; recorded starts are rounded down, and absolute; a lane is "tid" of a host activity and
/// "stream" of others. Control and data dependencies stay apart; attributes are those that docs/formats/chakra.md
/// names, in the types Chakra's feeder expects. An Error names an activity the format has no word for: one that waits
/// for a start only, a receive from any rank.
Result<std::string> to_protobuf(const workload::Workload& workload, std::size_t rank, const WriteOptions& options = {});

/// The same into a file, node by node: memory does not grow with it. Compressed if the name ends in ".gz".
Status write_rank(const workload::Workload& workload, std::size_t rank, const std::string& path,
                  const WriteOptions& options = {});

/// A message with its length in front, as files have them.
void write_record(std::string_view message, OutputFile& out);

/// WriteOptions::metadata that says how many ranks the job has, so that a reader notices those that are missing.
std::pair<std::string, std::string> world_size_metadata(std::size_t ranks);
/// The same that says that times are those of the run as it would be if nobody had recorded it.
std::pair<std::string, std::string> without_profiler_metadata();

/// All ranks, as PREFIX.RANK.et; all of them or none.
Status write_workload(const workload::Workload& workload, const std::string& prefix, const WriteOptions& options = {});

/// {"1": [0, 1], "2": [2, 3]}: the groups, as ASTRA-sim reads them from its --comm-group-configuration. It wants names
/// that are numbers.
std::string groups_json(const workload::Workload& workload);

}  // namespace orrery::chakra
