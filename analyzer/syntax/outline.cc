// The problem: to say where the functions and classes of a file stand, at the speed at which it is
// read from the disk, since most of them are then not looked at.
//
// Only the first word of a logical line and its column are needed: `def` opens a function, which
// ends before the first line that is not deeper; `class` opens a class likewise, whose lines are
// looked at in turn. What stands between decides nothing but where lines end.

#include "shapewise/syntax/outline.h"

#include <cstring>

#include "syntax/logical_lines.h"

namespace shapewise {
namespace {

constexpr uint32_t kNoFunction = UINT32_MAX;
/// Who has so many has no Python.
constexpr size_t kMaxOutlineFaults = 100;

struct FaultCollector : LineObserver {
  FaultCollector(Outline& to, const char* begin) : outline(to), text(begin) {}

  void Fault(LineFault fault, const char* at) {
    if (outline.faults.size() >= kMaxOutlineFaults) return;
    outline.faults.push_back({static_cast<size_t>(at - text), MessageOf(fault)});
  }

  Outline& outline;
  const char* text;
};

class Outliner {
 public:
  Outliner(std::string_view text, Outline& outline)
      : text_(text), outline_(outline), observer_(outline, text.data()) {
    columns_.push_back(0);
  }

  void Run() {
    const size_t bom = text_.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    LogicalLineReader<FaultCollector> lines(text_.data() + bom, text_.data() + text_.size(),
                                            observer_);
    LogicalLine line;
    while (lines.Next(line)) {
      if (line.column != columns_.back()) FollowColumn(line);
      if (function_column_ != kNoFunction) {
        if (line.column > function_column_) {
          last_end_ = line.end;
          continue;
        }
        EndFunction();
      }
      while (!open_.empty() && line.column <= open_.back().column) EndClass();
      Look(line);
      last_end_ = line.end;
    }
    if (function_column_ != kNoFunction) EndFunction();
    while (!open_.empty()) EndClass();
    GiveToOwner(text_.size());
  }

 private:
  struct OpenClass {
    uint32_t index;
    uint32_t column;
  };

  size_t OffsetOf(const char* at) const { return static_cast<size_t>(at - text_.data()); }

  void FollowColumn(const LogicalLine& line) {
    if (line.column > columns_.back()) {
      columns_.push_back(line.column);
      return;
    }
    while (columns_.back() > line.column) columns_.pop_back();
    if (columns_.back() == line.column) return;
    columns_.push_back(line.column);
    observer_.Fault(LineFault::kDedent, line.first);
  }

  void Look(const LogicalLine& line) {
    const char* begin = decorators_ == nullptr ? line.begin : decorators_;
    const bool has_decorators = decorators_ != nullptr;
    if (*line.first == '@') {
      decorators_ = begin;
      return;
    }
    decorators_ = nullptr;
    std::string_view name;
    if (IsFunction(line, name)) {
      GiveToOwner(OffsetOf(begin));
      OutlinedFunction& function = outline_.functions.emplace_back();
      function.name = name;
      function.span.begin = OffsetOf(begin);
      function.has_decorators = has_decorators;
      function.in_class = InClass();
      function_column_ = line.column;
    } else if (NameAfter(line, line.first, "class", name)) {
      GiveToOwner(OffsetOf(begin));
      OutlinedClass& added = outline_.classes.emplace_back();
      added.name = name;
      added.span.begin = OffsetOf(begin);
      added.in_class = InClass();
      open_.push_back({static_cast<uint32_t>(outline_.classes.size() - 1), line.column});
    }
  }

  /// Skips blanks and continued lines.
  static const char* SkipToWord(const char* at, const char* end) {
    for (;;) {
      while (at < end && IsPythonBlank(*at)) ++at;
      if (end - at < 2 || *at != '\\' || !IsPythonNewline(at[1])) return at;
      at = SkipNewline(at + 1, end);
    }
  }

  static bool NameAfter(const LogicalLine& line, const char* at, std::string_view word,
                        std::string_view& name) {
    if (*at != word[0] || !HasWord(at, line.last, word)) return false;
    const char* begin = SkipToWord(at + word.size(), line.last);
    const char* end = begin;
    while (end < line.last && IsPythonNameChar(*end)) ++end;
    name = std::string_view(begin, static_cast<size_t>(end - begin));
    return !name.empty();
  }

  static bool IsFunction(const LogicalLine& line, std::string_view& name) {
    const char* at = line.first;
    if (*at == 'a' && HasWord(at, line.last, "async")) {
      at = SkipToWord(at + std::strlen("async"), line.last);
      if (at == line.last) return false;
    }
    return NameAfter(line, at, "def", name);
  }

  int32_t InClass() const { return open_.empty() ? -1 : static_cast<int32_t>(open_.back().index); }

  void EndFunction() {
    outline_.functions.back().span.end = given_ = OffsetOf(last_end_);
    function_column_ = kNoFunction;
  }

  void EndClass() {
    const size_t end = OffsetOf(last_end_);
    GiveToOwner(end);
    outline_.classes[open_.back().index].span.end = end;
    open_.pop_back();
    decorators_ = nullptr;  // those in it decorate nothing behind it
  }

  /// What was not given yet, up to `end`, belongs to the innermost class, or to the module.
  void GiveToOwner(size_t end) {
    if (end <= given_) return;
    std::vector<FileSpan>& spans =
        open_.empty() ? outline_.module : outline_.classes[open_.back().index].own;
    spans.push_back({given_, end});
    given_ = end;
  }

  std::string_view text_;
  Outline& outline_;
  FaultCollector observer_;
  llvm::SmallVector<uint32_t, 32> columns_;
  llvm::SmallVector<OpenClass, 8> open_;
  uint32_t function_column_ = kNoFunction;
  const char* decorators_ = nullptr;
  const char* last_end_ = nullptr;
  size_t given_ = 0;
};

}  // namespace

Outline OutlinePython(std::string_view text) {
  Outline outline;
  Outliner(text, outline).Run();
  return outline;
}

std::vector<size_t> LineStarts(std::string_view text) {
  std::vector<size_t> starts = {0};
  const char* end = text.data() + text.size();
  for (const char* at = text.data();;) {
    at = FindNewline(at, end);
    if (at == end) return starts;
    at = SkipNewline(at, end);
    starts.push_back(static_cast<size_t>(at - text.data()));
  }
}

}  // namespace shapewise
