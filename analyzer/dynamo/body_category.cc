#include "shapewise/dynamo/body.h"

namespace shapewise {

BodyFacts BodyOfCategory(const std::string& category) {
  BodyFacts body;
  BodyFrame& frame = body.frames.emplace_back();
  if (category == "free" || category == "equality") {
    frame.knowledge = category == "free" ? BodyKnowledge::kNoQuestion : BodyKnowledge::kEqualities;
    frame.reads_all = true;
  } else {
    frame.unknown_because = "the body is not known";
  }
  return body;
}

}  // namespace shapewise
