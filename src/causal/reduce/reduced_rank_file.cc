#include <optional>
#include <utility>

#include "base/io/section_file.h"
#include "causal/rank_file.h"
#include "causal/reduce/reduced_rank.h"
#include "trace/rank_file.h"

namespace orrery::causal {
namespace {

constexpr std::string_view kSkeletonFormat = "skeleton";
constexpr std::uint32_t kSkeletonVersion = 2;

class ReducedRankReader {
 public:
  explicit ReducedRankReader(const SectionFile& file) : file_(file) {}

  Result<ReducedRank> read() {
    ReducedRank rank;
    Result<trace::RankTrace> events = trace::read_rank_sections(file_, rank.strings);
    if (!events) return events.error();
    rank.events = std::move(*events);
    Result<RankGraph> step = read_step_sections(file_, StepContent::reduced);
    if (!step) return step.error();
    rank.to_join = std::move(*step);
    rank.to_join.owner_events.append(get<trace::EventIndex>("oEvt"));
    rank.to_join.class_name.append(get<StringId>("oCls"));
    read_pieces(rank.to_join);
    if (!error_) check(rank);
    if (error_) return *error_;
    return rank;
  }

 private:
  void fail(SectionTag tag, std::uint64_t byte, std::string message) {
    if (!error_) error_ = file_.error_at(tag, byte, std::move(message), "the file was not written by this program");
  }

  template <typename T>
  std::span<const T> get(SectionTag tag) {
    const auto values = file_.get<T>(tag);
    if (values) return *values;
    if (!error_) error_ = values.error();
    return {};
  }

  void read_pieces(RankGraph& step) {
    EdgePieces::Filed pieces;
    pieces.firsts.clear();
    pieces.classes.append(get<WorkClass>("pCls"));
    pieces.totals.append(get<TimePs>("pTot"));
    pieces.firsts.append(get<std::uint32_t>("pFst"));
    pieces.bytes.append(get<char>("pByt"));
    if (error_) return;
    for (std::size_t i = 0; i < pieces.classes.size(); ++i) {
      const WorkClass& work = pieces.classes[i];
      if (!is_of_rank(work.kind) || work.name >= step.strings.size() || work.class_name >= step.strings.size())
        return fail("pCls", i * sizeof(WorkClass), "not a kind or text");
    }
    if (!step.pieces.assign(pieces)) fail("pByt", 0, "the pieces cannot be read");
  }

  void check(const ReducedRank& rank) {
    const RankGraph& step = rank.to_join;
    if (step.owner_events.size() != step.owners.size() || step.class_name.size() != step.owners.size())
      return fail("oEvt", 0, "one value per owner is needed");
    for (const trace::EventIndex event : step.owner_events) {
      if (event >= rank.events.event_count()) return fail("oEvt", 0, "not an event");
    }
    for (const StringId name : step.class_name) {
      if (name >= step.strings.size()) return fail("oCls", 0, "not a text");
    }
    for (graph::Slot slot = 0; slot < step.graph.edge_count(); ++slot) {
      if (step.kind(slot) == EdgeKind::several && step.graph.edge_tag(slot) >= step.pieces.size())
        return fail("pFst", 0, "an edge has unknown pieces");
    }
  }

  const SectionFile& file_;
  std::optional<Error> error_;
};

}  // namespace

namespace {

/// `pieces`: those of the rank. Both must live until the last write.
void add_sections(SectionWriter& writer, const ReducedRank& rank, const EdgePieces::Filed& pieces) {
  const RankGraph& step = rank.to_join;
  trace::add_rank_sections(writer, rank.events, rank.strings);
  add_step_sections(writer, step);
  writer.add("oEvt", step.owner_events);
  writer.add("oCls", step.class_name);
  writer.add("pCls", pieces.classes);
  writer.add("pTot", pieces.totals);
  writer.add("pFst", pieces.firsts);
  writer.add("pByt", pieces.bytes);
}

}  // namespace

Status save_rank(const ReducedRank& rank, const std::string& path) {
  SectionWriter writer(kSkeletonFormat, kSkeletonVersion);
  const EdgePieces::Filed pieces = rank.to_join.pieces.filed();
  add_sections(writer, rank, pieces);
  return writer.write(path);
}

std::string rank_bytes(const ReducedRank& rank) {
  SectionWriter writer(kSkeletonFormat, kSkeletonVersion);
  const EdgePieces::Filed pieces = rank.to_join.pieces.filed();
  add_sections(writer, rank, pieces);
  return writer.to_bytes();
}

Result<ReducedRank> load_rank(const std::string& path) {
  const auto file = SectionFile::open(path, kSkeletonFormat, kSkeletonVersion);
  if (!file) return file.error();
  return ReducedRankReader(*file).read();
}

Result<ReducedRank> load_rank_from_bytes(std::string_view bytes, const std::string& name) {
  const auto file = SectionFile::from_bytes(bytes, name, kSkeletonFormat, kSkeletonVersion);
  if (!file) return file.error();
  return ReducedRankReader(*file).read();
}

}  // namespace orrery::causal
