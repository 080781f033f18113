// docs/SQL.md: every table and column that there is stands there, and every question there has an answer.
#include <doctest/doctest.h>

#include "formats/kineto/reader.h"
#include "query/database.h"
#include "support/temp_dir.h"

namespace {

using namespace orrery;

std::string document() { return testing::read_file(ORRERY_SOURCE_DIR "/docs/SQL.md"); }

std::vector<std::string> documented_questions() {
  const std::string text = document();
  const std::string_view open = "```sql\n";
  std::vector<std::string> questions;
  for (std::size_t at = text.find(open); at != std::string::npos; at = text.find(open, at)) {
    at += open.size();
    questions.push_back(text.substr(at, text.find("```", at) - at));
  }
  return questions;
}

std::string data_file(const std::string& name) { return ORRERY_SOURCE_DIR "/data/" + name; }

TEST_CASE("every documented question is answered with rows") {
  Diagnostics remarks;
  Result<trace::Trace> one = kineto::read_job({data_file("gpt_small.kineto.json.gz")}, remarks);
  REQUIRE(one);
  Result<query::Database> of_one = query::Database::open({.trace = *one, .remarks = remarks});
  REQUIRE(of_one);
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank)
    files.push_back(data_file("ddp4.rank" + std::to_string(rank) + ".kineto.json.gz"));
  Result<trace::Trace> four = kineto::read_job(files, remarks);
  REQUIRE(four);
  const Result<job::RecordedJob> job = job::RecordedJob::make(std::move(*four), job::ClockChoice::automatic, remarks);
  REQUIRE(job);
  Result<query::Database> of_four = query::Database::open({.trace = job->trace(), .job = &*job, .remarks = remarks});
  REQUIRE(of_four);
  const std::vector<std::string> questions = documented_questions();
  CHECK(questions.size() >= 15);
  for (const std::string& question : questions) {
    CAPTURE(question);
    const Result<query::Answer> alone = of_one->ask(question), together = of_four->ask(question);
    CHECK_MESSAGE(alone.ok(), (alone ? "" : alone.error().to_string()));
    CHECK_MESSAGE(together.ok(), (together ? "" : together.error().to_string()));
    if (alone && together) CHECK(alone->rows() + together->rows() > 0);
  }
}

TEST_CASE("every table and column is documented") {
  const trace::Trace empty;
  Diagnostics remarks;
  const Result<query::Database> database = query::Database::open({.trace = empty, .remarks = remarks});
  REQUIRE(database);
  const std::string text = document();
  for (const std::string& table : database->table_names()) {
    CAPTURE(table);
    CHECK(text.find("`" + table + "`") != std::string::npos);
    for (const std::string& column : database->column_names(table)) {
      CAPTURE(column);
      CHECK(text.find("`" + column + "`") != std::string::npos);
    }
  }
}

}  // namespace
