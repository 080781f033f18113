#include "job/read/inputs.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

using Files = std::vector<std::string>;

Files expand(const Files& operands) {
  const auto result = expand_inputs(operands);
  REQUIRE_MESSAGE(result.ok(), (result.ok() ? "" : result.error().to_string()));
  return *result;
}

Error failure(const Files& operands) {
  const auto result = expand_inputs(operands);
  REQUIRE_FALSE(result.ok());
  return result.error();
}

}  // namespace

TEST_CASE("people's order of numbered names") {
  CHECK(natural_less("rank2", "rank10"));
  CHECK_FALSE(natural_less("rank10", "rank2"));
  CHECK(natural_less("rank2.json", "rank2.json.gz"));
  CHECK(natural_less("rank01", "rank1"));  // equal numbers: as bytes
  CHECK(natural_less("a99999999999999999999998", "a99999999999999999999999"));
  CHECK(natural_less("node1/rank10", "node2/rank1"));
  CHECK_FALSE(natural_less("same", "same"));
}

TEST_CASE("natural order is a strict total order") {
  const auto name = rc::gen::container<std::string>(rc::gen::elementOf(std::string("0019ab.")));
  CHECK(rc::check([&] {
    const auto a = *name, b = *name, c = *name;
    RC_ASSERT((natural_less(a, b) + natural_less(b, a) + (a == b)) == 1);
    if (natural_less(a, b) && natural_less(b, c)) RC_ASSERT(natural_less(a, c));
  }));
}

TEST_CASE("which names a folder is searched for") {
  for (const char* name : {"a.json", "a.json.gz", "a.json.zst", "host_1.pt.trace.json", "host_1.1690.pt.trace.json.gz",
                           "x.pt.trace.json.zip", "h.xplane.pb", "h.xplane.pb.gz"})
    CHECK(is_trace_name(name));
  for (const char* name : {"README.md", "a.jsonl", "a.gz", ".hidden.json", "a.json.bak", "a.pt.trace.json.gz.part-12"})
    CHECK_FALSE(is_trace_name(name));
}

TEST_CASE("files, folders and globs become one ordered list") {
  const testing::TempDir folder;
  const std::string two = folder.write("run/rank2.json.gz"), ten = folder.write("run/rank10.json.gz"),
                    one = folder.write("run/rank1.json");
  folder.write("run/notes.txt");
  folder.write("run/deeper/rank3.json");
  const std::string odd = folder.write("odd name.bin");
  CHECK(expand({folder.path("run")}) == Files{one, two, ten});
  CHECK(expand({folder.path("run/rank*.json.gz")}) == Files{two, ten});
  CHECK(expand({ten, one, two}) == Files{one, two, ten});  // whatever order the shell gave
  CHECK(expand({odd}) == Files{odd});                      // a file is taken whatever its name
  CHECK(expand({one, folder.path("run"), folder.path("run/../run/rank1.json")}).size() == 3);
}

TEST_CASE("a folder with XSpaces stands for them, and a log folder for its newest run") {
  const testing::TempDir folder;
  const std::string old = folder.write("log/plugins/profile/2026_01_09_08_00_00/host0.xplane.pb");
  const std::string two = folder.write("log/plugins/profile/2026_01_10_08_00_00/host2.xplane.pb.gz");
  const std::string ten = folder.write("log/plugins/profile/2026_01_10_08_00_00/host10.xplane.pb");
  folder.write("log/plugins/profile/2026_01_10_08_00_00/host10.trace.json.gz");
  folder.write("log/plugins/profile/2026_01_11_08_00_00/notes.txt");
  CHECK(expand({folder.path("log")}) == Files{two, ten});
  CHECK(expand({folder.path("log/plugins/profile")}) == Files{two, ten});
  CHECK(expand({folder.path("log/plugins/profile/2026_01_10_08_00_00")}) == Files{two, ten});
  CHECK(expand({folder.path("log/plugins/profile/2026_01_09_08_00_00")}) == Files{old});
}

TEST_CASE("what a folder holds beside what is taken is told") {
  const testing::TempDir folder;
  const std::string kineto = folder.write("run/rank0.json", R"({"traceEvents": []})");
  const std::string allprof = folder.write("run/pmpi-trace-rank-0.txt", "MPI_Init:-:1:2:90\n");
  folder.write("run/notes.txt", "nothing");
  folder.write("run/timeline.json", "[[1, 0, 2, 3]]");  // belongs to a run, and is none
  const auto mixed = expand_all_inputs(Files{folder.path("run")});
  REQUIRE(mixed.ok());
  CHECK(mixed->left_out == Files{allprof});
  const std::string space = folder.write("run/node0.xplane.pb", "\x0A\x02\x12");
  const auto spaces = expand_all_inputs(Files{folder.path("run")});
  REQUIRE(spaces.ok());
  CHECK(spaces->files == Files{space});
  CHECK(spaces->left_out == Files{allprof, kineto});
  // What is named is not left out.
  const auto both = expand_all_inputs(Files{folder.path("run"), kineto});
  REQUIRE(both.ok());
  CHECK(both->left_out == Files{allprof});
}

TEST_CASE("a file whose name looks like a pattern is that file") {
  const testing::TempDir folder;
  const std::string bracket = folder.write("a[1].json");
  folder.write("a1.json");
  CHECK(expand({bracket}) == Files{bracket});
}

TEST_CASE("what yields no file is an error that names it and helps") {
  const testing::TempDir folder;
  std::filesystem::create_directory(folder.path("empty"));
  const Error empty = failure({folder.path("empty")});
  CHECK(empty.message == "the folder holds no trace files");
  CHECK(empty.file == folder.path("empty"));
  CHECK_FALSE(empty.hint.empty());
  CHECK(failure({folder.path("missing.json")}).message == "no such file or folder");
  CHECK(failure({folder.path("*.json")}).message == "no file matches this pattern");
  CHECK(failure({""}).message == "an empty text is not a file name");
  CHECK(failure({folder.write("file") + "/below"}).message == "no such file or folder");
}

}  // namespace orrery::job
