#include "shapewise/model/compilation.h"

namespace shapewise {

std::string_view CompileOutcomeName(CompileOutcome outcome) {
  switch (outcome) {
    case CompileOutcome::kGraph:
      return "graph";
    case CompileOutcome::kEmptyGraph:
      return "empty_graph";
    case CompileOutcome::kFailed:
      return "failed";
    case CompileOutcome::kBackward:
      return "backward";
    case CompileOutcome::kUnknown:
      return "unknown";
  }
  return {};
}

}  // namespace shapewise
