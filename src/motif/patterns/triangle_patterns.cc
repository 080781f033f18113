// Counting triangles in a graph: a server hands out pairs of parts of the vertices, and who gets one fetches the edges
// of both from whoever has them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "base/io/file_content.h"
#include "base/numbers.h"
#include "motif/patterns/catalog.h"

namespace orrery::motif {
namespace {

constexpr std::array kTriangles = {
    Parameter{"vertices_filename", ParameterKind::text, "",
              "text: the number of edges, then each vertex and its first edge; left out: as below"},
    Parameter{"use_constant_degree", ParameterKind::flag, "1", "every vertex has as many edges; ignored with a file"},
    Parameter{"scale", ParameterKind::count, "10", "2^scale vertices"},
    Parameter{"constant_degree", ParameterKind::count, "16", "edges of a vertex"},
    Parameter{"computetime", ParameterKind::number, "0", "ns for each pair of parts"}};

constexpr std::uint64_t kMostScale = 28;
constexpr std::uint64_t kMostFetches = std::uint64_t{1} << 26;  // of all ranks, all of which are held
constexpr std::size_t kMostVertexBytes = std::size_t{1} << 30;
constexpr std::int64_t kWord = 8;
constexpr std::int64_t kTaskTag = 0, kFetchTag = 1, kEdgesTag = 2;

/// Edges are numbered by the vertex that they begin at; `first[v]` is the first of vertex v, and one more entry ends
/// the last.
struct EdgeList {
  std::uint64_t edges = 0;
  std::uint64_t degree = 0;  // of every vertex; 0: as in `first`
  std::uint64_t vertices = 0;
  std::vector<std::uint64_t> first;

  [[nodiscard]] std::uint64_t first_of(std::uint64_t vertex) const {
    return degree > 0 ? vertex * degree : first[vertex];
  }
};

Result<EdgeList> read_vertices(const std::string& path) {
  const auto text = read_whole_file(path, kMostVertexBytes);
  if (!text) return text.error();
  std::vector<std::uint64_t> numbers;
  for (std::string_view rest = *text; !rest.empty();) {
    if (rest.front() == ' ' || rest.front() == '\t' || rest.front() == '\n' || rest.front() == '\r')
      rest.remove_prefix(1);
    else if (!take_number(rest, numbers.emplace_back()))
      return Error{
          .message = "not a number", .file = path, .offset = static_cast<std::uint64_t>(text->size() - rest.size())};
  }
  if (numbers.size() < 3 || numbers.size() % 2 == 0)
    return Error{.message = "the number of edges and then two numbers for each vertex are wanted", .file = path};
  EdgeList list{.edges = numbers[0], .degree = 0, .vertices = numbers.size() / 2, .first = {}};
  for (std::size_t i = 1; i < numbers.size(); i += 2) {
    if (numbers[i] != i / 2) return Error{.message = fmt::format("vertex {} is missing", i / 2), .file = path};
    if (numbers[i + 1] > list.edges || (i > 1 && numbers[i + 1] < list.first.back()))
      return Error{.message = fmt::format("the edges of vertex {} do not follow those before", i / 2), .file = path};
    list.first.push_back(numbers[i + 1]);
  }
  list.first.push_back(list.first.back());  // the last vertex has no edge that no other has
  return list;
}

Result<EdgeList> edges_of(const Values& values) {
  if (values.has("vertices_filename")) return read_vertices(values.text("vertices_filename"));
  const std::uint64_t scale = values.count("scale"), degree = values.count("constant_degree");
  if (!values.flag("use_constant_degree")) return Error{"vertices_filename is wanted, or use_constant_degree"};
  if (scale > kMostScale || degree < 1 || degree > std::uint64_t{1} << 30)
    return Error{fmt::format("scale up to {} and constant_degree from 1 to 2^30 can be run", kMostScale)};
  return EdgeList{.edges = (std::uint64_t{1} << scale) * degree,
                  .degree = degree,
                  .vertices = std::uint64_t{1} << scale,
                  .first = {}};
}

/// Cuts the vertices into parts, the first ones larger than the last, so that pairs of them are alike in work; `parts`
/// of them are aimed at. What is returned begins each part, and ends the last.
std::vector<std::uint64_t> cut_vertices(const EdgeList& list, std::uint64_t parts) {
  const auto share = [&](double of) {
    return static_cast<std::uint64_t>(of * static_cast<double>(list.edges) / static_cast<double>(parts));
  };
  std::vector<std::uint64_t> starts = {0};
  std::uint64_t target = share(1.5);
  for (std::uint64_t vertex = 0, number = 1; vertex < list.vertices; ++vertex) {
    const std::uint64_t first = list.first_of(vertex);
    if (first < target) continue;
    if (vertex > 0) starts.push_back(vertex);
    if (target == list.edges) break;
    const auto quarter = static_cast<double>(number) / static_cast<double>(parts);
    target = std::min(first + share(quarter < 0.25 ? 1.5 : quarter < 0.75 ? 1.0 : 0.5), list.edges);
    ++number;
  }
  starts.push_back(list.vertices);
  return starts;
}

/// Who fetches how many edges from whom, by round; rank 0 is the server, and holds none.
struct TriangleTasks {
  struct Fetch {
    std::uint32_t rank = 0;
    std::int64_t bytes = 0;
  };
  std::uint32_t ranks = 0;
  std::uint64_t tasks = 0;
  TimePs compute = 0;
  std::vector<std::vector<Fetch>> fetched, served;  // by round and rank

