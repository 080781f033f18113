#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/limits.h"
#include "formats/goal/binary_layout.h"
#include "formats/goal/rank_program.h"
#include "formats/goal/reader.h"
#include "report/counted.h"

// Header, table of ranks, and per rank a block of nodes with an appendix that lists dependents. Each count is checked
// against the bytes that are there before anything is sized by it, and both ends of every dependency must agree on how
// many there are.

namespace orrery::goal {
namespace {

using workload::ActivityKind;
using workload::Dependency;

/// One rank's block: counts, roots, nodes, and the appendix with the numbers of dependents. Invariant: all of them lie
/// within the file.
struct Block {
  std::uint64_t offset = 0;  ///< of the block in the file
  std::uint32_t nodes = 0;
  const char* first_node = nullptr;
  const char* appendix = nullptr;
  std::uint64_t appendix_entries = 0;

  [[nodiscard]] const char* node(std::uint32_t i) const { return first_node + std::size_t{i} * kNodeBytes; }
  [[nodiscard]] std::uint32_t dependent(std::uint64_t i) const { return load<std::uint32_t>(appendix + i * 4); }
};

class BinaryParser {
 public:
  BinaryParser(std::string_view bytes, const std::string& path) : bytes_(bytes), path_(path) {}

  Result<workload::Workload> parse();

 private:
  Result<Block> find_block(std::uint32_t rank) const;
  Status add_node(const Block& block, std::uint32_t i, RankProgram& program) const;
  Status add_dependents(const Block& block, std::uint32_t i, RankProgram& program,
                        Column<std::uint32_t>& incoming) const;
  Result<workload::Program> parse_rank(std::uint32_t rank) const;

  [[nodiscard]] Error error(std::string message, std::uint64_t offset, std::string hint = {}) const {
    return {std::move(message), path_, offset, std::move(hint)};
  }
  [[nodiscard]] std::uint64_t offset_of(const char* at) const { return static_cast<std::uint64_t>(at - bytes_.data()); }

