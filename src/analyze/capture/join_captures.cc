#include "analyze/capture/join_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analyze/capture/call_origins.h"
#include "analyze/capture/captured_nodes.h"
#include "analyze/capture/graph_launches.h"
#include "analyze/capture/label_numbers.h"
#include "analyze/capture/node_alignment.h"
#include "analyze/capture/operand_lists.h"
#include "analyze/capture/operator_calls.h"
#include "causal/device/device_timeline.h"

// For each graph of the recording all captures are aligned with it and the best is chosen; what decides, in this order,
// is Choice. Then the origins of the nodes of the chosen one are written to the works.

namespace orrery::analyze {
namespace {

using trace::Activity;
using trace::EventIndex;
using trace::Field;

constexpr DiagnosticKind kFitsNothing{"G101", Severity::warning,
                                      "a capture fits no graph of the recording; nothing is taken from it",
                                      "is it of the same model, batch and rank, recorded with shapes?"};
constexpr DiagnosticKind kByOrder{"G102", Severity::note,
                                  "several captures fit a graph alike; which one it is was told by their order alone",
                                  "annotate captures and steps with the batch: capture_16, execute_16"};
constexpr DiagnosticKind kNoCapture{"G103", Severity::warning, "a file of captures has none, and no launches",
                                    "record the capture itself, or an eager run, with ProfilerActivity.CPU"};

/// Of ten works so many must have found their node, and of ten products so many an operator that is one.
constexpr double kLeastShare = 0.9;

/// A capture and the recording that it was found in.
struct Source {
  const trace::Trace* trace = nullptr;
  const trace::RankTrace* rank = nullptr;
  Capture capture;
  std::vector<NodeKey> keys;
  std::vector<std::int64_t> numbers;  ///< of its label
  double elements = 0;                ///< that the operators of its nodes read
  double best_share = 0;              ///< of any graph's works that its nodes fitted
  bool is_used = false;
};

/// Texts of several recordings as numbers of one table. 0: no text.
class CommonTexts {
 public:
  std::uint32_t number(std::string_view text) { return text.empty() ? 0 : texts_.intern(text); }

 private:
  Interner texts_;
};

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

/// Kernels of the libraries that multiply matrices, by what these call them.
bool is_product_kernel(std::string_view name) {
  return has_any(name, {"gemm", "nvjet", "Cijk_", "xmma", "cutlass", "cublas", "splitK"});
}

class RankJoin {
 public:
  RankJoin(trace::Trace& trace, trace::RankTrace& rank, std::vector<Source*> sources, CommonTexts& texts,
           Diagnostics& diagnostics)
      : trace_(trace),
        rank_(rank),
        sources_(std::move(sources)),
        texts_(texts),
        diagnostics_(diagnostics),
        content_(trace, rank) {
    Diagnostics ignored;  // told when the recording is analysed
    timeline_ = causal::make_device_timeline(trace, rank, content_, ignored);
    launches_ = find_graph_launches(trace, rank, timeline_);
  }

  void join() {
    if (launches_.launches.empty()) return;
    name_works();
    for (std::uint32_t g = 0; g < launches_.graphs.size(); ++g) fits_.push_back(fits_of(g));
    rank_by_size();
    std::map<std::pair<std::uint32_t, std::vector<std::int64_t>>, std::vector<std::uint32_t>> alike;
    for (std::uint32_t l = 0; l < launches_.launches.size(); ++l)
      alike[{launches_.launches[l].graph, numbers_around(launches_.launches[l])}].push_back(l);
    // Larger groups of numbers first would change nothing: a capture may be used by several.
    for (const auto& [key, launches] : alike) choose(key.first, key.second, launches);
    write();
  }

  /// What was carried over, by work. `captures` are those that the sources were found in.
  [[nodiscard]] std::vector<JoinedWork> joined(const std::vector<trace::Trace>& captures) const {
    std::vector<JoinedWork> works;
    works.reserve(carried_.size());
    for (const Carried& carried : carried_) {
      const Source& source = *carried.source;
      works.push_back({carried.event, static_cast<std::uint32_t>(source.trace - captures.data()),
                       static_cast<std::uint32_t>(source.rank - source.trace->ranks.data()),
                       source.capture.nodes[carried.node].call});
    }
    return works;
  }

