#include "dynamo/body_parts.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "llvm/ADT/STLExtras.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// The size or number that `source` names in the call of `compile`.
std::optional<int64_t> ValueIn(const TracedCompile& compile, std::string_view source) {
  if (const TracedSymbol* const symbol = compile.SymbolOf(source)) return symbol->hint;
  const auto constant = compile.constants.find(std::string(source));
  if (constant != compile.constants.end()) return ParseNumber(constant->second);
  const SourceRef part = ParseSource(source);
  const auto tensor = compile.tensors.find(std::string(part.object));
  if (part.property != SourceRef::Property::kSize || tensor == compile.tensors.end()) return {};
  const auto dim = static_cast<size_t>(part.dim);
  const std::vector<int64_t>& sizes = tensor->second.sizes;
  return dim < sizes.size() ? std::optional(sizes[dim]) : std::nullopt;
}

/// Whether everything that `traced` asked of its inputs has the same answer in the call of `other`:
/// then both took the same path.
bool HasAnswersOf(const TracedCompile& traced, const TracedCompile& other, ExprPool& pool) {
  const auto is_true = [&](const BodyQuestion& relation) {
    const auto value = [&](ExprId symbol) { return ValueIn(other, pool.name(symbol)); };
    return pool.Evaluate(relation.predicate, value) == 1;
  };
  const auto is_same = [&](const auto& constant) {
    const auto known = other.constants.find(constant.first);
    if (known != other.constants.end()) return known->second == constant.second;
    const std::optional<int64_t> value = ValueIn(other, constant.first);
    return value && value == ParseNumber(constant.second);
  };
  return traced.not_understood.empty() && traced.types == other.types &&
         llvm::all_of(traced.relations, is_true) && llvm::all_of(traced.constants, is_same);
}

/// Whether the frame was compiled after `compile` ran, before another of `before` was compiled.
bool IsFollowed(const TracedCompile& compile, Compiles before, Compiles frame) {
  const auto next = llvm::find_if(before, [&](const auto* other) { return other > &compile; });
  return llvm::any_of(frame, [&](const TracedCompile* own) {
    return own > &compile && (next == before.end() || own < *next);
  });
}

/// Whether each path of `before` was one that the frame was compiled after.
bool HasEachPath(Compiles before, Compiles frame, ExprPool& pool) {
  return llvm::all_of(before, [&](const TracedCompile* compile) {
    return IsFollowed(*compile, before, frame) ||
           llvm::any_of(before, [&](const TracedCompile* other) {
             return IsFollowed(*other, before, frame) &&
                    (HasAnswersOf(*other, *compile, pool) || HasAnswersOf(*compile, *other, pool));
           });
  });
}

/// What the compilations of the frame recorded of `source`; empty: one of them recorded nothing.
std::set<std::string_view> RecordedAs(const std::string& source, Compiles frame) {
  std::set<std::string_view> arguments;
  for (const TracedCompile* compile : frame) {
    const auto recorded = compile->passed.find(source);
    if (recorded == compile->passed.end()) return {};
    arguments.insert(recorded->second);
  }
  return arguments;
}

}  // namespace

void ReadPassedTensors(Compiles frame, llvm::ArrayRef<Compiles> before, ExprPool& pool,
                       std::vector<ResumeInput>& inputs) {
  const bool has_paths =
      llvm::all_of(before, [&](Compiles other) { return HasEachPath(other, frame, pool); });
  for (ResumeInput& input : inputs) {
    if (input.use != SourceUse::kTensor) continue;
    const std::set<std::string_view> arguments = RecordedAs(input.source, frame);
    input.differs = arguments.size() > 1;
    if (!has_paths || arguments.size() != 1) continue;
    input.same_as = *arguments.begin();
    input.is_new = input.same_as.empty();
  }
}

}  // namespace shapewise
