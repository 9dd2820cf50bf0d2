#include <optional>

#include "dynamo/body.h"

namespace shapewise {
namespace {

std::optional<BodyKnowledge> KnowledgeOf(const std::string& category) {
  if (category == "free") return BodyKnowledge::kNoQuestion;
  if (category == "equality") return BodyKnowledge::kEqualities;
  if (category == "predicate") return BodyKnowledge::kSizeQuestions;
  return std::nullopt;
}

}  // namespace

BodyFacts BodyOfCategory(const std::string& category) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  if (const std::optional<BodyKnowledge> knowledge = KnowledgeOf(category)) {
    frame.knowledge = *knowledge;
    frame.reads_all = true;
  } else {
    frame.unknown_because = "the body is not known";
  }
  return body;
}

}  // namespace shapewise
