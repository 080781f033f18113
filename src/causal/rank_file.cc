#include "causal/rank_file.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <vector>

#include "base/io/section_file.h"
#include "causal/causal_graph.h"
#include "graph/graph_file.h"

// One section per column and one for the plain numbers. A file may come from anywhere: sizes, indices and ranges are
// all checked once on reading, so that nothing behind this has to.

namespace orrery::causal {
namespace {

// The plain numbers of a RankGraph, in one section.
struct StepNumbers {
  std::int64_t window_begin, window_end, host_begin, host_end;
  std::int64_t main_lane;  // -1: none
  std::int64_t is_whole_trace;
  std::int64_t begin_node, end_node;
  std::int64_t rank, epoch_us;
  std::int64_t typical_launch_delay, typical_kernel_gap;
};

// What is known of the devices; files of earlier versions of this program have no such section.
struct ReachNumbers {
  std::int64_t busy, worked, launched, works, launches;
};

// A DeviceClock, the reals by their bits; only where counters were recorded.
struct ClockNumbers {
  std::int64_t mhz_ps, known_ps, reasons;
};

// Where a step in the window begins and ends; its name is the text of the same place in another section.
struct StepTimes {
  std::int64_t begin, end;
};

// Texts with a fixed place in front of the interned ones.
enum FixedText : std::size_t { kLabelText, kWhyText, kSourceText, kFixedTexts };

// Files of earlier versions do not say which steps are in the window. They are annotations called like it but for the
// number ("ProfilerStep#", "train "); of a whole trace the profiler's.
std::vector<StepWindow::Step> steps_by_label(const RankGraph& step) {
  const StepWindow& window = step.window;
  // "ProfilerStep#1 to ProfilerStep#8" is a window, too.
  const std::string_view stem =
      window.is_whole_trace ? std::string_view("ProfilerStep#")
                            : without_number(std::string_view(window.label).substr(0, window.label.find(" to ")));
  std::vector<StepWindow::Step> steps;
  for (const AnnotatedRange& range : step.annotations) {
    // Steps are marked on the main thread; the same names elsewhere are parts of it.
    if (window.main_lane && range.lane != *window.main_lane) continue;
    const TimePs begin = window.begin + range.begin, end = window.begin + range.end;
    const bool is_inside = window.is_whole_trace || (begin >= window.host_begin && end <= window.host_end);
    const std::string_view name = step.strings.text(range.name);
    if (is_inside && without_number(name) == stem) steps.push_back({std::string(name), begin, end});
  }
  std::stable_sort(steps.begin(), steps.end(),
                   [](const StepWindow::Step& a, const StepWindow::Step& b) { return a.begin < b.begin; });
  return steps;
}

class StepReader {
 public:
  StepReader(const SectionFile& file, StepContent content) : file_(file), content_(content) {}

  Result<RankGraph> read() {
    auto graph = graph::read_graph_sections(file_);
    if (!graph) return graph.error();
    step_.graph = std::move(*graph);
    copy("time", step_.time);
    copy("lane", step_.node_lane);
    copy("ownr", step_.owners);
    read_tables();
    read_numbers();
    read_reach();
    read_clock();
    if (!error_) check();
    // Behind the check, because older files have their steps derived from annotations and texts.
    if (!error_) read_steps();
    if (error_) return *error_;
    return std::move(step_);
  }

 private:
  void fail(SectionTag tag, std::uint64_t byte, std::string message) {
    if (!error_) error_ = file_.error_at(tag, byte, std::move(message), "the file was not written by this program");
  }

  template <typename T>
  void copy(SectionTag tag, Column<T>& out) {
    const auto values = file_.get<T>(tag);
    if (!values) error_ = error_ ? error_ : values.error();
    else out.append(*values);
  }

