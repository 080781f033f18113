#include <fmt/format.h>

#include <array>
#include <limits>
#include <optional>

#include "formats/chakra/reader.h"
#include "formats/chakra/schema.h"

namespace orrery::chakra {
namespace {

using graph::Activity;
using graph::ActivityKind;
using graph::Collective;
namespace activity = graph::activity;

std::optional<Collective> collective_of(std::int64_t type) {
  switch (type) {
    case comm_type::all_reduce: return Collective::all_reduce;
    case comm_type::reduce: return Collective::reduce;
    case comm_type::all_gather: return Collective::all_gather;
    case comm_type::gather: return Collective::gather;
    case comm_type::scatter: return Collective::scatter;
    case comm_type::broadcast: return Collective::broadcast;
    case comm_type::all_to_all: return Collective::all_to_all;
    case comm_type::reduce_scatter:
    case comm_type::reduce_scatter_block: return Collective::reduce_scatter;
    case comm_type::barrier: return Collective::barrier;
    default: return std::nullopt;
  }
}

enum class Meaning : std::uint8_t {
  on_host,
  operations,
  tensor_bytes,
  comm_type,
  comm_bytes,
  priority,
  source,
  target,
  root,
  tag,
  group,
  dims
};

struct KnownAttribute {
  std::string_view name;
  Meaning meaning;
};

constexpr std::array kKnown = {KnownAttribute{"is_cpu_op", Meaning::on_host},
                               KnownAttribute{"num_ops", Meaning::operations},
                               KnownAttribute{"tensor_size", Meaning::tensor_bytes},
                               KnownAttribute{"comm_type", Meaning::comm_type},
                               KnownAttribute{"comm_size", Meaning::comm_bytes},
                               KnownAttribute{"comm_priority", Meaning::priority},
                               KnownAttribute{"comm_src", Meaning::source},
                               KnownAttribute{"comm_dst", Meaning::target},
                               KnownAttribute{"comm_tag", Meaning::tag},
                               KnownAttribute{"pg_name", Meaning::group},
                               KnownAttribute{"involved_dim", Meaning::dims},
                               KnownAttribute{"root_rank", Meaning::root}};

std::string apply_integer(Meaning meaning, std::int64_t value, Activity& out) {
  const bool is_comm = out.kind == ActivityKind::send || out.kind == ActivityKind::recv || out.kind == ActivityKind::collective;
  const bool fits_32_bits = value >= std::numeric_limits<std::int32_t>::min() && value <= std::numeric_limits<std::int32_t>::max();
  switch (meaning) {
    case Meaning::on_host:
      if (value != 0) out.flags |= activity::kOnHost;
      return {};
    case Meaning::operations:
      if (value < 0) return "num_ops is negative";
      out.operations = value;
      out.flags |= activity::kHasOperations;
      return {};
    case Meaning::tensor_bytes:
    case Meaning::comm_bytes:
      if (is_comm != (meaning == Meaning::comm_bytes)) return {};
      if (value < 0) return meaning == Meaning::comm_bytes ? "comm_size is negative" : "tensor_size is negative";
      out.bytes = value;
      out.flags |= activity::kHasBytes;
      return {};
    case Meaning::comm_type: {
      if (out.kind != ActivityKind::collective) return {};
      const std::optional<Collective> collective = collective_of(value);
      if (!collective) return fmt::format("comm_type {} is unknown", value);
      out.collective = *collective;
      return {};
    }
    case Meaning::priority:
      if (!fits_32_bits) return "comm_priority does not fit 32 bits";
      out.priority = static_cast<std::int32_t>(value);
      return {};
    case Meaning::source:
    case Meaning::target:
    case Meaning::root: {
      const ActivityKind owner = meaning == Meaning::source   ? ActivityKind::recv
                                 : meaning == Meaning::target ? ActivityKind::send
                                                              : ActivityKind::collective;
      if (out.kind != owner) return {};
      if (value < 0 || !fits_32_bits) return fmt::format("{} is not a rank", value);
      out.peer = static_cast<std::int32_t>(value);
      out.flags |= activity::kHasPeer;
      return {};
    }
    case Meaning::tag:
      out.tag = value;
      out.flags |= activity::kHasTag;
      return {};
    case Meaning::group:
    case Meaning::dims: break;
  }
  return {};
}

}  // namespace

std::string apply_attribute(std::string_view name, const AttributeValue& value, Activity& activity, Interner& strings) {
  for (const KnownAttribute& known : kKnown) {
    if (known.name != name) continue;
    if (known.meaning == Meaning::group) {
      if (value.kind == AttributeValue::Kind::text)
        activity.group_name = strings.intern(value.text == "0" ? std::string_view() : value.text);
      else if (value.kind == AttributeValue::Kind::integer)
        activity.group_name = value.integer == 0 ? 0 : strings.intern(std::to_string(value.integer));
      else return "pg_name is not a text";
      return {};
    }
    if (known.meaning == Meaning::dims) {
      if (value.kind != AttributeValue::Kind::booleans) return "involved_dim is not a list of true and false";
      activity.excluded_dims = value.false_bits;
      return {};
    }
    if (value.kind != AttributeValue::Kind::integer && value.kind != AttributeValue::Kind::boolean)
      return fmt::format("{} is not a whole number", name);
    return apply_integer(known.meaning, value.integer, activity);
  }
  return {};
}

std::string finish_activity(Activity& activity) {
  const bool is_message = activity.kind == ActivityKind::send || activity.kind == ActivityKind::recv;
  if (is_message && (activity.flags & activity::kHasTag) == 0) return "a message without comm_tag";
  if (is_message && (activity.flags & activity::kHasBytes) == 0) return "a message without comm_size";
  return {};
}

}  // namespace orrery::chakra
