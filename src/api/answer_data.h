// What is behind an Answer of the library.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <orrery/answer.h>
#include <orrery/result.h>
#include "ask/context.h"
#include "report/answer.h"

namespace orrery::api {

struct AnswerData {
  report::Answer answer;
  std::vector<std::string> remarks;

  static Answer wrap(std::shared_ptr<const AnswerData> data) { return Answer(std::move(data)); }
};

Error to_api(const orrery::Error& error);

/// Asks `question`, which takes the Context, and publishes what it wrote.
template <typename Question>
Result<Answer> answer_of(ask::Context& context, Question&& question) {
  orrery::Result<report::Answer> answer = question(context);
  if (!answer) return to_api(answer.error());
  if (const orrery::Status published = context.outputs().publish(); !published) return to_api(published.error());
  std::vector<std::string> remarks;
  for (const ask::Remark& remark : ask::remarks_of(context.diagnostics()))
    remarks.push_back(remark.code + ": " + remark.message +
                      (remark.count > 1 ? " (" + std::to_string(remark.count) + " times)" : ""));
  return AnswerData::wrap(std::make_shared<const AnswerData>(AnswerData{std::move(*answer), std::move(remarks)}));
}

}  // namespace orrery::api
