// Who may meet whom: the communicators that ranks are members of and the channels that face one another. It follows
// from what programs announce (ProgramStructure), before any of their activities is known; workload/matching.h has the
// rules for the activities themselves.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "workload/program_lines.h"
#include "workload/workload.h"

namespace orrery::workload {

/// All ranks, a group of the workload or one group of a role, as far as anything runs on it.
struct Communicator {
  StringId name = 0;
  std::span<const std::uint32_t> ranks;  ///< into the Workload or the Membership
  bool is_role = false;                  ///< then roots are places in the group, not ranks
};

class Membership {
 public:
  static constexpr std::uint32_t kNoRank = ~std::uint32_t{0};

  /// `structures`: by program of `job`, whose own programs are not looked at. An Error if roles or groups of the job,
  /// or the program of a rank, cannot be. `job` must outlive this. O(ranks x roles + members of groups + ranks x
  /// channels).
  static Result<Membership> of(const Workload& job, std::vector<ProgramStructure> structures);

  /// What can be wrong before there are activities: a rank in a group that is not known or does not list it, a member
  /// that takes no part, a message to a rank that is not there, one that nobody receives or sends.
  [[nodiscard]] Status check() const;

  [[nodiscard]] const Workload& job() const { return *job_; }
  [[nodiscard]] const ProgramStructure& structure(std::uint32_t rank) const {
    return structures_[job_->program_of_rank[rank]];
  }
  [[nodiscard]] std::span<const ProgramStructure> structures() const { return structures_; }

  /// All ranks first, then Workload::groups in order, then the groups of each role.
  [[nodiscard]] std::span<const Communicator> communicators() const { return communicators_; }
  /// Of a stream of a rank's program: into communicators(); kNoLine if it is in none.
  [[nodiscard]] std::uint32_t communicator_number(std::uint32_t rank, std::uint32_t stream) const {
    return communicator_of_[first_stream_[rank] + stream];
  }
  /// "all ranks", "group "2"", "role "tensor"".
  [[nodiscard]] std::string name_of(const Communicator& communicator) const;

  /// The rank that messages of a channel go to or come from; kNoRank for any.
  [[nodiscard]] std::uint32_t peer(std::uint32_t rank, const ChannelKey& channel) const;
  /// The channel of the peer (not any) on the other end, into its structure; kNoLine if it has none.
  [[nodiscard]] std::uint32_t facing(std::uint32_t rank, const ChannelKey& channel) const;
  /// Whether the rank takes messages in the order in which receives are posted.
  [[nodiscard]] bool takes_as_posted(std::uint32_t rank) const { return takes_as_posted_[rank]; }
  /// Whether any rank does.
  [[nodiscard]] bool has_wildcards() const { return has_wildcards_; }

 private:
  explicit Membership(const Workload& job) : job_(&job) {}
  Status add_communicators();
  Status add_groups(const Role& role);
  Status add(Communicator communicator);
  void find_wildcards();
  [[nodiscard]] Status check_rank_channels(std::uint32_t rank) const;

  const Workload* job_;
  std::vector<ProgramStructure> structures_;
  std::vector<std::uint32_t> all_ranks_;
  std::vector<std::vector<std::uint32_t>> role_groups_;
  std::vector<Communicator> communicators_;
  std::vector<std::uint64_t> first_stream_;     // per rank, and the total
  std::vector<std::uint32_t> communicator_of_;  // by first_stream_ and stream
  std::vector<bool> takes_as_posted_;           // per rank
  bool has_wildcards_ = false;
};

/// An Error if there are too many ranks, or a role does not divide them.
Status check_roles(const Workload& job);

}  // namespace orrery::workload
