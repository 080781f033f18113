#include "motif/flow_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <utility>

#include "base/numbers.h"

// A tree is written as named blocks from the outside in, and read back by names. Every block is used exactly once,
// which keeps a file a tree: nothing can be recursive, and no small file can unfold into a large flow.

namespace orrery::motif {
namespace {

constexpr std::string_view kEndName = "end";
constexpr std::uint32_t kMostInRange = 100'000;  // "1..4000000000" must not fill a memory

// ---- out ----

std::uint32_t first_site(const Flow& flow) {
  if (flow.kind == Flow::Kind::call) return flow.site;
  return flow.parts.empty() ? 0 : first_site(flow.parts.front());
}

class FlowSpeller {
 public:
  std::vector<BlockText> spell(const Flow& flow) {
    block(flow, "main");
    return std::move(blocks_);
  }

 private:
  std::string unused_name(std::string_view kind, const Flow& flow) {
    // Called by its first call site; a second block that begins there gets a number.
    const std::string plain = fmt::format("{}{}", kind, first_site(flow));
    std::string name = plain;
    for (int twin = 2; !names_.insert(name).second; ++twin) name = fmt::format("{}_{}", plain, twin);
    return name;
  }

  /// A block of its own for `flow`; its place is taken before those of its parts, so that the file reads from the
  /// outside in.
  void block(const Flow& flow, const std::string& name) {
    const std::size_t place = blocks_.size();
    blocks_.push_back({.name = name});
    if (flow.kind == Flow::Kind::chain) return chain(flow, place);
    std::string content;
    if (flow.kind == Flow::Kind::call) content = fmt::format("{}", flow.site);
    else content = line(flow.parts);
    if (flow.kind == Flow::Kind::loop) blocks_[place].trips = flow.trips.text();
    if (!content.empty()) blocks_[place].content = std::move(content);
  }

  void chain(const Flow& flow, std::size_t place) {
    std::vector<std::string> names;
    for (const Flow& part : flow.parts)
      names.push_back(unused_name(part.kind == Flow::Kind::chain ? "choice" : "block", part));
    for (const ChainStep& step : flow.steps) {
      StepText text{.next = step.next == ChainStep::kEnd ? std::string(kEndName) : names[step.next],
                    .times = step.times.text()};
      if (!step.context.empty()) {
        text.after = names[step.context.front()];
        for (std::size_t i = 1; i < step.context.size(); ++i) *text.after += " " + names[step.context[i]];
      }
      blocks_[place].steps.push_back(std::move(text));
    }
    for (std::size_t i = 0; i < flow.parts.size(); ++i) block(flow.parts[i], names[i]);
  }

  /// "1..24 loop47 50".
  std::string line(const std::vector<Flow>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!text.empty()) text += ' ';
      if (parts[i].kind != Flow::Kind::call) {
        const bool is_chain = parts[i].kind == Flow::Kind::chain;
        const std::string name = unused_name(is_chain                            ? "choice"
                                             : parts[i].kind == Flow::Kind::loop ? "loop"
                                                                                 : "block",
                                             parts[i]);
        text += name;
        block(parts[i], name);
        continue;
      }
      // Three sites in a row, or more, are written as a range.
      std::size_t last = i;
      while (last + 1 < parts.size() && parts[last + 1].kind == Flow::Kind::call &&
             parts[last + 1].site == parts[last].site + 1)
        ++last;
      text += last > i + 1 ? fmt::format("{}..{}", parts[i].site, parts[last].site) : fmt::format("{}", parts[i].site);
      if (last > i + 1) i = last;
    }
    return text;
  }

  std::vector<BlockText> blocks_;
  std::set<std::string> names_ = {"main", std::string(kEndName)};
};

// ---- in ----

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::optional<std::uint32_t> site_number(std::string_view word) {
  const auto number = parse_number<std::uint32_t>(word);
  return number && *number != 0 ? number : std::nullopt;
}

int levels_of(const Flow& flow) {
  int deepest = 0;
  for (const Flow& part : flow.parts) deepest = std::max(deepest, levels_of(part));
  return deepest + (flow.kind == Flow::Kind::loop || flow.kind == Flow::Kind::chain ? 1 : 0);
}

class FlowParser {
 public:
  FlowParser(const std::vector<BlockText>& blocks, const std::string& path) : blocks_(blocks), path_(path) {}