  [[nodiscard]] std::uint64_t clients() const { return ranks - 1; }
  [[nodiscard]] std::uint64_t rounds() const { return (tasks + clients() - 1) / clients() + 1; }
  /// Tasks are handed out in turn.
  [[nodiscard]] bool has_task(std::uint64_t round, std::uint32_t rank) const {
    return round * clients() + rank - 1 < tasks;
  }
  /// It asks in vain once.
  [[nodiscard]] bool asks(std::uint64_t round, std::uint32_t rank) const {
    return has_task(round, rank) || round == 0 || has_task(round - 1, rank);
  }

  void append_server(Script& script, std::uint64_t round) const {
    script.phase("tasks");
    for (std::uint32_t rank = 1; rank < ranks; ++rank) {
      if (!asks(round, rank)) continue;
      script.recv(rank, kWord, kTaskTag);
      script.send(rank, kWord, kTaskTag);
    }
    for (std::uint32_t rank = 1; rank < ranks && round + 1 == rounds(); ++rank) script.send(rank, kWord, kTaskTag);
  }
  void append_client(Script& script, std::uint32_t rank, std::uint64_t round) const {
    script.phase("tasks");
    if (asks(round, rank)) {
      script.send(0, kWord, kTaskTag);
      script.recv(0, kWord, kTaskTag);
    }
    script.phase("edges");
    const auto &mine = fetched[round * ranks + rank], &theirs = served[round * ranks + rank];
    std::vector<Script::StepId> asked;
    for (const Fetch& fetch : theirs) asked.push_back(script.irecv(fetch.rank, kWord, kFetchTag));
    for (const Fetch& fetch : mine) {
      script.irecv(fetch.rank, fetch.bytes, kEdgesTag);
      script.isend(fetch.rank, kWord, kFetchTag);
    }
    for (std::size_t i = 0; i < theirs.size(); ++i) {
      script.wait(asked[i]);
      script.isend(theirs[i].rank, theirs[i].bytes, kEdgesTag);
    }
    script.wait_all();
    script.phase("count");
    if (has_task(round, rank)) script.compute(compute);
    script.phase("tasks");
    if (round + 1 == rounds()) script.recv(0, kWord, kTaskTag);
  }
};

/// The edges lie in as many blocks as there are clients, of equal size but for one, the larger ones last.
struct EdgeBlocks {
  std::uint64_t edges, clients;

