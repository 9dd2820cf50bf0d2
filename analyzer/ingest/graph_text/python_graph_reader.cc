#include "ingest/graph_text/python_graph_reader.h"
#include "shapewise/support/text_scan.h"

#include <algorithm>

namespace shapewise {
namespace {

// So many lines in a row that are no part of a graph: it does not go on.
constexpr uint64_t kMaxLinesBetween = 8;

bool BeginsBlock(std::string_view body) {
  return body.starts_with("def ") || body.starts_with("class ") || body.starts_with("graph():");
}

/// Offset of the bracket that closes the one at `open`; npos: it is cut, or something else
/// begins before. Comments and quotes hide brackets.
size_t FindClosing(std::string_view text, size_t open) {
  size_t depth = 0;
  for (size_t at = open; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      if (--depth == 0) return at;
    } else if (c == '"' || c == '\'') {
      size_t end = at + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      if (end < text.size() && text[end] == c) at = end;
    } else if (c == '#') {
      const size_t end = text.find('\n', at);
      if (end == kNotFound) return kNotFound;
      at = end - 1;
    } else if (c == '\n' && BeginsBlock(TrimLeft(text.substr(at + 1, 200)))) {
      return kNotFound;
    }
  }
  return kNotFound;
}

}  // namespace

uint32_t PythonGraphReader::Read(LineCursor& cursor, const GraphOrigin& origin,
                                 std::string_view format, std::string_view name, bool has_class) {
  const TextLine head = cursor.Peek();
  builder_.Begin(origin, format, name, head.number);
  statements_.Begin(origin.input);
  input_ = origin.input;
  last_comment_ = {};
  is_annotated_ = false;
  has_statements_ = false;
  num_unreadable_ = 0;
  const Signature signature = ReadSignature(cursor);
  if (signature == Signature::kForeign) {
    builder_.Abandon();
    return kNoIndex;
  }
  if (signature == Signature::kWhole) ReadBody(cursor, head.indent);
  if (!is_annotated_ && !has_statements_) {
    // The parameters may be those of the user's function, whose leaves are the placeholders.
    builder_.DropNodes();
    if (!has_class) {
      builder_.Abandon();
      return kNoIndex;
    }
  }
  GraphModel& graph = builder_.graph();
  graph.is_cut = !builder_.has_output();
  if (graph.is_cut) builder_.graphs().stats.Bump(Stat::graph_cut, input_, head.number);
  return builder_.graph_index();
}

/// Reads "def forward(self, x: ..., y: ...):", in one line or many.
PythonGraphReader::Signature PythonGraphReader::ReadSignature(LineCursor& cursor) {
  const TextLine head = cursor.Peek();
  const std::string_view text = cursor.text();
  const size_t open = text.find('(', cursor.offset());
  const size_t close = FindClosing(text, open);
  // A signature that is cut has its end at that of its line.
  const size_t line_end = cursor.offset() + head.text.size();
  std::string_view parameters =
      text.substr(open + 1, (close == kNotFound ? std::max(line_end, open + 1) : close) - open - 1);
  // TorchScript breaks the line behind "self", torch.fx in front of it.
  if (parameters.starts_with("self,\n") || parameters.starts_with("self,\r")) {
    cursor.Skip();
    return Signature::kForeign;
  }
  ArgumentParser parser(builder_, ValueSpelling::kBareNames);
  parser.Reset(parameters);
  bool is_fx = true;
  while (true) {
    parser.SkipBlanks();
    if (parser.at_end()) break;
    const std::string_view before = parser.rest();
    if (before.starts_with("self:") || before.starts_with("self :")) is_fx = false;
    if (close == kNotFound) {
      // Only what a comma follows is known to be whole.
      ArgumentParser probe(builder_, ValueSpelling::kBareNames);
      probe.Reset(before);
      if (!probe.SkipPast(',')) break;
    }
    if (!is_fx || !ReadParameter(parser, head.number)) break;
  }
  if (!is_fx) {
    cursor.Skip();
    return Signature::kForeign;
  }
  if (close == kNotFound) {
    cursor.Skip();
    return Signature::kCut;
  }
  const TextLine last = head;
  cursor.MoveBehindLineAt(close);
  return last.is_whole ? Signature::kWhole : Signature::kCut;
}

bool PythonGraphReader::ReadParameter(ArgumentParser& parser, uint64_t line) {
  while (parser.Consume("*")) {
  }
  if (parser.Consume("/")) return parser.Consume(",");
  const std::string_view name = parser.ConsumeName();
  if (name.empty()) return false;
  std::string_view annotation;
  if (parser.Consume(":")) {
    parser.SkipBlanks();
    const char quote = parser.peek();
    if (quote == '"' || quote == '\'') {
      if (!parser.ConsumeQuoted(annotation)) return false;
      is_annotated_ = true;
    } else {
      const std::string_view rest = parser.rest();
      size_t depth = 0;
      size_t end = 0;
      for (; end < rest.size(); ++end) {
        const char c = rest[end];
        if (c == '[' || c == '(') ++depth;
        if ((c == ']' || c == ')') && depth > 0) --depth;
        if (depth == 0 && (c == ',' || c == '=' || c == '\n')) break;
      }
      annotation = Trim(rest.substr(0, end));
      parser.Reset(rest.substr(end));
      is_annotated_ = true;
    }
  }
  std::string_view default_value;
  if (parser.Consume("=")) {
    parser.SkipBlanks();
    const std::string_view before = parser.rest();
    if (!parser.ParseElement()) return false;
    builder_.DropPushed(0);
    default_value = Trim(before.substr(0, before.size() - parser.rest().size()));
  }
  if (name != "self") {
    const uint32_t type = builder_.types().Read(annotation, input_, line);
    builder_.AddPlaceholder(name, type, default_value, line);
  }
  parser.SkipBlanks();
  return parser.at_end() || parser.Consume(",");
}