 private:
  struct Fit {
    Source* source = nullptr;
    NodeAlignment alignment;
    std::int64_t missing = 0;  ///< difference of numbers of nodes and works
  };
  /// Texts of a node, interned here once however often its graph is launched.
  struct NodeTexts {
    StringId op = 0, operators = 0, shapes = 0, types = 0, values = 0, modules = 0, range = 0;
  };
  struct Carried {
    EventIndex event;
    const Source* source;
    std::uint32_t node;
    const NodeTexts* texts;
  };

  void name_works() {
    keys_.reserve(launches_.works.size());
    // Texts are few beside works: each is numbered once.
    std::vector<std::uint32_t> numbers(trace_.strings.size(), 0);
    const auto number = [&](StringId text) {
      if (numbers[text] == 0) numbers[text] = texts_.number(trace_.strings.text(text));
      return numbers[text];
    };
    const trace::SparseColumn& grids = rank_.field(Field::grid_text);
    const Column<std::int64_t> grid_of =
        grids.event.empty() ? Column<std::int64_t>() : grids.dense(rank_.event_count(), 0);
    for (const std::uint32_t w : launches_.works) {
      const EventIndex event = timeline_.works[w].event;
      keys_.push_back({rank_.activity(event), number(rank_.name[event]),
                       grid_of.empty() ? 0 : number(static_cast<StringId>(grid_of[event]))});
      // The body of a conditional node runs in its node's turn: on the stream of the work before it.
      queues_.push_back(timeline_.works[w].by_device && !queues_.empty() ? queues_.back() : timeline_.works[w].queue);
    }
  }

  /// The captures that may be of the graph.
  std::vector<Fit> fits_of(std::uint32_t g) {
    const GraphLaunch& launch = launches_.launches[launches_.graphs[g].first_launch];
    const std::span<const NodeKey> works = std::span(keys_).subspan(launch.first, launch.count);
    const std::span<const std::uint32_t> queues = std::span(queues_).subspan(launch.first, launch.count);
    std::vector<Fit> fits;
    for (Source* const source : sources_) {
      Fit fit{source, align_nodes(source->keys, works, queues, launch.has_node_order), 0};
      fit.missing = static_cast<std::int64_t>(source->keys.size()) - static_cast<std::int64_t>(works.size());
      const double share = static_cast<double>(fit.alignment.matched) / static_cast<double>(works.size());
      source->best_share = std::max(source->best_share, share);
      if (share < kLeastShare) continue;
      if (fit.alignment.names < kLeastShare * static_cast<double>(works.size()) && !fits_without_names(fit, works))
        continue;
      fits.push_back(std::move(fit));
    }
    return fits;
  }

  /// Nothing but numbers and kinds speaks for it: then these must agree wholly, and products must meet products.
  bool fits_without_names(const Fit& fit, std::span<const NodeKey> works) {
    if (fit.missing != 0 || fit.alignment.matched != works.size()) return false;
    CallOrigins& origins = origins_of(*fit.source);
    std::size_t products = 0, met = 0;
    const GraphLaunches& all = launches_;
    const std::size_t first = static_cast<std::size_t>(works.data() - keys_.data());
    for (std::size_t i = 0; i < works.size(); ++i) {
      const EventIndex event = timeline_.works[all.works[first + i]].event;
      if (works[i].kind != Activity::kernel || !is_product_kernel(trace_.name(rank_, event))) continue;
      ++products;
      const CapturedNode& node = fit.source->capture.nodes[fit.alignment.node_of_work[i]];
      const std::vector<EventIndex>& around = origins.of(node.call).operators;
      met += std::any_of(around.begin(), around.end(), [&](EventIndex e) {
        return is_product_operator(fit.source->trace->name(*fit.source->rank, e));
      });
    }
    return static_cast<double>(met) >= kLeastShare * static_cast<double>(products);
  }

  CallOrigins& origins_of(const Source& source) {
    auto& origins = origins_[source.rank];
    if (!origins) origins.emplace(*source.trace, *source.rank);
    return *origins;
  }

  /// Of the innermost annotation around the call.
  std::vector<std::int64_t> numbers_around(const GraphLaunch& launch) {
    if (!own_origins_) own_origins_.emplace(trace_, rank_);
    for (const EventIndex e : own_origins_->of(launch.call).annotations) {
      std::vector<std::int64_t> numbers = step_numbers_of(trace_, trace_.name(rank_, e));
      if (!numbers.empty()) return numbers;
    }
    return {};
  }

