#include "ingest/formats/torchscript/literal.h"

#include <charconv>
#include <utility>
#include <vector>

#include "ingest/formats/torchscript/type_text.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using ArgumentKind = Argument::Kind;

// Lists of lists: the weights of a graph print as deep as they have dims.
constexpr int kMaxLiteralDepth = 16;

ArgumentTree ReadNested(GraphSet& graphs, std::string_view text, int depth) {
  text = Trim(text);
  if (const std::optional<ArgumentTree> number = ReadNumber(text)) return *number;
  if (text == "True" || text == "False") return ArgumentTree::Bool(text == "True");
  if (text == "None") return {};
  const auto is_between = [&](char open, char close) {
    return text.size() >= 2 && text.front() == open && text.back() == close;
  };
  if (is_between('"', '"') || is_between('\'', '\'')) {
    return ArgumentTree::Text(ArgumentKind::kString, graphs.strings.Intern(UnquoteText(text)));
  }
  if (is_between('[', ']') && depth < kMaxLiteralDepth) {
    std::vector<ArgumentTree> parts;
    for (const std::string_view part : SplitOutside(text.substr(1, text.size() - 2), ',')) {
      if (!part.empty()) parts.push_back(ReadNested(graphs, part, depth + 1));
    }
    return ArgumentTree::Group(ArgumentKind::kList, std::move(parts));
  }
  return ArgumentTree::Text(ArgumentKind::kText, graphs.strings.Intern(text));
}

}  // namespace

std::optional<ArgumentTree> ReadNumber(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  int64_t integer = 0;
  if (const auto [at, error] = std::from_chars(begin, end, integer);
      error == std::errc() && at == end) {
    return ArgumentTree::Int(integer);
  }
  const char first = text.front() == '-' && text.size() > 1 ? text[1] : text.front();
  if (!IsDigit(first) && first != '.' && text != "inf" && text != "-inf" && text != "nan") {
    return std::nullopt;
  }
  double number = 0;
  const auto [at, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || at != end) return std::nullopt;
  return ArgumentTree::Float(number);
}

std::string UnquoteText(std::string_view quoted) {
  std::string text;
  if (quoted.size() < 2) return text;
  for (size_t at = 1; at + 1 < quoted.size(); ++at) {
    const char c = quoted[at];
    if (c != '\\' || at + 2 >= quoted.size()) {
      text.push_back(c);
      continue;
    }
    const char escaped = quoted[++at];
    text.push_back(escaped == 'n' ? '\n' : escaped == 't' ? '\t' : escaped);
  }
  return text;
}

ArgumentTree ReadLiteral(GraphSet& graphs, std::string_view text) {
  return ReadNested(graphs, text, 0);
}

}  // namespace shapewise
