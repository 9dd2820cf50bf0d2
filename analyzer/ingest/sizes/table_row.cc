#include "ingest/sizes/table_row.h"

#include <algorithm>

#include "shapewise/support/text_scan.h"

namespace shapewise {

bool EndsInQuotes(std::string_view row, char delimiter, bool is_in_quotes) {
  bool begins_field = true;
  for (size_t at = 0; at < row.size(); ++at) {
    const char c = row[at];
    if (is_in_quotes) {
      if (c != '"') continue;
      if (at + 1 < row.size() && row[at + 1] == '"') {
        ++at;
      } else {
        is_in_quotes = false;
        begins_field = false;
      }
    } else if (c == '"' && begins_field) {
      is_in_quotes = true;
    } else {
      begins_field = c == delimiter || (delimiter == ' ' && c == '\t');
    }
  }
  return is_in_quotes;
}

std::vector<std::string> FieldsOf(std::string_view row, char delimiter) {
  std::vector<std::string> fields;
  ForEachField(row, delimiter, [&](std::string_view field) {
    field = Trim(field);
    std::string& text = fields.emplace_back();
    const bool is_quoted = field.size() >= 2 && field.front() == '"' && field.back() == '"';
    if (is_quoted) field = field.substr(1, field.size() - 2);
    for (size_t at = 0; at < field.size(); ++at) {
      text += field[at];
      if (is_quoted && field[at] == '"' && at + 1 < field.size() && field[at + 1] == '"') ++at;
    }
    return true;
  });
  return fields;
}

char DelimiterOf(std::string_view row) {
  for (const char delimiter : {'\t', ',', ';', '|'}) {
    size_t fields = 0;
    ForEachField(row, delimiter, [&](std::string_view) { return ++fields < 2; });
    if (fields > 1) return delimiter;
  }
  return ' ';
}

RowJoiner::State RowJoiner::Add(std::string_view text, uint64_t line, char delimiter) {
  const bool has_quotes = std::ranges::find(text, '"') != text.end();
  const bool was_open = is_open_;
  if (has_quotes) is_open_ = EndsInQuotes(text, delimiter, was_open);
  if (!was_open) {
    first_line_ = line;
    row_ = text;
    if (is_open_) open_ = text;
    return is_open_ ? State::kOpen : State::kRow;
  }
  if (open_.size() + text.size() > kMaxBytes) {
    is_open_ = false;
    open_ = std::string();
    return State::kTooLong;
  }
  open_ += '\n';
  open_ += text;
  row_ = open_;
  return is_open_ ? State::kOpen : State::kRow;
}

}  // namespace shapewise
