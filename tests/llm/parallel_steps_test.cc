#include <doctest/doctest.h>

#include "llm/architecture.h"
#include "llm/closed_forms/core_step.h"
#include "llm/closed_forms/fsdp_step.h"
#include "llm/closed_forms/megatron_step.h"
#include "llm/closed_forms/peak_memory.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

const MegatronModel kGpt22b{.layers = 48, .hidden = 6144, .heads = 64, .ffn = 24576, .vocabulary = 51200};
const ParallelJob kOneNode{.sequence = 2048, .global_batch = 4, .micro_batch = 4, .devices = 8, .tensor = 8};

double megatron(const ParallelJob& job, const char* flavour = "megatron_lm_2021", const char* cluster = "selene") {
  return megatron_step_seconds(shipped_device("A100-80"), shipped().megatron,
                               *find_flavour(shipped().megatron, flavour), *find_cluster(shipped(), cluster), kGpt22b,
                               job);
}

double core(const Architecture& model, const ParallelJob& job, const CoreRun& run = {}) {
  return core_step_seconds(shipped_device("H100"), shipped().core, model, job, run);
}

Architecture named(const char* name) { return *architecture_called(shipped().architectures, name); }

}  // namespace

TEST_CASE("Megatron: recomputation costs a forward pass, selective a part of it; sequence parallelism saves") {
  ParallelJob job = kOneNode;
  const double none = megatron(job);
  job.recomputation = Recomputation::selective;
  const double selective = megatron(job);
  job.recomputation = Recomputation::full;
  const double full = megatron(job);
  CHECK(none < selective);
  CHECK(selective < full);
  CHECK(full < 1.5 * none);
  job.sequence_parallel = true;
  CHECK(megatron(job) < full);
}

TEST_CASE("Megatron: the bubble shrinks with micro-batches and interleaving") {
  ParallelJob job{.sequence = 2048, .global_batch = 8, .micro_batch = 1, .devices = 64, .tensor = 8, .pipeline = 8};
  const double few = megatron(job) / 8;
  job.global_batch = 64;
  const double many = megatron(job) / 64;
  CHECK(few / many == doctest::Approx((1 + 7.0 / 8) / (1 + 7.0 / 64)).epsilon(0.1));
  job.global_batch = 8;
  const auto gained = [&](const char* release) {
    job.interleave = 1;
    const double plain = megatron(job, release);
    job.interleave = 2;
    return plain - megatron(job, release);
  };
  CHECK(gained("megatron_lm_2022") > 0);
  // Sending twice as often costs more than the bubble saves a small model, the more so in the earlier release.
  CHECK(gained("megatron_lm_2021") < 0);
}

TEST_CASE("Megatron: replicas reduce gradients, across nodes at the speed of the network") {
  ParallelJob job = kOneNode;
  job.tensor = 4;
  const double alone = megatron(job);
  job.data = 2;
  job.devices = 8;
  job.global_batch = 8;
  const double in_node = megatron(job);
  CHECK(in_node > alone);
  job.data = 8;
  job.devices = 32;
  job.global_batch = 32;
  const double across = megatron(job);
  CHECK(across > in_node);
  CHECK(megatron(job, "megatron_lm_2021", "vtrain") > across);  // half the network
}

TEST_CASE("ZeRO-2 moves less than ZeRO-3, more devices share the work, and a full step is longer than its compute") {
  const FsdpModel model{.layers = 32, .hidden = 4096, .ffn = 16384, .heads = 32, .kv_width = 4096, .vocabulary = 50368};
  ParallelJob job{.sequence = 2048, .global_batch = 512, .micro_batch = 4, .devices = 16, .zero_stage = 3};
  const machine::Device& device = shipped_device("A100-40GB");
  const double three = fsdp_step_seconds(device, shipped().fsdp, model, job);
  job.zero_stage = 2;
  const double two = fsdp_step_seconds(device, shipped().fsdp, model, job);
  CHECK(two < three);
  CHECK(two > 8 * fsdp_compute(device, shipped().fsdp, model, job).sum());
  job.devices = 32;
  CHECK(fsdp_step_seconds(device, shipped().fsdp, model, job) < two);
}

