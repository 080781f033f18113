// Chakra execution traces for a simulator of your own: the nodes of every rank. orrery/feeder.h hands them out in
// order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "orrery/export.h"
#include "orrery/result.h"

namespace orrery::api {

/// Numbered as in Chakra's et_def.proto.
enum class NodeType : std::uint8_t {
  invalid = 0,
  metadata = 1,
  mem_load = 2,
  mem_store = 3,
  comp = 4,
  comm_send = 5,
  comm_recv = 6,
  comm_coll = 7,
};

/// Numbered as in Chakra's et_def.proto. Its REDUCE_SCATTER_BLOCK is reduce_scatter here.
enum class CommType : std::uint8_t {
  all_reduce = 0,
  reduce = 1,
  all_gather = 2,
  gather = 3,
  scatter = 4,
  broadcast = 5,
  all_to_all = 6,
  reduce_scatter = 7,
  barrier = 9,
};

struct WorkloadData;

/// One node of one rank: a handle of 16 bytes, valid as long as its Workload, also when that is moved. Values that the
/// file does not give are absent, never invented.
class ORRERY_API Node {
 public:
  [[nodiscard]] std::uint64_t id() const;       ///< the file's own; unique within the rank
  [[nodiscard]] std::size_t rank() const;       ///< within the workload, from 0
  [[nodiscard]] std::string_view name() const;  ///< lives as long as the workload
  [[nodiscard]] NodeType type() const;
  [[nodiscard]] bool is_cpu_op() const;  ///< runs on the host; false if the file does not say
  /// As recorded; 0 if it was not. The file has whole microseconds.
  [[nodiscard]] std::uint64_t duration_ns() const;
  [[nodiscard]] std::optional<std::int64_t> num_ops() const;      ///< floating-point operations
  [[nodiscard]] std::optional<std::int64_t> tensor_size() const;  ///< bytes touched; not of communication

  // Of communication. Of other nodes they are absent or empty.
  [[nodiscard]] std::optional<CommType> comm_type() const;          ///< of a collective
  [[nodiscard]] std::optional<std::int64_t> comm_size() const;      ///< bytes
  [[nodiscard]] std::string_view comm_group() const;                ///< pg_name; empty: all ranks
  [[nodiscard]] std::optional<std::int32_t> comm_priority() const;  ///< of a collective; 0 if the file does not say
  /// Of a message: the ranks at its two ends. The rank's own end is absent if a single file was opened.
  [[nodiscard]] std::optional<std::int32_t> comm_src() const;
  [[nodiscard]] std::optional<std::int32_t> comm_dst() const;
  [[nodiscard]] std::optional<std::int64_t> comm_tag() const;   ///< of a message
  [[nodiscard]] std::optional<std::int32_t> comm_root() const;  ///< of a broadcast, reduce, gather or scatter

  /// Ids of what it depends on, in the order of the file. An id that is given as both counts as data.
  [[nodiscard]] std::vector<std::uint64_t> data_dependencies() const;
  [[nodiscard]] std::vector<std::uint64_t> control_dependencies() const;

  friend bool operator==(const Node&, const Node&) = default;

 private:
  friend struct WorkloadData;
  friend class Feeder;
  Node(const WorkloadData& data, std::uint32_t rank, std::uint32_t index) : data_(&data), rank_(rank), index_(index) {}

  const WorkloadData* data_;
  std::uint32_t rank_;
  std::uint32_t index_;
};

struct OpenOptions {
  /// Take what Chakra's own converter writes: control dependencies on nodes that it dropped are left out, messages
  /// without a tag or size get 0. Otherwise these are Errors. Workload::remarks() says how often.
  bool lenient = false;
};

/// What all ranks of a job do. Immutable once opened: may be read from several threads. Ranks whose files are equal
/// share their memory.
class ORRERY_API Workload {
 public:
  /// `prefix_or_file`: PREFIX for PREFIX.0.et, PREFIX.1.et, ... as many as there are; or one file, which is then rank
  /// 0. Files may be protobuf of any schema (.et, .et.gz, .et.zst) or the JSON of Chakra's feeder (.json). An Error
  /// names the file and the node: damage, an id given twice, a dependency on a node that does not exist, nodes that
  /// depend on one another in a circle.
  static Result<Workload> open(const std::string& prefix_or_file, const OpenOptions& options = {});

  Workload(Workload&&) noexcept;
  Workload& operator=(Workload&&) noexcept;
  ~Workload();

  [[nodiscard]] std::size_t rank_count() const;
  [[nodiscard]] std::size_t node_count(std::size_t rank) const;  ///< `rank` < rank_count()
  /// By ascending id. `index` < node_count(rank).
  [[nodiscard]] Node node(std::size_t rank, std::size_t index) const;
  /// The node with this id, if the rank has one. O(1) for ids that are spread evenly, O(log nodes) at worst.
  [[nodiscard]] std::optional<Node> find(std::size_t rank, std::uint64_t id) const;
  /// What was odd but usable, if opened leniently: a line for each kind, with how often it occurred and where first.
  [[nodiscard]] const std::vector<std::string>& remarks() const;

 private:
  friend class Feeder;
  explicit Workload(std::unique_ptr<const WorkloadData> data);

  std::unique_ptr<const WorkloadData> data_;
};

}  // namespace orrery::api
