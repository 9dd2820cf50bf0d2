// A result for people, built once by its command and rendered by each format: text, markdown, html.

#ifndef SHAPEWISE_REPORT_DOCUMENT_H_
#define SHAPEWISE_REPORT_DOCUMENT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "support/text_list.h"

namespace shapewise {

/// The role of a piece of text, which determines its look.
enum class TextStyle : uint8_t {
  kPlain,
  kStrong,  ///< to read first
  kFaint,   ///< less important
  kLabel,   ///< describes the rest of the line
  kCode,    ///< text to paste
  kArrow,   ///< before a place in code
  kError,   ///< severities
  kWarning,
  kNote,
};

/// Indentation of tables and drawings, in columns.
inline constexpr size_t kPageIndent = 2;

/// Paragraphs, lists, tables and code, in order. Any text may come from a log: renderers escape it.
///
/// \code
///   page.Begin(/*indent=*/2, /*hanging=*/6).Add(TextStyle::kLabel, "help ").Add(text);
/// \endcode
class Document {
 public:
  /// Part of a line.
  struct Piece {
    TextStyle style = TextStyle::kPlain;
    std::string text;
    size_t column = 0;  ///< in text it starts here, or after one blank; 0: where the last one ends
  };

  /// Wraps. Without indentation it is a block of its own; else it belongs to the one above it. One
  /// that begins with a severity is the head of what belongs to it.
  struct Paragraph {
    size_t indent = 0;     ///< of the first line, in columns
    size_t hanging = 0;    ///< of the others
    bool is_item = false;  ///< of a list with dashes
    std::string id;        ///< for links and scripts of a page; empty: none
    std::vector<Piece> pieces;
  };

  /// How far a title reaches, and how it looks where a format can do that.
  enum class TitleKind : uint8_t {
    kSection,
    kPart,    ///< of a section
    kFolded,  ///< part of a section or part, shown on request
  };

  /// The heading of all that follows, up to the next one.
  struct Title {
    std::string text;
    TitleKind kind = TitleKind::kSection;
    std::string id;  ///< links of a page lead to it; empty: none
  };

  /// Lines of code.
  struct Code {
    size_t indent = 0;
    TextStyle style = TextStyle::kCode;
    std::string text;
  };

  /// A line of a drawing or of source code, which does not wrap.
  struct Line {
    std::vector<Piece> pieces;
  };

  struct Blank {};

  /// An SVG element whose texts are escaped, for formats with pictures. Others have its numbers
  /// from the tables below it.
  struct Picture {
    std::string svg;
  };

  /// Columns are as wide as their content; empty ones are omitted.
  struct Table {
    enum class Align : uint8_t { kLeft, kRight };
    struct Column {
      std::string heading;
      Align align = Align::kRight;
      TextStyle style = TextStyle::kPlain;
    };
    /// How strong the color of a cell is.
    struct Heat {
      static constexpr uint8_t kMost = 8;
      uint8_t level = 0;      ///< 0: no color
      std::string hint = {};  ///< what it stands for
    };
    struct Cells {
      std::vector<std::string> texts;
      TextStyle style = TextStyle::kPlain;
      std::vector<Heat> heat = {};  ///< of the last cells; may be empty
    };

    explicit Table(std::vector<Column> table_columns) : columns(std::move(table_columns)) {}

    /// Adds a row with one cell per column.
    void Row(std::vector<std::string> texts, TextStyle style = TextStyle::kPlain) {
      rows.push_back({std::move(texts), style});
    }

    /// The indices of the columns with text in some row.
    std::vector<size_t> Shown() const;

    std::vector<Column> columns;
    std::vector<Cells> rows;
    size_t indent = kPageIndent;
    std::string caption;  ///< for formats with captions
    std::string id;       ///< for scripts of a page; empty: none
  };

  using Block = std::variant<Blank, Title, Paragraph, Code, Line, Picture, Table>;

  /// `command`: "lint". `all`: long lists are not cut.
  Document(std::string_view command, bool all) : command_(command), all_(all) {}

  /// Starts a paragraph.
  Document& Begin(size_t indent, size_t hanging);
  Document& Begin(size_t indent) { return Begin(indent, indent); }
  /// Starts a paragraph with a label; what is added starts at `column`.
  Document& Row(size_t indent, size_t column, std::string_view label);
  /// Continues the paragraph. Lines break only at blanks, so that paths stay whole.
  Document& Add(TextStyle style, std::string_view text);
  Document& Add(std::string_view text) { return Add(TextStyle::kPlain, text); }
  /// What is added next starts at `column`.
  Document& Tab(size_t column);

  /// Sets the id of the next paragraph.
  Document& Anchor(std::string_view id);

  void AddTitle(std::string_view text, TitleKind kind = TitleKind::kSection,
                std::string_view id = "");
  void AddItem(std::string_view text);
  /// Adds a list with a title; nothing if it is empty.
  void AddList(std::string_view title, const std::vector<std::string>& items);
  void AddCode(size_t indent, std::string_view text, TextStyle style = TextStyle::kCode);
  void AddLine(std::vector<Piece> pieces) { blocks_.emplace_back(Line{std::move(pieces)}); }
  void AddPicture(std::string svg) { blocks_.emplace_back(Picture{std::move(svg)}); }
  void AddTable(Table table, size_t indent = kPageIndent);
  void BlankLine() { blocks_.emplace_back(Blank()); }

  /// How many of `count` things to add; `limit` is without --all.
  size_t Shown(size_t count, size_t limit) const { return all_ ? count : std::min(count, limit); }
  /// Adds "and 3 more inputs: --all" if not all are shown; the plural of `noun` takes an s.
  void AddRest(size_t shown, size_t count, std::string_view noun, size_t indent = 0);
  /// Calls `add` with each of the first `limit` items, and says how many more there are.
  template <typename Items, typename Function>
  void AddSome(const Items& items, size_t limit, std::string_view noun, size_t indent,
               const Function& add) {
    const size_t shown = Shown(items.size(), limit);
    for (size_t i = 0; i < shown; ++i) add(items[i]);
    AddRest(shown, items.size(), noun, indent);
  }

  /// Makes the last paragraph the headline, which other formats than text print first. Otherwise,
  /// the first one is.
  void MakeHeadline() { headline_ = blocks_.size() - 1; }
  /// JSON for the script of a page.
  void SetData(std::string json) { data_ = std::move(json); }

  const std::string& command() const { return command_; }
  bool all() const { return all_; }
  const std::vector<Block>& blocks() const { return blocks_; }
  const std::string& data() const { return data_; }
  /// Null: there is none.
  const Paragraph* Headline() const;

 private:
  std::string command_;
  bool all_;
  std::vector<Block> blocks_;
  size_t headline_ = 0;
  std::string data_;
  std::string next_id_;
  size_t column_ = 0;  // of the next piece
};

/// Whether `style` is that of a severity.
bool IsSeverity(TextStyle style);

/// The text of a line, without styles.
std::string PlainText(const std::vector<Document::Piece>& pieces);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_DOCUMENT_H_
