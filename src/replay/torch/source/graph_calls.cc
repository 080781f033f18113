#include "replay/torch/source/graph_calls.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "causal/host/host_match.h"
#include "formats/pytorch_et/arguments.h"
#include "match/communication.h"
#include "replay/torch/source/row_scopes.h"
#include "replay/torch/write/tensor_text.h"

// First the works of each launch are collected with the rows of the capture that launched them. The stretch of the
// capture from the outermost operator of the first to that of the last is what the launch does: its rows are copied
// behind those of the job, its visits into the order of the job. Whatever is told by numbers of visits moves with them.

namespace orrery::replay::torch {
namespace {

using causal::kNoRow;

// The job's storages are numbered by address or from 1 on, and those of captures likewise: the top byte tells them
// apart.
constexpr unsigned kProgramBits = 56;

/// A stretch of a capture, made ready to be copied.
struct Stretch {
  std::vector<std::uint32_t> rows;  ///< of the capture, by begin
  std::vector<Visit> visits;        ///< of places in `rows`
  std::vector<std::uint32_t> parent;
  std::map<std::uint32_t, std::uint32_t> place;  ///< of rows
  std::vector<std::vector<trace::TensorUse>> uses;
};

struct Launch {
  const CapturedProgram* program = nullptr;
  const Stretch* stretch = nullptr;
  HostMoment moment;
  std::vector<std::pair<std::size_t, std::uint32_t>> works;  ///< of the source, and rows of the capture
  std::uint32_t first_row = 0;                               ///< in the joint host trace
};

class GraphCalls {
 public:
  GraphCalls(std::span<const analyze::JoinedWork> joined, const std::vector<std::vector<CapturedProgram>>& programs,
             RankSource& source, trace::HostArguments& arguments)
      : joined_(joined), programs_(programs), source_(source), arguments_(arguments) {}

  void run() {
    collect();
    if (launches_.empty()) return;
    for (Launch& launch : launches_) launch.stretch = &stretch_of(launch);
    std::stable_sort(launches_.begin(), launches_.end(), [](const Launch& a, const Launch& b) {
      return std::pair(a.moment.before, a.moment.begin) < std::pair(b.moment.before, b.moment.begin);
    });
    inserted_.push_back(0);
    for (const Launch& launch : launches_) inserted_.push_back(inserted_.back() + count(launch.stretch->visits));
    add_rows();
    move_moments();
    add_visits();
    move_works();
  }

 private:
  template <typename List>
  static std::uint32_t count(const List& list) {
    return static_cast<std::uint32_t>(list.size());
  }

  [[nodiscard]] static std::string_view name_of(const CapturedProgram& program, const Interner& strings,
                                                std::uint32_t row) {
    return strings.text(program.host->name[row]);
  }

  // Not ranges, threads or the process.
  [[nodiscard]] bool is_operator(const CapturedProgram& program, std::uint32_t row) const {
    constexpr std::int64_t kUserScope = 7;
    return program.host->scope[row] != kUserScope && causal::is_operator_row(name_of(program, *source_.strings, row));
  }

  // Whom a captured collective is among is not told with the row: it stays work of its duration.
  [[nodiscard]] bool communicates(const CapturedProgram& program, std::uint32_t row) const {
    for (; row != kNoRow; row = program.order.parent[row]) {
      const std::string_view name = name_of(program, *source_.strings, row);
      if (match::is_call_of_communication(name) || match::is_host_communication(name)) return true;
    }
    return false;
  }

