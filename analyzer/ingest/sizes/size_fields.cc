#include "ingest/sizes/size_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ranges>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "support/text_list.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

bool IsQuoted(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"';
}

bool IsSameName(std::string_view a, std::string_view b) {
  return llvm::StringRef(a).equals_insensitive(llvm::StringRef(b));
}

bool IsIn(std::initializer_list<std::string_view> names, std::string_view name) {
  return llvm::any_of(names, [&](std::string_view known) { return IsSameName(known, name); });
}

/// The digits of a quoted number with thousands separators, "1,234,567"; empty: another form.
std::string WithoutSeparators(std::string_view text) {
  text = Trim(text);
  if (!IsQuoted(text) || !HasText(text, ",")) return {};
  text = Unquoted(text);
  std::string digits;
  for (bool is_first = true; !text.empty(); is_first = false) {
    const std::string_view group = text.substr(0, text.find(','));
    const bool is_group = is_first ? !group.empty() && group.size() <= 3 : group.size() == 3;
    if (!is_group || !llvm::all_of(group, IsDigit)) return {};
    digits += group;
    text.remove_prefix(std::min(text.size(), group.size() + 1));
  }
  return digits;
}

/// A column with the count of a row; with `is_alone`, no other column could be the count, so
/// shorter names are accepted.
bool IsCountName(std::string_view name, bool is_alone) {
  return IsIn({"count", "counts", "freq", "frequency"}, name) ||
         (is_alone && IsIn({"n", "weight"}, name));
}

}  // namespace

std::string_view Unquoted(std::string_view text) {
  text = Trim(text);
  if (IsQuoted(text)) text = Trim(text.substr(1, text.size() - 2));
  ConsumeFront(text, "+");
  return text;
}

std::optional<double> FieldNumber(std::string_view text) {
  text = Unquoted(text);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return HUGE_VAL;
  if (error != std::errc() || std::isnan(number)) return std::nullopt;
  return number;
}

std::optional<double> FiniteNumber(std::string_view text) {
  const std::optional<double> number = FieldNumber(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::string_view ParseWholeNumber(std::string_view text, uint64_t most, uint64_t& value) {
  const std::string plain = WithoutSeparators(text);
  if (!plain.empty()) text = plain;
  std::string_view digits = Unquoted(text);
  if (const std::optional<uint64_t> whole = ConsumeUint(digits); whole && digits.empty()) {
    value = *whole;
    return *whole <= most ? "" : "is too large";
  }
  const std::optional<double> number = FieldNumber(text);
  if (!number) return Trim(text).empty() ? "is missing" : "is no number";
  if (*number < 0) return "is negative";
  if (*number > static_cast<double>(most)) return "is too large";
  if (*number != std::floor(*number)) return "is no whole number";
  value = static_cast<uint64_t>(*number);
  return {};
}

llvm::SmallVector<std::string_view, 8> SplitNumbers(std::string_view text) {
  llvm::SmallVector<std::string_view, 8> fields;
  text = Trim(text);
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(",; \t"), text.size());
    fields.push_back(text.substr(0, end));
    text = TrimLeft(text.substr(end));
    if (text.starts_with(',') || text.starts_with(';')) text = TrimLeft(text.substr(1));
  }
  return fields;
}

bool IsNumberRow(std::string_view text) {
  // Users do not name columns of wider rows by number.
  constexpr size_t kMaxColumns = 64;
  const auto fields = SplitNumbers(text);
  return !fields.empty() && fields.size() <= kMaxColumns && llvm::all_of(fields, FieldNumber);
}

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
    const bool is_quoted = IsQuoted(field);
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

bool IsSizeName(std::string_view name) {
  return IsIn({"len", "length", "lengths", "seq_len", "size", "sizes", "tokens"}, name);
}

std::string QuotedNames(std::span<const std::string> names) {
  constexpr size_t kMaxNames = 20;
  const std::string text = Joined(names | std::views::take(kMaxNames), ", ",
                                  [](const std::string& name) { return "'" + name + "'"; });
  if (names.size() <= kMaxNames) return text;
  return text + " and " + std::to_string(names.size() - kMaxNames) + " more";
}

size_t FindColumn(std::string_view wanted, std::span<const std::string> names) {
  const auto exact = std::ranges::find(names, wanted);
  if (exact != names.end()) return static_cast<size_t>(exact - names.begin());
  const auto is_wanted = [&](std::string_view name) { return IsSameName(name, wanted); };
  if (llvm::count_if(names, is_wanted) == 1) {
    return static_cast<size_t>(llvm::find_if(names, is_wanted) - names.begin());
  }
  const std::optional<uint64_t> number = ConsumeUint(wanted);
  const bool is_number = number && wanted.empty() && *number >= 1 && *number <= names.size();
  return is_number ? static_cast<size_t>(*number - 1) : names.size();
}

std::optional<size_t> FindSizeColumn(std::span<const std::string> names,
                                     std::string_view count_column) {
  std::vector<size_t> possible;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool is_count = names[i] == count_column || IsCountName(names[i], names.size() == 2);
    if (!is_count && !names[i].empty()) possible.push_back(i);
  }
  if (possible.size() != 1) {
    std::erase_if(possible, [&](size_t i) { return !IsSizeName(names[i]); });
  }
  return possible.size() == 1 ? std::optional(possible[0]) : std::nullopt;
}

std::optional<size_t> FindCountColumn(std::span<const std::string> names,
                                      std::span<const size_t> sizes, size_t num_sizes) {
  const bool is_alone = names.size() == num_sizes + 1;
  for (size_t i = 0; i < names.size(); ++i) {
    if (!llvm::is_contained(sizes, i) && IsCountName(names[i], is_alone)) return i;
  }
  return std::nullopt;
}

}  // namespace shapewise
