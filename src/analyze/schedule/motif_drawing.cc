#include "analyze/schedule/motif_drawing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/json/json_writer.h"
#include "motif/motif.h"
#include "report/bar.h"

// Three drawings of one motif. The text follows its control flow and shows what each law gives for this run; the graph
// and the image show call sites and the transitions between them, thick where the time goes.

namespace orrery::analyze {
namespace {

using motif::ChainStep;
using motif::Flow;
using motif::Motif;
using motif::Prediction;

std::string call_name(const Motif& motif, std::uint32_t id) {
  const motif::Site* site = motif.find_site(id);
  if (site == nullptr || site->operation.empty()) return fmt::format("{}", id);
  std::string name = fmt::format("{} {}", id, site->operation);
  if (site->group != motif::Group::unknown && site->group != motif::Group::none)
    name += fmt::format(" {}", motif::kGroupNames[static_cast<std::size_t>(site->group)]);
  if (site->peer != motif::Peer::none)
    name += fmt::format(" to {}", motif::kPeerNames[static_cast<std::size_t>(site->peer)]);
  return name;
}

class FlowPrinter {
 public:
  FlowPrinter(const Motif& motif, const motif::Scope& scope) : motif_(motif), scope_(scope) {}

  std::string print(const Flow& flow) {
    // From depth 1 on, because the name of the class stands at depth 0.
    parts(flow, 1);
    return std::move(text_);
  }

 private:
  void line(int depth, const std::string& content) {
    text_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + content + "\n";
  }

  void parts(const Flow& flow, int depth) {
    if (flow.kind == Flow::Kind::chain) return chain(flow, depth);
    if (flow.kind == Flow::Kind::call) return call(flow, depth);
    if (flow.kind == Flow::Kind::loop)
      // The law's value for this run, and the law itself, so that one sees what makes it grow.
      line(depth++, fmt::format("{} times ({})", number(flow.trips.at(scope_)), flow.trips.text()));
    for (const Flow& part : flow.parts) parts(part, depth);
  }
  void call(const Flow& flow, int depth) {
    const motif::Site* site = motif_.find_site(flow.site);
    const double bytes = site == nullptr ? 0 : site->bytes.at(scope_);
    line(depth, bytes > 0 ? fmt::format("{}, {} bytes", call_name(motif_, flow.site), number(bytes))
                          : call_name(motif_, flow.site));
  }
  void chain(const Flow& flow, int depth) {
    line(depth, "one of these after the other, as often per entry:");
    const auto block_name = [](std::uint32_t block) {
      return block == ChainStep::kEnd ? std::string("end") : std::string(1, static_cast<char>('A' + block % 26));
    };
    for (const ChainStep& step : flow.steps) {
      std::string context;
      for (const std::uint32_t block : step.context) context += (context.empty() ? "" : " ") + block_name(block);
      line(depth + 1, fmt::format("{} -> {}: {} ({})", context.empty() ? "entry" : context, block_name(step.next),
                                  number(step.times.at(scope_)), step.times.text()));
    }
    for (std::size_t i = 0; i < flow.parts.size(); ++i) {
      line(depth + 1, block_name(static_cast<std::uint32_t>(i)) + ":");
      parts(flow.parts[i], depth + 2);
    }
  }
  static std::string number(double value) { return report::plain_digits(value, 4); }

  const Motif& motif_;
  motif::Scope scope_;
  std::string text_;
};

std::string quoted(const std::string& text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else out += c;
  }
  return out;
}

double thickness(const Prediction& prediction, const motif::TransitionUse& use) {
  // From a hair to a thick line by the transition's share of all time.
  return prediction.total_us > 0 ? 0.7 + 8 * use.times * use.time_us / prediction.total_us : 1;
}
std::string edge_label(const motif::TransitionUse& use) {
  return fmt::format("{} x {} µs", report::plain_digits(use.times, 4), report::plain_digits(use.time_us, 4));
}

}  // namespace

std::string motif_flow_text(const Motif& motif, const motif::RunParameters& run) {
  const motif::Scope scope(run, motif.size_meaning);
  std::string text;
  for (const motif::RankClass& one : motif.classes) {
    // A law may give more than all ranks where it was not fitted.
    text += fmt::format("{} ({:.3g} % of the ranks: {})\n", one.name, 100 * std::min(1.0, one.share.at(scope)),
                        one.share.text());
    text += FlowPrinter(motif, scope).print(one.flow);
  }
  return text;
}

std::string motif_dot(const Motif& motif, const Prediction& prediction) {
  std::string out =
      "digraph motif {\n  node [shape=box, fontname=\"sans-serif\"];\n  edge [fontname=\"sans-serif\", fontsize=9];\n";
  for (const motif::SiteUse& use : prediction.sites) {
    const std::string label =
        fmt::format("{}\n{} calls, {} bytes each", call_name(motif, use.site), report::plain_digits(use.calls, 4),
                    report::plain_digits(use.calls > 0 ? use.bytes / use.calls : 0, 4));
    out += fmt::format("  s{} [label={}];\n", use.site, quoted(label));
  }
  for (const motif::TransitionUse& use : prediction.transitions)
    out += fmt::format("  s{} -> s{} [label={}, penwidth={:.2f}];\n", use.from, use.to, quoted(edge_label(use)),
                       thickness(prediction, use));
  return out + "}\n";
}