void PythonGraphReader::CountUnreadable(uint64_t line) {
  if (num_unreadable_++ == 0) first_unreadable_ = line;
}

void PythonGraphReader::ReadBody(LineCursor& cursor, size_t def_indent) {
  bool is_in_quotes = false;  // of FX_GRAPH_SHOW_META
  Stats& stats = builder_.graphs().stats;
  while (!cursor.at_end()) {
    const TextLine line = cursor.Peek();
    const std::string_view body = line.body();
    if (body.starts_with("\"\"\"")) is_in_quotes = !is_in_quotes;
    if (is_in_quotes || body.empty() || body.starts_with("\"\"\"")) {
      cursor.Skip();
      continue;
    }
    if (BeginsBlock(body)) return;
    if (body[0] == '#') {
      ReadComment(body);
      cursor.Skip();
      continue;
    }
    const bool is_return = body.starts_with("return ") || body == "return";
    if (is_return && line.indent > def_indent) {
      if (ReadReturn(cursor, line)) has_statements_ = true;
      for (; num_unreadable_ > 0; --num_unreadable_) {
        stats.Bump(Stat::graph_node_unreadable, input_, first_unreadable_);
      }
      return;
    }
    cursor.Skip();
    if (!line.is_whole) return;
    StatementParser::Outcome outcome = StatementParser::Outcome::kUnreadable;
    if (line.indent > def_indent) outcome = statements_.Read(body, line.number);
    if (outcome == StatementParser::Outcome::kUnreadable) {
      CountUnreadable(line.number);
      if (num_unreadable_ > kMaxLinesBetween) return;
      continue;
    }
    has_statements_ |= outcome != StatementParser::Outcome::kAnnotation;
    for (; num_unreadable_ > 0; --num_unreadable_) {
      stats.Bump(Stat::graph_node_unreadable, input_, first_unreadable_);
    }
  }
}

/// Reads "return (a, b)", in one line or many, and moves behind it.
bool PythonGraphReader::ReadReturn(LineCursor& cursor, const TextLine& line) {
  const std::string_view text = cursor.text();
  const size_t begin = cursor.offset() + line.indent + std::string_view("return").size();
  const size_t line_end = cursor.offset() + line.text.size();
  size_t end = line_end;
  const size_t open = text.find_first_of("([{", begin);
  if (open < line_end) {
    const size_t close = FindClosing(text, open);
    if (close == kNotFound) {
      cursor.Skip();
      return false;
    }
    // Behind a line break only the rest of its line can follow.
    end = close < line_end ? line_end : std::min(text.find('\n', close), text.size());
  }
  const std::string_view returned = text.substr(begin, end - begin);
  cursor.MoveBehindLineAt(end > cursor.offset() ? end - 1 : end);
  if (!line.is_whole && Trim(returned).empty()) return false;
  return statements_.ReadReturn(returned, line.number);
}

/// "# File: m.py:21 in forward, code: x = y" with words of all kinds in front of "File:".
/// Source: append_stacktrace_summary in torch/fx/graph.py.
void PythonGraphReader::ReadComment(std::string_view comment) {
  if (comment == last_comment_) {
    builder_.SetPlace(last_place_);
    return;
  }
  UserPlace place;
  const size_t file_at = FindText(comment, "File: ");
  if (file_at != kNotFound) {
    std::string_view rest = comment.substr(file_at + 6);
    const size_t code_at = FindText(rest, ", code: ");
    if (code_at != kNotFound) place.code = builder_.Intern(TrimRight(rest.substr(code_at + 8)));
    rest = rest.substr(0, code_at);
    const size_t in = rest.rfind(" in ");
    const std::string_view file_and_line = rest.substr(0, in);
    const size_t colon = file_and_line.rfind(':');
    if (colon != kNotFound) {
      std::string_view number = file_and_line.substr(colon + 1);
      place.line = ConsumeUint<uint32_t>(number).value_or(0);
      place.file = builder_.Intern(file_and_line.substr(0, colon));
      if (in != kNotFound) place.function = builder_.Intern(TrimRight(rest.substr(in + 4)));
    }
  } else if (!HasText(comment, "No stacktrace found")) {
    return;
  }
  last_comment_ = comment;
  last_place_ = place;
  builder_.SetPlace(place);
}

}  // namespace shapewise
