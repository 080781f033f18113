#include "motif/motif_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/io/file_content.h"
#include "base/io/output_file.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "machine/yaml/field_reader.h"
#include "machine/yaml/field_writer.h"
#include "motif/flow_text.h"
#include "motif/motif.h"

// Two mirrors: a struct of texts, which one describe() per type reads and writes, and the Motif, to which texts are
// converted with every reference checked. So the file's layout is said once, and a wrong formula is told by its field.

namespace orrery::motif {

// The file as it is written: formulas as texts. Conversions to and from the value are below.

struct SiteText {
  std::int64_t id = 0;
  std::optional<std::string> call = {}, stack = {};
  Group group = Group::unknown;
  Peer peer = Peer::none;
  std::int64_t peer_offset = 0, root = 0;
  std::string bytes = {};
  std::vector<std::string> level_weights = {};
};
struct ClassText {
  std::string name = {};
  Members members = Members::all;
  std::string share = {};
  std::vector<BlockText> blocks = {};
};
struct TransitionText {
  std::int64_t from = 0, to = 0;
  std::string time_us = {}, compute_us = {};
};
struct SpreadText {
  double nodes = 0;
  std::vector<std::string> log_deviation = {};
};
struct UncertaintyText {
  double residual = 0;
  std::vector<std::string> sizes = {};
  std::vector<SpreadText> spread = {};
};
struct FitText {
  std::int64_t runs = 0;
  double fewest_nodes = 0, most_nodes = 0, smallest_size = 0, largest_size = 0, error_pct = 0, left_out_error_pct = 0;
  std::optional<std::string> times_family = {};
  std::vector<std::string> notes = {};
};
struct MotifText {
  std::string program = {};
  SizeMeaning size_meaning = SizeMeaning::exponent;
  FitText fit = {};
  UncertaintyText uncertainty = {};
  std::vector<ClassText> classes = {};
  std::vector<SiteText> sites = {};
  std::vector<TransitionText> transitions = {};
};

namespace {
constexpr machine::Range kAnyCount{0, 1e9, true};
constexpr machine::Range kAnyRank{-1e9, 1e9, true};
constexpr machine::Range kAnyNumber{0, 1e18, true};
}  // namespace

template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<SiteText> auto& value) {
  visitor.count("id", value.id, machine::Range{1, 1e9, true});
  visitor.text("call", value.call);
  visitor.expression("stack", value.stack);
  visitor.choice("group", value.group, kGroupNames, machine::Default{Group::unknown});
  visitor.choice("peer", value.peer, kPeerNames, machine::Default{Peer::none});
  visitor.count("peer_offset", value.peer_offset, kAnyRank, machine::Default<std::int64_t>{0});
  visitor.count("root", value.root, kAnyRank, machine::Default<std::int64_t>{0});
  visitor.expression("bytes", value.bytes);
  visitor.texts("level_weights", value.level_weights);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<ClassText> auto& value) {
  visitor.text("name", value.name);
  visitor.choice("members", value.members, kMembersNames);
  visitor.expression("share", value.share);
  visitor.list("blocks", value.blocks, machine::Required{});
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<TransitionText> auto& value) {
  visitor.count("from", value.from, kAnyCount);
  visitor.count("to", value.to, machine::Range{1, 1e9, true});
  visitor.expression("time_us", value.time_us);
  visitor.expression("compute_us", value.compute_us);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<SpreadText> auto& value) {
  visitor.number("nodes", value.nodes, kAnyNumber);
  visitor.texts("log_deviation", value.log_deviation);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<UncertaintyText> auto& value) {
  visitor.number("residual", value.residual, kAnyNumber);
  visitor.texts("sizes", value.sizes);
  visitor.list("spread", value.spread);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<FitText> auto& value) {
  visitor.count("runs", value.runs, kAnyCount);
  visitor.number("fewest_nodes", value.fewest_nodes, kAnyNumber);
  visitor.number("most_nodes", value.most_nodes, kAnyNumber);
  visitor.number("smallest_size", value.smallest_size, kAnyNumber);
  visitor.number("largest_size", value.largest_size, kAnyNumber);
  visitor.number("error_pct", value.error_pct, kAnyNumber);
  visitor.number("left_out_error_pct", value.left_out_error_pct, kAnyNumber);
  visitor.expression("times_family", value.times_family);
  visitor.texts("notes", value.notes);
}
template <typename Visitor>
void describe(Visitor& visitor, machine::MaybeConst<MotifText> auto& value) {
  visitor.format("format", "orrery.motif/1");
  visitor.text("program", value.program);
  visitor.choice("size_is", value.size_meaning, kSizeMeaningNames);
  visitor.object("fit", value.fit);
  visitor.object("uncertainty", value.uncertainty);
  visitor.list("classes", value.classes, machine::Required{});
  visitor.list("sites", value.sites, machine::Required{});
  visitor.list("transitions", value.transitions);
}

