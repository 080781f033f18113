#include "llm/kernels/kernel_kinds.h"

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>

#include "llm/diagnostics.h"
#include "llm/kernels/kernel_benchmark.h"
#include "llm/shipped.h"

using namespace orrery;
using namespace orrery::llm;

namespace {

double us(const std::string& columns, const std::string& cells, std::string_view device = "h200") {
  Diagnostics diagnostics;
  auto table = parse_csv(columns + "\n" + cells + "\n", "t.csv");
  REQUIRE(table.ok());
  const auto prices = price_kernels(*table, shipped_kernel_device(device), diagnostics);
  REQUIRE_MESSAGE(prices.ok(), (prices ? "" : prices.error().to_string()));
  REQUIRE_MESSAGE((*prices)[0].us, cells);
  return *(*prices)[0].us;
}

/// One row in which every size is there.
KernelRow full_row(const KernelKind& kind, KernelRun run) {
  return {.kind = std::string(kind.name),
          .sizes = {.m = 4096,
                    .n = 4096,
                    .k = 4096,
                    .batch = 4,
                    .heads = 32,
                    .kv_heads = 8,
                    .seq = 2048,
                    .dim = 128,
                    .hidden = 4096,
                    .experts = 8,
                    .top_k = 2,
                    .vocab = 32000,
                    .run = run}};
}

}  // namespace

TEST_CASE("every kind has a price on every shipped device, alone and in a step, and is in the documentation") {
  std::ifstream file(std::string(ORRERY_SOURCE_DIR) + "/docs/LLM.md");
  std::stringstream text;
  text << file.rdbuf();
  for (const KernelKind& kind : kernel_kinds()) {
    CHECK_MESSAGE(text.str().find("`" + std::string(kind.name) + "`") != std::string::npos, kind.name);
    for (const machine::Device& device : shipped().devices) {
      for (const KernelRun run : {KernelRun::alone, KernelRun::step}) {
        Diagnostics diagnostics;
        const KernelPrice price =
            price_kernel(full_row(kind, run), kernel_device(shipped().devices, device), diagnostics);
        REQUIRE_MESSAGE(price.us, kind.name << " on " << device.name);
        CHECK(*price.us > 0);
        CHECK(*price.us < 1e6);
      }
    }
  }
}

TEST_CASE("names are told apart, and what is needed is asked for") {
  CHECK(find_kernel_kind("conv") == nullptr);
  for (const KernelKind& kind : kernel_kinds()) {
    CHECK(find_kernel_kind(kind.name) == &kind);
    CHECK((kind.traffic != nullptr) != (kind.seconds != nullptr));
    KernelSizes sizes = full_row(kind, KernelRun::alone).sizes;
    CHECK(has_sizes(kind, sizes));
    for (const auto size : kind.needs) {
      const double kept = sizes.*size;
      sizes.*size = 0;
      CHECK_FALSE(has_sizes(kind, sizes));
      sizes.*size = kept;
    }
  }
}

TEST_CASE("element-wise kernels move what they must") {
  const KernelSizes sizes = full_row(*find_kernel_kind("add"), KernelRun::alone).sizes;
  const double elements = 4096.0 * 4096;
  const auto bytes = [&](std::string_view name) { return find_kernel_kind(name)->traffic(sizes).bytes; };
  CHECK(bytes("add") == 4 * elements);
  CHECK(bytes("residual_add") == 6 * elements);
  CHECK(bytes("swiglu") == 6 * elements);
  CHECK(bytes("swiglu_bwd") == 10 * elements);
  CHECK(bytes("dropout") == 5 * elements);
  CHECK(bytes("cross_entropy") + bytes("cross_entropy_bwd") == 36 * elements);
  CHECK(bytes("rotary") == 4.0 * 4 * 2048 * 128 * (32 + 8));
  CHECK(bytes("adamw") == 14 * 4096);
  CHECK(bytes("moe_permute") == 4096 * (2.0 * 4096 * 3 + 16));
  CHECK(bytes("embedding_bwd") == 2.0 * 4096 * (32000 + 3 * 4096) + 8 * 4096);
  KernelSizes wide = sizes;
  wide.type = machine::DataType::fp32;
  CHECK(find_kernel_kind("adamw")->traffic(wide).bytes == 28 * 4096);
}