  void collect() {
    std::map<std::pair<std::uint32_t, const CapturedProgram*>, std::size_t> of_call;
    for (std::size_t w = 0; w < source_.works.size(); ++w) {
      const LaunchedWork& work = source_.works[w];
      const auto at =
          std::lower_bound(joined_.begin(), joined_.end(), work.event,
                           [](const analyze::JoinedWork& j, std::uint32_t event) { return j.work < event; });
      if (work.call == kNoNumber32 || at == joined_.end() || at->work != work.event) continue;
      const CapturedProgram& program = programs_[at->capture][at->rank];
      const std::uint32_t row = program.row_of_call[at->call];
      if (row == kNoRow || !is_operator(program, row) || communicates(program, row)) continue;
      const auto [known, is_new] = of_call.try_emplace({work.call, &program}, launches_.size());
      if (is_new) launches_.push_back({&program, nullptr, work.launch, {}, 0});
      launches_[known->second].works.emplace_back(w, row);
    }
  }

  [[nodiscard]] std::uint32_t outermost(const CapturedProgram& program, std::uint32_t row) const {
    for (std::uint32_t above = program.order.parent[row]; above != kNoRow && is_operator(program, above);
         above = program.order.parent[above])
      row = above;
    return row;
  }

  const Stretch& stretch_of(const Launch& launch) {
    const CapturedProgram& program = *launch.program;
    std::uint32_t first = ~std::uint32_t{0}, last = 0;
    for (const auto& [work, row] : launch.works) {
      const std::uint32_t top = outermost(program, row);
      first = std::min(first, program.order.begin[top]), last = std::max(last, program.order.end[top]);
    }
    const auto [at, is_new] = stretches_.try_emplace({&program, first, last});
    if (is_new) at->second = made_stretch(program, first, last);
    return at->second;
  }

  Stretch made_stretch(const CapturedProgram& program, std::uint32_t first, std::uint32_t last) {
    Stretch stretch;
    for (std::uint32_t v = first; v <= last; ++v) {
      const Visit visit = program.order.visits[v];
      if (!visit.is_end) {
        // What goes on beyond the stretch is no part of it; steps would be counted as those of the job.
        if (program.order.end[visit.row] > last || communicates(program, visit.row) ||
            is_step_name(name_of(program, *source_.strings, visit.row)))
          continue;
        stretch.place[visit.row] = count(stretch.rows);
        stretch.rows.push_back(visit.row);
      }
      const auto at = stretch.place.find(visit.row);
      if (at != stretch.place.end()) stretch.visits.push_back({at->second, visit.is_end});
    }
    for (const std::uint32_t row : stretch.rows) {
      std::uint32_t above = program.order.parent[row];
      while (above != kNoRow && !stretch.place.contains(above)) above = program.order.parent[above];
      stretch.parent.push_back(above == kNoRow ? kNoRow : stretch.place[above]);
      const auto uses = program.arguments.tensors_of(row);
      stretch.uses.emplace_back(uses.begin(), uses.end());
    }
    number_storages(program, stretch);
    return stretch;
  }

  // One table for all stretches of profiled captures: graphs of several batches share their weights that way.
  void number_storages(const CapturedProgram& program, Stretch& stretch) {
    if (!program.is_profiled) {
      const auto [known, is_new] = programs_used_.try_emplace(&program, programs_used_.size() + 1);
      for (std::vector<trace::TensorUse>& uses : stretch.uses) {
        for (trace::TensorUse& use : uses) use.storage ^= std::uint64_t{known->second} << kProgramBits;
      }
      return;
    }
    std::map<std::string, std::uint32_t> seen;  // how often in this stretch
    for (std::size_t i = 0; i < stretch.rows.size(); ++i) {
      const auto lists = pytorch_et::input_lists(*program.host, stretch.rows[i]);
      auto use = stretch.uses[i].begin();
      for (const RecordedValue& value : values_of(lists.values, lists.types, lists.shapes, lists.strides)) {
        if (!is_tensor(value) || use == stretch.uses[i].end()) continue;
        const std::string look = std::string(value.type) + std::string(value.shape) + std::string(value.stride);
        const auto [at, is_new] =
            look_numbers_.try_emplace({look, seen[look]++}, static_cast<std::uint64_t>(look_numbers_.size()) + 1);
        (use++)->storage = at->second | std::uint64_t{0xff} << kProgramBits;
      }
    }
  }

