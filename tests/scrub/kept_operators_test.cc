// scrub --keep-operators: what replay calls again stays, what is the job's own goes. Emitted lists are the same before
// and after, but for names.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "cli/captured_run.h"
#include "scrub/small_scrub.h"
#include "scrub/words/public_operators.h"

namespace orrery::scrub {
namespace {

namespace fs = std::filesystem;
using testing::fixed_key;

const std::string kData = std::string(ORRERY_SOURCE_DIR) + "/data/";
const Settings kKeeping = {.key = fixed_key(), .keep_operators = true};

std::string run(const std::vector<std::string>& arguments) {
  const cli::CapturedRun done = cli::run_captured(arguments);
  CAPTURE(done.err);
  REQUIRE(done.exit_code == 0);
  return done.out;
}

// Work and ranges are called something else; all other lines are compared as they are.
std::string without_names(const std::string& list) {
  std::istringstream lines(list);
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[\"begin\"")) line = "[\"begin\"]";
    if (line.starts_with("[\"work\"")) line = line.substr(0, line.find(',', 8)) + line.substr(line.rfind(','));
    result += line + "\n";
  }
  return result;
}

// The lists that `replay --emit torch` makes of these files, rank after rank.
std::string emitted(const orrery::testing::TempDir& folder, std::vector<std::string> files, const std::string& name) {
  files.insert(files.begin(), "replay");
  files.insert(files.end(), {"--emit", "torch", "-o", folder.path(name)});
  run(files);
  std::string lists;
  for (int rank = 0; fs::exists(folder.path(name + "/rank" + std::to_string(rank) + ".json")); ++rank)
    lists += without_names(testing::inflated(folder.path(name + "/rank" + std::to_string(rank) + ".json")));
  REQUIRE(lists.size() > 100);
  return lists;
}

std::vector<std::string> with(std::vector<std::string> arguments, const std::vector<std::string>& files,
                              const std::string& output) {
  arguments.insert(arguments.end(), files.begin(), files.end());
  arguments.insert(arguments.end(), {"-o", output});
  return arguments;
}

void check_replays_alike(const std::vector<std::string>& files) {
  const orrery::testing::TempDir folder;
  const testing::Scrubbed scrubbed = testing::scrub_files(files, folder.path("scrubbed"), kKeeping);
  const std::string before = emitted(folder, files, "before");
  CHECK(before.find("\"op\":\"aten::") != std::string::npos);  // it is not two empty lists that are compared
  CHECK(emitted(folder, scrubbed.paths, "after") == before);

  run(with({"link"}, files, folder.path("linked/job")));
  run(with({"link"}, scrubbed.paths, folder.path("linked_after/job")));
  const std::string chakra = emitted(folder, {folder.path("linked/job")}, "chakra_before");
  CHECK(emitted(folder, {folder.path("linked_after/job")}, "chakra_after") == chakra);
  run({"scrub", folder.path("linked"), "--keep-operators", "-o", folder.path("linked_scrubbed")});
  CHECK(emitted(folder, {folder.path("linked_scrubbed/job")}, "chakra_scrubbed") == chakra);
}

std::vector<std::string> job_files(const std::string& beginning) {
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(kData)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning) && name.ends_with(".json.gz")) files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST_CASE("a scrubbed pair is replayed as the original is, also by way of Chakra") {
  check_replays_alike(job_files("gpt_small."));
}
TEST_CASE("so is a job of four ranks with collectives") { check_replays_alike(job_files("ddp4.")); }
TEST_CASE("and one with messages, roots and unequal parts") { check_replays_alike(job_files("calls4.")); }

TEST_CASE("a linked trace, scrubbed, is replayed as it was") {
  const orrery::testing::TempDir folder;
  const std::vector<std::string> files = job_files("gpt_small.");
  run(with({"link"}, files, folder.path("linked.json")));
  const testing::Scrubbed scrubbed =
      testing::scrub_files({folder.path("linked.json")}, folder.path("scrubbed"), kKeeping);
  CHECK(emitted(folder, scrubbed.paths, "after") == emitted(folder, {folder.path("linked.json")}, "before"));
}

TEST_CASE("without it replay says what is missing, and how to have it") {
  const orrery::testing::TempDir folder;
  for (const bool is_chakra : {false, true}) {
    std::vector<std::string> files = job_files("gpt_small.");
    if (is_chakra) {
      run(with({"link"}, files, folder.path("linked/job")));
      files = {folder.path("linked/job.0.et")};
    }
    const testing::Scrubbed scrubbed = testing::scrub_files(files, folder.path(is_chakra ? "s2" : "s1"));
    std::vector<std::string> arguments =
        with({"replay", "--emit", "torch"}, scrubbed.paths, folder.path(is_chakra ? "e2" : "e1"));
    CHECK(run(arguments).find("scrub --keep-operators leaves in what can be called again") != std::string::npos);
  }
}

// A node with these values among its inputs, and the schema that belongs to it.
std::string node(const std::string& name, const std::string& schema, const std::string& values,
                 const std::string& types) {
  return R"({"schema":"1.1.1-chakra.0.0.4","nodes":[{"id":7,"name":")" + name +
         R"(","ctrl_deps":1,"inputs":{"values":)" + values + R"(,"shapes":[[48,16],[],[]],"types":)" + types +
         R"(,"strides":[[16,1],[],[]]},"outputs":{"values":[],"shapes":[],"types":[]},)" +
         R"("attrs":[{"name":"op_schema","type":"string","value":")" + schema + R"("},)" +
         R"({"name":"kernel_file","type":"string","value":"/zq/kernel.py"}]}]})";
}

