#include "report/code_frame.h"

#include <algorithm>

#include "report/printed_text.h"
#include "support/terminal_text.h"

namespace shapewise {
namespace {

constexpr uint32_t kMostLines = 4;
constexpr size_t kTabColumns = 4;
/// Longer lines are unreadable, and many findings on one would take quadratic space.
constexpr size_t kLongestLine = 4096;

/// The printed form of part of a line: tabs become blanks, one entry per character of code.
struct Glyphs {
  std::vector<std::string> texts;
  std::vector<size_t> columns;
};

Glyphs GlyphsOf(std::string_view line) {
  Glyphs glyphs;
  for (size_t i = 0; i < line.size();) {
    size_t length = 1;
    while (i + length < line.size() &&
           (static_cast<unsigned char>(line[i + length]) & 0xC0) == 0x80) {
      ++length;
    }
    const std::string_view character = line.substr(i, length);
    std::string text = character == "\t" ? std::string(kTabColumns, ' ') : MakePrintable(character);
    glyphs.columns.push_back(TextColumns(text));
    glyphs.texts.push_back(std::move(text));
    i += length;
  }
  return glyphs;
}

/// Adds lines of code with marks below characters [begin, end).
class FrameLines {
 public:
  FrameLines(Document& page, size_t gutter, size_t width, TextStyle style)
      : page_(page), gutter_(gutter), width_(width), style_(style) {}

  void Add(uint32_t number, std::string_view line, size_t begin, size_t end) {
    const Glyphs glyphs = GlyphsOf(line);
    begin = std::min(begin, glyphs.texts.size());
    end = std::clamp(end, begin, glyphs.texts.size());
    const size_t room = std::max<size_t>(width_ > gutter_ + 4 ? width_ - gutter_ - 4 : 0, 20);
    size_t first = FirstShown(glyphs, begin, room);
    std::string code = first == 0 ? "" : "...";
    size_t used = code.size();
    std::string marks(used, ' ');
    size_t at = first;
    for (; at < glyphs.texts.size() && used + glyphs.columns[at] <= room; ++at) {
      const bool is_marked = at >= begin && at < end;
      code += glyphs.texts[at];
      marks.append(glyphs.columns[at], is_marked ? '^' : ' ');
      used += glyphs.columns[at];
    }
    if (at < glyphs.texts.size()) code += "...";
    // An empty range, such as something missing at the end of a line, still gets a mark.
    if (begin == end && begin == at) marks += '^';
    marks.erase(marks.find_last_not_of(' ') + 1);
    AddRow(std::to_string(number), TextStyle::kPlain, code);
    if (!marks.empty()) AddRow("", style_, marks);
  }

  void AddRow(const std::string& head, TextStyle style, const std::string& text) {
    std::string row = std::string(gutter_ - head.size(), ' ') + head + " |";
    page_.AddLine({{TextStyle::kFaint, row + " "}, {style, text}});
  }

 private:
  /// The first character to show, so that `begin` is visible with some context before it.
  static size_t FirstShown(const Glyphs& glyphs, size_t begin, size_t room) {
    size_t columns = 0;
    for (size_t i = 0; i < begin; ++i) columns += glyphs.columns[i];
    if (columns < room * 2 / 3) return 0;
    size_t first = begin;
    size_t before = 0;
    while (first > 0 && before < room / 4) before += glyphs.columns[--first];
    return first;
  }

  Document& page_;
  size_t gutter_;
  size_t width_;
  TextStyle style_;
};

}  // namespace

void AddCodeFrame(const CodeTexts& texts, const std::string& file, const CodeRange& range,
                  TextStyle style, size_t width, Document& page) {
  if (!texts.Has(file) || range.line == 0) return;
  const uint32_t end_line = std::max(range.end_line, range.line);
  const uint32_t last = std::min(end_line, range.line + kMostLines - 1);
  const size_t gutter = std::max<size_t>(std::to_string(last).size() + 1, 3);
  FrameLines lines(page, gutter, width, style);
  lines.AddRow("", TextStyle::kPlain, "");
  for (uint32_t line = range.line; line <= last; ++line) {
    const std::string_view text = texts.Line(file, range, line);
    if (text.size() > kLongestLine) {
      const std::string bytes = std::to_string(text.size());
      lines.AddRow(std::to_string(line), TextStyle::kFaint,
                   "(a line of " + bytes + " bytes is not shown)");
      continue;
    }
    const size_t indent = text.find_first_not_of(" \t");
    const bool is_first = line == range.line;
    const size_t begin = is_first && range.column != 0      ? range.column - 1
                         : indent == std::string_view::npos ? text.size()
                                                            : indent;
    const size_t end =
        line == end_line && range.end_column != 0 ? range.end_column - 1 : text.size();
    lines.Add(line, text, begin, end);
  }
  if (last < end_line) lines.AddRow("...", TextStyle::kPlain, "");
}

}  // namespace shapewise
