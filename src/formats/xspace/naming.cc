#include "formats/xspace/naming.h"

#include <algorithm>
#include <array>

#include "base/numbers.h"

namespace orrery::xspace {
namespace {

struct Spelling {
  std::string_view written;
  std::string_view kind;
};

// Longer spellings before those they begin with.
constexpr Spelling kOperations[] = {{"all-reduce", "allreduce"},
                                    {"all-gather", "all_gather"},
                                    {"reduce-scatter", "reduce_scatter"},
                                    {"ragged-all-to-all", "all_to_all"},
                                    {"all-to-all", "all_to_all"},
                                    {"collective-permute", "collective_permute"},
                                    {"collective-broadcast", "broadcast"},
                                    {"send", "send"},
                                    {"recv", "recv"}};
constexpr Spelling kKernels[] = {{"AllReduce", "allreduce"},          {"AllGather", "all_gather"},
                                 {"ReduceScatter", "reduce_scatter"}, {"AllToAll", "all_to_all"},
                                 {"Broadcast", "broadcast"},          {"Reduce", "reduce"},
                                 {"SendRecv", "collective_permute"}};

std::optional<std::int64_t> number_at(std::string_view text, std::size_t at) {
  const auto value = leading_number<std::int64_t>(text.substr(std::min(at, text.size())));
  return value && *value >= 0 ? value : std::nullopt;
}

bool ends_name(std::string_view rest) {
  return rest.empty() || rest.front() == '.' || rest.front() == ' ' || rest.front() == '(';
}

CollectiveName collective_operation(std::string_view name) {
  if (name.starts_with('%')) name.remove_prefix(1);
  for (const Spelling& spelling : kOperations) {
    if (!name.starts_with(spelling.written)) continue;
    std::string_view rest = name.substr(spelling.written.size());
    if (ends_name(rest)) {
      // A bare "send" or "recv" on a host thread may be anything; HLO numbers its operations.
      const bool ambiguous = spelling.written.size() == 4 && !rest.starts_with('.');
      return ambiguous ? CollectiveName{} : CollectiveName{spelling.kind, CollectivePart::whole};
    }
    if (!rest.starts_with("-start")) return {};
    rest.remove_prefix(6);
    return ends_name(rest) ? CollectiveName{spelling.kind, CollectivePart::start} : CollectiveName{};
  }
  return {};
}

constexpr std::array kDerivedLines = {std::string_view("Steps"),          std::string_view("XLA Modules"),
                                      std::string_view("TensorFlow Ops"), std::string_view("TensorFlow Name Scope"),
                                      std::string_view("Framework Ops"),  std::string_view("Framework Name Scope"),
                                      std::string_view("Source code"),    std::string_view("XLA TraceMe"),
                                      std::string_view("Overlay")};

}  // namespace

std::string_view original_plane_name(std::string_view name) {
  if (name.starts_with(kMergedPlanePrefix)) {
    const std::size_t slash = name.find('/', kMergedPlanePrefix.size());
    return slash == std::string_view::npos ? name : name.substr(slash);
  }
  const std::size_t suffix = name.rfind(" (node ");
  return suffix == std::string_view::npos || !name.ends_with(')') ? name : name.substr(0, suffix);
}

LineKind line_kind(std::string_view plane_name, std::string_view line_name) {
  plane_name = original_plane_name(plane_name);
  if (!plane_name.starts_with("/device:"))
    return line_name.starts_with("Host Threads/") ? LineKind::host_api : LineKind::host;
  if (line_name.starts_with("Stream #")) return LineKind::stream;
  if (line_name.starts_with("Async XLA Ops")) return LineKind::device_async;
  const bool is_gpu = plane_name.starts_with("/device:GPU");
  if (line_name == "XLA Ops") return is_gpu ? LineKind::device_derived : LineKind::device_ops;
  const bool derived = std::find(kDerivedLines.begin(), kDerivedLines.end(), line_name) != kDerivedLines.end();
  return derived ? LineKind::device_derived : LineKind::device_other;
}

std::optional<std::int64_t> device_number(std::string_view plane_name) {
  if (!plane_name.starts_with("/device:")) return std::nullopt;
  const std::size_t colon = plane_name.find(':', 8);
  return colon == std::string_view::npos ? std::nullopt : number_at(plane_name, colon + 1);
}

CollectiveName collective_of(std::string_view event_name) {
  if (is_communication_kernel(event_name)) {
    const std::string_view rest = event_name.substr(event_name.find("ernel") + 5);
    for (const Spelling& spelling : kKernels) {
      if (rest.find(spelling.written) != std::string_view::npos) return {spelling.kind, CollectivePart::whole};
    }
    return {};
  }
  return collective_operation(event_name);
}

bool is_communication_kernel(std::string_view event_name) {
  return event_name.starts_with("ncclDevKernel") || event_name.starts_with("ncclKernel") ||
         event_name.starts_with("rcclDevKernel");
}

std::string_view operation_name(std::string_view event_name) {
  if (!event_name.starts_with('%')) return event_name;
  const std::size_t space = event_name.find(' ');
  return event_name.substr(1, space == std::string_view::npos ? space : space - 1);
}

std::string_view instruction_attribute(std::string_view text, std::string_view attribute) {
  if (!text.starts_with('%')) return {};
  std::size_t at = text.find(attribute);
  while (at != std::string_view::npos && !text.substr(at + attribute.size()).starts_with('='))
    at = text.find(attribute, at + 1);
  if (at == std::string_view::npos) return {};
  std::string_view value = text.substr(at + attribute.size() + 1);
  if (value.starts_with('"')) value.remove_prefix(1);
  std::size_t depth = 0, end = 0;
  for (; end < value.size(); ++end) {
    const char c = value[end];
    if (c == '{' || c == '[' || c == '(') ++depth;
    else if (c == '}' || c == ']' || c == ')' ? depth-- == 0 : depth == 0 && (c == ',' || c == '"' || c == ' ')) break;
  }
  return value.substr(0, end);
}

std::optional<std::int64_t> bytes_in_details(std::string_view details) {
  for (const std::string_view key : {std::string_view("size:"), std::string_view("num_bytes:")}) {
    const std::size_t at = details.find(key);
    if (at != std::string_view::npos && (at == 0 || details[at - 1] == ' ')) return number_at(details, at + key.size());
  }
  return std::nullopt;
}

bool looks_like_xspace(std::string_view first_bytes) {
  // A plane (field 1) that begins with its id, its name or a line. A JSON text may begin with a line break, which reads
  // as field 1, but then goes on with a bracket, which reads as a length, and a quote, a bracket, white space or a
  // digit: none of 08, 12 and 1A.
  if (first_bytes.size() < 2 || first_bytes[0] != '\x0A') return false;
  std::size_t at = 1;
  // A length has up to ten bytes, of which all but the last have the highest bit set.
  while (at < first_bytes.size() && at < 10 && (static_cast<unsigned char>(first_bytes[at]) & 0x80) != 0) ++at;
  if (++at >= first_bytes.size()) return first_bytes.size() == 2 && first_bytes[1] == '\0';
  if (first_bytes[at - 1] == '\0') return first_bytes[at] == '\x0A';  // an empty plane, and another
  return first_bytes[at] == '\x08' || first_bytes[at] == '\x12' || first_bytes[at] == '\x1A';
}

}  // namespace orrery::xspace