namespace {

// ---- out ----

// A file must have a name there, and a motif need not.
std::string or_unnamed(const std::string& name) { return name.empty() ? "unnamed" : name; }

std::vector<std::string> number_texts(const std::vector<double>& values) {
  std::vector<std::string> texts;
  texts.reserve(values.size());
  for (const double value : values) texts.push_back(fmt::format("{}", value));
  return texts;
}

MotifText text_of(const Motif& motif) {
  MotifText text{.program = or_unnamed(motif.program), .size_meaning = motif.size_meaning};
  const FitRecord& fit = motif.fit;
  text.fit = {fit.runs,         fit.fewest_nodes, fit.most_nodes,        fit.smallest_size,
              fit.largest_size, fit.error_pct,    fit.left_out_error_pct};
  if (!fit.times_family.empty()) text.fit.times_family = fit.times_family;
  text.fit.notes = fit.notes;
  const Uncertainty& uncertainty = motif.uncertainty;
  text.uncertainty = {uncertainty.residual, number_texts(uncertainty.sizes)};
  const std::size_t columns = uncertainty.sizes.size();
  for (std::size_t i = 0; i < uncertainty.nodes.size(); ++i) {
    // Rows of a table: one per number of nodes, as many values as there are sizes.
    const auto row = uncertainty.spread.begin() + static_cast<std::ptrdiff_t>(i * columns);
    text.uncertainty.spread.push_back(
        {uncertainty.nodes[i], number_texts({row, row + static_cast<std::ptrdiff_t>(columns)})});
  }
  for (const RankClass& one : motif.classes)
    text.classes.push_back({or_unnamed(one.name), one.members, one.share.text(), flow_text(one.flow)});
  for (const Site& site : motif.sites) {
    SiteText out{
        .id = site.id, .group = site.group, .peer = site.peer, .peer_offset = site.peer_offset, .root = site.root};
    if (!site.operation.empty()) out.call = site.operation;
    if (!site.stack.empty()) out.stack = site.stack;
    out.bytes = site.bytes.text();
    out.level_weights = number_texts(site.level_weights);
    text.sites.push_back(std::move(out));
  }
  for (const Transition& one : motif.transitions)
    text.transitions.push_back({one.from, one.to, one.time_us.text(), one.compute_us.text()});
  return text;
}

// ---- in ----

using machine::Violation;

std::optional<Violation> take_formula(const std::string& text, const std::string& field, Formula& formula) {
  auto parsed = Formula::parse(text);
  if (!parsed) return Violation{field, "is no formula: " + parsed.error().message, parsed.error().hint};
  formula = std::move(*parsed);
  return std::nullopt;
}

std::optional<Violation> take_numbers(const std::vector<std::string>& texts, const std::string& field,
                                      std::vector<double>& values) {
  for (const std::string& text : texts) {
    const auto value = parse_finite(text);
    // Weights and deviations are never negative.
    if (!value || *value < 0) return Violation{field, fmt::format("must be a list of numbers, found '{}'", text)};
    values.push_back(*value);
  }
  return std::nullopt;
}

std::optional<Violation> take_sites(const MotifText& text, Motif& motif) {
  for (std::size_t i = 0; i < text.sites.size(); ++i) {
    const SiteText& in = text.sites[i];
    const std::string field = fmt::format("sites[{}]", i);
    Site site{.id = static_cast<std::uint32_t>(in.id),
              .operation = in.call.value_or(""),
              .stack = in.stack.value_or(""),
              .group = in.group,
              .peer = in.peer,
              .peer_offset = in.peer_offset,
              .root = in.root};
    if (auto wrong = take_formula(in.bytes, field + ".bytes", site.bytes)) return wrong;
    if (auto wrong = take_numbers(in.level_weights, field + ".level_weights", site.level_weights)) return wrong;
    // Ascending ids make searches binary, and files comparable.
    if (!motif.sites.empty() && motif.sites.back().id >= site.id)
      return Violation{field + ".id", fmt::format("must be more than {}, the site before it", motif.sites.back().id)};
    motif.sites.push_back(std::move(site));
  }
  return std::nullopt;
}

std::optional<Violation> take_transitions(const MotifText& text, Motif& motif) {
  for (std::size_t i = 0; i < text.transitions.size(); ++i) {
    const TransitionText& in = text.transitions[i];
    const std::string field = fmt::format("transitions[{}]", i);
    Transition one{.from = static_cast<std::uint32_t>(in.from), .to = static_cast<std::uint32_t>(in.to)};
    if (auto wrong = take_formula(in.time_us, field + ".time_us", one.time_us)) return wrong;
    if (auto wrong = take_formula(in.compute_us, field + ".compute_us", one.compute_us)) return wrong;
    if (!motif.transitions.empty()) {
      const Transition& last = motif.transitions.back();
      // Sorted, as searches by halving and people who compare two files need it.
      if (std::pair(last.from, last.to) >= std::pair(one.from, one.to))
        return Violation{
            field, fmt::format("must come in the order of from and to; {} -> {} stands before it", last.from, last.to)};
    }
    motif.transitions.push_back(std::move(one));
  }
  return std::nullopt;
}

std::optional<Violation> check_sites(const Flow& flow, const Motif& motif, const std::string& field) {
  if (flow.kind == Flow::Kind::call && motif.find_site(flow.site) == nullptr)
    return Violation{field, fmt::format("calls site {}, which is not listed under sites", flow.site)};
  for (const Flow& part : flow.parts) {
    if (auto wrong = check_sites(part, motif, field)) return wrong;
  }
  return std::nullopt;
}

std::optional<Violation> take_uncertainty(const UncertaintyText& text, Uncertainty& uncertainty) {
  uncertainty.residual = text.residual;
  if (auto wrong = take_numbers(text.sizes, "uncertainty.sizes", uncertainty.sizes)) return wrong;
  for (std::size_t i = 0; i < text.spread.size(); ++i) {
    const std::string field = fmt::format("uncertainty.spread[{}]", i);
    const std::size_t before = uncertainty.spread.size();
    uncertainty.nodes.push_back(text.spread[i].nodes);
    if (auto wrong = take_numbers(text.spread[i].log_deviation, field + ".log_deviation", uncertainty.spread))
      return wrong;
    if (uncertainty.spread.size() - before != uncertainty.sizes.size())
      return Violation{field + ".log_deviation",
                       fmt::format("must have {} entries, one per size", uncertainty.sizes.size())};
  }
  for (const std::vector<double>* grid : {&uncertainty.nodes, &uncertainty.sizes}) {
    // In order and apart, as whoever looks up a place in the table relies on.
    if (std::adjacent_find(grid->begin(), grid->end(), std::greater_equal<>()) != grid->end())
      return Violation{"uncertainty", "must have nodes and sizes in ascending order"};
  }
  return std::nullopt;
}

std::optional<Violation> take_motif(const MotifText& text, Motif& motif) {
  motif.program = text.program;
  motif.size_meaning = text.size_meaning;
  motif.fit = {static_cast<std::uint32_t>(text.fit.runs),
               text.fit.fewest_nodes,
               text.fit.most_nodes,
               text.fit.smallest_size,
               text.fit.largest_size,
               text.fit.error_pct,
               text.fit.left_out_error_pct,
               text.fit.times_family.value_or(""),
               text.fit.notes};
  // Sites before classes: flows are checked against them.
  if (auto wrong = take_uncertainty(text.uncertainty, motif.uncertainty)) return wrong;
  if (auto wrong = take_sites(text, motif)) return wrong;
  if (auto wrong = take_transitions(text, motif)) return wrong;
  for (std::size_t i = 0; i < text.classes.size(); ++i) {
    const std::string field = fmt::format("classes[{}]", i);
    RankClass one{.name = text.classes[i].name, .members = text.classes[i].members};
    if (auto wrong = take_formula(text.classes[i].share, field + ".share", one.share)) return wrong;
    if (auto wrong = parse_flow(text.classes[i].blocks, field + ".blocks", one.flow)) return wrong;
    if (auto wrong = check_sites(one.flow, motif, field + ".blocks")) return wrong;
    motif.classes.push_back(std::move(one));
  }
  return std::nullopt;
}

}  // namespace

Result<Motif> parse_motif(std::string_view yaml, const std::string& file) {
  Motif motif;
  const auto text = machine::read_description<MotifText>(
      // Converted while the text is checked, so that an error names the line of the field.
      yaml, file, "the motif", "docs/formats/motif.md", [&](const MotifText& read) { return take_motif(read, motif); });
  if (!text) return text.error();
  return motif;
}

Result<Motif> read_motif(const std::string& path) {
  auto text = read_whole_file(path, kMaxYamlBytes);
  if (!text) return text.error();
  return parse_motif(*text, path);
}

std::string to_yaml(const Motif& motif) {
  std::string out =
      "# A workload learnt from MPI traces: docs/formats/motif.md says what the fields mean.\n"
      "# In formulas: n nodes, s size, X = 2^s or s, t threads, r ranks per node, p ranks, q = sqrt(p), level = which "
      "visit of the "
      "block.\n";
  machine::FieldWriter writer(out);
  const MotifText text = text_of(motif);
  describe(writer, text);
  return out;
}

Status write_motif(const Motif& motif, const std::string& path) { return write_whole_file(path, to_yaml(motif)); }

}  // namespace orrery::motif
