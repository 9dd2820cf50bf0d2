#include "check/suppressions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "check/code_rule_set.h"
#include "check/file_view.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "rules/identity.h"
#include "rules/rule_set.h"

namespace shapewise {
namespace {

constexpr std::string_view kMark = "shapewise:";

/// A comment that suppresses findings.
struct Suppression {
  std::vector<std::string> rules;  ///< codes or names as written; empty: all
  uint32_t first_line = 0;         ///< first line that it applies to; 0: the whole file
  uint32_t last_line = 0;
  CodeRange range;  ///< of the comment
  size_t begin = 0;
  size_t end = 0;
};

/// The text after "# shapewise:" in a comment; null for other comments.
struct Pragma {
  bool is_found = false;
  bool is_for_file = false;
  size_t begin = 0;  ///< offset of its '#' in the file
  size_t list_begin = 0;
  size_t list_end = 0;  ///< end of the text in brackets; 0 without brackets
};

Pragma PragmaIn(std::string_view text, FileSpan comment) {
  const llvm::StringRef whole(comment.Of(text));
  Pragma pragma;
  for (size_t at = 0; at != llvm::StringRef::npos; at = whole.find('#', at + 1)) {
    llvm::StringRef rest = whole.drop_front(at + 1).ltrim();
    if (!rest.consume_front(kMark)) continue;
    rest = rest.ltrim();
    if (!rest.consume_front("ignore")) continue;
    pragma.is_for_file = rest.consume_front("-file");
    // "ignored" and "ignore_this" are other words.
    if (!rest.empty() &&
        (llvm::isAlnum(rest.front()) || rest.front() == '_' || rest.front() == '-'))
      continue;
    pragma.is_found = true;
    pragma.begin = comment.begin + at;
    const llvm::StringRef list = rest.ltrim();
    const size_t close =
        std::string_view(list).starts_with("[") ? list.find(']') : llvm::StringRef::npos;
    if (close != llvm::StringRef::npos) {
      pragma.list_begin = static_cast<size_t>(list.data() - text.data()) + 1;
      pragma.list_end = pragma.list_begin + close - 1;
    }
    return pragma;
  }
  return pragma;
}

std::vector<std::string> WordsOf(llvm::StringRef list) {
  std::vector<std::string> words;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  list.split(parts, ',', -1, /*KeepEmpty=*/false);
  for (const llvm::StringRef part : parts)
    if (!part.trim().empty()) words.push_back(part.trim().str());
  return words;
}

const FileSpan* LineAfter(const PythonScan& scan, size_t offset) {
  const auto it = std::lower_bound(scan.logical_lines.begin(), scan.logical_lines.end(), offset,
                                   [](const FileSpan& line, size_t at) { return line.begin < at; });
  return it == scan.logical_lines.end() ? nullptr : &*it;
}

/// Whether only comments and a docstring come before `offset`.
bool IsAtHead(const PythonScan& scan, size_t offset) {
  for (size_t i = 0; i < scan.logical_lines.size(); ++i) {
    const FileSpan& line = scan.logical_lines[i];
    if (line.begin >= offset) return true;
    const FileSpan* string = SpanAt(scan.strings, line.begin);
    if (i > 0 || string == nullptr || string->begin != line.begin) return false;
  }
  return true;
}

/// Finds all suppressions by place; strings are not searched. A comment at the end of a line
/// applies to the lines of that statement, which extends over brackets, strings and backslashes. A
/// comment on a line of its own applies to the next statement. `ignore-file` applies to the file if
/// only comments precede it.
std::vector<Suppression> FindIn(const FileView& file) {
  std::vector<Suppression> found;
  for (const FileSpan& comment : file.scan().comments) {
    const Pragma pragma = PragmaIn(file.text(), comment);
    if (!pragma.is_found) continue;
    Suppression one;
    if (pragma.list_end != 0) one.rules = WordsOf(file.Text({pragma.list_begin, pragma.list_end}));
    one.begin = pragma.begin;
    one.end = comment.end;
    one.range = file.lines().RangeOf({one.begin, one.end});
    if (pragma.is_for_file) {
      if (!IsAtHead(file.scan(), comment.begin)) continue;
    } else {
      const FileSpan* line = SpanAt(file.scan().logical_lines, comment.begin);
      if (line == nullptr) line = LineAfter(file.scan(), comment.begin);
      if (line == nullptr) {
        one.first_line = one.last_line = one.range.line;
      } else {
        one.first_line = static_cast<uint32_t>(file.lines().LineOf(line->begin)) + 1;
        one.last_line = static_cast<uint32_t>(file.lines().LineOf(line->end)) + 1;
      }
    }
    found.push_back(std::move(one));
  }
  return found;
}

/// Whether a word in a comment is the code of a rule, the beginning of its code, or its name.
bool Matches(llvm::StringRef word, llvm::StringRef code, llvm::StringRef name) {
  return word.equals_insensitive(name) ||
         (!word.empty() && code.take_front(word.size()).equals_insensitive(word));
}

/// Finds the comments that apply to a line. Statements do not overlap, so neither do the lines that
/// comments apply to, unless they are in one statement.
class SuppressionFinder {
 public:
  explicit SuppressionFinder(llvm::ArrayRef<Suppression> suppressions)
      : suppressions_(suppressions) {
    for (size_t i = 0; i < suppressions.size(); ++i) {
      (suppressions[i].first_line == 0 ? of_file_ : of_lines_).push_back(i);
    }
    llvm::stable_sort(of_lines_, [&](size_t a, size_t b) {
      return suppressions_[a].last_line < suppressions_[b].last_line;
    });
  }