const std::string kTypes = R"~(["Tensor(float)","Int","String"])~";
constexpr const char* kGeluSchema = R"~(aten::gelu(Tensor self, int size, *, str approximate=\"none\") -> Tensor)~";

TEST_CASE("of PyTorch's operators stay name, schema, shapes, offsets, numbers and what one chooses among") {
  const std::string output =
      testing::scrub_text(node("aten::gelu", kGeluSchema, R"([[5,6,32,768,4,"cuda:0"],17,"tanh"])", kTypes), kKeeping);
  for (const char* kept : {R"("name":"aten::gelu")", kGeluSchema, R"([[5,6,32,768,4,"cuda:0"],17,"tanh"])",
                           R"("shapes":[[48,16],[],[]])", R"("strides":[[16,1],[],[]])", R"("value":"")"})
    CHECK_MESSAGE(output.find(kept) != std::string::npos, kept << " in " << output);
  CHECK(output.find("zq") == std::string::npos);
}

TEST_CASE("texts among their arguments go, and replay does not call them without") {
  const std::string output = testing::scrub_text(
      node("aten::gelu", kGeluSchema, R"([[5,6,0,768,4,"cuda:0"],17,"zqsecret"])", kTypes), kKeeping);
  CHECK(output.find("zq") == std::string::npos);
  CHECK(output.find(kHiddenText) != std::string::npos);
}

TEST_CASE("of a job's own operators nothing stays but which tensors they used") {
  const std::string schema = "zqlab::router(Tensor(a!) zqself, int zqexperts, str zqmode) -> Tensor";
  const std::string output =
      testing::scrub_text(node("zqlab::router", schema, R"([[5,6,32,768,4,"cuda:0"],17,"zqmode"])", kTypes), kKeeping);
  CHECK(output.find("zq") == std::string::npos);
  CHECK(output.find(R"([[5,6,0,768,4,"cuda:0"],0,""])") != std::string::npos);
  CHECK(output.find(R"("shapes":[[],[],[]])") != std::string::npos);
  CHECK(output.find("op(Tensor(a!) x)") != std::string::npos);
  // An operator by name only is none: the schema is another's.
  const std::string mixed =
      testing::scrub_text(node("aten::gelu", schema, R"([[5,6,0,768,4,"cuda:0"],17,"none"])", kTypes), kKeeping);
  CHECK(mixed.find("zq") == std::string::npos);
}

TEST_CASE("which names are PyTorch's") {
  for (const char* name : {"aten::mm", "aten::_scaled_dot_product_flash_attention", "c10d::allreduce_", "prims::add",
                           "fbgemm::dense_to_jagged"})
    CHECK(is_public_operator(name));
  for (const char* name :
       {"aten::", "aten::X", "aten::my_secret", "fbgemm::my_secret", "Tensor::mm", "words::self", "aten::mm secret",
        "aten::mm/x", "atenx::mm", "zqlab::aten::mm", "mm", "aten", "aten::\xC3\xA9", ""})
    CHECK_FALSE(is_public_operator(name));
  CHECK_FALSE(is_public_operator("aten::" + std::string(200, 'x')));
  for (const char* name :
       {"AddmmBackward0", "autograd::engine::evaluate_function: MulBackward0", "torch::autograd::AccumulateGrad"})
    CHECK(is_public_gradient(name));
  CHECK(is_public_gradient("SumBackward2"));  // of an older version
  for (const char* name :
       {"MySecretBackward", "SecretLossBackward0", "autograd::engine::evaluate_function: SecretLossBackward0",
        "AddmmBackward", "AddmmBackward12345", "autograd::engine::evaluate_function: MySecretBackward", "Backward",
        "x y Backward0", "0"})
    CHECK_FALSE(is_public_gradient(name));
  CHECK(is_public_schema("aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)"));
  CHECK(
      is_public_schema("c10d::allreduce_(Tensor[] tensors, __torch__.torch.classes.c10d.ProcessGroup process_group, "
                       "__torch__.torch.classes.c10d.ReduceOp "
                       "reduce_op, Tensor? sparse_indices, bool async_op=True, int timeout=-1) -> (Tensor[], "
                       "__torch__.torch.classes.c10d.Work)"));
  for (const char* text :
       {"aten::gelu(Tensor secret_weights) -> Tensor", "aten::gelu.secret(Tensor self) -> Tensor",
        "aten::gelu(Tensor self, str x=\"secret\") -> Tensor", "aten::secret(Tensor self) -> Tensor", "", "zq(",
        "zq::f(Tensor x) -> Tensor", "aten::f", "aten::f(Tensor \xC3\xA9) -> Tensor", "aten::f.a b(Tensor x)"})
    CHECK_FALSE(is_public_schema(text));
}

TEST_CASE("gradients of a job's own functions are still the engine's, under another name") {
  const auto name_of = [](const std::string& name) {
    return testing::scrub_text(R"({"traceEvents":[{"ph":"X","name":")" + name + "\"}]}", kKeeping);
  };
  CHECK(name_of("autograd::engine::evaluate_function: AddmmBackward0").find(": AddmmBackward0\"") != std::string::npos);
  const std::string hidden = name_of("autograd::engine::evaluate_function: ZqRouterBackward");
  CHECK(hidden.find("Zq") == std::string::npos);
  CHECK(hidden.find("\"autograd::engine::evaluate_function: ") != std::string::npos);
}

TEST_CASE("what coarsens cannot be had with it") {
  for (const std::vector<std::string>& flags : {std::vector<std::string>{"--round-sizes", "3"}, {"--fuse"}}) {
    std::vector<std::string> arguments = {"scrub", kData + "gpt_small.et.json.gz", "--dry-run", "--keep-operators"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    CHECK(cli::run_captured(arguments).exit_code == 2);
  }
}

}  // namespace
}  // namespace orrery::scrub