TEST_CASE("all-to-all: inside one domain every copy but the local one; across, once per domain reached") {
  const machine::Device& device = shipped_device("H100");  // domains of 8
  ParallelJob job{.expert = 8};
  const ExchangeBytes inside = exchange_bytes(device, 100, 10, {.chosen = 2}, job, 2);
  CHECK(inside.inside == doctest::Approx(4 * 100 * 10 * 2 * 2 * 7.0 / 8));
  CHECK(inside.across == 0);
  job.expert = 16;  // two domains: a token of two choices reaches 2 (1 - 1/4) = 1.5 of them, half of which are remote
  const ExchangeBytes across = exchange_bytes(device, 100, 10, {.chosen = 2}, job, 2);
  CHECK(across.across == doctest::Approx(4 * 100 * 10 * 2 * 1.5 / 2));
  job.expert = 1;
  CHECK(exchange_bytes(device, 100, 10, {.chosen = 2}, job, 2).inside == 0);
}

TEST_CASE("a token that goes to few groups of experts reaches few domains") {
  const Experts any{.count = 256, .chosen = 8};
  Experts limited = any;
  limited.chosen_groups = 4;
  CHECK(domains_reached(any, 8) == doctest::Approx(8 * (1 - std::pow(7.0 / 8, 8))));
  CHECK(domains_reached(limited, 8) == doctest::Approx(4 * (1 - std::pow(3.0 / 4, 8))));
  CHECK(domains_reached(limited, 2) == domains_reached(any, 2));  // fewer domains than groups: no limit
}

TEST_CASE("the products of a single expert are no grouped ones") {
  const CoreConstants& c = shipped().core;
  const CoreRelease before = release_of(c, {}, "hopper", Captured::everything);
  const CoreRelease latest = release_of(c, kLatestRelease, "hopper", Captured::everything);
  const CoreRelease uncaptured = release_of(c, kLatestRelease, "hopper", Captured::attention_and_router);
  CHECK(grouping_factor(c, before, 1) == 1);
  CHECK(grouping_factor(c, before, 4) == c.grouped_matrix_factor);
  CHECK(grouping_factor(c, latest, 4) < grouping_factor(c, before, 4));
  CHECK(grouping_factor(c, uncaptured, 4) == grouping_factor(c, before, 4));
}

TEST_CASE("a release is a year and a month, perhaps mended") {
  CHECK(parse_release("26.06.01 pretraining")->month == 6);
  CHECK(parse_release("26.06.01 pretraining")->patch == 1);
  CHECK(parse_release("26.06 NeMo")->patch == 0);
  CHECK(is_since({26, 6, 1}, {26, 6}));
  CHECK_FALSE(is_since({26, 6}, {26, 6, 1}));
  CHECK(is_since({26, 7}, {26, 6, 1}));
  CHECK(parse_release("25.11")->year == 25);
  CHECK_FALSE(parse_release("LoRA"));
  CHECK_FALSE(parse_release("26"));
  CHECK_FALSE(parse_release("26.13"));
}

TEST_CASE("Megatron-Core: formats, adapters, releases and missing replicas") {
  const Architecture llama = named("Llama 3 8B"), mixtral = named("Mixtral 8x7B");
  const ParallelJob job{.sequence = 8192, .global_batch = 128, .micro_batch = 1, .devices = 8, .data = 8};
  const double bf16 = core(llama, job);
  CHECK(core(llama, job, {.precision = machine::DataType::fp8}) < bf16);
  CHECK(core(llama, job, {.adapters_only = true}) < bf16);
  CHECK(core(llama, job, {.release = {26, 6}}) == bf16);  // only experts became faster
  ParallelJob sparse = job;
  sparse.expert = 8;
  const Captured whole = Captured::everything;
  const double before = core(mixtral, sparse, {.release = {26, 5}, .captured = whole});
  CHECK(core(mixtral, sparse, {.release = {26, 6}, .captured = whole}) < before);
  CHECK(core(mixtral, sparse, {.release = {27, 1}, .captured = whole}) < before);
  CHECK(core(mixtral, sparse, {.captured = whole}) == before);
  CHECK(core(mixtral, sparse, {.release = {26, 6}}) == core(mixtral, sparse));  // where iterations are captured whole
  // Work is linear in the batch, but for what happens once per step.
  ParallelJob twice = job;
  twice.global_batch = 256;
  CHECK(core(llama, twice) < 2 * bf16);
  CHECK(core(llama, twice) > 1.9 * bf16);
}