  // All texts in one, so that rows of the job and of captures are read alike.
  void add_rows() {
    const trace::HostTrace& job = *source_.host;
    auto host = std::make_shared<trace::HostTrace>();
    auto text = std::make_shared<std::string>(job.content);
    trace::copy_head(job, *host);
    std::vector<std::uint32_t> all(job.size());
    for (std::uint32_t row = 0; row < all.size(); ++row) all[row] = row;
    trace::copy_rows(job, all, *host);
    host->id.append(std::span(job.id.data(), job.id.size()));
    host->parent.append(std::span(job.parent.data(), job.parent.size()));
    std::uint64_t next_id = all.empty() ? 1 : *std::max_element(job.id.begin(), job.id.end()) + 1;
    std::map<const CapturedProgram*, std::uint64_t> text_of;
    for (Launch& launch : launches_) {
      const auto [at, is_new] = text_of.try_emplace(launch.program, text->size());
      if (is_new) *text += launch.program->host->content;
      launch.first_row = count(host->id);
      append_launch(launch, at->second, next_id, *host);
      next_id += launch.stretch->rows.size();
    }
    text->append(kTextPadding, '\0');
    host->text_owner = text;
    host->content = std::string_view(*text).substr(0, text->size() - kTextPadding);
    source_.owned_host = std::move(host);
    source_.host = source_.owned_host.get();
    if (!source_.is_aside.empty()) source_.is_aside.resize(source_.host->size(), 0);
  }

  void append_launch(const Launch& launch, std::uint64_t text, std::uint64_t next_id, trace::HostTrace& host) {
    const trace::HostTrace& from = *launch.program->host;
    const auto moved = [&](trace::TextRange range) {
      return range.size == 0 ? range : trace::TextRange{range.begin + text, range.size};
    };
    for (std::size_t i = 0; i < launch.stretch->rows.size(); ++i) {
      const std::uint32_t row = launch.stretch->rows[i], above = launch.stretch->parent[i];
      host.id.push_back(next_id + i);
      host.parent.push_back(above == kNoRow ? next_id + i : next_id + above);
      host.name.push_back(from.name[row]);
      host.record_function.push_back(trace::kNoNumber);
      host.forward_parent.push_back(trace::kNoNumber);
      host.sequence_number.push_back(trace::kNoNumber);
      host.scope.push_back(from.scope[row]);
      // Whoever captured it: the thread that launches the graph does it all.
      host.thread.push_back(launch.moment.thread);
      host.forward_thread.push_back(trace::kNoNumber);
      host.op_schema.push_back(from.op_schema[row]);
      host.object.push_back(moved(from.object[row]));
      host.inputs.push_back(moved(from.inputs[row]));
      host.outputs.push_back(moved(from.outputs[row]));
      host.attributes.push_back(moved(from.attributes[row]));
      const std::vector<trace::TensorUse>& uses = launch.stretch->uses[i];
      arguments_.tensors.append(std::span(uses.data(), uses.size()));
      arguments_.first.push_back(count(arguments_.tensors));
      source_.begin.push_back(launch.moment.begin), source_.end.push_back(launch.moment.end);
    }
  }

  /// How many visits come in before a moment.
  [[nodiscard]] std::uint32_t inserted_before(std::uint32_t before, TimePs time) const {
    const auto at = std::partition_point(launches_.begin(), launches_.end(), [&](const Launch& launch) {
      return std::pair(launch.moment.before, launch.moment.begin) <= std::pair(before, time);
    });
    return inserted_[static_cast<std::size_t>(at - launches_.begin())];
  }

  void move_moments() {
    for (LaunchedWork& work : source_.works)
      work.launch.before += inserted_before(work.launch.before, work.launch.begin);
    for (StreamAction& action : source_.actions)
      action.moment.before += inserted_before(action.moment.before, action.moment.begin);
    for (auto& [row, hint] : source_.hints) {
      if (hint.over_before != kNoNumber32)
        hint.over_before += inserted_before(hint.over_before, std::numeric_limits<TimePs>::max());
    }
  }