  void read_tables() {
    const auto lanes = file_.get<LaneLabel>("lbls");
    const auto annotations = file_.get<AnnotatedRange>("anno");
    const auto texts = file_.get_strings("text");
    if (!lanes || !annotations || !texts) {
      error_ = !lanes ? lanes.error() : !annotations ? annotations.error() : texts.error();
      return;
    }
    step_.lanes.assign(lanes->begin(), lanes->end());
    step_.annotations.assign(annotations->begin(), annotations->end());
    if (texts->size() < kFixedTexts) return fail("text", 0, "texts are missing");
    step_.window.label = (*texts)[kLabelText];
    step_.window.why = (*texts)[kWhyText];
    step_.source_path = (*texts)[kSourceText];
    for (std::size_t i = kFixedTexts; i < texts->size(); ++i) {
      // Ids of texts are their places in the file: one that occurs twice would shift all behind it.
      if (step_.strings.intern((*texts)[i]) != i - kFixedTexts) return fail("text", 0, "a text occurs twice");
    }
  }

  void read_numbers() {
    const auto numbers = file_.get_value<StepNumbers>("numb");
    if (!numbers) {
      error_ = error_ ? error_ : numbers.error();
      return;
    }
    StepWindow& window = step_.window;
    window.begin = numbers->window_begin;
    window.end = numbers->window_end;
    window.host_begin = numbers->host_begin;
    window.host_end = numbers->host_end;
    window.is_whole_trace = numbers->is_whole_trace != 0;
    if (numbers->main_lane >= 0) window.main_lane = static_cast<trace::LaneIndex>(numbers->main_lane);
    const auto is_node = [&](std::int64_t n) {
      return n >= 0 && n < static_cast<std::int64_t>(step_.graph.node_count());
    };
    if (!is_node(numbers->begin_node) || !is_node(numbers->end_node))
      return fail("numb", 0, "begin or end is not a node");
    if (window.begin < -kTimeLimit || window.end > kTimeLimit || window.end <= window.begin)
      return fail("numb", 0, "the window is empty or out of range");
    for (const TimePs time :
         {window.host_begin, window.host_end, numbers->typical_launch_delay, numbers->typical_kernel_gap}) {
      if (time < -kTimeLimit || time > kTimeLimit) return fail("numb", 0, "a time is out of range");
    }
    step_.begin = static_cast<graph::NodeId>(numbers->begin_node);
    step_.end = static_cast<graph::NodeId>(numbers->end_node);
    step_.rank = numbers->rank;
    step_.epoch_us = numbers->epoch_us;
    step_.typical_launch_delay = numbers->typical_launch_delay;
    step_.typical_kernel_gap = numbers->typical_kernel_gap;
  }

  void read_reach() {
    // Written by later versions only: without it nothing is known of the devices.
    if (!file_.has("dvcs")) return;
    const auto numbers = file_.get_value<ReachNumbers>("dvcs");
    if (!numbers) error_ = error_ ? error_ : numbers.error();
    else
      step_.reach = {numbers->busy,
                     numbers->worked,
                     numbers->launched,
                     static_cast<std::uint64_t>(numbers->works),
                     static_cast<std::uint64_t>(numbers->launches),
                     file_.has("tpus")};
  }

  void read_clock() {
    if (!file_.has("clck")) return;
    const auto numbers = file_.get_value<ClockNumbers>("clck");
    if (!numbers) error_ = error_ ? error_ : numbers.error();
    else
      step_.clock = {std::bit_cast<double>(numbers->mhz_ps), std::bit_cast<double>(numbers->known_ps),
                     static_cast<std::uint64_t>(numbers->reasons)};
  }

  void read_steps() {
    if (!file_.has("sTim")) {
      step_.window.steps = steps_by_label(step_);
      return;
    }
    const auto times = file_.get<StepTimes>("sTim");
    const auto names = file_.get_strings("sNam");
    if (!times || !names) {
      error_ = !times ? times.error() : names.error();
      return;
    }
    if (times->size() != names->size()) return fail("sTim", 0, "one name per step is needed");
    TimePs earliest = -kTimeLimit;
    for (std::size_t i = 0; i < times->size(); ++i) {
      const auto [begin, end] = (*times)[i];
      // In order of their beginnings, as everybody who searches them relies on.
      if (begin < earliest || end < begin || end > kTimeLimit)
        return fail("sTim", i * sizeof(StepTimes), "a step is out of order or range");
      earliest = begin;
      step_.window.steps.push_back({std::string((*names)[i]), begin, end});
    }
  }

