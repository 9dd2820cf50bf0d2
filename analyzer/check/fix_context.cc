#include "check/fix_context.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Whether only white space and at most a comment stand in `text`.
bool IsBlankOrComment(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\f\r\n");
  return at == std::string_view::npos || text[at] == '#';
}

}  // namespace

FixContext::FixContext(const FileView& file, const Fact& fact, const FixUnit& unit)
    : file_(file),
      fact_(fact),
      unit_(unit),
      index_(&(unit.function != nullptr ? file.IndexOf(*unit.function) : file.module_index())) {
  statements_ = index_->PathTo(fact.statement);
  if (statements_.empty() || fact.expr == nullptr) return;
  expressions_ = index_->PathTo(fact.expr);
  if (expressions_.empty()) statements_.clear();
}

const Expr* FixContext::Parent() const {
  return expressions_.size() < 2 ? nullptr : expressions_[expressions_.size() - 2];
}

llvm::ArrayRef<const Stmt*> FixContext::BlockOf(const Stmt& statement) const {
  return index_->BlockOf(statement);
}

const Stmt* FixContext::Next(const Stmt& statement) const {
  const llvm::ArrayRef<const Stmt*> block = BlockOf(statement);
  const auto it = llvm::find(block, &statement);
  return it == block.end() || it + 1 == block.end() ? nullptr : *(it + 1);
}

bool IsSurelyTensor(const Value& value) {
  constexpr uint8_t kSure = 95;
  return value.IsTensor() && value.certainty >= kSure && !value.Has(Trait::kGuessed);
}

bool FixContext::HasSureTensors() const {
  bool has_tensor = false;
  const auto is_sure = [&](const Value& value) {
    has_tensor |= value.IsTensor();
    return !value.IsTensor() || IsSurelyTensor(value);
  };
  return is_sure(fact_.subject) && llvm::all_of(fact_.arguments, is_sure) && has_tensor;
}

std::string FixContext::Operand(const Expr& expr) const {
  std::string text(Text(expr));
  return IsPrimary(expr) ? text : "(" + text + ")";
}

Placement FixContext::PlacementOf(const Stmt& statement) const {
  const FileSpan span = Place(statement.span);
  const std::string_view text = file_.text();
  const size_t end_of_line = file_.LineEnd(span.end);
  if (!IsBlankOrComment(text.substr(span.end, end_of_line - span.end))) return Placement::kShared;
  const size_t line = file_.LineBegin(span.begin);
  const std::string_view before = llvm::StringRef(text.substr(line, span.begin - line)).rtrim();
  const std::string_view without_bom =
      std::string_view(before).starts_with("\xEF\xBB\xBF") ? before.substr(3) : before;
  if (without_bom.empty()) return Placement::kOwnLines;
  if (before.back() == ':' && BlockOf(statement).size() == 1) return Placement::kAfterColon;
  return Placement::kShared;
}

std::optional<CodeEdit> FixContext::ReplaceStatements(const Stmt& first, const Stmt& last,
                                                      std::vector<std::string> lines) const {
  FileSpan span{Place(first.span).begin, Place(last.span).end};
  const Placement placement = PlacementOf(first);
  if (placement == Placement::kShared || PlacementOf(last) == Placement::kShared) return {};
  if (&first != &last && placement != Placement::kOwnLines) return {};
  std::string indent(file_.IndentOf(span.begin));
  std::string text;
  if (placement == Placement::kAfterColon) {
    indent += file_.indent_unit();
    while (span.begin > 0 && file_.text()[span.begin - 1] != ':') --span.begin;
    text = std::string(file_.line_end()) + indent;
  }
  const std::string between = std::string(file_.line_end()) + indent;
  std::vector<std::string> all;
  for (const std::string_view comment : file_.CommentsIn(span)) {
    const auto has_comment = [&](const std::string& line) { return HasText(line, comment); };
    if (llvm::none_of(lines, has_comment)) all.emplace_back(comment);
  }
  llvm::append_range(all, lines);
  return file_.Edit(span, text + llvm::join(all, between));
}

std::optional<CodeEdit> FixContext::ReplaceExpr(const Expr& expr, std::string text) const {
  const FileSpan span = Place(expr.span);
  for (const std::string_view comment : file_.CommentsIn(span))
    if (text.find(comment) == std::string::npos) return {};
  return file_.Edit(span, std::move(text));
}

std::optional<CodeEdit> FixContext::RemoveStatement(const Stmt& statement) const {
  FileSpan span = Place(statement.span);
  const Placement placement = PlacementOf(statement);
  if (placement == Placement::kShared || !file_.CommentsIn(span).empty()) return {};
  if (BlockOf(statement).size() == 1) return file_.Edit(span, "pass");
  const size_t end_of_line = file_.LineEnd(span.end);
  const bool has_comment = !file_.CommentsIn({span.end, end_of_line}).empty();
  if (has_comment) {
    span.end = file_.text().find('#', span.end);
  } else {
    span = {file_.LineBegin(span.begin), file_.NextLine(span.end)};
  }
  return file_.Edit(span, "");
}

std::optional<std::vector<CodeEdit>> FixContext::Import(std::string_view module) const {
  const FileView::ImportPlace& place_of = file_.ImportPlaceOf(module);
  if (place_of.is_taken) return std::nullopt;
  if (unit_.function != nullptr) {
    if (!index_->StoresOf(module).empty()) return std::nullopt;
    for (const Stmt* statement : statements_)
      for (const Parameter& parameter : statement->parameters)
        if (parameter.name == module) return std::nullopt;
  }
  if (place_of.is_bound) return std::vector<CodeEdit>{};
  if (place_of.beside == nullptr) return std::nullopt;
  const Stmt& beside = *place_of.beside;
  const FileSpan place{file_.module_begin() + beside.span.begin,
                       file_.module_begin() + beside.span.end};
  const size_t at = place_of.is_before ? file_.LineBegin(place.begin) : file_.NextLine(place.end);
  if (!file_.IndentOf(place.begin).empty()) return std::nullopt;
  std::string line = "import " + std::string(module) + std::string(file_.line_end());
  if (at > 0 && at == file_.LineEnd(at) && at == file_.text().size() &&
      file_.text()[at - 1] != '\n' && file_.text()[at - 1] != '\r')
    line.insert(0, file_.line_end());
  return std::vector<CodeEdit>{file_.Edit({at, at}, std::move(line))};
}

bool IsPrimary(const Expr& expr) {
  switch (expr.kind) {
    case PythonExprKind::kName:
    case PythonExprKind::kInteger:
    case PythonExprKind::kFloat:
    case PythonExprKind::kTrue:
    case PythonExprKind::kFalse:
    case PythonExprKind::kNone:
    case PythonExprKind::kAttribute:
    case PythonExprKind::kCall:
    case PythonExprKind::kSubscript:
    case PythonExprKind::kList:
    case PythonExprKind::kDict:
    case PythonExprKind::kSet:
      return true;
    default:
      return false;
  }
}

}  // namespace shapewise