  void add_visits() {
    RowOrder& order = source_.order;
    const std::vector<Visit> old = std::move(order.visits);
    order.visits.clear();
    order.visits.reserve(old.size() + inserted_.back());
    order.begin.resize(source_.host->size()), order.end.resize(source_.host->size());
    order.parent.resize(source_.host->size(), kNoRow);
    const auto visit = [&](std::uint32_t row, bool is_end) {
      (is_end ? order.end : order.begin)[row] = count(order.visits);
      order.visits.push_back({row, is_end});
    };
    auto next = launches_.begin();
    for (std::uint32_t v = 0; v <= old.size(); ++v) {
      for (; next != launches_.end() && next->moment.before <= v; ++next) {
        const std::uint32_t first = count(order.visits);
        for (const Visit& captured : next->stretch->visits) visit(next->first_row + captured.row, captured.is_end);
        source_.graphs.push_back({first, count(order.visits) - 1, source_.works[next->works.front().first].stream});
      }
      if (v < old.size()) visit(old[v].row, old[v].is_end);
    }
    for (const Launch& launch : launches_) {
      const std::uint32_t around = row_around(launch);
      for (std::size_t i = 0; i < launch.stretch->rows.size(); ++i) {
        const std::uint32_t above = launch.stretch->parent[i];
        order.parent[launch.first_row + i] = above == kNoRow ? around : launch.first_row + above;
      }
    }
  }

  /// The row that launched the graph, if it was still going on.
  [[nodiscard]] std::uint32_t row_around(const Launch& launch) const {
    const std::uint32_t row = launch.moment.row;
    if (row == kNoRow || launch.stretch->rows.empty()) return kNoRow;
    const RowOrder& order = source_.order;
    const bool is_around = order.begin[row] < order.begin[launch.first_row] &&
                           order.end[launch.first_row + launch.stretch->visits.back().row] < order.end[row];
    return is_around ? row : kNoRow;
  }

  void move_works() {
    for (const Launch& launch : launches_) {
      for (const auto& [work, row] : launch.works) {
        const auto place = launch.stretch->place.find(row);
        if (place == launch.stretch->place.end()) continue;  // of a damaged file, whose rows do not lie in one another
        HostMoment& moment = source_.works[work].launch;
        moment.row = launch.first_row + place->second;
        moment.before = source_.order.begin[moment.row] + 1;
      }
    }
    std::stable_sort(source_.works.begin(), source_.works.end(), [](const LaunchedWork& a, const LaunchedWork& b) {
      return std::pair(a.launch.before, a.launch.begin) < std::pair(b.launch.before, b.launch.begin);
    });
    std::stable_sort(source_.actions.begin(), source_.actions.end(), [](const StreamAction& a, const StreamAction& b) {
      return std::pair(a.moment.before, a.moment.begin) < std::pair(b.moment.before, b.moment.begin);
    });
  }

  std::span<const analyze::JoinedWork> joined_;
  const std::vector<std::vector<CapturedProgram>>& programs_;
  RankSource& source_;
  trace::HostArguments& arguments_;
  std::vector<Launch> launches_;
  std::vector<std::uint32_t> inserted_;  // visits of the first i launches
  std::map<std::tuple<const CapturedProgram*, std::uint32_t, std::uint32_t>, Stretch> stretches_;  // only looked up
  std::map<const CapturedProgram*, std::size_t> programs_used_;
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> look_numbers_;
};

}  // namespace

void call_graphs(std::span<const analyze::JoinedWork> joined, const std::vector<std::vector<CapturedProgram>>& programs,
                 RankSource& source, trace::HostArguments& arguments) {
  GraphCalls(joined, programs, source, arguments).run();
}

}  // namespace orrery::replay::torch