  void check() {
    const std::size_t texts = step_.strings.size();
    const std::size_t lanes = step_.lanes.size();
    if (step_.time.size() != step_.graph.node_count() || step_.node_lane.size() != step_.graph.node_count())
      return fail("time", 0, "one value per node is needed");
    for (std::size_t n = 0; n < step_.node_lane.size(); ++n) {
      if (step_.node_lane[n] >= lanes && step_.node_lane[n] != kNoWork) return fail("lane", n * 4, "not a lane");
    }
    for (std::size_t i = 0; i < step_.owners.size(); ++i) {
      const Owner& owner = step_.owners[i];
      if (owner.name >= texts || owner.lane >= lanes || owner.launch_lane >= lanes)
        return fail("ownr", i * sizeof(Owner), "not a text or lane");
    }
    for (std::size_t i = 0; i < lanes; ++i) {
      const LaneLabel& lane = step_.lanes[i];
      if (lane.process >= texts || lane.thread >= texts || lane.name >= texts)
        return fail("lbls", i * sizeof(LaneLabel), "not a text");
    }
    for (std::size_t i = 0; i < step_.annotations.size(); ++i) {
      const AnnotatedRange& range = step_.annotations[i];
      if (range.name >= texts || range.lane >= lanes)
        return fail("anno", i * sizeof(AnnotatedRange), "not a text or lane");
      if (std::min(range.begin, range.end) < -kTimeLimit || std::max(range.begin, range.end) > kTimeLimit)
        return fail("anno", i * sizeof(AnnotatedRange), "a range is out of range");
    }
    for (graph::Slot slot = 0; slot < step_.graph.edge_count(); ++slot) {
      const std::uint32_t tag = step_.graph.edge_tag(slot);
      // The tag of such an edge names no owner.
      if (content_ == StepContent::reduced && step_.kind(slot) == EdgeKind::several) continue;
      if (!is_of_rank(step_.graph.type(slot)) || (tag != graph::kNoTag && tag >= step_.owners.size()))
        return fail("ownr", 0, "an edge has an unknown kind or owner");
    }
  }

  const SectionFile& file_;
  StepContent content_;
  RankGraph step_;
  std::optional<Error> error_;
};

}  // namespace

void add_step_sections(SectionWriter& writer, const RankGraph& step) {
  graph::add_graph_sections(writer, step.graph);
  writer.add("time", step.time);
  writer.add("lane", step.node_lane);
  writer.add("ownr", step.owners);
  writer.add("lbls", step.lanes);
  writer.add("anno", step.annotations);
  const std::string_view fixed[kFixedTexts] = {step.window.label, step.window.why, step.source_path};
  writer.add_strings("text", kFixedTexts + step.strings.size(), [&](std::size_t i) {
    return i < kFixedTexts ? fixed[i] : step.strings.text(static_cast<StringId>(i - kFixedTexts));
  });
  const StepWindow& window = step.window;
  writer.add_value("numb", StepNumbers{window.begin, window.end, window.host_begin, window.host_end,
                                       window.main_lane ? std::int64_t{*window.main_lane} : -1,
                                       window.is_whole_trace ? 1 : 0, step.begin, step.end, step.rank, step.epoch_us,
                                       step.typical_launch_delay, step.typical_kernel_gap});
  std::vector<StepTimes> times;
  for (const StepWindow::Step& range : window.steps) times.push_back({range.begin, range.end});
  writer.add_copy_of("sTim", times);
  writer.add_strings("sNam", window.steps.size(),
                     [&](std::size_t i) { return std::string_view(window.steps[i].name); });
  writer.add_value("dvcs", ReachNumbers{step.reach.busy, step.reach.worked, step.reach.launched,
                                        static_cast<std::int64_t>(step.reach.works),
                                        static_cast<std::int64_t>(step.reach.launches)});
  if (step.clock.is_known()) {
    writer.add_value("clck", ClockNumbers{std::bit_cast<std::int64_t>(step.clock.mhz_ps),
                                          std::bit_cast<std::int64_t>(step.clock.known_ps),
                                          static_cast<std::int64_t>(step.clock.reasons)});
  }
  if (step.reach.is_of_tpus) writer.add_value("tpus", std::int64_t{1});
}

Result<RankGraph> read_step_sections(const SectionFile& file, StepContent content) {
  return StepReader(file, content).read();
}

}  // namespace orrery::causal
