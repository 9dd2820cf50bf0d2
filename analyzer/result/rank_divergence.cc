#include "shapewise/result/rank_divergence.h"

namespace shapewise {

std::string_view DivergenceKindName(DivergenceKind kind) {
  switch (kind) {
    case DivergenceKind::kRecompile:
      return "recompile";
    case DivergenceKind::kBreak:
      return "break";
    case DivergenceKind::kOrder:
      return "order";
    case DivergenceKind::kPrograms:
      return "programs";
    case DivergenceKind::kCache:
      return "cache";
    case DivergenceKind::kValues:
      return "values";
    case DivergenceKind::kReasons:
      return "reasons";
    case DivergenceKind::kLate:
      return "late";
    case DivergenceKind::kLogEnds:
      return "log_ends";
    case DivergenceKind::kLogBegins:
      return "log_begins";
  }
  return {};
}

}  // namespace shapewise
