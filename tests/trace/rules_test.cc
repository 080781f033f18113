#include "trace/names/rules.h"

#include <doctest/doctest.h>

#include <string>

namespace orrery::trace {
namespace {

TEST_CASE("the function part of a kernel's name has neither return type nor parameters") {
  CHECK(function_part("void deep_ep::intranode::combine<float, 8>(float*, deep_ep::other<3>)") ==
        "deep_ep::intranode::combine<float, 8>");
  CHECK(function_part("void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(int)") ==
        "multimem_all_reduce_kernel<c10::BFloat16, 16>");
  CHECK(function_part("void f<(ns::Pattern)1, g(int)::{lambda(float)#1}, a->b>(int)") ==
        "f<(ns::Pattern)1, g(int)::{lambda(float)#1}, a->b>");
  CHECK(function_part("std::enable_if<true, void>::type ns::f<T> (int) [clone .kd]") == "ns::f<T>");
  CHECK(function_part("ns::F::operator()(int)") == "ns::F::operator()");
  CHECK(function_part("triton_poi_fused_0") == "triton_poi_fused_0");
  CHECK(function_part("kernel [clone .kd]") == "kernel");
  CHECK(function_part("") == "");
  CHECK(function_part("((((") == "");
  CHECK(function_part(">>>>a b") == "b");
}

CommunicationRule rule(std::string name, std::string library, std::string kind = "all_reduce") {
  return {.name = std::move(name), .library = std::move(library), .kind = std::move(kind)};
}

TEST_CASE("the first rule that fits decides, and groups say the library and the size") {
  std::vector<CommunicationRule> all;
  all.push_back(rule("internode::dispatch<(?:true|false), (\\d+),", "deepep", "dispatch"));
  all.back().group_size = "$1 * 8";
  all.push_back(rule("(\\w+)::reduce<\\w+(?:, (\\d+))?>", "$1"));
  all.back().group_size = "$2";
  all.push_back(rule("reduce", "late"));
  all.push_back({.signature = "mscclpp::Channel", .library = "mscclpp", .group_size = "4"});
  for (const CommunicationRule& one : all) CHECK_FALSE(fault_of(one));
  const Rules rules(all, {});

  const std::string dispatch = "void internode::dispatch<false, 8, 3>(int)";
  REQUIRE(rules.first_by_name(dispatch) == 0);
  CHECK(rules.read(0, dispatch, {}).group_size == 64);
  CHECK(rules.first_by_name("a::reduce<float, 2>()") == 1);
  CHECK(rules.read(1, "a::reduce<float, 2>()", {}).library == "a");
  CHECK(rules.read(1, "a::reduce<float, 2>()", {}).group_size == 2);
  CHECK(rules.read(1, "a::reduce<float>()", {}).group_size == 0);
  CHECK(rules.first_by_name("b::reduce_all()") == 2);
  // What parameters are called says nothing of the function; a signature does.
  CHECK(rules.first_by_name("f(reduce)") == Rules::kNoRule);
  CHECK(rules.first_by_name("f(mscclpp::Channel*)") == 3);
  CHECK(rules.first_by_name("b::reduce_all(mscclpp::Channel*)") == 2);
}

TEST_CASE("operators count where a rule asks for them, and each name is looked at once") {
  const Rules rules({{.name = "copy", .operator_name = "^symm::", .library = "symm", .kind = "broadcast"},
                     rule("copy_far", "names"),
                     {.operator_name = "^other::(\\w+)", .library = "$1"}},
                    {});
  Interner strings;
  const StringId far = strings.intern("copy_far(int)"), near = strings.intern("copy_near"), sum = strings.intern("sum");
  const StringId symm = strings.intern("symm::put"), other = strings.intern("other::x"),
                 aten = strings.intern("aten::y");
  RuledNames names(&rules, strings);
  CHECK(names.find(near) == RuledNames::kNoReading);
  CHECK(names.find(near, aten) == RuledNames::kNoReading);
  CHECK(names.readings()[names.find(far)].rule == 1);
  CHECK(names.readings()[names.find(far, symm)].rule == 0);
  CHECK(names.readings()[names.find(near, symm)].rule == 0);
  CHECK(names.find(sum, symm) == RuledNames::kNoReading);
  CHECK(names.readings()[names.find(sum, other)].library == "x");
  CHECK(names.readings()[names.find(far, other)].rule == 1);
  const std::size_t looked_at = names.readings().size();
  for (const StringId op : {symm, other, aten}) names.find(far, op);
  CHECK(names.readings().size() == looked_at);
  CHECK(RuledNames(nullptr, strings).find(far, symm) == RuledNames::kNoReading);
}

TEST_CASE("what is wrong with a rule is told with its field") {
  const auto field = [](const CommunicationRule& one) { return fault_of(one).value_or(RuleFault{"-", ""}).field; };
  CHECK(field(rule("ok", "x")) == "-");
  CHECK(field(rule("(unclosed", "x")) == "name");
  CHECK(field(rule("", "x")) == "");
  CHECK(field({.name = "a", .operator_name = "[", .library = "x"}) == "operator");
  CHECK(field({.signature = "*", .library = "x"}) == "signature");
  CHECK(field(rule("a", "$1")) == "library");
  CHECK(field(rule("a", "$x")) == "library");
  for (const char* size : {"$1", "8 *", "", "0", "-3", "$0", "a", "1e3", "99999999999", "8 * 999999999"}) {
    CommunicationRule one = rule("a", "x");
    one.group_size = size;
    CHECK_MESSAGE(field(one) == (*size == 0 ? "-" : "group_size"), size);
  }
  CommunicationRule product = rule("a(b)", "x");
  product.group_size = "8*$1 * 2";
  CHECK(field(product) == "-");
  // A pattern that would take more memory than it may.
  CHECK(field(rule("((a{100}){100}){100}", "x")) == "name");
}

TEST_CASE("steps: the groups of a name are those that a step has") {
  CHECK_FALSE(fault_of(StepRule{.pattern = "run_(?P<requests>\\d+)", .engine = "house", .phase = "decode"}));
  CHECK(fault_of(StepRule{.pattern = "run_(?P<request>\\d+)", .engine = "house", .phase = "decode"}));
  CHECK(fault_of(StepRule{.pattern = "run_(", .engine = "house", .phase = "decode"}));
  CHECK(fault_of(StepRule{}));
  const Rules rules({}, {{.pattern = "a", .engine = "b", .phase = "other", .file = "f", .line = 3}});
  CHECK(rules.steps().front().line == 3);
}

}  // namespace
}  // namespace orrery::trace
