// The tables about several ranks, held against the analyses they show.
#include <doctest/doctest.h>

#include "analyze/blame/job_waits.h"
#include "analyze/path/causal_path.h"
#include "formats/kineto/reader.h"
#include "query/database.h"

namespace {

using namespace orrery;

/// Four ranks that were recorded, and their database.
struct FourRanks {
  Diagnostics remarks;
  job::RecordedJob job = read();
  query::Database database =
      std::move(query::Database::open({.trace = job.trace(), .job = &job, .remarks = remarks}).value());

  job::RecordedJob read() {
    std::vector<std::string> files;
    for (int rank = 0; rank < 4; ++rank)
      files.push_back(ORRERY_SOURCE_DIR "/data/ddp4.rank" + std::to_string(rank) + ".kineto.json.gz");
    Result<trace::Trace> trace = kineto::read_job(files, remarks);
    REQUIRE(trace);
    Result<job::RecordedJob> made = job::RecordedJob::make(std::move(*trace), job::ClockChoice::automatic, remarks);
    REQUIRE(made);
    return std::move(*made);
  }
  causal::CausalGraph graph() {
    const Result<job::JobWindow> window = job.window({.typical = true}, remarks);
    REQUIRE(window);
    Result<causal::CausalGraph> made = job.graph(*window, {}, remarks);
    REQUIRE(made);
    return std::move(*made);
  }
  std::vector<std::int64_t> column(std::string_view sql) {
    const Result<query::Answer> answer = database.ask(sql);
    REQUIRE_MESSAGE(answer.ok(), (answer ? "" : answer.error().to_string()));
    std::vector<std::int64_t> values;
    for (std::size_t row = 0; row < answer->rows(); ++row) values.push_back(std::get<std::int64_t>(answer->at(row, 0)));
    return values;
  }
};

TEST_CASE("the path of a job is the job's, and its events are those of their ranks") {
  FourRanks ranks;
  const causal::CausalGraph graph = ranks.graph();
  const analyze::CausalPath path = analyze::take_path(graph, graph::solve(graph.graph, graph.end), 1, false);
  CHECK(ranks.column("SELECT sum(dur_ps) FROM path") == std::vector<std::int64_t>{path.length()});
  CHECK(ranks.column("SELECT count(*) FROM edges") == std::vector<std::int64_t>{graph.graph.edge_count()});
  // One event in ten on the path would be chance; all of them are found again, with their names and ranks.
  CHECK(ranks.column("SELECT count(*) > 100 FROM path WHERE event IS NOT NULL") == std::vector<std::int64_t>{1});
  CHECK(ranks.column("SELECT count(*) FROM path p JOIN events e ON e.id = p.event WHERE e.name <> p.name OR e.rank <> "
                     "p.rank OR e.lane <> p.lane") == std::vector<std::int64_t>{0});
  CHECK(ranks.column("SELECT count(*) FROM path p JOIN events e ON e.id = p.event WHERE e.critical = 0") ==
        std::vector<std::int64_t>{0});
}

TEST_CASE("the waits of a rank add up to its waiting") {
  FourRanks ranks;
  const causal::CausalGraph graph = ranks.graph();
  const analyze::JobWaits waits(graph);
  for (std::uint32_t place = 0; place < 4; ++place) {
    CAPTURE(place);
    CHECK(ranks.column("SELECT coalesce(sum(dur_ps), 0) FROM waits WHERE rank = " + std::to_string(place)) ==
          std::vector<std::int64_t>{waits.waiting_of(place)});
  }
  CHECK(ranks.column("SELECT count(*) FROM waits WHERE rank = for_rank OR dur_ps <= 0") ==
        std::vector<std::int64_t>{0});
}

TEST_CASE("a collective has a row per rank, and its last to come does not wait") {
  FourRanks ranks;
  CHECK(ranks.column("SELECT count(*) FROM collectives") ==
        std::vector<std::int64_t>{static_cast<std::int64_t>(ranks.job.exchanges().parts.size())});
  CHECK(ranks.column("SELECT max(n) FROM (SELECT count(*) AS n FROM collectives GROUP BY id)") ==
        std::vector<std::int64_t>{4});
  CHECK(ranks.column(
            "SELECT max(w) FROM (SELECT min(wait_ps) AS w FROM collectives WHERE kind LIKE '%reduce%' GROUP BY id)") ==
        std::vector<std::int64_t>{0});
  CHECK(ranks.column("SELECT count(*) FROM collectives c JOIN events e ON e.id = c.event WHERE e.rank <> c.rank OR "
                     "e.start_ps <> c.start_ps") == std::vector<std::int64_t>{0});
}

TEST_CASE("every rank has a clock") {
  FourRanks ranks;
  CHECK(ranks.column("SELECT rank FROM clocks ORDER BY 1") == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(ranks.column("SELECT count(*) FROM clocks WHERE band_ps < 0 OR band_ps IS NULL") ==
        std::vector<std::int64_t>{0});
}

}  // namespace