  /// Of graphs that the same captures fit and of these captures, if there are as many and all sizes differ: the
  /// smallest of one is the smallest of the other.
  void rank_by_size() {
    std::map<std::vector<const Source*>, std::vector<std::uint32_t>> same;
    for (std::uint32_t g = 0; g < fits_.size(); ++g) {
      std::vector<const Source*> key;
      for (const Fit& fit : fits_[g]) key.push_back(fit.source);
      if (key.size() > 1) same[key].push_back(g);
    }
    for (auto& [sources, graphs] : same) {
      if (sources.size() != graphs.size()) continue;
      std::vector<std::pair<double, std::uint32_t>> by_blocks;
      for (const std::uint32_t g : graphs) by_blocks.emplace_back(blocks_of(g), g);
      std::vector<std::pair<double, const Source*>> by_elements;
      for (const Source* const source : sources) by_elements.emplace_back(source->elements, source);
      const auto by_size = [](const auto& a, const auto& b) { return a.first < b.first; };
      std::stable_sort(by_blocks.begin(), by_blocks.end(), by_size);
      std::stable_sort(by_elements.begin(), by_elements.end(), by_size);
      const auto same_size = [](const auto& a, const auto& b) { return a.first == b.first; };
      if (std::adjacent_find(by_blocks.begin(), by_blocks.end(), same_size) != by_blocks.end() ||
          std::adjacent_find(by_elements.begin(), by_elements.end(), same_size) != by_elements.end())
        continue;
      for (std::size_t i = 0; i < by_blocks.size(); ++i) by_size_[by_blocks[i].second] = by_elements[i].second;
    }
  }

  double blocks_of(std::uint32_t g) const {
    double blocks = 0;
    for (const std::uint32_t w : launches_.works_of(launches_.launches[launches_.graphs[g].first_launch])) {
      const auto grid = rank_.field(Field::grid_text).find(timeline_.works[w].event);
      if (grid) blocks += elements_of_list(trace_.strings.text(static_cast<StringId>(*grid)));
    }
    return blocks;
  }

  void choose(std::uint32_t g, const std::vector<std::int64_t>& numbers, const std::vector<std::uint32_t>& launches) {
    std::vector<const Fit*> best;
    for (const Fit& fit : fits_[g]) best.push_back(&fit);
    if (best.empty()) return;
    const auto keep_largest = [&](auto&& value) {
      if (best.size() < 2) return;
      auto largest = value(*best.front());
      for (const Fit* const fit : best) largest = std::max(largest, value(*fit));
      std::erase_if(best, [&](const Fit* fit) { return value(*fit) != largest; });
    };
    keep_largest([](const Fit& fit) { return fit.alignment.matched; });
    keep_largest([](const Fit& fit) { return fit.alignment.names; });
    keep_largest([](const Fit& fit) { return -std::abs(fit.missing); });
    keep_largest([&](const Fit& fit) {
      return std::any_of(numbers.begin(), numbers.end(), [&](std::int64_t n) {
        return std::find(fit.source->numbers.begin(), fit.source->numbers.end(), n) != fit.source->numbers.end();
      });
    });
    if (best.size() > 1 && is_piecewise(best, launches.size())) {
      for (std::size_t i = 0; i < launches.size(); ++i) carry(launches[i], *best[i % best.size()], false);
      return;
    }
    keep_largest([&](const Fit& fit) {
      const auto at = by_size_.find(g);
      return at != by_size_.end() && at->second == fit.source;
    });
    keep_largest([](const Fit& fit) { return !fit.source->is_used; });
    const bool by_order = best.size() > 1;
    if (by_order) diagnostics_.add(kByOrder, [&] { return best.front()->source->rank->source.path; });
    for (const std::uint32_t l : launches) carry(l, *best.front(), by_order);
  }

  /// Pieces of one program that look alike, as layers do: the n-th launch is the n-th of them.
  static bool is_piecewise(const std::vector<const Fit*>& fits, std::size_t launches) {
    const Source& first = *fits.front()->source;
    return launches % fits.size() == 0 && std::all_of(fits.begin(), fits.end(), [&](const Fit* fit) {
             return fit->source->rank == first.rank && fit->source->capture.label == first.capture.label &&
                    !fit->source->capture.is_eager;
           });
  }

