#include "replay/torch/source/row_order.h"

#include <doctest/doctest.h>

#include "replay/torch/small_host.h"

namespace {

using namespace orrery;
using namespace orrery::replay::torch;

struct Row {
  std::uint64_t id, parent;
  std::string name = "aten::mm";
  std::int64_t thread = 1, scope = 0;
};

// "(3 )3 ...": ids as they begin and end.
std::string order_of(const std::vector<Row>& rows, const std::vector<double>& ends = {}) {
  trace::HostTrace host;
  Interner strings;
  for (const Row& row : rows) {
    host.id.push_back(row.id);
    host.parent.push_back(row.parent);
    host.name.push_back(strings.intern(row.name));
    host.thread.push_back(row.thread);
    host.scope.push_back(row.scope);
  }
  std::string text;
  for (const Visit visit : order_rows(host, strings, ends).visits)
    text += (visit.is_end ? ")" : "(") + std::to_string(host.id[visit.row]);
  return text;
}

const std::string kThread = "[pytorch|profiler|execution_trace|thread]";

TEST_CASE("a file that was written as rows ended has the order of the ends") {
  // 4 is a range of thread 1 in which thread 2 does 6: it ends after that.
  CHECK(order_of({{1, 1, kThread},
                  {5, 3},
                  {3, 1},
                  {7, 6, "aten::mm", 2},
                  {6, 2, "aten::mm", 2},
                  {4, 1, "range", 1, 7},
                  {2, 1, kThread, 2}}) == "(1(2(3(4(5)5)3(6(7)7)6)4)2)1");
}

TEST_CASE("a row whose caller is missing ends where it did") {
  CHECK(order_of({{1, 1, kThread}, {5, 4}, {8, 7}, {7, 1}}) == "(1(5)5(7(8)8)7)1");
}

TEST_CASE("written by id, rows end with the last that they called, ranges when their thread goes on") {
  CHECK(order_of({{1, 1, kThread}, {2, 1, "range", 1, 7}, {3, 2}, {4, 3}, {5, 1, "aten::mm", 2}, {6, 1}}) ==
        "(1(2(3(4)4)3(5)5)2(6)6)1");
}

TEST_CASE("what had ended before another began did not call it") {
  trace::HostTrace host;
  Interner strings;
  for (const Row& row : std::vector<Row>{{1, 1, kThread}, {9, 2}, {4, 3}, {3, 2}, {6, 3}, {2, 1}}) {
    host.id.push_back(row.id);
    host.parent.push_back(row.parent);
    host.name.push_back(strings.intern(row.name));
    host.thread.push_back(1);
    host.scope.push_back(0);
  }
  const RowOrder order = order_rows(host, strings);
  CHECK(order.parent[4] == 5);  // 6 says 3, which was over: it is 2's
}

}  // namespace
