#include "analyze/hang/mismatch.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace orrery::analyze {
namespace {

constexpr std::int64_t kFits = -2;  // the whole is as many parts as there are members

/// Those who called one thing, in the order of the group.
using Parties = std::map<CallSignature, std::vector<const MemberCalls*>>;

std::optional<std::int64_t> lowest_not_done(const JobCalls& job, std::uint32_t group) {
  std::optional<std::int64_t> lowest;
  for (const MemberCalls& member : job.members[group]) {
    const std::vector<RecordedCall>& calls = job.ranks[member.rank].calls;
    // What is done comes before what is not, but for calls that run side by side: from the end to the first done.
    for (const std::uint32_t call : member.calls) {
      if (calls[call].state == CallState::done) continue;
      lowest = std::min(lowest.value_or(calls[call].number), calls[call].number);
      break;
    }
  }
  return lowest;
}

/// What the others call at this number in groups that serve the same purpose.
std::set<CallSignature> calls_of_alike(const JobCalls& job, std::uint32_t group, std::int64_t number) {
  std::set<CallSignature> alike;
  const std::string& description = job.groups[group].description;
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    if (g == group || job.groups[g].description != description) continue;
    for (const MemberCalls& member : job.members[g]) {
      if (const RecordedCall* const call = job.find(member, number)) alike.insert(signature_of(job, *call));
    }
  }
  return alike;
}

/// Whether the member made this call after its call before at an earlier time, too.
bool followed_before(const JobCalls& job, const MemberCalls& member, std::int64_t number) {
  const std::vector<RecordedCall>& calls = job.ranks[member.rank].calls;
  const auto signature = [&](std::size_t i) { return signature_of(job, calls[member.calls[i]]); };
  std::size_t at = 0;
  while (at < member.calls.size() && calls[member.calls[at]].number < number) ++at;
  if (at == 0 || at >= member.calls.size()) return false;
  const CallSignature before = signature(at - 1), call = signature(at);
  for (std::size_t i = 1; i < at; ++i) {
    if (signature(i - 1) == before && signature(i) == call) return true;
  }
  return false;
}

/// Those of `parties` that `is_right` does not hold for, if it holds for some and not for others.
template <typename IsRight>
std::vector<const MemberCalls*> wrong_ones(const Parties& parties, const IsRight& is_right) {
  std::vector<const MemberCalls*> wrong;
  bool any_right = false;
  for (const auto& [signature, party] : parties) {
    for (const MemberCalls* const member : party) {
      if (is_right(signature, *member)) any_right = true;
      else wrong.push_back(member);
    }
  }
  if (!any_right) wrong.clear();
  return wrong;
}

std::vector<const MemberCalls*> find_culprits(const JobCalls& job, std::uint32_t group, std::int64_t number,
                                              const Parties& parties) {
  std::size_t largest = 0, largest_count = 0;
  for (const auto& [signature, party] : parties) {
    if (party.size() > largest) largest = party.size(), largest_count = 0;
    largest_count += party.size() == largest ? 1 : 0;
  }
  if (largest_count == 1)
    return wrong_ones(parties, [&](const CallSignature& signature, const MemberCalls&) {
      return parties.at(signature).size() == largest;
    });
  const std::set<CallSignature> alike = calls_of_alike(job, group, number);
  auto wrong = wrong_ones(
      parties, [&](const CallSignature& signature, const MemberCalls&) { return alike.contains(signature); });
  if (!wrong.empty()) return wrong;
  wrong = wrong_ones(
      parties, [&](const CallSignature&, const MemberCalls& member) { return followed_before(job, member, number); });
  if (!wrong.empty()) return wrong;
  for (const auto& [signature, party] : parties) wrong.insert(wrong.end(), party.begin(), party.end());
  return wrong;
}

Difference basic_difference(const CallSignature& a, const CallSignature& b) {
  if (a.what != b.what) return Difference::op;
  return a.in_elements != b.in_elements || a.out_elements != b.out_elements ? Difference::size : Difference::dtype;
}

/// What a member called from this number on.
std::vector<CallSignature> list_from(const JobCalls& job, const MemberCalls& member, std::int64_t number) {
  std::vector<CallSignature> list;
  for (const std::uint32_t call : member.calls) {
    const RecordedCall& made = job.ranks[member.rank].calls[call];
    if (made.number >= number) list.push_back(signature_of(job, made));
  }
  return list;
}

/// Whether `list` is `longer` without its first; as far as both go, which has to be one call at least.
bool is_without_first(const std::vector<CallSignature>& list, const std::vector<CallSignature>& longer) {
  const std::size_t common = longer.empty() ? 0 : std::min(list.size(), longer.size() - 1);
  return common > 0 && std::equal(list.begin(), list.begin() + static_cast<std::ptrdiff_t>(common), longer.begin() + 1);
}