TEST_CASE("products of a batch and of experts are one kernel") {
  CHECK(us("kind,m,n,k,batch", "batched_gemm,512,512,512,8") == us("kind,m,n,k,batch", "gemm,512,512,512,8"));
  CHECK(us("kind,m,n,k,batch", "batched_gemm,512,512,512,8") < 8 * us("kind,m,n,k,batch", "gemm,512,512,512,"));
  CHECK(us("kind,m,n,k,experts", "grouped_gemm,4096,512,512,8") == us("kind,m,n,k,batch", "gemm,512,512,512,8"));
  // Fewer tokens than experts: a row each, all the same.
  CHECK(us("kind,m,n,k,experts", "grouped_gemm,4,512,512,8") == us("kind,m,n,k,batch", "gemm,1,512,512,8"));
}

TEST_CASE("attention: twice the work without a mask, fewer bytes with grouped heads, and the cache in decode") {
  const std::string columns = "kind,batch,heads,kv_heads,seq,dim,v_dim,causal";
  const double causal = us(columns, "sdpa_fwd,4,32,,8192,128,,");
  CHECK(us(columns, "sdpa_fwd,4,32,,8192,128,,0") == doctest::Approx(2 * causal).epsilon(0.03));
  CHECK(us(columns, "sdpa_fwd,4,32,8,8192,128,,1") == causal);
  CHECK(us(columns, "sdpa_fwd_bwd,4,32,8,8192,128,,") < us(columns, "sdpa_fwd_bwd,4,32,,8192,128,,"));
  CHECK(us(columns, "sdpa_fwd,4,32,,8192,192,128,") == doctest::Approx(1.25 * causal).epsilon(0.01));
  CHECK(us(columns, "sdpa_bwd,4,32,,8192,128,,") > 2 * causal);
  // 16 requests with 8 heads of keys and values: 4 bytes x 128 each, at 0.8665 of 4.8 TB/s.
  CHECK(us(columns, "sdpa_decode,16,32,8,4096,128,,") ==
        doctest::Approx(5 + 16 * 4096 * 8 * 128 * 4 / (0.8665 * 4.8e6)));
}

TEST_CASE("an LSTM cell is two products and a stream; its backward pass four") {
  const std::string columns = "kind,batch,hidden,dim";
  const double forward = us(columns, "lstm_cell,256,1024,");
  const double product = us("kind,m,n,k", "gemm,256,4096,1024");
  CHECK(forward > 1.3 * product);
  CHECK(forward < 2.5 * product);
  CHECK(us(columns, "lstm_cell,256,1024,4096") > forward);
  CHECK(us(columns, "lstm_cell_bwd,256,1024,") > 1.5 * forward);
}

TEST_CASE("a device without figures of its own has the shares of another, and says whose") {
  Diagnostics diagnostics;
  const auto table =
      parse_csv("kind,m,n\nadd,65536,8192\nlayernorm,65536,8192\nswiglu,65536,8192\nsoftmax,65536,1024\n", "t.csv");
  REQUIRE(table);
  const auto here = price_kernels(*table, shipped_kernel_device("h200"), diagnostics);
  CHECK(diagnostics.count(kEstimatedKernel) == 1);  // swiglu was never timed
  const auto there = price_kernels(*table, shipped_kernel_device("h100"), diagnostics);
  REQUIRE(here);
  REQUIRE(there);
  CHECK(diagnostics.count(kEstimatedKernel) == 5);
  CHECK((*here)[0].basis.empty());
  CHECK((*here)[2].basis == "rates");
  CHECK((*there)[0].basis == "H200");
  // The same units and 3.35 of 4.8 TB/s.
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(*(*there)[i].us == doctest::Approx(*(*here)[i].us * 4.8 / 3.35).epsilon(0.02));
}