  [[nodiscard]] std::uint64_t begin(std::uint64_t block) const {
    const std::uint64_t even = edges / clients, larger_from = clients - edges % clients;
    return block * even + (block > larger_from ? block - larger_from : 0);
  }
  /// Calls take(block, edges) for each block with edges of [from, to].
  template <typename Take>
  void each(std::uint64_t from, std::uint64_t to, const Take& take) const {
    std::uint64_t block = std::min(from / std::max<std::uint64_t>(1, edges / clients), clients - 1);
    while (block > 0 && begin(block) > from) --block;
    for (; block < clients && begin(block) <= to; ++block) {
      const std::uint64_t first = std::max(begin(block), from), behind = std::min(begin(block + 1), to + 1);
      if (behind > first) take(static_cast<std::uint32_t>(block), behind - first);
    }
  }
};

Result<Pattern> count_triangles(const Values& values, std::uint32_t ranks) {
  if (ranks < 2) return Error{"it takes at least 2 ranks, not 1"};
  const auto list = edges_of(values);
  if (!list) return list.error();
  const auto made = std::make_shared<TriangleTasks>();
  made->ranks = ranks;
  made->compute = values.nanoseconds("computetime");
  // About six tasks for each client, one for every pair of parts.
  const auto parts =
      static_cast<std::uint64_t>(std::llround((std::sqrt(1 + 48 * static_cast<double>(ranks - 1)) - 1) / 2));
  made->tasks = parts * (parts + 1) / 2;
  const std::vector<std::uint64_t> starts = cut_vertices(*list, parts);
  const EdgeBlocks blocks{list->edges, made->clients()};
  made->fetched.resize(made->rounds() * ranks);
  made->served.resize(made->rounds() * ranks);
  std::vector<std::array<std::uint64_t, 2>> held(
      ranks, {~std::uint64_t{0}, ~std::uint64_t{0}});  // the parts of the task before
  std::uint64_t fetches = 0;
  const auto fetch_part = [&](std::uint64_t round, std::uint32_t rank, std::uint64_t part) {
    const std::uint64_t from = list->first_of(starts[part]), behind = list->first_of(starts[part + 1]);
    blocks.each(from, behind == from ? from : behind - 1, [&](std::uint32_t block, std::uint64_t edges) {
      const std::uint32_t owner = block + 1;
      if (owner == rank) return;
      const auto bytes = static_cast<std::int64_t>(edges) * kWord;
      made->fetched[round * ranks + rank].push_back({owner, bytes});
      made->served[round * ranks + owner].push_back({rank, bytes});
      ++fetches;
    });
  };
  std::uint64_t task = 0;
  for (std::uint64_t i = 0; i < parts; ++i) {
    for (std::uint64_t j = i; j < parts; ++j, ++task) {
      if (j + 1 >= starts.size()) continue;  // fewer parts than were aimed at
      const std::uint64_t round = task / made->clients();
      const auto rank = static_cast<std::uint32_t>(task % made->clients()) + 1;
      if (held[rank][0] != i) fetch_part(round, rank, held[rank][0] = i);
      if (held[rank][1] != j && j != i) fetch_part(round, rank, held[rank][1] = j);
      if (fetches > kMostFetches)
        return Error{fmt::format("more than {} messages with edges: fewer ranks can do it", kMostFetches)};
    }
  }
  Pattern pattern;
  pattern.rounds = made->rounds();
  pattern.rounds_alike = false;
  pattern.append = [made](Script& script, std::uint32_t rank, std::uint64_t round) {
    rank == 0 ? made->append_server(script, round) : made->append_client(script, rank, round);
  };
  return pattern;
}

constexpr std::array kTrianglePatterns = {PatternInfo{
    "tricount", "triangles of a graph: rank 0 hands out tasks, the others fetch the edges for them from each other",
    kTriangles, count_triangles}};

}  // namespace

std::span<const PatternInfo> triangle_patterns() { return kTrianglePatterns; }

}  // namespace orrery::motif
