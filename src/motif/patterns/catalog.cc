#include "motif/patterns/catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/suggest.h"
#include "report/counted.h"

namespace orrery::motif {
namespace {

/// "NAS-LU" and "naslu" are one.
std::string plain(std::string_view name) {
  std::string text;
  for (const char letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0)
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return text;
}

}  // namespace

const std::vector<PatternInfo>& pattern_catalog() {
  static const std::vector<PatternInfo> all = [] {
    std::vector<PatternInfo> infos;
    for (const auto family : {collective_patterns(), message_patterns(), communicator_patterns(), stream_patterns(),
                              random_patterns(), halo_patterns(), sweep_patterns(), cmt_patterns(), lattice_patterns(),
                              transform_patterns(), mesh_patterns(), triangle_patterns()}) {
      infos.insert(infos.end(), family.begin(), family.end());
    }
    return infos;
  }();
  return all;
}

const PatternInfo* find_pattern(std::string_view name, std::span<const PatternInfo> catalog) {
  const std::string wanted = plain(name);
  const auto found =
      std::find_if(catalog.begin(), catalog.end(), [&](const PatternInfo& info) { return info.name == wanted; });
  return found == catalog.end() ? nullptr : &*found;
}

Result<Pattern> make_pattern(std::string_view name, const Settings& settings, std::uint32_t ranks,
                             std::span<const PatternInfo> catalog) {
  const PatternInfo* const info = find_pattern(name, catalog);
  if (info == nullptr) {
    std::vector<std::string_view> names;
    for (const PatternInfo& known : catalog) names.push_back(known.name);
    const std::string_view meant = nearest_word(plain(name), names);
    return Error{.message = fmt::format("there is no motif '{}'", name),
                 .hint = meant.empty() ? std::string("orrery motif list") : fmt::format("did you mean '{}'?", meant)};
  }
  if (ranks < 1 || ranks > kMostRanks)
    return Error{
        fmt::format("{} on {}: from 1 to {} can be made", info->name, report::counted(ranks, "rank"), kMostRanks)};
  auto values = Values::of(info->parameters, settings);
  if (!values) {
    Error error = values.error();
    error.message = fmt::format("{}: {}", info->name, error.message);
    return error;
  }
  auto pattern = info->make(*values, ranks);
  if (!pattern) {
    Error error = pattern.error();
    error.message = fmt::format("{}: {}", info->name, error.message);
    return error;
  }
  pattern->ranks = ranks;
  if (pattern->rounds < 1) return Error{fmt::format("{}: 0 iterations are nothing to run", info->name)};
  if (pattern->rounds > kMostRounds)
    return Error{fmt::format("{}: {} rounds; up to {} can be run", info->name, pattern->rounds, kMostRounds)};
  return pattern;
}

}  // namespace orrery::motif