TEST_CASE("an interval is printed where the device's kernels of the kind were measured, and nowhere else") {
  Diagnostics diagnostics;
  KernelDevice device = shipped_kernel_device("h200");
  device.device.accuracy = {{.kind = "gemm", .rows = 20, .low_ratio = 0.9, .high_ratio = 1.2}};
  const auto table = parse_csv(
      "kind,dtype,run,m,n,k\ngemm,,,512,512,512\ngemm,fp8,,512,512,512\ngemm,,step,512,512,512\nadd,,,64,64,\n",
      "t.csv");
  REQUIRE(table);
  const auto prices = price_kernels(*table, device, diagnostics);
  REQUIRE(prices);
  CHECK(*(*prices)[0].low_us == doctest::Approx(0.9 * *(*prices)[0].us));
  CHECK(*(*prices)[0].high_us == doctest::Approx(1.2 * *(*prices)[0].us));
  for (std::size_t i = 1; i < 4; ++i) CHECK_FALSE((*prices)[i].low_us);
}

TEST_CASE("words in a table that mean nothing end the run with their place") {
  Diagnostics diagnostics;
  const auto error = [&](const std::string& text) {
    return price_kernels(*parse_csv(text, "t.csv"), shipped_kernel_device("h200"), diagnostics).error().to_string();
  };
  CHECK(error("kind,causal\nsdpa_fwd,maybe\n") ==
        "t.csv: line 2, column 'causal': 'maybe' is neither yes nor no (1 or 0, or nothing for 1)");
  CHECK(error("kind,run\nadd,fast\n") ==
        "t.csv: line 2, column 'run': 'fast' is no way to run a kernel (alone, step or warm; or nothing for alone, and "
        "for warm where a library is given)");
}

TEST_CASE("rows of one shape have one key, whatever was measured") {
  const auto rows =
      kernel_rows(*parse_csv("kind,m,n,k,us\ngemm,9,2,3,5\ngemm,9,2,3,6\ngemm,10,2,3,5\nadd,9,2,,5\n", "t.csv"));
  REQUIRE(rows);
  CHECK(shape_key((*rows)[0]) == shape_key((*rows)[1]));
  CHECK(shape_key((*rows)[0]) < shape_key((*rows)[2]));  // by size, not by digits
  CHECK(shape_key((*rows)[0]) != shape_key((*rows)[3]));
}

TEST_CASE("a kernel beside another one takes as much longer as its kind loses") {
  const std::string columns = "kind,m,n,beside,beside_blocks,beside_gb_per_s";
  const auto ratio = [&](const std::string& kernel, const std::string& beside) {
    return us(columns, kernel + beside) / us(columns, kernel + ",,");
  };
  CHECK(ratio("add,4096,4096,", "spin,32,") == doctest::Approx(1));
  CHECK(ratio("add,4096,4096,", "move,32,1200") == doctest::Approx(1 + 0.6 * 1200 / 4800));
  CHECK(ratio("layernorm,4096,4096,", "spin,33,") == doctest::Approx(1 + 0.9 / 3));
  CHECK(ratio("copy_h2d,4096,,", "move,32,1200") == doctest::Approx(1));
}

TEST_CASE("neighbours that cannot be are refused with their line and column") {
  const auto message = [](const std::string& row) {
    Diagnostics diagnostics;
    auto table = parse_csv("kind,m,n,beside,beside_blocks,beside_gb_per_s\n" + row + "\n", "t.csv");
    REQUIRE(table.ok());
    const auto prices = price_kernels(*table, shipped_kernel_device("h200"), diagnostics);
    REQUIRE(!prices.ok());
    return prices.error().to_string();
  };
  CHECK(message("add,64,64,dance,1,1").find("line 2, column 'beside'") != std::string::npos);
  CHECK(message("add,64,64,move,-1,1").find("column 'beside_blocks'") != std::string::npos);
  CHECK(message("add,64,64,move,4,").find("column 'beside_gb_per_s'") != std::string::npos);
  CHECK(message("add,64,64,spin,,").find("column 'beside_blocks'") != std::string::npos);
  CHECK(message("add,64,64,spin,0,").find("column 'beside_blocks'") != std::string::npos);
  CHECK(message("add,64,64,,4,").find("it is not said what runs beside the kernel") != std::string::npos);
  CHECK(message("add,64,64,spin,nan,").find("column 'beside_blocks'") != std::string::npos);
}
