#include "report/document.h"

namespace shapewise {

std::vector<size_t> Document::Table::Shown() const {
  std::vector<size_t> shown;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::any_of(rows, [&](const Cells& row) { return !row.texts[i].empty(); })) {
      shown.push_back(i);
    }
  }
  return shown;
}

Document& Document::Begin(size_t indent, size_t hanging) {
  blocks_.emplace_back(
      Paragraph{indent, hanging, /*is_item=*/false, std::exchange(next_id_, {}), {}});
  column_ = 0;
  return *this;
}

Document& Document::Row(size_t indent, size_t column, std::string_view label) {
  return Begin(indent, column).Add(TextStyle::kLabel, label).Tab(column);
}

Document& Document::Add(TextStyle style, std::string_view text) {
  std::get<Paragraph>(blocks_.back())
      .pieces.push_back({style, std::string(text), std::exchange(column_, 0)});
  return *this;
}

Document& Document::Tab(size_t column) {
  column_ = column;
  return *this;
}

Document& Document::Anchor(std::string_view id) {
  next_id_ = id;
  return *this;
}

void Document::AddTitle(std::string_view text, TitleKind kind, std::string_view id) {
  blocks_.emplace_back(Title{std::string(text), kind, std::string(id)});
}

void Document::AddItem(std::string_view text) {
  Begin(2, 4).Add(text);
  std::get<Paragraph>(blocks_.back()).is_item = true;
}

void Document::AddList(std::string_view title, const std::vector<std::string>& items) {
  if (items.empty()) return;
  AddTitle(title);
  for (const std::string& item : items) AddItem(item);
}

void Document::AddCode(size_t indent, std::string_view text, TextStyle style) {
  if (!text.empty()) blocks_.emplace_back(Code{indent, style, std::string(text)});
}

void Document::AddTable(Table table, size_t indent) {
  table.indent = indent;
  blocks_.emplace_back(std::move(table));
}

void Document::AddRest(size_t shown, size_t count, std::string_view noun, size_t indent) {
  if (shown == count) return;
  const std::string more = Counted(count - shown, "more " + std::string(noun));
  Begin(indent).Add(TextStyle::kFaint, "and " + more + ": --all");
}

const Document::Paragraph* Document::Headline() const {
  return blocks_.empty() ? nullptr : std::get_if<Paragraph>(&blocks_[headline_]);
}

bool IsSeverity(TextStyle style) {
  return style == TextStyle::kError || style == TextStyle::kWarning || style == TextStyle::kNote;
}

std::string PlainText(const std::vector<Document::Piece>& pieces) {
  std::string text;
  for (const Document::Piece& piece : pieces) text += piece.text;
  return text;
}

}  // namespace shapewise
