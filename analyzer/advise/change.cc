#include "advise/change.h"

#include <algorithm>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

void AddMark(const CodeChange& change, MarkKind kind, CompilePolicy& policy) {
  PolicyMark mark;
  mark.source = change.source;
  mark.mark.dim = change.dim;
  mark.mark.kind = kind;
  if (std::ranges::find(policy.marks, mark) == policy.marks.end()) {
    policy.marks.push_back(std::move(mark));
  }
}

void AddSource(const CodeChange& change, std::string& sources) {
  if (!sources.empty()) sources += ",";
  sources += change.source;
  if (change.dim >= 0) sources += ":" + std::to_string(change.dim);
}

}  // namespace

bool Concerns(const CodeChange& change, const Place& where) {
  const Place& function = change.function;
  if (function == Place{}) return true;
  return function.function == where.function && function.file == where.file &&
         function.line == where.line;
}

void ApplyChanges(const std::vector<CodeChange>& changes, const Place& where,
                  CompilePolicy& policy) {
  for (const CodeChange& change : changes) {
    if (!Concerns(change, where)) continue;
    switch (change.kind) {
      case CodeChange::Kind::kMaybeMark:
        AddMark(change, MarkKind::kMaybe, policy);
        break;
      case CodeChange::Kind::kMarkUnbacked:
        AddMark(change, MarkKind::kUnbacked, policy);
        break;
      case CodeChange::Kind::kDynamicSource:
        AddSource(change, policy.dynamic_sources);
        break;
      case CodeChange::Kind::kUnbackedSource:
        AddSource(change, policy.unbacked_sources);
        break;
      case CodeChange::Kind::kDynamicOption:
        policy.dynamic = change.dynamic;
        break;
      case CodeChange::Kind::kNoDuckShape:
        policy.use_duck_shape = false;
        break;
      case CodeChange::Kind::kModuleInts:
        policy.allow_unspec_int_on_nn_module = true;
        break;
      case CodeChange::Kind::kFreeParameters:
        policy.force_parameter_static_shapes = false;
        policy.force_nn_module_property_static_shapes = false;
        break;
      case CodeChange::Kind::kBuckets:
        policy.buckets.push_back({change.source, change.dim, change.sizes});
        AddMark(change, MarkKind::kStatic, policy);
        break;
    }
  }
}

CodeChange ChangeOf(CodeChange::Kind kind, const Place& function, const Variable& variable) {
  CodeChange change;
  change.kind = kind;
  change.function = function;
  change.source = variable.source;
  change.dim = variable.dim;
  return change;
}

std::string ArgumentExpr(std::string_view source) {
  if (!IsCallersArgument(ParseSource(source))) return {};
  return SpellSources(source, SourceSpelling::kPython);
}

}  // namespace shapewise
