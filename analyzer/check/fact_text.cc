#include "check/fact_text.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMaxCharacters = 60;
constexpr std::string_view kEllipsis = "...";

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

size_t NumCharacters(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(text, StartsCharacter));
}

/// The bytes of the first `count` characters of `text`.
std::string_view FirstCharacters(std::string_view text, size_t count) {
  size_t end = 0;
  while (end < text.size()) {
    if (StartsCharacter(text[end]) && count-- == 0) break;
    ++end;
  }
  return text.substr(0, end);
}

bool HasBody(const Stmt& stmt) { return !stmt.body.empty() || !stmt.handlers.empty(); }

}  // namespace

size_t UnitBegin(const Project& project, const Fact& fact) {
  if (fact.function != kNoId) return project.function(fact.function).begin;
  const Outline& outline = project.files()[fact.file].outline;
  return outline.module.empty() ? 0 : outline.module.front().begin;
}

FileSpan SpanOf(const Project& project, const Fact& fact) {
  const std::string_view text = project.files()[fact.file].text;
  const size_t unit = UnitBegin(project, fact);
  ByteSpan span;
  if (fact.expr != nullptr) {
    span = fact.expr->span;
  } else if (fact.statement != nullptr) {
    span = fact.statement->span;
  }
  FileSpan place{std::min(unit + span.begin, text.size()), std::min(unit + span.end, text.size())};
  if (fact.expr == nullptr && fact.statement != nullptr && HasBody(*fact.statement)) {
    const std::string_view whole = text.substr(place.begin, place.end - place.begin);
    place.end = place.begin + TrimRight(whole.substr(0, whole.find('\n'))).size();
  }
  return place;
}

const Expr* SubjectOf(const Fact& fact) {
  switch (fact.kind) {
    case FactKind::kCall:
    case FactKind::kIndex:
    case FactKind::kStoreIndex:
    case FactKind::kStoreAttribute:
    case FactKind::kReadAttribute:
      break;
    default:
      return nullptr;
  }
  const Expr* base = fact.expr;
  if (base != nullptr && base->kind == PythonExprKind::kCall) base = base->left;
  if (base == nullptr) return nullptr;
  const bool has_base =
      base->kind == PythonExprKind::kAttribute || base->kind == PythonExprKind::kSubscript;
  return has_base ? base->left : nullptr;
}

std::string_view WrittenAs(const Project& project, const Fact& fact, const Expr* expr) {
  if (expr == nullptr) return {};
  const std::string_view text = project.files()[fact.file].text;
  const size_t begin = std::min(UnitBegin(project, fact) + expr->span.begin, text.size());
  return text.substr(begin, expr->span.end - expr->span.begin);
}

std::string OnOneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool is_blank = IsBlankChar(c) || c == '\n';
    if (!is_blank) {
      line.push_back(c);
    } else if (!line.empty() && line.back() != ' ') {
      line.push_back(' ');
    }
  }
  if (line.ends_with(' ')) line.pop_back();
  return line;
}

std::string ShortText(std::string_view text) {
  std::string line = OnOneLine(text);
  if (NumCharacters(line) <= kMaxCharacters) return line;
  return std::string(FirstCharacters(line, kMaxCharacters - kEllipsis.size())).append(kEllipsis);
}

CodeRange RangeFinder::RangeOf(FileId file, FileSpan span) {
  const std::string_view text = project_.files()[file].text;
  const auto [entry, is_new] = files_.try_emplace(file);
  Lines& lines = entry->second;
  if (is_new) {
    const std::vector<size_t> starts = LineStarts(text);
    lines.starts.assign(starts.begin(), starts.end());
  }
  const auto place = [&](size_t offset) {
    const auto next = std::ranges::upper_bound(lines.starts, offset);
    const auto line = static_cast<size_t>(next - lines.starts.begin());
    const size_t start = line == 0 ? 0 : lines.starts[line - 1];
    return std::pair(static_cast<uint32_t>(std::max<size_t>(line, 1)),
                     lines.columns.Count(text, start, offset) + 1);
  };
  const auto [line, column] = place(span.begin);
  const auto [end_line, end_column] = place(span.end);
  return {.line = line, .column = column, .end_line = end_line, .end_column = end_column};
}

CodeRange RangeFinder::NameRangeOf(FunctionId function) {
  const SourceFunction& source = project_.function(function);
  const std::string_view text = project_.files()[source.file].text;
  const std::string head = "def " + std::string(source.name);
  const size_t at = FindText(text, head, source.begin);
  // Only unusual blanks between the two words prevent this; use the start of the unit then.
  const bool is_found = at != std::string_view::npos;
  const size_t begin = is_found ? at : source.begin;
  return RangeOf(source.file, {begin, is_found ? begin + head.size() : begin});
}

}  // namespace shapewise
