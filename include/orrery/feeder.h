// The nodes of one rank, handed out as their dependencies are completed: what drives a simulator. Offers what Chakra's
// ETFeeder offers.
//
//     Result<Workload> workload = Workload::open("et/step");
//     Result<Feeder> feeder = Feeder::make(*workload, 0);
//     while (std::optional<Node> node = feeder->next_ready()) {
//       simulate(*node);                  // now, or push_back(*node) and later
//       (void)feeder->complete(*node);    // frees what waited for it
//     }
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "orrery/export.h"
#include "orrery/result.h"
#include "orrery/workload.h"

namespace orrery::api {

/// Which dependencies hold a node back.
enum class Dependencies : std::uint8_t {
  data_and_control,  ///< as ASTRA-sim's FeederV3
  data_only,         ///< as Chakra's ETFeeder
};

/// A node is pending until everything it depends on has been completed, then ready until it is taken, then taken until
/// it is completed. Not thread-safe; feeders of different ranks are independent of one another. Takes 6 bytes per node.
class ORRERY_API Feeder {
 public:
  /// `workload` must outlive the feeder; it may be moved. An Error if there is no such rank.
  static Result<Feeder> make(const Workload& workload, std::size_t rank,
                             Dependencies dependencies = Dependencies::data_and_control);

  Feeder(Feeder&&) noexcept;
  Feeder& operator=(Feeder&&) noexcept;
  ~Feeder();

  [[nodiscard]] bool has_ready() const;
  /// Takes the ready node with the lowest id, if there is one. O(log64 nodes).
  std::optional<Node> next_ready();
  /// A taken node becomes ready again: there was no room for it. An Error if it is not taken.
  Status push_back(const Node& node);
  Status push_back(std::uint64_t id);
  /// A taken node is over; what waited for it alone becomes ready. In any order among taken nodes. An Error if the node
  /// is not taken, or was completed before.
  Status complete(const Node& node);
  Status complete(std::uint64_t id);

  /// The node with this id, in whatever state it is.
  [[nodiscard]] std::optional<Node> lookup(std::uint64_t id) const;
  /// Nodes that are not completed. When it is 0, all is done.
  [[nodiscard]] std::size_t remaining() const;

 private:
  struct State;
  explicit Feeder(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace orrery::api