  template <typename See>
  void ForEach(uint32_t line, See see) const {
    for (const size_t i : of_file_) see(i);
    auto at = llvm::partition_point(of_lines_,
                                    [&](size_t i) { return suppressions_[i].last_line < line; });
    for (; at != of_lines_.end() && suppressions_[*at].first_line <= line; ++at) see(*at);
  }

 private:
  llvm::ArrayRef<Suppression> suppressions_;
  std::vector<size_t> of_file_;
  std::vector<size_t> of_lines_;  // by their last line
};

/// Removes the comment, with its line if it is alone on it.
CodeFix RemoveComment(const FileView& file, const Suppression& suppression) {
  FileSpan span{suppression.begin, suppression.end};
  const size_t line = file.LineBegin(span.begin);
  while (span.begin > line && llvm::isSpace(file.text()[span.begin - 1])) --span.begin;
  if (span.begin == line) span.end = file.NextLine(span.end);
  return {.safe = true, .title = "remove the comment", .edits = {file.Edit(span, "")}};
}

/// Whether a rule about code matches `word`.
bool IsRule(llvm::StringRef word) {
  return llvm::any_of(RuleSet::Builtin().code_rules(),
                      [&](const CodeRule& rule) { return Matches(word, rule.code, rule.name); });
}

/// What is wrong with a comment that names `useless` rules in vain; empty: it names none.
std::string WhatIsUseless(llvm::ArrayRef<std::string> useless) {
  std::vector<std::string> unknown;
  std::vector<std::string> unused;
  for (const std::string& word : useless) (IsRule(word) ? unused : unknown).push_back(word);
  if (unknown.empty()) {
    return "no finding" + (unused.empty() ? "" : " of " + llvm::join(unused, ", ")) +
           " here for this comment to suppress";
  }
  std::string text = "no rule of `check` has the code or name " + llvm::join(unknown, ", ");
  if (!unused.empty()) text += "; no finding of " + llvm::join(unused, ", ") + " here";
  return text;
}

/// A note that says `found` about the comment at `span`, the `number`th of equal ones in the file.
CodeFinding CommentNote(const FileView& file, std::string_view path, FileSpan span,
                        const std::string& found, int32_t number) {
  const CodeRule& rule = ReaderRule(kUnusedIgnoreCode);
  CodeFinding note;
  note.rule = rule.code;
  note.name = rule.name;
  note.severity = rule.severity;
  note.confidence = rule.confidence;
  note.file = path;
  note.range = file.lines().RangeOf(span);
  note.message = ReaderMessage(rule, found);
  note.advice = rule.advice;
  Identity identity;
  identity.kind = "ignore";
  identity.file = llvm::sys::path::filename(path).str();
  identity.type = rule.code;
  identity.source = std::string(file.Text(span));
  identity.dim = number;
  note.fingerprint = Fingerprint(identity);
  return note;
}

/// The note about a comment, or words of it, that suppressed nothing.
CodeFinding UnusedNote(const FileView& file, std::string_view path, const Suppression& suppression,
                       llvm::ArrayRef<std::string> unused, int32_t number) {
  CodeFinding note =
      CommentNote(file, path, {suppression.begin, suppression.end}, WhatIsUseless(unused), number);
  if (unused.size() == suppression.rules.size()) {
    note.fix = RemoveComment(file, suppression);
  } else {
    std::vector<std::string> kept;
    for (const std::string& word : suppression.rules)
      if (!llvm::is_contained(unused, word)) kept.push_back(word);
    const Pragma pragma = PragmaIn(file.text(), {suppression.begin, suppression.end});
    const FileSpan list{pragma.list_begin, pragma.list_end};
    note.fix = CodeFix{.safe = true,
                       .title = "remove " + llvm::join(unused, ", ") + " from the comment",
                       .edits = {file.Edit(list, llvm::join(kept, ", "))}};
  }
  return note;
}

/// A comment that looks as if it suppressed findings, but does not.
struct NearMiss {
  FileSpan comment;
  FileSpan mark;  ///< what should be "shapewise: ignore"; empty: `ignore-file` below code
};

/// The near miss in `comment`: "# Shapewise: Ignore [..]", "# shapewise ignore[..]", "# shapewise:
/// disable". Prose that only begins with such words does not count.
std::optional<NearMiss> NearMissIn(const FileView& file, FileSpan comment) {
  static constexpr llvm::StringRef kVerbs[] = {"ignore", "disable", "noqa", "suppress", "skip"};
  const llvm::StringRef whole = std::string_view(file.Text(comment));
  for (size_t at = 0; at != llvm::StringRef::npos; at = whole.find('#', at + 1)) {
    llvm::StringRef rest = whole.drop_front(at + 1).ltrim();
    const llvm::StringRef mark = rest;
    if (!rest.consume_front_insensitive("shapewise")) continue;
    rest = rest.ltrim(" \t");
    const bool has_colon = rest.consume_front(":");
    rest = rest.ltrim(" \t");
    if (llvm::none_of(kVerbs,
                      [&](llvm::StringRef verb) { return rest.consume_front_insensitive(verb); })) {
      continue;
    }
    const size_t length = mark.size() - rest.size();
    rest.consume_front_insensitive("-file");
    const bool has_list = std::string_view(rest.ltrim(" \t")).starts_with('[');
    const bool is_word = rest.empty() || llvm::isSpace(rest.front()) || has_list;
    if (!is_word || (!has_colon && !has_list)) continue;
    const auto begin = static_cast<size_t>(mark.data() - file.text().data());
    return NearMiss{{comment.begin + at, comment.end}, {begin, begin + length}};
  }
  return {};
}

/// Finds comments that look like suppressions but have no effect.
std::vector<NearMiss> NearMissesIn(const FileView& file) {
  std::vector<NearMiss> found;
  for (const FileSpan& comment : file.scan().comments) {
    const Pragma pragma = PragmaIn(file.text(), comment);
    if (!pragma.is_found) {
      if (std::optional<NearMiss> miss = NearMissIn(file, comment)) found.push_back(*miss);
    } else if (pragma.is_for_file && !IsAtHead(file.scan(), comment.begin)) {
      found.push_back({{pragma.begin, comment.end}, {}});
    }
  }
  return found;
}

CodeFinding NearMissNote(const FileView& file, std::string_view path, const NearMiss& miss,
                         int32_t number) {
  const bool is_misplaced = miss.mark.begin == miss.mark.end;
  CodeFinding note = CommentNote(
      file, path, miss.comment,
      is_misplaced ? "`ignore-file` suppresses findings only above the first statement of the file"
                   : "this comment suppresses nothing: it is not `# shapewise: ignore[CODE]`",
      number);
  note.advice = is_misplaced ? "Move the comment to the beginning of the file."
                             : "Write the comment as `# shapewise: ignore[CODE]`.";
  if (!is_misplaced) {
    note.fix = CodeFix{.safe = true,
                       .title = "write it as `shapewise: ignore`",
                       .edits = {file.Edit(miss.mark, "shapewise: ignore")}};
  }
  return note;
}

/// Whether all rules that `word` matches are in `active`.
bool IsActive(llvm::StringRef word, llvm::ArrayRef<std::string_view> active) {
  return active.empty() || llvm::all_of(RuleSet::Builtin().code_rules(), [&](const CodeRule& rule) {
           return !Matches(word, rule.code, rule.name) ||
                  llvm::is_contained(active, std::string_view(rule.code));
         });
}

}  // namespace

uint64_t Suppress(std::string_view text, std::string_view file,
                  llvm::ArrayRef<std::string_view> active, std::vector<CodeFinding>& findings) {
  if (!llvm::StringRef(text).contains_insensitive("shapewise")) return 0;
  const FileView view(text, {}, 0);
  const std::vector<Suppression> suppressions = FindIn(view);
  const std::vector<NearMiss> near_misses = NearMissesIn(view);
  if (suppressions.empty() && near_misses.empty()) return 0;
  // used[i]: words of suppressions[i] that suppressed a finding; "" for one without words.
  std::vector<std::set<std::string>> used(suppressions.size());
  const SuppressionFinder finder(suppressions);
  uint64_t num_suppressed = 0;
  llvm::erase_if(findings, [&](const CodeFinding& finding) {
    bool is_held = false;
    finder.ForEach(finding.range.line, [&](size_t i) {
      if (suppressions[i].rules.empty()) {
        used[i].insert("");
        is_held = true;
      }
      for (const std::string& word : suppressions[i].rules) {
        if (!Matches(word, finding.rule, finding.name)) continue;
        used[i].insert(word);
        is_held = true;
      }
    });
    num_suppressed += is_held;
    return is_held;
  });
  std::map<std::string_view, int32_t> num_equals;
  for (size_t i = 0; i < suppressions.size(); ++i) {
    const Suppression& one = suppressions[i];
    std::vector<std::string> unused;
    for (const std::string& word : one.rules)
      if (!used[i].contains(word) && (IsActive(word, active) || !IsRule(word)))
        unused.push_back(word);
    // Without brackets, it may suppress a finding of any rule.
    const bool is_unused =
        one.rules.empty() ? used[i].empty() && IsActive("SWP", active) : !unused.empty();
    if (!is_unused) continue;
    const int32_t number = num_equals[view.Text({one.begin, one.end})]++;
    findings.push_back(UnusedNote(view, file, one, unused, number));
  }
  for (const NearMiss& miss : near_misses) {
    const int32_t number = num_equals[view.Text(miss.comment)]++;
    findings.push_back(NearMissNote(view, file, miss, number));
  }
  llvm::stable_sort(findings, [](const CodeFinding& a, const CodeFinding& b) {
    return std::tie(a.range, a.rule) < std::tie(b.range, b.rule);
  });
  return num_suppressed;
}

AddedIgnores AddIgnores(std::string_view text, llvm::ArrayRef<CodeFinding> findings,
                        std::string_view reason) {
  const FileView file(text, {}, 0);
  AddedIgnores added;
  // Codes by the end of the line that they are added to.
  std::map<size_t, std::set<std::string>> codes;
  // Notes about comments, by the offset that their fixes change.
  std::map<size_t, size_t> notes;
  for (size_t i = 0; i < findings.size(); ++i) {
    const CodeFinding& finding = findings[i];
    if (finding.rule == kUnusedIgnoreCode) {
      if (finding.fix) notes.emplace(finding.fix->edits.front().end, i);
      continue;
    }
    added.settled.push_back(i);
    if (finding.range.line == 0 || finding.range.line > file.lines().size()) continue;
    const size_t line = file.lines().Begin(finding.range.line - 1);
    // The statement that contains the first non-blank character of the line.
    const size_t first = line + file.IndentOf(line).size();
    const FileSpan* logical = SpanAt(file.scan().logical_lines, first);
    codes[logical != nullptr ? logical->end : file.LineEnd(line)].insert(finding.rule);
  }
  std::string& result = added.text;
  size_t at = 0;
  for (auto& [end, wanted] : codes) {
    const size_t begin = file.LineBegin(end);
    const std::vector<FileSpan>& comments = file.scan().comments;
    const auto next_comment =
        llvm::partition_point(comments, [&](const FileSpan& one) { return one.begin < end; });
    const FileSpan* comment = next_comment != comments.begin() && (next_comment - 1)->begin >= begin
                                  ? &*(next_comment - 1)
                                  : nullptr;
    const Pragma pragma = comment != nullptr ? PragmaIn(text, *comment) : Pragma();
    if (pragma.is_found && !pragma.is_for_file && pragma.list_end != 0) {
      llvm::StringRef kept_words(file.Text({pragma.list_begin, pragma.list_end}));
      // A note says which words suppress nothing: its fix has the others, or removes the comment.
      auto note = notes.find(pragma.list_end);
      if (note != notes.end()) {
        kept_words = findings[note->second].fix->edits.front().text;
      } else {
        note = notes.find(comment->end);
        if (note != notes.end()) kept_words = "";
      }
      if (note != notes.end()) added.settled.push_back(note->second);
      for (const std::string& word : WordsOf(kept_words)) {
        if (IsRule(word)) wanted.insert(word);
      }
      result += text.substr(at, pragma.list_begin - at);
      result += llvm::join(wanted, ", ");
      // Another tool's comment may follow.
      const size_t list_end = std::min(pragma.list_end + 1, comment->end);
      const llvm::StringRef rest(file.Text({list_end, comment->end}));
      const llvm::StringRef old_reason = rest.take_until([](char c) { return c == '#'; }).rtrim();
      at = list_end + old_reason.size();
      result += text.substr(pragma.list_end, at - pragma.list_end);
      if (!reason.empty() && !old_reason.contains(llvm::StringRef(reason))) {
        result += (old_reason.trim().empty() ? " " : "; ") + std::string(reason);
      }
      continue;
    }
    size_t kept = end;
    while (kept > begin && (text[kept - 1] == ' ' || text[kept - 1] == '\t')) --kept;
    result += text.substr(at, kept - at);
    result += "  # shapewise: ignore[" + llvm::join(wanted, ", ") + "]";
    if (!reason.empty()) result += " " + std::string(reason);
    at = end;
  }
  result += text.substr(at);
  return added;
}

}  // namespace shapewise