  std::optional<machine::Violation> parse(Flow& flow) {
    if (blocks_.empty()) return machine::Violation{path_, "must have a block"};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].name == kEndName || site_number(blocks_[i].name))
        return machine::Violation{item(i) + ".name",
                                  fmt::format("must not be '{}', which means something else", blocks_[i].name)};
      if (!places_.emplace(blocks_[i].name, i).second)
        return machine::Violation{item(i) + ".name", fmt::format("'{}' is the name of two blocks", blocks_[i].name)};
    }
    flow = block(0);
    if (violation_) return violation_;
    if (levels_of(flow) > kDeepestFlow)
      return machine::Violation{path_,
                                fmt::format("has more than {} loops and chains inside one another", kDeepestFlow)};
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (!used_.contains(i))
        return machine::Violation{item(i), fmt::format("('{}') is used nowhere", blocks_[i].name)};
    }
    return std::nullopt;
  }

 private:
  struct Depth {
    explicit Depth(int& count) : depth(count) { ++depth; }
    ~Depth() { --depth; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;
    int& depth;
  };

  [[nodiscard]] std::string item(std::size_t place) const { return fmt::format("{}[{}]", path_, place); }

  Flow block(std::size_t place) {
    Flow flow;
    // A block that is used twice is allowed once only: two uses of blocks of two uses ... would grow without bound, as
    // would a cycle.
    if (!used_.insert(place).second) return fail(place, "is used more than once", "give each use a block of its own");
    const BlockText& text = blocks_[place];
    const Depth deeper(depth_);
    // A block without trips is a name and not a level, but a parser that calls itself must end all the same.
    // Names may be nested beside levels: twice the depth is room enough.
    if (depth_ > 2 * kDeepestFlow) return fail(place, fmt::format("is nested more than {} deep", 2 * kDeepestFlow));
    if (!text.steps.empty()) {
      if (text.content || text.trips)
        return fail(place, "has steps, and 'do' or 'trips' too", "a chain goes into a block of its own");
      return chain(place);
    }
    if (!text.content) return fail(place, "has neither 'do' nor 'steps'");
    flow.kind = Flow::Kind::sequence;
    if (text.trips) {
      flow.kind = Flow::Kind::loop;
      flow.trips = formula(*text.trips, item(place) + ".trips");
    }
    for (const std::string& word : words_of(*text.content)) part(place, word, flow);
    return flow;
  }

  void part(std::size_t place, const std::string& word, Flow& into) {
    if (violation_) return;
    const std::size_t dots = word.find("..");
    const auto first = site_number(std::string_view(word).substr(0, dots));
    if (first && dots == std::string::npos) return into.parts.push_back(call(*first));
    if (first) {
      const auto last = site_number(std::string_view(word).substr(dots + 2));
      if (!last || *last < *first || *last - *first > kMostInRange) {
        fail(place, fmt::format("has '{}', which is no range of sites", word));
        return;
      }
      for (std::uint32_t site = *first; site <= *last; ++site) into.parts.push_back(call(site));
      return;
    }
    const auto found = places_.find(word);
    if (found == places_.end()) {
      fail(place, fmt::format("names '{}', which is no block", word));
      return;
    }
    Flow inner = block(found->second);
    // A block without trips is a name for a part of a line, no more.
    if (inner.kind == Flow::Kind::sequence) into.parts.insert(into.parts.end(), inner.parts.begin(), inner.parts.end());
    else into.parts.push_back(std::move(inner));
  }

  static Flow call(std::uint32_t site) {
    Flow flow;
    flow.kind = Flow::Kind::call;
    flow.site = site;
    return flow;
  }

  Flow chain(std::size_t place) {
    Flow flow;
    flow.kind = Flow::Kind::chain;
    std::map<std::string, std::uint32_t> numbers;
    const auto number_of = [&](const std::string& name) {
      const auto known = numbers.find(name);
      if (known != numbers.end()) return known->second;
      const auto found = places_.find(name);
      if (found == places_.end()) {
        fail(place, fmt::format("names '{}', which is no block", name));
        return ChainStep::kEnd;
      }
      Flow part = block(found->second);
      // A block of a single part is that part: only its name was needed.
      if (part.kind == Flow::Kind::sequence && part.parts.size() == 1) {
        Flow only = std::move(part.parts.front());
        part = std::move(only);
      }
      flow.parts.push_back(std::move(part));
      return numbers.emplace(name, static_cast<std::uint32_t>(flow.parts.size() - 1)).first->second;
    };
    for (std::size_t i = 0; i < blocks_[place].steps.size() && !violation_; ++i) {
      const StepText& text = blocks_[place].steps[i];
      ChainStep step;
      if (text.after) {
        for (const std::string& word : words_of(*text.after)) step.context.push_back(number_of(word));
      }
      if (text.next != kEndName) step.next = number_of(text.next);
      step.times = formula(text.times, fmt::format("{}.steps[{}].times", item(place), i));
      flow.steps.push_back(std::move(step));
    }
    return flow;
  }

  Formula formula(const std::string& text, const std::string& field) {
    auto parsed = Formula::parse(text);
    if (parsed) return std::move(*parsed);
    if (!violation_) violation_ = machine::Violation{field, parsed.error().message, parsed.error().hint};
    return {};
  }
  Flow fail(std::size_t place, std::string message, std::string hint = {}) {
    if (!violation_)
      violation_ =
          machine::Violation{item(place), fmt::format("('{}') {}", blocks_[place].name, message), std::move(hint)};
    return {};
  }

  const std::vector<BlockText>& blocks_;
  std::string path_;
  std::map<std::string, std::size_t> places_;
  std::set<std::size_t> used_;
  int depth_ = 0;
  std::optional<machine::Violation> violation_;
};

}  // namespace

std::vector<BlockText> flow_text(const Flow& flow) { return FlowSpeller().spell(flow); }

std::optional<machine::Violation> parse_flow(const std::vector<BlockText>& blocks, const std::string& path,
                                             Flow& flow) {
  return FlowParser(blocks, path).parse(flow);
}

}  // namespace orrery::motif
