#include "formats/chakra/attributes.h"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <optional>

namespace orrery::chakra {
namespace {

using workload::Activity;
using workload::ActivityKind;
using workload::Collective;
namespace activity = workload::activity;
using Known = KnownAttribute;

constexpr std::array<std::string_view, static_cast<std::size_t>(Known::none)> kAttributeNames = {
    "is_cpu_op", "num_ops",  "tensor_size", "comm_type",   "comm_size",         "comm_priority",
    "comm_src",  "comm_dst", "root_rank",   "comm_tag",    "pg_name",           "involved_dim",
    "stream",    "tid",      "comm_parts",  "duration_ps", "simulated_run_time"};

bool fits_32_bits(std::int64_t value) {
  return value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
}

bool is_communication(ActivityKind kind) {
  return kind == ActivityKind::send || kind == ActivityKind::recv || kind == ActivityKind::collective;
}

std::string take_rank(Known attribute, std::int64_t value, Activity& out) {
  const ActivityKind owner = attribute == Known::source   ? ActivityKind::recv
                             : attribute == Known::target ? ActivityKind::send
                                                          : ActivityKind::collective;
  // Writers give both ends of a message; the own rank is known from the file, so the other end is what is kept.
  if (out.kind != owner) return {};
  // A receive from whoever sends has the source -1, as MPI_ANY_SOURCE has. Chakra's schema is silent about it.
  const bool from_any = attribute == Known::source && value == workload::kAnyPeer;
  if (!from_any && (value < 0 || !fits_32_bits(value))) return fmt::format("{} is not a rank", value);
  out.peer = static_cast<std::int32_t>(value);
  out.flags |= activity::kHasPeer;
  return {};
}

std::string take_integer(Known attribute, std::int64_t value, Activity& out, Vocabulary vocabulary) {
  switch (attribute) {
    case Known::on_host:
      if (value != 0) out.flags |= activity::kOnHost;
      return {};
    case Known::operations:
      if (value < 0) return "num_ops is negative";
      out.operations = value;
      out.flags |= activity::kHasOperations;
      return {};
    case Known::tensor_bytes:
    case Known::comm_bytes:
      // Both may be given: each counts where it belongs.
      if (is_communication(out.kind) != (attribute == Known::comm_bytes)) return {};
      if (value < 0) return attribute == Known::comm_bytes ? "comm_size is negative" : "tensor_size is negative";
      out.bytes = value;
      out.flags |= activity::kHasBytes;
      return {};
    case Known::comm_type: {
      // On other nodes it is left over from a writer that fills in all attributes; whether it is known does not matter
      // there.
      if (out.kind != ActivityKind::collective) return {};
      const std::optional<Collective> collective = collective_of(vocabulary, value);
      if (!collective) return fmt::format("comm_type {} is unknown", value);
      out.collective = *collective;
      return {};
    }
    case Known::priority:
      if (!fits_32_bits(value)) return "comm_priority does not fit 32 bits";
      out.priority = static_cast<std::int32_t>(value);
      return {};
    case Known::source:
    case Known::target:
    case Known::root: return take_rank(attribute, value, out);
    case Known::tag:
      out.tag = value;
      out.flags |= activity::kHasTag;
      return {};
    default: return {};
  }
}

}  // namespace

KnownAttribute known_attribute(std::string_view name) {
  // Asked for every attribute of every node: the length decides which one name is compared.
  const auto is = [&](Known attribute) {
    return name == kAttributeNames[static_cast<std::size_t>(attribute)] ? attribute : Known::none;
  };
  switch (name.size()) {
    case 3: return is(Known::thread);
    case 6: return is(Known::stream);
    case 7: return name[0] == 'n' ? is(Known::operations) : name == "runtime" ? Known::run_time : is(Known::group);
    case 8: return name[5] == 's' ? is(Known::source) : name[5] == 'd' ? is(Known::target) : is(Known::tag);
    case 9:
      if (name[0] == 'i') return is(Known::on_host);
      if (name[0] == 'r') return is(Known::root);
      return name[5] == 't' ? is(Known::comm_type) : is(Known::comm_bytes);
    case 10: return is(Known::parts);
    case 11: return name[0] == 't' ? is(Known::tensor_bytes) : is(Known::duration_ps);
    case 12: return is(Known::dims);
    case 13: return is(Known::priority);
    case 18: return is(Known::run_time);
    default: return Known::none;
  }
}

std::string NodeAttributes::resolve_numbers(Activity& activity, Vocabulary vocabulary) const {
  // These are no whole numbers, or are read elsewhere.
  constexpr std::uint32_t kOthers =
      1u << static_cast<unsigned>(Known::group) | 1u << static_cast<unsigned>(Known::dims) |
      1u << static_cast<unsigned>(Known::stream) | 1u << static_cast<unsigned>(Known::thread) |
      1u << static_cast<unsigned>(Known::run_time) | 1u << static_cast<unsigned>(Known::duration_ps) |
      1u << static_cast<unsigned>(Known::parts);
  for (std::uint32_t left = given_ & ~kOthers; left != 0; left &= left - 1) {
    const auto attribute = static_cast<Known>(std::countr_zero(left));
    const AttributeValue& value = values_[static_cast<std::size_t>(attribute)];
    if (value.kind != AttributeValue::Kind::integer && value.kind != AttributeValue::Kind::boolean)
      return fmt::format("{} is not a whole number", kAttributeNames[static_cast<std::size_t>(attribute)]);
    std::string problem = take_integer(attribute, value.integer, activity, vocabulary);
    if (!problem.empty()) return problem;
  }
  return {};
}

std::string NodeAttributes::resolve_group(Activity& activity, Interner& strings) const {
  if (const AttributeValue* group = get(Known::group)) {
    // "0" is what ASTRA-sim and PyTorch call all ranks; so is no name at all. One spelling, or they would be matched
    // apart.
    if (group->kind == AttributeValue::Kind::text)
      activity.group_name = group->text == "0" ? 0 : strings.intern(group->text);
    else if (group->kind == AttributeValue::Kind::integer)
      activity.group_name = group->integer == 0 ? 0 : strings.intern(std::to_string(group->integer));
    else return "pg_name is not a text";
  }
  if (const AttributeValue* dims = get(Known::dims)) {
    if (dims->kind != AttributeValue::Kind::booleans) return "involved_dim is not a list of true and false";
    activity.excluded_dims = dims->false_bits;
  }
  return {};
}

void NodeAttributes::resolve_lane(Activity& activity, std::uint8_t& oddities) const {
  // Converters write both on every node, and 0 for the one that does not apply.
  const AttributeValue* lane = get((activity.flags & activity::kOnHost) != 0 ? Known::thread : Known::stream);
  if (lane == nullptr || lane->kind != AttributeValue::Kind::integer) return;
  if (fits_32_bits(lane->integer)) activity.lane = static_cast<std::int32_t>(lane->integer);
  else oddities |= kNoLane;
}

std::string NodeAttributes::resolve(Activity& activity, Interner& strings, Vocabulary vocabulary,
                                    std::uint8_t& oddities) const {
  if (std::string problem = resolve_numbers(activity, vocabulary); !problem.empty()) return problem;
  if (std::string problem = resolve_group(activity, strings); !problem.empty()) return problem;
  resolve_lane(activity, oddities);
  const bool is_message = activity.kind == ActivityKind::send || activity.kind == ActivityKind::recv;
  // Chakra's converter writes messages without a tag; who reads decides whether that is an error.
  if (is_message && (activity.flags & activity::kHasTag) == 0) oddities |= kNoTag;
  if (is_message && (activity.flags & activity::kHasBytes) == 0) oddities |= kNoBytes;
  return {};
}

}  // namespace orrery::chakra
