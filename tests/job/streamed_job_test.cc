#include "job/streamed_job.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "graph/longest_path.h"
#include "job/read/trace_input.h"
#include "support/temp_dir.h"

namespace orrery::job {
namespace {

std::vector<std::string> ranks_of(const std::string& prefix, int count) {
  std::vector<std::string> files;
  for (int r = 0; r < count; ++r)
    files.push_back(std::string(ORRERY_SOURCE_DIR) + "/data/" + prefix + std::to_string(r) + ".kineto.json.gz");
  return files;
}

Source source_of(const std::vector<std::string>& files) {
  Diagnostics diagnostics;
  Result<Source> source = find_source(files, {.may_miss_ranks = true}, diagnostics);
  REQUIRE(source.ok());
  return std::move(*source);
}

Result<causal::CausalGraph> streamed(const Source& source, ClockChoice choice, const JobWindowRequest& window,
                                     Diagnostics& diagnostics) {
  return stream_job(source, choice, window, {}, {.diagnostics = diagnostics});
}

Result<causal::CausalGraph> recorded(const Source& source, ClockChoice choice, const JobWindowRequest& request,
                                     Diagnostics& diagnostics) {
  Result<TraceInput> input = read_trace(source, {.far_clocks = true}, {.diagnostics = diagnostics});
  if (!input) return input.error();
  const Result<RecordedJob> job = RecordedJob::make(std::move(input->trace), choice, diagnostics);
  if (!job) return job.error();
  const Result<JobWindow> window = job->window(request, diagnostics);
  if (!window) return window.error();
  return job->graph(*window, {}, diagnostics);
}

void check_same(const Source& source, ClockChoice choice, const JobWindowRequest& window) {
  Diagnostics a_remarks, b_remarks;
  const Result<causal::CausalGraph> a = recorded(source, choice, window, a_remarks),
                                    b = streamed(source, choice, window, b_remarks);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  for (const Diagnostic& remark : a_remarks.sorted()) CHECK(b_remarks.count(*remark.kind) == remark.count);
  CHECK(a->span == b->span);
  CHECK(a->label == b->label);
  CHECK(a->steps == b->steps);
  CHECK(a->begin_ps == b->begin_ps);
  CHECK(a->band == b->band);
  CHECK(a->clock == b->clock);
  REQUIRE(a->parts.size() == b->parts.size());
  const graph::Solution x = graph::solve(a->graph, a->end), y = graph::solve(b->graph, b->end);
  CHECK(x.length() == y.length());
  for (std::uint32_t p = 0; p < a->parts.size(); ++p) {
    REQUIRE(x.finish(a->ready(p)) == y.finish(b->ready(p)));
    REQUIRE(a->parts[p].uncertainty == b->parts[p].uncertainty);
  }
  CHECK(b->graph.edge_count() < a->graph.edge_count());
}

/// Without reduction it is the same graph, edge by edge.
void check_identical(const Source& source, ClockChoice choice, const JobWindowRequest& window) {
  Diagnostics a_remarks, b_remarks;
  const Result<causal::CausalGraph> a = recorded(source, choice, window, a_remarks),
                                    b = stream_job(source, choice, window, {}, {.diagnostics = b_remarks},
                                                   causal::Reduction::none);
  REQUIRE(a.ok());
  REQUIRE(b.ok());
  for (const Diagnostic& remark : a_remarks.sorted()) CHECK(b_remarks.count(*remark.kind) == remark.count);
  CHECK(a->label == b->label);
  CHECK(a->steps == b->steps);
  CHECK(a->begin_ps == b->begin_ps);
  CHECK(a->span == b->span);
  CHECK(a->unmatched == b->unmatched);
  REQUIRE(a->owners.size() == b->owners.size());
  for (std::size_t o = 0; o < a->owners.size(); ++o) {
    REQUIRE(a->owners[o].start == b->owners[o].start);
    REQUIRE(a->owners[o].ordinal == b->owners[o].ordinal);
    REQUIRE(a->strings.text(a->class_name[o]) == b->strings.text(b->class_name[o]));
  }
  REQUIRE(a->graph.edge_count() == b->graph.edge_count());
  for (graph::Slot slot = 0; slot < a->graph.edge_count(); ++slot) {
    REQUIRE(a->graph.source(slot) == b->graph.source(slot));
    REQUIRE(a->graph.target(slot) == b->graph.target(slot));
    REQUIRE(a->graph.weight(slot) == b->graph.weight(slot));
    REQUIRE(a->graph.type(slot) == b->graph.type(slot));
    REQUIRE(a->graph.edge_tag(slot) == b->graph.edge_tag(slot));
  }
}

}  // namespace

TEST_CASE("a whole recording has the steps of its ranks, of one and of several, read at once or rank by rank") {
  const Source source = source_of(ranks_of("ddp4.rank", 4)), alone = source_of({ranks_of("ddp4.rank", 1)});
  Diagnostics diagnostics;
  const JobWindowRequest whole{.annotation = ""};
  const Result<causal::CausalGraph> job = recorded(source, ClockChoice::one, whole, diagnostics),
                                    one = recorded(alone, ClockChoice::one, whole, diagnostics);
  const Result<causal::CausalGraph> parts =
      stream_job(source, ClockChoice::one, whole, {}, {.diagnostics = diagnostics}, causal::Reduction::none);
  REQUIRE(job.ok());
  REQUIRE(one.ok());
  REQUIRE(parts.ok());
  CHECK(job->is_whole_trace);
  CHECK(job->steps.size() > 1);
  CHECK(one->steps == job->steps);
  CHECK(parts->steps == job->steps);
  for (std::uint32_t r = 0; r < 4; ++r) CHECK(parts->ranks[r].step_begin == job->ranks[r].step_begin);
  // The first rank is not moved: it has the same steps where it is alone.
  REQUIRE(one->ranks[0].step_begin.size() == one->steps.size());
  for (std::size_t i = 0; i < one->steps.size(); ++i) {
    const TimePs in_job = job->ranks[0].step_begin[i] - job->ranks[0].begins_at;
    CHECK(one->ranks[0].step_begin[i] == in_job);
  }
}

TEST_CASE("a job read rank by rank without reduction is the same graph") {
  for (const std::string name : {"ddp4.rank", "calls4.rank"}) {
    CAPTURE(name);
    const Source source = source_of(ranks_of(name, 4));
    for (const ClockChoice choice : {ClockChoice::one, ClockChoice::align, ClockChoice::automatic}) {
      check_identical(source, choice, {.typical = true});
      check_identical(source, choice, {});
    }
    check_identical(source, ClockChoice::one, {.annotation = "", .typical = true});
    check_identical(source, ClockChoice::one, {.annotation = "ProfilerStep", .typical = true});
  }
}

TEST_CASE("a job read rank by rank is the job read at once") {
  const Source source = source_of(ranks_of("ddp4.rank", 4));
  REQUIRE(can_be_streamed(source));
  SUBCASE("all steps") { check_same(source, ClockChoice::one, {}); }
  SUBCASE("one of them") { check_same(source, ClockChoice::one, {.first_instance = 1, .last_instance = 1}); }
  SUBCASE("a typical one") { check_same(source, ClockChoice::one, {.typical = true}); }
  SUBCASE("the whole trace") { check_same(source, ClockChoice::one, {.annotation = ""}); }
  SUBCASE("clocks corrected: every rank is read again") { check_same(source, ClockChoice::align, {}); }
  SUBCASE("clocks as they turn out to be") { check_same(source, ClockChoice::automatic, {}); }
}

TEST_CASE("the steps that the ranks share take the same times, read at once or rank by rank") {
  const Source source = source_of(ranks_of("ddp4.rank", 4));
  Diagnostics remarks;
  Result<TraceInput> input = read_trace(source, {.far_clocks = true}, {.diagnostics = remarks});
  REQUIRE(input.ok());
  const Result<RecordedJob> job = RecordedJob::make(std::move(input->trace), ClockChoice::align, remarks);
  REQUIRE(job.ok());
  for (const JobWindowRequest& request :
       {JobWindowRequest{.typical = true}, JobWindowRequest{.first_instance = 1, .typical = true},
        JobWindowRequest{.annotation = "ProfilerStep", .typical = true}, JobWindowRequest{}}) {
    const Result<JobWindow> window = job->window(request, remarks);
    REQUIRE(window.ok());
    CHECK(window->step_spans.size() == (request.compares_steps() ? job->steps({}, remarks)->size() : 0));
    std::vector<TimePs> spans;
    REQUIRE(
        stream_job(source, ClockChoice::align, request, {}, {.diagnostics = remarks}, causal::Reduction::none, &spans)
            .ok());
    CHECK(spans == window->step_spans);
  }
}

TEST_CASE("what cannot be answered is said as for a job read at once") {
  const Source source = source_of(ranks_of("ddp4.rank", 4));
  for (const JobWindowRequest& window :
       {JobWindowRequest{.annotation = "no such name"}, JobWindowRequest{.first_instance = 99},
        JobWindowRequest{.annotation = "no such name", .typical = true}}) {
    Diagnostics a, b;
    const Result<causal::CausalGraph> whole = recorded(source, ClockChoice::one, window, a),
                                      parts = streamed(source, ClockChoice::one, window, b);
    REQUIRE_FALSE(whole.ok());
    REQUIRE_FALSE(parts.ok());
    CHECK(whole.error().to_string() == parts.error().to_string());
  }
}

TEST_CASE("a rank that recorded fewer steps is read again, and the others take part in the steps in common") {
  const orrery::testing::TempDir folder;
  const auto trace = [](int rank, int first_step, int steps) {
    std::string text = R"({"distributedInfo": {"backend": "gloo", "rank": )" + std::to_string(rank) +
                       R"(, "world_size": 2}, "traceEvents": [)";
    for (int s = first_step; s < first_step + steps; ++s) {
      const int at = 1000 * s;
      const auto event = [&](const std::string& category, const std::string& name, const char* thread, int begin,
                             int length, const std::string& args) {
        text += R"({"ph": "X", "cat": ")" + category + R"(", "name": ")" + name + R"(", "pid": 1, "tid": ")" + thread +
                R"(", "ts": )" + std::to_string(at + begin) + R"(, "dur": )" + std::to_string(length) +
                R"(, "args": {)" + args + "}},\n";
      };
      event("user_annotation", "ProfilerStep#" + std::to_string(s), "main", 0, 900, "");
      event("cpu_op", "aten::mm", "main", 10, 100 + 40 * rank, "");
      event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "stream", 300 + 50 * rank, 200 - 50 * rank,
            R"("Collective name": "allreduce", "Process Group Name": "0", "Seq": )" + std::to_string(s) +
                R"(, "stream": 7, "device": 0)");
    }
    return text.substr(0, text.size() - 2) + "]}";
  };
  const Source source =
      source_of({folder.write("rank0.json", trace(0, 1, 4)), folder.write("rank1.json", trace(1, 2, 3))});
  REQUIRE(can_be_streamed(source));
  check_same(source, ClockChoice::one, {});
  Diagnostics diagnostics;
  CHECK(streamed(source, ClockChoice::one, {}, diagnostics)->steps.size() == 3);
}

}  // namespace orrery::job
