#include "job/pairs/pair_finder.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "support/temp_dir.h"

namespace orrery::job {
namespace {

const std::string kData = ORRERY_SOURCE_DIR "/data/";

TEST_CASE("a folder that is named for both kinds gives each what is its own") {
  const testing::TempDir folder;
  for (const char* file : {"ddp4.rank0.et.json.gz", "ddp4.rank0.kineto.json.gz", "ddp4.rank1.kineto.json.gz"})
    std::filesystem::copy_file(kData + file, folder.path(file));
  Diagnostics diagnostics;
  const std::string path = folder.path();
  for (const NamedTraces& named : {NamedTraces{.hosts = {path}, .devices = {path}, .either = {}},
                                   NamedTraces{.hosts = {}, .devices = {}, .either = {path}}}) {
    const auto pairs = find_pairs(named, diagnostics);
    REQUIRE(pairs.ok());
    REQUIRE(pairs->size() == 2);
    CHECK((*pairs)[0].host.ends_with("ddp4.rank0.et.json.gz"));
    CHECK((*pairs)[0].device.ends_with("ddp4.rank0.kineto.json.gz"));
    CHECK((*pairs)[1].host.empty());
  }
}

TEST_CASE("without a profiler trace there are no pairs") {
  Diagnostics diagnostics;
  const auto pairs = find_pairs({.hosts = {kData + "ddp4.rank0.et.json.gz"}, .devices = {}, .either = {}}, diagnostics);
  REQUIRE(pairs.ok());
  CHECK(pairs->empty());
}

}  // namespace
}  // namespace orrery::job