  std::string_view bytes_;
  const std::string& path_;
  std::uint32_t rank_count_ = 0;
};

Result<Block> BinaryParser::find_block(std::uint32_t rank) const {
  const std::uint64_t entry = kCookieBytes + kHeaderBytes + std::uint64_t{rank} * kRankEntryBytes;
  const auto begin = load<std::uint64_t>(bytes_.data() + entry), end = load<std::uint64_t>(bytes_.data() + entry + 8);
  const std::uint64_t available = bytes_.size() - kCookieBytes;
  if (begin > end || end > available || end - begin < kBlockHeaderBytes)
    return error(fmt::format("rank {} lies from {} to {}, which is not within the file", rank, begin, end), entry);
  Block block{.offset = begin + kCookieBytes};
  const char* const start = bytes_.data() + block.offset;
  block.nodes = load<std::uint32_t>(start);
  const std::uint64_t roots = load<std::uint32_t>(start + 4);
  const std::uint64_t size = end - begin,
                      fixed = kBlockHeaderBytes + roots * 4 + std::uint64_t{block.nodes} * kNodeBytes;
  if (fixed > size)
    return error(fmt::format("rank {} has {} and {} roots, which do not fit its {} bytes", rank,
                             report::counted(block.nodes, "node"), roots, size),
                 block.offset);
  block.first_node = start + kBlockHeaderBytes + roots * 4;
  block.appendix = start + fixed;
  block.appendix_entries = (size - fixed) / 4;
  return block;
}

Status BinaryParser::add_node(const Block& block, std::uint32_t i, RankProgram& program) const {
  const char* const at = block.node(i);
  const auto type = static_cast<NodeType>(at[node_offset::type]);
  const auto size = load<std::uint64_t>(at + node_offset::size);
  Operation operation{.size = static_cast<std::int64_t>(size),
                      .cpu = load<std::uint8_t>(at + node_offset::cpu),
                      .nic = load<std::uint8_t>(at + node_offset::nic)};
  if (type == NodeType::calc) {
    if (size > static_cast<std::uint64_t>(kMaxCalcNs))
      return error(fmt::format("a calc of {} ns", size), offset_of(at));
    operation.nic = 0;
    program.add(operation);
    return {};
  }
  if (type != NodeType::send && type != NodeType::recv)
    return error(fmt::format("an operation of the unknown type {}", static_cast<int>(type)), offset_of(at));
  operation.kind = type == NodeType::send ? ActivityKind::send : ActivityKind::recv;
  const auto peer = load<std::uint32_t>(at + node_offset::peer), tag = load<std::uint32_t>(at + node_offset::tag);
  const bool any_source = peer == kAny && type == NodeType::recv;
  if (!any_source && peer >= rank_count_)
    return error(fmt::format("rank {} does not exist: there are {}", peer, rank_count_), offset_of(at));
  if (size > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return error(fmt::format("a message of {} bytes", size), offset_of(at));
  operation.peer = any_source ? -1 : static_cast<std::int32_t>(peer);
  operation.tag = tag == kAny ? -1 : std::int64_t{tag};
  program.add(operation);
  return {};
}

Status BinaryParser::add_dependents(const Block& block, std::uint32_t i, RankProgram& program,
                                    Column<std::uint32_t>& incoming) const {
  const char* const at = block.node(i);
  const auto add = [&](std::size_t count_at, std::size_t first_at, Dependency type) -> Status {
    const std::uint64_t count = load<std::uint32_t>(at + count_at), first = load<std::uint32_t>(at + first_at);
    if (count == 0) return {};
    if (first + count > block.appendix_entries)
      return error(fmt::format("dependents {} to {} of {}", first, first + count, block.appendix_entries),
                   offset_of(at));
    for (std::uint64_t k = first; k < first + count; ++k) {
      const std::uint32_t dependent = block.dependent(k);
      if (dependent >= block.nodes || dependent == i)
        return error(fmt::format("node {} of {} cannot wait for node {}", dependent, block.nodes, i),
                     offset_of(block.appendix + k * 4));
      program.require(dependent, i, type);
      ++incoming[dependent];
    }
    return {};
  };
  if (Status added = add(node_offset::dependents, node_offset::first_dependent, Dependency::data); !added) return added;
  return add(node_offset::start_dependents, node_offset::first_start_dependent, Dependency::start);
}

Result<workload::Program> BinaryParser::parse_rank(std::uint32_t rank) const {
  const Result<Block> block = find_block(rank);
  if (!block) return block.error();
  RankProgram program;
  Column<std::uint32_t> incoming(block->nodes, 0);
  std::uint64_t dependents = 0;
  for (std::uint32_t i = 0; i < block->nodes; ++i) {
    if (const Status added = add_node(*block, i, program); !added) return added.error();
    dependents += load<std::uint32_t>(block->node(i) + node_offset::dependents);
    dependents += load<std::uint32_t>(block->node(i) + node_offset::start_dependents);
  }
  // Every entry of the appendix belongs to one node: without this check a few bytes could stand for very many
  // dependencies.
  if (dependents > block->appendix_entries)
    return error(fmt::format("rank {} has {} dependents but room for {}", rank, dependents, block->appendix_entries),
                 block->offset);
  for (std::uint32_t i = 0; i < block->nodes; ++i) {
    if (const Status added = add_dependents(*block, i, program, incoming); !added) return added.error();
  }
  for (std::uint32_t i = 0; i < block->nodes; ++i) {
    const auto promised = load<std::uint32_t>(block->node(i) + node_offset::dependencies);
    if (promised != incoming[i])
      return error(
          fmt::format("node {} of rank {} waits for {} others, but {} name it", i, rank, promised, incoming[i]),
          offset_of(block->node(i)), "a schedule that a simulation was interrupted in?");
  }
  Result<workload::Program> built = std::move(program).build();
  if (!built) return error(fmt::format("rank {}: {}", rank, built.error().message), block->offset);
  return built;
}

Result<workload::Workload> BinaryParser::parse() {
  if (load<std::uint64_t>(bytes_.data()) == kConsumedCookie)
    return error("this schedule was used up by a simulation that ran in place", 0,
                 "make it again from its text with txt2bin");
  if (bytes_.size() < kCookieBytes + kHeaderBytes) return error("the file ends within its header", bytes_.size());
  rank_count_ = load<std::uint32_t>(bytes_.data() + kCookieBytes);
  // Checked before anything is sized by it.
  if (rank_count_ == 0 ||
      rank_count_ > most_in(bytes_.size() - kCookieBytes - kHeaderBytes, kRankEntryBytes + kBlockHeaderBytes))
    return error(fmt::format("{} cannot be in a file of {} bytes", report::counted(rank_count_, "rank"), bytes_.size()),
                 kCookieBytes);
  workload::Workload workload;
  workload.program_of_rank.assign(rank_count_, 0);
  std::uint64_t total = 0;
  for (std::uint32_t rank = 0; rank < rank_count_; ++rank) {
    Result<workload::Program> program = parse_rank(rank);
    if (!program) return std::move(program.error());
    // Ranks have blocks of their own: without this check a few bytes could stand for very many operations.
    total += program->size() * kNodeBytes;
    if (total > bytes_.size())
      return error(fmt::format("the blocks of ranks up to {} overlap", rank), kCookieBytes + kHeaderBytes);
    workload.program_of_rank[rank] = rank;
    workload.programs.push_back(std::move(*program));
  }
  return workload;
}

}  // namespace

Result<workload::Workload> parse_binary(std::string_view bytes, const std::string& path) {
  if (bytes.size() < kCookieBytes) return Error{"the file is too short for a binary schedule", path};
  return BinaryParser(bytes, path).parse();
}

}  // namespace orrery::goal
