// Asks arbitrary SQL of a small trace. Whatever it is, it is answered or refused with a sentence; nothing is changed by
// it, and no file appears.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "query/database.h"

namespace {

using namespace orrery;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

trace::Trace small_trace() {
  trace::Trace job;
  trace::RankTrace& rank = job.ranks.emplace_back();
  rank.lanes.resize(2);
  rank.categories = {{job.strings.intern("cpu_op"), trace::Activity::cpu_operator},
                     {job.strings.intern("kernel"), trace::Activity::kernel}};
  for (std::uint32_t e = 0; e < 12; ++e) {
    trace::EventRow row{.start = TimePs{e} * 1000,
                        .duration = 1500,
                        .name = job.strings.intern(e % 3 == 0 ? "aten::mm" : "gemm"),
                        .lane = e % 2};
    row.category = static_cast<std::uint16_t>(e % 2);
    rank.field(trace::Field::correlation).push(rank.append_event(row, {e, e}), e / 2);
  }
  return job;
}

std::size_t files_here() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(".")) ++count;
  return count;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const trace::Trace trace = small_trace();
  static Diagnostics remarks;
  // In a folder of its own: what SQL may name as a file would appear there.
  static const bool is_apart = [] {
    std::string folder = (std::filesystem::temp_directory_path() / "orrery-query-fuzz-XXXXXX").string();
    require(::mkdtemp(folder.data()) != nullptr, "no folder of its own");
    std::filesystem::current_path(folder);
    return true;
  }();
  require(is_apart, "not apart");
  Result<query::Database> database = query::Database::open({.trace = trace, .remarks = remarks});
  require(database.ok(), "the database does not open");
  // Enough for any question about a dozen events; the product of ten tables ends here.
  int looks = 0;
  database->stop_if([&] { return ++looks > 200; });
  const Result<query::Answer> answer = database->ask(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!answer) require(!answer.error().message.empty(), "an error without a sentence");
  database->stop_if({});
  const Result<query::Answer> after = database->ask("SELECT count(*), sum(dur_ps), max(name) FROM events");
  require(after.ok() && after->rows() == 1 && after->at(0, 0) == query::Value(std::int64_t{12}) &&
              after->at(0, 1) == query::Value(std::int64_t{18000}) &&
              after->at(0, 2) == query::Value(std::string_view("gemm")),
          "the trace has changed");
  require(database->ask("SELECT count(*) FROM slice").ok(), "a view is gone");
  require(files_here() == 0, "a file has appeared");
  return 0;
}
