// The tables of rules, and what stands beside them: numbers of processes and threads, counts, words.
#include "scrub/rules.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "match/communication.h"
#include "scrub/survey.h"
#include "scrub/tally.h"
#include "scrub/words/id_map.h"
#include "scrub/words/public_words.h"
#include "scrub/work_class.h"

namespace orrery::scrub {
namespace {

TEST_CASE("every rule is found by its key, and no key has two") {
  std::map<const ObjectRules*, std::set<std::string_view>> keys;
  for (const NumberedRule& numbered : all_rules()) {
    CHECK_MESSAGE(keys[numbered.object].insert(numbered.rule->key).second,
                  numbered.object->place << numbered.rule->key << " twice");
    CHECK(numbered.object->find(numbered.rule->key) == numbered.rule);
    CHECK_FALSE(describe(*numbered.rule).empty());
    CHECK((numbered.rule->inner != nullptr) ==
          (is_container(*numbered.rule) && numbered.object != &chakra_node_rules()));
  }
  CHECK(keys.size() > 10);
  CHECK(all_rules().size() > 150);
}

TEST_CASE("keys without a rule are not found, however near") {
  for (const NumberedRule& numbered : all_rules()) {
    const std::string key(numbered.rule->key);
    for (const std::string& near : {key + " ", " " + key, key + key, std::string("\0", 1) + key})
      CHECK(numbered.object->find(near) == nullptr);
  }
  for (const NumberedRule& numbered : all_rules()) CHECK(numbered.object->find("") == nullptr);
}

TEST_CASE("a rule that keeps texts keeps those of a vocabulary, or says that it renames") {
  for (const NumberedRule& numbered : all_rules()) {
    if (numbered.rule->treatment != Treatment::rename) continue;
    const std::string_view said = describe(*numbered.rule);
    CHECK(said.find("renamed") != std::string_view::npos);
  }
}

TEST_CASE("only lists of arguments depend on what event they are of") {
  std::vector<std::string_view> of_calls;
  for (const NumberedRule& numbered : all_rules()) {
    if (is_of_calls(*numbered.rule)) of_calls.push_back(numbered.rule->key);
  }
  CHECK(of_calls == std::vector<std::string_view>{"Input Dims", "Input type", "Concrete Inputs"});
}

TEST_CASE("calls whose arguments are read have names that stay") {
  // c10d's operators, as kineto/communication_arguments reads them: renamed, nobody would find their peers.
  for (const char* name : {"c10d::send",
                           "c10d::recv_",
                           "c10d::recv_any_source_",
                           "c10d::broadcast_",
                           "c10d::reduce_",
                           "c10d::gather_",
                           "c10d::scatter_",
                           "c10d::allreduce_",
                           "c10d::allreduce_coalesced_",
                           "c10d::allgather_",
                           "c10d::_allgather_base_",
                           "c10d::reduce_scatter_",
                           "c10d::_reduce_scatter_base_",
                           "c10d::alltoall_",
                           "c10d::alltoall_base_",
                           "gloo:all_reduce",
                           "gloo:broadcast",
                           "gloo:send",
                           "gloo:recv",
                           "gloo:reduce",
                           "gloo:all_gather",
                           "gloo:gather",
                           "gloo:scatter",
                           "gloo:all_to_all",
                           "gloo:barrier"}) {
    CAPTURE(name);
    CHECK(match::names_communication(name));
    CHECK(is_public_name(name));
  }
}

TEST_CASE("numbers are given anew in the same order, from 1000 on") {
  rc::check([] {
    const auto numbers =
        *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(-3, 1'000'000'000));
    IdMap map(64);
    for (const std::int64_t number : numbers) map.collect(number);
    map.seal();
    for (const std::int64_t a : numbers) {
      const auto mapped = map.find(a);
      RC_ASSERT(mapped.has_value());
      if (a >= 64)
        RC_ASSERT(*mapped >= IdMap::kFirstNew &&
                  *mapped < IdMap::kFirstNew + static_cast<std::int64_t>(numbers.size()));
      else RC_ASSERT(*mapped == (a < -1 ? -1 : a));
      for (const std::int64_t b : numbers) {
        if (a >= 64 && b >= 64) RC_ASSERT((a < b) == (*mapped < *map.find(b)));
      }
    }
  });
}

TEST_CASE("a number that was not seen has no new one") {
  IdMap map(1);
  map.collect(500);
  map.seal();
  CHECK(map.find(500) == IdMap::kFirstNew);
  CHECK_FALSE(map.find(501).has_value());
  CHECK(map.find(0) == 0);
  CHECK(map.find(-7) == -1);
}

TEST_CASE("maps of several files become one") {
  IdMap one(1), two(1), all(1);
  for (const std::int64_t number : {300, 100}) one.collect(number);
  for (const std::int64_t number : {200, 100}) two.collect(number);
  all.collect(one);
  all.collect(two);
  all.seal();
  CHECK(all.size() == 3);
  CHECK(all.find(100) == 1000);
  CHECK(all.find(200) == 1001);
  CHECK(all.find(300) == 1002);
}

TEST_CASE("very many numbers cost no more than the different ones") {
  IdMap map(1);
  for (std::int64_t i = 0; i < 1'000'000; ++i) map.collect(100 + i % 7);
  map.seal();
  CHECK(map.size() == 7);
}

TEST_CASE("counts of files add up, and unknown members are told by place") {
  Tally one, two;
  const ObjectRules& events = *record_rules("traceEvents");
  const MemberRule& name = *events.find("name");
  one.of(events, name).count = 3;
  two.of(events, name).count = 4;
  two.of(events, name).unusable = 1;
  one.add_unknown("event.", "mine");
  two.add_unknown("event.", "mine");
  two.add_unknown("", "mine");
  two.add_unusable_record();
  one.add(two);
  CHECK(one.of(events, name).count == 7);
  CHECK(one.of(events, name).unusable == 1);
  CHECK(one.unknown().at("event.mine") == 2);
  CHECK(one.unknown().at("mine") == 1);
  CHECK(one.unusable_records() == 1);
}

TEST_CASE("a file with a new key in every record does not fill the memory") {
  Tally tally;
  for (int i = 0; i < 20'000; ++i) tally.add_unknown("event.", "key" + std::to_string(i));
  CHECK(tally.unknown().size() <= 10'001);
  CHECK(tally.unknown().at("(others)") == 10'000);
}

FileFacts with_moments(std::int64_t first, std::int64_t last) {
  FileFacts facts;
  facts.moments_us.add(first);
  facts.moments_us.add(last);
  return facts;
}

TEST_CASE("what files of a job share is taken from all of them") {
  FileFacts early = with_moments(1'790'857'026'000'000, 1'790'857'027'000'000),
            late = with_moments(1'790'857'030'000'000, 1'790'857'031'000'000);
  early.base_ns = 7'000;
  late.base_ns = 5'000;
  late.clock_ms.add(80);
  late.clock_ms.add(90);
  const JobFacts job = join_facts(std::vector{late, early});
  CHECK(job.first_us == 1'790'857'026'000'000);
  CHECK(job.shift_us > 0);
  CHECK(job.shift_us % 1'000'000 == 0);
  CHECK(job.base_shift_ns == 5'000);
  CHECK(job.clock_shift_ms == 80);
  CHECK(join_facts({}).shift_us == 0);
}

TEST_CASE("starts of nodes move with the profiler's clock if they are on it, else the first becomes 1") {
  FileFacts trace = with_moments(1'790'857'026'000'000, 1'790'857'099'000'000), on_clock, elsewhere;
  on_clock.starts_us.add(1'790'857'030'000'000);
  elsewhere.starts_us.add(500);
  elsewhere.starts_us.add(700);
  CHECK(join_facts(std::vector{trace, on_clock}).node_shift_us ==
        static_cast<std::uint64_t>(join_facts(std::vector{trace}).shift_us));
  CHECK(join_facts(std::vector{trace, elsewhere}).node_shift_us == 499);
  CHECK(join_facts(std::vector{elsewhere}).node_shift_us == 499);
}

TEST_CASE("types keep the words that every trace has") {
  CHECK(public_type("GenericList[Tensor(float),__torch__.Secret]") == "GenericList[Tensor(float),Object.Object]");
  CHECK(public_type("Tensor(c10::BFloat16)") == "Tensor(c10::BFloat16)");
  CHECK(public_type("My\\u0041{}\xC3\xA9") == "Object.Object....");
  CHECK(public_type("").empty());
}

TEST_CASE("classes of work are read off the spelling") {
  CHECK(class_of("aten::addmm") == "gemm");
  CHECK(class_of("void flash_fwd_kernel<...>") == "attention");
  CHECK(class_of("c10d::allreduce_") == "communication");
  CHECK(class_of("my_secret_thing") == "other");
  CHECK(origin_of("aten::mm") == "op");
  CHECK(origin_of("model.py(12): forward") == "python");
  CHECK(origin_of("void at::native::vectorized_elementwise_kernel<4>") == "kernel");
  CHECK(origin_of("my step") == "name");
  CHECK(collective_of("_reduce_scatter_base") == "ReduceScatter");
  CHECK(collective_of("gather") == "Gather");
  CHECK(collective_of("none of these").empty());
}

}  // namespace
}  // namespace orrery::scrub