  void carry(std::uint32_t l, const Fit& fit, bool by_order) {
    const GraphLaunch& launch = launches_.launches[l];
    fit.source->is_used = true;
    told_.push_back({launch.call, fit.source, by_order});
    const GraphLaunch& model = launches_.launches[launches_.graphs[launch.graph].first_launch];
    // Launches of one graph number their works alike, but for several streams without an order, which are aligned anew.
    const bool is_alike = l == launches_.graphs[launch.graph].first_launch || launch.has_node_order ||
                          launches_.graphs[launch.graph].streams == 1;
    const std::span<const std::uint32_t> works = launches_.works_of(launch);
    NodeAlignment own;
    if (!is_alike || model.count != launch.count)
      own = align_nodes(fit.source->keys, std::span(keys_).subspan(launch.first, launch.count),
                        std::span(queues_).subspan(launch.first, launch.count), launch.has_node_order);
    const std::vector<std::uint32_t>& nodes = own.node_of_work.empty() ? fit.alignment.node_of_work : own.node_of_work;
    for (std::size_t i = 0; i < works.size(); ++i) {
      if (nodes[i] != kNoNode)
        carried_.push_back({timeline_.works[works[i]].event, fit.source, nodes[i], &texts_of(*fit.source, nodes[i])});
    }
  }

  const NodeTexts& texts_of(const Source& source, std::uint32_t node) {
    const auto [at, is_new] = node_texts_.try_emplace({&source, node});
    if (!is_new) return at->second;
    NodeTexts& texts = at->second;
    const CallOrigin& origin = origins_of(source).of(source.capture.nodes[node].call);
    const auto name = [&](EventIndex e) { return source.trace->name(*source.rank, e); };
    if (!origin.operators.empty()) {
      const EventIndex innermost = origin.operators.back();
      texts.op = trace_.strings.intern(name(innermost));
      const std::vector<OperatorCall> calls = operator_calls(*source.trace, *source.rank, origin.operators);
      texts.operators = trace_.strings.intern(to_json(calls));
      texts.shapes = trace_.strings.intern(calls.back().shapes);
      texts.types = trace_.strings.intern(calls.back().types);
      texts.values = trace_.strings.intern(calls.back().values);
    }
    texts.modules = trace_.strings.intern(origin.modules);
    for (const EventIndex e : origin.annotations) {
      if (std::find(source.capture.labels.begin(), source.capture.labels.end(), e) != source.capture.labels.end())
        continue;
      texts.range = trace_.strings.intern(name(e));
      break;
    }
    return texts;
  }

  void write() {
    const auto is_earlier = [](const Carried& a, const Carried& b) { return a.event < b.event; };
    if (!std::is_sorted(carried_.begin(), carried_.end(), is_earlier))
      std::sort(carried_.begin(), carried_.end(), is_earlier);
    const StringId capture = trace_.strings.intern("capture"), eager = trace_.strings.intern("eager");
    const auto put = [&](Field field, auto&& text_of) {
      trace::SparseColumn more;
      for (const Carried& carried : carried_) {
        if (const StringId text = text_of(carried); text != 0) more.push(carried.event, text);
      }
      rank_.field(field).merge(std::move(more));
    };
    const auto put_text = [&](Field field, StringId NodeTexts::*member) {
      put(field, [&](const Carried& carried) { return carried.texts->*member; });
    };
    put_text(Field::operator_text, &NodeTexts::op);
    put_text(Field::operators_text, &NodeTexts::operators);
    put_text(Field::shapes_text, &NodeTexts::shapes);
    put_text(Field::types_text, &NodeTexts::types);
    put_text(Field::concrete_text, &NodeTexts::values);
    put_text(Field::module_path_text, &NodeTexts::modules);
    put_text(Field::range_text, &NodeTexts::range);
    put(Field::origin_text, [&](const Carried& carried) { return carried.source->capture.is_eager ? eager : capture; });
    write_calls();
  }

  /// What tells a launch, at its call.
  void write_calls() {
    std::sort(told_.begin(), told_.end(), [](const Told& a, const Told& b) { return a.call < b.call; });
    trace::SparseColumn origin, which;
    for (const Told& told : told_) {
      const std::string_view kind = told.source->capture.is_eager ? "eager" : "capture";
      origin.push(told.call, trace_.strings.intern(fmt::format("{}{}", kind, told.by_order ? kByOrderAlone : "")));
      const std::string& path = told.source->rank->source.path;
      const std::string file = path.substr(path.rfind('/') + 1);
      const std::string& label = told.source->capture.label;
      which.push(told.call, trace_.strings.intern(label.empty() ? file : fmt::format("{}: {}", file, label)));
    }
    rank_.field(Field::origin_text).merge(std::move(origin));
    rank_.field(Field::range_text).merge(std::move(which));
  }

