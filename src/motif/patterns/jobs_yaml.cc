#include "motif/patterns/jobs_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/numbers.h"
#include "base/suggest.h"
#include "machine/yaml/yaml_tree.h"
#include "motif/patterns/catalog.h"
#include "report/counted.h"

// One pass over the file. A job takes its nodes when it is read, so that later ones get what is left; each of its
// motifs is then made for as many ranks as it has nodes.

namespace orrery::motif {
namespace {

using machine::yaml_error;
using machine::YamlNode;

class JobsReader {
 public:
  JobsReader(std::string file, std::uint32_t nodes, std::span<const PatternInfo> catalog)
      : file_(std::move(file)), catalog_(catalog), taken_(nodes, false) {}

  Result<std::vector<MotifJob>> read(const YamlNode& root) {
    if (const Status known = check_keys(root, "the file", {"format", "jobs"}); !known) return known.error();
    const YamlNode* const format = root.find("format");
    if (format == nullptr || format->text != kJobsFormat)
      return yaml_error(file_, root.line, fmt::format("'format: {}' is wanted", kJobsFormat));
    const YamlNode* const jobs = root.find("jobs");
    if (jobs == nullptr || jobs->kind != YamlNode::Kind::sequence || jobs->children.empty())
      return yaml_error(file_, root.line, "'jobs' is a list of at least one job");
    std::vector<MotifJob> result;
    for (const YamlNode& job : jobs->children) {
      auto read = read_job(job, result.size());
      if (!read) return read.error();
      // Names tell jobs apart in the results.
      const auto same =
          std::find_if(result.begin(), result.end(), [&](const MotifJob& other) { return other.name == read->name; });
      if (same != result.end()) return yaml_error(file_, job.line, fmt::format("two jobs are called '{}'", read->name));
      result.push_back(std::move(*read));
    }
    return result;
  }

 private:
  Status check_keys(const YamlNode& node, std::string_view what, std::initializer_list<std::string_view> known) const {
    if (node.kind != YamlNode::Kind::mapping) return yaml_error(file_, node.line, fmt::format("{} is a mapping", what));
    for (const YamlNode& child : node.children) {
      if (std::find(known.begin(), known.end(), child.key) != known.end()) continue;
      const std::string_view meant = nearest_word(child.key, std::span(known.begin(), known.size()));
      return yaml_error(file_, child.key_line, fmt::format("unknown key '{}'", child.key),
                        meant.empty() ? fmt::format("known keys: {}", fmt::join(known, ", "))
                                      : fmt::format("did you mean '{}'?", meant));
    }
    return {};
  }

  Result<MotifJob> read_job(const YamlNode& node, std::size_t number) {
    if (const Status known = check_keys(node, "a job", {"name", "nodes", "count", "motifs"}); !known)
      return known.error();
    MotifJob job;
    job.name = node.find("name") != nullptr ? node.find("name")->text : fmt::format("job {}", number);
    if (job.name.empty()) return yaml_error(file_, node.line, "a name is not empty");
    if (const Status placed = place(node, job); !placed) return placed.error();
    const YamlNode* const motifs = node.find("motifs");
    if (motifs == nullptr || motifs->kind != YamlNode::Kind::sequence || motifs->children.empty())
      return yaml_error(file_, node.line, "'motifs' is a list of at least one motif");
    for (const YamlNode& motif : motifs->children) {
      auto pattern = read_pattern(motif, static_cast<std::uint32_t>(job.nodes.size()));
      if (!pattern) return pattern.error();
      job.patterns.push_back(std::move(*pattern));
    }
    return job;
  }