std::string motif_svg(const Motif& motif, const Prediction& prediction) {
  constexpr double kRow = 26, kLeft = 20, kBox = 330, kTop = 40;
  std::map<std::uint32_t, double> place;  // the middle of a site's row
  for (const motif::SiteUse& use : prediction.sites)
    place.emplace(use.site, kTop + kRow * static_cast<double>(place.size()) + kRow / 2);
  const double height = kTop + kRow * static_cast<double>(place.size()) + 20;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"{0}\" viewBox=\"0 0 900 {0}\" "
      "font-family=\"sans-serif\" "
      "font-size=\"11\">\n"
      "<text x=\"{1}\" y=\"24\" font-size=\"14\">{2}: {3:.4g} ms, {4:.0f} calls</text>\n",
      height, kLeft, escaped(motif.program), prediction.total_us / 1000, prediction.calls);
  for (const motif::TransitionUse& use : prediction.transitions) {
    const auto from = place.find(use.from), to = place.find(use.to);
    if (from == place.end() || to == place.end()) continue;
    const double distance = std::abs(to->second - from->second);
    // The farther apart two sites are, the farther out their arc runs, by the logarithm, so that long ones stay in
    // view.
    // Neighbours are joined by a flat arc, which leaves their rows readable.
    const double x = kLeft + kBox, reach = distance <= kRow ? 12 : 30 + 60 * std::log2(1 + distance / kRow);
    const char* colour = to->second <= from->second ? "#b5482a" : "#2a6fb5";  // back or forward
    out += fmt::format(
        "<path d=\"M {0} {1} C {2} {1}, {2} {3}, {0} {3}\" fill=\"none\" stroke=\"{4}\" "
        "stroke-width=\"{5:.2f}\"><title>{6}</title></path>\n",
        x, from->second, x + reach, to->second, colour, thickness(prediction, use),
        escaped(fmt::format("{} -> {}: {}", use.from, use.to, edge_label(use))));
    // Arcs between neighbours have no room for a label; a hint on the line tells it.
    if (distance > kRow)
      out += fmt::format("<text x=\"{}\" y=\"{}\" fill=\"{}\">{}</text>\n", x + 0.75 * reach + 4,
                         (from->second + to->second) / 2, colour, edge_label(use));
  }
  for (const motif::SiteUse& use : prediction.sites) {
    const double middle = place.at(use.site);
    out +=
        fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"20\" rx=\"3\" fill=\"#f4f1ea\" stroke=\"#888\"/>\n",
                    kLeft, middle - 10, kBox);
    out += fmt::format(
        "<text x=\"{}\" y=\"{}\">{}</text>\n", kLeft + 6, middle + 4,
        escaped(fmt::format("{}: {} x {} bytes", call_name(motif, use.site), report::plain_digits(use.calls, 4),
                            report::plain_digits(use.calls > 0 ? use.bytes / use.calls : 0, 4))));
  }
  return out + "</svg>\n";
}

report::Sheet motif_fit_sheet(const Motif& motif, const std::vector<motif::fit::ClassRun>& runs,
                              motif::fit::Edge edge) {
  using report::Type;
  using report::Unit;
  report::Sheet sheet("fits");
  sheet.add({.name = "nodes", .type = Type::real, .title = "nodes", .decimals = 0})
      .add({.name = "size", .type = Type::real, .title = "size", .decimals = 0})
      .add({.name = "measured_us", .type = Type::real, .title = "measured µs", .decimals = 1})
      .add({.name = "fitted_us", .type = Type::real, .title = "fitted µs", .decimals = 1})
      .add({.name = "error", .type = Type::real, .unit = Unit::pct, .title = "error", .is_change = true})
      .add({.name = "plot", .title = "o measured, x fitted, * both (logarithmic)", .people_only = true});
  constexpr std::size_t kPlotWidth = 40;
  const motif::Transition* transition = motif.find_transition(edge.first, edge.second);
  if (transition == nullptr) return sheet;
  struct Row {
    const motif::fit::ClassRun* run;
    double measured, fitted;
  };
  std::vector<Row> rows;
  double most = 0, least = 0;
  for (const motif::fit::ClassRun& run : runs) {
    const auto found = run.edges.find(edge);
    // A run that never took this transition measured nothing.
    if (found == run.edges.end() || found->second.count <= 0) continue;
    rows.push_back({&run, found->second.sum_us / found->second.count,
                    transition->time_us.at(motif::Scope(run.run, motif.size_meaning))});
    for (const double value : {rows.back().measured, rows.back().fitted}) {
      // What is not above zero has no logarithm.
      if (value <= 0) continue;
      most = std::max(most, value);
      least = least == 0 ? value : std::min(least, value);
    }
  }
  for (const Row& row : rows) {
    std::string plot(kPlotWidth, ' ');
    // By the logarithm: times of one transition span a thousandfold.
    const auto column = [&](double value) {
      // Also where all values are equal: there is no span to divide by.
      if (value <= least || most <= least) return std::size_t{0};
      return std::min(kPlotWidth - 1,
                      static_cast<std::size_t>(std::log(value / least) / std::log(most / least) * (kPlotWidth - 1)));
    };
    plot[column(row.measured)] = 'o';
    plot[column(row.fitted)] = column(row.fitted) == column(row.measured) ? '*' : 'x';
    const double error = row.measured > 0 ? 100 * (row.fitted - row.measured) / row.measured : 0;
    sheet.add_row({row.run->run.nodes, row.run->run.size, row.measured, row.fitted, error, "|" + plot});
  }
  return sheet;
}

}  // namespace orrery::analyze