  struct Told {
    EventIndex call;
    const Source* source;
    bool by_order;
  };

  trace::Trace& trace_;
  trace::RankTrace& rank_;
  std::vector<Source*> sources_;
  CommonTexts& texts_;
  Diagnostics& diagnostics_;
  trace::ContentOrder content_;
  causal::DeviceTimeline timeline_;
  GraphLaunches launches_;
  std::vector<NodeKey> keys_;          // per place in GraphLaunches::works
  std::vector<std::uint32_t> queues_;  // the same
  std::vector<std::vector<Fit>> fits_;
  std::map<std::uint32_t, const Source*> by_size_;
  std::unordered_map<const trace::RankTrace*, std::optional<CallOrigins>> origins_;
  std::optional<CallOrigins> own_origins_;
  std::vector<Carried> carried_;
  std::vector<Told> told_;
  std::map<std::pair<const Source*, std::uint32_t>, NodeTexts> node_texts_;
};

std::vector<Source> sources_of(const trace::Trace& recording, CommonTexts& texts) {
  std::vector<Source> sources;
  for (const trace::RankTrace& rank : recording.ranks) {
    for (Capture& capture : find_captures(recording, rank)) {
      Source source{&recording, &rank, std::move(capture), {}, {}, 0, 0, false};
      source.numbers = label_numbers_of(source.capture.label);
      for (const CapturedNode& node : source.capture.nodes)
        source.keys.push_back({node.kind, texts.number(recording.strings.text(node.kernel)),
                               texts.number(recording.strings.text(node.grid))});
      sources.push_back(std::move(source));
    }
    CallOrigins origins(recording, rank);
    for (Source& source : sources) {
      if (source.rank != &rank) continue;
      for (const CapturedNode& node : source.capture.nodes) {
        const std::vector<EventIndex>& around = origins.of(node.call).operators;
        if (around.empty()) continue;
        const auto shapes = rank.field(Field::shapes_text).find(around.back());
        if (shapes) source.elements += elements_of_lists(recording.strings.text(static_cast<StringId>(*shapes)));
      }
    }
  }
  return sources;
}

}  // namespace

std::vector<std::vector<JoinedWork>> join_captures(trace::Trace& trace, const std::vector<trace::Trace>& captures,
                                                   Diagnostics& diagnostics, std::vector<UnfittingCapture>* unfitting) {
  CommonTexts texts;
  std::vector<Source> sources;
  for (const trace::Trace& recording : captures) {
    std::vector<Source> found = sources_of(recording, texts);
    if (found.empty()) diagnostics.add(kNoCapture, [&] { return recording.ranks.front().source.path; });
    std::move(found.begin(), found.end(), std::back_inserter(sources));
  }
  std::vector<std::vector<JoinedWork>> joined;
  for (trace::RankTrace& rank : trace.ranks) {
    std::vector<Source*> own;
    for (Source& source : sources) {
      const auto said = source.rank->source.rank;
      if (!said || captures.size() == 1 || *said == rank.rank) own.push_back(&source);
    }
    RankJoin join(trace, rank, std::move(own), texts, diagnostics);
    join.join();
    joined.push_back(join.joined(captures));
  }
  // One of several captures of a file that nobody launches is no news; a file of which none fits is.
  std::map<std::string, std::pair<bool, double>> files;
  for (const Source& source : sources) {
    auto& [used, share] = files[source.rank->source.path];
    used |= source.is_used;
    share = std::max(share, source.best_share);
  }
  for (const auto& [file, found] : files) {
    if (found.first) continue;
    const UnfittingCapture capture{file, found.second};
    if (unfitting != nullptr) unfitting->push_back(capture);
    else remark_unfitting(capture, diagnostics);
  }
  return joined;
}

void remark_unfitting(const UnfittingCapture& capture, Diagnostics& diagnostics) {
  diagnostics.add(kFitsNothing, [&] {
    return fmt::format("{}: at best {:.0f} % of a graph's works", capture.file, 100 * capture.best_share);
  });
}

}  // namespace orrery::analyze
