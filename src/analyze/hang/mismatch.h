// Members of a group that called different things as the same collective.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/hang/job_calls.h"

namespace orrery::analyze {

enum class Difference : std::uint8_t {
  op,
  size,
  dtype,
  skipped,  ///< the culprit left out a call that the others made
  extra,    ///< it made one that they did not
  order,    ///< it exchanged two
};
std::string_view identifier(Difference difference);

struct Mismatch {
  std::uint32_t group = 0;
  std::int64_t number = 0;
  std::vector<std::int64_t> culprits;  ///< ascending
  Difference basic = Difference::op;   ///< op, size or dtype: how the two calls differ
  Difference difference = Difference::op;
  RecordedCall expected, found;
};

/// What all members of a collective have to agree on. Sizes as far as its kind asks for it: of all_to_all, gather and
/// scatter none; of all_gather and reduce_scatter one part, if the whole has as many parts as there are members.
struct CallSignature {
  StringId what = 0;
  std::int64_t in_elements = kSizeUnknown, out_elements = kSizeUnknown;
  StringId in_type = 0, out_type = 0;
  auto operator<=>(const CallSignature&) const = default;
};
CallSignature signature_of(const JobCalls& job, const RecordedCall& call);

/// In each group the calls of the lowest number that somebody has not done are compared. Culprits are those outside the
/// largest party; of equal parties those that differ from what groups of the same description call at that number, else
/// those whose call never followed their own call before, else all. Of several groups the one that was called first.
std::optional<Mismatch> find_mismatch(const JobCalls& job);

}  // namespace orrery::analyze
