#include "trace/read_rank.h"

#include <doctest/doctest.h>

#include <cstring>

#include "trace/columns.h"

namespace orrery::trace {
namespace {

constexpr DiagnosticKind kOdd{"T900", Severity::warning, "odd event", "it was kept"};

template <typename T>
bool same(const Column<T>& a, const Column<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

ReadRank sample_rank() {
  ReadRank read;
  RankTrace& rank = read.rank;
  rank.rank = 3;
  rank.epoch_unix_ns = 1'790'000'000'000'000'000;
  rank.source.path = "rank3.json";
  rank.source.format = "kineto";
  rank.source.rank = 3;
  rank.source.devices = {{0, "GPU \"0\"", 80'000'000'000, 132}, {1, "", 0, -1}};
  rank.source.properties = {{"displayTimeUnit", "\"ms\""}};
  rank.source.groups = {{"dp", {3, 1}}};
  const StringId mm = read.strings.intern("aten::mm"), gpu = read.strings.intern("GPU"),
                 extra = read.strings.intern("value");
  rank.categories = {{read.strings.intern("kernel"), Activity::kernel}};
  rank.lanes = {{.process = {7, 0}, .thread = {0, gpu}, .process_name = gpu, .thread_name = 0, .clock = 1}};
  rank.append_event({.start = 5, .duration = 10, .name = mm}, {0, 100});
  rank.append_event({.start = -3, .duration = 0, .name = gpu, .phase = 'i', .flags = 0}, {4, 300});
  rank.field(Field::stream).push(1, 7);
  rank.arguments.named("of this format only", ValueType::text).push(0, extra);
  rank.arguments.named("another", ValueType::integer).push(1, -1);
  rank.flows.id.push_back(-1);
  rank.flows.time.push_back(12);
  rank.flows.lane.push_back(0);
  rank.flows.category.push_back(0);
  rank.flows.phase.push_back('s');
  read.diagnostics.add_many(kOdd, 3, "rank3.json: byte 5");
  return read;
}

}  // namespace

TEST_CASE("a rank that another process read is the rank, to the last value") {
  const ReadRank before = sample_rank();
  const std::string bytes = to_bytes(before);
  const Result<ReadRank> after = read_rank_from_bytes(bytes, "rank3.json");
  REQUIRE(after);
  for_each_event_column([&](const auto& column) {
    INFO(std::string(column.name));
    CHECK(same(before.rank.*column.values, after->rank.*column.values));
  });
  for_each_flow_column(
      [&](const auto& column) { CHECK(same(before.rank.flows.*column.values, after->rank.flows.*column.values)); });
  std::vector<std::string> names;
  ArgumentTable::for_each(before.rank.arguments,
                          [&](std::string_view name, auto, ValueType, const SparseColumn& column) {
                            if (!column.event.empty()) names.emplace_back(name);
                          });
  std::size_t seen = 0;
  ArgumentTable::for_each(after->rank.arguments,
                          [&](std::string_view name, auto, ValueType type, const SparseColumn& column) {
                            if (column.event.empty()) return;
                            CHECK(names[seen++] == name);
                            if (name == "of this format only") CHECK(type == ValueType::text);
                            CHECK(column.event.size() == column.value.size());
                          });
  CHECK(seen == 3);
  REQUIRE(after->rank.source.devices.size() == 2);
  CHECK(after->rank.source.devices[0].name == "GPU \"0\"");
  CHECK(after->rank.source.devices[1].multiprocessors == -1);
  CHECK(after->rank.source.groups[0].ranks == std::vector<std::int64_t>{3, 1});
  CHECK(after->rank.lanes[0].clock == 1);
  for (StringId id = 0; id < before.strings.size(); ++id) CHECK(after->strings.text(id) == before.strings.text(id));
  // Remarks merge with those of this process, by their code.
  Diagnostics all;
  all.add(kOdd, [] { return "first"; });
  all.merge(after->diagnostics);
  CHECK(all.count(kOdd) == 4);
  CHECK(std::string(after->diagnostics.sorted()[0].kind->hint) == "it was kept");
  CHECK(to_bytes(*after) == bytes);
}

TEST_CASE("what is no rank is an error") {
  const std::string bytes = to_bytes(sample_rank());
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, bytes.size() / 2, bytes.size() - 1})
    CHECK(!read_rank_from_bytes(std::string_view(bytes).substr(0, size), "rank3.json"));
}

}  // namespace orrery::trace
