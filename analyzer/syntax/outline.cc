// Finds the functions and classes of a file without parsing them, because most of them are not
// needed.
//
// The first words of a logical line and its indentation are enough: `def` opens a function, which
// ends before the first line that is not deeper; `class` opens a class in the same way, whose lines
// are scanned in turn.

#include "syntax/outline.h"

#include <algorithm>

#include "llvm/ADT/SmallVector.h"
#include "pyast/lexer.h"

namespace shapewise {
namespace {

using pyast::Tok;

constexpr int kNoFunction = -1;

bool IsNewline(char c) { return c == '\n' || c == '\r'; }

/// The position after the line end at `at`, if there is one.
size_t AfterNewline(std::string_view text, size_t at) {
  if (at >= text.size() || !IsNewline(text[at])) return at;
  return at + (text.substr(at, 2) == "\r\n" ? 2 : 1);
}

class Outliner {
 public:
  Outliner(std::string_view text, Outline& outline) : text_(text), outline_(outline) {
    lexer_.Reset(text, pyast::Lexer::Mode::kLines, /*is_printed=*/false);
  }

  void Run() {
    for (pyast::Token token = lexer_.Next(); token.kind != Tok::kEnd; token = lexer_.Next()) {
      if (token.kind == Tok::kIndent) {
        ++depth_;
      } else if (token.kind == Tok::kDedent) {
        --depth_;
      } else {
        Line(token);
      }
    }
    depth_ = 0;
    EndDeeper();
    GiveToOwner(text_.size());
    for (const pyast::Fault& fault : lexer_.faults()) {
      outline_.faults.push_back({fault.span.begin, fault.message});
    }
  }

 private:
  struct OpenClass {
    uint32_t index;
    int depth;
  };

  /// A logical line that begins with `token`.
  void Line(pyast::Token token) {
    EndDeeper();
    const size_t begin = LineBegin(token.begin);
    if (function_depth_ == kNoFunction) token = Look(token, begin);
    while (token.kind != Tok::kNewline && token.kind != Tok::kEnd) {
      lexer_.SkipPlain();
      token = lexer_.Next();
    }
    last_end_ = AfterNewline(text_, token.begin);
  }

  /// Closes functions and classes that do not contain the line.
  void EndDeeper() {
    if (function_depth_ != kNoFunction) {
      if (depth_ > function_depth_) return;
      outline_.functions.back().span.end = given_ = last_end_;
      function_depth_ = kNoFunction;
    }
    for (; !open_.empty() && depth_ <= open_.back().depth; open_.pop_back()) {
      GiveToOwner(last_end_);
      outline_.classes[open_.back().index].span.end = last_end_;
      has_decorators_ = false;  // decorators inside it do not apply to what follows
    }
  }

  size_t LineBegin(size_t at) const {
    while (at > given_ &&
           (text_[at - 1] == ' ' || text_[at - 1] == '\t' || text_[at - 1] == '\f')) {
      --at;
    }
    return at;
  }

  /// Examines the first words of the line that begins at `begin`; returns the token after them.
  pyast::Token Look(pyast::Token token, size_t begin) {
    if (token.kind == Tok::kAt) {
      if (!has_decorators_) decorators_ = begin;
      has_decorators_ = true;
      return token;
    }
    const bool is_decorated = has_decorators_;
    if (is_decorated) begin = decorators_;
    has_decorators_ = false;
    if (token.kind == Tok::kAsync) token = lexer_.Next();
    if (token.kind != Tok::kDef && token.kind != Tok::kClass) return token;
    const bool is_class = token.kind == Tok::kClass;
    token = lexer_.Next();
    if (token.kind != Tok::kName) return token;
    const std::string_view name = text_.substr(token.begin, token.end - token.begin);
    GiveToOwner(begin);
    const int32_t in_class = open_.empty() ? -1 : static_cast<int32_t>(open_.back().index);
    if (is_class) {
      open_.push_back({static_cast<uint32_t>(outline_.classes.size()), depth_});
      outline_.classes.push_back(
          {.name = name, .span = {.begin = begin, .end = 0}, .in_class = in_class, .own = {}});
    } else {
      function_depth_ = depth_;
      outline_.functions.push_back({.name = name,
                                    .span = {.begin = begin, .end = 0},
                                    .in_class = in_class,
                                    .has_decorators = is_decorated});
    }
    return token;
  }

  /// Assigns the text that is not assigned yet, up to `end`, to the innermost class, or to the
  /// module.
  void GiveToOwner(size_t end) {
    if (end <= given_) return;
    std::vector<FileSpan>& spans =
        open_.empty() ? outline_.module : outline_.classes[open_.back().index].own;
    spans.push_back({given_, end});
    given_ = end;
  }

  std::string_view text_;
  Outline& outline_;
  pyast::Lexer lexer_;
  llvm::SmallVector<OpenClass, 8> open_;
  int depth_ = 0;  ///< of the line, in levels of indentation
  int function_depth_ = kNoFunction;
  bool has_decorators_ = false;
  size_t decorators_ = 0;  ///< where they begin
  size_t last_end_ = 0;    ///< of the last line
  size_t given_ = 0;
};

}  // namespace

Outline OutlinePython(std::string_view text) {
  Outline outline;
  Outliner(text, outline).Run();
  outline.functions.shrink_to_fit();
  outline.classes.shrink_to_fit();
  outline.module.shrink_to_fit();
  return outline;
}

std::vector<size_t> LineStarts(std::string_view text) {
  const bool has_returns = text.find('\r') != std::string_view::npos;
  std::vector<size_t> starts = {0};
  for (;;) {
    const size_t begin = starts.back();
    const size_t end = has_returns ? text.find_first_of("\r\n", begin) : text.find('\n', begin);
    if (end == std::string_view::npos) return starts;
    starts.push_back(AfterNewline(text, end));
  }
}

PythonScan ScanPython(std::string_view text) {
  PythonScan scan;
  pyast::Lexer lexer;
  lexer.Reset(text, pyast::Lexer::Mode::kLines, /*is_printed=*/false);
  bool is_in_line = false;
  size_t line_begin = 0;
  size_t num_open = 0;  // f-strings, one inside the other
  size_t string_begin = 0;
  for (pyast::Token token = lexer.Next(); token.kind != Tok::kEnd; token = lexer.Next()) {
    if (token.kind == Tok::kIndent || token.kind == Tok::kDedent) continue;
    if (token.kind == Tok::kNewline) {
      if (is_in_line) scan.logical_lines.push_back({line_begin, token.begin});
      is_in_line = false;
      num_open = 0;
      continue;
    }
    if (!is_in_line) line_begin = token.begin;
    is_in_line = true;
    if (token.kind == Tok::kFStringStart && num_open++ == 0) string_begin = token.begin;
    if (token.kind == Tok::kString && num_open == 0) {
      scan.strings.push_back({token.begin, token.end});
    } else if (token.kind == Tok::kFStringEnd && num_open != 0 && --num_open == 0) {
      scan.strings.push_back({string_begin, token.end});
    }
    lexer.SkipPlain();
  }
  for (const pyast::Span& comment : lexer.comments()) {
    scan.comments.push_back({comment.begin, comment.end});
  }
  return scan;
}

const FileSpan* SpanAt(const std::vector<FileSpan>& spans, size_t offset) {
  auto it = std::upper_bound(spans.begin(), spans.end(), offset,
                             [](size_t at, const FileSpan& span) { return at < span.begin; });
  if (it == spans.begin()) return nullptr;
  --it;
  return offset < it->end ? &*it : nullptr;
}

}  // namespace shapewise