  /// nodes: "0-31, 64": those; count: 32: the first that are free.
  Status place(const YamlNode& node, MotifJob& job) {
    const YamlNode *const nodes = node.find("nodes"), *const count = node.find("count");
    // One of the two: both may contradict, and without either nobody knows.
    if ((nodes == nullptr) == (count == nullptr)) return yaml_error(file_, node.line, "a job says 'nodes' or 'count'");
    if (count != nullptr) {
      std::uint32_t wanted = 0;
      if (!number_of(count->text, wanted) || wanted == 0)
        return yaml_error(file_, count->line, fmt::format("'{}' is no number of nodes", count->text));
      // In the order of numbers, so that the same file always gives the same places.
      for (std::uint32_t rank = 0; rank < taken_.size() && job.nodes.size() < wanted; ++rank)
        if (!taken_[rank]) job.nodes.push_back(rank);
      if (job.nodes.size() < wanted)
        return yaml_error(file_, count->line,
                          fmt::format("{} wanted, and {} are free", report::counted(wanted, "node is", "nodes are"),
                                      job.nodes.size()));
    } else if (const Status listed = list_nodes(*nodes, job.nodes); !listed) {
      return listed;
    }
    for (const std::uint32_t rank : job.nodes) {
      if (rank >= taken_.size())
        return yaml_error(file_, node.line, fmt::format("node {}: there are {}", rank, taken_.size()));
      if (taken_[rank]) return yaml_error(file_, node.line, fmt::format("node {} is taken already", rank));
      taken_[rank] = true;
    }
    return {};
  }

  static bool number_of(std::string_view text, std::uint32_t& number) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return parse_number(text, number);
  }

  Status list_nodes(const YamlNode& node, std::vector<std::uint32_t>& nodes) const {
    std::vector<std::string_view> ranges;
    // As a list of YAML, or as a text with commas.
    for (const YamlNode& child : node.children) ranges.emplace_back(child.text);
    for (std::string_view rest = node.text; !rest.empty();) {
      ranges.push_back(rest.substr(0, rest.find(',')));
      rest.remove_prefix(std::min(ranges.back().size() + 1, rest.size()));
    }
    for (const std::string_view range : ranges) {
      std::uint32_t first = 0, last = 0;
      const std::size_t dash = range.find('-');
      const bool fits = number_of(range.substr(0, dash), first) &&
                        (dash == std::string_view::npos || number_of(range.substr(dash + 1), last));
      if (dash == std::string_view::npos) last = first;
      if (!fits || last < first || last >= taken_.size())
        return yaml_error(file_, node.line, fmt::format("'{}' are no nodes from 0 to {}", range, taken_.size() - 1));
      for (std::uint32_t rank = first; rank <= last; ++rank) nodes.push_back(rank);
    }
    if (nodes.empty()) return yaml_error(file_, node.line, "a job has at least one node");
    return {};
  }

  Result<Pattern> read_pattern(const YamlNode& node, std::uint32_t ranks) const {
    if (const Status known = check_keys(node, "a motif", {"motif", "set"}); !known) return known.error();
    const YamlNode* const name = node.find("motif");
    if (name == nullptr) return yaml_error(file_, node.line, "'motif' is the name of one");
    Settings settings;
    if (const YamlNode* const set = node.find("set")) {
      if (set->kind != YamlNode::Kind::mapping) return yaml_error(file_, set->line, "'set' is a mapping of parameters");
      for (const YamlNode& child : set->children) settings.emplace_back(child.key, child.text);
    }
    auto pattern = make_pattern(name->text, settings, ranks, catalog_);
    if (!pattern) return yaml_error(file_, node.line, pattern.error().message, pattern.error().hint);
    return pattern;
  }

  std::string file_;
  std::span<const PatternInfo> catalog_;
  std::vector<bool> taken_;  // by node
};

}  // namespace

// The first lines are enough: the format stands at the top.
bool looks_like_jobs(std::string_view text) { return text.substr(0, 4096).find(kJobsFormat) != std::string_view::npos; }

Result<std::vector<MotifJob>> parse_jobs(std::string_view yaml, const std::string& file, std::uint32_t nodes,
                                         std::span<const PatternInfo> catalog) {
  const auto root = machine::parse_yaml(yaml, file);
  if (!root) return root.error();
  return JobsReader(file, nodes, catalog).read(*root);
}

}  // namespace orrery::motif