Difference find_difference(const JobCalls& job, const MemberCalls& culprit, const MemberCalls& other,
                           std::int64_t number, Difference basic) {
  const std::vector<CallSignature> own = list_from(job, culprit, number), others = list_from(job, other, number);
  // Two that are exchanged also look like one left out, if nothing follows them.
  if (own.size() > 1 && others.size() > 1 && own[0] == others[1] && own[1] == others[0]) return Difference::order;
  if (is_without_first(own, others)) return Difference::skipped;
  if (is_without_first(others, own)) return Difference::extra;
  return basic;
}

std::optional<Mismatch> mismatch_of(const JobCalls& job, std::uint32_t group, std::int64_t& called_ns) {
  const std::optional<std::int64_t> number = lowest_not_done(job, group);
  if (!number) return std::nullopt;
  Parties parties;
  called_ns = std::numeric_limits<std::int64_t>::max();
  for (const MemberCalls& member : job.members[group]) {
    const RecordedCall* const call = job.find(member, *number);
    if (call == nullptr) continue;
    parties[signature_of(job, *call)].push_back(&member);
    called_ns = std::min(called_ns, call->called_ns);
  }
  if (parties.size() < 2) return std::nullopt;
  const std::vector<const MemberCalls*> culprits = find_culprits(job, group, *number, parties);
  const auto is_culprit = [&](const MemberCalls* member) {
    return std::find(culprits.begin(), culprits.end(), member) != culprits.end();
  };
  Mismatch mismatch{.group = group, .number = *number, .culprits = {}, .expected = {}, .found = {}};
  for (const MemberCalls* const culprit : culprits) mismatch.culprits.push_back(job.ranks[culprit->rank].rank);
  std::sort(mismatch.culprits.begin(), mismatch.culprits.end());
  // What is right is what the largest party of the others called; of all who differ, what the first of them called.
  const MemberCalls* right = nullptr;
  std::size_t size = 0;
  for (const auto& [signature, party] : parties) {
    for (const MemberCalls* const member : party) {
      if (is_culprit(member) || party.size() <= size) continue;
      right = member;
      size = party.size();
    }
  }
  const MemberCalls* wrong = culprits.front();
  if (right == nullptr) right = culprits.front(), wrong = culprits.back();
  mismatch.expected = *job.find(*right, *number);
  mismatch.found = *job.find(*wrong, *number);
  mismatch.basic = basic_difference(signature_of(job, mismatch.expected), signature_of(job, mismatch.found));
  mismatch.difference =
      culprits.size() == 1 ? find_difference(job, *wrong, *right, *number, mismatch.basic) : mismatch.basic;
  return mismatch;
}

}  // namespace

std::string_view identifier(Difference difference) {
  switch (difference) {
    case Difference::op: return "op";
    case Difference::size: return "size";
    case Difference::dtype: return "dtype";
    case Difference::skipped: return "skipped";
    case Difference::extra: return "extra";
    case Difference::order: return "order";
  }
  return "";
}

CallSignature signature_of(const JobCalls& job, const RecordedCall& call) {
  CallSignature signature{call.what, call.in_elements, call.out_elements, call.in_type, call.out_type};
  const std::string_view what = job.text(call.what);
  const auto has = [&](std::string_view part) { return what.find(part) != std::string_view::npos; };
  const auto members = static_cast<std::int64_t>(job.groups[call.group].ranks.size());
  const auto holds = [&](std::int64_t whole, std::int64_t part) {
    std::int64_t product = 0;
    return part >= 0 && !__builtin_mul_overflow(part, members, &product) && product == whole;
  };
  if (has("all_gather") || has("allgather") || has("ALLGATHER")) {
    if (holds(call.out_elements, call.in_elements)) signature.out_elements = kFits;
  } else if (has("reduce_scatter")) {
    if (holds(call.in_elements, call.out_elements)) signature.in_elements = kFits;
  } else if (has("all_to_all") || has("alltoall") || has("gather") || has("scatter")) {
    signature.in_elements = signature.out_elements = kSizeUnknown;
  }
  return signature;
}

std::optional<Mismatch> find_mismatch(const JobCalls& job) {
  std::optional<Mismatch> first;
  std::int64_t first_called_ns = 0;
  for (std::uint32_t g = 0; g < job.groups.size(); ++g) {
    std::int64_t called_ns = 0;
    std::optional<Mismatch> found = mismatch_of(job, g, called_ns);
    if (!found || (first && first_called_ns <= called_ns)) continue;
    first = std::move(found);
    first_called_ns = called_ns;
  }
  return first;
}

}  // namespace orrery::analyze