TEST_CASE("two groups that cross the pairs share the link; inside a pair they do not") {
  const FsdpModel llama{.style = BlockStyle::llama,
                        .layers = 32,
                        .hidden = 4096,
                        .ffn = 11008,
                        .heads = 32,
                        .kv_width = 4096,
                        .vocabulary = 32000};
  ParallelJob job{.sequence = 4096, .global_batch = 128, .micro_batch = 1, .devices = 4};
  const auto seconds = [&] {
    return pair_step_seconds(shipped_device("A100"), shipped().fsdp, shipped().pairs, llama, job);
  };
  job.tensor = 2;
  job.data = 2;
  const double mixed = seconds();
  job.tensor = 4;
  job.data = 1;
  CHECK(seconds() > mixed);  // all of tensor parallelism over the slow link
  job.tensor = 1;
  job.data = 4;
  CHECK(seconds() < mixed);
}

TEST_CASE("context parallelism of a pair sends keys and values once forward, and with their gradients backward") {
  const FsdpModel llama{.style = BlockStyle::llama,
                        .layers = 32,
                        .hidden = 4096,
                        .ffn = 11008,
                        .heads = 32,
                        .kv_width = 4096,
                        .vocabulary = 32000};
  // What the link costs is what a link without end saves; gradients are reduced once, whatever the batch.
  const auto link_seconds = [&](double batch) {
    const ParallelJob job{
        .sequence = 4096, .global_batch = batch, .micro_batch = 1, .devices = 4, .data = 1, .context = 2};
    PairConstants endless = shipped().pairs;
    endless.pair_gb_per_s = 1e12;
    const machine::Device& device = shipped_device("A100");
    return pair_step_seconds(device, shipped().fsdp, shipped().pairs, llama, job) -
           pair_step_seconds(device, shipped().fsdp, endless, llama, job);
  };
  // Three times keys and values of half the tokens, 2 bytes each, of 32 layers and 128 sequences.
  const double bytes = 3.0 * 2 * 2 * 2048 * 4096 * 32 * 128;
  CHECK(link_seconds(256) - link_seconds(128) ==
        doctest::Approx(bytes / (shipped().pairs.pair_gb_per_s * 1e9)).epsilon(1e-6));
}

TEST_CASE("activations by the closed form of Korthikanti et al.") {
  // Table 2 of the paper: s b h (10 + 24/t + 5 a s / (h t)), with sequence parallelism s b h / t (34 + 5 a s / h).
  ParallelJob job{.sequence = 2048, .micro_batch = 1, .tensor = 8, .pipeline = 8};
  const double sbh = 2048.0 * 12288, core = 5 * 96 * 2048.0 / 12288;
  CHECK(activation_bytes(96, 12288, 96, job) == doctest::Approx(96 * sbh * (10 + 24 / 8.0 + core / 8) + sbh * 8));
  job.sequence_parallel = true;
  CHECK(activation_bytes(96, 12288, 96, job) == doctest::Approx(96 * sbh / 8 * (34 + core) + sbh));
  job.recomputation = Recomputation::selective;
  CHECK(activation_bytes(96, 12288, 96, job) == doctest::Approx(96 * sbh / 8 * 34 + sbh));
  job.recomputation = Recomputation::full;
  CHECK(activation_bytes(96, 12288, 96, job) == doctest::Approx(96 * 2 * sbh + sbh));
}

TEST_CASE("the fullest rank: sharding helps, larger micro-batches do not") {
  const ShardedModel model{.layers = 32, .hidden = 4096, .ffn = 14336, .vocabulary = 128256};
  ParallelJob job{.sequence = 4096, .global_batch = 256, .micro_batch = 1, .devices = 8, .data = 8};
  const auto bytes = [&] { return fullest_rank_bytes(shipped().shard_memory, model, job); };
  const double plain = bytes();
  job.zero_stage = 1;
  const double sharded = bytes();
  CHECK(sharded < plain);
  job.micro_batch = 2;
  CHECK(bytes() > sharded);
  job.micro_batch = 1;
  job.tensor = 2;
  CHECK(bytes() < sharded);
}
